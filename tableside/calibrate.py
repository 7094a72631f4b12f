"""`tableside calibrate`: one picture of a known position in, a board's profile out."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from calibration.errors import CalibrationError
from calibration.grid import Grid
from calibration.opening import four_ways
from engine import Position
from engine.rules import find_rules
from tableside.errors import StoreError
from vision.adapt import Adapted, adapt, adapt_known_way
from vision.errors import BoardNotFound
from vision.faults import field_faults, picture_faults
from vision.frame import Image, read_image
from vision.locate import TRUSTED, Located, locate_board, locate_from_corners
from vision.overlay import draw_board

TOLD: Final = 4
"""Differences that are told; more would hide what to do."""


class Untrusted(CalibrationError):
    """Raised when a picture does not teach a board that can be trusted."""


def run_calibrate(args: Namespace) -> int:
    """Learn and write; 0, or an error that says what is wrong with the picture."""
    picture = args.profile.with_suffix(".png")
    if picture == args.profile:
        raise StoreError(f"{args.profile} is where the overlay goes; name the profile .json")
    image = read_image(args.image)
    rules = find_rules(args.variant)
    position = args.position or rules.opening()
    adapted = learn_board(image, position, rules.name, args.corners, args.light_home)
    _write(args.profile, picture, image, adapted)
    print(f"learnt the board; wrote {args.profile} and {picture}")
    return 0


def learn_board(
    image: Image,
    position: Position,
    variant: str = "short",
    corners: Sequence[tuple[float, float]] | None = None,
    light_home: tuple[float, float] | None = None,
) -> Adapted:
    """What the picture teaches, if it can be trusted; `Untrusted` or `BoardNotFound` if not."""
    located = _locate(image, corners)
    faults = field_faults(image, Grid(located.pose, located.layout))
    if faults:
        raise Untrusted("; ".join(faults))
    if light_home is None:
        adapted = adapt(image, located.pose, located.layout, position, variant)
    else:
        adapted = adapt_known_way(image, _grid_with_home(located, light_home), position, variant)
    if adapted.differences:
        raise Untrusted(_differing(adapted))
    return adapted


def _locate(image: Image, corners: Sequence[tuple[float, float]] | None) -> Located:
    faults = picture_faults(image)
    if faults:
        raise Untrusted("; ".join(faults))
    if corners is None:
        try:
            return locate_board(image)
        except BoardNotFound as error:
            raise BoardNotFound(f"{error}, or tell its --corners") from error
    located = locate_from_corners(image, np.array(corners, float))
    if located.score < TRUSTED:
        raise Untrusted(
            "no board is seen between these --corners: give the playing field's four corners, "
            "where the felt meets the rails, without the trays"
        )
    return located


def _grid_with_home(located: Located, light_home: tuple[float, float]) -> Grid:
    """The one of the four ways whose corner by light's ace point is nearest to the pixel."""

    def distance(grid: Grid) -> float:
        return float(np.linalg.norm(grid.pose.corners()[1] - light_home))

    return min((Grid(way, located.layout) for way in four_ways(located.pose)), key=distance)


def _differing(adapted: Adapted) -> str:
    told = list(adapted.differences[:TOLD])
    if len(adapted.differences) > TOLD:
        told.append(f"{len(adapted.differences) - TOLD} more differ")
    advice = (
        "set the checkers right, take dice and hands off, or tell with --position what it shows"
    )
    return f"{adapted.matching} of 24 points match: {'; '.join(told)}; {advice}"


def _write(profile: Path, picture: Path, image: Image, adapted: Adapted) -> None:
    overlay = draw_board(image, adapted.profile.grid, adapted.counted)
    profile.parent.mkdir(parents=True, exist_ok=True)
    picture.write_bytes(bytes(cv2.imencode(".png", overlay)[1]))
    adapted.profile.save(profile)
