"""Observations without pictures, made from known positions and dice, with chosen errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, combinations
from math import dist
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from engine.arrays import Floats32, Ints, Mask, Rng
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
    MAX_COUNTS,
    MIN_COUNTS,
    OFF_BY_ONE_SHARE,
    PERFECT,
    ReaderNoise,
    SimulatedReader,
)

CONFIDENCE: Final = 0.995
"""Probability that a reader states for its readings unless specified otherwise."""
FLAT, COCKED = 0.99, 0.1
"""Observed probability of lying flat, for flat dice and for cocked dice."""
COLOUR_DEVIATIONS: Final = (1.5, 1.0, 1.5)
"""Standard deviations of a die's color between throws, in CIE Lab."""
HALF_STARTS: Final = {Side.LIGHT: 0.55, Side.DARK: 0.05}
"""Where each player's right half begins, in field widths."""
VOID_OBSERVATIONS: Final = 2
"""Number of observations that a bump spoils."""
MIN_DIE_DISTANCE: Final = 0.05
"""Minimum distance between the centers of two dice, in field widths; a die is about 0.035 wide."""
MAX_HIDDEN_SHARE: Final = 0.5
"""Fraction of hidden cells at which the quality is 0, as in vision/checkers/disc_model.py."""
FRAMES_PER_SECOND: Final = 12


def counts_of(
    cells: Ints,
    hidden: Sequence[int] | Mask = (),
    confidence: ArrayLike = CONFIDENCE,
    near: float = 0.0,
) -> Floats32:
    """(28, 31) log-likelihoods of a reader that reads `cells` and does not see those `hidden`.

    hidden: indices, or a (28,) mask; confidence: () or (28,) stated probability of the readings;
    near: the fraction of the remaining doubt that goes to one checker more or fewer.
    """
    stated = np.broadcast_to(np.asarray(confidence, float), CELLS)
    columns = np.arange(COUNTS)[None] - CHECKERS
    is_possible = (columns >= MIN_COUNTS[:, None]) & (columns <= MAX_COUNTS[:, None])
    # Half of it in each direction, so that the reading stays on top if only one direction is
    # possible.
    beside = near / 2 * ((np.abs(columns - cells[:, None]) == 1) & is_possible)
    doubt = (1 - stated)[:, None]
    chances = doubt * (beside + (1 - beside.sum(axis=1, keepdims=True)) / (COUNTS - 1))
    chances[np.arange(CELLS), cells + CHECKERS] = stated
    chances[list(hidden)] = 1 / COUNTS
    return np.asarray(np.log(chances), np.float32)


def die(
    value: int,
    board: tuple[float, float] = (0.7, 0.5),
    *,
    confidence: float = CONFIDENCE,
    flat: float = FLAT,
    surface: Surface = Surface.BOARD,
    side: Side | None = None,
    appearance: DieAppearance | None = None,
) -> DieSeen:
    """A die that is read as `value`."""
    faces = tuple(confidence if face == value else (1 - confidence) / 5 for face in range(1, 7))
    return DieSeen(faces, (0.0, 0.0), board, flat, surface, side, appearance)


def observation_of(
    position: Position, *dice: DieSeen, seconds: float = 0.0, quality: float = 1.0
) -> Observation:
    """An observation of a position without misreadings."""
    counts = counts_of(cell_counts(position))
    return Observation(counts, dice, seconds, round(seconds * FRAMES_PER_SECOND), quality)


