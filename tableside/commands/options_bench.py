"""The options of what measures: bench."""

from __future__ import annotations

import argparse
from pathlib import Path

from tableside.commands.arguments import count, setting
from tableside.commands.options_shared import Parsers, command


def bench(commands: Parsers) -> None:
    """`tableside bench`."""
    one = command(
        commands,
        "bench",
        "measure this program, each figure beside a baseline from the same run",
        "tableside bench\ntableside bench --only read_full --json\n"
        "tableside bench --stills labelled --out report\n"
        "tableside bench --referee 300 --noise sight=0.01 miscounted=0.01 --curve --out report",
    )
    one.add_argument("--json", action="store_true", help="JSON instead of a table")
    one.add_argument(
        "--only", action="append", metavar="NAME", help="only this row; may be given again"
    )
    stills = one.add_argument_group("how well labelled pictures are read")
    stills.add_argument(
        "--stills",
        type=Path,
        metavar="FOLDER",
        help="instead: NAME.jpg beside NAME.json, or photos with a manifest.json",
    )
    stills.add_argument(
        "--adapt",
        action="store_true",
        help="learn each board from one of its own pictures first, and read the others",
    )
    stills.add_argument(
        "--limit", type=count, metavar="N", help="only N of the pictures, the same ones each time"
    )
    one.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="images.csv, figures.json and reliability.png of stills; referee.json, with every "
        "fault, and referee.png of simulated games",
    )
    _referee_options(one)


def _referee_options(one: argparse.ArgumentParser) -> None:
    referee = one.add_argument_group("how well simulated games are refereed")
    referee.add_argument(
        "--referee", type=count, metavar="GAMES", help="instead: so many games, seen with errors"
    )
    referee.add_argument(
        "--noise",
        nargs="+",
        type=setting,
        metavar="NAME=SHARE",
        help="what goes wrong how often; sight=0.01 is 1 %% of the cells misread. A name that "
        "there is not is answered with those there are",
    )
    referee.add_argument(
        "--curve", action="store_true", help="also with 0.1, 0.3, 1 and 3 %% of the cells misread"
    )
    referee.add_argument(
        "--seed", type=count, metavar="N", help="of the first match; 0 if not given"
    )
