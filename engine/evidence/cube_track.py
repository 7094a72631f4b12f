"""Pools observations of the doubling cube: where it is, and for how long it has been there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import exp, log
from operator import add
from typing import Final, NamedTuple

from engine.cube import Cube
from engine.evidence.observation import CUBE_VALUES, CubePlace, CubeSeen
from engine.position import Side

CUBE_FLOOR: Final = 1e-3
"""Probability spread over all answers: no reader is surer of a cube than this."""
MIN_CUBE_POSTERIOR: Final = 0.9
"""Posterior probability of the cube's number, and of its place, from which a still period shows
them."""
UNUSUAL_VALUE_ODDS: Final = 0.1
"""Odds of a number that only unseen doubles lead to, relative to the next turn of the cube ..."""
SUDDEN_VALUE_ODDS: Final = 0.01
"""... and if it was seen as recorded in this turn: only a beaver turns it twice in one."""
MIN_GLIMPSES: Final = 2
"""Number of observations of one still period from which an offered cube is remembered."""
MIN_PERIODS: Final = 2
MIN_OBSERVATIONS: Final = 4
"""Number of agreeing still periods or observations that confirm where a cube is."""

TURN_PERIODS: Final = 3
"""Number of still periods of a turn."""
LOST_PERIODS: Final = 12
"""Number of still periods, some four turns, in which hands and checkers may hide a cube."""

LogProbabilities = tuple[float, ...]
SIDE_PLACES: Final = {Side.LIGHT: CubePlace.LIGHT, Side.DARK: CubePlace.DARK}
"""Where a cube lies, by its owner."""


class CubeAtRest(NamedTuple):
    """A cube at rest: its number as the game's value, and its place."""

    value: int
    place: CubePlace


@dataclass(frozen=True, slots=True)
class CubeTrack:
    """The cube over the observations of one still period, which together count as one."""

    log_values: LogProbabilities
    log_places: LogProbabilities
    observation_count: int = 1

    @classmethod
    def of(cls, cube: CubeSeen) -> CubeTrack:
        """The track of a cube seen once."""
        return cls(_log_with_floor(cube.values), _log_with_floor(cube.places))

    def __add__(self, later: CubeTrack) -> CubeTrack:
        return CubeTrack(
            tuple(map(add, self.log_values, later.log_values)),
            tuple(map(add, self.log_places, later.log_places)),
            self.observation_count + later.observation_count,
        )

    def at_rest(self, cube: Cube, unusual: float = UNUSUAL_VALUE_ODDS) -> CubeAtRest | None:
        """How it lies, if the recorded cube is `cube`; None while its number or place is in doubt.

        unusual: the odds of a number that is neither recorded nor next.
        """
        usual = {cube.value, 2 * cube.value}
        if cube.offer is not None:
            usual |= {cube.offer.value, 2 * cube.offer.value}
        log_priors = [0.0 if value in usual else log(unusual) for value in CUBE_VALUES]
        value = self._most_probable(self.log_values, log_priors)
        place = self._most_probable(self.log_places, [0.0] * len(self.log_places))
        if value is None or place is None:
            return None
        return CubeAtRest(CUBE_VALUES[value], tuple(CubePlace)[place])

    def _most_probable(self, sums: LogProbabilities, log_priors: list[float]) -> int | None:
        """The index of the answer; observations share their errors, so they are averaged."""
        weights = [
            exp(total / self.observation_count + log_prior)
            for total, log_prior in zip(sums, log_priors, strict=True)
        ]
        best = max(range(len(weights)), key=weights.__getitem__)
        return best if weights[best] >= MIN_CUBE_POSTERIOR * sum(weights) else None


def merge_cubes(known: CubeTrack | None, seen: CubeTrack | None) -> CubeTrack | None:
    """`known` with another observation of the same cube, if there is one."""
    if known is None or seen is None:
        return known or seen
    return known + seen


def _log_with_floor(probabilities: tuple[float, ...]) -> LogProbabilities:
    share = CUBE_FLOOR / len(probabilities)
    return tuple(log((1 - CUBE_FLOOR) * p + share) for p in probabilities)


def _as_recorded(cube: Cube) -> CubeAtRest:
    """How the recorded cube lies."""
    return CubeAtRest(
        cube.value, CubePlace.CENTRE if cube.owner is None else SIDE_PLACES[cube.owner]
    )


@dataclass(frozen=True, slots=True)
class CubeHistory:
    """Where the cube was last seen, and how often without contradiction."""

    last_seen: CubeAtRest | None = None
    period_count: int = 0
    observation_count: int = 0
    left_by_previous_game: CubeAtRest | None = None
    """How the previous game left it; until it is seen otherwise, nobody has touched it."""
    unseen_periods: int = 0
    """Number of still periods since it was last seen, or since the match began."""
    periods_since_recorded: int = TURN_PERIODS
    """Number of still periods since it was seen as recorded; as many as a turn if never."""
    glimpsed: CubeAtRest | None = None
    """How it lay offered since the last throw, if not for long enough to be confirmed: the only
    trace of a double that is dropped at once."""

    def for_next_game(self) -> CubeHistory:
        """The history at the start of the next game: the cube may be put back late, or never."""
        return CubeHistory(
            left_by_previous_game=self.last_seen or self.left_by_previous_game,
            unseen_periods=self.unseen_periods,
        )

    def with_track(self, track: CubeTrack | None, cube: Cube) -> CubeHistory:
        """The history with one more still period; `cube` is the recorded cube."""
        is_sudden = self.periods_since_recorded < TURN_PERIODS
        odds = SUDDEN_VALUE_ODDS if is_sudden else UNUSUAL_VALUE_ODDS
        seen = None if track is None else track.at_rest(cube, odds)
        is_as_recorded = track is not None and track.at_rest(cube) == _as_recorded(cube)
        since_recorded = 0 if is_as_recorded else self.periods_since_recorded + 1
        if track is None or seen is None:
            return replace(
                self,
                unseen_periods=self.unseen_periods + 1,
                periods_since_recorded=since_recorded,
            )
        # Whoever takes an offered cube moves it: then two places show the same number.
        is_taken = self.last_seen == CubeAtRest(seen.value, CubePlace.OFFERED)
        agrees = seen == self.last_seen or is_taken
        return CubeHistory(
            seen,
            1 + self.period_count * agrees,
            track.observation_count + self.observation_count * agrees,
            self.left_by_previous_game if seen == self.left_by_previous_game else None,
            periods_since_recorded=since_recorded,
            glimpsed=self.glimpsed,
        )

    def with_glimpse(self, track: CubeTrack | None, cube: Cube) -> CubeHistory:
        """The history with what its last still period, before a roll, may have shown of a double.

        track: the cube of that period, which `with_track` has added.
        """
        if track is None or track.observation_count < MIN_GLIMPSES:
            return self
        seen = self.last_seen if self.unseen_periods == 0 else None
        if seen is None or seen.value != 2 * cube.value or seen.place is CubePlace.CENTRE:
            return self
        return replace(self, glimpsed=seen)

    @property
    def is_lost(self) -> bool:
        """Whether it has not been seen at all, or not for so long that it is no longer hidden."""
        never = self.last_seen is None and self.left_by_previous_game is None
        return never or self.unseen_periods >= LOST_PERIODS

    @property
    def confirmed(self) -> CubeAtRest | None:
        """How it lies, once more than a glimpse shows it so."""
        is_glance = self.period_count < MIN_PERIODS and self.observation_count < MIN_OBSERVATIONS
        return None if is_glance or self.last_seen == self.left_by_previous_game else self.last_seen
