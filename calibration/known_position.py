"""Where the checkers of a known position are in the rectified picture, and its orientation.

One frame of a known position determines the numbering (which of the four ways to lay the field's
frame over the board fits) and labels every pixel, from which the colors are learned.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from calibration.appearance import Appearance, ColourModel, disc_mask, local_spread, to_perceptual
from calibration.errors import CannotLearn
from calibration.grid import CHECKER_THICKNESS, PADDING, POINT_PITCH, Grid
from calibration.pose import Pose
from calibration.strips import STRIP_MARGIN, point_strip, slot_rows, strip_length, strip_origin
from engine import BAR, Position, Side
from engine.arrays import Floats, Image
from engine.evidence.observation import FIRST_LAYER
from engine.message import msg

Colours = NDArray[np.float32]

USUAL_DIAMETER: Final = 0.9 * POINT_PITCH
"""Rectified pixels; sets range from 0.85 to 0.97 point widths."""
BORROWED_SIGMA: Final = 6.0
"""Sigma added, in color units, where the background is borrowed from another point."""
NEIGHBOUR_OVERLAP: Final = 4
"""Pixels by which a sloppy neighbor's rim reaches into a point."""
CORE_RADIUS: Final = 0.3
"""Radius, in diameters, of the part of a disc that is certainly checker."""


def orientations(pose: Pose) -> Iterator[Pose]:
    """The pose for every way to name the field's corners: half turns and mirror images."""
    for turned in (pose, pose.half_turned()):
        yield turned
        yield replace(turned, mirrored=not turned.mirrored)


def absent_sides(position: Position) -> tuple[Side, ...]:
    """The sides that have no checker on a point, so that their color is not seen."""
    counts = position.signed()
    signs = ((Side.LIGHT, 1), (Side.DARK, -1))
    return tuple(side for side, sign in signs if not any(count * sign > 0 for count in counts))


def check_teachable(position: Position) -> None:
    """Raise `CannotLearn` if `position` hides all of the felt."""
    if all(position.signed()):
        full = msg(
            "every point is occupied, so the felt cannot be learned: show a position with empty "
            "points"
        )
        raise CannotLearn(full)


def first_layer_centers(position: Position, grid: Grid, diameter: float) -> dict[Side, Floats]:
    """Per side, (N, 2) rectified centers of the first-layer checkers of every point."""
    return _placed(position, lambda point, shown, _: column(grid, point, shown, diameter))


def top_centers(position: Position, grid: Grid, diameter: float) -> dict[Side, Floats]:
    """Like `first_layer_centers`, for the topmost checker of every stack as the camera sees it."""

    def row(point: int, shown: int, count: int) -> Floats:
        layers = np.array([_layers(count, slot) for slot in range(shown)])
        return lifted_centers(column(grid, point, shown, diameter), grid, layers)

    return _placed(position, row)


def row_centers(position: Position, grid: Grid, diameter: float) -> Floats:
    """(N, 2) rectified centers of full rows on the points that hold checkers.

    Checkers are not always pushed together: one may lie anywhere on its point.
    """
    held = [point for point, count in enumerate(position.signed(), start=1) if count]
    rows = [column(grid, point, FIRST_LAYER, diameter) for point in held]
    return np.concatenate([np.zeros((0, 2)), *rows])


def _placed(position: Position, row: Callable[[int, int, int], Floats]) -> dict[Side, Floats]:
    """Per side, (N, 2): `row` of every held point, given its visible checkers and all of them."""
    places: dict[Side, list[Floats]] = {side: [np.zeros((0, 2))] for side in Side}
    for point, count in enumerate(position.signed(), start=1):
        if count:
            side = Side.LIGHT if count > 0 else Side.DARK
            places[side].append(row(point, min(abs(count), FIRST_LAYER), abs(count)))
    return {side: np.concatenate(found) for side, found in places.items()}


def lifted_centers(centers: Floats, grid: Grid, layers: NDArray[np.intp]) -> Floats:
    """(N, 2) rectified pixels at which checkers above (N, 2) rectified centers on the felt appear.

    layers: (N,) each checker's place in its stack, 0 for those on the felt.
    """
    places = grid.to_field(centers)
    seen = grid.pose.project(places, np.asarray(layers * CHECKER_THICKNESS, np.float64))
    return grid.to_pixels(grid.pose.locate(seen, grid.height))


