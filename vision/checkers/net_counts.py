"""Counts the checkers of an unknown board with the trained nets.

The checkers' net sees every point and the bar at once, and so can tell the set's two colors from
the board's paint. `vision/training/train/checkers.py` trains it. The bar's own net is then given
these colors.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import numpy as np
from scipy.special import log_softmax

from calibration.grid import Grid
from engine.arrays import Floats, Floats32, Image, Mask
from engine.evidence.observation import COUNTS, FIRST_LAYER
from engine.position import CHECKERS
from vision.checkers.bar import bar_probabilities
from vision.checkers.disc_model import (
    IMPOSSIBLE,
    SIDES_SHARE,
    DiscCounts,
    has_bar,
    open_share,
)
from vision.checkers.fine_tune import MIN_HEAP, SetAdaptation
from vision.checkers.side_colours import refine_with_colours, side_colours_bgr
from vision.checkers.stacks import refine_with_stacks
from vision.checkers.strips import (
    FAR_HALF,
    NEAR_HALF,
    POINTS,
    STRIP_COUNT,
    cut_strips,
    mirrored,
    strip_parallaxes,
)
from vision.nets import (
    load_net,
    log_probabilities,
    mean_probabilities,
    pool_probabilities,
)

COLOUR_MODEL_WEIGHT: Final = 0.5
COLOUR_FAILURE_PROBABILITY: Final = 3e-3
"""Probability that the learned colors do not hold in a place, since a lamp shines on its checkers
otherwise than on those that they were learned from. Chosen from 1e-5 to 1e-2, of which those from
1e-3 on read about equally well (`docs/explanation/measured.md`)."""
BAR_NET_WEIGHT: Final = 0.7
"""Weight of the bar's own net relative to this one, which knows more sets and sees the bar in
halves."""
EMPTY_BAR_PROBABILITY: Final = 0.99
"""Probability from which an empty bar is not read again, in one of a series of pictures."""
MIN_STACKED_PROBABILITY: Final = 0.01
"""Probability that a point's first layer is full from which it is counted close up."""
HIDDEN_LAYER_NATS: Final = 3.0
"""Nats by which a reading of a full row may prefer it to one checker more or fewer."""
STRIP_SHIFT: Final = 3
"""Pixels along the strip by which augmented strips are shifted: the possible error of a pose."""


def owned_probabilities(
    picture: Image, grid: Grid, adaptation: SetAdaptation | None = None
) -> Floats:
    """Like `net_probabilities`, but points of one color belong to one side."""
    known = None if adaptation is None else adaptation.colours
    return refine_with_colours(picture, grid, net_probabilities(picture, grid, adaptation), known)


def net_probabilities(
    picture: Image, grid: Grid, adaptation: SetAdaptation | None = None, *, augmented: bool = False
) -> Floats:
    """(26, 31) probabilities of signed counts: points 1..24, then light's and dark's bar.

    `picture`: (h, w, 3) uint8 BGR as rectified by `grid`; `adaptation`: what is known about the
    set; `augmented`: average over mirrored and shifted strips, for a single picture.
    """
    views = _augmented(picture, grid) if augmented else [_cut(picture, grid, 0)]
    outputs = [load_net("checkers")(strips).astype(np.float64) for strips in views]
    chances = mean_probabilities([
        each[:, :COUNTS] if adaptation is None else adaptation.logits(each) for each in outputs
    ])  # fmt: skip
    bar = _both_halves(chances)
    if augmented or bar[:, 0].prod() < EMPTY_BAR_PROBABILITY:
        bar = _with_bar_net(bar, picture, grid, chances, augmented=augmented)
    chances[NEAR_HALF:] = 0.0
    chances[NEAR_HALF, CHECKERS:] = bar[0]
    chances[FAR_HALF, : CHECKERS + 1] = bar[1, ::-1]
    return chances


def _with_bar_net(
    halves: Floats, picture: Image, grid: Grid, chances: Floats, *, augmented: bool
) -> Floats:
    """(2, 16) probabilities that include the bar's own net.

    Unchanged if a side's color does not show on the points, or if the bar is a mere line: its strip
    would show more of the adjacent points.
    """
    if not has_bar(grid.layout):
        return halves
    counts = chances[:NEAR_HALF].argmax(axis=1) - CHECKERS
    colours = side_colours_bgr(picture, grid, counts)
    if colours is None:
        return halves
    whole = bar_probabilities(picture, grid, colours, augmented=augmented)
    return pool_probabilities(whole, halves, BAR_NET_WEIGHT)


def _both_halves(chances: Floats) -> Floats:
    """(2, 16) probabilities of 0..15 light and dark checkers in both halves of the bar together."""
    near, far = _by_side(chances[NEAR_HALF]), _by_side(chances[FAR_HALF])
    pairs = zip(near, far, strict=True)
    return np.stack([np.convolve(one, other)[: CHECKERS + 1] for one, other in pairs])


