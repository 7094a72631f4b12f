"""`tableside export`: a recorded match, or a match file, in the format of another program."""

from __future__ import annotations

import sys
from argparse import Namespace
from pathlib import Path

from tableside.commands import COMMANDS
from tableside.commands.options import Subparsers, command, record_option
from tableside.paths import default_record
from tableside.record.export import WRITERS, find_match
from tableside.record.files import replace_file


def add_parser(subparsers: Subparsers) -> None:
    """Add `tableside export` and its options."""
    parser = command(
        subparsers,
        "export",
        COMMANDS["export"],
        "tableside export last --format mat --out final.mat\n"
        "tableside export final.mat --format sgf --out final.sgf",
    )
    parser.add_argument(
        "match", metavar="MATCH", help="number of a recorded match, `last`, or a match file"
    )
    parser.add_argument(
        "--format",
        required=True,
        choices=tuple(WRITERS),
        help="mat and sgf of gnubg, xg for XG's match text, json with everything, csv as a table",
    )
    parser.add_argument("--out", required=True, type=Path, metavar="FILE", help="the file to write")
    record_option(parser)


def run(args: Namespace) -> int:
    """Write the match; what of it was not understood is counted on stderr."""
    match = find_match(args.match, args.record or default_record())
    replace_file(args.out, WRITERS[args.format](match))
    if match.faults:
        first = match.faults[0]
        print(
            f"tableside: {len(match.faults)} faults in {args.match}, the first in line "
            f"{first.line}: {first.message}; see `tableside check`",
            file=sys.stderr,
        )
    return 0
