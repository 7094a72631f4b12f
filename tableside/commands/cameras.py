"""`tableside cameras`: what `--camera` can be given here."""

from __future__ import annotations

import json
import sys
from argparse import Namespace

from vision.sources.list_cameras import list_cameras

NONE_FOUND = "no camera was found; plug one in, or give `--camera` an address or a file"


def run_cameras(args: Namespace) -> int:
    """Print a line for each camera; 1 if there is none."""
    cameras = list_cameras()
    for camera in cameras:
        told = json.dumps({"camera": camera.number, "name": camera.name})
        print(told if args.json else f"{camera.number}  {camera.name}")
    if not cameras:
        print(f"tableside: {NONE_FOUND}", file=sys.stderr)
    return int(not cameras)
