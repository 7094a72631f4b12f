"""Inspects one picture of a board that is being set up: its problems, and what is on the board.

The checks are those of `tableside calibrate`, but all problems are reported at once, and a board
that cannot be trusted yet is still drawn.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from calibration.grid import Grid
from calibration.known_position import lightness_lead
from calibration.profile import Profile
from engine import BAR, Course, Position
from engine.arrays import Floats, Image
from engine.evidence.observation import DARK_BAR, LIGHT_BAR
from engine.message import Sentence, message_of, msg
from tableside.setup.learn_board import learn_located_set, warnings_of
from vision.board.faults import dice_faults, field_faults, picture_faults, view_advice, view_faults
from vision.board.locate import (
    MIN_AGREEMENT,
    MIN_BOARD_SCORE,
    Located,
    edge_agreement,
    locate_board,
    locate_from_corners,
)
from vision.checkers.disc_model import DiscCounts
from vision.checkers.fine_tune import adapt_to_set
from vision.checkers.unknown_set import count_unknown_set
from vision.errors import BoardNotFound
from vision.reading.learn_set import LearntSet, differences_of
from vision.reading.relocate import find_again

MIN_MATCHING: Final = 18
"""Points of 24 that must match for the colors learned at the expected places to be those of the
checkers; below this, the trained net alone counts the checkers."""
MAX_NET_ERRORS: Final = 2
"""Points that the net alone gets wrong on a difficult set (it reads 98 % correctly)."""
BETWEEN_CORNERS: Final = msg(
    "no board found between these corners: place them where the felt meets the rails, leaving "
    "out the trays"
)
DARK_FOR_LIGHT: Final = msg(
    "dark checkers are where light's should be: turn the board back, or swap the colors"
)
OTHER_BOARD: Final = msg("this is not the board from last time, or the light has changed")
SET_UP: Final = msg("set up the starting position, and take the dice and your hands off the board")


@dataclass(frozen=True, slots=True, eq=False)
class InspectionRequest:
    """What is known of the board, and what is wanted, before a picture is inspected."""

    position: Position
    variant: str
    corners: Floats | None = None
    """(4, 2) pixels marked by the user; None to locate them."""
    home: tuple[float, float] | None = None
    """A pixel near the corner at light's ace point; None to follow the checkers."""
    known_profile: Profile | None = None
    """The board that is expected."""


@dataclass(frozen=True, slots=True, eq=False)
class Inspection:
    """The result of inspecting a picture."""

    faults: tuple[Sentence, ...] = ()
    warnings: tuple[Sentence, ...] = ()
    located: Located | None = None
    profile: Profile | None = None
    """The board in this picture; its colors can be trusted if `is_ready`."""
    counted: DiscCounts | None = None
    differences: tuple[Sentence, ...] = ()
    differing: tuple[int, ...] = ()
    """Light's points that differ from the expected position."""
    is_ready: bool = False
    """Whether a match can begin with this profile."""

    @property
    def grid(self) -> Grid | None:
        """The board's grid in the picture; None if no board is seen."""
        if self.profile is not None:
            return self.profile.grid
        return None if self.located is None else Grid(self.located.pose, self.located.layout)


def inspect_picture(
    image: Image, request: InspectionRequest, located: Located | None = None
) -> Inspection:
    """Inspect a (H, W, 3) BGR picture; `located`: where the board was a moment ago."""
    if faults := picture_faults(image):
        return Inspection(faults)
    try:
        if request.known_profile is not None:
            return _recognised(image, request.known_profile, request.position)
        here = _located(image, request.corners, located)
    except BoardNotFound as error:
        return Inspection((message_of(error),))
    grid = Grid(here.pose, here.layout)
    if faults := view_faults(grid):
        return Inspection(faults, located=here)
    if request.corners is not None and here.score < MIN_BOARD_SCORE:
        return Inspection((BETWEEN_CORNERS,), located=here)
    return _learnt(image, request, here)


def _located(image: Image, corners: Floats | None, last: Located | None) -> Located:
    if (
        last is not None
        and last.pose.fits(image)
        and edge_agreement(image, last.pose, last.layout) >= MIN_AGREEMENT
    ):
        return last
    return locate_board(image) if corners is None else locate_from_corners(image, corners)


def _learnt(image: Image, request: InspectionRequest, located: Located) -> Inspection:
    faults: tuple[Sentence, ...] = field_faults(image, Grid(located.pose, located.layout))
    adapted = learn_located_set(image, located, request.position, request.variant, request.home)
    if adapted.similar_colours is not None and adapted.matching >= MIN_MATCHING:
        one, other = adapted.similar_colours
        faults += (
            msg("{one} and {other} look alike: add light, or move the lamp", one=one, other=other),
        )
    counted, differences = _read(image, adapted, request.position)
    profile = adapted.profile
    if request.home is not None:
        lead = lightness_lead(profile.grid.rectify(image), profile.grid, profile.position)
        if lead < 0:  # the side called light is the darker one, as the nets would read it
            differences = (DARK_FOR_LIGHT, *differences)
    return Inspection(
        faults,
        tuple(warnings_of(adapted)),
        located,
        profile,
        counted,
        differences,
        _differing(counted, request.position, adapted.unread_stacks) if differences else (),
        is_ready=not (faults or differences or adapted.differences),
    )


def _read(
    image: Image, adapted: LearntSet, position: Position
) -> tuple[DiscCounts, tuple[Sentence, ...]]:
    """The checkers, by the colors just learned or, if those fail, by the net alone."""
    if not adapted.differences:
        return adapted.counted, ()
    blind = count_unknown_set(image, adapted.profile.grid)
    points, bar = differences_of(blind, position)
    # Learned where nothing stands, colors find what was expected; the net expects nothing.
    is_other = len(points) > len(adapted.differences) + MAX_NET_ERRORS
    if adapted.matching < MIN_MATCHING or is_other:
        return blind, points + bar or adapted.differences
    return adapted.counted, adapted.differences


def _recognised(image: Image, known: Profile, position: Position) -> Inspection:
    """The board of a known profile, whatever is on it now."""
    found = find_again(known, image)
    grid = found.profile.grid
    counted = count_unknown_set(image, grid, adapt_to_set(known))
    points, bar = differences_of(counted, position)
    return Inspection(
        () if found.matches_profile else (OTHER_BOARD,),
        (*dice_faults(grid), *view_advice(grid)),
        None,
        found.profile,
        counted,
        points + bar,
        _differing(counted, position),
        is_ready=found.matches_profile,
    )


def _differing(
    counted: DiscCounts, position: Position, unread: tuple[int, ...] = ()
) -> tuple[int, ...]:
    differs = counted.most_likely[:24] != position.signed()[:24]
    return tuple(point for point in range(1, 25) if differs[point - 1] and point not in unread)


def vectors(counted: DiscCounts, course: Course) -> tuple[list[int], list[int]]:
    """Light's and dark's 26 counts in their own numbering; borne-off checkers are not seen."""
    light, dark = [0] * (BAR + 1), [0] * (BAR + 1)
    for point in range(1, 25):
        count = int(counted.most_likely[point - 1])
        pair = counted.mixed.get(point - 1, (max(0, count), max(0, -count)))
        light[point], dark[course.across(point)] = int(pair[0]), int(pair[1])
    light[BAR] = int(max(0, counted.most_likely[LIGHT_BAR]))
    dark[BAR] = int(max(0, -counted.most_likely[DARK_BAR]))
    return light, dark
