"""Liveness of a source by the clock: whether pictures arrive and change; independent of devices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from engine.arrays import Image
from engine.message import Message, join, msg


@dataclass(frozen=True, slots=True)
class SourceAdvice:
    """What to do about a failing live source."""

    silent: Message
    """Advice if no picture arrives."""
    frozen: Message
    """Advice if the same picture arrives repeatedly."""


CAMERA: Final = SourceAdvice(
    msg("check its plug, power and cable"), msg("unplug the camera and plug it in again")
)
STREAM: Final = SourceAdvice(
    msg("check the network, and that the device still sends its stream"),
    msg("restart the stream on the device that sends it"),
)


@dataclass(frozen=True, slots=True)
class SourceTimeouts:
    """How long a live source waits, in seconds."""

    first: float = 10.0
    """For the first picture after opening; some drivers need that long."""
    stall: float = 1.5
    """Time without a picture that counts as a failure; it must be shown within 2 s."""
    frozen: float = 1.5
    """Time with identical bytes that counts as a failure: a real sensor's noise never repeats."""
    retry: float = 0.25
    """Time before the device is reopened; doubles with each failure, up to `retry_most`."""
    retry_most: float = 2.0

    def after(self, failures: int) -> float:
        """Seconds to wait before reopening after this many consecutive failures."""
        return min(self.retry * 2.0 ** min(failures, 16), self.retry_most)


@dataclass(frozen=True, slots=True)
class SourceStatus:
    """Whether fresh pictures arrive and, if not, one line that says why."""

    fault: Message | None = None

    @property
    def is_ok(self) -> bool:
        """Whether fresh pictures arrive."""
        return self.fault is None


class Liveness:
    """Whether a source is live, judged by its pictures and the time."""

    def __init__(self, timeouts: SourceTimeouts, now: float, advice: SourceAdvice = CAMERA) -> None:
        self._timeouts, self._advice = timeouts, advice
        self._opened = self._arrived = self._changed = now
        self._has_any = False
        self._last: Image | None = None

    def observe(self, image: Image, now: float) -> bool:
        """Register a picture; return whether it may be shown: a frozen one may not."""
        self._arrived, self._has_any = now, True
        if self._last is None or not np.array_equal(self._last, image):
            self._changed, self._last = now, image
        return now - self._changed <= self._timeouts.frozen

    def reopened(self, now: float) -> None:
        """Note that the device was reopened and has time for its first picture.

        A frozen source stays frozen until a picture differs.
        """
        self._opened = self._arrived = now
        self._has_any = False

    def fault(self, now: float) -> Message | None:
        """What is wrong at `now`; None if nothing is."""
        silent = now - self._arrived
        if silent > (self._timeouts.stall if self._has_any else self._timeouts.first):
            return join((msg("no picture for {silent:.1f} s", silent=silent), self._advice.silent))
        same = now - max(self._changed, self._opened)
        if self._has_any and same > self._timeouts.frozen:
            return join((msg("the picture is frozen"), self._advice.frozen))
        return None
