"""`tableside demo`: the sample clip, processed in real time by the real program, on the page."""

from __future__ import annotations

from argparse import Namespace
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tableside.commands import COMMANDS
from tableside.commands.options import (
    Subparsers,
    board_site,
    check_folder,
    check_overwriting,
    command,
    force_option,
    page_network,
    page_options,
)

if TYPE_CHECKING:
    from tableside.vision_process.spawn import VisionProcess

FOLDER: Final = Path("tableside-demo")


def add_parser(subparsers: Subparsers) -> None:
    """Add `tableside demo` and its options."""
    parser = command(
        subparsers,
        "demo",
        COMMANDS["demo"],
        "tableside demo\ntableside demo --once --no-browser --out /tmp/match",
        "A video of a match goes through the same program that records a real one.",
    )
    parser.add_argument("--once", action="store_true", help="exit when the video ends")
    parser.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help=f"folder for the match files; default: {FOLDER}, which every demo overwrites",
    )
    force_option(parser)
    page_options(parser)


def run(args: Namespace) -> int:
    """Play the sample; return 0, or raise an error of one line."""
    from tableside.review.report import OUTPUT_FILES
    from tableside.vision_process.spawn import vision_process

    if args.out is not None:
        check_folder(args.out)
        check_overwriting(args, *(args.out / name for name in OUTPUT_FILES))
    with vision_process() as process:  # it loads while this process does
        _show(args, process)
    return 0


def _show(args: Namespace, process: VisionProcess) -> None:
    from tableside.analysis.analyst import Analyst
    from tableside.analysis.catalog.search import RecordCatalog
    from tableside.review.archive import RecordArchive
    from tableside.site.serve import ended_by_signals, page_of
    from tableside.vision_process.client import VisionClient
    from tableside.vision_process.jobs import DemoJob

    folder, network = args.out or FOLDER, page_network(args)
    path = folder / "record.sqlite"
    with closing(VisionClient(process)) as vision:
        vision.claim(path)
        vision.open(DemoJob(folder, is_once=args.once))
        with (
            closing(RecordArchive(path, analyses=Analyst(path))) as archive,
            closing(RecordCatalog(path, shows_all=lambda: False)) as catalog,
            ended_by_signals(vision.stop),
            page_of(board_site(args, network, vision, archive, catalog)),
        ):
            vision.run()
