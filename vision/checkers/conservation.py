"""Counts of all places, given that a side has fifteen checkers.

A stack that hides its second layer is resolved by the other places; two such stacks stay uncertain.
The marginals over all boards are exact, from a forward and a backward pass over both sides' totals;
so is the likeliest board, by the Viterbi algorithm.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from engine.arrays import Floats, Ints
from engine.position import CHECKERS, OFF, Position, Side, SideVector
from vision.checkers.strips import POINTS

SidePair = tuple[float, float]
"""For light and for dark."""

ALL_IN_PLAY: Final = (0.6, 0.6)
"""Probability that a side has none borne off and none in a hand; the rest is spread evenly. For an
unknown set: checkers may be missing, and some boards are displays, not games."""
RELATED_TOTALS: Final = 0.5
"""Probability that both sides have about as many in play, whatever the number, if neither is
bearing off: a set with twelve a side, or an empty board. Otherwise their totals are independent."""
ONE_APART: Final = 0.25
"""Frequency of related totals of fewer than fifteen that differ by one, relative to equal ones; of
those two apart, the same relative to that, and so on. From the boards that `measured.md` names."""
COMPLETE_SET_IN_PLAY: Final = 0.95
"""The same for a set that was calibrated with all its checkers."""
BEARING_OFF_IN_PLAY: Final = (0.2, 0.5)
"""The same for a side that may bear off, with all its checkers in one quarter of the board; and
with all but one, which was hit while bearing off."""
QUARTER: Final = 6
TOTALS: Final = CHECKERS + 1
"""Number of possible totals of a side, from 0."""
COUNT_WEIGHTS: Final = np.array([1.0] * 6 + [0.5, 0.2] + [0.05] * 8)
"""Frequency of 0..15 checkers on a place in games, relative to that in the training scenes."""
MERE_LINE_WEIGHT: Final = 0.2
"""Frequency of checkers on a bar that is a mere line, relative to that in the training scenes: in
games, one that was hit lies beside the board, and its neighbors on the points touch the line."""
MIN_RELATIVE_PROBABILITY: Final = 0.5
"""Probability, relative to that of a place's likeliest count, that a count of the likeliest board
has at least."""
NEGLIGIBLE: Final = 1e-7
"""Probability below which a count is ignored."""


def weigh_as_in_games(chances: Floats, *, has_bar: bool = True) -> Floats:
    """(26, 31) probabilities of signed counts, with tall stacks as rare as in games.

    `has_bar`: whether the bar is more than a line.
    """
    heights = np.abs(np.arange(chances.shape[1]) - CHECKERS)
    weighed = chances * COUNT_WEIGHTS[heights]
    if not has_bar:
        weighed[POINTS:, heights > 0] *= MERE_LINE_WEIGHT
    return np.asarray(weighed / weighed.sum(axis=1, keepdims=True))


def conserve_checkers(
    chances: Floats, in_play: SidePair = ALL_IN_PLAY, borne_off: Floats | None = None
) -> tuple[Floats, Floats]:
    """(26, 31) probabilities of signed counts, and (2, 16) of each side's total in play.

    Given that no side has more than fifteen; an impossible board is returned as it was seen.

    `chances`: (26, 31) for each place separately, dark's -15 first: the points in order around the
    board, then the bar. `in_play`: the probabilities that light and dark have all fifteen in play
    if they are not bearing off; `borne_off`: (2, 16) likelihoods of 0..15 borne off.
    """
    forward = [np.zeros((TOTALS, TOTALS))]
    forward[0][0, 0] = 1.0
    for row in chances:
        forward.append(_with(forward[-1], row))
    backward = _prior(chances, in_play, borne_off)
    totals = forward[-1] * backward
    out = np.zeros_like(chances)
    for index in range(len(chances) - 1, -1, -1):
        out[index] = _weights(forward[index], backward, chances[index])
        backward = _without(backward, chances[index])
    left = np.stack([totals.sum(axis=1), totals.sum(axis=0)])
    sums = out.sum(axis=1, keepdims=True)
    if (sums <= 0).any():
        return chances, np.full_like(left, 1 / TOTALS)
    return np.asarray(out / sums), np.asarray(left / left.sum(axis=1, keepdims=True))


def in_play_probability(position: Position) -> SidePair:
    """The probabilities that the sides of a set learned from this position have all in play.

    0 for a side that lacks checkers that it cannot have borne off: other positions of the set may
    lack others. A side that has none in play shows nothing.
    """
    light, dark = (_side_in_play(position.of(side)) for side in (Side.LIGHT, Side.DARK))
    return light, dark


def _side_in_play(own: SideVector) -> float:
    # More away from home than any side that has begun to bear off.
    if not any(own[OFF + 1 :]):
        return ALL_IN_PLAY[0]
    lacks = own[OFF] > 0 and sum(own[QUARTER + 1 :]) >= len(BEARING_OFF_IN_PLAY)
    return 0.0 if lacks else COMPLETE_SET_IN_PLAY


def _prior(chances: Floats, in_play: SidePair, borne_off: Floats | None) -> Floats:
    """(16, 16) probabilities of light's and dark's totals, arguments as of `conserve_checkers`."""
    counts = chances.argmax(axis=1) - CHECKERS
    outside = _outside(counts), _outside(-counts)
    light, dark = (_side_prior(*side) for side in zip(outside, in_play, strict=True))
    prior = np.outer(light, dark)
    if outside == (None, None) and in_play[0] == in_play[1]:
        prior = (1 - RELATED_TOTALS) * prior + RELATED_TOTALS * _related_totals(light)
    if borne_off is not None:
        prior = prior * np.outer(borne_off[0][::-1], borne_off[1][::-1])
    return np.asarray(prior)


def _related_totals(larger: Floats) -> Floats:
    """(16, 16) probabilities of two totals of which the larger one has (16,) these."""
    light, dark = np.indices((TOTALS, TOTALS))
    most, apart = np.maximum(light, dark), np.abs(light - dark)
    share = np.where(most < CHECKERS, ONE_APART**apart, apart == 0)
    return np.asarray((larger / np.bincount(most.ravel(), share.ravel()))[most] * share)


def _side_prior(outside: int | None, in_play: float) -> Floats:
    """(16,) probabilities of a side's total; `outside`: as `_outside` counts them."""
    full = in_play if outside is None else min(in_play, BEARING_OFF_IN_PLAY[outside])
    chance = np.full(TOTALS, (1 - full) / TOTALS)
    chance[CHECKERS] += full
    return chance