def stack_side_centers(position: Position, grid: Grid, diameter: float) -> Floats:
    """(N, 2) rectified centers of the checkers in tall stacks, layer by layer.

    The camera sees the sides of a stack beside its top, in front of the felt.
    """
    rows = [np.zeros((0, 2))]
    for point, count in enumerate(position.signed(), start=1):
        row = column(grid, point, min(abs(count), FIRST_LAYER), diameter)
        if abs(count) > FIRST_LAYER:
            layers = range(1, _layers(abs(count), 0) + 1)
            rows.extend(lifted_centers(row, grid, np.full(len(row), layer)) for layer in layers)
    return np.concatenate(rows)


def _layers(count: int, slot: int) -> int:
    """Height in checkers of a slot (0 at the rail) on a point with `count` checkers."""
    return -(-(count - slot) // FIRST_LAYER)


def column(grid: Grid, point: int, count: int, diameter: float) -> Floats:
    """(count, 2) rectified centers of touching checkers on a point, starting at the rail."""
    (_, y), step = strip_origin(grid, point)
    x = grid.to_pixels(np.array([(grid.layout.point_x(point), 0.0)]))[0, 0]
    rows = slot_rows(count, diameter)
    return np.column_stack([np.full(count, x), y + step * rows])


def orientation_score(picture: Image, grid: Grid, position: Position) -> float:
    """How well an (h, w, 3) rectified BGR picture fits `position`: color units, about 0 if not.

    The checkers of a side look alike and unlike the empty points. An empty board fits any way.
    """
    colours = to_perceptual(picture)
    discs = _first_layer_patches(colours, grid, position)
    empty = _patches(colours, _empty_slots(position, grid))
    return min((_separation(patches, empty) for patches in discs.values()), default=0.0)


def lightness_lead(picture: Image, grid: Grid, position: Position) -> float:
    """By how many standard deviations light's checkers are lighter than dark's, if both show.

    picture: (h, w, 3) rectified BGR. Glare makes some checkers lighter, but leaves the darkest; a
    shadow makes some darker, but leaves the lightest. So both ends are compared, not the middle.
    """
    patches = _first_layer_patches(to_perceptual(picture), grid, position)
    if len(patches) < len(Side):
        return 0.0
    light, dark = (patches[side][:, 0] for side in Side)
    sigmas = [np.diff(np.percentile(side, (16, 84)))[0] / 2 for side in (light, dark)]
    spread = max(1.0, float(np.linalg.norm(sigmas)))
    ends = [np.percentile(side, (10, 90)).mean() for side in (light, dark)]
    return float(ends[0] - ends[1]) / spread


def _first_layer_patches(colours: Colours, grid: Grid, position: Position) -> dict[Side, Colours]:
    """Per side, (N, 3) mean colors of the checkers of its first layers, if it has any."""
    places = first_layer_centers(position, grid, USUAL_DIAMETER)
    return {side: _patches(colours, found) for side, found in places.items() if len(found)}


def _separation(own: Colours, empty: Colours) -> float:
    typical = np.median(own, axis=0)
    within = np.linalg.norm(own - typical, axis=1)
    to_empty = np.linalg.norm(own[:, None] - empty[None], axis=2).min(axis=1)
    return float(np.median(to_empty) - 2 * np.mean(within))


def _empty_slots(position: Position, grid: Grid) -> Floats:
    empty = [point for point, count in enumerate(position.signed(), start=1) if not count]
    return np.concatenate([column(grid, point, FIRST_LAYER, USUAL_DIAMETER) for point in empty])


def _patches(colours: Colours, centers: Floats) -> Colours:
    """(N, 3) mean colors around (N, 2) pixels."""
    reach = round(CORE_RADIUS * USUAL_DIAMETER)
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
    uncertain: Floats | None = None,
) -> Appearance:
    """The look of the set in an (h, w, 3) rectified BGR picture.

    centers: per side, (N, 2) rectified pixels of its checkers; diameter: of a checker, in rectified
    pixels; uncertain: (N, 2) rectified pixels where there may be another checker, which are left
    out.
    """
    beside = stack_side_centers(position, grid, diameter)
    excluded = beside if uncertain is None else np.concatenate([uncertain, beside])
    counts = position.signed()
    seen = appearance_of(picture, grid, counts, centers, diameter, uncertain=excluded)
    if not position.light[BAR] + position.dark[BAR]:
        return seen
    return replace(seen, background=_bare_bar(seen.background, grid))


