"""Whether places that are told empty look alike.

A checker that stands where none was told would be learnt as felt and never be seen again; what
gives it away is that its place looks like that of no other point.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from calibration.appearance import ELSE, Appearance, Colours, disc_mask
from calibration.grid import Grid
from calibration.opening import is_leant_over, smeared
from calibration.strips import WIDTH, point_strip
from engine import Position

Floats = NDArray[np.float64]

STRANGE: Final = 45.0
"""Units of colour from what the like points show: lamp and shadows alone make up to 40, a checker
20 to 180, less where it is painted like its point: then only a reading can tell."""
SLOTS: Final = 4
"""Places from the rail that are looked at: at the fifth the points end, and each shows another
share of its tip."""
REACH: Final = 0.3  # of a diameter around where the first checker's middle would be


def strange_places(
    colours: Colours, grid: Grid, position: Position, appearance: Appearance
) -> tuple[int, ...]:
    """Light's points where a checker's colour shows beside the checkers told, and on no like point.

    Looked at is where the next checker would stand, short of a full row. `colours`
    (h, w, 3) are the perceptual ones of the rectified picture.
    """
    diameter = appearance.diameter
    stacks = disc_mask(colours.shape[:2], smeared(position, grid, diameter), 0.72 * diameter)
    counts = position.signed()
    free = [point for point in range(1, 25) if not is_leant_over(stacks, grid, point)]
    felt = [point for point in free if not counts[point - 1]]
    strange = []
    for point in free:
        slot = abs(counts[point - 1])
        if slot < SLOTS:
            own = _place(colours, grid, point, slot, diameter)
            shown = {p: _place(colours, grid, p, slot, diameter) for p in felt if p != point}
            if _is_strange(own, shown) and _is_checkers(own, appearance):
                strange.append(point)
    return tuple(strange)


def _is_checkers(own: Floats, appearance: Appearance) -> bool:
    """Whether a colour is one of the checkers': a shadow across the points is not."""
    return any(float(model(own.astype(np.float32))) > ELSE for model in appearance.models.values())


def _place(colours: Colours, grid: Grid, point: int, slot: int, diameter: float) -> Floats:
    """(3,) typical colour where the checker of a slot would stand, 0 at the rail."""
    strip = point_strip(colours, grid, point)
    reach, middle = round(REACH * diameter), WIDTH // 2
    row = round((slot + 0.5) * diameter)
    patch = strip[row - reach : row + reach + 1, middle - reach : middle + reach + 1]
    return np.asarray(np.median(patch.reshape(-1, 3), axis=0), float)


def _is_strange(own: Floats, shown: dict[int, Floats]) -> bool:
    """Whether neither paint's points look like this one; at least two of a paint must be known."""
    groups = [[shown[p] for p in shown if p % 2 == odd] for odd in (0, 1)]
    paints = [np.median(group, axis=0) for group in groups if len(group) > 1]
    return bool(paints) and min(float(np.linalg.norm(own - one)) for one in paints) > STRANGE
