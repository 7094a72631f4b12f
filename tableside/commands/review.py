"""`tableside review`: the matches of a record on the page, without a camera."""

from __future__ import annotations

import threading
from argparse import Namespace
from contextlib import closing

from tableside.commands import COMMANDS
from tableside.commands.options import (
    Subparsers,
    command,
    page_network,
    page_options,
    record_option,
)
from tableside.paths import default_record


def add_parser(subparsers: Subparsers) -> None:
    """Add `tableside review` and its options."""
    parser = command(
        subparsers,
        "review",
        COMMANDS["review"],
        "tableside review\ntableside review --record club.sqlite --port 8080 --no-browser",
    )
    record_option(parser)
    page_options(parser)


def run(args: Namespace) -> int:
    """Serve the pages until stopped; return 0, or raise an error of one line.

    The whole record is shown, unless a match is being recorded to it: then the page shows only what
    the players of an open match may know.
    """
    from tableside.analysis.analyst import Analyst
    from tableside.analysis.catalog.search import RecordCatalog
    from tableside.record.recorder import is_claimed
    from tableside.recording.purge import purge_unless_recorded
    from tableside.review.archive import RecordArchive
    from tableside.review.logos import logo_folder
    from tableside.site.serve import Site, ended_by_signals, page_of
    from tableside.site.state_hub import StateHub

    record, network = args.record or default_record(), page_network(args)
    purge_unless_recorded(record)
    stopped = threading.Event()

    def shows_all() -> bool:
        return not is_claimed(record)

    with (
        closing(RecordArchive(record, shows_all=shows_all, analyses=Analyst(record))) as archive,
        closing(RecordCatalog(record, shows_all=shows_all)) as catalog,
        page_of(
            Site(
                StateHub(),
                network,
                archive=archive,
                catalog=catalog,
                dice=archive.dice,
                logos=logo_folder(record),
                has_table=False,
                name=f"matches in {record}",
                port=args.port,
                opens_browser=not args.no_browser,
            )
        ),
        ended_by_signals(stopped.set),
    ):
        print("press Ctrl-C to stop", flush=True)
        stopped.wait()
    return 0
