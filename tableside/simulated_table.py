"""Sight without pictures: looks made from known positions and dice, with chosen errors."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import dist
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from engine.cube_looks import CubeStands
from engine.dice import Roll
from engine.evidence import CELLS, COUNTS, DieSeen, Floats, Observation, Surface, cell_counts
from engine.looks import Busy
from engine.position import CHECKERS, Position, Side
from tableside.simulated_eye import HIGHEST, LOWEST, NEAR, PERFECT, Counts, Eye, Mask, Noise

SHARP: Final = 0.995
"""Probability that a reader states of its readings where nothing else is said."""
FLAT, COCKED = 0.99, 0.1
"""Probability of lying flat that is seen of dice that do, and of dice that lean."""
VOID_LOOKS: Final = 2
"""Looks that a bump spoils."""
DIE_APART: Final = 0.05
"""Board widths between the middles of two dice, at least: a die is some 0.035 wide."""
OPEN_SHARE: Final = 0.5
"""Share of hidden cells at which a look is worth nothing, as vision/reader.py has it."""


def counts_of(
    cells: Counts, hidden: tuple[int, ...] = (), sharp: ArrayLike = SHARP, near: float = 0.0
) -> Floats:
    """(28, 31) log-likelihoods of a reader that reads `cells` and does not see `hidden`.

    sharp: () or (28,) the probability stated of the readings; near: the share of the remaining
    doubt that goes to one checker more or fewer, the rest goes to all counts alike.
    """
    rows = np.arange(CELLS)
    stated = np.broadcast_to(np.asarray(sharp, float), CELLS)
    columns = np.arange(COUNTS)[None] - CHECKERS
    possible = (columns >= LOWEST[:, None]) & (columns <= HIGHEST[:, None])
    beside = (np.abs(columns - cells[:, None]) == 1) & possible
    # Half of it each way, so that the reading stays on top where there is only one way to err.
    beside = near / 2 * beside
    doubt = (1 - stated)[:, None]
    chances = doubt * (beside + (1 - beside.sum(axis=1, keepdims=True)) / (COUNTS - 1))
    chances[rows, cells + CHECKERS] = stated
    chances[list(hidden)] = 1 / COUNTS
    return np.asarray(np.log(chances), np.float32)


def die(
    value: int,
    board: tuple[float, float] = (0.7, 0.5),
    *,
    sharp: float = SHARP,
    flat: float = FLAT,
    surface: Surface = Surface.BOARD,
    side: Side | None = None,
) -> DieSeen:
    """A die that is read as `value`."""
    faces = tuple(sharp if face == value else (1 - sharp) / 5 for face in range(1, 7))
    return DieSeen(faces, (0.0, 0.0), board, flat, surface, side)


def look(position: Position, *dice: DieSeen, at: float = 0.0, quality: float = 1.0) -> Observation:
    """A perfect look at a position."""
    counts = counts_of(cell_counts(position))
    return Observation(counts, dice, at, round(at * 12), quality)


@dataclass
class Table:
    """A board in play: what happens is told by its methods, what is seen comes out as looks."""

    rng: np.random.Generator
    position: Position
    noise: Noise = PERFECT
    dice: tuple[DieSeen, ...] = ()
    """The dice on the board, as an eye that does not err would see them."""
    cube: CubeStands | None = None
    """The doubling cube, where one is beside the board."""
    clock: float = 0.0
    is_covered: bool = False
    """Nothing is seen at all: somebody stands before the camera."""
    seen: list[Observation | Busy] = field(default_factory=list)
    stood: list[Position] = field(default_factory=list)
    """The true position behind each of `seen`."""
    _eye: Eye = field(init=False)
    _unseen_dice: bool = False
    _read_dice: dict[DieSeen, DieSeen] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._eye = Eye(self.rng, self.noise)

    def hand(self) -> None:
        """A hand passes over the board."""
        self.clock += 1.0
        self._show(Busy(self.clock, round(self.clock * 12)))

    def rest(self, looks: int = 2, quality: float = 1.0) -> None:
        """Nothing moves for some looks; the misreadings of the first stay."""
        if self.noise.bumps and self.rng.random() < self.noise.bumps:
            self._look(looks, quality)
            self._bump()
        self._look(looks, quality)

    def throw(
        self, roll: Roll, side: Side, flat: float = FLAT, surface: Surface = Surface.BOARD
    ) -> None:
        """Two dice come to rest in the roller's right half; `flat`, `surface` are the second's."""
        self.hand()
        left = 0.55 if side is Side.LIGHT else 0.05
        values = [int(v) for v in self.rng.permutation([roll.high, roll.low])]
        spots = self._spots(left)
        self.dice = (
            die(values[0], spots[0]),
            die(values[1], spots[1], flat=flat, surface=surface),
        )
        self._read_dice.clear()
        self._unseen_dice = bool(self.rng.random() < self.noise.missed_throws)
        self.rest()

    def play(self, position: Position, looks: int = 2) -> None:
        """The checkers are moved, the dice still lie; without looks nobody saw them so."""
        self.hand()
        self.position = position
        if looks:
            self.rest(looks)

    def lift(self, looks: int = 2) -> None:
        """The dice are picked up; without looks the next throw follows at once."""
        self.hand()
        self.dice = ()
        if looks:
            self.rest(looks)

    def set_cube(self, cube: CubeStands, looks: int = 2) -> None:
        """A hand puts the cube there; without looks another hand follows at once."""
        self.hand()
        self.cube = cube
        if looks:
            self.rest(looks)

    def _spots(self, left: float) -> list[tuple[float, float]]:
        """Where two dice lie, not one upon the other."""
        while True:
            spots = [
                (left + 0.4 * self.rng.random(), 0.15 + 0.7 * self.rng.random()) for _ in range(2)
            ]
            if dist(*spots) > DIE_APART:
                return spots

    def _look(self, looks: int, quality: float) -> None:
        read, stated = self._eye.read(cell_counts(self.position))
        hidden = self._eye.hidden()
        near = NEAR if self.noise.stated is None else 0.0
        counts = counts_of(read, tuple(np.flatnonzero(hidden).tolist()), stated, near)
        dice = () if self._unseen_dice else tuple(self._read_die(one) for one in self.dice)
        self._show_looks(looks, counts, dice, min(quality, _openness(hidden)))

    def _bump(self) -> None:
        """Some looks are void, and what was misread before is not misread alike after."""
        self._show_looks(VOID_LOOKS, np.zeros((CELLS, COUNTS), np.float32), (), 0.0)
        self.hand()
        self._eye = Eye(self.rng, self.noise)
        self._read_dice.clear()

    def _show_looks(
        self, looks: int, counts: Floats, dice: tuple[DieSeen, ...], quality: float
    ) -> None:
        cube = None if self.cube is None or not quality else self._eye.read_cube(self.cube)
        for _ in range(looks):
            self.clock += 0.25
            frame = round(self.clock * 12)
            self._show(Observation(counts, dice, self.clock, frame, quality, cube=cube))

    def _show(self, seen: Observation | Busy) -> None:
        if not self.is_covered:
            self.seen.append(seen)
            self.stood.append(self.position)

    def _read_die(self, true: DieSeen) -> DieSeen:
        """How a die is read: mostly as it was in the last stretch."""
        known = self._read_dice.get(true)
        if known is None or self.rng.random() >= self.noise.glare:
            value, stated = self._eye.read_die(true.value)
            read = die(value, true.board, sharp=stated, flat=true.flat, surface=true.surface)
            known = self._read_dice[true] = replace(read, side=true.side)
        return known


def _openness(hidden: Mask) -> float:
    """The quality of a look that does not see `hidden` (28,) cells."""
    return float(np.clip(1 - hidden[:24].mean() / OPEN_SHARE, 0, 1))
