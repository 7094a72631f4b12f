"""Quiet looks pooled: `StillPeriod` is everything seen between two hands over the board.

Pictures of one quiet stretch share their glare, their shadows and their misreadings, so a
stretch counts as one look however long it lasts: log-likelihoods are averaged, never summed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import dist, log
from typing import Final

import numpy as np
from numpy.typing import NDArray

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

LogTable = NDArray[np.float64]

SAME_PLACE: Final = 0.04
"""How far the reading of a die that lies still may wander, in board widths."""
SEEN_SHARE: Final = 0.34
"""A die counts when at least this share of a stretch's looks saw it: less is a flicker."""
GONE_LOOKS: Final = 3
"""Looks without the dice that end a stretch where no hand was reported."""
STRONG: Final = 3.0
"""Nats by which a cell's reading must contradict another to be called different."""
FACE_FLOOR: Final = 1e-5
"""Probability spread over all faces: no reader is surer of a die than this."""


@dataclass(frozen=True, slots=True)
class Motion:
    """A moment at which a hand or another motion is over the board."""

    seconds: float
    frame: int


@dataclass(frozen=True, slots=True)
class DieTrack:
    """One die seen at one place over some looks."""

    log_faces: tuple[float, ...]
    """Six sums of log probabilities."""
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
        floored = [(1 - FACE_FLOOR) * face + FACE_FLOOR / 6 for face in die.faces]
        sides = () if die.side is None else (die.side,)
        logs = tuple(log(face) for face in floored)
        makes = () if die.appearance is None else (die.appearance,)
        return cls(logs, die.flat, (die.surface,), sides, die.board, appearances=makes)

    def __add__(self, other: DieTrack) -> DieTrack:
        logs = tuple(a + b for a, b in zip(self.log_faces, other.log_faces, strict=True))
        return DieTrack(
            logs,
            self.flat + other.flat,
            self.surfaces + other.surfaces,
            self.sides + other.sides,
            other.board,
            self.observation_count + other.observation_count,
            self.appearances + other.appearances,
        )

    @property
    def faces(self) -> NDArray[np.float64]:
        """(6,) probabilities of the value 1..6; all looks together count as one."""
        weights = np.exp(np.array(self.log_faces) / self.observation_count)
        return np.asarray(weights / weights.sum())

    @property
    def value(self) -> int:
        """The most probable face, 1..6."""
        return int(np.argmax(self.log_faces)) + 1

    @property
    def surface(self) -> Surface:
        """What it rests on, by most looks."""
        return max(self.surfaces, key=self.surfaces.count)

    @property
    def side(self) -> Side | None:
        """Whose die it looks like, by most looks that could tell."""
        return max(self.sides, key=self.sides.count) if self.sides else None

    @property
    def appearance(self) -> DieAppearance | None:
        """What it looks like in most looks that could tell."""
        return median_appearance(self.appearances)

    def is_at(self, other: DieTrack, reach: float = SAME_PLACE) -> bool:
        """Whether `other` lies at the same place."""
        return dist(self.board, other.board) <= reach


def merge_tracks(known: tuple[DieTrack, ...], seen: tuple[DieTrack, ...]) -> tuple[DieTrack, ...]:
    """`known` with what was seen at the same places added, and the newly seen behind."""
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
    """One quiet stretch, pooled."""

    sums: LogTable
    """(28, 31) log-probabilities, summed over the looks that saw the cell."""
    seen: NDArray[np.int64]
    """(28,) looks that saw the cell."""
    change: NDArray[np.float64]
    """(28,) mean log-likelihood ratios of a change since the settled look `since`."""
    compared_count: int
    """Looks that were compared with it."""
    reference_frame: int | None
    tracks: tuple[DieTrack, ...]
    observation_count: int
    missing_count: int
    """Looks in a row, the newest among them, without any of the dice."""
    quality: float
    """Of the most open look."""
    seconds: float
    frame: int
    last_seconds: float
    last_frame: int
    cube: CubeTrack | None = None

    @classmethod
    def of(cls, look: Observation) -> StillPeriod:
        """The stretch that begins with `look`."""
        table = _log_probabilities(look.counts)
        return cls(
            sums=table,
            seen=(np.ptp(look.counts, axis=1) > 1e-6).astype(np.int64),
            change=look.change.astype(np.float64),
            compared_count=1,
            reference_frame=look.reference_frame,
            tracks=tuple(DieTrack.of(die) for die in look.dice),
            observation_count=1,
            missing_count=0,
            quality=look.quality,
            seconds=look.seconds,
            frame=look.frame,
            last_seconds=look.seconds,
            last_frame=look.frame,
            cube=None if look.cube is None else CubeTrack.of(look.cube),
        )

    def __add__(self, later: StillPeriod) -> StillPeriod:
        gone = bool(self.tracks) and not later.tracks
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
            missing_count=self.missing_count + 1 if gone else 0,
            quality=max(self.quality, later.quality),
            last_seconds=later.last_seconds,
            last_frame=later.last_frame,
            cube=merge_cubes(self.cube, later.cube),
        )

    def _compared_with(self, later: StillPeriod) -> tuple[NDArray[np.float64], int]:
        """The mean change over both; only over `later` where another look was settled between."""
        if later.reference_frame != self.reference_frame:
            return later.change, later.compared_count
        looks = self.compared_count + later.compared_count
        total = self.change * self.compared_count + later.change * later.compared_count
        return total / looks, looks

    def continues_with(self, look: StillPeriod) -> bool:
        """Whether `look` still shows the same picture."""
        if self.missing_count + 1 >= GONE_LOOKS and self.dice and not look.tracks:
            return False
        strangers = [die for die in look.tracks if not any(die.is_at(t) for t in self.tracks)]
        return len(strangers) < 2 and self.contradicting_cells(look) < 2

    @property
    def table(self) -> LogTable:
        """(28, 31) log-probabilities of the counts, the whole stretch as one look."""
        mean: LogTable = self.sums / np.maximum(self.seen, 1)[:, None]
        return np.where((self.seen > 0)[:, None], mean, -log(COUNTS))

    @property
    def dice(self) -> tuple[DieTrack, ...]:
        """The dice that enough of the looks saw."""
        return tuple(
            t for t in self.tracks if t.observation_count >= SEEN_SHARE * self.observation_count
        )

    @property
    def timestamp(self) -> Timestamp:
        """The newest look's time and frame."""
        return Timestamp(self.last_seconds, self.last_frame)

    def contradicting_cells(self, other: StillPeriod) -> int:
        """How many cells contradict `other` strongly both ways."""
        mine, theirs = self.table, other.table
        rows = np.arange(CELLS)
        a, b = mine.argmax(axis=1), theirs.argmax(axis=1)
        apart = np.minimum(mine[rows, a] - mine[rows, b], theirs[rows, b] - theirs[rows, a])
        return int((apart > STRONG).sum())


def _log_probabilities(counts: NDArray[np.float32]) -> LogTable:
    table = counts.astype(np.float64)
    table -= table.max(axis=1, keepdims=True)
    floored: LogTable = np.maximum(table, -30.0)  # keeps an average of looks finite
    floored -= np.log(np.exp(floored).sum(axis=1, keepdims=True))
    return floored
