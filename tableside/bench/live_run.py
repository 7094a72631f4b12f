"""The sample as a live match: its states and events, each with the time in the clip."""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain
from math import inf
from pathlib import Path
from typing import Any, Final, Protocol

import samples
from engine import Event
from engine.rules import SHORT
from tableside.match.config import MatchConfig
from tableside.record.recorder import Recorder
from tableside.record.store import Store
from tableside.recording.job import MatchOutputs
from tableside.recording.live_match import LiveMatch
from tableside.recording.preview import PreviewEncoder
from tableside.recording.timeline import Timeline
from tableside.review.stills import StillKeeper
from tableside.site.state_hub import StateHub
from vision.sources.files import VideoFile
from vision.sources.frame import Frame, FrameSource
from webui.http.metrics import Metrics

MAX_START_S: Final = 60.0
"""When the clip continues even though the board is not known yet, so that everything is late."""
Log = list[tuple[float, Any]]
"""States or events, each with the time in the clip at which it arrived, in seconds."""


class ClipClock(Protocol):
    """What a clip says of its time while it is played as if it were filmed."""

    may_begin: threading.Event
    """Set once the game is shown; until then the first frame is repeated."""

    @property
    def now(self) -> float:
        """Seconds into the clip."""


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

    def __init__(self, clip: ClipClock) -> None:
        super().__init__()
        self.log: Log = []
        self._clip = clip

    def publish(self, **changes: Any) -> None:
        super().publish(**changes)
        state = self.state()
        self.log.append((self._clip.now, state))
        if state["position"] is not None:
            self._clip.may_begin.set()


class _LoggingRecorder(Recorder):
    def __init__(self, store: Store, match: int, clip: ClipClock) -> None:
        super().__init__(store, match)
        self.log: Log = []
        self._clip = clip

    def keep(self, events: Sequence[Event]) -> None:
        super().keep(events)
        self.log.extend((self._clip.now, event) for event in events)


@dataclass(frozen=True, slots=True)
class LiveRun:
    """The states and events of the sample."""

    states: Log
    events: Log


def run_match(source: FrameSource, clip: ClipClock) -> LiveRun:
    """Record the match that the source shows until it ends."""
    with tempfile.TemporaryDirectory() as folder, Store.open(Path(folder) / "r.sqlite") as store:
        hub = _LoggingHub(clip)
        recorder = _LoggingRecorder(store, store.new_match(), clip)
        stills = StillKeeper(Path(folder) / "stills")
        outputs = MatchOutputs(hub, PreviewEncoder(), Metrics())
        LiveMatch(Timeline(source), MatchConfig(SHORT), recorder, stills, outputs).run()
    return LiveRun(hub.log, recorder.log)


@cache
def webcam_run() -> tuple[LiveRun, float]:
    """The sample as a webcam shows it, and for how many seconds its first frame was repeated.

    It is run once, which takes as long as the clip and learning the board.
    """
    camera = _Camera()
    return run_match(camera, camera), camera.held
