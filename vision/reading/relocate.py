"""Find a board that is known again: where its profile has it, or wherever it stands now."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from scipy.special import logsumexp

from calibration.appearance import to_perceptual
from calibration.profile import Profile
from calibration.shape import Proportions
from engine.arrays import Image, Ints
from engine.message import msg
from engine.position import CHECKERS
from vision.board.locate import CLEAR_MARGIN, MIN_AGREEMENT, Located, edge_agreement, locate_board
from vision.checkers.disc_model import DiscCounts, count_checkers
from vision.errors import BoardNotFound
from vision.reading.reader import fits_size

MIN_STILL_AGREEMENT: Final = 0.7
"""Edge agreement from which a still of which nothing is known is taken to show the board where it
was: by chance another camera's nearly does."""
MAX_FOREIGN_SHARE: Final = 0.35
"""Share of the points' pixels that are neither its felt nor its checkers from which it is another
board: up to 0.04 on the own one, 0.46-0.94 on others."""
MIN_FOREIGN_GAP: Final = 0.05
"""How much of that share must speak for a half turn against the way that it stood."""

COVERED_POINT_SHARE: Final = 0.5
"""Share of a point's pixels under something else from which a hand is over it."""
MAX_POINT_LOSS: Final = 8.0
"""Log-likelihood that one point can lose: in mid-turn a few show something else."""
MIN_LIKELIHOOD_GAP: Final = 12.0
"""How much likelier one end must be to be taken for the other."""


@dataclass(frozen=True, slots=True, eq=False)
class _Orientation:
    """One way in which the profile's board may lie in a picture."""

    profile: Profile
    counted: DiscCounts

    @property
    def foreign(self) -> float:
        """Mean share of the points' pixels that are neither the profile's felt nor its checkers."""
        return float(self.counted.hidden[:24].mean())


@dataclass(frozen=True, slots=True, eq=False)
class RelocatedBoard:
    """The board that a picture shows, taken for that of a profile."""

    profile: Profile
    """The profile as its board stands there."""
    matches_profile: bool
    """Whether its colours are the profile's. Where not, it is another board, or the same under
    another lamp: what stands on it can be read, but which end is whose is not known."""


def find_again(profile: Profile, image: Image, expected: Ints | None = None) -> RelocatedBoard:
    """The profile's board as it stands in a (H, W, 3) BGR picture.

    `expected`: (28,) signed counts as in `engine.evidence.observation`, where it is known what
    stands there; they tell the two ends apart, and the view must be open. `BoardNotFound` if no
    board is there.
    """
    known = fits_size(profile, image)
    is_the_view = profile.pose.is_shaped_like(image)
    there = list(_where_it_was(known, image, expected)) if is_the_view else []
    found = _likeliest(there, known, expected) if there else None
    if found is None or found.foreign > MAX_FOREIGN_SHARE:
        # A board that was moved by whole points looks like itself where it was.
        found = _likeliest(
            [_seen(way, image) for way in _orientations(known, image)], known, expected
        )
    if expected is not None and (found.counted.hidden[:24] > COVERED_POINT_SHARE).any():
        raise BoardNotFound(msg("something is covering the board: take your hands off it"))
    return RelocatedBoard(found.profile, found.foreign <= MAX_FOREIGN_SHARE)


def is_turned(counted: DiscCounts, expected: Ints) -> bool:
    """Whether the points show what is expected as it looks from the other side of the table.

    Most boards look the same from there, so that neither edges nor pattern tell.
    """
    turned = expected.copy()
    turned[:24] = np.roll(expected[:24], 12)
    return (
        position_log_likelihood(counted, turned) - position_log_likelihood(counted, expected)
        > MIN_LIKELIHOOD_GAP
    )


def position_log_likelihood(counted: DiscCounts, expected: Ints) -> float:
    """How well the points show what is expected: log-likelihood, each point's part bounded."""
    rows = counted.counts[:24].astype(float)
    normalised = rows - logsumexp(rows, axis=1, keepdims=True)
    return float(
        np.maximum(normalised[np.arange(24), CHECKERS + expected[:24]], -MAX_POINT_LOSS).sum()
    )


def _where_it_was(known: Profile, image: Image, expected: Ints | None) -> Iterator[_Orientation]:
    """The profile as it was, if edges bear it out; and as seen from opposite, if that can tell.

    A still of which nothing is known may be another camera's from nearly the same place.
    """
    least = MIN_STILL_AGREEMENT if expected is None else MIN_AGREEMENT
    if edge_agreement(image, known.pose, known.layout) >= least:
        yield _seen(known, image)
        if expected is not None:
            yield _seen(known.seen_from(known.pose.half_turned(), known.layout), image)


def _seen(profile: Profile, image: Image) -> _Orientation:
    colours = to_perceptual(profile.grid.rectify(image))
    return _Orientation(profile, count_checkers(colours, profile.grid, profile.appearance()))


def _orientations(profile: Profile, image: Image) -> Iterator[Profile]:
    """The profile at the board that is found, either way round; a mirror image it cannot be."""
    located = _located(profile, image)
    pose = replace(located.pose, mirrored=profile.pose.mirrored)
    for turned in (pose, pose.half_turned()):
        yield profile.seen_from(turned, located.layout)


def _located(profile: Profile, image: Image) -> Located:
    """The board by its own proportions, or any board: the profile's may not be the one shown."""
    own = _tried(image, Proportions(profile.pose.aspect, profile.layout))
    if own is None:
        return locate_board(image)
    free = None if own.score >= MIN_STILL_AGREEMENT else _tried(image, None)
    return own if free is None or free.score <= own.score + CLEAR_MARGIN else free


def _tried(image: Image, board: Proportions | None) -> Located | None:
    try:
        return locate_board(image, board=board)
    except BoardNotFound:
        return None


def _likeliest(ways: list[_Orientation], known: Profile, expected: Ints | None) -> _Orientation:
    """The way that shows what it should, or looks like the set, else the one as it stood."""
    if expected is not None:
        first, *others = sorted(
            ways, key=lambda way: -position_log_likelihood(way.counted, expected)
        )
        best = position_log_likelihood(first.counted, expected)
        if all(
            best - position_log_likelihood(other.counted, expected) > MIN_LIKELIHOOD_GAP
            for other in others
        ):
            return first
    first, *others = sorted(ways, key=lambda way: way.foreign)
    if all(other.foreign - first.foreign > MIN_FOREIGN_GAP for other in others):
        return first
    return min(ways, key=lambda way: _shift(way.profile, known))


def _shift(profile: Profile, known: Profile) -> float:
    return float(np.abs(profile.pose.corners() - known.pose.corners()).mean())
