"""`tableside read`: reads what images show."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from engine.arrays import Image
from engine.message import ngettext
from tableside.commands import COMMANDS
from tableside.commands.options import (
    Subparsers,
    check_overwriting,
    command,
    force_option,
    profile_option,
)
from tableside.printable import printable

if TYPE_CHECKING:
    from calibration.profile import Profile

UNLIKE: Final = "points not numbered: the board or the light differs from the profile's"


def add_parser(subparsers: Subparsers) -> None:
    """Add `tableside read` and its options."""
    parser = command(
        subparsers,
        "read",
        COMMANDS["read"],
        "tableside read board.jpg\ntableside read --json shots/*.jpg > positions.jsonl",
    )
    parser.add_argument("images", nargs="+", type=Path, metavar="IMAGE", help="photo of a board")
    profile_option(parser)
    parser.add_argument("--json", action="store_true", help="print JSON Lines")
    parser.add_argument(
        "--overlay",
        type=Path,
        metavar="DIR",
        help="folder for a copy of each photo with everything recognized marked on it",
    )
    force_option(parser)


def run(args: Namespace) -> int:
    """Read every picture in order; return 1 at the end if one could not be read, else 0."""
    from calibration.profile import Profile

    if args.overlay is not None:
        check_overwriting(args, *(_overlay_file(args.overlay, path) for path in args.images))
    profile = None if args.profile is None else Profile.load(args.profile)
    failed = False
    for path in args.images:
        answer = read_file(path, profile, args.overlay)
        failed = failed or not answer["ok"]
        if args.json:
            print(json.dumps(answer), flush=True)
        elif answer["ok"]:
            print(summary(answer), flush=True)
        else:
            where = "" if str(path) in answer["error"] else f"{path}: "
            print(f"tableside: {printable(where + answer['error'])}", file=sys.stderr)
    return int(failed)


def read_file(path: Path, profile: Profile | None, overlay: Path | None) -> dict[str, Any]:
    """What an image shows, for `--json`; `ok` is false if it cannot be read."""
    from vision.errors import VisionError
    from vision.reading.image_json import image_json, timing_json
    from vision.reading.overlay import draw_board
    from vision.reading.single_image import StageTimes, read_still
    from vision.sources.frame import read_image

    times = StageTimes()
    try:
        image = read_image(path)
        still = read_still(image, profile, times)
    except VisionError as error:
        return {
            "image": str(path),
            "ok": False,
            "error": str(error),
            "timing_ms": timing_json(times.times),
        }
    if overlay is not None:
        picture = draw_board(image, still.grid, still.counted, still.dice)
        _save(_overlay_file(overlay, path), picture)
    answer = {"image": str(path), "ok": True, "error": None, **image_json(still)}
    if profile is not None and not still.is_numbered:
        answer["note"] = UNLIKE
    return answer


def summary(answer: dict[str, Any]) -> str:
    """One line of text: the occupied points, the bar, the dice."""
    from vision.reading.image_json import CERTAIN

    points, is_numbered = answer["points"], answer["points"][0]["number"] is not None
    sides = {}
    for side in ("light", "dark"):
        held = [(index, point) for index, point in enumerate(points, start=1) if point[side]]
        numbers = f"{', '.join(f'{i}: {p[side]}' for i, p in held)}" if is_numbered else ""
        on_bar = f", {answer['bar'][side]} on the bar" if answer["bar"][side] else ""
        total = sum(point[side] for _, point in held)
        on_points = ngettext("on {number} point", "on {number} points", len(held))
        sides[side] = f"{side} {total} {on_points}{numbers and f' ({numbers})'}{on_bar}"
    dice = " ".join(str(die["value"]) for die in answer["dice"]) or "none"
    doubtful = sum(point["confidence"] < CERTAIN for point in points)
    parts = [sides["light"], sides["dark"], f"dice {dice}"]
    if doubtful:
        parts.append(
            str(ngettext("{number} point uncertain", "{number} points uncertain", doubtful))
        )
    if "note" in answer:
        parts.append(answer["note"])
    return f"{answer['image']}: {'; '.join(parts)}"


def _overlay_file(folder: Path, image: Path) -> Path:
    return folder / f"{image.stem}.png"


def _save(path: Path, picture: Image) -> None:
    import cv2

    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(bytes(cv2.imencode(".png", picture)[1]))
