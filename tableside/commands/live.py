"""`tableside live`: records a match from a camera over the board and shows it as it is played.

Another process watches the board; this one serves the page, receives signals, and guides through
the set-up.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from contextlib import ExitStack, closing, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from tableside.commands import COMMANDS
from tableside.commands.options import (
    Subparsers,
    board_site,
    command,
    match_config,
    match_options,
    page_network,
    page_options,
    place_options,
    record_option,
    rules_source,
    words_option,
)
from tableside.console import say
from tableside.errors import NoAnalysis, WrongUsage
from tableside.paths import default_record

if TYPE_CHECKING:
    from tableside.hall.broker import TableLink
    from tableside.match.config import BluetoothConfig, CupConfig, RecordingConfig
    from tableside.site.network import Network
    from tableside.site.state_hub import StateHub
    from tableside.vision_process.spawn import VisionProcess


def add_parser(subparsers: Subparsers) -> None:
    """Add `tableside live` and its options."""
    parser = command(
        subparsers,
        "live",
        COMMANDS["live"],
        "tableside live                         (set everything up in the browser)\n"
        "tableside live --camera 0 --light Ann --dark Bob --length 7\n"
        "tableside live --camera rtsp://192.168.1.20/stream\n"
        "tableside live --camera evening.mp4    (play a video as if it were a camera)\n"
        "tableside live --no-camera --cup       (the cup rolls, you enter the plays)",
    )
    source = parser.add_argument_group("camera").add_mutually_exclusive_group()
    source.add_argument(
        "--camera",
        metavar="N|URL|FILE",
        help="camera number, stream address or video file; without it, choose in the browser",
    )
    source.add_argument(
        "--no-camera",
        action="store_true",
        help="play without a camera: enter plays, and rolls unless a dice cup makes them, in the "
        "browser",
    )
    match_options(parser)
    place_options(parser)
    record = parser.add_argument_group("record")
    record_option(record)
    which = record.add_mutually_exclusive_group()
    which.add_argument(
        "--new", action="store_true", help="start a new match instead of resuming an unfinished one"
    )
    which.add_argument(
        "--resume",
        type=int,
        metavar="MATCH",
        help="go on with the unfinished match of this number, with its players and rules; "
        "without it, the newest of the same players, game and length goes on",
    )
    record.add_argument(
        "--analysis",
        action="store_true",
        help="judge the plays and the cube as they come, for the referee's page /commentary, and "
        "for the audience with --delay where the rule set shows it everything; never for players",
    )
    cup = parser.add_argument_group("dice cup")
    cup.add_argument(
        "--cup",
        nargs="?",
        const="",
        metavar="URL",
        help="roll with a dice cup: its port, `virtual` to simulate one, or no value to search",
    )
    words_option(cup)
    cup.add_argument(
        "--bluetooth-dice",
        nargs="*",
        metavar="DIE",
        help="without a camera: roll with two GoDice or Pixels; the names or addresses of both, "
        "light's first, `virtual` to simulate them, or no value for the nearest two, by name",
    )
    page_options(parser)


def run(args: Namespace) -> int:
    """Record until the source ends or a signal arrives; return 0, or raise an error of one line."""
    from tableside.vision_process.spawn import vision_process

    if args.analysis:
        require_engine()
    with vision_process() as process:  # it loads while this process does
        _record(args, process)
    return 0


def _record(args: Namespace, process: VisionProcess) -> None:
    from tableside.analysis.analyst import Analyst
    from tableside.analysis.catalog.search import RecordCatalog
    from tableside.analysis.live import LiveAnalyst
    from tableside.review.archive import RecordArchive
    from tableside.setup.guided_recording import record_at_once, record_guided
    from tableside.vision_process.client import VisionClient

    config, network, link = recording_config(args), page_network(args), table_link(args)
    path = args.record or default_record()
    with closing(VisionClient(process)) as vision:
        vision.claim(path)
        analyst = Analyst(path)
        with (
            closing(RecordArchive(path, analyses=analyst)) as archive,
            closing(RecordCatalog(path, shows_all=lambda: False)) as catalog,
            LiveAnalyst(path, vision.table, analyst) if args.analysis else nullcontext(),
            ExitStack() as publishing,
        ):
            site = board_site(args, network, vision, archive, catalog)
            served = []
            if link is not None:
                served.append(_published(link, path, vision.table, network, publishing))
            if args.announce:
                served.append(_announced(args.table, network, publishing))
            site = replace(site, on_served=lambda address: [tell(address) for tell in served])
            is_guided = args.camera is None and not args.no_camera
            record = record_guided if is_guided else record_at_once
            record(config, vision, site)


def require_engine() -> None:
    """Raise `NoAnalysis` if no backgammon engine is installed."""
    from tableside.analysis.engines import NOT_INSTALLED, engine_name

    if engine_name() is None:
        raise NoAnalysis(NOT_INSTALLED)


def table_link(args: Namespace) -> TableLink | None:
    """How the table takes part in a hall; None without `--hall`.

    Raises `WrongUsage` if that cannot work.
    """
    if args.hall is None:
        if args.hall_ca is not None:
            raise WrongUsage("--hall-ca needs --hall URL")
        return None
    from engine.events.names import clean_name
    from tableside.hall.broker import TableLink, broker_at

    name = clean_name(args.table)
    if not name or set("/+#") & set(name):
        raise WrongUsage("--hall needs --table NAME, without / + or #: the hall calls it that")
    return TableLink(broker_at(args.hall, args.hall_ca), name)


def _published(
    link: TableLink, record: Path, table: StateHub, network: Network, publishing: ExitStack
) -> Callable[[str], object]:
    """What publishes the table once its page is served, until `publishing` is left."""

    def publish(address: str) -> None:
        from tableside.hall.publisher import Publisher

        shown = replace(link, page=address if network.is_open else "")
        publisher = Publisher(shown, record, table, show=table.set_other_troubles)
        publishing.enter_context(closing(publisher))

    return publish


def _announced(name: str, network: Network, publishing: ExitStack) -> Callable[[str], object]:
    """What announces the table's page once it is served, until `publishing` is left."""
    if not network.is_open:
        raise WrongUsage("--announce needs --host ADDRESS: a hall asks for the table's page")
    try:
        from tableside.hall.nearby import announced_table
    except ModuleNotFoundError as error:
        from tableside.hall.broker import NEEDS_EXTRA

        raise WrongUsage(NEEDS_EXTRA) from error

    def announce(address: str) -> None:
        from engine.events.names import clean_name

        port = urlsplit(address).port
        assert port is not None, "a served address has a port"  # noqa: S101
        try:
            publishing.enter_context(announced_table(clean_name(name), port))
        except WrongUsage as error:  # whatever is wrong with the network, the table records
            say(f"{error}: no hall finds this table")
        else:
            say("a hall finds this table with tableside hall --nearby")

    return announce


