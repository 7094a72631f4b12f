"""`tableside cameras`: the values that `--camera` accepts on this machine."""

from __future__ import annotations

import json
import sys
from argparse import Namespace

from tableside.commands import COMMANDS
from tableside.commands.options import Subparsers, command
from tableside.printable import printable

NONE_FOUND = "no camera found; plug one in, or pass a stream address or a video file to `--camera`"


def add_parser(subparsers: Subparsers) -> None:
    """Add `tableside cameras` and its options."""
    parser = command(
        subparsers,
        "cameras",
        COMMANDS["cameras"],
        "tableside cameras\ntableside cameras --json",
        "`tableside live --camera N` takes the numbers it prints.",
    )
    parser.add_argument("--json", action="store_true", help="print JSON Lines")


def run(args: Namespace) -> int:
    """Print a line for each camera; return 1 if there is none."""
    from vision.sources.list_cameras import list_cameras

    cameras = list_cameras()
    for camera in cameras:
        line = json.dumps({"camera": camera.number, "name": str(camera.name)})
        print(line if args.json else f"{camera.number}  {printable(str(camera.name))}")
    if not cameras:
        print(f"tableside: {NONE_FOUND}", file=sys.stderr)
    return int(not cameras)
