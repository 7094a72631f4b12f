"""What `live` asks of sight; sight itself is loaded where it is done, not where it is asked for."""

from __future__ import annotations

import time
from argparse import Namespace
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tableside.recording.job import JobContext

if TYPE_CHECKING:
    from vision.sources.frame import FrameSource

RELEASE_SECONDS: Final = 1.5


@dataclass(frozen=True, slots=True)
class RecordJob:
    """An errand: what the options say is recorded, with a camera or by hand."""

    args: Namespace
    is_handed_over: bool = False
    """Whether the page has just let go of the source; some drivers need a moment for that."""

    def open(self) -> FrameSource:
        """The source; `SourceError` says why it cannot be had."""
        if self.args.no_camera:
            from tableside.recording.no_camera import NoCamera

            return NoCamera()
        from vision.errors import SourceError
        from vision.sources.open import open_source

        try:
            return open_source(self.args.camera)
        except SourceError:
            if not self.is_handed_over:
                raise
        time.sleep(RELEASE_SECONDS)
        return open_source(self.args.camera)

    def run(self, source: FrameSource, post: JobContext) -> None:
        """A match from the source, until it ends or is to end."""
        from tableside.match.config import plan_of
        from tableside.recording.match_sequence import record

        record(self.args, plan_of(self.args), source, post)
