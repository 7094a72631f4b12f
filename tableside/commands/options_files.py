"""The options of what takes positions and match files: plays, check, export, id."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tableside.commands.options_shared import Parsers, command, record_option, variant_option

PRESETS: Final = "classic000 (as without), classic002, site_classic or home_block"


def plays(commands: Parsers) -> None:
    """`tableside plays`."""
    one = command(
        commands,
        "plays",
        "list the legal plays: positions in, plays out, JSON lines both",
        "tableside plays < positions.jsonl\n"
        "tableside plays --variant narde --preset site_classic < positions.jsonl\n"
        'a line in: {"light": [26], "dark": [26], "to_move": "light", "dice": [3, 1]}\n'
        'narde too: "first_turn": true, "opponent_first_roll": [5, 5] or null',
    )
    variant_option(one)
    one.add_argument("--preset", metavar="P", help=f"house rules of narde: {PRESETS}")


def check(commands: Parsers) -> None:
    """`tableside check`."""
    one = command(
        commands,
        "check",
        "referee match files: every play held against the rules",
        "tableside check final.mat\ntableside check --json *.mat *.sgf > reports.jsonl",
    )
    one.add_argument(
        "files", nargs="+", type=Path, metavar="FILE", help=".mat, .sgf, XG's text or our JSON"
    )
    one.add_argument("--json", action="store_true", help="one JSON object a line, nothing else")


def export(commands: Parsers) -> None:
    """`tableside export`."""
    one = command(
        commands,
        "export",
        "write a match in another format",
        "tableside export last --format mat --out final.mat\n"
        "tableside export final.mat --format sgf --out final.sgf",
    )
    one.add_argument(
        "match", metavar="MATCH", help="number of a recorded match, `last`, or a match file"
    )
    one.add_argument(
        "--format",
        required=True,
        choices=("mat", "sgf", "xg", "json", "csv"),
        help="mat and sgf of gnubg, xg for XG's match text, json with everything, csv as a table",
    )
    one.add_argument("--out", required=True, type=Path, metavar="FILE", help="the file to write")
    record_option(one)


def identifiers(commands: Parsers) -> None:
    """`tableside id`."""
    example = (
        'tableside id < ids.jsonl\na line in: {"position_id": "4HPwATDgc/ABMA", '
        '"match_id": "cInlAAAAAAAE"}\n'
        'or: {"xgid": "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:7:10"}'
    )
    command(commands, "id", "translate Position, Match and XG ids: JSON lines both ways", example)
