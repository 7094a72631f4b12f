"""`tableside demo`: the sample clip played through the real thing, in real time, on the page."""

from __future__ import annotations

from argparse import Namespace
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import samples
from tableside.recording.job import JobContext
from tableside.review.archive import RecordArchive
from tableside.site.network import network_of
from tableside.site.serve import Site, ended_by_signals, page_of
from tableside.vision_process.client import sight_of
from tableside.vision_process.spawn import VisionProcess

if TYPE_CHECKING:
    from vision.sources.frame import FrameSource

FOLDER: Final = Path("tableside-demo")


def run_demo(args: Namespace, process: VisionProcess) -> int:
    """Play the sample; 0, or an error in one line."""
    folder, network = args.out or FOLDER, network_of(args)
    path = folder / "record.sqlite"
    with sight_of(process) as sight:
        sight.claim(path)
        sight.open(DemoJob(folder, is_once=args.once))
        with closing(RecordArchive(path)) as archive:
            site = Site(sight.table, network, sight.desk, sight.meters, archive, dice=archive.dice)
            with (
                ended_by_signals(sight.stop),
                page_of(site, args.port, opens_browser=not args.no_browser),
            ):
                sight.run()
    return 0


@dataclass(frozen=True, slots=True)
class DemoJob:
    """An errand: the sample is watched as if it were a match."""

    folder: Path
    is_once: bool

    def open(self) -> FrameSource:
        """The clip, in real time."""
        from vision.sources.open import open_source

        return open_source(str(samples.CLIP), realtime=True)

    def run(self, source: FrameSource, post: JobContext) -> None:
        """See `tableside.vision_process.demo_job.show`."""
        from tableside.vision_process.demo_job import show

        show(self.folder, source, post, is_once=self.is_once)
