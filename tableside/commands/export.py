"""`tableside export`: a recorded match, or a match file, in the format of another program."""

from __future__ import annotations

import sys
from argparse import Namespace
from pathlib import Path
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
from tableside.record.export import WRITERS, find_match
from tableside.record.files import replace_file

STDOUT: Final = Path("-")


def add_parser(subparsers: Subparsers) -> None:
    """Add `tableside export` and its options."""
    parser = command(
        subparsers,
        "export",
        COMMANDS["export"],
        "tableside export last --format mat --out final.mat\n"
        "tableside export final.mat --format csv --out - | head",
    )
    parser.add_argument(
        "match", metavar="MATCH", help="number of a recorded match, `last` or a match file"
    )
    parser.add_argument(
        "--format",
        required=True,
        choices=tuple(WRITERS),
        help="mat or sgf for GNU Backgammon, xg for XG's match text, json for everything, csv "
        "for a table",
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
    match = find_match(args.match, args.record or default_record())
    text = WRITERS[args.format](match)
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
