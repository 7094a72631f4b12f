"""The times and frame numbers of a record, which keep rising when its source restarts at 0."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

from engine.timestamp import Timestamp
from tableside.record.store import NO_CAMERA
from vision.sources.frame import Frame, FrameSource


class NoCamera:
    """A `FrameSource` that has a clock but no frames, until it is closed."""

    name, fps, frames, is_live = NO_CAMERA, 0.0, None, True

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._began = clock, clock()
        self._closed = threading.Event()

    @property
    def seconds(self) -> float:
        """Seconds since it was made."""
        return self._clock() - self._began

    def __iter__(self) -> Iterator[Frame]:
        self._closed.wait()
        return iter(())

    def close(self) -> None:
        """End the iteration."""
        self._closed.set()


class Timeline:
    """A source and how far the record is ahead of it, in seconds and frames."""

    def __init__(
        self,
        source: FrameSource,
        seconds: float = 0.0,
        frames: int = 0,
        position: tuple[float, int] = (0.0, 0),
    ) -> None:
        """position: how far the source has come, in seconds and frames."""
        self.source = source
        self._seconds, self._frames = seconds, frames
        self.newest = Timestamp(seconds + position[0], frames + position[1])
        """The time and number of the newest frame taken, as in the record."""

    def shifted(self, frame: Frame) -> Frame:
        """The frame with the record's time and number."""
        return replace(
            frame, seconds=frame.seconds + self._seconds, index=frame.index + self._frames
        )

    def advance(self, frame: Frame) -> None:
        """Note that this shifted frame is the newest."""
        self.newest = Timestamp(frame.seconds, frame.index)

    def now(self, event_count: int) -> Timestamp:
        """The timestamp of an event that is entered now.

        Without a camera, the event's number takes the place of the frame's.
        """
        if isinstance(self.source, NoCamera):
            # Rounded as it will be read back from the record.
            seconds = round(self._seconds + self.source.seconds, 3)
            self.newest = Timestamp(seconds, event_count)
        return self.newest

    @property
    def source_position(self) -> tuple[float, int]:
        """Seconds and number of the newest frame, as the source counts them."""
        return self.newest.time - self._seconds, self.newest.frame - self._frames
