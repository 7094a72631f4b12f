"""What several commands of the command line have in common."""

from __future__ import annotations

import argparse
import logging
from pathlib import Path
from typing import Any, Final

from tableside.commands.arguments import count, delay, port

Parsers = Any
"""What `add_subparsers` returns; argparse keeps its class to itself."""

VARIANTS: Final = (
    "short, nackgammon, hypergammon, longgammon, narde, nardgammon, crazy_narde, gulbar, "
    "crazy_gulbar, khachapuri, fevga, giul"
)
RULE_SETS: Final = "casual, seeds, us2009, usbgf, wbgf, ukbgf or narde"


def command(commands: Parsers, name: str, summary: str, example: str) -> argparse.ArgumentParser:
    """A command, its one line of help and its examples."""
    added: argparse.ArgumentParser = commands.add_parser(
        name,
        help=summary,
        description=summary[0].upper() + summary[1:] + ".",
        epilog="examples:\n" + "\n".join(f"  {line}" for line in example.splitlines()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _log_options(added)
    return added


def _log_options(one: argparse.ArgumentParser) -> None:
    """How much of the log goes to stderr; no defaults, which would override an outer command's."""
    level = one.add_mutually_exclusive_group()
    for option, value, told in (
        ("--verbose", logging.DEBUG, "show the log on stderr and add details to its file"),
        ("--quiet", logging.ERROR, "show nothing on stderr but errors"),
    ):
        level.add_argument(
            option,
            dest="console_level",
            action="store_const",
            const=value,
            default=argparse.SUPPRESS,
            help=told,
        )


def match_options(one: argparse.ArgumentParser) -> None:
    """What a match is: its players, its length, its rules."""
    variant_option(one)
    one.add_argument(
        "--length", type=count, default=0, metavar="N", help="points of the match; 0 = money"
    )
    one.add_argument(
        "--light", default="Light", metavar="NAME", help="who plays the light checkers"
    )
    one.add_argument("--dark", default="Dark", metavar="NAME", help="who plays the dark checkers")
    one.add_argument(
        "--rules",
        type=Path,
        metavar="FILE",
        help=f"how it is refereed, and the cube: a TOML file, or one of {RULE_SETS}",
    )
    profile_option(one)


def page_options(one: argparse.ArgumentParser) -> None:
    """How the page is served, and to whom."""
    one.add_argument("--no-browser", action="store_true", help="print the address, open nothing")
    one.add_argument(
        "--port",
        type=port,
        default=None,
        metavar="N",
        help="port of the page; a free one if not given",
    )
    one.add_argument(
        "--host",
        metavar="ADDRESS",
        help="serve the page to others too, who log in: this machine's address in their network, "
        "or 0.0.0.0 for every network that it is in; without it only this machine sees the page",
    )
    one.add_argument(
        "--passwords",
        type=Path,
        metavar="FILE",
        help="where the hashes of the viewers' and the referee's password are kept; they are made "
        "and told when there are none. TABLESIDE_VIEWER_PASSWORD and TABLESIDE_REFEREE_PASSWORD "
        "choose them",
    )

    one.add_argument(
        "--delay",
        type=delay,
        default=0.0,
        metavar="SECONDS",
        help="how far viewers are behind the board at least, whatever they ask for; the referee "
        "sees it at once. Goes with --host",
    )


def record_option(one: argparse.ArgumentParser) -> None:
    """Where the record is."""
    one.add_argument(
        "--record",
        type=Path,
        metavar="FILE",
        help="the record; by default in the user's data folder",
    )


def profile_option(one: argparse.ArgumentParser) -> None:
    """Which board it is."""
    one.add_argument(
        "--profile", type=Path, metavar="FILE", help="a board's profile from `tableside calibrate`"
    )


def variant_option(one: argparse.ArgumentParser) -> None:
    """What is played."""
    one.add_argument("--variant", default="short", metavar="V", help=f"one of {VARIANTS}")


def words_option(one: argparse.ArgumentParser) -> None:
    """The players' words in the rolls of a cup."""
    one.add_argument(
        "--words",
        nargs=2,
        metavar=("LIGHT", "DARK"),
        help="a word of each player, part of every roll, where none is to be asked for once the "
        "cup has bound itself",
    )
