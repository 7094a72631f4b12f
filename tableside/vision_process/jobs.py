"""The jobs of the vision process; only that process imports what they need."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import samples
from tableside.match.config import RecordingConfig
from tableside.recording.job import JobContext

if TYPE_CHECKING:
    from vision.sources.frame import FrameSource
    from vision.sources.phone_feed import PhoneFeed

RELEASE_SECONDS: Final = 1.5


@dataclass(frozen=True, slots=True)
class RecordJob:
    """Record matches from a camera, or without one."""

    config: RecordingConfig
    is_handed_over: bool = False
    """Whether the page has just released the source; some drivers need a moment for that."""

    def open(self, phone: PhoneFeed) -> FrameSource:
        """Open the source, which may be the phone.

        Raises `SourceError`, which says why it cannot be opened.
        """
        camera = self.config.camera
        if camera is None:
            from tableside.recording.timeline import NoCamera

            return NoCamera()
        from vision.errors import SourceError
        from vision.sources.open import open_source

        try:
            return open_source(camera, waits=True, phone=phone)
        except SourceError:
            if not self.is_handed_over:
                raise
        time.sleep(RELEASE_SECONDS)
        return open_source(camera)

    def run(self, source: FrameSource, context: JobContext) -> None:
        """Record until the source ends or `context.stopping` is set."""
        from tableside.recording.match_sequence import record

        record(self.config, source, context)


@dataclass(frozen=True, slots=True)
class DemoJob:
    """Record the sample clip as if it were a match."""

    folder: Path
    is_once: bool

    def open(self, phone: PhoneFeed) -> FrameSource:
        """Open the clip, in real time."""
        from vision.sources.open import open_source

        return open_source(str(samples.CLIP), realtime=True)

    def run(self, source: FrameSource, context: JobContext) -> None:
        """See `tableside.recording.sample_match.record_sample`."""
        from tableside.recording.sample_match import record_sample

        record_sample(self.folder, source, context, is_once=self.is_once)
