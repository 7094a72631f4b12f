"""How a simulated reader errs: rates of misread cells and dice, and its stated confidence.

A misreading is not the noise of one frame: glare, a shadow or a worn checker causes it, so it
persists through a still period and usually the next ones, as long as the place is unchanged.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from engine.arrays import Floats, Ints, Mask, Rng
from engine.events.match import Event, GameEnd, GameStart, PlayMade, PlayRejected
from engine.evidence.cube_track import CubeAtRest
from engine.evidence.observation import (
    CELLS,
    CUBE_VALUES,
    DARK_BAR,
    DARK_OFF,
    LIGHT_BAR,
    LIGHT_OFF,
    CubePlace,
    CubeSeen,
    Observation,
    cell_counts,
)
from engine.evidence.still_period import Motion
from engine.position import CHECKERS, Position

MIN_COUNTS: Final = np.full(CELLS, -CHECKERS)
"""(28,) the minimum signed count that a cell can hold; a bar and a tray belong to one side."""
MIN_COUNTS[[LIGHT_BAR, LIGHT_OFF]] = 0
MAX_COUNTS: Final = np.full(CELLS, CHECKERS)
MAX_COUNTS[[DARK_BAR, DARK_OFF]] = 0
BAR_CELLS: Final = [LIGHT_BAR, DARK_BAR]

OFF_BY_ONE_SHARE: Final = 0.9
"""Fraction of misread cells that are off by one checker; the others are read at random."""
DOUBTED_ERROR_SHARE: Final = 0.8
"""Fraction of a calibrated reader's misreadings that occur where it is doubtful."""
DOUBTFUL_CONFIDENCES: Final = (0.4, 0.95)
"""The range of confidences that it states there, uniformly distributed."""
MAX_CONFIDENCE: Final = 0.9999
CUBE_PLACE_CONFIDENCE: Final = 0.97
"""As `PLACE_TRUST` of vision/dice/selection.py."""
SHADOW_POINTS: Final = 3
"""Adjacent points that one shadow or hand hides."""
MAX_LOG_RATIO: Final = 4.0
"""Nats at which the comparison of pictures is clipped, as in vision/picture_diff.py."""
SETTLING_EVENTS: Final = (GameStart, PlayMade, PlayRejected, GameEnd)
"""Events after which the comparison of pictures starts over, as in tableside/match/session.py."""


@dataclass(frozen=True, slots=True)
class ReaderNoise:
    """Error rates of a reader; each is a probability, 0 by default."""

    sight: float = 0.0
    """Fraction of the 28 cells that are misread in a still period."""
    stated: float | None = None
    """The confidence stated for every reading, right or wrong; None if it is calibrated."""
    glare: float = 0.8
    """Probability that an unchanged cell is read the same way in the next period."""
    hidden: float = 0.0
    """Fraction of the 24 points that a hand or a shadow hides in a period, three adjacent ones."""
    off_is_seen: bool = True
    """Whether the trays for borne-off checkers are in the picture."""
    dice: float = 0.0
    """Fraction of dice that are misread."""
    missed_throws: float = 0.0
    """Fraction of throws whose dice are never seen."""
    cube: float = 0.0
    """Fraction of periods in which the cube's number is misread, and likewise its place."""
    unseen_cube: float = 0.0
    """Fraction of periods in which the cube is not found."""
    bumps: float = 0.0
    """Fraction of periods interrupted by a bump: void observations, then the board is read
    afresh."""
    change: float | None = None
    """Fraction of cells for which the comparison of pictures errs; None if there is none."""


PERFECT: Final = ReaderNoise()


def draw_confidences(rng: Rng, error_rate: float, size: int) -> Floats:
    """(size,) confidences that a calibrated reader states, with mean 1 - `error_rate`.

    A reading that is right with exactly its confidence is then wrong at that rate, and
    `DOUBTED_ERROR_SHARE` of the errors are among the few doubtful readings.
    """
    doubtful = DOUBTED_ERROR_SHARE * error_rate / (1 - sum(DOUBTFUL_CONFIDENCES) / 2)
    sure = 1 - (1 - DOUBTED_ERROR_SHARE) * error_rate / (1 - doubtful)
    return np.where(rng.random(size) < doubtful, rng.uniform(*DOUBTFUL_CONFIDENCES, size), sure)


