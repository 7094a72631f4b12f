"""Benchmarks of latency: the sample served as a camera, from what happens to what is shown."""

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
from tableside.recording.job import MatchOutputs
from tableside.recording.live_match import LiveMatch
from tableside.recording.preview import PreviewEncoder
from tableside.recording.sample_match import true_plays
from tableside.recording.timeline import Timeline
from tableside.review.stills import StillKeeper
from tableside.site.state_hub import StateHub
from vision.sources.files import VideoFile
from vision.sources.frame import Frame
from webui.http.metrics import Metrics

MILLI: Final = 1000
TARGET_DICE, TARGET_ROLL, TARGET_PLAY = 300.0, 600.0, 700.0
"""Targets in milliseconds: dice on the page, the roll recorded, the play on the page."""
MAX_START: Final = 60.0
"""Seconds after which the game begins though the board is not known, so that all is late."""
Log = list[tuple[float, Any]]
"""States or events, each with the second of the clip at which it came."""


class _Camera:
    """The clip in real time, as a camera gives it: frames that are not taken in time are lost.

    Its first frame is repeated until `may_begin` is set.
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
        """Seconds for which the first frame was repeated, once that is over."""

    @property
    def now(self) -> float:
        """Seconds into the clip."""
        return time.monotonic() - self._opened - self.held

    def __iter__(self) -> Iterator[Frame]:
        self._opened = time.monotonic()
        clip = iter(self._clip)
        first, count, seconds = next(clip), 0, 0.0
        while not self.may_begin.is_set() and seconds < MAX_START:
            yield replace(first, index=count, seconds=seconds)
            self._closed.wait(1 / self.fps)
            count, seconds = count + 1, time.monotonic() - self._opened
        self.held = seconds
        for index, frame in enumerate(chain((first,), clip), start=count):
            self._closed.wait(max(0.0, frame.seconds - self.now))
            yield replace(frame, index=index, seconds=frame.seconds + self.held)

    def close(self) -> None:
        """End the iteration and close the file."""
        self._closed.set()
        self._clip.close()


class _Page(StateHub):
    """Logs each state, and lets the clip go on once the game is shown."""

    def __init__(self, source: _Camera) -> None:
        super().__init__()
        self.log: Log = []
        self._source = source

    def publish(self, **changes: Any) -> None:
        super().publish(**changes)
        state = self.state()
        self.log.append((self._source.now, state))
        if state["position"] is not None:
            self._source.may_begin.set()


class _LoggingRecorder(Recorder):
    def __init__(self, store: Store, match: int, source: _Camera) -> None:
        super().__init__(store, match)
        self.log: Log = []
        self._source = source

    def keep(self, events: Sequence[Event]) -> None:
        super().keep(events)
        self.log.extend((self._source.now, event) for event in events)


@dataclass(frozen=True, slots=True)
class _Run:
    """The states and events of the sample, and how long its first frame was repeated."""

    page: Log
    record: Log
    held: float


@cache
def _run() -> _Run:
    """Run the sample once: it takes as long as the clip, and as learning the board."""
    source = _Camera()
    with tempfile.TemporaryDirectory() as folder, Store.open(Path(folder) / "r.sqlite") as store:
        page = _Page(source)
        recorder = _LoggingRecorder(store, store.new_match(), source)
        stills = StillKeeper(Path(folder) / "stills")
        outputs = MatchOutputs(page, PreviewEncoder(), Metrics())
        LiveMatch(Timeline(source), MatchConfig(SHORT), recorder, stills, outputs).run()
    return _Run(page.log, recorder.log, source.held)


def _truth(kind: str) -> list[dict[str, Any]]:
    lines = samples.TRUTH.read_text("utf-8").splitlines()
    return [event for event in map(json.loads, lines) if event["event"] == kind]


def _delays(times: Sequence[float], found: Sequence[float | None]) -> list[float]:
    """The delays in milliseconds, sorted; what never came is left out."""
    pairs = zip(times, found, strict=True)
    return sorted((one - when) * MILLI for when, one in pairs if one is not None)


def _summary(late: Sequence[float], times: Sequence[float], what: str) -> str:
    percentile = late[ceil(0.9 * len(late)) - 1]
    missed = len(times) - len(late)
    return f"{what}; 90 % within {percentile:.0f}, slowest {late[-1]:.0f}, missed {missed}"


def _row(
    times: Sequence[float], found: Sequence[float | None], target: float, what: str
) -> BenchRow:
    """The median delay against its target, with a summary of the others."""
    late = _delays(times, found)
    name = _summary(late, times, f"asked for, {what}")
    return BenchRow(median(late), "ms", name, target, is_more_better=False)


def _first(log: Log, after: float, wanted: Callable[[Any], bool]) -> float | None:
    return next((now for now, one in log if now >= after and wanted(one)), None)


def _measure_start() -> BenchRow:
    """Seconds from the first frame until the page shows the game; players wait for that."""
    return BenchRow(_run().held, "s", "nothing asked for: from the first picture to the board")


def _measure_shown() -> BenchRow:
    """From when a throw comes to rest until the page shows its dice."""
    throws = [one for one in _truth("dice_rest") if one["valid"]]
    found = [_first(_run().page, one["t"], _shows_dice(one["dice"])) for one in throws]
    return _row([one["t"] for one in throws], found, TARGET_DICE, "dice on the page")


def _shows_dice(dice: list[dict[str, Any]]) -> Callable[[Any], bool]:
    wanted = sorted(die["value"] for die in dice)

    def is_shown(state: Any) -> bool:
        values = [die["value"] for die in state["dice"]]
        return None not in values and sorted(values) == wanted

    return is_shown


def _measure_roll() -> BenchRow:
    """From when a throw comes to rest until its roll is on disk.

    The first is recorded with its play, which shows who threw it.
    """
    throws = [one["t"] for one in _truth("dice_rest") if one["valid"]]
    found = [_first(_run().record, t, lambda one: isinstance(one, DiceRolled)) for t in throws]
    return _row(throws, found, TARGET_ROLL, "rolls recorded")


def _measure_play() -> BenchRow:
    """From when the hand leaves the checkers until the page shows the play, final or not.

    It is recorded once its dice are lifted, a second later in the sample.
    """
    outs, plays = [one["t"] for one in _truth("hand_out")], true_plays(samples.TRUTH)
    boards = [SHORT.opening(), *(after for _, after in plays)]
    shown, recorded = [], []
    for out, before, (side, after) in zip(outs, boards, plays, strict=False):
        shown.append(_first(_run().page, out, _shows_play(before, side, after)))
        recorded.append(_first(_run().record, out, _is_play(side, after)))
    row, late = _row(outs, shown, TARGET_PLAY, "plays on the page"), _delays(outs, recorded)
    summary = _summary(late, outs, f"recorded after {median(late):.0f}")
    return replace(row, baseline_name=f"{row.baseline_name}; {summary}")


def _shows_play(before: Position, side: Side, after: Position) -> Callable[[Any], bool]:
    def is_shown(state: Any) -> bool:
        shown = state["pending"] or state["last_play"]
        if shown is None or shown["player"] != side.value:
            return False
        try:
            return apply_play(before, side, Play.parse(shown["play"]), SHORT) == after
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
