"""Looks at the doubling cube pooled: where it stands, and for how long it has stood there."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log
from typing import Final, NamedTuple

from engine.cube import Cube
from engine.evidence.observation import CUBE_VALUES, CubePlace, CubeSeen

CUBE_FLOOR: Final = 1e-3
"""Probability spread over all answers: no reader is surer of a cube than this."""
SURE_CUBE: Final = 0.9
"""From here on a stretch tells the cube's number, or its place."""
RARE: Final = 0.1
"""Odds of a number that only unseen doubles lead to, against one that is turned to next."""
STRETCHES: Final = 2
LOOKS: Final = 4
"""A cube stands when two stretches agree or one of so many looks: never on one glance."""

Logs = tuple[float, ...]


class CubeAtRest(NamedTuple):
    """A cube as it lies: its number as the game's worth, and its place."""

    value: int
    place: CubePlace


@dataclass(frozen=True, slots=True)
class CubeTrack:
    """The cube over some looks of one stretch; all of them together count as one."""

    log_values: Logs
    log_places: Logs
    observation_count: int = 1

    @classmethod
    def of(cls, cube: CubeSeen) -> CubeTrack:
        """The track of a cube seen once."""
        return cls(_logs(cube.values), _logs(cube.places))

    def __add__(self, later: CubeTrack) -> CubeTrack:
        return CubeTrack(
            _added(self.log_values, later.log_values),
            _added(self.log_places, later.log_places),
            self.observation_count + later.observation_count,
        )

    def at_rest(self, cube: Cube) -> CubeAtRest | None:
        """How it lies, where the record has it as `cube`; None while number or place is in doubt.

        A number that neither lies there by the record nor can be turned to next is `RARE`.
        """
        usual = {cube.value, 2 * cube.value}
        if cube.offer is not None:
            usual |= {cube.offer.value, 2 * cube.offer.value}
        rarity = tuple(0.0 if value in usual else log(RARE) for value in CUBE_VALUES)
        value = _surest(self.log_values, self.observation_count, rarity)
        place = _surest(self.log_places, self.observation_count)
        if value is None or place is None:
            return None
        return CubeAtRest(CUBE_VALUES[value], tuple(CubePlace)[place])


def merge_cubes(known: CubeTrack | None, seen: CubeTrack | None) -> CubeTrack | None:
    """`known` with another look at the same cube, where there is one."""
    if known is None or seen is None:
        return known or seen
    return known + seen


def _logs(chances: tuple[float, ...]) -> Logs:
    share = CUBE_FLOOR / len(chances)
    return tuple(log((1 - CUBE_FLOOR) * chance + share) for chance in chances)


def _added(one: Logs, other: Logs) -> Logs:
    return tuple(a + b for a, b in zip(one, other, strict=True))


def _surest(logs: Logs, looks: int, priors: Logs | None = None) -> int | None:
    """All looks count as one: what is misread in the first is in the others."""
    known = priors or (0.0,) * len(logs)
    weights = [exp(one / looks + prior) for one, prior in zip(logs, known, strict=True)]
    best = max(range(len(weights)), key=weights.__getitem__)
    return best if weights[best] >= SURE_CUBE * sum(weights) else None


@dataclass(frozen=True, slots=True)
class CubeHistory:
    """Where the cube was seen last, and how often without a contradiction."""

    last_seen: CubeAtRest | None = None
    still_period_count: int = 0
    observation_count: int = 0
    left_by_previous_game: CubeAtRest | None = None
    """How it was left by the game before; until it is seen otherwise nobody has touched it."""

    def for_next_game(self) -> CubeHistory:
        """The watch of the next game: the cube may be put back late, or be forgotten."""
        return CubeHistory(left_by_previous_game=self.last_seen or self.left_by_previous_game)

    def with_track(self, track: CubeTrack | None, cube: Cube) -> CubeHistory:
        """The watch when one more stretch is over, or as if it were; `cube` is the record's."""
        stands = None if track is None else track.at_rest(cube)
        if track is None or stands is None:
            return self
        left = self.left_by_previous_game if stands == self.left_by_previous_game else None
        if stands != self.last_seen:
            return CubeHistory(stands, 1, track.observation_count, left)
        return CubeHistory(
            stands,
            self.still_period_count + 1,
            self.observation_count + track.observation_count,
            left,
        )

    @property
    def confirmed(self) -> CubeAtRest | None:
        """How it lies, once that is beyond one glance."""
        is_glance = self.still_period_count < STRETCHES and self.observation_count < LOOKS
        return None if is_glance or self.last_seen == self.left_by_previous_game else self.last_seen