def _augmented(picture: Image, grid: Grid) -> Iterator[Floats32]:
    middle = _cut(picture, grid, 0)
    yield middle
    yield mirrored(middle)
    for shift in (-STRIP_SHIFT, STRIP_SHIFT):
        yield _cut(picture, grid, shift)


def _cut(picture: Image, grid: Grid, shift: int) -> Floats32:
    shifts = np.full((STRIP_COUNT, 2), (0, shift))
    return cut_strips(picture, grid.layout, grid.field_size[0], strip_parallaxes(grid), shifts)


def _by_side(row: Floats) -> tuple[Floats, Floats]:
    """(16,) probabilities of 0..15 light and of 0..15 dark checkers in a strip of one color."""
    light, dark = row[CHECKERS:].copy(), row[CHECKERS::-1].copy()
    light[0], dark[0] = row[: CHECKERS + 1].sum(), row[CHECKERS:].sum()
    return light, dark


def combine_with_net(
    counted: DiscCounts,
    picture: Image,
    grid: Grid,
    adaptation: SetAdaptation | None = None,
    *,
    image: Image | None = None,
    learned_here: bool = False,
) -> DiscCounts:
    """The evidence from a learned set's colors and from the nets, pooled.

    `picture`: (h, w, 3) uint8 BGR as rectified by `grid`; `image`: the same, (H, W, 3) of the
    pose's size, in which full rows are counted close up; `learned_here`: whether the colors are
    those of this very picture, so that they hold in it.

    All see the same pixels, so their errors are not fully independent: the learned colors, which
    err more in stacks, get less weight, and in other pictures than their own never enough to rule
    out alone what the nets see.
    """
    chances = owned_probabilities(picture, grid, adaptation)
    if image is not None:
        full = _may_be_stacked(chances, None if adaptation is None else adaptation.heaps)
        chances = refine_with_stacks(image, picture, grid, chances, only=full)
    counts = counted.counts * np.float32(COLOUR_MODEL_WEIGHT)
    if not learned_here:
        counts = _as_fallible(counts, open_share(counted.hidden - SIDES_SHARE))
    seen = open_share(counted.covered[: len(chances)])
    counts[: len(chances)] += seen[:, None] * log_probabilities(chances).astype(np.float32)
    counts[:POINTS] = _with_hidden_layers(counts[:POINTS])
    return replace(counted, counts=counts)


def _as_fallible(counts: Floats32, share: Floats32) -> Floats32:
    """(28, 31) log-likelihoods by colors that may not hold; what has no room stays ruled out.

    `share`: (28,) by which `count_checkers` has reduced them.
    """
    logs = log_softmax(counts, axis=1)
    bounded = np.logaddexp(logs, np.float32(np.log(COLOUR_FAILURE_PROBABILITY)))
    has_room = counts > COLOUR_MODEL_WEIGHT * IMPOSSIBLE / 2 * share[:, None]
    return np.asarray(np.where(has_room, bounded, logs))


def _with_hidden_layers(counts: Floats32) -> Floats32:
    """(24, 31) log-likelihoods that rule out no checker more or fewer on a full row.

    One that lies on another hides it; what is seen there must never prove that one is missing.
    """
    out = counts.copy()
    for sign in (1, -1):
        layered = CHECKERS + sign * np.arange(FIRST_LAYER, CHECKERS + 1)
        stacks = counts[:, layered]
        for to, beside in ((layered[1:], stacks[:, :-1]), (layered[:-1], stacks[:, 1:])):
            out[:, to] = np.maximum(out[:, to], beside - np.float32(HIDDEN_LAYER_NATS))
    return out


def _may_be_stacked(chances: Floats, heaps: Mask | None) -> Mask:
    """(24,) full rows on which checkers may lie, because their side's do not add up to 15.

    Or because they do so with a heap: who has learned a set from (24,) `heaps` on other points, as
    narde begins, takes six checkers for one. The rectified picture shows little of a second layer;
    a close look takes as long as all else.
    """
    heights = np.arange(chances.shape[1]) - CHECKERS
    counts = heights[chances.argmax(axis=1)]
    full = np.zeros(POINTS, np.bool_)
    for sign in (1, -1):
        if np.maximum(sign * counts, 0).sum() != CHECKERS:
            chance = chances[:POINTS, sign * heights >= FIRST_LAYER].sum(axis=1)
            full |= chance > MIN_STACKED_PROBABILITY
    if heaps is not None:
        full |= (np.abs(counts[:POINTS]) >= MIN_HEAP) & ~heaps
    return full
