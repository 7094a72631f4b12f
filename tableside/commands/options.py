"""Argument types and option groups that several commands share."""

from __future__ import annotations

import argparse
import json
import logging
import re
from argparse import ArgumentTypeError
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from engine import RULE_SETS
from engine.errors import EngineError, InvalidPosition
from engine.events.codec import position_from_json
from engine.position import Course, Position, Side
from engine.rules import VARIANTS, find_rules

if TYPE_CHECKING:  # these load OpenCV
    from tableside.match.config import MatchConfig
    from tableside.review.archive import RecordArchive
    from tableside.site.network import Network
    from tableside.site.serve import Site
    from tableside.vision_process.client import VisionClient

Subparsers = Any
"""What `add_subparsers` returns; argparse keeps its class to itself."""

MAX_DELAY_S: Final = 600
"""Seconds; `webui.streaming.delay` keeps no more."""
_POSITION_ID: Final = re.compile(r"[A-Za-z0-9+/]{14}")


def pixel(text: str) -> tuple[float, float]:
    """`640,360` as (x, y)."""
    x, _, y = text.partition(",")
    try:
        return float(x), float(y)
    except ValueError as error:
        raise ArgumentTypeError(f"{text!r} is no pixel such as 640,360") from error


def count(text: str) -> int:
    """A whole number from 0 up."""
    if not text.isdecimal():
        raise ArgumentTypeError(f"{text!r} is no whole number from 0 up")
    return int(text)


def setting(text: str) -> tuple[str, float]:
    """`sight=0.01` as its name and a share from 0 to 1."""
    name, _, value = text.partition("=")
    share = _number_up_to(1, value)
    if not name or share is None:
        raise ArgumentTypeError(f"{text!r} is no share from 0 to 1 such as sight=0.01")
    return name, share


def delay(text: str) -> float:
    """Seconds that viewers are behind."""
    seconds = _number_up_to(MAX_DELAY_S, text)
    if seconds is None:
        raise ArgumentTypeError(f"{text!r} is no delay; give 0 to {MAX_DELAY_S} seconds")
    return seconds


