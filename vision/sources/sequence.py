"""One recording in several video files, as made by cameras that start a new file periodically."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from engine.message import join, message_of
from vision.errors import CutShort, SourceError
from vision.sources.files import VideoFile
from vision.sources.frame import Frame

CLOCK_SECONDS: Final = 2.0
"""Maximum difference between the clocks of two files, in whole seconds, and their lengths."""
_LOGGER: Final = logging.getLogger(__name__)


class VideoSequence:
    """The pictures of the files in order; times and numbers continue from file to file.

    What a damaged file lacks, and the time between two files by their clocks, is a gap in the
    times. `CutShort` is raised at the end of the last file if any was damaged.
    """

    is_live: Final = False

    def __init__(self, files: Sequence[VideoFile]) -> None:
        self._files = files
        self.name = " + ".join(file.name for file in files)
        self.fps = files[0].fps
        counts = [file.frames for file in files]
        self.frames = None if None in counts else sum(count or 0 for count in counts)
        for before, after in pairwise(files):
            if (between := _seconds_between(before, after)) is not None and between < 0:
                _LOGGER.warning(
                    "%s was recorded before %s: check their order", after.name, before.name
                )

    @property
    def min_fps(self) -> float | None:
        """As for a file: pictures may be left out while this many per second remain."""
        return self._files[0].min_fps

    @min_fps.setter
    def min_fps(self, fps: float | None) -> None:
        for file in self._files:
            file.min_fps = fps

    def __iter__(self) -> Iterator[Frame]:
        seconds, frames, faults = 0.0, 0, []
        for file, after in zip(self._files, (*self._files[1:], None), strict=True):
            try:
                for frame in file:
                    yield replace(
                        frame, seconds=frame.seconds + seconds, index=frame.index + frames
                    )
            except SourceError as error:
                faults.append(message_of(error))
            file.close()  # its decoder holds many pictures
            seconds += file.seconds + (0.0 if after is None else _gap(file, after))
            frames += file.count
        if faults:
            raise CutShort(join(faults), frames)

    def close(self) -> None:
        """Close the files; iteration ends."""
        for file in self._files:
            file.close()


def _seconds_between(before: VideoFile, after: VideoFile) -> float | None:
    """Seconds between two files' clocks; None if one has none."""
    if before.created is None or after.created is None:
        return None
    return after.created - before.created


def _gap(before: VideoFile, after: VideoFile) -> float:
    """Seconds between two files, by their clocks; 0 if unknown.

    Some cameras record when a file was begun, others when it was ended: the difference between two
    files' clocks includes the length of one or the other.
    """
    between = _seconds_between(before, after)
    if between is None:
        return 0.0
    gaps = (between - file.seconds for file in (before, after))
    gap = min((gap for gap in gaps if gap >= -CLOCK_SECONDS), default=0.0)
    return gap if gap > CLOCK_SECONDS else 0.0
