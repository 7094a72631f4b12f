"""How well a transcript describes a clip whose truth is known.

The truth is CLIP.setup.json and CLIP.events.jsonl beside CLIP.mp4, one event per line with its time
`t`; the README beside such clips documents them. Plays are matched in order by player and resulting
position, so that one error does not spoil the rest.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Final

from vision.errors import BadTruth

Json = dict[str, Any]

CUBE_ACTIONS: Final = ("double", "take", "drop")


@dataclass(frozen=True, slots=True)
class ClipTruth:
    """What really happened in a clip."""

    events: tuple[Json, ...]
    is_narde: bool

    def trimmed(self, seconds: float) -> ClipTruth:
        """What happened from `seconds` on, timed from there."""
        later = (one for one in self.events if one["t"] >= seconds)
        return ClipTruth(tuple({**one, "t": one["t"] - seconds} for one in later), self.is_narde)

    @property
    def plays(self) -> list[Json]:
        """The plays that stood in the end; rejected ones did not."""
        return [
            one
            for one in self.events
            if one["event"] == "play" and one.get("accepted", one["legal"])
        ]

    @property
    def rejected(self) -> int:
        """The number of rejected plays."""
        return self.count("play") - len(self.plays)

    def count(self, *kinds: str) -> int:
        """The number of events of these kinds."""
        return sum(one["event"] in kinds for one in self.events)


@dataclass(frozen=True, slots=True)
class ClipScore:
    """Counts for one transcript, or for several together."""

    plays: int = 0
    right: int = 0
    """Plays recorded with the right player and resulting position ..."""
    dice_right: int = 0
    """... and with their dice."""
    wrong_unflagged: int = 0
    """Plays recorded wrongly, without a mark for review."""
    missed_unflagged: int = 0
    """Plays not recorded, with neither an unseen stretch nor a neighboring play marked for
    review."""
    for_review: int = 0
    accusations: int = 0
    """Plays called illegal that were legal, never made, or rejected although nobody rejected
    them."""
    illegal_missed: int = 0
    rerolls: int = 0
    rerolls_found: int = 0
    cube_actions: int = 0
    cube_actions_found: int = 0
    unseen_seconds: float = 0.0
    seconds: float = 0.0

    def __add__(self, other: ClipScore) -> ClipScore:
        names = [field.name for field in fields(self)]
        return ClipScore(**{name: getattr(self, name) + getattr(other, name) for name in names})


def read_truth(clip: Path) -> ClipTruth:
    """The truth beside a clip; raises `BadTruth` if it cannot be read."""
    setup, events = (clip.with_suffix(end) for end in (".setup.json", ".events.jsonl"))
    try:
        is_narde = json.loads(setup.read_text())["game"] == "narde"
        lines = [json.loads(line) for line in events.read_text().splitlines() if line.strip()]
    except (OSError, ValueError, KeyError) as error:
        raise BadTruth(
            f"the truth of {clip} cannot be read: put {setup.name} and {events.name} beside it"
        ) from error
    return ClipTruth(tuple(lines), is_narde)


def score_transcript(events: Sequence[Json], truth: ClipTruth, seconds: float) -> ClipScore:
    """The score of recorded `events`, as in events.jsonl, for a clip of `seconds` length."""
    true_plays, recorded = truth.plays, _standing_plays(events)
    pairs = _matched(true_plays, recorded, is_narde=truth.is_narde)
    found = dict(pairs)
    matched = set(found.values())
    wrong = [play for number, play in enumerate(recorded) if number not in matched]
    unseen = [(one["from"], one["to"]) for one in events if one["type"] == "unseen"]
    is_illegal = [not one["legal"] for one in recorded]
    illegal_true = {number for number, one in enumerate(true_plays) if not one["legal"]}
    illegal_found = {true for true, mine in pairs if is_illegal[mine]}
    rejected = sum(one["type"] == "rejected" for one in events)
    return ClipScore(
        plays=len(true_plays),
        right=len(pairs),
        dice_right=sum(
            sorted(true_plays[true]["dice"]) == sorted(recorded[mine]["dice"] or ())
            for true, mine in pairs
        ),
        wrong_unflagged=sum(not one.get("review") for one in wrong),
        missed_unflagged=sum(
            not _is_admitted(number, true_plays, recorded, found, unseen)
            for number in range(len(true_plays))
            if number not in found
        ),
        for_review=sum(bool(one.get("review")) for one in recorded),
        accusations=sum(is_illegal)
        - len(illegal_true & illegal_found)
        + max(0, rejected - truth.rejected),
        illegal_missed=len(illegal_true - illegal_found),
        rerolls=truth.count("throw_invalid"),
        rerolls_found=sum(one["type"] == "reroll" for one in events),
        cube_actions=truth.count(*CUBE_ACTIONS),
        cube_actions_found=sum(one["type"] in CUBE_ACTIONS for one in events),
        unseen_seconds=sum(end - start for start, end in unseen),
        seconds=seconds,
    )


def _standing_plays(events: Sequence[Json]) -> list[Json]:
    plays: list[Json] = []
    for event in events:
        if event["type"] in ("play", "illegal"):
            plays.append(event)
        elif event["type"] in ("rejected", "take_back") and plays:
            plays.pop()
    return plays


def _matched(
    true_plays: Sequence[Json], recorded: Sequence[Json], *, is_narde: bool
) -> list[tuple[int, int]]:
    wanted = [
        (one["player"], _side_vectors(one["position_after"], is_narde=is_narde))
        for one in true_plays
    ]
    got = [
        (one["player"], tuple(tuple(one["position"][side]) for side in ("light", "dark")))
        for one in recorded
    ]
    blocks = difflib.SequenceMatcher(None, wanted, got, autojunk=False).get_matching_blocks()
    return [(block.a + i, block.b + i) for block in blocks for i in range(block.size)]


def _side_vectors(shown: Json, *, is_narde: bool) -> tuple[tuple[int, ...], tuple[int, ...]]:
    light, dark = [0] * 26, [0] * 26
    for point, count in enumerate(shown["points"], start=1):
        if count > 0:
            light[point] = count
        elif count < 0:
            dark[(point + 11) % 24 + 1 if is_narde else 25 - point] = -count
    light[0], dark[0] = shown["off"]["light"], shown["off"]["dark"]
    light[25], dark[25] = shown["bar"]["light"], shown["bar"]["dark"]
    return tuple(light), tuple(dark)


def _is_admitted(
    number: int,
    true_plays: Sequence[Json],
    recorded: Sequence[Json],
    found: dict[int, int],
    unseen: Sequence[tuple[float, float]],
) -> bool:
    """Whether the transcript itself says that a play may be missing there."""
    if any(start <= true_plays[number]["t"] <= end for start, end in unseen):
        return True
    before = max((found[one] for one in found if one < number), default=0)
    after = min((found[one] for one in found if one > number), default=len(recorded))
    return any(one.get("review") for one in recorded[before : after + 1])