def _number_up_to(limit: float, text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if 0 <= number <= limit else None


def port(text: str) -> int:
    """A TCP port; 0 asks the system for a free one."""
    if not text.isdecimal() or int(text) > 65535:
        raise ArgumentTypeError(f"{text!r} is no port; give 0 to 65535")
    return int(text)


def position(text: str) -> Position:
    """A position from JSON, from a file that holds it, from gnubg's Position ID or in words.

    In an ID light is on roll; the words are those that a `Position` writes, `light 6:5 | dark 8:3`.
    """
    try:
        return _position(text.strip())
    except (EngineError, OSError, ValueError) as error:
        raise ArgumentTypeError(f"cannot read a position from {text[:60]!r}: {error}") from error


def _position(text: str) -> Position:
    if "|" in text and not text.startswith("{"):
        return Position.parse(text)
    if _POSITION_ID.fullmatch(text) and not Path(text).exists():
        from engine.formats.ids.position_id import parse_position_id

        return parse_position_id(text, Side.LIGHT)
    value = json.loads(text if text.startswith("{") else Path(text).read_text("utf-8"))
    try:
        return position_from_json(value)
    except InvalidPosition:
        if "course" in value:
            raise
        # Which points lie over each other is the variant's business, and not known here.
        return position_from_json({**value, "course": Course.CIRCLING.value})


def command(
    subparsers: Subparsers, name: str, summary: str, example: str
) -> argparse.ArgumentParser:
    """Add a command with its one line of help and its examples."""
    added: argparse.ArgumentParser = subparsers.add_parser(
        name,
        help=summary,
        description=summary[0].upper() + summary[1:] + ".",
        epilog="examples:\n" + "\n".join(f"  {line}" for line in example.splitlines()),
    )
    _log_options(added)
    return added


def _log_options(parser: argparse.ArgumentParser) -> None:
    """How much of the log goes to stderr; no defaults, which would override an outer command's."""
    level = parser.add_mutually_exclusive_group()
    for option, value, purpose in (
        ("--verbose", logging.DEBUG, "show the log on stderr and add details to its file"),
        ("--quiet", logging.ERROR, "show nothing on stderr but errors"),
    ):
        level.add_argument(
            option,
            dest="console_level",
            action="store_const",
            const=value,
            default=argparse.SUPPRESS,
            help=purpose,
        )


def match_options(parser: argparse.ArgumentParser) -> None:
    """What a match is: its players, its length, its rules."""
    variant_option(parser)
    parser.add_argument(
        "--length", type=count, default=0, metavar="N", help="points of the match; 0 = money"
    )
    parser.add_argument(
        "--light", default="Light", metavar="NAME", help="who plays the light checkers"
    )
    parser.add_argument(
        "--dark", default="Dark", metavar="NAME", help="who plays the dark checkers"
    )
    parser.add_argument(
        "--rules",
        type=Path,
        metavar="FILE",
        help=f"how it is refereed, and the cube: a TOML file, or one of {_alternatives(RULE_SETS)}",
    )
    profile_option(parser)


def page_options(parser: argparse.ArgumentParser) -> None:
    """How the page is served, and to whom."""
    parser.add_argument("--no-browser", action="store_true", help="print the address, open nothing")
    parser.add_argument(
        "--port",
        type=port,
        default=None,
        metavar="N",
        help="port of the page; a free one if not given",
    )
    parser.add_argument(
        "--host",
        metavar="ADDRESS",
        help="serve the page to others too, who log in: this machine's address in their network, "
        "or 0.0.0.0 for every network that it is in; without it only this machine sees the page",
    )
    parser.add_argument(
        "--passwords",
        type=Path,
        metavar="FILE",
        help="where the hashes of the viewers' and the referee's password are kept; they are made "
        "and shown when there are none. TABLESIDE_VIEWER_PASSWORD and TABLESIDE_REFEREE_PASSWORD "
        "choose them",
    )

    parser.add_argument(
        "--delay",
        type=delay,
        default=0.0,
        metavar="SECONDS",
        help="how far viewers are behind the board at least, whatever they ask for; the referee "
        "sees it at once. Goes with --host",
    )


def record_option(parser: argparse.ArgumentParser) -> None:
    """Where the record is."""
    parser.add_argument(
        "--record",
        type=Path,
        metavar="FILE",
        help="the record; by default in the user's data folder",
    )


def profile_option(parser: argparse.ArgumentParser) -> None:
    """Which board it is."""
    parser.add_argument(
        "--profile", type=Path, metavar="FILE", help="a board's profile from `tableside calibrate`"
    )


def variant_option(parser: argparse.ArgumentParser) -> None:
    """What is played."""
    parser.add_argument(
        "--variant", default="short", metavar="V", help=f"one of {', '.join(VARIANTS)}"
    )


def words_option(parser: argparse.ArgumentParser) -> None:
    """The players' words in the rolls of a cup."""
    parser.add_argument(
        "--words",
        nargs=2,
        metavar=("LIGHT", "DARK"),
        help="a word of each player, part of every roll, where none is to be asked for once the "
        "cup has bound itself",
    )


def _alternatives(names: Iterable[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} or {last}"


def match_config(args: argparse.Namespace) -> MatchConfig:
    """The match that `match_options` describe."""
    from calibration.profile import Profile
    from tableside.match.config import MatchConfig, find_rule_set

    return MatchConfig(
        rules=find_rules(args.variant),
        light=args.light,
        dark=args.dark,
        length=args.length,
        profile=None if args.profile is None else Profile.load(args.profile),
        rule_set=find_rule_set(rules_source(args)),
    )


def rules_source(args: argparse.Namespace) -> str:
    """The preset or the file that `--rules` names; empty without it."""
    return "" if args.rules is None else str(args.rules)


def page_network(args: argparse.Namespace) -> Network:
    """Where the page is served and to whom, as `page_options` say."""
    from tableside.site.network import find_network

    return find_network(args.host, args.passwords, args.delay)


def board_site(
    args: argparse.Namespace, network: Network, vision: VisionClient, archive: RecordArchive
) -> Site:
    """The page of the board that `vision` watches, served as `page_options` say."""
    from tableside.site.serve import Site

    return Site(
        vision.table,
        network,
        vision.desk,
        vision.metrics,
        archive,
        archive.dice,
        port=args.port,
        opens_browser=not args.no_browser,
    )
