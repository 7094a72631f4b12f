"""`tableside calibrate`: one picture of a known position in, a board's profile out."""

from __future__ import annotations

import argparse
import sys
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from engine import Course, Position, Setup, find_rules
from engine.arrays import Image
from tableside.commands import COMMANDS
from tableside.commands.options import (
    Subparsers,
    check_overwriting,
    command,
    force_option,
    pixel,
    position,
    variant_option,
)
from tableside.errors import StoreError, WrongUsage

if TYPE_CHECKING:
    from calibration.profile import Profile
    from calibration.sheet import Lens
    from vision.reading.learn_set import LearntSet

MIN_CORNERS: Final = 3
MAX_ASPECT_ERROR: Final = 0.01  # of the aspect ratio: sizes of one mode are rounded to whole blocks


def add_parser(subparsers: Subparsers) -> None:
    """Add `tableside calibrate` and its options."""
    parser = command(
        subparsers,
        "calibrate",
        COMMANDS["calibrate"],
        "tableside calibrate --image opening.jpg --profile club.json\n"
        "tableside calibrate --image opening.jpg --profile club.json "
        "--corners 102,88 1180,92 1201,700 80,694\n"
        "tableside calibrate --lens-sheet sheet.png\n"
        "tableside calibrate --image opening.jpg --profile club.json --lens sheet1.jpg sheet2.jpg",
    )
    parser.add_argument("--image", type=Path, metavar="IMAGE", help="photo of the board")
    parser.add_argument(
        "--profile", type=Path, metavar="OUT", help="file to write, such as club.json"
    )
    force_option(parser)
    variant_option(parser)
    parser.add_argument(
        "--position",
        type=position,
        metavar="POSITION",
        help="position in the photo, which is believed unless most points contradict it: JSON, a "
        "file with JSON, a Position ID or words such as 'light 24:2 13:5 | dark 24:2'; without it, "
        "the photo must show the starting position",
    )
    parser.add_argument(
        "--corners",
        nargs=4,
        type=pixel,
        metavar="x,y",
        help="corners of the playing field in pixels, if they are not found automatically",
    )
    parser.add_argument(
        "--light-home",
        type=pixel,
        metavar="x,y",
        help="a pixel near the corner beside light's ace point, if the numbering is not found",
    )
    parser.add_argument(
        "--throw-zone",
        nargs="+",
        type=pixel,
        metavar="x,y",
        help="three or more corners, in pixels, of a dice tray or baffle box, if dice are not "
        "thrown on the board",
    )
    _lens_options(parser)


def _lens_options(parser: argparse.ArgumentParser) -> None:
    lens = parser.add_argument_group("lens with strong distortion, such as a wide-angle lens")
    lens.add_argument(
        "--lens-sheet",
        type=Path,
        metavar="OUT.png",
        help="only write the calibration sheet to print, on A4 or any other size",
    )
    lens.add_argument(
        "--lens",
        nargs="+",
        type=Path,
        metavar="PHOTO",
        help="photos of the printed sheet, which lies flat and fills the frame, from different "
        "sides at 30 to 45 degrees; same camera, zoom and mode as the photo of the board",
    )


def run(args: Namespace) -> int:
    """Learn and write the profile; return 0, or raise an error that says what is wrong."""
    from tableside.setup.learn_board import disagreement, learn_board, warnings_of
    from vision.sources.frame import read_image

    if args.lens_sheet is not None:
        return _write_sheet(args)
    if args.image is None or args.profile is None:
        raise WrongUsage("give --image IMAGE and --profile OUT, or --lens-sheet OUT.png alone")
    if args.throw_zone is not None and len(args.throw_zone) < MIN_CORNERS:
        raise WrongUsage("--throw-zone needs at least three corners, each as x,y in pixels")
    picture = args.profile.with_suffix(".png")
    if picture == args.profile:
        raise StoreError(
            f"{args.profile} is the name of the overlay; end the profile's name in .json"
        )
    check_overwriting(args, args.profile, picture)
    image = read_image(args.image)
    rules = find_rules(args.variant)
    shown = _on_course(args.position, rules.course) if args.position else rules.opening()
    lens = None if args.lens is None else _lens_of_photos(args.lens, image)
    is_given = args.position is not None
    adapted = learn_board(
        image, shown, rules.name, args.corners, args.light_home, lens, is_given=is_given
    )
    if args.throw_zone is not None:
        adapted = replace(adapted, profile=_with_zone(adapted.profile, args.throw_zone))
    _write(args.profile, picture, image, adapted)
    for warning in (disagreement(adapted), *warnings_of(adapted)):
        if warning is not None:
            print(f"tableside: {warning}", file=sys.stderr)
    print(f"learned the board{_through(lens)}; wrote {args.profile} and {picture}")
    return 0


def _write_sheet(args: Namespace) -> int:
    given = (args.image, args.profile, args.lens)
    if any(one is not None for one in given) or args.lens_sheet.suffix.lower() != ".png":
        raise WrongUsage("--lens-sheet OUT.png only writes the sheet; give no other option with it")
    check_overwriting(args, args.lens_sheet)
    from calibration.sheet import sheet_png

    args.lens_sheet.parent.mkdir(parents=True, exist_ok=True)
    args.lens_sheet.write_bytes(sheet_png())
    print(f"wrote {args.lens_sheet}; print it, photograph it and pass the photos to --lens")
    return 0


def _lens_of_photos(paths: Sequence[Path], image: Image) -> Lens:
    """The lens estimated from photos of the sheet, taken by the camera that took the image."""
    from calibration.errors import BadSheet
    from calibration.sheet import estimate_lens
    from vision.sources.frame import read_image

    photos = {str(path): read_image(path) for path in paths}
    height, width = image.shape[:2]
    for name, photo in photos.items():
        rows, columns = photo.shape[:2]
        if abs(columns * height / (rows * width) - 1) > MAX_ASPECT_ERROR:
            raise BadSheet(
                f"{name} has {columns}x{rows} pixels, the photo of the board {width}x{height}: "
                "photograph the sheet with the same camera in the same mode and orientation"
            )
    return estimate_lens(photos)


def _through(lens: Lens | None) -> str:
    if lens is None:
        return ""
    return (
        f" through a lens of focal length {lens.focal_widths:.3f} picture widths "
        f"and radial coefficient {lens.radial:.3f}"
    )


def _on_course(given: Position, course: Course) -> Position:
    """The same two side vectors on another course, which overlays their numbers differently."""
    return Setup(given.light, given.dark, course).checked()


def _with_zone(profile: Profile, corners: Sequence[tuple[float, float]]) -> Profile:
    """The profile with a throw zone given in the picture's pixels."""
    import numpy as np

    return replace(profile, throw_zone=profile.pose.locate(np.array(corners, float)))


def _write(profile: Path, picture: Path, image: Image, adapted: LearntSet) -> None:
    import cv2

    from vision.reading.overlay import draw_board

    overlay = draw_board(image, adapted.profile.grid, adapted.counted)
    profile.parent.mkdir(parents=True, exist_ok=True)
    picture.write_bytes(bytes(cv2.imencode(".png", overlay)[1]))
    adapted.profile.save(profile)
