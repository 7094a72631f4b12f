"""`tableside calibrate`: one picture of a known position in, a board's profile out."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from calibration.errors import BadSheet, CalibrationError
from calibration.grid import Grid
from calibration.known_position import four_ways
from calibration.profile import Profile
from calibration.sheet import Lens, estimate_lens, sheet_png
from engine import Course, Position, Setup
from engine.arrays import Image
from engine.rules import find_rules
from tableside.errors import StoreError, WrongUsage
from vision.board.faults import dice_faults, field_faults, picture_faults, view_advice
from vision.board.locate import TRUSTED, Located, locate_board, locate_from_corners
from vision.errors import BoardNotFound
from vision.reading.learn_set import LearntSet, adapt, adapt_known_way
from vision.reading.overlay import draw_board
from vision.sources.frame import read_image

FEWEST_CORNERS: Final = 3
TOLD: Final = 4
"""Differences that are told; more would hide what to do."""
SAME_ASPECT: Final = 0.01  # of the aspect ratio: sizes of one mode are rounded to whole blocks


class BoardNotLearnt(CalibrationError):
    """Raised when a picture does not teach a board that can be trusted."""


def run_calibrate(args: Namespace) -> int:
    """Learn and write; 0, or an error that says what is wrong with the picture."""
    if args.lens_sheet is not None:
        return _write_sheet(args)
    if args.image is None or args.profile is None:
        raise WrongUsage("calibrate takes --image IMAGE and --profile OUT, or --lens-sheet alone")
    picture = args.profile.with_suffix(".png")
    if picture == args.profile:
        raise StoreError(f"{args.profile} is where the overlay goes; name the profile .json")
    image = read_image(args.image)
    rules = find_rules(args.variant)
    position = _on_course(args.position, rules.course) if args.position else rules.opening()
    lens = None if args.lens is None else _lens_of_photos(args.lens, image)
    adapted = learn_board(image, position, rules.name, args.corners, args.light_home, lens)
    if args.throw_zone is not None:
        adapted = replace(adapted, profile=_with_zone(adapted.profile, args.throw_zone))
    _write(args.profile, picture, image, adapted)
    for warning in warnings_of(adapted):
        print(f"tableside: {warning}", file=sys.stderr)
    print(f"learnt the board{_through(lens)}; wrote {args.profile} and {picture}")
    return 0


def _write_sheet(args: Namespace) -> int:
    given = (args.image, args.profile, args.lens)
    if any(one is not None for one in given) or args.lens_sheet.suffix.lower() != ".png":
        raise WrongUsage("--lens-sheet OUT.png goes alone: it only writes the sheet to print")
    args.lens_sheet.parent.mkdir(parents=True, exist_ok=True)
    args.lens_sheet.write_bytes(sheet_png())
    print(f"wrote {args.lens_sheet}: print it, and give photos of it to --lens")
    return 0


def _lens_of_photos(paths: Sequence[Path], image: Image) -> Lens:
    """The lens that photos of the sheet tell, taken by the camera that took the image."""
    photos = {str(path): read_image(path) for path in paths}
    height, width = image.shape[:2]
    for name, photo in photos.items():
        rows, columns = photo.shape[:2]
        if abs(columns * height / (rows * width) - 1) > SAME_ASPECT:
            raise BadSheet(
                f"{name} has {columns}x{rows} pixels, the board's picture {width}x{height}: "
                "take the sheet with the same camera in the same mode, held the same way"
            )
    return estimate_lens(photos)


def _through(lens: Lens | None) -> str:
    if lens is None:
        return ""
    return (
        f" through a lens of focal length {lens.focal_widths:.3f} picture widths "
        f"and radial coefficient {lens.radial:.3f}"
    )


def _on_course(position: Position, course: Course) -> Position:
    """The same two side vectors as the variant lays their numbers over each other."""
    return Setup(position.light, position.dark, course).checked()


def _with_zone(profile: Profile, corners: Sequence[tuple[float, float]]) -> Profile:
    """The profile with a throw zone given in the picture's pixels."""
    if len(corners) < FEWEST_CORNERS:
        raise WrongUsage("a --throw-zone has three corners or more: give x,y of each in pixels")
    return replace(profile, throw_zone=profile.pose.locate(np.array(corners, float)))


def warnings_of(adapted: LearntSet) -> Iterator[str]:
    """What a profile that can be trusted is no good for all the same."""
    yield from dice_faults(adapted.profile.grid)
    yield from view_advice(adapted.profile.grid)
    if adapted.told:
        points = " and ".join(f"the {point}-point" for point in adapted.told)
        yield f"the height of the stack on {points} was taken as told: from above it cannot be read"


def learn_board(
    image: Image,
    position: Position,
    variant: str = "short",
    corners: Sequence[tuple[float, float]] | None = None,
    light_home: tuple[float, float] | None = None,
    lens: Lens | None = None,
) -> LearntSet:
    """What the picture teaches; `BoardNotLearnt` or `BoardNotFound` if it cannot be trusted."""
    located = _locate(image, corners, lens)
    faults = field_faults(image, Grid(located.pose, located.layout))
    if faults:
        raise BoardNotLearnt("; ".join(faults))
    if light_home is None:
        adapted = adapt(image, located.pose, located.layout, position, variant)
    else:
        adapted = adapt_known_way(image, grid_with_home(located, light_home), position, variant)
    if adapted.differences:
        raise BoardNotLearnt(_differing(adapted))
    return adapted


def _locate(
    image: Image, corners: Sequence[tuple[float, float]] | None, lens: Lens | None
) -> Located:
    faults = picture_faults(image)
    if faults:
        raise BoardNotLearnt("; ".join(faults))
    if corners is None:
        try:
            return locate_board(image, lens)
        except BoardNotFound as error:
            raise BoardNotFound(f"{error}, or tell its --corners") from error
    located = locate_from_corners(image, np.array(corners, float), lens)
    if located.score < TRUSTED:
        raise BoardNotLearnt(
            "no board is seen between these --corners: give the playing field's four corners, "
            "where the felt meets the rails, without the trays"
        )
    return located


def grid_with_home(located: Located, light_home: tuple[float, float]) -> Grid:
    """The one of the four ways whose corner by light's ace point is nearest to the pixel."""

    def distance(grid: Grid) -> float:
        return float(np.linalg.norm(grid.pose.corners()[1] - light_home))

    return min((Grid(way, located.layout) for way in four_ways(located.pose)), key=distance)


def _differing(adapted: LearntSet) -> str:
    told = list(adapted.differences[:TOLD])
    advice = (
        "set the checkers right, take dice and hands off, or tell with --position what it shows"
    )
    if adapted.alike is not None:
        one, other = adapted.alike
        advice = f"{one} and {other} look alike, add light; or {advice}"
    if len(adapted.differences) > TOLD:
        told.append(f"{len(adapted.differences) - TOLD} more differ")
    return f"{adapted.matching} of 24 points match: {'; '.join(told)}; {advice}"


def _write(profile: Path, picture: Path, image: Image, adapted: LearntSet) -> None:
    overlay = draw_board(image, adapted.profile.grid, adapted.counted)
    profile.parent.mkdir(parents=True, exist_ok=True)
    picture.write_bytes(bytes(cv2.imencode(".png", overlay)[1]))
    adapted.profile.save(profile)