def _bare_bar(background: Colours, grid: Grid) -> Colours:
    """The background with the bar replaced by the median of each of its columns."""
    bare = background.copy()
    reach = grid.layout.bar * grid.field_size[0] / 2
    middle = grid.size[0] / 2
    columns = slice(round(middle - reach), round(middle + reach))
    bare[PADDING:-PADDING, columns] = np.median(background[PADDING:-PADDING, columns], axis=0)
    return bare


def appearance_of(
    picture: Image,
    grid: Grid,
    counts: Sequence[int],
    centers: dict[Side, Floats],
    diameter: float,
    *,
    uncertain: Floats | None = None,
) -> Appearance:
    """Like `learn_appearance`, for (24,) signed counts that need not be a complete position."""
    colours = to_perceptual(picture)
    shape = colours.shape[:2]
    models = {
        side: ColourModel.of_pixels(colours[disc_mask(shape, found, 0.44 * diameter)])
        for side, found in centers.items()
    }
    excluded = [] if uncertain is None else [uncertain]
    covered = disc_mask(shape, np.concatenate([*centers.values(), *excluded]), 0.72 * diameter)
    background = _uncovered(colours, covered, grid, counts)
    spread = local_spread(background)
    spread[covered] += BORROWED_SIGMA
    return Appearance(background, spread, models, diameter)


def _uncovered(
    colours: Colours, covered: NDArray[np.bool_], grid: Grid, counts: Sequence[int]
) -> Colours:
    """The picture with each held point replaced by the empty point that looks most like it."""
    background = colours.copy()
    empty = [point for point, count in enumerate(counts, start=1) if not count]
    overlapped = {point for point in empty if is_overlapped(covered, grid, point)}
    donors = [point for point in empty if point not in overlapped] or empty
    for point, count in enumerate(counts, start=1):
        if count or point in overlapped:
            donor = _look_alike(colours, covered, grid, point, _painted_alike(point, donors))
            strip, mask = point_strip(colours, grid, donor), point_strip(covered, grid, point)
            _paste(background, strip, mask, grid, point)
    return background


def is_overlapped(covered: NDArray[np.bool_], grid: Grid, point: int) -> bool:
    """Whether a neighbor's stack covers part of this point.

    `covered`: (h, w) mask of the pixels of the rectified picture where there is a checker.
    """
    edge = STRIP_MARGIN + NEIGHBOUR_OVERLAP
    return bool(point_strip(covered, grid, point)[:, edge:-edge].any())


def _painted_alike(point: int, others: list[int]) -> list[int]:
    """Those of `others` that have the color of `point`, since colors alternate.

    Preferably from the same quarter: on some boards the alternation restarts after the bar.
    """
    same = [other for other in others if other % 2 == point % 2]
    near = [other for other in same if (other - 1) // 6 == (point - 1) // 6]
    return near or same or others


def _look_alike(
    colours: Colours, covered: NDArray[np.bool_], grid: Grid, point: int, empty: list[int]
) -> int:
    """The empty point whose strip differs least from the visible part of this one's."""
    own, mask = point_strip(colours, grid, point), point_strip(covered, grid, point)
    inner = slice(strip_length(grid) * 4 // 5)  # beyond the tips all strips show the same felt

    def difference(other: int) -> float:
        apart = np.abs(own - point_strip(colours, grid, other)).mean(axis=2)
        open_there = apart[inner][~mask[inner]]
        return float(open_there.mean()) if open_there.size else 0.0

    return min(empty, key=difference)


def _paste(
    background: Colours, strip: Colours, mask: NDArray[np.bool_], grid: Grid, point: int
) -> None:
    (left, start), step = strip_origin(grid, point)
    rows, columns = np.nonzero(mask)
    background[start + step * rows, left + columns] = strip[rows, columns]
