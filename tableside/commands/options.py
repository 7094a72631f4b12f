"""Argument types and option groups that several commands share."""

from __future__ import annotations

import argparse
import json
import logging
import re
from argparse import ArgumentTypeError
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from engine import NAMED_RULE_SETS
from engine.errors import EngineError, InvalidPosition
from engine.events.codec import position_from_json
from engine.position import Course, Position, Side
from engine.rules import PRESETS, SHORT, VARIANTS, check_new_match
from engine.ruleset import RULE_NOTES
from tableside.errors import StoreError
from tableside.paths import record_file

if TYPE_CHECKING:  # these load OpenCV
    from tableside.analysis.catalog.search import RecordCatalog
    from tableside.match.config import MatchConfig
    from tableside.review.archive import RecordArchive
    from tableside.site.network import Network
    from tableside.site.serve import Site
    from tableside.vision_process.client import VisionClient

Subparsers = Any
"""What `add_subparsers` returns; argparse keeps its class to itself."""

MAX_MINUTES: Final = 24 * 60
MAX_DELAY_S: Final = 600
"""Seconds; `webui.streaming.delay` keeps no more."""
_POSITION_ID: Final = re.compile(r"[A-Za-z0-9+/]{14}")


def pixel(text: str) -> tuple[float, float]:
    """Parse `640,360` as (x, y)."""
    x, _, y = text.partition(",")
    try:
        return float(x), float(y)
    except ValueError as error:
        raise ArgumentTypeError(f"{text!r} is not a pixel such as 640,360") from error


def count(text: str) -> int:
    """A whole number from 0 up."""
    if not text.isdecimal():
        raise ArgumentTypeError(f"{text!r} is not a whole number, 0 or more")
    return int(text)


def setting(text: str) -> tuple[str, float]:
    """Parse `sight=0.01` as a name and a fraction from 0 to 1."""
    name, _, value = text.partition("=")
    share = _number_up_to(1, value)
    if not name or share is None:
        raise ArgumentTypeError(f"{text!r} is not a name and a rate up to 1, such as sight=0.01")
    return name, share


def delay(text: str) -> float:
    """Parse the delay of viewers, in seconds."""
    seconds = _number_up_to(MAX_DELAY_S, text)
    if seconds is None:
        raise ArgumentTypeError(f"{text!r} is not a delay from 0 to {MAX_DELAY_S} seconds")
    return seconds


def minutes(text: str) -> float:
    """A number of minutes, at most a day."""
    number = _number_up_to(MAX_MINUTES, text)
    if number is None:
        raise ArgumentTypeError(f"{text!r} is not a number of minutes, such as 20")
    return number


