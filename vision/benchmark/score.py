"""One still compared with its truth.

The numbering does not matter: points are matched by where their wide ends are in the picture,
corners whichever comes first and in either direction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

import numpy as np

from engine import CHECKERS, DieSeen, Side, Surface
from engine.arrays import Floats
from engine.evidence.observation import DARK_BAR, LIGHT_BAR
from vision.benchmark.truth import LabelledDie, StillTruth
from vision.reading.single_image import ImageReading

MAX_CORNER_ERROR: Final = 0.05
"""Maximum distance of a corner from its true place on a board that counts as found, in
diagonals."""
MAX_DIE_DISTANCE: Final = 0.03
"""Field diagonals within which a die that was read matches a true one."""
OFF_BOARD: Final = (Surface.TABLE, Surface.FRAME, Surface.BAR)


@dataclass(frozen=True, slots=True)
class PointScore:
    """One judged point."""

    true: int
    """Signed count; dark is negative."""
    layers: int | None
    predicted: int | None = None
    """None for a still that was not read."""
    confidence: float | None = None
    chance_of_truth: float | None = None
    """Probability given to the true count."""

    @property
    def is_right(self) -> bool:
        """Whether the most probable count is the true one."""
        return self.predicted == self.true


@dataclass(frozen=True, slots=True)
class DiceScore:
    """The dice of one still; counts."""

    true: int
    found: int = 0
    value_right: int = 0
    state_right: int = 0
    extra: int = 0
    """Dice read where there are none."""
    confidences: tuple[float, ...] = ()
    """Of the values of those found."""


@dataclass(frozen=True, slots=True, eq=False)
class ScoredStill:
    """One still and how it was read."""

    truth: StillTruth
    points: tuple[PointScore, ...]
    """Those whose truth is known; all count as wrong in a still that was not read."""
    dice: DiceScore | None
    """None if the dice are not labeled."""
    corner_error: float | None = None
    """Largest distance of a corner from its true place, in diagonals; None if not read."""
    is_bar_right: bool = False
    timing_ms: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    """Time of each stage; empty for a still that was not read."""
    fault: str | None = None
    """Why it was not read."""

    @property
    def is_found(self) -> bool:
        """Whether the board was found in the right place."""
        return self.corner_error is not None and self.corner_error < MAX_CORNER_ERROR

    @property
    def points_right(self) -> int:
        """The number of points that were read correctly."""
        return sum(point.is_right for point in self.points)

    @property
    def is_perfect(self) -> bool:
        """Whether all judged points and the bar were read correctly."""
        return self.is_bar_right and self.points_right == len(self.points)


def unread(truth: StillTruth, fault: str) -> ScoredStill:
    """The score of a still that could not be read."""
    points = tuple(
        PointScore(count, layers)
        for count, layers in zip(truth.counts, truth.layers, strict=True)
        if count is not None
    )
    dice = None if truth.dice is None else DiceScore(len(truth.dice))
    return ScoredStill(truth, points, dice, fault=fault)


def score(truth: StillTruth, still: ImageReading) -> ScoredStill:
    """The score of a still that was read."""
    diagonal = float(np.linalg.norm(truth.corners[0] - truth.corners[2]))
    return ScoredStill(
        truth,
        points=_points(truth, still),
        dice=None if truth.dice is None else _dice(truth, truth.dice, still.dice, diagonal),
        corner_error=_corner_error(still.grid.pose.corners(), truth.corners) / diagonal,
        is_bar_right=_is_bar_right(truth, still),
        timing_ms=still.timing_ms,
    )


def _corner_error(predicted: Floats, true: Floats) -> float:
    """Pixels from the worst corner to its true place, in the best of eight orders."""
    orders = [
        np.roll(way, start, axis=0) for way in (predicted, predicted[::-1]) for start in range(4)
    ]
    return float(min(np.linalg.norm(order - true, axis=1).max() for order in orders))


def match_points(predicted: Floats, true: Floats) -> list[int]:
    """For each of (24, 2) true wide ends, the index of the nearest predicted one not yet taken."""
    distances = np.linalg.norm(true[:, None] - predicted[None], axis=2)
    matched = []
    for row in distances:
        nearest = int(row.argmin())
        distances[:, nearest] = np.inf
        matched.append(nearest)
    return matched


def _points(truth: StillTruth, still: ImageReading) -> tuple[PointScore, ...]:
    layout = still.grid.layout
    predicted = still.grid.pose.project(np.array([layout.base(point) for point in range(1, 25)]))
    scores = []
    for point, cell in enumerate(match_points(predicted, truth.bases)):
        count, chances = truth.counts[point], still.chances[cell]
        if count is not None:
            scores.append(
                PointScore(
                    true=count,
                    layers=truth.layers[point],
                    predicted=int(still.counted.most_likely[cell]),
                    confidence=float(still.confidence[cell]),
                    chance_of_truth=float(chances[count + CHECKERS]),
                )
            )
    return tuple(scores)


def _is_bar_right(truth: StillTruth, still: ImageReading) -> bool:
    predicted = still.counted.most_likely
    light, dark = max(0, int(predicted[LIGHT_BAR])), max(0, -int(predicted[DARK_BAR]))
    return (light, dark) == (truth.bar[Side.LIGHT], truth.bar[Side.DARK])


def _dice(
    truth: StillTruth, true: Sequence[LabelledDie], predicted: Sequence[DieSeen], diagonal: float
) -> DiceScore:
    left, values, states = list(predicted), 0, 0
    confidences = []
    for die in true:
        near = [each for each in left if _distance(each, die.center) < MAX_DIE_DISTANCE * diagonal]
        if near:
            best = min(near, key=lambda each: _distance(each, die.center))
            left.remove(best)
            confidences.append(best.confidence)
            values += die.value in (None, best.value)
            states += state_of(best) == die.state
    extra = sum(
        all(_distance(each, other) >= MAX_DIE_DISTANCE * diagonal for other in truth.other_dice)
        for each in left
    )
    return DiceScore(len(true), len(confidences), values, states, extra, tuple(confidences))


def _distance(die: DieSeen, place: Floats | tuple[float, float]) -> float:
    return float(np.linalg.norm(np.array(die.center) - np.array(place)))


def state_of(die: DieSeen) -> str:
    """How a die lies, in the terms of the truth."""
    if die.surface is Surface.CHECKER:
        return "on_checker"
    if die.flat < 0.5:
        return "cocked"
    return "off_board" if die.surface in OFF_BOARD else "valid"
