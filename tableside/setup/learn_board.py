"""Learns a board's profile from one picture of a known position."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from calibration.errors import CalibrationError
from calibration.grid import Grid
from calibration.known_position import absent_sides, orientations
from calibration.sheet import Lens
from engine import Position, Side
from engine.arrays import Image
from engine.message import Sentence, join
from vision.board.faults import dice_faults, field_faults, picture_faults, view_advice
from vision.board.locate import MIN_BOARD_SCORE, Located, locate_board, locate_from_corners
from vision.errors import BoardNotFound
from vision.reading.learn_set import LearntSet, learn_set, learn_set_in_orientation

MAX_DIFFERENCES: Final = 4
"""Number of differences listed; more would hide what to do."""
MIN_GIVEN_MATCHING: Final = 12
"""Points of 24 that must match a position that a person has described for this picture. If most
differ, it is another picture, or another board was found in it."""


class BoardNotLearnt(CalibrationError):
    """Raised when a picture does not yield a board that can be trusted."""


def warnings_of(adapted: LearntSet) -> Iterator[Sentence]:
    """Limitations of a profile that can otherwise be trusted."""
    if absent := absent_sides(adapted.profile.position):
        sides = " and ".join(side.value for side in absent)
        numbering = "the numbering and " if len(absent) == len(Side) else ""
        yield (
            f"{sides} had no checker on a point, so {numbering}the color could not be learned: "
            "calibrate again when both sides are on the board"
        )
    yield from dice_faults(adapted.profile.grid)
    yield from view_advice(adapted.profile.grid)
    if adapted.unread_stacks:
        points = " and ".join(f"the {point}-point" for point in adapted.unread_stacks)
        yield f"the stack on {points} was taken to be as high as given: from above it is not seen"


def learn_board(
    image: Image,
    position: Position,
    variant: str = "short",
    corners: Sequence[tuple[float, float]] | None = None,
    light_home: tuple[float, float] | None = None,
    lens: Lens | None = None,
    *,
    is_given: bool = False,
) -> LearntSet:
    """Learn a board from an (H, W, 3) BGR picture; raises `BoardNotLearnt` or `BoardNotFound`.

    is_given: whether a person has described this very picture. Then `position` is the truth, and
    the result may have differences; otherwise it is only expected, and must be seen exactly.
    """
    located = _locate(image, corners, lens)
    faults = field_faults(image, Grid(located.pose, located.layout))
    if faults:
        raise BoardNotLearnt(join(faults))
    adapted = learn_located_set(image, located, position, variant, light_home)
    is_refused = adapted.matching < MIN_GIVEN_MATCHING or adapted.is_ambiguous
    if adapted.differences and (is_refused or not is_given):
        raise BoardNotLearnt(_differing(adapted, is_given=is_given))
    return adapted


def _locate(
    image: Image, corners: Sequence[tuple[float, float]] | None, lens: Lens | None
) -> Located:
    faults = picture_faults(image)
    if faults:
        raise BoardNotLearnt(join(faults))
    if corners is None:
        try:
            return locate_board(image, lens)
        except BoardNotFound as error:
            raise BoardNotFound(f"{error}, or give its --corners") from error
    located = locate_from_corners(image, np.array(corners, float), lens)
    if located.score < MIN_BOARD_SCORE:
        raise BoardNotLearnt(
            "no board is seen between these --corners: give the playing field's four corners, "
            "where the felt meets the rails, without the trays"
        )
    return located


def learn_located_set(
    image: Image,
    located: Located,
    position: Position,
    variant: str,
    light_home: tuple[float, float] | None,
) -> LearntSet:
    """Learn the set of a located board; the result may be wrong.

    light_home: a pixel near the corner at light's ace point; None to follow the checkers.
    """
    if light_home is None:
        return learn_set(image, located.pose, located.layout, position, variant)

    def distance(grid: Grid) -> float:
        return float(np.linalg.norm(grid.pose.corners()[1] - light_home))

    grids = (Grid(pose, located.layout) for pose in orientations(located.pose))
    return learn_set_in_orientation(image, min(grids, key=distance), position, variant)


def disagreement(adapted: LearntSet) -> str | None:
    """Where a board that was learned as given looks different, in one line; None if nowhere."""
    if not adapted.differences:
        return None
    differing = "; ".join(map(str, adapted.differences))
    return f"learned as given, although it looks different: {differing}"


def _differing(adapted: LearntSet, *, is_given: bool) -> str:
    listed = [str(one) for one in adapted.differences[:MAX_DIFFERENCES]]
    advice = "correct the checkers, remove dice and hands, or give the position with --position"
    if is_given:
        advice = "give the position in this picture, the board's --corners, or --light-home"
    if adapted.similar_colours is not None:
        one, other = adapted.similar_colours
        advice = f"{one} and {other} look alike: add light; or {advice}"
    if len(adapted.differences) > MAX_DIFFERENCES:
        listed.append(f"and {len(adapted.differences) - MAX_DIFFERENCES} more")
    return f"{adapted.matching} of 24 points match: {'; '.join(listed)}; {advice}"
