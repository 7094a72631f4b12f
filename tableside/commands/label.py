"""`tableside label`: photos are read, put right on a page, and saved with their labels."""

from __future__ import annotations

import threading
from argparse import Namespace
from pathlib import Path

from tableside.commands import COMMANDS
from tableside.commands.options import Subparsers, command, page_network, page_options

DETAILS = """\
The page shows each photo with what was read in it. Tap what is wrong and put it right; saving
copies the photo to the folder and adds its label to manifest.json there, which
`tableside bench --stills FOLDER` reads. A photo that is labeled already is shown with its label."""


def add_parser(subparsers: Subparsers) -> None:
    """Add `tableside label` and its options."""
    parser = command(
        subparsers,
        "label",
        COMMANDS["label"],
        "tableside label shots/*.jpg --out labels --board club\n"
        "tableside label board.jpg --host 0.0.0.0",
        DETAILS,
    )
    parser.add_argument("photos", nargs="+", type=Path, metavar="PICTURE", help="photo of a board")
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("labels"),
        metavar="FOLDER",
        help="folder for the photos and their labels; default: labels",
    )
    parser.add_argument(
        "--board",
        default="board",
        metavar="NAME",
        help="name of the board and set in these photos; default: board",
    )
    page_options(parser)


def run(args: Namespace) -> int:
    """Serve the page until stopped; return 0, or raise an error of one line."""
    from tableside.label.labeler import FolderLabeler
    from tableside.site.serve import Site, ended_by_signals, page_of
    from tableside.site.state_hub import StateHub

    network = page_network(args)
    labeler = FolderLabeler(args.photos, args.out, args.board)
    stopped = threading.Event()
    site = Site(
        StateHub(),
        network,
        labeler=labeler,
        name=f"labels for {args.out / 'manifest.json'}",
        port=args.port,
        opens_browser=not args.no_browser,
    )
    with page_of(site), ended_by_signals(stopped.set):
        print("press Ctrl-C to stop", flush=True)
        stopped.wait()
    return 0
