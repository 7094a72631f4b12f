"""Reads one picture of a known board into an `Observation`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from calibration.appearance import Colours, disc_mask, to_bgr, to_perceptual
from calibration.grid import POINT_PITCH, Grid
from calibration.pose import Pose
from calibration.profile import Profile
from engine import DieSeen, Observation
from engine.arrays import Image
from engine.evidence.observation import FIRST_LAYER
from engine.position import CHECKERS
from vision.checkers.disc_model import DiscCounts, checker_discs, count_checkers
from vision.checkers.fine_tune import SetAdaptation
from vision.checkers.net_counts import combine_with_net
from vision.checkers.strips import POINTS
from vision.dice.appearance import illumination_gain, with_appearances
from vision.dice.candidate_cache import CandidateCache
from vision.dice.candidates import DieCandidate
from vision.dice.lookalikes import Lookalikes
from vision.dice.selection import MIN_DIE_PROBABILITY, search_margin, select_cube, select_dice
from vision.dice.size import DieSize
from vision.picture_diff import changed_pixels, denoise, place_changes
from vision.sources.frame import Frame

DIE_MASK_RADIUS: Final = 0.55 * POINT_PITCH
"""Pixels around a die's center that are die or its shadow."""
MIN_CHECKER_PIXELS: Final = 12
"""Minimum number of changed rectified pixels outside dice for a checker, which has 500."""
HIDDEN_CHANGE_NATS: Final = 0.5
"""Nats by which an unchanged look of a full row speaks for no change: a checker that is laid on
another hides one that looks the same."""


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """One picture as read, with what the overlay draws."""

    observation: Observation
    counted: DiscCounts
    grid: Grid


@dataclass(frozen=True, slots=True, eq=False)
class _Last:
    """The latest count, and the smoothed rectified picture that it is from."""

    picture: Image
    grid: Grid
    counted: DiscCounts


class Reader:
    """Reads pictures of the board that a profile describes."""

    def __init__(
        self,
        profile: Profile,
        adaptation: SetAdaptation | None = None,
        size: DieSize | None = None,
        lookalikes: Lookalikes | None = None,
    ) -> None:
        self.profile = profile
        self._adaptation = adaptation
        self._size, self._lookalikes = size or DieSize(), lookalikes or Lookalikes()
        self._grid = profile.grid
        self._appearance = profile.appearance()
        self._empty_board = to_bgr(self._appearance.background)
        self._baseline: Colours | None = None
        self._newest: Colours | None = None
        self._baseline_frame: int | None = None
        self._newest_frame: int | None = None
        self._candidates = CandidateCache(self._size)
        self._last: _Last | None = None

    def read(self, frame: Frame) -> Reading:
        """Read a frame, which must have the size for which the profile was made."""
        image, grid = frame.image, self._grid
        picture = grid.rectify(image)
        colours = to_perceptual(picture)
        candidates = self._find_candidates(image)
        counted = self._count(image, picture, colours, candidates)
        discs = checker_discs(counted, grid, self._appearance.diameter)
        found = select_dice(candidates, grid.pose, grid.layout, discs)
        self._lookalikes.note(found, frame.seconds)
        dice = self._lookalikes.without(found)
        if dice:
            light = illumination_gain(picture, self._empty_board)
            dice = with_appearances(dice, image, grid.pose, light, self._size.rough_side)
        cube = select_cube(candidates, grid.pose, grid.layout)
        self._newest, self._newest_frame = colours, frame.index
        observation = Observation(
            counts=counted.counts,
            dice=dice,
            seconds=frame.seconds,
            frame=frame.index,
            quality=counted.readable_share,
            change=self._changes(colours, dice, counted),
            reference_frame=self._baseline_frame,
            cube=None if cube is None else cube.seen,
        )
        return Reading(observation, counted, grid)

    def read_dice(self, frame: Frame, counted: DiscCounts) -> tuple[DieSeen, ...]:
        """The frame's dice only, among checkers `counted` earlier."""
        grid = self._grid
        discs = checker_discs(counted, grid, self._appearance.diameter)
        found = select_dice(self._find_candidates(frame.image), grid.pose, grid.layout, discs)
        return self._lookalikes.without(found)

    def count_checkers(self, frame: Frame) -> DiscCounts:
        """The frame's checkers only."""
        picture = self._grid.rectify(frame.image)
        return self._count(frame.image, picture, to_perceptual(picture), ())

    def _find_candidates(self, image: Image) -> tuple[DieCandidate, ...]:
        pose = self._grid.pose
        return self._candidates.find(image, pose, search_margin(self.profile.throw_zone, pose))

    def _count(
        self,
        image: Image,
        picture: Image,
        colours: Colours,
        candidates: tuple[DieCandidate, ...],
    ) -> DiscCounts:
        """The checkers; as last counted if only dice have come since."""
        clean, grid = denoise(picture), self._grid
        if self._last is not None and self._last.grid is grid:
            places = [
                candidate.place
                for candidate in candidates
                if candidate.die_probability > MIN_DIE_PROBABILITY
            ]
            changed = changed_pixels(self._last.picture, clean)
            if (changed & ~self._die_mask(changed.shape, places)).sum() < MIN_CHECKER_PIXELS:
                return self._last.counted
        by_colour = count_checkers(colours, grid, self._appearance)
        counted = combine_with_net(by_colour, picture, grid, self._adaptation, image=image)
        self._last = _Last(clean, grid, counted)
        return counted

    def repeat(self, newest: Reading, frame: Frame) -> Reading:
        """The newest reading, dated to a later frame that shows the same; a tenth of the work."""
        seen = newest.observation
        is_compared = (
            seen.reference_frame == self._baseline_frame
        )  # nothing has settled since it was read
        observation = replace(
            seen,
            seconds=frame.seconds,
            frame=frame.index,
            change=seen.change
            if is_compared
            else self._changes(self._newest, seen.dice, newest.counted),
            reference_frame=self._baseline_frame,
        )
        return replace(newest, observation=observation)

    def move_to(self, pose: Pose) -> None:
        """See the same board from `pose` from now on; what is known of its set remains."""
        self.profile = self.profile.seen_from(pose, self.profile.layout)
        self._grid = self.profile.grid

    def set_baseline(self) -> None:
        """Compare later pictures with the one read last, whose play has been recorded."""
        self._baseline, self._baseline_frame = self._newest, self._newest_frame

    def _changes(
        self, colours: Colours | None, dice: tuple[DieSeen, ...], counted: DiscCounts
    ) -> NDArray[np.float32]:
        if self._baseline is None or colours is None:
            return np.zeros(28, np.float32)
        ignored = self._die_mask(colours.shape[:2], [die.board for die in dice])
        diameter = self._appearance.diameter
        changes = place_changes(self._baseline, colours, ignored, self._grid, diameter)
        is_full = np.abs(counted.counts[:POINTS].argmax(axis=1) - CHECKERS) >= FIRST_LAYER
        changes[:POINTS][is_full] = changes[:POINTS][is_full].clip(-HIDDEN_CHANGE_NATS)
        return changes

    def _die_mask(
        self, shape: tuple[int, ...], dice: Sequence[tuple[float, float]]
    ) -> NDArray[np.bool_]:
        places = np.array(dice, float).reshape(-1, 2)
        return disc_mask((shape[0], shape[1]), self._grid.to_pixels(places), DIE_MASK_RADIUS)


def fits_size(profile: Profile, image: Image) -> Profile:
    """The profile for another resolution of the same camera."""
    if profile.pose.fits(image):
        return profile
    height, width = image.shape[:2]
    return profile.seen_from(profile.pose.resized((width, height)), profile.layout)
