"""`tableside review`: the matches of a record on the page, without a camera."""

from __future__ import annotations

import threading
from argparse import Namespace
from contextlib import closing

from tableside.paths import default_record
from tableside.record.recorder import is_claimed
from tableside.review.archive import RecordArchive
from tableside.site.serve import Site, ended_by_signals, page_of
from tableside.site.state_hub import StateHub


def run_review(args: Namespace) -> int:
    """Serve the pages until somebody stops it; 0, or an error in one line.

    Who has the record may see all of it, but not while a match is being recorded to it: then
    the page shows of an open match what its players may know.
    """
    record = args.record or default_record()
    stopped = threading.Event()
    with (
        closing(RecordArchive(record, tells_all=lambda: not is_claimed(record))) as archive,
        page_of(
            Site(
                StateHub(),
                archive=archive,
                dice=archive.dice,
                has_table=False,
                name=f"the matches in {record}",
            ),
            args.port,
            opens_browser=not args.no_browser,
        ),
        ended_by_signals(stopped.set),
    ):
        print("Ctrl-C ends it", flush=True)
        stopped.wait()
    return 0
