"""Adapts the checkers' net to the set in one picture of a known position.

The net's last layer is fitted to the known counts, regularized toward the trained one, for discs
that are thin or small, or paint that looks like a checker. The set's two colors, and whether all
its checkers are there, are learned along with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np

from calibration.profile import Profile
from engine import BAR, Side
from engine.arrays import Floats, Ints, Mask
from engine.evidence.observation import COUNTS, FIRST_LAYER
from engine.position import CHECKERS
from vision.checkers.conservation import SidePair, in_play_probability
from vision.checkers.side_colours import side_colours_lab
from vision.checkers.strips import STRIP_COUNT, cut_strips, recoloured, strip_parallaxes
from vision.nets import load_net

AUGMENTED_VIEWS: Final = 10
"""Number of views of the picture, each slightly shifted and recolored. Forty take three times as
long and read other pictures of the set no better (`docs/explanation/measured.md`)."""
MAX_SHIFT: Final = 2
"""Maximum shift in pixels."""
RIDGE_WEIGHT: Final = 3e-3
"""Penalty for leaving the trained weights, relative to the features' magnitude."""
MAX_ITERATIONS: Final = 100
MIN_HEAP: Final = 2 * FIRST_LAYER + 1
"""Number of checkers on one point from which at least three lie on each other."""


@dataclass(frozen=True, slots=True, eq=False)
class SetAdaptation:
    """What a picture has taught about a set."""

    weight_delta: Floats
    """(31, 97) change of the net's last layer; the bias is the last column."""
    colours: Floats | None
    """(2, 3) colors of light's and dark's checkers, as measured by
    `vision.checkers.side_colours`; None if a side had no checker on a point."""
    in_play: SidePair
    """What `vision.checkers.conservation` should assume for light and dark."""
    heaps: Mask
    """(24,) the points on which the picture shows at least `MIN_HEAP` checkers."""

    def logits(self, outputs: Floats) -> Floats:
        """(N, 31) logits from an (N, 127) output of the net."""
        answers = len(self.weight_delta)
        return np.asarray(
            outputs[:, :answers]
            + outputs[:, answers:] @ self.weight_delta[:, :-1].T
            + self.weight_delta[:, -1]
        )


@lru_cache(maxsize=2)
def adapt_to_set(profile: Profile) -> SetAdaptation:
    """Adapt to the set in a profile's picture; takes about half a second."""
    outputs, counts = _outputs(profile)
    change = _fitted(outputs[:, :COUNTS], outputs[:, COUNTS:], counts + CHECKERS)
    position = np.array(profile.position.signed())
    colours = side_colours_lab(profile.picture, profile.grid, position)
    heaps = np.abs(position) >= MIN_HEAP
    return SetAdaptation(change, colours, in_play_probability(profile.position), heaps)


def _outputs(profile: Profile) -> tuple[Floats, Ints]:
    """(N, 127) outputs of the net on augmented strips of a known position; (N,) their counts."""
    rng = np.random.default_rng(0)
    grid, net = profile.grid, load_net("checkers")
    counts = np.array(profile.position.signed(), np.int64)
    if not any(profile.position.of(side)[BAR] for side in Side):
        counts = np.append(counts, [0, 0])
    outputs = []
    for _ in range(AUGMENTED_VIEWS):
        shifts = rng.integers(-MAX_SHIFT, MAX_SHIFT + 1, (STRIP_COUNT, 2))
        strips = cut_strips(
            profile.picture, grid.layout, grid.field_size[0], strip_parallaxes(grid), shifts
        )
        outputs.append(net(recoloured(strips, rng, hues=0.0))[: len(counts)])
    return np.concatenate(outputs).astype(np.float64), np.tile(counts, AUGMENTED_VIEWS)


def _fitted(logits: Floats, features: Floats, classes: Ints) -> Floats:
    """(31, 97) change of the last layer that makes the classes likeliest (ridge regression)."""
    from scipy.optimize import minimize

    inputs = np.column_stack([features, np.ones(len(features))])
    wanted = np.eye(logits.shape[1])[classes]
    cost = RIDGE_WEIGHT * float((features**2).sum(axis=1).mean())
    shape = (logits.shape[1], inputs.shape[1])

    def loss(flat: Floats) -> tuple[float, Floats]:
        change = flat.reshape(shape)
        moved = logits + inputs @ change.T
        raised = np.exp(moved - moved.max(axis=1, keepdims=True))
        chances = raised / raised.sum(axis=1, keepdims=True)
        right = np.maximum(chances[np.arange(len(classes)), classes], 1e-12)
        slope = (chances - wanted).T @ inputs / len(classes) + 2 * cost * change
        return float(-np.log(right).mean() + cost * (change**2).sum()), slope.ravel()

    best = minimize(
        loss,
        np.zeros(np.prod(shape)),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": MAX_ITERATIONS},
    )
    return np.asarray(best.x, np.float64).reshape(shape)
