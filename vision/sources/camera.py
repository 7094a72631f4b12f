"""Live pictures: a camera or network stream that may stall, freeze, vanish and come back.

After being unplugged, `cv2.VideoCapture.read` may block forever (opencv#4468) or return the last
picture forever (opencv#5221). So a separate thread drains the device, `Liveness` judges by the
clock what arrives, and a thread that hangs is abandoned.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from typing import Final

import cv2

from engine.arrays import Image
from engine.message import Message, Sentence, join, message_of, msg
from vision.errors import SourceError
from vision.sources.frame import Capture, DatedCapture, Frame, reduced
from vision.sources.liveness import (
    CAMERA,
    Liveness,
    SourceAdvice,
    SourceStatus,
    SourceTimeouts,
)

CaptureFactory = Callable[[], Capture]
"""Opens the device; called in a separate thread, again after each loss."""

_TICK: Final = 0.05
_LOGGER: Final = logging.getLogger(__name__)
_MAX_HANGING: Final = 4
"""Number of threads that may hang in a dead driver before we wait for one to return."""


class _Drain(threading.Thread):
    """Opens the device and reads it as fast as possible; only the newest picture is kept."""

    def __init__(
        self,
        factory: CaptureFactory,
        changed: threading.Condition,
        clock: Callable[[], float],
        advice: SourceAdvice,
        count: int = 0,
    ) -> None:
        super().__init__(name="camera", daemon=True)
        self._factory, self._advice = factory, advice
        self._changed = changed
        self._clock = clock
        self._is_stopping = threading.Event()
        self._newest: tuple[Image, int, float] | None = None
        self.count = count
        self.fps = 0.0
        self.end: Sentence | None = None

    def run(self) -> None:
        """Read until the device fails or `stop` is called; `end` then says why."""
        try:
            reason: Sentence = self._read_all()
        except (SourceError, cv2.error, OSError) as error:
            reason = message_of(error)
        with self._changed:
            self.end = reason
            self._changed.notify_all()

    def _read_all(self) -> Message:
        capture = self._factory()
        try:
            if not capture.isOpened():
                return join((msg("it cannot be opened"), self._advice.silent))
            self.fps = capture.get(cv2.CAP_PROP_FPS)
            while not self._is_stopping.is_set():
                is_read, image = capture.read()
                if not is_read or image is None or not image.size:
                    return join((msg("it delivers no picture"), self._advice.silent))
                self._keep(image, capture)
            return msg("it was closed")
        finally:
            capture.release()

    def _keep(self, image: Image, capture: Capture) -> None:
        taken_at = capture.taken_at if isinstance(capture, DatedCapture) else self._clock()
        with self._changed:
            self._newest = image, self.count, taken_at
            self.count += 1
            self._changed.notify_all()

    @property
    def has_answered(self) -> bool:
        """Whether a picture or an end has arrived."""
        return self._newest is not None or self.end is not None

    def take(self) -> tuple[Image, int, float] | None:
        """The newest picture with its number and time, once; waits briefly for it."""
        with self._changed:
            if not self.has_answered:
                self._changed.wait(_TICK)
            newest, self._newest = self._newest, None
            return newest

    def stop(self) -> None:
        """Ask the thread to end; a read that hangs ends when the driver returns."""
        self._is_stopping.set()


class LiveSource:
    """A camera or stream as a `FrameSource`; iterating yields the newest picture each time.

    While nothing fresh arrives, iteration waits, `status` has the problem, `on_status` is called
    (by the iterating thread) when it changes, and the device is reopened repeatedly.
    """

    is_live: Final = True
    frames: Final = None

    def __init__(
        self,
        name: Sentence,
        factory: CaptureFactory,
        *,
        timeouts: SourceTimeouts | None = None,
        advice: SourceAdvice = CAMERA,
        clock: Callable[[], float] = time.monotonic,
        on_status: Callable[[SourceStatus], None] | None = None,
    ) -> None:
        self.name = name
        self.status = SourceStatus()
        self.on_status = on_status
        self._factory, self._advice = factory, advice
        self._timeouts = timeouts or SourceTimeouts()
        self._clock = clock
        self._changed = threading.Condition()
        self._is_closed = threading.Event()
        self._hanging: list[_Drain] = []
        self._failures = 0
        self._retry_at: float | None = None
        self._began, self._newest = clock(), 0.0
        self._liveness = Liveness(self._timeouts, self._began, advice)
        self._drain = self._open()

    @property
    def fps(self) -> float:
        """The rate that the device claims; 30 if it claims none."""
        return self._drain.fps if 0 < self._drain.fps < 1000 else 30.0

    def _open(self, count: int = 0) -> _Drain:
        drain = _Drain(self._factory, self._changed, self._clock, self._advice, count)
        drain.start()
        return drain

    def wait_until_open(self) -> Sentence | None:
        """None once the first picture is there, else why none came in time."""
        until = self._clock() + self._timeouts.first
        with self._changed:
            while not self._drain.has_answered and self._clock() < until:
                self._changed.wait(_TICK)
            return self._drain.end if self._drain.has_answered else msg("it does not respond")

    def __iter__(self) -> Iterator[Frame]:
        while not self._is_closed.is_set():
            frame = self._next_frame()
            if frame is not None and not self._is_closed.is_set():
                yield frame

    def _next_frame(self) -> Frame | None:
        if self._retry_at is not None:
            self._reopen_at(self._retry_at)
            return None
        taken, now = self._drain.take(), self._clock()
        if taken is not None and self._liveness.observe(taken[0], now):
            self._failures = 0
            self._report(None)
            self._newest = max(self._newest, taken[2] - self._began)  # a phone's may go back
            return Frame(reduced(taken[0]), taken[1], self._newest)
        fault = self._drain.end or self._liveness.fault(now)
        if fault is not None and not self._is_closed.is_set():
            self._report(fault)
            self._drain.stop()
            self._retry_at = now + self._timeouts.after(self._failures)
        return None

    def _report(self, fault: Sentence | None) -> None:
        named = None if fault is None else join((self.name, fault), ": ")
        status = SourceStatus(named)
        was_ok, self.status = self.status.is_ok, status
        if was_ok and fault is not None:
            _LOGGER.warning("%s", status.fault)
        elif not was_ok and fault is None:
            _LOGGER.info("%s delivers pictures again", self.name)
        if self.on_status is not None and was_ok != status.is_ok:
            self.on_status(status)

    def _reopen_at(self, due: float) -> None:
        self._is_closed.wait(_TICK)
        self._hanging = [drain for drain in self._hanging if drain.is_alive()]
        if self._clock() < due or len(self._hanging) >= _MAX_HANGING or self._is_closed.is_set():
            return
        self._failures, self._retry_at = self._failures + 1, None
        _LOGGER.info("reopening %s, attempt %s", self.name, self._failures)
        self._hanging.append(self._drain)
        self._drain = self._open(self._drain.count)
        self._liveness.reopened(self._clock())

    def close(self) -> None:
        """Release the device; iteration ends."""
        self._is_closed.set()
        self._drain.stop()
        self._drain.join(self._timeouts.stall)
