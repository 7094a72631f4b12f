"""How a simulated reader errs: chosen shares of misread cells and dice, and what it says of them.

A misreading is not noise in one picture: glare, a shadow or a worn checker causes it, so it stays
through a quiet stretch and mostly through the next ones, as long as the place holds the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Ints, Mask
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

Chances = NDArray[np.float64]

LOWEST: Final = np.full(CELLS, -CHECKERS)
"""(28,) the least signed count that a cell can hold; a bar and a tray are one side's."""
LOWEST[[LIGHT_BAR, LIGHT_OFF]] = 0
HIGHEST: Final = np.full(CELLS, CHECKERS)
HIGHEST[[DARK_BAR, DARK_OFF]] = 0

NEAR: Final = 0.9
"""Share of misread cells that are one checker off; the others are read as anything."""
DOUBTED: Final = 0.8
"""Share of the misreadings of a calibrated reader that fall where it doubts."""
DOUBT: Final = (0.4, 0.95)
"""The probabilities that it states there, all alike often."""
SUREST: Final = 0.9999
"""No reader states more."""
PLACE_STATED: Final = 0.97
"""What the reader says of the cube's place, wherever it is: as `PLACE_TRUST` of
vision/dice/selection.py."""
SHADOW: Final = 3
"""Points side by side that one shadow or hand hides."""
COMPARED: Final = 4.0
"""Nats at which the comparison of pictures is cut off, as vision/picture_diff.py does."""


@dataclass(frozen=True, slots=True)
class ReaderNoise:
    """What goes wrong with sight; every share is a probability, 0 by default."""

    sight: float = 0.0
    """Share of the 28 cells that are misread in a stretch."""
    stated: float | None = None
    """What the reader says of every reading, right or wrong; None: its doubt is calibrated."""
    glare: float = 0.8
    """Probability that a cell that holds the same is read the same in the next stretch too."""
    hidden: float = 0.0
    """Share of the 24 points that a hand or a shadow hides in a stretch, three side by side."""
    off_is_seen: bool = True
    """Whether the trays of borne-off checkers are in the picture."""
    dice: float = 0.0
    """Share of dice that are misread."""
    missed_throws: float = 0.0
    """Share of throws whose dice are never seen."""
    cube: float = 0.0
    """Share of stretches in which the cube's number is misread, and of those in which its place
    is, where a cube lies there."""
    unseen_cube: float = 0.0
    """Share of stretches in which the cube is not found."""
    bumps: float = 0.0
    """Share of stretches that a bump interrupts: void looks, then the board is read anew."""
    change: float | None = None
    """Share of cells for which the comparison with the last settled look errs; None: there is no
    comparison."""


PERFECT: Final = ReaderNoise()


def stated_chances(rng: np.random.Generator, errors: float, size: int) -> Chances:
    """(size,) probabilities that a calibrated reader states; their mean is 1 - `errors`.

    A reading that is right with just the stated probability is then wrong `errors` of the time,
    and `DOUBTED` of those errors are among the few readings that are doubted.
    """
    doubtful = DOUBTED * errors / (1 - sum(DOUBT) / 2)
    sure = 1 - (1 - DOUBTED) * errors / (1 - doubtful)
    return np.where(rng.random(size) < doubtful, rng.uniform(*DOUBT, size), sure)


