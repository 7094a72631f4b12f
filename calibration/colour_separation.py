"""Whether two colors of a set are too similar to be told apart in a picture."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Final

import numpy as np

from calibration.appearance import Appearance, ColourModel, Colours, disc_mask, to_perceptual
from calibration.grid import POINT_PITCH
from calibration.point_paints import split_by_paint
from calibration.profile import Profile
from calibration.strips import STRIP_WIDTH, point_strip, strip_length
from engine import Side
from engine.arrays import Mask
from engine.message import Message, msg
from engine.position import SIDE_NAMES

MIN_OVERLAP: Final = 0.5
"""Bhattacharyya coefficient from which two colors count as similar."""
CLEARANCE: Final = 0.72
"""Radius around a checker's center, in diameters, within which the checker may be visible."""
MIN_PAINT_PIXELS: Final = 60
"""Minimum number of pixels from which a point's color is estimated."""


def similar_colours(profile: Profile, appearance: Appearance) -> tuple[Message, Message] | None:
    """The two most similar colors among the checkers and points; None if all differ.

    Similarity is the Bhattacharyya coefficient of their histograms: 0 for disjoint, 1 for equal.
    """
    light, dark = (
        (msg("the {side} checkers", side=SIDE_NAMES[side]), appearance.models[side])
        for side in Side
    )
    pairs = [(light, dark), *product((light, dark), _point_models(profile))]
    overlaps = [
        (_overlap(model, other_model), name, other) for (name, model), (other, other_model) in pairs
    ]
    overlap, name, other = max(overlaps, key=lambda one: (one[0], str(one[1]), str(one[2])))
    return (name, other) if overlap >= MIN_OVERLAP else None


def _overlap(one: ColourModel, other: ColourModel) -> float:
    roots = np.exp(0.5 * (one.log_density + other.log_density), dtype=np.float64)
    total = np.exp(one.log_density, dtype=np.float64).sum()
    return float(roots.sum() / total)


def _point_models(profile: Profile) -> Iterator[tuple[Message, ColourModel]]:
    """The color models of the darker and the lighter points, if enough of both is visible."""
    colours = to_perceptual(profile.picture)
    found = np.concatenate(list(profile.centers.values()))
    free = ~disc_mask(colours.shape[:2], found, CLEARANCE * profile.diameter)
    ends = _wide_ends(colours, free, profile)
    shown = {point: np.median(pixels, axis=0) for point, pixels in ends.items()}
    groups = [[ends[point] for point in group] for group in split_by_paint(shown)]
    painted = [np.concatenate(group) for group in groups if group]
    if len(painted) < len(groups) or min(map(len, painted)) < MIN_PAINT_PIXELS:
        return
    painted.sort(key=lambda pixels: float(np.median(pixels[:, 0])))
    names = (msg("the darker points"), msg("the lighter points"))
    for name, pixels in zip(names, painted, strict=True):
        yield name, ColourModel.of_pixels(pixels)


def _wide_ends(colours: Colours, free: Mask, profile: Profile) -> dict[int, Colours]:
    """By point, (N, 3) colors of its wide end where there is no checker, if any are seen."""
    rows = slice(strip_length(profile.grid) // 20, strip_length(profile.grid) // 3)
    aside = (STRIP_WIDTH - POINT_PITCH // 2) // 2
    ends = {}
    for point in range(1, 25):
        strip = point_strip(colours, profile.grid, point)[rows, aside:-aside]
        seen = strip[point_strip(free, profile.grid, point)[rows, aside:-aside]]
        if len(seen):
            ends[point] = seen
    return ends
