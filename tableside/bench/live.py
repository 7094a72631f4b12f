"""Latencies of a live match, from an event on the table to its display: the sample as a camera."""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain
from math import inf
from pathlib import Path
from statistics import median
from typing import Any, Final

import numpy as np

import samples
from engine import DiceRolled, EngineError, Event, PlayMade, Position, Side
from engine.play import Play
from engine.rules import SHORT
from engine.rules.legal import apply_play
from tableside.bench import BenchRow, against_budget
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

DICE_BUDGET_MS, ROLL_BUDGET_MS, PLAY_BUDGET_MS = 300.0, 600.0, 700.0
"""Milliseconds until the dice are shown, the roll is recorded and the play is shown."""
MAX_START_S: Final = 60.0
"""When the clip continues even though the board is not known yet, so that everything is late."""
Log = list[tuple[float, Any]]
"""States or events, each with the time in the clip at which it arrived, in seconds."""


class _Camera:
    """The clip in real time, as a camera delivers it: frames not taken in time are lost.

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
        """Seconds for which the first frame was repeated, once known."""

    @property
    def now(self) -> float:
        """Seconds into the clip."""
        return time.monotonic() - self._opened - self.held

    def __iter__(self) -> Iterator[Frame]:
        self._opened = time.monotonic()
        clip = iter(self._clip)
        first, count, seconds = next(clip), 0, 0.0
        while not self.may_begin.is_set() and seconds < MAX_START_S:
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


class _LoggingHub(StateHub):
    """Logs each state, and lets the clip continue once the game is shown."""

    def __init__(self, camera: _Camera) -> None:
        super().__init__()
        self.log: Log = []
        self._camera = camera

    def publish(self, **changes: Any) -> None:
        super().publish(**changes)
        state = self.state()
        self.log.append((self._camera.now, state))
        if state["position"] is not None:
            self._camera.may_begin.set()


class _LoggingRecorder(Recorder):
    def __init__(self, store: Store, match: int, camera: _Camera) -> None:
        super().__init__(store, match)
        self.log: Log = []
        self._camera = camera

    def keep(self, events: Sequence[Event]) -> None:
        super().keep(events)
        self.log.extend((self._camera.now, event) for event in events)


@dataclass(frozen=True, slots=True)
class _LiveRun:
    """The states and events of the sample, and for how long its first frame was repeated."""

    states: Log
    events: Log
    start_s: float


@cache
def _live_run() -> _LiveRun:
    """Run the sample once, which takes as long as the clip and learning the board."""
    camera = _Camera()
    with tempfile.TemporaryDirectory() as folder, Store.open(Path(folder) / "r.sqlite") as store:
        hub = _LoggingHub(camera)
        recorder = _LoggingRecorder(store, store.new_match(), camera)
        stills = StillKeeper(Path(folder) / "stills")
        outputs = MatchOutputs(hub, PreviewEncoder(), Metrics())
        LiveMatch(Timeline(camera), MatchConfig(SHORT), recorder, stills, outputs).run()
    return _LiveRun(hub.log, recorder.log, camera.held)


def measure_start() -> BenchRow:
    """Measure the seconds from the first frame to the page with the game; players wait for it."""
    note = "no target: from the first picture to the board"
    return BenchRow(_live_run().start_s, "s", note)


def measure_dice() -> BenchRow:
    """Measure from when a throw comes to rest until the page shows its dice."""
    throws = _valid_throws()
    log = _live_run().states
    delays = [_delay_ms(log, throw["t"], _shows_dice(throw["dice"])) for throw in throws]
    return _row(delays, "dice on the page", DICE_BUDGET_MS)


def measure_roll() -> BenchRow:
    """Measure from when a throw comes to rest until its roll is on disk.

    The first roll is left out: it is recorded with its play, which shows who threw it.
    """
    log = _live_run().events
    delays = [
        _delay_ms(log, throw["t"], lambda event: isinstance(event, DiceRolled))
        for throw in _valid_throws()
    ]
    return _row(delays, "rolls recorded", ROLL_BUDGET_MS)


def measure_play() -> BenchRow:
    """Measure from when the hand leaves the checkers until the page shows the play, final or not.

    The play is recorded once its dice are picked up, a second later in the sample.
    """
    run, plays = _live_run(), true_plays(samples.TRUTH)
    boards = [SHORT.opening(), *(after for _, after in plays)]
    shown, recorded = [], []
    for hand_out, before, (side, after) in zip(
        samples.true_events("hand_out"), boards, plays, strict=False
    ):
        shown.append(_delay_ms(run.states, hand_out["t"], _shows_play(before, side, after)))
        recorded.append(_delay_ms(run.events, hand_out["t"], _is_play(side, after)))
    late = median(_in_order(recorded))
    row = _row(shown, "plays on the page", PLAY_BUDGET_MS)
    note = f"{row.baseline_name}; {_summary(recorded, f'recorded after {late:.0f}')}"
    return replace(row, baseline_name=note)


def _valid_throws() -> list[dict[str, Any]]:
    return [throw for throw in samples.true_events("dice_rest") if throw["valid"]]


def _delay_ms(log: Log, since: float, is_wanted: Callable[[Any], bool]) -> float | None:
    """How long after `since` the log has the wanted entry, in ms; None if it never does."""
    delays = (1000 * (now - since) for now, value in log if now >= since and is_wanted(value))
    return next(delays, None)


def _row(delays: Sequence[float | None], what: str, budget: float) -> BenchRow:
    """The median delay against its budget, with a summary of the others."""
    note = f", {_summary(delays, what)}"
    return against_budget(_in_order(delays), "ms", note, budget)


def _summary(delays: Sequence[float | None], what: str) -> str:
    late = _in_order(delays)
    percentile = np.quantile(late, 0.9, method="inverted_cdf")
    missed = len(delays) - len(late)
    return f"{what}; 90 % within {percentile:.0f}, slowest {late[-1]:.0f}, missed {missed}"


def _in_order(delays: Sequence[float | None]) -> list[float]:
    return sorted(delay for delay in delays if delay is not None)


def _shows_dice(dice: list[dict[str, Any]]) -> Callable[[Any], bool]:
    wanted = sorted(die["value"] for die in dice)

    def is_shown(state: Any) -> bool:
        values = [die["value"] for die in state["dice"]]
        return None not in values and sorted(values) == wanted

    return is_shown


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
