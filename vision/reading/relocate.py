"""Finds a known board again: where its profile has it, or wherever it is now."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from scipy.special import logsumexp

from calibration.appearance import to_perceptual
from calibration.pose import Pose
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
"""Edge agreement from which a still without context is taken to show the board where it was:
another camera's place may nearly match by chance."""
MAX_FOREIGN_SHARE: Final = 0.35
"""Fraction of the points' pixels that match neither its felt nor its checkers, from which it is
another board: up to 0.04 on the same board, 0.46-0.94 on others."""
MIN_FOREIGN_GAP: Final = 0.05
"""How much of that fraction must favor a half turn over the previous orientation."""

COVERED_POINT_SHARE: Final = 0.5
"""Fraction of a point's covered pixels from which a hand is over it."""
MAX_POINT_LOSS: Final = 8.0
"""Maximum log-likelihood that one point can lose: in mid-turn a few differ."""
MIN_LIKELIHOOD_GAP: Final = 12.0
"""How much likelier one end must be, in nats, to be exchanged for the other."""
MIN_MIRRORED_POINTS: Final = 8
"""Points that differ in a mirror at least: a play changes four, and only rarely more."""
MAX_UNEXPLAINED_SHARE: Final = 0.5
"""Fraction of the points that differ which may still do so from the other side: a double of giul
moves twenty checkers, after which the board looks a little more like itself turned around."""


@dataclass(frozen=True, slots=True, eq=False)
class _Orientation:
    """One orientation of the profile's board in a picture."""

    profile: Profile
    counted: DiscCounts

    @property
    def foreign(self) -> float:
        """Mean fraction of the points' pixels that match neither the known felt nor checkers."""
        return float(self.counted.hidden[:24].mean())


@dataclass(frozen=True, slots=True, eq=False)
class RelocatedBoard:
    """The board shown in a picture, assumed to be that of a profile."""

    profile: Profile
    """The profile adapted to the board's place there."""
    matches_profile: bool
    """Whether its colors are the profile's. If not, it is another board, or the same under another
    lamp: what is on it can be read, but which end belongs to whom is not known."""


def find_again(profile: Profile, image: Image, expected: Ints | None = None) -> RelocatedBoard:
    """The profile's board as it is in an (H, W, 3) BGR picture.

    `expected`: (28,) signed counts as in `engine.evidence.observation`, if the position is known;
    they distinguish the two ends, and the view must be open. Raises `BoardNotFound` if there is no
    board.
    """
    known = fits_size(profile, image)
    is_the_view = profile.pose.is_shaped_like(image)
    there = list(_where_it_was(known, image, expected)) if is_the_view else []
    found = _likeliest(there, known, expected) if there else None
    if found is None or found.foreign > MAX_FOREIGN_SHARE:
        # A board that was moved by whole points matches itself at the old place.
        located = _located(known, image)
        pose = replace(located.pose, mirrored=known.pose.mirrored)
        ways = _ways(pose, is_known=expected is not None)
        found = _likeliest(
            [_seen(known.seen_from(way, located.layout), image) for way in ways], known, expected
        )
    if expected is not None and (found.counted.hidden[:24] > COVERED_POINT_SHARE).any():
        raise BoardNotFound(msg("something is covering the board: take your hands off it"))
    return RelocatedBoard(found.profile, found.foreign <= MAX_FOREIGN_SHARE)


def is_turned(counted: DiscCounts, expected: Ints) -> bool:
    """Whether the points show the expected counts from the table's other side, or in a mirror.

    Most boards look the same from there, so neither edges nor pattern tell. In a mirror only if
    many points differ: late in a race, a play may look like its mirror image.
    """
    cells = np.arange(24)
    turned, mirrored, both = (cells + 12) % 24, (35 - cells) % 24, 23 - cells
    changed = _differing(counted, expected)
    ways = (turned, mirrored, both) if changed >= MIN_MIRRORED_POINTS else (turned,)
    here = position_log_likelihood(counted, expected)
    return any(
        position_log_likelihood(counted, expected[order]) - here > MIN_LIKELIHOOD_GAP
        and _differing(counted, expected[order]) <= MAX_UNEXPLAINED_SHARE * changed
        for order in ways
    )


def _differing(counted: DiscCounts, expected: Ints) -> int:
    """On how many points other checkers are seen than expected."""
    return int(np.count_nonzero(counted.most_likely[:24] != expected[:24]))


def position_log_likelihood(counted: DiscCounts, expected: Ints) -> float:
    """How well the points show what is expected: log-likelihood, with each point's part bounded."""
    rows = counted.counts[:24].astype(float)
    normalised = rows - logsumexp(rows, axis=1, keepdims=True)
    return float(
        np.maximum(normalised[np.arange(24), CHECKERS + expected[:24]], -MAX_POINT_LOSS).sum()
    )


def _where_it_was(known: Profile, image: Image, expected: Ints | None) -> Iterator[_Orientation]:
    """The profile as it was, if the edges support it; and seen otherwise, if that can be told.

    A still without context may be from another camera in nearly the same place.
    """
    least = MIN_STILL_AGREEMENT if expected is None else MIN_AGREEMENT
    if edge_agreement(image, known.pose, known.layout, least) >= least:
        ways = [known.pose] if expected is None else _ways(known.pose, is_known=True)
        for way in ways:
            yield _seen(known.seen_from(way, known.layout), image)


def _seen(profile: Profile, image: Image) -> _Orientation:
    colours = to_perceptual(profile.grid.rectify(image))
    return _Orientation(profile, count_checkers(colours, profile.grid, profile.appearance()))


def _ways(pose: Pose, *, is_known: bool) -> Iterator[Pose]:
    """How a board at this place may be seen: turned, and in a mirror if its position is known.

    Some cameras begin to mirror their picture, as the front camera of a phone does.
    """
    mirrored = replace(pose, mirrored=not pose.mirrored)
    for way in (pose, mirrored) if is_known else (pose,):
        yield way
        yield way.half_turned()


def _located(profile: Profile, image: Image) -> Located:
    """The board with its own proportions, or any board: the one shown may not be the profile's."""
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
    """The orientation that shows what it should, or looks like the set, else the previous one."""
    if expected is not None:
        first, *others = sorted(
            ways, key=lambda way: -position_log_likelihood(way.counted, expected)
        )
        best = position_log_likelihood(first.counted, expected)
        if _differing(first.counted, expected) < MIN_MIRRORED_POINTS and all(
            best - position_log_likelihood(other.counted, expected) > MIN_LIKELIHOOD_GAP
            for other in others
        ):
            return first
    ways = [way for way in ways if way.profile.pose.mirrored == known.pose.mirrored]
    first, *others = sorted(ways, key=lambda way: way.foreign)
    if all(other.foreign - first.foreign > MIN_FOREIGN_GAP for other in others):
        return first
    return min(ways, key=lambda way: _shift(way.profile, known))


def _shift(profile: Profile, known: Profile) -> float:
    return float(np.abs(profile.pose.corners() - known.pose.corners()).mean())