def recording_config(args: Namespace) -> RecordingConfig:
    """What the options describe; without `--camera` or `--no-camera`, the page completes it.

    Raises `WrongUsage` if they do not go together.
    """
    from tableside.match.config import MatchPlace, RecordingConfig

    if args.words is not None and args.cup is None:
        raise WrongUsage("--words needs --cup")
    place = MatchPlace(args.event, args.round, args.table, *args.countries)
    return RecordingConfig(
        match=replace(
            match_config(args), is_manual=args.no_camera, place=place if any(place) else None
        ),
        camera=args.camera,
        cup=_roller_config(args),
        rules_source=rules_source(args),
        is_new=args.new,
        resumed=args.resume,
    )


def _roller_config(args: Namespace) -> CupConfig | BluetoothConfig | None:
    """The cup or the dice that make the rolls; None if they are ordinary dice."""
    from tableside.match.config import BluetoothConfig, CupConfig

    named = args.bluetooth_dice
    if named is not None:
        if args.cup is not None or not args.no_camera:
            raise WrongUsage("--bluetooth-dice needs --no-camera, and no --cup")
        if named == ["virtual"]:
            return BluetoothConfig(is_virtual=True)
        if len(named) not in (0, 2):
            raise WrongUsage("--bluetooth-dice takes two dice, `virtual` or nothing")
        if len(set(named)) < len(named):
            raise WrongUsage(f"--bluetooth-dice takes two different dice, not {named[0]} twice")
        return BluetoothConfig(tuple(named))
    if args.cup is None:
        return None
    words = None if args.words is None else (args.words[0], args.words[1])
    is_virtual = args.cup == "virtual"
    return CupConfig(None if is_virtual else args.cup or None, is_virtual, words)
