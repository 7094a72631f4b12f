"""Observations pooled: a `StillPeriod` is everything seen between two hands over the board.

Pictures of one still period share their glare, shadows and misreadings, so it counts as one
observation however long it lasts: log-likelihoods are averaged, never summed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import dist, log
from operator import add
from typing import Final

import numpy as np

from engine.arrays import Floats, Floats32, Ints
from engine.evidence.cube_track import CubeTrack, merge_cubes
from engine.evidence.observation import (
    CELLS,
    COUNTS,
    DieAppearance,
    DieSeen,
    Observation,
    Surface,
    median_appearance,
)
from engine.position import Side
from engine.timestamp import Timestamp

SAME_PLACE: Final = 0.04
"""How far the reading of a motionless die may wander, in board widths."""
MIN_DIE_SHARE: Final = 0.34
"""Fraction of a period's observations that must see a die for it to count: fewer are a flicker."""
MAX_OBSERVATIONS_WITHOUT_DICE: Final = 3
"""This many end a period if no hand was reported."""
MIN_CONTRADICTION_NATS: Final = 3.0
"""Nats by which a cell's reading must contradict another to be called different."""
MIN_LOG_P: Final = -30.0
"""Keeps an average of log-probabilities finite."""
FACE_FLOOR: Final = 1e-5
"""Probability spread over all faces: no reader is surer of a die than this."""


@dataclass(frozen=True, slots=True)
class Motion:
    """A moment at which a hand or another motion is over the board."""

    seconds: float
    frame: int


@dataclass(frozen=True, slots=True)
class DieTrack:
    """One die seen at one place over several observations."""

    log_faces: tuple[float, ...]
    """Six sums of log-probabilities."""
    flat: float
    """Sum of the probabilities that it lies flat."""
    surfaces: tuple[Surface, ...]
    sides: tuple[Side, ...]
    board: tuple[float, float]
    observation_count: int = 1
    appearances: tuple[DieAppearance, ...] = ()

    @classmethod
    def of(cls, die: DieSeen) -> DieTrack:
        """The track of a die seen once."""
        logs = tuple(log((1 - FACE_FLOOR) * face + FACE_FLOOR / 6) for face in die.faces)
        sides = () if die.side is None else (die.side,)
        seen = () if die.appearance is None else (die.appearance,)
        return cls(logs, die.flat, (die.surface,), sides, die.board, appearances=seen)

    def __add__(self, other: DieTrack) -> DieTrack:
        return DieTrack(
            tuple(map(add, self.log_faces, other.log_faces)),
            self.flat + other.flat,
            self.surfaces + other.surfaces,
            self.sides + other.sides,
            other.board,
            self.observation_count + other.observation_count,
            self.appearances + other.appearances,
        )

    @property
    def faces(self) -> Floats:
        """(6,) probabilities of the values 1..6; all observations together count as one."""
        weights = np.exp(np.array(self.log_faces) / self.observation_count)
        return np.asarray(weights / weights.sum())

    @property
    def value(self) -> int:
        """The most probable face, 1..6."""
        return int(np.argmax(self.log_faces)) + 1

    @property
    def surface(self) -> Surface:
        """What it rests on, according to most observations."""
        return max(self.surfaces, key=self.surfaces.count)

    @property
    def side(self) -> Side | None:
        """Whose die it looks like, according to most observations that show it."""
        return max(self.sides, key=self.sides.count) if self.sides else None

    @property
    def appearance(self) -> DieAppearance | None:
        """The median of its appearances; None if no observation shows it."""
        return median_appearance(self.appearances)

    def is_at(self, other: DieTrack, reach: float = SAME_PLACE) -> bool:
        """Whether `other` lies at the same place."""
        return dist(self.board, other.board) <= reach

    def is_same(self, other: DieTrack) -> bool:
        """Whether `other` lies at the same place and shows the same face."""
        return self.is_at(other) and self.value == other.value


def merge_tracks(known: tuple[DieTrack, ...], seen: tuple[DieTrack, ...]) -> tuple[DieTrack, ...]:
    """`known` with what was seen at the same places added, followed by what is new."""
    left = list(seen)
    merged = []
    for track in known:
        found = next((die for die in left if die.is_at(track)), None)
        if found is not None:
            left.remove(found)
        merged.append(track if found is None else track + found)
    return (*merged, *left)


