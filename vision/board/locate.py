"""Finds the playing field in a picture of an unknown board.

A net marks corners, the bar's ends and tips; the likeliest fields are refined as a camera over a
board until the edges of the 24 points match the picture's, first in a small picture and then in the
full one. The search ends as soon as a field matches so well that no other one could be clearly
better. If none matches, there is no board.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np

from calibration.layout import Layout
from calibration.pose import Pose
from calibration.shape import Proportions
from calibration.sheet import Lens
from engine.arrays import Floats, Image
from engine.message import msg
from vision.board.clear_picture import clear_picture
from vision.board.edge_field import EdgeField, edge_field
from vision.board.edge_fit import (
    COARSE_REACH,
    FINE_REACH,
    SEARCH_WIDTH,
    FittedField,
    agreement,
    neighbours,
    plausible,
    refine,
    without_border,
)
from vision.board.keypoints import detect_keypoints
from vision.errors import BoardNotFound

MAX_QUADS, MAX_REFINED = 3, 2
"""Number of fields refined in the small picture, and of those in the full one."""
PROMISING_SCORE: Final = 0.7
"""Score in the small picture from which a field is refined in the full one before others."""
SURE_SCORE: Final = 0.74
"""Score in the full picture from which no other field is tried, unless a neighboring one already
matches as well without being fitted."""
CLEAR_MARGIN: Final = 0.06
"""How much better a neighboring field, or one seen through a wide lens, must score."""
BORDER_MARGIN: Final = 0.03
"""The same for the field without a border that passed for its edge."""
MAX_LEADERS: Final = 3
"""Number of fields whose neighbors are tried, and of less likely ones that are fitted further."""
NEIGHBOUR_MARGIN: Final = 0.15
"""How much a neighboring field may gain by being fitted."""
MIN_AGREEMENT: Final = 0.45
"""Minimum agreement with the edges of a board at a known place: 0.66-0.85 on still clips, and under
0.3 after the camera was nudged by a sixth of a point."""
MIN_BOARD_SCORE: Final = 0.45
"""Minimum score of a board; chance finds stay below, see the tests."""
LINE_BAR_WIDTH: Final = 0.01
"""Width in field widths of a bar that is only a line: started from a typical bar, its fit gets
stuck."""
FRAME_MARGIN: Final = 0.03
"""Field widths beyond the field that belong to the board: the frame, but not the table."""
AROUND_MARGIN: Final = 0.2
"""Field widths around a field that are examined with it: its rails and trays."""
MAX_CLOSER_SHARE: Final = 0.75
"""Maximum fraction of the picture's width and height that these fill: more would add little
detail."""
MIN_ASIDE_SHARE: Final = 0.06
"""Minimum distance from the picture's middle, as a fraction of its width or height, of a board in a
picture that may have been cut."""
CUT_MARGIN: Final = 0.03
"""How much better a board must score with a shifted principal point than with one in the middle of
the picture."""
MIN_REST_SHARE: Final = 0.25
"""Fraction of the picture from which the area to one side of a board is searched for another."""
SURE_BOARD_SCORE: Final = 0.6
"""Minimum score of a board without other support."""


@dataclass(frozen=True, slots=True, eq=False)
class Located:
    """A field that was found; it is not known yet which end belongs to whom."""

    pose: Pose
    layout: Layout
    score: float
    """Mean agreement of the model's edges with the picture's, -1..1."""


def locate_board(
    image: Image, lens: Lens | None = None, board: Proportions | None = None
) -> Located:
    """Find the playing field in an (H, W, 3) BGR picture; raises `BoardNotFound` if there is none.

    Without a `lens`, focal length and distortion are fitted too, and for a board that fills little
    of the picture or is far from its middle, whether that was cropped from a larger one; `board`:
    its proportions, if known.
    """
    image = clear_picture(image)
    best = _likeliest(image, lens, board)
    part = None if best is None else _part_around(best, image, lens)
    if best is not None and part is not None:
        best = _seen_closer(image, part, best, lens, board)
    if best is None or not best.score >= MIN_BOARD_SCORE:  # a board at infinity has no score at all
        raise BoardNotFound(
            msg(
                "no board found: show the whole board, from directly above or at up to 45 "
                "degrees, in even light"
            )
        )
    return best


@np.errstate(over="ignore", invalid="ignore")  # without a board, a fit runs to infinity
def _likeliest(image: Image, lens: Lens | None, board: Proportions | None) -> Located | None:
    """The field best supported by the picture, whether or not that suffices."""
    small = _shrunk(image)
    with ThreadPoolExecutor(1) as beside:  # a core of its own for what takes longest by far
        finer = beside.submit(edge_field, image, 1.2, 1.0)
        quads, size = detect_keypoints(small).quads(MAX_QUADS), small.shape[1::-1]
        edges, fine = edge_field(small, 1.2, 1.0), finer.result()
    starts = [start for quad in quads for start in plausible(quad, size, lens, board)]
    tried = refine(starts, edges, COARSE_REACH)
    ranked = _best(_until_promising(tried), MAX_REFINED)
    finest = _finest(ranked, fine, image)
    if not any(_is_sure(found, fine) for found in finest):
        barless = (found.with_bar(LINE_BAR_WIDTH) for found in starts if board is None)
        others = [*tried, *_refine_best(barless, edges)]
        leaders = _best([*ranked, *others], MAX_LEADERS)
        again = [one for one in _with_neighbours(leaders, edges) if one not in ranked]
        finest += _finest(again, fine, image)
        if lens is None:
            bulging = (
                one for quad in quads for one in plausible(quad, size, None, board, is_wide=True)
            )
            finest += _finest(_best(_refine_best(bulging, edges), 1), fine, image)
    # A wide lens explains more than others, even if it is wrong.
    best = max(finest, key=lambda one: one.score - one.shape.is_wide * CLEAR_MARGIN, default=None)
    return None if best is None else _located(best)


def _until_promising(tried: Iterable[FittedField]) -> Iterator[FittedField]:
    """The fields up to and including the second promising one: the first may be slightly off."""
    promising = 0
    for found in tried:
        yield found
        promising += found.score >= PROMISING_SCORE
        if promising == MAX_REFINED:
            return


def _finest(fields: list[FittedField], fine: EdgeField, image: Image) -> list[FittedField]:
    """The fields as they fit the full picture."""
    size = (image.shape[1], image.shape[0])
    return [*refine((found.resized(size) for found in fields), fine, FINE_REACH)]


def _refine_best(starts: Iterable[FittedField], edges: EdgeField) -> Iterator[FittedField]:
    """Those fields refined in the small picture that are among the best after the first round."""
    first = _best(refine(starts, edges, COARSE_REACH[:1]), MAX_LEADERS)
    return refine(first, edges, COARSE_REACH[1:])


def _is_sure(found: FittedField, field: EdgeField) -> bool:
    return found.score >= SURE_SCORE and not any(neighbours(found, field, 0.0))


def _best(fields: Iterable[FittedField], limit: int) -> list[FittedField]:
    """The best of the fields, without those that are the same."""
    chosen: list[FittedField] = []
    for found in sorted(fields, key=lambda found: -found.score):
        if len(chosen) < limit and not any(found.is_same(other) for other in chosen):
            chosen.append(found)
    return chosen


def _with_neighbours(leaders: list[FittedField], edges: EdgeField) -> list[FittedField]:
    """The best of the leaders, which are ordered, and of clearly better fields close to them."""
    beside = (one for found in leaders for one in neighbours(found, edges, NEIGHBOUR_MARGIN))
    inside = (one for found in leaders for one in without_border(found, edges))
    better = [
        one
        for others, margin in ((beside, CLEAR_MARGIN), (inside, BORDER_MARGIN))
        for one in _refine_best(others, edges)
        if one.score > leaders[0].score + margin
    ]
    return _best([*better, *leaders], MAX_REFINED)


def _part_around(found: Located, image: Image, lens: Lens | None) -> tuple[slice, slice] | None:
    """Rows and columns of the board and its surroundings, if they need to be seen by themselves.

    They do if they fill little of the picture, or if they are far from its middle, the board is not
    sure and the lens unknown: the picture may have been cut from a larger one.
    """
    part = _part(found.pose, image, AROUND_MARGIN)
    if part is None:
        return None
    size = np.array(image.shape[:2])
    filled = [of.stop - of.start for of in part] / size
    aside = np.abs([of.start + of.stop for of in part] / size - 1) / 2
    is_unsure = MIN_BOARD_SCORE <= found.score < SURE_SCORE
    is_cut = lens is None and is_unsure and aside.max() > MIN_ASIDE_SHARE
    return part if filled.max() <= MAX_CLOSER_SHARE or is_cut else None


def _part(pose: Pose, image: Image, margin: float) -> tuple[slice, slice] | None:
    """Rows and columns in which a board and `margin` field widths around it are, if any."""
    corners = pose.corners(margin)
    if not np.isfinite(corners).all():
        return None
    size = image.shape[1::-1]
    least = np.clip(corners.min(axis=0), 0, size).astype(int)
    end = np.clip(corners.max(axis=0) + 1, 0, size).astype(int)
    if (end <= least).any():
        return None
    return slice(least[1], end[1]), slice(least[0], end[0])


@np.errstate(over="ignore", invalid="ignore")
def _seen_closer(
    image: Image,
    part: tuple[slice, slice],
    first: Located,
    lens: Lens | None,
    board: Proportions | None,
) -> Located:
    """The field found `first`, or as found in the part of the picture around it.

    The net's marks are only as precise as the picture that it gets. And if a picture was cropped
    from a larger one, the lens's axis may be anywhere: the board supports that by a clearly better
    score.
    """
    cut = _likeliest(np.ascontiguousarray(image[part]), None, board)
    if cut is None:
        return first
    size = (image.shape[1], image.shape[0])
    cut = replace(cut, pose=cut.pose.within(size, (part[1].start, part[0].start)))
    again = refine(
        plausible(cut.pose.corners(), size, lens, board), edge_field(image, 1.2, 1.0), FINE_REACH
    )
    best = max((first, *(_located(one) for one in again)), key=lambda one: one.score)
    return cut if lens is None and cut.score > best.score + CUT_MARGIN else best


def is_another_beside(image: Image, pose: Pose) -> bool:
    """Whether an (H, W, 3) BGR picture certainly shows another board beside that of the pose.

    Searched only where the known board leaves room for another.
    """
    outline, (height, width) = pose.corners(), image.shape[:2]
    left, above = np.maximum(outline.min(axis=0), 0).astype(int)
    right, below = outline.max(axis=0).astype(int)
    every = image[:, :left], image[:, right:], image[:above], image[below:]
    roomy = [rest for rest in every if rest[..., 0].size > MIN_REST_SHARE * height * width]
    found = (_likeliest(np.ascontiguousarray(rest), None, None) for rest in roomy)
    return any(one is not None and one.score >= SURE_BOARD_SCORE for one in found)


def edge_agreement(
    image: Image, pose: Pose, layout: Layout, enough: float = MIN_AGREEMENT
) -> float:
    """Agreement, -1..1, of a known board's edges with those in an (H, W, 3) BGR picture.

    Edges are judged by their strength among those of the picture; if that gives less than `enough`,
    also among those of the board alone: a loud tablecloth makes any board look faint.
    """
    whole = agreement(pose, layout, edge_field(image, 1.2, 1.0))
    part = _part(pose, image, FRAME_MARGIN)
    if whole >= enough or part is None:
        return whole
    alone = np.ascontiguousarray(image[part])
    size, first = (alone.shape[1], alone.shape[0]), (-part[1].start, -part[0].start)
    return max(whole, agreement(pose.within(size, first), layout, edge_field(alone, 1.2, 1.0)))


def locate_from_corners(image: Image, corners: Floats, lens: Lens | None = None) -> Located:
    """The field with corners marked by hand, (4, 2) pixels in any order.

    It is fitted to the picture's edges; raises `BoardNotFound` if no board can have such corners.
    """
    size = (image.shape[1], image.shape[0])
    away = corners - corners.mean(axis=0)
    around = corners[np.argsort(-np.arctan2(away[:, 1], away[:, 0]))]
    turned = [np.roll(around, turn, axis=0) for turn in (0, 1)]
    candidates = [found for quad in turned for found in plausible(quad, size, lens, None)]
    finest = refine(candidates, edge_field(image, 1.2, 1.0), FINE_REACH)
    best = max(finest, key=lambda found: found.score, default=None)
    if best is None:
        raise BoardNotFound(
            msg(
                "these cannot be the corners of a board: mark the corners of the playing field, "
                "where the felt meets the rails"
            )
        )
    return _located(best)


def _shrunk(image: Image) -> Image:
    scale = SEARCH_WIDTH / max(image.shape[:2])
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    return np.asarray(small, np.uint8)


def _located(found: FittedField) -> Located:
    return Located(found.shape.pose, found.shape.layout, found.score)
