"""Where the checkers of a known position stand in the rectified picture, and which way round.

One frame of a known position tells the numbering (which of the four ways to lay the field's
frame over the board fits) and labels every pixel: what the colours are learnt from.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from calibration.appearance import Appearance, ColourModel, disc_mask, local_spread, perceptual
from calibration.grid import PITCH, Grid
from calibration.pose import Pose
from calibration.strips import point_strip, slot_rows, strip_length, strip_origin
from engine import Position, Side

Floats = NDArray[np.float64]
Colours = NDArray[np.float32]
Image = NDArray[np.uint8]

ROW: Final = 5  # checkers in the first layer of a full point
USUAL_DIAMETER: Final = 0.9 * PITCH  # sets run from 0.85 to 0.97 point widths
LOOSEST: Final = 1.12 * PITCH  # spacing of checkers that nobody pushed together
BORROWED: Final = 6.0  # sigma added where the background is another point's
CORE: Final = 0.3  # radius over diameter of the part of a disc that is surely checker


def four_ways(pose: Pose) -> Iterator[Pose]:
    """The pose under every way to name the field's corners: half turns and mirror images."""
    for turned in (pose, pose.half_turned()):
        yield turned
        yield replace(turned, mirrored=not turned.mirrored)


def standing(position: Position, grid: Grid, diameter: float) -> dict[Side, Floats]:
    """Per side (N, 2) rectified centres of the first-layer checkers of every point."""
    places: dict[Side, list[Floats]] = {Side.LIGHT: [], Side.DARK: []}
    for point, count in enumerate(position.signed(), start=1):
        if count:
            side = Side.LIGHT if count > 0 else Side.DARK
            places[side].append(column(grid, point, min(abs(count), ROW), diameter))
    return {side: np.concatenate([np.zeros((0, 2)), *found]) for side, found in places.items()}


def column(grid: Grid, point: int, count: int, diameter: float) -> Floats:
    """(count, 2) rectified centres of checkers that stand in a row from the rail."""
    (_, y), step = strip_origin(grid, point)
    x = grid.to_pixels(np.array([(grid.layout.point_x(point), 0.0)]))[0, 0]
    rows = slot_rows(count, diameter)
    return np.column_stack([np.full(count, x), y + step * rows])


def way_score(picture: Image, grid: Grid, position: Position) -> float:
    """How well a rectified picture shows `position`: high where it does, about 0 elsewhere.

    Checkers of a side look like each other and like nothing that stands on an empty point;
    the light ones are the lighter ones.
    """
    colours = perceptual(picture)
    discs = {
        side: _patches(colours, centers)
        for side, centers in standing(position, grid, USUAL_DIAMETER).items()
    }
    empty = _patches(colours, _empty_slots(position, grid))
    lightness = {side: float(np.median(patches[:, 0])) for side, patches in discs.items()}
    if lightness[Side.LIGHT] <= lightness[Side.DARK]:
        return -np.inf
    return min(_apartness(patches, empty) for patches in discs.values())


def _apartness(own: Colours, empty: Colours) -> float:
    typical = np.median(own, axis=0)
    within = np.linalg.norm(own - typical, axis=1)
    to_empty = np.linalg.norm(own[:, None] - empty[None], axis=2).min(axis=1)
    return float(np.median(to_empty) - 2 * np.mean(within))


def _empty_slots(position: Position, grid: Grid) -> Floats:
    empty = [point for point, count in enumerate(position.signed(), start=1) if not count]
    return np.concatenate([column(grid, point, ROW, USUAL_DIAMETER) for point in empty])


def _patches(colours: Colours, centers: Floats) -> Colours:
    """(N, 3) mean colours around (N, 2) pixels."""
    reach = round(CORE * USUAL_DIAMETER)
    height, width = colours.shape[:2]
    means = []
    for x, y in np.rint(centers).astype(int):
        rows = slice(max(0, y - reach), min(height, y + reach + 1))
        columns = slice(max(0, x - reach), min(width, x + reach + 1))
        means.append(colours[rows, columns].reshape(-1, 3).mean(axis=0))
    return np.array(means, np.float32)


def learn_appearance(
    picture: Image,
    grid: Grid,
    position: Position,
    centers: dict[Side, Floats],
    diameter: float,
    *,
    perhaps: Floats | None = None,
) -> Appearance:
    """The look of the set in a rectified picture where checkers stand at `centers`.

    `perhaps` (N, 2) are further places where one may stand: nothing is learnt from there.
    """
    return appearance_of(picture, grid, position.signed(), centers, diameter, perhaps=perhaps)


def appearance_of(
    picture: Image,
    grid: Grid,
    counts: Sequence[int],
    centers: dict[Side, Floats],
    diameter: float,
    *,
    perhaps: Floats | None = None,
) -> Appearance:
    """As `learn_appearance`, of (24,) signed counts that need not be a whole position."""
    colours = perceptual(picture)
    shape = colours.shape[:2]
    models = {
        side: ColourModel.of_pixels(colours[disc_mask(shape, found, 0.44 * diameter)])
        for side, found in centers.items()
    }
    doubtful = [] if perhaps is None else [perhaps]
    covered = disc_mask(shape, np.concatenate([*centers.values(), *doubtful]), 0.72 * diameter)
    background = _uncovered(colours, covered, grid, counts)
    spread = local_spread(background)
    spread[covered] += BORROWED
    return Appearance(background, spread, models, diameter)


def _uncovered(
    colours: Colours, covered: NDArray[np.bool_], grid: Grid, counts: Sequence[int]
) -> Colours:
    """The picture with what stands on each point replaced by a look-alike empty point's felt."""
    background = colours.copy()
    empty = [point for point, count in enumerate(counts, start=1) if not count]
    for point, count in enumerate(counts, start=1):
        if count:
            donor = _look_alike(colours, covered, grid, point, _painted_alike(point, empty))
            strip, mask = point_strip(colours, grid, donor), point_strip(covered, grid, point)
            _paste(background, strip, mask, grid, point)
    return background


def _painted_alike(point: int, others: list[int]) -> list[int]:
    """Those of `others` that are painted like `point`: colours alternate from point to point.

    The same quarter first: some boards begin the row anew behind the bar.
    """
    same = [other for other in others if other % 2 == point % 2]
    near = [other for other in same if (other - 1) // 6 == (point - 1) // 6]
    return near or same or others


def _look_alike(
    colours: Colours, covered: NDArray[np.bool_], grid: Grid, point: int, empty: list[int]
) -> int:
    """The empty point whose strip differs least from what is visible of this one."""
    own, mask = point_strip(colours, grid, point), point_strip(covered, grid, point)
    inner = slice(strip_length(grid) * 4 // 5)  # beyond the tips all strips are the same felt

    def difference(other: int) -> float:
        apart = np.abs(own - point_strip(colours, grid, other)).mean(axis=2)
        return float(apart[inner][~mask[inner]].mean())

    return min(empty, key=difference)


def _paste(
    background: Colours, strip: Colours, mask: NDArray[np.bool_], grid: Grid, point: int
) -> None:
    (left, start), step = strip_origin(grid, point)
    rows, columns = np.nonzero(mask)
    background[start + step * rows, left + columns] = strip[rows, columns]
