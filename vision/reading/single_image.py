"""Reads one still: where the board is, what is on it, which dice are there, how long it took.

`tableside read` and the benchmark use it; videos go through `vision/reading/reader.py`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import NDArray

from calibration.grid import Grid
from calibration.known_position import USUAL_DIAMETER
from calibration.profile import Profile
from engine import DieSeen
from engine.arrays import Floats, Image
from engine.message import Message, join
from engine.position import CHECKERS
from vision.board.faults import blur_faults, picture_faults, view_faults
from vision.board.locate import locate_board
from vision.checkers.disc_model import HIDDEN_SHARE, SIDES_SHARE, DiscCounts, checker_discs
from vision.checkers.fine_tune import adapt_to_set
from vision.checkers.strips import POINTS
from vision.checkers.temperature import calibrated
from vision.checkers.unknown_set import count_unknown_set
from vision.dice.candidates import find_candidates
from vision.dice.selection import CubeFound, select_cube, select_dice
from vision.errors import BoardNotFound
from vision.reading.relocate import find_again

STAGES: Final = ("locate", "checkers", "dice")
"""The timed stages, in order. Dice are looked for beside the checkers; the last stage is what that
takes longer."""
HIDDEN_CELL_SHARE: Final = SIDES_SHARE + HIDDEN_SHARE / 2
"""Fraction of a place's pixels that are neither board nor checker, or under a hand, from which it
counts as hidden."""


class StageTimes:
    """How long each stage took, in milliseconds, even for a picture that could not be read."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self.times = dict.fromkeys(STAGES, 0.0)
        self._clock = clock

    @contextmanager
    def measure(self, stage: str) -> Iterator[None]:
        """Add the time spent inside the block to `stage`."""
        began = self._clock()
        try:
            yield
        finally:
            self.times[stage] += 1000 * (self._clock() - began)


@dataclass(frozen=True, slots=True, eq=False)
class ImageReading:
    """One picture as read."""

    grid: Grid
    counted: DiscCounts
    """The evidence as seen."""
    chances: Floats
    """(28, 31) probabilities of every count of each cell, in the order of
    `engine.evidence.observation`; those of the points as often right as they say."""
    dice: tuple[DieSeen, ...]
    cube: CubeFound | None
    is_numbered: bool
    """Whether cell 0 is light's ace point; a board that is unknown or does not match its profile is
    numbered by its grid's orientation."""
    timing_ms: Mapping[str, float]
    """How long each of `STAGES` took, in milliseconds."""

    @property
    def confidence(self) -> Floats:
        """(28,) probability of each cell's count."""
        best = (self.counted.most_likely + CHECKERS)[:, None]
        return np.asarray(np.take_along_axis(self.chances, best, axis=1)[:, 0])

    @property
    def hidden(self) -> NDArray[np.bool_]:
        """(28,) the cells so covered by other things that their count is a guess."""
        return np.asarray(self.counted.hidden > HIDDEN_CELL_SHARE)

    @property
    def is_occluded(self) -> bool:
        """Whether something covers a point."""
        return bool(self.hidden[:24].any())


def read_still(
    image: Image, profile: Profile | None, times: StageTimes | None = None
) -> ImageReading:
    """Read an (H, W, 3) uint8 BGR picture, of the profile's board or an unknown one.

    Raises `BoardNotFound` if no board can be read; `times` are measured regardless.
    """
    times = times or StageTimes()
    _refuse(picture_faults(image))
    with times.measure("locate"):
        grid, matches_profile = _found(image, profile)
    return read_located(image, grid, profile, times, is_numbered=matches_profile)


def read_located(
    image: Image,
    grid: Grid,
    profile: Profile | None = None,
    times: StageTimes | None = None,
    *,
    is_numbered: bool = False,
) -> ImageReading:
    """Read the board in `grid`; raises `BoardNotFound` if it cannot be read."""
    times = times or StageTimes()
    _refuse(view_faults(grid))
    with ThreadPoolExecutor(1) as beside:
        search = beside.submit(find_candidates, image, grid.pose)
        with times.measure("checkers"):
            adaptation = None if profile is None else adapt_to_set(profile)
            counted = count_unknown_set(image, grid, adaptation)
        chances = counted.chances
        chances[:POINTS] = calibrated(chances[:POINTS], counted.doubt)
        _refuse(blur_faults(image, grid))
        with times.measure("dice"):
            candidates = search.result()
    with times.measure("dice"):
        discs = checker_discs(counted, grid, USUAL_DIAMETER)
        dice = select_dice(candidates, grid.pose, grid.layout, discs)
        cube = select_cube(candidates, grid.pose, grid.layout)
    chances.flags.writeable = False
    timing = MappingProxyType(dict(times.times))
    return ImageReading(grid, counted, chances, dice, cube, is_numbered, timing)


def _refuse(faults: tuple[Message, ...]) -> None:
    """Raise `BoardNotFound` for a faulty picture, in which a board would be made up."""
    if faults:
        raise BoardNotFound(join(faults))


def _found(image: Image, profile: Profile | None) -> tuple[Grid, bool]:
    """Where the board is, and whether it is the profile's."""
    if profile is None:
        located = locate_board(image)
        return Grid(located.pose, located.layout), False
    found = find_again(profile, image)
    return found.profile.grid, found.matches_profile
