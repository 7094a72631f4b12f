"""Learns a set from one picture of a known position: pose, numbering, colors, size.

The result is checked on its own picture, which it must read exactly, alone or together with the net
as in a video; `LearntSet.differences` says where it does not.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from calibration.appearance import Appearance, Colours, to_perceptual
from calibration.colour_separation import similar_colours
from calibration.empty_point_check import strange_places
from calibration.grid import POINT_PITCH, Grid
from calibration.known_position import (
    USUAL_DIAMETER,
    absent_sides,
    check_teachable,
    learn_appearance,
    lightness_lead,
    orientation_score,
    orientations,
    row_centers,
    top_centers,
)
from calibration.layout import Layout
from calibration.pose import Pose
from calibration.profile import Profile
from engine import Position, Side, cell_counts
from engine.arrays import Floats, Floats32, Image, Ints
from engine.evidence.observation import (
    CELLS,
    COUNTS,
    DARK_BAR,
    DARK_OFF,
    FIRST_LAYER,
    LIGHT_BAR,
    LIGHT_OFF,
)
from engine.evidence.whole_board import most_probable
from engine.message import Message, msg
from engine.position import CHECKERS
from vision.checkers.disc_model import DiscCounts, count_checkers
from vision.checkers.net_counts import (
    combine_with_net,
    net_probabilities,
    owned_probabilities,
)
from vision.checkers.side_colours import refine_with_colours
from vision.checkers.stacks import refine_with_stacks
from vision.nets import log_probabilities

BLENDED_RIM: Final = 1.3
"""Pixels of both rims together that blend with the felt and count as neither."""
LEARNING_ROUNDS: Final = 3
"""Colors from where checkers should be, then from where they are."""
MAX_MISREADING: Final = 22.0
"""Nats by which the points may, in total, favor counts other than the known ones and still be taken
as misread: two or three points."""
MAX_MISSING: Final = 6.0
"""The same for one point that shows too few: a checker may really be missing."""
MAX_KNOWN_P: Final = 0.01
"""Probability, from the net, of the known count, up to which it surely sees another."""
MIN_KNOWN_P: Final = 0.99
"""Probability, from the net, that a point holds as many as are known, of either side, from which a
strange color beside them is glare and not a further checker."""
CLEAR_LEAD: Final = 10.0
"""Nats by which one orientation must lead another to be the right one. In none of 150 photos and
pictures of known positions, with and without glare and shadows, a wrong one led at all; in all but
one the right one led by more than 20."""
UNCLEAR_SIDES: Final = msg(
    "it is not clear which checkers are the light ones: move the lamp, or what casts the shadow"
)
LIGHTNESS_WEIGHT: Final = 10.0
"""Nats for each standard deviation by which light's checkers are lighter than dark's ..."""
MAX_LEAD: Final = 5.0
"""... up to this many: as much as four points that the net misreads."""
TALL_STACK: Final = 7
"""Number of checkers of which some certainly lie on others: six fit in a row on most boards."""
MIN_DIAMETER, MAX_DIAMETER = (
    0.8 * POINT_PITCH,
    1.02 * POINT_PITCH,
)
"""Diameters; sets range from 0.85 to 0.97."""


@dataclass(frozen=True, slots=True, eq=False)
class LearntSet:
    """What one picture of a known position taught."""

    profile: Profile
    counted: DiscCounts
    """The same picture read with it."""
    differences: tuple[Message, ...]
    """Where the reading differs from the known position; empty if both agree."""
    matching: int
    """The number of the 24 points read as known."""
    unread_stacks: tuple[int, ...] = ()
    """Light's points with a stack of which only the first row was read, not the height."""
    similar_colours: tuple[Message, Message] | None = None
    """If the reading differs: the two colors of the set that look alike."""
    is_ambiguous: bool = False
    """Whether the reading differs at no more points with the board turned another way."""


