"""The times and frame numbers of a record, which go on rising where its source begins at 0."""

from __future__ import annotations

from dataclasses import replace

from engine.timestamp import Timestamp
from tableside.recording.no_camera import NoCamera
from vision.sources.frame import Frame, FrameSource


class Timeline:
    """A source and how far the record is ahead of it, in seconds and frames."""

    def __init__(self, source: FrameSource, seconds: float = 0.0, frames: int = 0) -> None:
        self.source = source
        self._seconds, self._frames = seconds, frames
        self.newest = Timestamp(seconds, frames)
        """Of the frame that was taken last, as the record has it."""

    def shifted(self, frame: Frame) -> Frame:
        """The frame with the record's time and number."""
        return replace(
            frame, seconds=frame.seconds + self._seconds, index=frame.index + self._frames
        )

    def advance(self, frame: Frame) -> None:
        """Note that this shifted frame is the newest."""
        self.newest = Timestamp(frame.seconds, frame.index)

    def now(self, event_count: int) -> Timestamp:
        """When an event happens that is entered now.

        Without a camera, its number takes the place of the frame's.
        """
        if isinstance(self.source, NoCamera):
            # Rounded as it is read back from the record.
            seconds = round(self._seconds + self.source.seconds, 3)
            self.newest = Timestamp(seconds, event_count)
        return self.newest

    @property
    def source_position(self) -> tuple[float, int]:
        """Seconds and number of the newest frame, as the source counts them."""
        return self.newest.time - self._seconds, self.newest.frame - self._frames