@dataclass
class SimulatedBoard:
    """A board in play: its methods are what happens, `seen` is what a reader makes of it."""

    rng: Rng
    position: Position
    noise: ReaderNoise = PERFECT
    dice: tuple[DieSeen, ...] = ()
    """The dice on the board, as an error-free reader would see them."""
    cube: CubeAtRest | None = None
    """The doubling cube, if there is one."""
    appearances: Mapping[Side, DieAppearance] = field(default_factory=dict)
    """What each player's dice look like; empty if the reader sees no colors."""
    uses_both_halves: bool = False
    """Whether dice land all over the board rather than in their player's right half."""
    left_dice: dict[Side, tuple[DieSeen, ...]] = field(default_factory=dict)
    """Dice from earlier turns that nobody has picked up."""
    clock: float = 0.0
    is_covered: bool = False
    """Whether somebody stands in front of the camera, so that nothing is seen."""
    seen: list[Observation | Motion] = field(default_factory=list)
    true_positions: list[Position] = field(default_factory=list)
    """The true position behind each entry of `seen`."""
    _reader: SimulatedReader = field(init=False)
    _is_throw_missed: bool = False
    _read_dice: dict[DieSeen, DieSeen] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._reader = SimulatedReader(self.rng, self.noise)

    def move_hand(self) -> None:
        """A hand passes over the board."""
        self.clock += 1.0
        self._append(Motion(self.clock, round(self.clock * FRAMES_PER_SECOND)))

    def rest(self, observations: int = 2, quality: float = 1.0) -> None:
        """Nothing moves for this many observations; the misreadings of the first persist."""
        if not observations:
            return
        if self.noise.bumps and self.rng.random() < self.noise.bumps:
            self._observe(observations, quality)
            self._bump()
        self._observe(observations, quality)

    def throw(
        self, roll: Roll, side: Side, flat: float = FLAT, surface: Surface = Surface.BOARD
    ) -> None:
        """`side` picks up its dice and throws; `flat` and `surface` apply to the second die."""
        self.move_hand()
        self.left_dice.pop(side, None)
        values = self.rng.permutation([roll.high, roll.low])
        spots = self._draw_spots(side)
        at_rest = ((FLAT, Surface.BOARD), (flat, surface))
        self.dice = tuple(
            die(int(value), spot, flat=flat, surface=surface, appearance=self._appearance_of(side))
            for value, spot, (flat, surface) in zip(values, spots, at_rest, strict=True)
        )
        self._read_dice.clear()
        self._is_throw_missed = bool(self.rng.random() < self.noise.missed_throws)
        self.rest()

    def play(self, position: Position, observations: int = 2) -> None:
        """The checkers are moved with the dice still there; 0 observations: nobody sees that."""
        self.move_hand()
        self.position = position
        self.rest(observations)

    def lift(self, observations: int = 2) -> None:
        """The dice are picked up; 0 observations: the next throw follows immediately."""
        self.move_hand()
        self.dice = ()
        self.rest(observations)

    def set_cube(self, cube: CubeAtRest, observations: int = 2) -> None:
        """A hand places the cube; 0 observations: another hand follows immediately."""
        self.move_hand()
        self.cube = cube
        self.rest(observations)

    def leave_dice(self, side: Side) -> None:
        """The dice of `side` stay where they are until that player throws again."""
        self.left_dice[side], self.dice = self.dice, ()

    def push_left_dice(self) -> None:
        """A hand makes room: dice from earlier turns are moved, with the same faces."""
        pushed, self.left_dice = self.left_dice, {}
        for side, dice in pushed.items():
            spots = self._draw_spots(side)
            self.left_dice[side] = tuple(
                replace(one, board=spot) for one, spot in zip(dice, spots, strict=True)
            )

    def _appearance_of(self, side: Side) -> DieAppearance | None:
        usual = self.appearances.get(side)
        if usual is None:
            return None
        lightness, a, b = self.rng.normal(usual.body, COLOUR_DEVIATIONS).tolist()
        return replace(usual, body=(lightness, a, b))

    def _draw_spots(self, side: Side) -> list[tuple[float, float]]:
        """Positions for two dice that do not overlap."""
        others = [one.board for one in chain(*self.left_dice.values())]
        starts = tuple(HALF_STARTS.values()) if self.uses_both_halves else (HALF_STARTS[side],)
        while True:
            spots = [
                (
                    starts[int(self.rng.integers(len(starts)))] + 0.4 * self.rng.random(),
                    0.15 + 0.7 * self.rng.random(),
                )
                for _ in range(2)
            ]
            pairs = chain(combinations(spots, 2), ((a, b) for a in spots for b in others))
            if all(dist(*pair) > MIN_DIE_DISTANCE for pair in pairs):
                return spots

    def _observe(self, observations: int, quality: float) -> None:
        read, stated = self._reader.read(cell_counts(self.position))
        hidden = self._reader.draw_hidden()
        near = OFF_BY_ONE_SHARE if self.noise.stated is None else 0.0
        counts = counts_of(read, hidden, stated, near)
        thrown = () if self._is_throw_missed else self.dice
        dice = tuple(self._read_die(one) for one in chain(thrown, *self.left_dice.values()))
        openness = float(np.clip(1 - hidden[:24].mean() / MAX_HIDDEN_SHARE, 0, 1))
        self._append_observations(observations, counts, dice, min(quality, openness))

    def _bump(self) -> None:
        """Some observations are void, and earlier misreadings do not recur afterward."""
        self._append_observations(VOID_OBSERVATIONS, np.zeros((CELLS, COUNTS), np.float32), (), 0.0)
        self.move_hand()
        self._reader = SimulatedReader(self.rng, self.noise)
        self._read_dice.clear()

    def _append_observations(
        self, number: int, counts: Floats32, dice: tuple[DieSeen, ...], quality: float
    ) -> None:
        cube = None if self.cube is None or not quality else self._reader.read_cube(self.cube)
        for _ in range(number):
            self.clock += 0.25
            frame = round(self.clock * FRAMES_PER_SECOND)
            self._append(Observation(counts, dice, self.clock, frame, quality, cube=cube))

    def _append(self, seen: Observation | Motion) -> None:
        if not self.is_covered:
            self.seen.append(seen)
            self.true_positions.append(self.position)

    def _read_die(self, true: DieSeen) -> DieSeen:
        """How a die is read: usually as in the previous still period."""
        known = self._read_dice.get(true)
        if known is None or self.rng.random() >= self.noise.glare:
            value, confidence = self._reader.read_die(true.value)
            faces = die(value, confidence=confidence).faces
            known = self._read_dice[true] = replace(true, faces=faces)
        return known