@dataclass(slots=True)
class SimulatedReader:
    """Reads cells and dice with `noise`, and remembers how it read what is still there."""

    rng: np.random.Generator
    noise: ReaderNoise
    _true: Ints | None = None
    _read: Ints | None = None
    _stated: Chances | None = None
    _cube: tuple[CubeAtRest, CubeSeen | None] | None = None

    def read(self, cells: Ints) -> tuple[Ints, Chances]:
        """(28,) the counts that are read in a stretch, and the probability stated of each."""
        chances = stated_chances(self.rng, self.noise.sight, CELLS)
        read = self._misread(cells, self.rng.random(CELLS) >= chances)
        if self._true is not None and self._read is not None and self._stated is not None:
            kept = (self._true == cells) & (self.rng.random(CELLS) < self.noise.glare)
            read = np.where(kept, self._read, read)
            chances = np.where(kept, self._stated, chances)
        self._true, self._read, self._stated = cells.copy(), read, chances
        return read, self._said(chances)

    def read_die(self, value: int) -> tuple[int, float]:
        """What a die is read as, and the probability stated of it."""
        chances = stated_chances(self.rng, self.noise.dice, 1)
        if self.rng.random() >= chances[0]:
            value = int(self.rng.choice([v for v in range(1, 7) if v != value]))
        return value, float(self._said(chances)[0])

    def read_cube(self, true: CubeAtRest) -> CubeSeen | None:
        """How the cube is read in a stretch: mostly as in the last one, if it was not touched."""
        known = self._cube
        if known is not None and known[0] == true and self.rng.random() < self.noise.glare:
            return known[1]
        seen = None
        if self.rng.random() >= self.noise.unseen_cube:
            chances = stated_chances(self.rng, self.noise.cube, 1)
            value, stated = true.value, float(self._said(chances)[0])
            if self.rng.random() >= chances[0]:
                value = int(self.rng.choice([v for v in CUBE_VALUES if v != value]))
            place = true.place
            if self.rng.random() < self.noise.cube:
                place = self.rng.choice(np.array([p for p in CubePlace if p is not place]))
            seen = CubeSeen(
                _spread(CUBE_VALUES, value, stated), _spread(CubePlace, place, PLACE_STATED)
            )
        self._cube = true, seen
        return seen

    def hidden(self) -> Mask:
        """(28,) which cells cannot be seen in this stretch."""
        # Each shadow covers SHADOW points, so fewer begin than points are hidden.
        begins = self.rng.random(24) < 1 - (1 - self.noise.hidden) ** (1 / SHADOW)
        covered = np.any([np.roll(begins, step) for step in range(SHADOW)], axis=0)
        trays = not self.noise.off_is_seen
        return np.concatenate([covered, [False, False, trays, trays]])

    def _said(self, chances: Chances) -> Chances:
        if self.noise.stated is not None:
            return np.full_like(chances, self.noise.stated)
        return np.minimum(chances, SUREST)

    def _misread(self, cells: Ints, wrong: Mask) -> Ints:
        step = np.where(self.rng.random(CELLS) < 0.5, -1, 1)
        beside = cells + step
        beside = np.where((beside < LOWEST) | (beside > HIGHEST), cells - step, beside)
        # Any other count: drawn from one fewer than there are, the true one stepped over.
        anything = self.rng.integers(LOWEST, HIGHEST)
        anything = anything + (anything >= cells)
        is_near = self.rng.random(CELLS) < NEAR
        return np.where(wrong, np.where(is_near, beside, anything), cells)


def _spread(answers: Iterable[object], read: object, stated: float) -> tuple[float, ...]:
    """The stated probability for what is read, the rest for all others alike."""
    every = tuple(answers)
    return tuple(stated if one == read else (1 - stated) / (len(every) - 1) for one in every)


@dataclass(slots=True)
class SimulatedComparison:
    """The second kind of evidence: which cells changed since the look that was settled last."""

    rng: np.random.Generator
    errors: float | None
    """Share of cells for which it errs; None: it is silent."""
    _settled: Ints | None = None
    _newest: Ints | None = None
    _is_settled_picture: bool = False
    _settled_at: int | None = None
    _read_at: int | None = None
    _right: Mask | None = None
    _chances: Chances | None = None

    def settle(self) -> None:
        """A play was recorded: later looks are compared with the last one."""
        self._settled, self._is_settled_picture = self._newest, True
        self._settled_at = self._read_at

    def compare(self, look: Observation | Motion, stood: Position) -> Observation | Motion:
        """`look` at `stood` with its changes filled in; a hidden cell says nothing.

        Each stretch between two hands errs in its own way.
        """
        if isinstance(look, Motion):
            self._right = None
            return look
        if self.errors is None:
            return look
        self._newest, self._read_at = cell_counts(stood), look.frame
        if self._right is None or self._chances is None:
            self._is_settled_picture = False
            self._chances = stated_chances(self.rng, self.errors, CELLS)
            self._right = self.rng.random(CELLS) < self._chances
        if self._settled is None:
            return look
        seen = np.ptp(look.counts, axis=1) > 0
        change = (self._ratios(self._newest, self._settled) * seen).astype("f4")
        return replace(look, change=change, reference_frame=self._settled_at)

    def _ratios(self, cells: Ints, settled: Ints) -> Chances:
        """(28,) log-likelihood ratios `changed : untouched`, cut off at `COMPARED`."""
        assert self._chances is not None  # noqa: S101 (drawn by the caller)
        changed = cells != settled
        changed[[LIGHT_BAR, DARK_BAR]] = changed[[LIGHT_BAR, DARK_BAR]].any()
        told = changed == self._right
        sure = np.minimum(self._chances, SUREST)
        ratios = np.where(told, 1, -1) * np.log(sure / (1 - sure))
        if self._is_settled_picture:
            ratios[:] = -COMPARED  # a picture beside itself
        ratios[[LIGHT_OFF, DARK_OFF]] = (
            0  # the trays are not compared, as in vision/picture_diff.py
        )
        bars = [LIGHT_BAR, DARK_BAR]
        ratios[bars] = min(0.0, float(ratios[LIGHT_BAR]))  # whose checker, nobody can say
        return np.asarray(np.clip(ratios, -COMPARED, COMPARED))
