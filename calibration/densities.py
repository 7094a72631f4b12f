"""The compiled kernel of `Appearance.evidence`: the color evidence of every pixel in one pass."""

from __future__ import annotations

from typing import Any, cast

import numba
import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats32, Mask

Colours = NDArray[np.float32]


@numba.njit(cache=True)
def _weighed(
    colours: Any, background: Any, inverse: Any, norms: Any, light: Any, dark: Any, limits: Any
) -> Any:
    rows, columns, _ = colours.shape
    bins = light.shape[0]
    width, elsewhere, clip, farthest = limits
    for_light = np.empty((rows, columns), np.float32)
    for_dark = np.empty((rows, columns), np.float32)
    strange = np.empty((rows, columns), np.bool_)
    for y in range(rows):
        for x in range(columns):
            here = colours[y, x]
            off = here[0] - background[y, x, 0]
            shaded = 1 if off < 0 else 0
            far = (off * inverse[y, x, 3 if shaded else 0]) ** 2
            far += ((here[1] - background[y, x, 1]) * inverse[y, x, 1]) ** 2
            far += ((here[2] - background[y, x, 2]) * inverse[y, x, 2]) ** 2
            floor = norms[y, x, shaded] - 0.5 * min(far, farthest)
            a = min(max(int(here[0] / width), 0), bins - 1)
            b = min(max(int(here[1] / width), 0), bins - 1)
            c = min(max(int(here[2] / width), 0), bins - 1)
            one, two = light[a, b, c], dark[a, b, c]
            other = max(floor, elsewhere)
            for_light[y, x] = min(max(one - max(other, two), -clip), clip)
            for_dark[y, x] = min(max(two - max(other, one), -clip), clip)
            strange[y, x] = max(one, two, floor) < elsewhere
    return for_light, for_dark, strange


def pixel_evidence(
    colours: Colours,
    background: Colours,
    inverse: Floats32,
    norms: Floats32,
    densities: tuple[NDArray[np.float32], NDArray[np.float32]],
    limits: tuple[float, float, float, float],
) -> tuple[Floats32, Floats32, Mask]:
    """(h, w) log-likelihood ratios of light's and of dark's checkers, and the mask of neither.

    `inverse` (h, w, 4): the inverses of the background's sigmas and of its lightness sigma in
    shadow; `norms` (h, w, 2): its log normalization in light and in shadow; `densities`: (n, n, n)
    log densities of both sides' colors; `limits`: the width of a bin, the log density of anything
    else, the clip, the maximum squared distance.
    """
    return cast(
        tuple[Floats32, Floats32, Mask],
        _weighed(colours, background, inverse, norms, *densities, tuple(map(np.float32, limits))),
    )