def learn_set(
    image: Image, pose: Pose, layout: Layout, position: Position, variant: str = "short"
) -> LearntSet:
    """Learn from `image`, (H, W, 3) BGR, which shows `position` in any orientation.

    Raises `CannotLearn` if the position hides all of the felt.
    """
    check_teachable(position)
    grids = [Grid(way, layout) for way in orientations(pose)]
    pictures = [grid.rectify(image) for grid in grids]
    pairs = list(zip(pictures, grids, strict=True))
    scores = [orientation_score(picture, grid, position) for picture, grid in pairs]
    beliefs = [_belief(picture, grid, position) for picture, grid in pairs]
    trails = max(beliefs) - np.array(beliefs) > CLEAR_LEAD
    likelihoods = np.add(scores, beliefs)
    order = sorted(range(len(grids)), key=lambda index: (trails[index], -likelihoods[index]))
    best = learn_set_in_orientation(image, grids[order[0]], position, variant)
    matching = [best.matching]
    for index in order[1:]:
        # If checkers and points look alike, the score errs; the reading itself decides.
        if not best.differences or trails[index]:
            break
        other = learn_set_in_orientation(image, grids[index], position, variant)
        matching.append(other.matching)
        if other.matching > best.matching:
            best = other
    if not absent_sides(position) and np.count_nonzero(~trails) > 1:
        best = replace(best, differences=(*best.differences, UNCLEAR_SIDES))
    return replace(best, is_ambiguous=matching.count(best.matching) > 1)


def learn_set_in_orientation(
    image: Image, grid: Grid, position: Position, variant: str = "short"
) -> LearntSet:
    """Like `learn_set`, with the numbering already determined."""
    check_teachable(position)
    picture = grid.rectify(image)
    colours = to_perceptual(picture)
    centers = top_centers(position, grid, USUAL_DIAMETER)
    rows = row_centers(position, grid, USUAL_DIAMETER)
    appearance = learn_appearance(picture, grid, position, centers, USUAL_DIAMETER, uncertain=rows)
    for _ in range(LEARNING_ROUNDS):
        centers = _found_centers(count_checkers(colours, grid, appearance), position)
        appearance = _with_measured_diameter(colours, appearance, centers)
        appearance = learn_appearance(picture, grid, position, centers, appearance.diameter)
    counted = count_checkers(colours, grid, appearance)
    points, bar = differences_of(counted, position)
    if points or bar:
        # Colors alone err where checkers lie on each other; they need not be the only evidence.
        counted = combine_with_net(counted, picture, grid, learned_here=True)
        points, bar = differences_of(counted, position)
        if is_likeliest(counted, position):
            points, bar = (), ()
    known, chances = position.signed(), owned_probabilities(picture, grid)
    if not points and _moved(counted, chances, position):
        chances = _seen_closely(image, picture, grid)  # takes as long as all else
    points += (_strays if points else _moved)(counted, chances, position)
    points += tuple(
        msg(
            "the {point} point shows more than {known}",
            point=point,
            known=_count_text(known[point - 1]),
        )
        for point in strange_places(colours, grid, position, appearance, centers)
        if counted.most_likely[point - 1] == known[point - 1]
        if _number_chance(chances[point - 1], known[point - 1]) < MIN_KNOWN_P
    )
    profile = Profile(
        pose=grid.pose,
        layout=grid.layout,
        picture=picture,
        position=position,
        centers=centers,
        diameter=appearance.diameter,
        variant=variant,
    )
    return LearntSet(
        profile,
        counted,
        points + bar,
        24 - len(points),
        unread_stacks=_unread_stacks(counted, position),
        similar_colours=_look_alike(profile, appearance) if points + bar else None,
    )


def _belief(picture: Image, grid: Grid, position: Position) -> float:
    """Log-odds of an orientation: the net reads the known points, and light's are the lighter ones.

    Neither is enough alone: the net may not know the set, and glare makes dark checkers lighter.
    """
    known = np.array(position.signed())
    logs = log_probabilities(owned_probabilities(picture, grid))
    lead = np.clip(lightness_lead(picture, grid, position), -MAX_LEAD, MAX_LEAD)
    read = float(logs[np.arange(len(known)), CHECKERS + known].sum())
    return read + LIGHTNESS_WEIGHT * float(lead)