def _number_up_to(limit: float, text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if 0 <= number <= limit else None


def port(text: str) -> int:
    """A TCP port; 0 asks the system for a free one."""
    if not text.isdecimal() or int(text) > 65535:
        raise ArgumentTypeError(f"{text!r} is not a port from 0 to 65535")
    return int(text)


def position(text: str) -> Position:
    """Parse a position from JSON, a file that holds it, gnubg's Position ID or words.

    In an ID, light is on roll; words are as a `Position` prints them: `light 6:5 | dark 8:3`.
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
        # The variant determines how the two sides' points overlay; it is not known here.
        return position_from_json({**value, "course": Course.CIRCLING.value})


class OptionContainer(Protocol):
    """A parser, or a group of its options."""

    def add_argument(self, *names: str, **options: Any) -> Any:
        """Add an option or an argument."""


def command(
    subparsers: Subparsers, name: str, summary: str, examples: str, details: str = ""
) -> argparse.ArgumentParser:
    """Add a command with its one-line summary, details and examples."""
    first = summary[0].upper() + summary[1:] + "."
    added: argparse.ArgumentParser = subparsers.add_parser(
        name,
        help=summary,
        description=f"{first}\n\n{details}" if details else first,
        epilog="examples:\n" + "\n".join(f"  {line}" for line in examples.splitlines()),
    )
    _log_options(added)
    return added


def _log_options(parser: argparse.ArgumentParser) -> None:
    """How much of the log goes to stderr. No defaults: they would override an outer command's."""
    level = parser.add_mutually_exclusive_group()
    for option, value, purpose in (
        ("--verbose", logging.DEBUG, "print the log to stderr and add details to the log file"),
        ("--quiet", logging.ERROR, "print only errors to stderr"),
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
    """Add the options of a match: its players, its length, its rules."""
    group = parser.add_argument_group("match")
    group.add_argument(
        "--light", default="Light", metavar="NAME", help="player of the light checkers"
    )
    group.add_argument("--dark", default="Dark", metavar="NAME", help="player of the dark checkers")
    group.add_argument(
        "--length",
        type=count,
        metavar="N",
        help="points to win, up to 99; 0 for money play; default: as in --rules, or else 0",
    )
    variant_option(group, default=None)
    group.add_argument(
        "--rules",
        type=Path,
        metavar="FILE",
        help="rule set, with the options of the game: a TOML file or "
        + _alternatives(NAMED_RULE_SETS),
    )
    profile_option(group)
    explained = (f"{name:<14}{RULE_NOTES[name]}" for name in NAMED_RULE_SETS)
    default = f"{'by default':<14}{RULE_NOTES['']}"
    parser.add_argument_group("rule sets", "\n".join([*explained, default]))


def place_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that say where in a tournament the match is played."""
    group = parser.add_argument_group("tournament")
    group.add_argument("--event", metavar="NAME", default="", help="name of the tournament")
    group.add_argument("--round", metavar="ROUND", default="", help="round of the tournament")
    group.add_argument("--table", metavar="TABLE", default="", help="number or name of the table")
    group.add_argument(
        "--countries",
        nargs=2,
        metavar=("LIGHT", "DARK"),
        type=country,
        default=("", ""),
        help="countries that light and dark represent, by their two letters, such as DE JP",
    )
    broker_options(group)
    group.add_argument(
        "--announce",
        action="store_true",
        help="with --host: let a hall on this network find the page with tableside hall --nearby, "
        "which needs no broker",
    )


def country(code: str) -> str:
    """The two letters of a country; empty for none."""
    from webui.i18n.locale import country_codes

    if code and code.upper() not in country_codes():
        raise argparse.ArgumentTypeError(f"{code!r} is not a country's two letters, such as DE")
    return code.upper()


def broker_options(group: OptionContainer, name: str = "--hall") -> None:
    """Add the options for the MQTT broker of a hall."""
    group.add_argument(
        name,
        metavar="URL",
        help="MQTT broker of the hall, such as mqtt://192.168.1.10 or mqtts://table7@hall.local; "
        "mdns:// finds a hall on this network. The password is in TABLESIDE_HALL_PASSWORD",
    )
    group.add_argument(
        "--hall-ca",
        type=Path,
        metavar="FILE",
        help="certificates that vouch for the broker; default: those of the system",
    )


def page_options(parser: argparse.ArgumentParser) -> None:
    """Add the options for how the page is served, and to whom."""
    group = parser.add_argument_group("web page")
    group.add_argument(
        "--no-browser", action="store_true", help="print the address; do not open a browser"
    )
    group.add_argument("--port", type=port, default=None, metavar="N", help="default: a free port")
    group.add_argument(
        "--host",
        metavar="ADDRESS",
        help="let other devices open the page after logging in: this machine's address on the "
        "network, or 0.0.0.0 for all its networks. Default: this machine only",
    )
    group.add_argument(
        "--passwords",
        type=Path,
        metavar="FILE",
        help="with --host: file with the hashes of the passwords, one for each role. "
        "Missing passwords are created and shown once. To choose your own, set "
        "TABLESIDE_VIEWER_PASSWORD, TABLESIDE_REFEREE_PASSWORD and so on",
    )
    group.add_argument(
        "--delay",
        type=delay,
        default=0.0,
        metavar="SECONDS",
        help="with --host: show viewers the match at least this much later than the referee",
    )


def record_option(parser: OptionContainer) -> None:
    """Add the option for the record's location."""
    parser.add_argument(
        "--record",
        type=record_file,
        metavar="FILE",
        help="record of your matches; default: record.sqlite in your data folder",
    )
    # The former name of this option in `dice`.
    parser.add_argument(
        "--db", dest="record", type=record_file, default=argparse.SUPPRESS, help=argparse.SUPPRESS
    )


def force_option(parser: OptionContainer) -> None:
    """Add the option that allows overwriting existing files."""
    parser.add_argument("--force", action="store_true", help="overwrite existing files")


def check_overwriting(args: argparse.Namespace, *paths: Path) -> None:
    """Raise `StoreError` if one of the paths to be written exists, unless `--force` was given."""
    existing = next(filter(Path.exists, paths), None)
    if existing is not None and not args.force:
        raise StoreError(f"{existing} exists already; choose another name, or add --force")


def check_folder(folder: Path) -> None:
    """Raise `StoreError` if a file stands where the folder of `--out` would be."""
    if folder.exists() and not folder.is_dir():
        raise StoreError(f"{folder} is a file; --out needs a folder")


def jobs_option(parser: OptionContainer, purpose: str = "") -> None:
    """Add the option for how many videos are transcribed at once."""
    parser.add_argument(
        "--jobs",
        type=_number_of_jobs,
        metavar="N",
        help=purpose or "videos that are transcribed at the same time; default: one for each core",
    )


def _number_of_jobs(text: str) -> int:
    jobs = count(text)
    if not jobs:
        raise ArgumentTypeError("at least one video must be transcribed at a time")
    return jobs


def profile_option(parser: OptionContainer) -> None:
    """Add the option for the board's profile."""
    parser.add_argument(
        "--profile", type=Path, metavar="FILE", help="board profile from `tableside calibrate`"
    )


def variant_option(parser: OptionContainer, default: str | None = SHORT.name) -> None:
    """Add the option for the variant; without a default, that of `--rules` or else short."""
    otherwise = "short (backgammon)" if default else "as in --rules, or else short (backgammon)"
    parser.add_argument(
        "--variant",
        default=default,
        metavar="V",
        help=f"game: {_alternatives(VARIANTS)}; default: {otherwise}",
    )


def preset_option(parser: OptionContainer) -> None:
    """Add the option for the house rules of a variant."""
    known = "; ".join(f"{name}: {_alternatives(each)}" for name, each in PRESETS.items())
    parser.add_argument("--preset", metavar="P", help=f"house rules of {known}; default: the first")


def port_option(parser: OptionContainer) -> None:
    """Add the option for the port of a dice cup."""
    parser.add_argument(
        "--port",
        dest="cup_port",
        metavar="URL",
        help="path, COM name, socket://HOST:N or rfc2217://HOST:N; default: search all ports",
    )


def words_option(parser: OptionContainer) -> None:
    """Add the options for the players' words in a cup's rolls."""
    parser.add_argument(
        "--words",
        nargs=2,
        metavar=("LIGHT", "DARK"),
        help="a word from each player that becomes part of every roll, instead of asking for "
        "them once the cup has committed to its seed",
    )


def _alternatives(names: Iterable[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} or {last}"


def match_config(args: argparse.Namespace) -> MatchConfig:
    """The match that `match_options` describe."""
    from calibration.profile import Profile
    from tableside.match.config import MatchConfig, agreed, find_rule_set

    match = MatchConfig(
        rules=SHORT,
        light=args.light,
        dark=args.dark,
        profile=None if args.profile is None else Profile.load(args.profile),
    )
    match = agreed(match, find_rule_set(rules_source(args)), args.variant, args.length)
    check_new_match(match.rules, match.length)
    return match


def rules_source(args: argparse.Namespace) -> str:
    """The preset or file named by `--rules`; empty if not given."""
    return "" if args.rules is None else str(args.rules)


def page_network(args: argparse.Namespace) -> Network:
    """Where the page is served and to whom, according to `page_options`."""
    from tableside.site.network import find_network

    return find_network(args.host, args.passwords, args.delay)


def board_site(
    args: argparse.Namespace,
    network: Network,
    vision: VisionClient,
    archive: RecordArchive,
    catalog: RecordCatalog,
) -> Site:
    """The page of the board that `vision` watches, served according to `page_options`."""
    from tableside.review.logos import logo_folder
    from tableside.site.serve import Site

    return Site(
        vision.table,
        network,
        vision.desk,
        vision.metrics,
        archive,
        archive.dice,
        catalog=catalog,
        logos=logo_folder(vision.record),
        port=args.port,
        opens_browser=not args.no_browser,
    )
