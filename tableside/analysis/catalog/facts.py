"""One match as the rows that questions are about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine import Event, MatchState, Side
from engine.events.match import GameStart, PlayMade
from engine.events.record import MatchContinued, MatchPaused
from engine.match.amendments import effective_events
from engine.match.fold import fold
from engine.match.state import Turn
from engine.position import Position
from tableside.analysis.questions import questions
from tableside.analysis.store import Key
from tableside.analysis.summary import player_figures
from tableside.record.store import MatchEntry
from tableside.review.review_items import NO_FOLDER, find_review_items
from tableside.review.stills import StillKeeper
from webui.contracts.analysis import JudgedEvent
from webui.contracts.catalog import player_key, searched
from webui.contracts.words import SideName

TURN: Final = np.dtype(
    [
        ("turn", "<u2"),  # its number in the match, counting rejected ones
        ("game", "<u2"),
        ("side", "u1"),  # of whom is light (0) or dark (1) at the end of the match
        ("color", "u1"),  # the same, by the colors of its game
        ("dice", "u1", 2),  # zeros: not known
        ("opening", "<i4"),  # the number of its game's opening; 0: none
        ("own", "u1", 26),  # before the play
        ("other", "u1", 26),
        ("loss", "<f4"),  # not a number: not analyzed
        ("luck", "<f4"),
        ("seconds", "<f4"),  # since the turn before, without pauses; not a number: not known
    ]
)
"""A turn that stands, in the columns that searches read."""
Turns = NDArray[np.void]
Answers = Mapping[Key, JudgedEvent | None]
NO_STILLS: Final = StillKeeper(NO_FOLDER)
_SIDES: Final = tuple(Side)


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatFacts:
    """One player of a match."""

    key: str
    """What the player is known by; empty for one without a name."""
    name: str
    points: int
    won: int
    lost: int
    plays: int
    rolls: int
    doubles: int
    pips: int
    timed: int
    seconds: float
    analyzed: int
    decisions: int
    loss: float
    luck: float


@dataclass(frozen=True, slots=True)
class FoldedMatch:
    """A match, its players and its turns."""

    state: MatchState
    is_over: bool
    course: str
    light: SeatFacts
    dark: SeatFacts
    turns: Turns
    plays: tuple[str, ...]
    """The notation of each turn."""
    openings: tuple[str, ...]
    """What the numbers of openings mean: the first is 1."""
    is_judged: bool
    """Whether every decision has been analyzed."""
    words: str
    """What a search for words looks at: names, place, note and source."""
    to_review: int
    """Turns that somebody should look at."""


def match_facts(entry: MatchEntry, events: Sequence[Event], answers: Answers) -> FoldedMatch:
    """The rows of a match; `answers`: those of its analysis so far."""
    effective = effective_events(events)
    state = fold(effective, entry.blank_state)
    judged = _judged(effective, entry.blank_state, answers)
    stands = standing_turns(state)
    openings = _openings(effective, stands)
    names = tuple(dict.fromkeys(filter(None, openings.values())))
    turns = _turns(state, stands, judged or [], _pauses(effective))
    for row, (_, turn) in zip(turns, stands, strict=True):
        opening = openings.get(turn.game, "")
        row["opening"] = 1 + names.index(opening) if opening else 0
    light, dark = (_seat(state, side, turns, judged) for side in _SIDES)
    return FoldedMatch(
        state=state,
        is_over=not entry.is_open or state.is_over,
        course="opposed" if state.position is None else state.position.course.value,
        light=light,
        dark=dark,
        turns=turns,
        plays=tuple(turn.event.play for _, turn in stands),
        openings=names,
        is_judged=judged is not None,
        words=_words(entry, state),
        to_review=sum(item.is_open for item in find_review_items(effective, NO_STILLS, state)),
    )


def match_seats(state: MatchState, effective: Sequence[Event]) -> tuple[SeatFacts, SeatFacts]:
    """Both players of a match that was not analyzed."""
    turns = _turns(state, standing_turns(state), [], _pauses(effective))
    return _seat(state, Side.LIGHT, turns, None), _seat(state, Side.DARK, turns, None)


def standing_turns(state: MatchState) -> list[tuple[int, Turn]]:
    """The turns of a match that were not rejected, each with its number among all."""
    return [(n, turn) for n, turn in enumerate(state.turns, start=1) if not turn.rejected]


def _words(entry: MatchEntry, state: MatchState) -> str:
    place = state.place
    placed = () if place is None else (place.event, place.round, place.table)
    source = entry.source.replace("\\", "/").rsplit("/", 1)[-1]
    return searched("\n".join((state.light, state.dark, *placed, state.note, source)))


def _judged(
    effective: Sequence[Event], blank: MatchState, answers: Answers
) -> list[JudgedEvent] | None:
    """The analysis; None unless all of it is there."""
    if not answers:
        return None
    asked = questions(effective, blank)
    if not asked or any((one.event, one.key) not in answers for one in asked):
        return None
    found = ((one, answers[one.event, one.key]) for one in asked)
    return [
        {**answer, "turn": one.turn, "game": one.game}
        for one, answer in found
        if answer is not None
    ]


def _openings(effective: Sequence[Event], stands: Sequence[tuple[int, Turn]]) -> dict[int, str]:
    """How each game began, unless it was joined under way or the roll is not known."""
    starts = [event for event in effective if isinstance(event, GameStart)]
    first: dict[int, Turn] = {}
    for _, turn in stands:
        first.setdefault(turn.game, turn)
    return {
        game: f"{_roll_text(turn.event)} {turn.event.play}"
        for game, turn in first.items()
        if known_dice(turn.event) and not starts[game - 1].is_joined
        if turn.before == starts[game - 1].position
    }


def _roll_text(made: PlayMade) -> str:
    return "-".join(str(die) for die in sorted(known_dice(made), reverse=True))


def known_dice(made: PlayMade) -> tuple[int, ...]:
    """Both dice; empty unless both are known."""
    dice = tuple(die for die in made.dice or () if die is not None)
    return dice if len(dice) == 2 else ()


def _pauses(effective: Sequence[Event]) -> list[tuple[float, float]]:
    """When each pause began and ended."""
    pauses: list[tuple[float, float]] = []
    began: float | None = None
    for event in effective:
        if isinstance(event, MatchPaused) and began is None:
            began = event.time
        elif isinstance(event, MatchContinued) and began is not None:
            pauses.append((began, event.time))
            began = None
    return pauses if began is None else [*pauses, (began, inf)]


def _seconds_played(since: float, until: float, pauses: Sequence[tuple[float, float]]) -> float:
    """The time between two moments, without pauses."""
    paused = (min(end, until) - max(begin, since) for begin, end in pauses)
    return until - since - sum(max(0.0, one) for one in paused)


def _turns(
    state: MatchState,
    stands: Sequence[tuple[int, Turn]],
    judged: Sequence[JudgedEvent],
    pauses: Sequence[tuple[float, float]],
) -> Turns:
    turns = np.zeros(len(stands), TURN)
    answers = {event["turn"]: event for event in judged if event["turn"] is not None}
    last: Turn | None = None
    for row, (number, turn) in zip(turns, stands, strict=True):
        made, answer = turn.event, answers.get(number)
        row["turn"], row["game"] = number, turn.game
        row["side"] = _SIDES.index(state.side_now(made.player, turn.game))
        row["color"] = _SIDES.index(made.player)
        row["dice"] = known_dice(made) or (0, 0)
        row["own"], row["other"] = _vectors(turn.before, made.player)
        row["loss"] = row["luck"] = row["seconds"] = np.nan
        if answer is not None:
            row["loss"] = sum(one["loss"] for one in answer["decisions"] if one["counts"])
            row["luck"] = np.nan if answer["luck"] is None else answer["luck"]
        if last is not None and last.game == turn.game and made.time > last.event.time:
            row["seconds"] = _seconds_played(last.event.time, made.time, pauses)
        last = turn
    return turns


def _vectors(position: Position, side: Side) -> tuple[tuple[int, ...], tuple[int, ...]]:
    return position.of(side), position.of(side.other)


def _seat(
    state: MatchState, side: Side, turns: Turns, judged: list[JudgedEvent] | None
) -> SeatFacts:
    index = _SIDES.index(side)
    name = state.light if side is Side.LIGHT else state.dark
    has_name = isinstance(state.name(side), str)
    mine = turns[turns["side"] == index]
    dice = mine["dice"][mine["dice"][:, 0] > 0].astype(int)
    doubles = dice[:, 0] == dice[:, 1]
    timed = mine["seconds"][~np.isnan(mine["seconds"])]
    is_won = 0 < state.length <= max(state.score)
    is_winner = is_won and state.score[index] > state.score[1 - index]
    figures = player_figures(_of_player(state, judged or []), side)
    return SeatFacts(
        key=player_key(name) if has_name else "",
        name=name,
        points=state.score[index],
        won=int(is_winner),
        lost=int(is_won and not is_winner),
        plays=len(mine),
        rolls=len(dice),
        doubles=int(doubles.sum()),
        pips=int((dice.sum(axis=1) * (1 + doubles)).sum()),
        timed=len(timed),
        seconds=float(timed.sum()),
        analyzed=int(judged is not None),
        decisions=figures["decisions"],
        loss=figures["error"],
        luck=figures["luck"],
    )


def _of_player(state: MatchState, judged: Sequence[JudgedEvent]) -> list[JudgedEvent]:
    """The same with each side as it is at the end of the match, if the players changed seats."""
    if not state.swaps:
        return list(judged)
    return [
        {
            **event,
            "player": _side_now(state, event, event["player"]),
            "decisions": [
                {**one, "player": _side_now(state, event, one["player"])}
                for one in event["decisions"]
            ],
        }
        for event in judged
    ]  # fmt: skip


def _side_now(state: MatchState, event: JudgedEvent, side: SideName) -> SideName:
    return "light" if state.side_now(Side(side), event["game"]) is Side.LIGHT else "dark"