def _look_alike(profile: Profile, appearance: Appearance) -> tuple[Message, Message] | None:
    absent = absent_sides(profile.position)
    return None if absent else similar_colours(profile, appearance)


def _with_measured_diameter(
    colours: Colours, appearance: Appearance, centers: dict[Side, Floats]
) -> Appearance:
    """The appearance with the diameter that the checkers' widths show.

    Only widths along the rails are used: in the other direction checkers touch, and a wrong
    diameter would explain five of them as six.
    """
    ratios, _ = appearance.evidence(colours)
    widths = [_width(ratios[side], x, y) for side, found in centers.items() for x, y in found]
    usual = [width for width in widths if MIN_DIAMETER <= width <= MAX_DIAMETER]
    if len(usual) < max(1, len(widths) / 3):
        return appearance
    return replace(appearance, diameter=float(np.median(usual)) + BLENDED_RIM)


def _width(ratios: NDArray[np.float32], x: float, y: float) -> float:
    """The number of pixels of the checker's color on the lines through its center."""
    row, column = round(y), round(x)
    left = max(0, column - POINT_PITCH * 3 // 4)
    band = ratios[max(0, row - 1) : row + 2, left : column + POINT_PITCH * 3 // 4 + 1]
    return float((band > 0).sum(axis=1).mean()) if band.size else 0.0


def _found_centers(counted: DiscCounts, position: Position) -> dict[Side, Floats]:
    """Where each point's known number of checkers is seen."""
    found: dict[Side, list[Floats]] = {side: [np.zeros((0, 2))] for side in Side}
    for cell, count in enumerate(position.signed()):
        side = Side.LIGHT if count > 0 else Side.DARK
        found[side].append(counted.centers(cell, _in_first_row(counted, cell, count)))
    return {side: np.concatenate(each) for side, each in found.items()}


def _in_first_row(counted: DiscCounts, cell: int, count: int) -> int:
    """How many of the signed `count` show from above: for a tall stack, a row of five or six."""
    if abs(count) <= FIRST_LAYER:
        return count
    sign = 1 if count > 0 else -1
    likelihoods = counted.counts[cell]
    has_six = (
        likelihoods[CHECKERS + sign * (FIRST_LAYER + 1)]
        > likelihoods[CHECKERS + sign * FIRST_LAYER]
    )
    return sign * (FIRST_LAYER + int(has_six))


def _unread_stacks(counted: DiscCounts, position: Position) -> tuple[int, ...]:
    """Light's points whose count was not read, although a full row of the right color was."""
    known = position.signed()
    read = counted.most_likely
    return tuple(
        cell + 1
        for cell in range(24)
        if read[cell] != known[cell] and _fits(read[cell], known[cell])
    )


def _fits(read: int, known: int) -> bool:
    """Whether a point shows the known count: for a tall stack its first row, otherwise all."""
    if abs(known) < TALL_STACK:
        return read == known
    return abs(read) >= FIRST_LAYER and (read > 0) == (known > 0)


def differences_of(
    counted: DiscCounts, position: Position
) -> tuple[tuple[Message, ...], tuple[Message, ...]]:
    """What the points and the bar show differently than known, in words, separately."""
    known = cell_counts(position)
    read = counted.most_likely
    points = tuple(
        _point_difference(cell, int(read[cell]), int(known[cell]))
        for cell in range(24)
        if not _fits(int(read[cell]), int(known[cell]))
    )
    bar = tuple(
        msg(
            "the bar shows {read}, expected {known}",
            read=_count_text(read[cell]),
            known=_count_text(known[cell]),
        )
        for cell in (LIGHT_BAR, DARK_BAR)
        if read[cell] != known[cell]
    )
    return points, bar


def _seen_closely(image: Image, picture: Image, grid: Grid) -> Floats:
    """(26, 31) probabilities of signed counts, as a still is read: in several views, and close up.

    `picture`: `image` as rectified by `grid`.
    """
    several = net_probabilities(picture, grid, augmented=True)
    owned = refine_with_colours(picture, grid, several)
    return refine_with_stacks(image, picture, grid, owned)


def _moved(counted: DiscCounts, chances: Floats, position: Position) -> tuple[Message, ...]:
    """The points at which the net sees checkers otherwise than known, in words."""
    return _strays(counted, chances, position) or _misplaced(chances, position)


def _strays(counted: DiscCounts, chances: Floats, position: Position) -> tuple[Message, ...]:
    """Points that should be empty and hold a checker that some stack may lack, in words.

    Colors learned here take such a checker for its point's paint; the net is independent.
    """
    read = _conserved(log_probabilities(chances), position)
    return tuple(
        _point_difference(cell, int(read[cell]), 0)
        for cell, count in enumerate(position.signed())
        if not count and read[cell] and chances[cell, CHECKERS] < MAX_KNOWN_P
        if counted.most_likely[cell] == 0
    )


def _misplaced(chances: Floats, position: Position) -> tuple[Message, ...]:
    """The points between which a checker stands otherwise than known, in words.

    Colors are learned from where checkers should be, and fit there. The net may take one for paint
    in a set that it does not know, but then it sees none too many elsewhere.
    """
    known = cell_counts(position)[:24]
    read = _conserved(log_probabilities(chances), position)[:24]
    differs = chances[np.arange(24), CHECKERS + known] < MAX_KNOWN_P
    found: set[int] = set()
    for sign in (1, -1):
        more = np.maximum(sign * read, 0) - np.maximum(sign * known, 0)
        lacking, added = np.flatnonzero(differs & (more < 0)), np.flatnonzero(differs & (more > 0))
        if len(lacking) and len(added):
            found |= {*lacking.tolist(), *added.tolist()}
    return tuple(
        _point_difference(cell, int(read[cell]), int(known[cell])) for cell in sorted(found)
    )


def _number_chance(chances: Floats, known: int) -> float:
    """The probability that a point holds as many checkers as are known, of either side.

    `chances`: (31,). Glare makes dark checkers look like light ones, but no more of them.
    """
    return float(chances[list({CHECKERS - known, CHECKERS + known})].sum())


def _conserved(counts: Floats | Floats32, position: Position) -> Ints:
    """(28,) the likeliest cells for (26, 31) log-likelihoods, with a known position's trays."""
    known = cell_counts(position)
    whole = np.zeros((CELLS, COUNTS))
    whole[: len(counts)] = counts
    whole[LIGHT_OFF:] = -np.inf
    whole[(LIGHT_OFF, DARK_OFF), CHECKERS + known[LIGHT_OFF:]] = 0.0
    return most_probable(whole)


def is_likeliest(counted: DiscCounts, position: Position) -> bool:
    """Whether `position` fits best with 15 checkers a side, and misreadings explain the rest.

    A stack that looks one checker too high, with none missing elsewhere, was misread; so were
    checkers that glare makes look like the other side's.
    """
    known, rows = cell_counts(position), np.arange(24)
    table = counted.counts[:24] - counted.counts[:24].max(axis=1, keepdims=True)
    losses = -table[rows, CHECKERS + known[:24]]
    is_short = np.abs(table.argmax(axis=1) - CHECKERS) < np.abs(known[:24])
    if losses.sum() > MAX_MISREADING or (losses[is_short] > MAX_MISSING).any():
        return False
    return bool((_conserved(counted.counts, position) == known).all())


def _point_difference(cell: int, read: int, known: int) -> Message:
    return msg(
        "the {cell} point shows {read}, expected {known}",
        cell=cell + 1,
        read=_count_text(read),
        known=_count_text(known),
    )


def _count_text(count: int) -> Message:
    if not count:
        return msg("none")
    number = abs(int(count))
    return msg("{count} light", count=number) if count > 0 else msg("{count} dark", count=number)
