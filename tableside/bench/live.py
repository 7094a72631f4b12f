"""How soon the page knows: the sample served as a camera, against when it happened."""

from __future__ import annotations

import json
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain
from math import ceil, inf
from pathlib import Path
from statistics import median
from typing import Any, Final

import samples
from engine import DiceRolled, EngineError, Event, PlayMade, Position, Side
from engine.play import Play
from engine.rules import SHORT
from engine.rules.legal import apply_play
from tableside.bench import BenchRow, Measure
from tableside.match.config import MatchConfig
from tableside.record.recorder import Recorder
from tableside.record.store import Store
from tableside.recording.live_match import LiveMatch
from tableside.recording.sample_match import true_plays
from tableside.review.stills import StillKeeper
from tableside.site.state_hub import StateHub
from vision.sources.files import VideoFile
from vision.sources.frame import Frame

MILLI: Final = 1000
MOST_DICE_SHOWN, MOST_ROLL, MOST_PLAY = 300.0, 600.0, 700.0
"""Milliseconds asked for: dice on the page, the roll recorded, the play on the page."""
LONGEST_START: Final = 60.0
"""Seconds after which the game begins though the board is not known: then everything is late."""
Seen = list[tuple[float, Any]]
"""What was told, each with the second of the clip in which it was."""


class _Camera:
    """The clip as a camera sees it, at its own pace: what nobody takes in time is lost.

    Its first picture stands until somebody says that the players may begin.
    """

    is_live: Final = True
    frames: Final = None

    def __init__(self) -> None:
        self._clip = VideoFile(samples.CLIP)
        self._closed = threading.Event()
        self.name, self.fps = self._clip.name, self._clip.fps
        self.may_begin = threading.Event()
        self._opened = 0.0
        self.held = inf
        """Seconds for which the first picture stood, once that is over."""

    @property
    def now(self) -> float:
        """Seconds into the clip."""
        return time.monotonic() - self._opened - self.held

    def __iter__(self) -> Iterator[Frame]:
        self._opened = time.monotonic()
        clip = iter(self._clip)
        first, count, seconds = next(clip), 0, 0.0
        while not self.may_begin.is_set() and seconds < LONGEST_START:
            yield replace(first, index=count, seconds=seconds)
            self._closed.wait(1 / self.fps)
            count, seconds = count + 1, time.monotonic() - self._opened
        self.held = seconds
        for index, frame in enumerate(chain((first,), clip), start=count):
            self._closed.wait(max(0.0, frame.seconds - self.now))
            yield replace(frame, index=index, seconds=frame.seconds + self.held)

    def close(self) -> None:
        """End the iteration and let go of the file."""
        self._closed.set()
        self._clip.close()


class _Page(StateHub):
    """Notes what it is told, and lets the players begin when it shows the game."""

    def __init__(self, source: _Camera) -> None:
        super().__init__()
        self.seen: Seen = []
        self._source = source

    def tell(self, **changes: Any) -> None:
        super().tell(**changes)
        state = self.state()
        self.seen.append((self._source.now, state))
        if state["position"] is not None:
            self._source.may_begin.set()


class _Notes(Recorder):
    def __init__(self, store: Store, match: int, source: _Camera) -> None:
        super().__init__(store, match)
        self.kept: Seen = []
        self._source = source

    def keep(self, events: Sequence[Event]) -> None:
        super().keep(events)
        self.kept.extend((self._source.now, event) for event in events)


@dataclass(frozen=True, slots=True)
class _Served:
    """What the page and the record were told of the sample, and when the players could begin."""

    page: Seen
    record: Seen
    held: float


@cache
def _served() -> _Served:
    """It takes as long as the sample, and as the board takes to be learnt."""
    source = _Camera()
    with tempfile.TemporaryDirectory() as folder, Store.open(Path(folder) / "r.sqlite") as store:
        page, notes = _Page(source), _Notes(store, store.new_match(), source)
        LiveMatch(
            source, MatchConfig(SHORT), notes, page, stills=StillKeeper(Path(folder) / "stills")
        ).run()
    return _Served(page.seen, notes.kept, source.held)


