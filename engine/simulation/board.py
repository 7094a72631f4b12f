"""Sight without pictures: looks made from known positions and dice, with chosen errors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import chain, combinations
from math import dist
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from engine.arrays import Floats32, Ints, Mask
from engine.dice import Roll
from engine.evidence.cube_track import CubeAtRest
from engine.evidence.observation import (
    CELLS,
    COUNTS,
    DieAppearance,
    DieSeen,
    Observation,
    Surface,
    cell_counts,
)
from engine.evidence.still_period import Motion
from engine.position import CHECKERS, Position, Side
from engine.simulation.reader_errors import (
    HIGHEST,
    LOWEST,
    NEAR,
    PERFECT,
    ReaderNoise,
    SimulatedReader,
)

SHARP: Final = 0.995
"""Probability that a reader states of its readings where nothing else is said."""
FLAT, COCKED = 0.99, 0.1
"""Probability of lying flat that is seen of dice that do, and of dice that lean."""
SHADES: Final = (1.5, 1.0, 1.5)
"""Standard deviations of a die's colour from throw to throw, CIE Lab: a lamp lights no two places
alike."""
HALVES: Final = {Side.LIGHT: 0.55, Side.DARK: 0.05}
"""Where a player's right half begins, in field widths."""
VOID_LOOKS: Final = 2
"""Looks that a bump spoils."""
DIE_APART: Final = 0.05
"""Board widths between the middles of two dice, at least: a die is some 0.035 wide."""
OPEN_SHARE: Final = 0.5
"""Share of hidden cells at which a look is worth nothing, as vision/reading/reader.py has it."""


