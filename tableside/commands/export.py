"""`tableside export`: a recorded match, or a match file, in the format of another program."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from engine.message import ngettext
from tableside.commands import COMMANDS
from tableside.commands.options import (
    Subparsers,
    check_overwriting,
    command,
    force_option,
    record_option,
)
from tableside.console import say
from tableside.errors import StoreError
from tableside.paths import default_record
from tableside.record.export import LAST, WRITERS, find_match, find_number, is_recorded
from tableside.record.files import match_content, replace_file

STDOUT: Final = Path("-")
PAGE: Final = "html"


def add_parser(subparsers: Subparsers) -> None:
    """Add `tableside export` and its options."""
    parser = command(
        subparsers,
        "export",
        COMMANDS["export"],
        "tableside export last --format mat --out final.mat\n"
        "tableside export final.mat --format csv --out - | head\n"
        "tableside export last --format html --out final.html",
    )
    parser.add_argument(
        "match", metavar="MATCH", help="number of a recorded match, `last` or a match file"
    )
    parser.add_argument(
        "--format",
        required=True,
        choices=(*WRITERS, PAGE),
        help="mat or sgf for GNU Backgammon, xg for XG's match text, json for everything, csv "
        "for a table, html for a replay on one page that needs no network",
    )
    parser.add_argument(
        "--out", required=True, type=Path, metavar="FILE", help="file to write, or - for stdout"
    )
    force_option(parser)
    record_option(parser)


def run(args: Namespace) -> int:
    """Write the match; report what was written and what was not understood on stderr."""
    is_file = args.out != STDOUT
    if is_file:
        check_overwriting(args, args.out)
        if not args.out.parent.is_dir():
            raise StoreError(f"there is no folder {args.out.parent}; create it first")
    record = args.record or default_record()
    match = find_match(args.match, record)
    text = _page(args.match, record) if args.format == PAGE else WRITERS[args.format](match)
    if is_file:
        replace_file(args.out, text)
    else:
        sys.stdout.write(text)
    games = ngettext("{number} game", "{number} games", len(match.games))
    say(f"wrote {games} of {args.match} to {args.out if is_file else 'stdout'}")
    if match.faults:
        first = match.faults[0]
        faults = ngettext("{number} error", "{number} errors", len(match.faults))
        say(
            f"{faults} in {args.match}, the first in line {first.line}: {first.message}; "
            "see `tableside check`"
        )
    return 0


def _page(name: str, record: Path) -> str:
    """The replay of a match as one page, in the language of the system."""
    from tableside.record.store import Store
    from tableside.review.edits import add_match_file
    from webui.i18n.locale import system_language, use_language

    with use_language(system_language(os.environ)):
        if is_recorded(name):
            return _recorded_page(name, record)
        # A file becomes a record of its own, so that the page has one source.
        with TemporaryDirectory() as scratch:
            file, made = Path(name), Path(scratch) / "record.sqlite"
            with Store.open(made) as store:
                add_match_file(store, file.name, match_content(file))
            return _recorded_page(LAST, made)


def _recorded_page(name: str, record: Path) -> str:
    from tableside.analysis.analyst import Analyst
    from tableside.record.store import Store
    from tableside.review.archive import RecordArchive

    with Store.open_read_only(record) as store:
        number = find_number(name, store)
    whole = RecordArchive(record, shows_all=lambda: True, analyses=Analyst(record))
    with closing(whole) as archive:
        return archive.replay_page(number)