def _truth(kind: str) -> list[dict[str, Any]]:
    lines = samples.TRUTH.read_text("utf-8").splitlines()
    return [event for event in map(json.loads, lines) if event["event"] == kind]


def _late(times: Sequence[float], found: Sequence[float | None]) -> list[float]:
    """The delays in milliseconds, the longest last; what never came is left out."""
    pairs = zip(times, found, strict=True)
    return sorted((one - when) * MILLI for when, one in pairs if one is not None)


def _words(late: Sequence[float], times: Sequence[float], what: str) -> str:
    most = late[ceil(0.9 * len(late)) - 1]
    missed = len(times) - len(late)
    return f"{what}; 90 % within {most:.0f}, slowest {late[-1]:.0f}, missed {missed}"


def _row(times: Sequence[float], found: Sequence[float | None], most: float, what: str) -> BenchRow:
    """The median delay against what is asked for; the rest is told in words."""
    late = _late(times, found)
    name = _words(late, times, f"asked for, {what}")
    return BenchRow(median(late), "ms", name, most, is_more_better=False)


def _first(seen: Seen, after: float, wanted: Callable[[Any], bool]) -> float | None:
    return next((now for now, one in seen if now >= after and wanted(one)), None)


def _measure_start() -> BenchRow:
    """From the first picture until the page shows the game; players wait for that."""
    return BenchRow(_served().held, "s", "nothing asked for: from the first picture to the board")


def _measure_shown() -> BenchRow:
    """From the rest of a throw until the page shows its dice."""
    throws = [one for one in _truth("dice_rest") if one["valid"]]
    found = [_first(_served().page, one["t"], _shows_dice(one["dice"])) for one in throws]
    return _row([one["t"] for one in throws], found, MOST_DICE_SHOWN, "dice on the page")


def _shows_dice(dice: list[dict[str, Any]]) -> Callable[[Any], bool]:
    wanted = sorted(die["value"] for die in dice)

    def is_shown(state: Any) -> bool:
        values = [die["value"] for die in state["dice"]]
        return None not in values and sorted(values) == wanted

    return is_shown


def _measure_roll() -> BenchRow:
    """From the rest of a throw until its roll is on the disk.

    The first is recorded with its play, which tells who threw it.
    """
    throws = [one["t"] for one in _truth("dice_rest") if one["valid"]]
    found = [_first(_served().record, t, lambda one: isinstance(one, DiceRolled)) for t in throws]
    return _row(throws, found, MOST_ROLL, "rolls recorded")


def _measure_play() -> BenchRow:
    """From when the hand has left the checkers until the page shows the play, final or not.

    It is recorded once its dice are lifted, which comes a second later in the sample.
    """
    outs, plays = [one["t"] for one in _truth("hand_out")], true_plays(samples.TRUTH)
    boards = [SHORT.opening(), *(after for _, after in plays)]
    shown, kept = [], []
    for out, before, (side, after) in zip(outs, boards, plays, strict=False):
        shown.append(_first(_served().page, out, _shows_play(before, side, after)))
        kept.append(_first(_served().record, out, _is_play(side, after)))
    row, late = _row(outs, shown, MOST_PLAY, "plays on the page"), _late(outs, kept)
    recorded = _words(late, outs, f"recorded after {median(late):.0f}")
    return replace(row, baseline_name=f"{row.baseline_name}; {recorded}")


def _shows_play(before: Position, side: Side, after: Position) -> Callable[[Any], bool]:
    def is_shown(state: Any) -> bool:
        told = state["pending"] or state["last_play"]
        if told is None or told["player"] != side.value:
            return False
        try:
            return apply_play(before, side, Play.parse(told["play"]), SHORT) == after
        except EngineError:  # an earlier play, which cannot be made from there
            return False

    return is_shown


def _is_play(side: Side, after: Position) -> Callable[[Any], bool]:
    return lambda one: isinstance(one, PlayMade) and (one.player, one.position) == (side, after)


ROWS: Final[dict[str, Measure]] = {
    "live_start": _measure_start,
    "live_dice": _measure_shown,
    "live_roll": _measure_roll,
    "live_play": _measure_play,
}