def counts_of(
    cells: Ints, hidden: tuple[int, ...] = (), sharp: ArrayLike = SHARP, near: float = 0.0
) -> Floats32:
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
class SimulatedBoard:
    """A board in play: what happens is told by its methods, what is seen comes out as looks."""

    rng: np.random.Generator
    position: Position
    noise: ReaderNoise = PERFECT
    dice: tuple[DieSeen, ...] = ()
    """The dice on the board, as an eye that does not err would see them."""
    cube: CubeAtRest | None = None
    """The doubling cube, where one is beside the board."""
    pairs: Mapping[Side, DieAppearance] = field(default_factory=dict)
    """What each player's dice look like; nothing where the reader tells no colours."""
    is_any_half: bool = False
    """Whether dice fall all over the board and not into their player's right half."""
    left: dict[Side, tuple[DieSeen, ...]] = field(default_factory=dict)
    """Dice of turns before that nobody has picked up."""
    clock: float = 0.0
    is_covered: bool = False
    """Nothing is seen at all: somebody stands before the camera."""
    seen: list[Observation | Motion] = field(default_factory=list)
    stood: list[Position] = field(default_factory=list)
    """The true position behind each of `seen`."""
    _eye: SimulatedReader = field(init=False)
    _unseen_dice: bool = False
    _read_dice: dict[DieSeen, DieSeen] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._eye = SimulatedReader(self.rng, self.noise)

    def hand(self) -> None:
        """A hand passes over the board."""
        self.clock += 1.0
        self._show(Motion(self.clock, round(self.clock * 12)))

    def rest(self, looks: int = 2, quality: float = 1.0) -> None:
        """Nothing moves for some looks; the misreadings of the first stay."""
        if self.noise.bumps and self.rng.random() < self.noise.bumps:
            self._look(looks, quality)
            self._bump()
        self._look(looks, quality)

    def throw(
        self, roll: Roll, side: Side, flat: float = FLAT, surface: Surface = Surface.BOARD
    ) -> None:
        """Two dice come to rest in the roller's right half; `flat`, `surface` are the second's.

        He has picked them up where they lay.
        """
        self.hand()
        self.left.pop(side, None)
        values = [int(v) for v in self.rng.permutation([roll.high, roll.low])]
        spots = self._spots(side)
        self.dice = (
            replace(die(values[0], spots[0]), appearance=self._make(side)),
            replace(
                die(values[1], spots[1], flat=flat, surface=surface), appearance=self._make(side)
            ),
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

    def set_cube(self, cube: CubeAtRest, looks: int = 2) -> None:
        """A hand puts the cube there; without looks another hand follows at once."""
        self.hand()
        self.cube = cube
        if looks:
            self.rest(looks)

    def leave(self, side: Side) -> None:
        """The dice of `side` stay where they lie until he throws again."""
        self.left[side], self.dice = self.dice, ()

    def push(self) -> None:
        """A hand makes room: dice that lie there from turns before lie elsewhere, as they were."""
        lying, self.left = self.left, {}
        for side, dice in lying.items():
            spots = self._spots(side)
            self.left[side] = tuple(
                replace(one, board=spot) for one, spot in zip(dice, spots, strict=True)
            )

    def _make(self, side: Side) -> DieAppearance | None:
        usual = self.pairs.get(side)
        if usual is None:
            return None
        light, red, yellow = self.rng.normal(usual.body, SHADES)
        return replace(usual, body=(float(light), float(red), float(yellow)))

    def _spots(self, side: Side) -> list[tuple[float, float]]:
        """Where two dice lie, not one upon another."""
        lying = [one.board for one in chain(*self.left.values())]
        begins = tuple(HALVES.values()) if self.is_any_half else (HALVES[side],)
        while True:
            spots = [
                (
                    begins[int(self.rng.integers(len(begins)))] + 0.4 * self.rng.random(),
                    0.15 + 0.7 * self.rng.random(),
                )
                for _ in range(2)
            ]
            beside = chain(combinations(spots, 2), ((a, b) for a in spots for b in lying))
            if all(dist(*two) > DIE_APART for two in beside):
                return spots

    def _look(self, looks: int, quality: float) -> None:
        read, stated = self._eye.read(cell_counts(self.position))
        hidden = self._eye.hidden()
        near = NEAR if self.noise.stated is None else 0.0
        counts = counts_of(read, tuple(np.flatnonzero(hidden).tolist()), stated, near)
        thrown = () if self._unseen_dice else self.dice
        dice = tuple(self._read_die(one) for one in chain(thrown, *self.left.values()))
        self._show_looks(looks, counts, dice, min(quality, _openness(hidden)))

    def _bump(self) -> None:
        """Some looks are void, and what was misread before is not misread alike after."""
        self._show_looks(VOID_LOOKS, np.zeros((CELLS, COUNTS), np.float32), (), 0.0)
        self.hand()
        self._eye = SimulatedReader(self.rng, self.noise)
        self._read_dice.clear()

    def _show_looks(
        self, looks: int, counts: Floats32, dice: tuple[DieSeen, ...], quality: float
    ) -> None:
        cube = None if self.cube is None or not quality else self._eye.read_cube(self.cube)
        for _ in range(looks):
            self.clock += 0.25
            frame = round(self.clock * 12)
            self._show(Observation(counts, dice, self.clock, frame, quality, cube=cube))

    def _show(self, seen: Observation | Motion) -> None:
        if not self.is_covered:
            self.seen.append(seen)
            self.stood.append(self.position)

    def _read_die(self, true: DieSeen) -> DieSeen:
        """How a die is read: mostly as it was in the last stretch."""
        known = self._read_dice.get(true)
        if known is None or self.rng.random() >= self.noise.glare:
            value, stated = self._eye.read_die(true.value)
            read = die(value, true.board, sharp=stated, flat=true.flat, surface=true.surface)
            known = self._read_dice[true] = replace(
                read, side=true.side, appearance=true.appearance
            )
        return known


def _openness(hidden: Mask) -> float:
    """The quality of a look that does not see `hidden` (28,) cells."""
    return float(np.clip(1 - hidden[:24].mean() / OPEN_SHARE, 0, 1))