def _outside(counts: Ints) -> int | None:
    """How many checkers are outside the others' quarter; None for a side not bearing off."""
    held = np.maximum(counts, 0)
    home = int(held[:POINTS].reshape(-1, QUARTER).sum(axis=1).max())
    outside = int(held.sum()) - home
    return outside if np.count_nonzero(held) > 1 and outside < len(BEARING_OFF_IN_PLAY) else None


def likeliest_board(
    chances: Floats,
    marginals: Floats,
    in_play: SidePair = ALL_IN_PLAY,
    borne_off: Floats | None = None,
) -> Ints:
    """(26,) signed counts of the most probable board as a whole.

    The likeliest counts of single places need not be one board: where a hand hides some of a side's
    checkers, each of the places under it is most likely empty. Arguments and `marginals` as of and
    from `conserve_checkers`. A count that is much less probable than another is chosen only if no
    board is possible without; where none is at all, each place has its likeliest count.
    """
    prior = _prior(chances, in_play, borne_off)
    likely = marginals >= MIN_RELATIVE_PROBABILITY * marginals.max(axis=1, keepdims=True)
    board = _best_board(np.where(likely, chances, 0.0), prior)
    if board is None:
        board = _best_board(chances, prior)
    return np.asarray(marginals.argmax(axis=1) - CHECKERS) if board is None else board


def _best_board(chances: Floats, prior: Floats) -> Ints | None:
    """(26,) signed counts of the most probable board, if one is possible.

    `prior`: (16, 16) probabilities of light's and dark's totals.
    """
    best, choices = np.full((TOTALS, TOTALS), -np.inf), list[Ints]()
    best[0, 0] = 0.0
    for row in chances:
        before, best = best, np.full((TOTALS, TOTALS), -np.inf)
        chosen = np.full((TOTALS, TOTALS), CHECKERS)
        for index, light, dark in _likely_counts(row):
            found = np.full((TOTALS, TOTALS), -np.inf)
            found[light:, dark:] = before[: TOTALS - light, : TOTALS - dark] + np.log(row[index])
            chosen[found > best] = index
            best = np.maximum(best, found)
        choices.append(chosen)
    best += np.log(np.maximum(prior, np.finfo(float).tiny))
    if not np.isfinite(best).any():
        return None
    light, dark = (int(total) for total in np.unravel_index(best.argmax(), best.shape))
    counts = np.zeros(len(chances), np.int64)
    for index in range(len(chances) - 1, -1, -1):
        counts[index] = choices[index][light, dark] - CHECKERS
        light, dark = light - max(0, counts[index]), dark - max(0, -counts[index])
    return counts


def may_have_borne_off(chances: Floats) -> bool:
    """Whether checkers may be beside the board: a side is bearing off, or some are not seen."""
    counts = chances.argmax(axis=1) - CHECKERS
    return any(
        int(np.maximum(side, 0).sum()) != CHECKERS or _outside(side) is not None
        for side in (counts, -counts)
    )


def _with(totals: Floats, row: Floats) -> Floats:
    """(16, 16) probabilities of light's and dark's totals after one more place."""
    after = np.zeros_like(totals)
    for index, light, dark in _likely_counts(row):
        after[light:, dark:] += row[index] * totals[: TOTALS - light, : TOTALS - dark]
    return np.asarray(after / max(after.sum(), 1e-300))


def _without(backward: Floats, row: Floats) -> Floats:
    """(16, 16) probabilities of what follows, given the totals before the place."""
    before = np.zeros_like(backward)
    for index, light, dark in _likely_counts(row):
        before[: TOTALS - light, : TOTALS - dark] += row[index] * backward[light:, dark:]
    return np.asarray(before / max(before.sum(), 1e-300))


def _weights(before: Floats, after: Floats, row: Floats) -> Floats:
    weights = np.zeros(len(row))
    for index, light, dark in _likely_counts(row):
        joint = before[: TOTALS - light, : TOTALS - dark] * after[light:, dark:]
        weights[index] = row[index] * joint.sum()
    return weights


def _likely_counts(row: Floats) -> Iterator[tuple[int, int, int]]:
    """The index of each count that is not negligible, and its light and dark checkers."""
    for index in np.flatnonzero(row > NEGLIGIBLE).tolist():
        yield index, max(0, index - CHECKERS), max(0, CHECKERS - index)