@dataclass(slots=True)
class SimulatedReader:
    """Reads cells and dice with `noise`, and remembers how it read what has not changed."""

    rng: Rng
    noise: ReaderNoise
    _previous: tuple[Ints, Ints, Floats] | None = None
    """(28,) the previous period's true counts, counts as read, and confidences."""
    _cube: tuple[CubeAtRest, CubeSeen | None] | None = None

    def read(self, cells: Ints) -> tuple[Ints, Floats]:
        """(28,) the counts read in a still period, and the confidence in each."""
        confidences = draw_confidences(self.rng, self.noise.sight, CELLS)
        read = self._misread(cells, self.rng.random(CELLS) >= confidences)
        if self._previous is not None:
            true, read_before, stated_before = self._previous
            kept = (true == cells) & (self.rng.random(CELLS) < self.noise.glare)
            read = np.where(kept, read_before, read)
            confidences = np.where(kept, stated_before, confidences)
        self._previous = cells.copy(), read, confidences
        return read, self._stated(confidences)

    def read_die(self, value: int) -> tuple[int, float]:
        """The value that a die is read as, and the confidence in it."""
        value, confidence = self._read_one_of(range(1, 7), value, self.noise.dice)
        return int(value), confidence

    def read_cube(self, true: CubeAtRest) -> CubeSeen | None:
        """How the cube is read in a period: usually as in the last one, if it was not touched."""
        known = self._cube
        if known is not None and known[0] == true and self.rng.random() < self.noise.glare:
            return known[1]
        seen = None
        if self.rng.random() >= self.noise.unseen_cube:
            value, confidence = self._read_one_of(CUBE_VALUES, true.value, self.noise.cube)
            place = true.place
            if self.rng.random() < self.noise.cube:
                place = self.rng.choice(np.array([p for p in CubePlace if p is not place]))
            seen = CubeSeen(
                _distribution(CUBE_VALUES, value, confidence),
                _distribution(CubePlace, place, CUBE_PLACE_CONFIDENCE),
            )
        self._cube = true, seen
        return seen

    def draw_hidden(self) -> Mask:
        """(28,) the cells that cannot be seen in this period."""
        # Each shadow covers SHADOW_POINTS, so fewer start than points are hidden.
        begins = self.rng.random(24) < 1 - (1 - self.noise.hidden) ** (1 / SHADOW_POINTS)
        covered = np.any([np.roll(begins, step) for step in range(SHADOW_POINTS)], axis=0)
        are_trays_hidden = not self.noise.off_is_seen
        return np.concatenate([covered, [False, False, are_trays_hidden, are_trays_hidden]])

    def _read_one_of(
        self, answers: Iterable[int], true: int, error_rate: float
    ) -> tuple[int, float]:
        confidences = draw_confidences(self.rng, error_rate, 1)
        is_wrong = self.rng.random() >= confidences[0]
        read = self.rng.choice([one for one in answers if one != true]) if is_wrong else true
        return int(read), float(self._stated(confidences)[0])

    def _stated(self, confidences: Floats) -> Floats:
        if self.noise.stated is not None:
            return np.full_like(confidences, self.noise.stated)
        return np.minimum(confidences, MAX_CONFIDENCE)

    def _misread(self, cells: Ints, is_wrong: Mask) -> Ints:
        step = np.where(self.rng.random(CELLS) < 0.5, -1, 1)
        beside = cells + step
        beside = np.where((beside < MIN_COUNTS) | (beside > MAX_COUNTS), cells - step, beside)
        # Any other count: drawn from one fewer than there are, skipping the true one.
        other = self.rng.integers(MIN_COUNTS, MAX_COUNTS)
        other = other + (other >= cells)
        is_off_by_one = self.rng.random(CELLS) < OFF_BY_ONE_SHARE
        return np.where(is_wrong, np.where(is_off_by_one, beside, other), cells)


def _distribution(answers: Iterable[object], read: object, confidence: float) -> tuple[float, ...]:
    """`confidence` for the value read, the rest divided among the other answers."""
    every = tuple(answers)
    rest = (1 - confidence) / (len(every) - 1)
    return tuple(confidence if one == read else rest for one in every)


@dataclass(slots=True)
class SimulatedComparison:
    """The second kind of evidence: which cells have changed since the last settled picture."""

    rng: Rng
    error_rate: float | None
    """Fraction of cells for which it errs; None if there is no comparison."""
    _newest: tuple[Ints, int] | None = None
    """(28,) the true counts at the newest observation, and its frame."""
    _settled: tuple[Ints, int] | None = None
    """The same for the observation with which later ones are compared."""
    _is_settled_period: bool = False
    """Whether that observation belongs to the current still period."""
    _drawn: tuple[Mask, Floats] | None = None
    """(28,) whether the comparison is right in this period, and its confidences."""

    def settle_after(self, events: Iterable[Event]) -> None:
        """Settle if one of them says that the position of the last observation is recorded."""
        if any(isinstance(event, SETTLING_EVENTS) for event in events):
            self.settle()

    def settle(self) -> None:
        """Note a recorded play: later observations are compared with the latest one."""
        self._settled, self._is_settled_period = self._newest, True

    def compare(self, seen: Observation | Motion, position: Position) -> Observation | Motion:
        """`seen` of the true `position`, with its changes filled in; a hidden cell has none.

        Each still period errs in its own way.
        """
        if isinstance(seen, Motion):
            self._drawn = None
            return seen
        if self.error_rate is None:
            return seen
        cells = cell_counts(position)
        self._newest = cells, seen.frame
        if self._drawn is None:
            self._is_settled_period = False
            confidences = draw_confidences(self.rng, self.error_rate, CELLS)
            self._drawn = self.rng.random(CELLS) < confidences, confidences
        if self._settled is None:
            return seen
        settled, frame = self._settled
        is_visible = np.ptp(seen.counts, axis=1) > 0
        change = self._log_ratios(cells != settled, *self._drawn) * is_visible
        return replace(seen, change=change.astype(np.float32), reference_frame=frame)

    def _log_ratios(self, has_changed: Mask, is_right: Mask, confidences: Floats) -> Floats:
        """(28,) log-likelihood ratios `changed : untouched`."""
        has_changed[BAR_CELLS] = has_changed[BAR_CELLS].any()
        sure = np.minimum(confidences, MAX_CONFIDENCE)
        ratios = np.where(has_changed == is_right, 1, -1) * np.log(sure / (1 - sure))
        if self._is_settled_period:
            ratios[:] = -MAX_LOG_RATIO  # a picture compared with itself
        ratios[[LIGHT_OFF, DARK_OFF]] = 0  # trays are not compared, as in vision/picture_diff.py
        ratios[BAR_CELLS] = min(0.0, float(ratios[LIGHT_BAR]))  # nobody can tell whose it is
        return np.asarray(np.clip(ratios, -MAX_LOG_RATIO, MAX_LOG_RATIO))
