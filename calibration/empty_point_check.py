"""Finds checkers that a known position does not have, by comparing its empty places.

Such a checker would be learned as felt and never be seen again; but its place looks unlike those of
all other points.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from calibration.appearance import OTHER_LOG_DENSITY, Appearance, Colours, disc_mask
from calibration.grid import Grid
from calibration.known_position import is_overlapped, stack_side_centers
from calibration.point_paints import split_by_paint
from calibration.strips import STRIP_WIDTH, point_strip, strip_length, strip_origin
from engine import Position, Side
from engine.arrays import Floats

MAX_PAINT_DISTANCE: Final = 45.0
"""Color units from the points of the same paint: lamp and shadows alone account for up to 40, a
checker for 20 to 180, less if it is painted like its point: then only the reading shows it."""
CHECKED_SLOTS: Final = 4
"""Number of places checked from the rail; the fifth is at the tips of the points."""
NARROW_FROM_SLOT: Final = 2
"""Place from which a point is narrower than the patch, so that felt mixes with its paint."""
PATCH_RADIUS: Final = 0.3
"""In diameters, around the expected center of the first checker."""


def strange_places(
    colours: Colours,
    grid: Grid,
    position: Position,
    appearance: Appearance,
    centers: Mapping[Side, Floats],
) -> tuple[int, ...]:
    """Light's points 1..24 that show a checker's color where the position has none.

    The place of the next checker is compared among points of the same paint, unless the row is
    full. colours: (h, w, 3) perceptual colors of the rectified picture; centers: (n, 2) rectified
    pixels of the known checkers, because in a loose column the next place is farther from the rail.
    """
    diameter = appearance.diameter
    stacks = disc_mask(
        colours.shape[:2], stack_side_centers(position, grid, diameter), 0.72 * diameter
    )
    counts = position.signed()
    free = [point for point in range(1, 25) if not is_overlapped(stacks, grid, point)]
    felt = [point for point in free if not counts[point - 1]]
    ground = _ground(colours, grid)
    strange = []
    for point in free:
        slot = abs(counts[point - 1])
        row = _next_row(grid, point, slot, diameter, centers)
        if row < CHECKED_SLOTS * diameter:
            own = _place(colours, grid, point, row, diameter)
            shown = {p: _place(colours, grid, p, row, diameter) for p in felt if p != point}
            beside = ground if slot >= NARROW_FROM_SLOT else None
            if _is_strange(own, _paints(shown), beside) and _is_checkers(own, appearance):
                strange.append(point)
    return tuple(strange)


def _is_checkers(own: Floats, appearance: Appearance) -> bool:
    """Whether a color is that of a checker; a shadow across the points is not."""
    return any(
        float(model(own.astype(np.float32))) > OTHER_LOG_DENSITY
        for model in appearance.models.values()
    )


def _next_row(
    grid: Grid, point: int, count: int, diameter: float, centers: Mapping[Side, Floats]
) -> float:
    """Row of the point's strip at which the next checker would be centered."""
    (left, top), step = strip_origin(grid, point)
    every = np.concatenate(list(centers.values()))
    rows = (every[:, 1] - top) * step
    is_own = (every[:, 0] >= left) & (every[:, 0] < left + STRIP_WIDTH)
    own = np.sort(rows[is_own & (rows >= 0) & (rows < strip_length(grid))])[:count]
    touching = (count + 0.5) * diameter
    return float(max(touching, own[-1] + diameter)) if len(own) else touching


def _place(colours: Colours, grid: Grid, point: int, middle_row: float, diameter: float) -> Floats:
    """(3,) typical color where a checker centered on that row of the strip would be."""
    strip = point_strip(colours, grid, point)
    reach, middle = round(PATCH_RADIUS * diameter), STRIP_WIDTH // 2
    row = round(middle_row)
    patch = strip[row - reach : row + reach + 1, middle - reach : middle + reach + 1]
    return np.asarray(np.median(patch.reshape(-1, 3), axis=0), float)


def _ground(colours: Colours, grid: Grid) -> Floats:
    """(3,) typical color between the tips of the two rows."""
    middle = [grid.layout.column_x(column) for column in range(12)]
    pixels = np.rint(grid.to_pixels(np.array([(x, 0.5) for x in middle]))).astype(int)
    return np.asarray(np.median(colours[pixels[:, 1], pixels[:, 0]], axis=0), float)


def _paints(shown: dict[int, Floats]) -> list[Floats]:
    """(3,) the typical color of each paint's points, if at least two are known."""
    groups = split_by_paint(shown)
    return [np.median([shown[p] for p in group], axis=0) for group in groups if len(group) > 1]


def _is_strange(own: Floats, paints: list[Floats], beside: Floats | None) -> bool:
    """Whether a place matches neither a known paint nor a mixture with what is beside it."""
    return (
        bool(paints) and min(_distance(own, paint, beside) for paint in paints) > MAX_PAINT_DISTANCE
    )


def _distance(own: Floats, paint: Floats, beside: Floats | None) -> float:
    """Color distance between a place and the paint, or the nearest of its mixtures."""
    if beside is None:
        return float(np.linalg.norm(own - paint))
    way = beside - paint
    share = float((own - paint) @ way) / max(1e-9, float(way @ way))
    return float(np.linalg.norm(own - paint - min(1.0, max(0.0, share)) * way))