@dataclass(frozen=True, slots=True, eq=False)
class StillPeriod:
    """The observations between two hands, pooled."""

    sums: Floats
    """(28, 31) log-probabilities, summed over the observations that saw the cell."""
    seen: Ints
    """(28,) number of observations that saw the cell."""
    change: Floats
    """(28,) mean log-likelihood ratios of a change since the settled observation."""
    compared_count: int
    """Number of observations that were compared with it."""
    reference_frame: int | None
    """The frame of that settled observation."""
    tracks: tuple[DieTrack, ...]
    observation_count: int
    missing_count: int
    """Number of consecutive observations, up to the newest, without any of the dice."""
    quality: float
    """The quality of the most open observation."""
    seconds: float
    frame: int
    last_seconds: float
    last_frame: int
    until: float
    """When a hand ended it, in seconds; until that is known, when it was last seen."""
    cube: CubeTrack | None = None

    @classmethod
    def of(cls, seen: Observation) -> StillPeriod:
        """The period that begins with `seen`."""
        return cls(
            sums=_log_probabilities(seen.counts),
            seen=(np.ptp(seen.counts, axis=1) > 1e-6).astype(np.int64),
            change=seen.change.astype(np.float64),
            compared_count=1,
            reference_frame=seen.reference_frame,
            tracks=tuple(DieTrack.of(die) for die in seen.dice),
            observation_count=1,
            missing_count=0,
            quality=seen.quality,
            seconds=seen.seconds,
            frame=seen.frame,
            last_seconds=seen.seconds,
            last_frame=seen.frame,
            until=seen.seconds,
            cube=None if seen.cube is None else CubeTrack.of(seen.cube),
        )

    def __add__(self, later: StillPeriod) -> StillPeriod:
        lacks_dice = bool(self.tracks) and not later.tracks
        change, compared = self._compared_with(later)
        return replace(
            self,
            sums=self.sums * (self.seen > 0)[:, None] + later.sums * (later.seen > 0)[:, None],
            seen=self.seen + later.seen,
            change=change,
            compared_count=compared,
            reference_frame=later.reference_frame,
            tracks=merge_tracks(self.tracks, later.tracks),
            observation_count=self.observation_count + later.observation_count,
            missing_count=self.missing_count + 1 if lacks_dice else 0,
            quality=max(self.quality, later.quality),
            last_seconds=later.last_seconds,
            last_frame=later.last_frame,
            until=later.until,
            cube=merge_cubes(self.cube, later.cube),
        )

    def _compared_with(self, later: StillPeriod) -> tuple[Floats, int]:
        """The mean change over both; only over `later` if it has another reference."""
        if later.reference_frame != self.reference_frame:
            return later.change, later.compared_count
        count = self.compared_count + later.compared_count
        total = self.change * self.compared_count + later.change * later.compared_count
        return total / count, count

    def continues_with(self, later: StillPeriod) -> bool:
        """Whether `later` still shows the same picture."""
        are_dice_gone = self.missing_count + 1 >= MAX_OBSERVATIONS_WITHOUT_DICE
        if are_dice_gone and self.dice and not later.tracks:
            return False
        new_dice = [die for die in later.tracks if not any(die.is_at(t) for t in self.tracks)]
        return len(new_dice) < 2 and self.contradicting_cells(later) < 2

    @property
    def table(self) -> Floats:
        """(28, 31) log-probabilities of the counts, the whole period as one observation."""
        mean: Floats = self.sums / np.maximum(self.seen, 1)[:, None]
        return np.where((self.seen > 0)[:, None], mean, -log(COUNTS))

    @property
    def dice(self) -> tuple[DieTrack, ...]:
        """The dice seen in enough of the observations."""
        least = MIN_DIE_SHARE * self.observation_count
        return tuple(track for track in self.tracks if track.observation_count >= least)

    @property
    def duration(self) -> float:
        """Seconds for which the board is known to have been like this."""
        return self.until - self.seconds

    @property
    def timestamp(self) -> Timestamp:
        """The newest observation's time and frame."""
        return Timestamp(self.last_seconds, self.last_frame)

    def contradicting_cells(self, other: StillPeriod) -> int:
        """The number of cells that contradict `other` strongly both ways."""
        mine, theirs = self.table, other.table
        rows = np.arange(CELLS)
        a, b = mine.argmax(axis=1), theirs.argmax(axis=1)
        apart = np.minimum(mine[rows, a] - mine[rows, b], theirs[rows, b] - theirs[rows, a])
        return int((apart > MIN_CONTRADICTION_NATS).sum())


def _log_probabilities(counts: Floats32) -> Floats:
    table = counts.astype(np.float64)
    floored: Floats = np.maximum(table - table.max(axis=1, keepdims=True), MIN_LOG_P)
    floored -= np.log(np.exp(floored).sum(axis=1, keepdims=True))
    return floored
