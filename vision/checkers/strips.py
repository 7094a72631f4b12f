"""Strips of a picture as the nets see them, with the parallax of height.

The checkers' net reads the rectified board: one strip per point, rail first, and one for each half
of the bar. The nets for trays, bar and stacks also get each pixel's color distances from light's
and dark's checkers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import cv2
import numpy as np

from calibration.grid import CHECKER_THICKNESS, PADDING, Grid
from calibration.layout import Layout
from calibration.pose import Pose
from engine.arrays import Floats, Floats32, Image, Ints, Rng
from vision.checkers.side_colours import lab_of

Augmentations = Sequence[tuple[int, int]]
"""For each augmented strip, pixels by which it begins earlier, and -1 if it is mirrored."""

STRIP_COUNT: Final = 26
NET_STRIP_LENGTH, NET_STRIP_WIDTH = 168, 44
"""Size of a strip in pixels, at 28 per point: the rail's edge and half a tall field; a point and a
margin."""
RAIL_MARGIN: Final = 8
"""Pixels of a strip in front of the rail."""
SIDE_PADDING: Final = 16
"""Pixels by which the picture is extended at its sides, so that every strip is inside."""
PARALLAX_SCALE: Final = 8.0
POINTS: Final = 24
NEAR_HALF, FAR_HALF = 24, 25
"""Indices of the strips of the bar's halves."""
BAR_OFFSET: Final = 8
"""Pixels by which the bar's strips begin away from the rail: they end 16 beyond the middle, so that
a checker across it, 13 in radius, is complete."""
COLOUR_DISTANCE_SCALE: Final = 40.0
"""Difference in color that a net receives as 1, in Lab."""
INPUT_CHANNELS: Final = 7
OTHER_SIDES_CHANNELS: Final = [0, 1, 2, 4, 3, 5, 6]
"""The channels in the order in which the other side's color comes first."""
ACROSS_CHANNEL: Final = 5


def strip_parallaxes(grid: Grid) -> Floats:
    """(26, 2) shift due to one checker's thickness at each strip, in rectified pixels.

    On each of the points 1..24, on the bar's near half (y < 0.5) and on its far half.
    """
    layout = grid.layout
    at = [(layout.point_x(point), 0.2 if point <= 12 else 0.8) for point in range(1, 25)]
    at += [(0.5, 0.25), (0.5, 0.75)]
    places = np.array(at)
    return np.asarray(grid.to_pixels(raised_places(grid.pose, places)) - grid.to_pixels(places))


def raised_places(pose: Pose, places: Floats) -> Floats:
    """(N, 2) field coordinates where (N, 2) places appear, raised by a checker's thickness."""
    return pose.locate(pose.project(places, 2 * CHECKER_THICKNESS), CHECKER_THICKNESS)


def cut_strips(
    picture: Image,
    layout: Layout,
    field_width: int,
    lift: Floats,
    shifts: Ints | None = None,
) -> Floats32:
    """(26, 5, 168, 44) input of the checkers' net from an (h, w, 3) rectified picture.

    `field_width` in pixels; `lift` as from `strip_parallaxes`; `shifts`: (26, 2) pixels by which
    each strip is displaced, in x and along the strip.
    """
    wide = cv2.copyMakeBorder(
        picture, SIDE_PADDING, SIDE_PADDING, SIDE_PADDING, SIDE_PADDING, cv2.BORDER_REPLICATE
    )
    strips = np.empty((STRIP_COUNT, 5, NET_STRIP_LENGTH, NET_STRIP_WIDTH), np.float32)
    for index in range(STRIP_COUNT):
        near = index < 12 or index == 24
        x = layout.point_x(index + 1) if index < 24 else 0.5
        dx, dy = (0, 0) if shifts is None else (int(shifts[index, 0]), int(shifts[index, 1]))
        left = round(x * field_width - 0.5) + PADDING + SIDE_PADDING - NET_STRIP_WIDTH // 2 + dx
        first = SIDE_PADDING + PADDING - RAIL_MARGIN + dy + (BAR_OFFSET if index >= POINTS else 0)
        columns = wide[:, left : left + NET_STRIP_WIDTH]
        rows = columns[::-1] if near else columns
        part = rows[first : first + NET_STRIP_LENGTH]
        if len(part) < NET_STRIP_LENGTH:
            part = np.pad(part, ((0, NET_STRIP_LENGTH - len(part)), (0, 0), (0, 0)), mode="edge")
        strips[index, :3] = part.transpose(2, 0, 1)
        along = -lift[index, 1] if near else lift[index, 1]
        strips[index, 3] = lift[index, 0] / PARALLAX_SCALE
        strips[index, 4] = along / PARALLAX_SCALE
    strips[:, :3] /= 255.0
    strips[:, :3] -= 0.5
    return strips


def recoloured(strips: Floats32, rng: Rng, hues: float) -> Floats32:
    """The strips under another lamp, perhaps mirrored; the lighter side stays lighter.

    `hues`: probability that all hues change as well.
    """
    angle = rng.uniform(-np.pi, np.pi) if rng.random() < hues else rng.normal(0, 0.2)
    grey = np.array([0.114, 0.587, 0.299])
    axis = np.ones(3) / np.sqrt(3)
    turn = np.asarray(cv2.Rodrigues(axis * angle)[0])
    turn = turn + np.outer(np.ones(3), grey - grey @ turn)  # luma is unchanged
    colours = strips[:, :3].reshape(len(strips), 3, -1) + 0.5
    mixed = np.matmul((turn * rng.uniform(0.85, 1.12)).astype(np.float32), colours)
    gain = rng.uniform(0.9, 1.1, 3).astype(np.float32)[:, None]
    bent = np.clip(mixed * gain, 0, 1) ** np.float32(np.exp(rng.normal(0, 0.2)))
    out = strips.copy()
    out[:, :3] = bent.reshape(strips[:, :3].shape) - 0.5
    return mirrored(out) if rng.random() < 0.5 else out


def mirrored(strips: Floats32) -> Floats32:
    """The strips with left and right exchanged, including the parallax."""
    out = strips[..., ::-1].copy()
    out[:, 3] *= -1
    return out


def coloured_input(strips: Image, colours: Floats, lifts: Floats) -> Floats32:
    """(N, 7, h, w) input of the nets for trays, bar and stacks.

    `strips`: (N, h, w, 3) BGR; `colours`: (N, 2, 3) BGR of light's and dark's checkers there;
    `lifts`: (N, 2) shift across and along each strip due to a checker's thickness, in pixels.
    """
    count, length, width = strips.shape[:3]
    tensor = np.empty((count, INPUT_CHANNELS, length, width), np.float32)
    tensor[:, :3] = strips.transpose(0, 3, 1, 2) / np.float32(255) - np.float32(0.5)
    seen = cv2.split(lab_of(strips.reshape(-1, width, 3)))
    planes = [plane.reshape(count, length, width) for plane in seen]
    known = lab_of(np.clip(np.rint(colours), 0, 255))
    for side in (0, 1):
        far = np.zeros((count, length, width), np.float32)
        for plane, colour in zip(planes, known[:, side].T, strict=True):
            far += np.square(plane - colour[:, None, None])
        tensor[:, 3 + side] = np.minimum(np.sqrt(far) / np.float32(COLOUR_DISTANCE_SCALE), 2)
    tensor[:, 5:] = (lifts / PARALLAX_SCALE)[:, :, None, None]
    return tensor


def margin_of(augmentations: Augmentations) -> int:
    """Pixels by which strips are extended at either end, to be augmented."""
    return max(abs(shift) for shift, _ in augmentations)


def augmented_input(given: Floats32, augmentations: Augmentations) -> Iterator[Floats32]:
    """Inputs of a net, each (N, 7, h, w), for augmented strips.

    `given`: as from `coloured_input`, for strips extended at either end, so that each pixel is
    sampled and converted once.
    """
    margin = margin_of(augmentations)
    length = given.shape[2] - 2 * margin
    for shift, way in augmentations:
        first = margin - shift
        part = np.ascontiguousarray(given[:, :, first : first + length, ::way])
        part[:, ACROSS_CHANNEL] *= way
        yield part


def strips_at(image: Image, at: Floats) -> Image:
    """(N, h, w, 3) BGR of an (H, W, 3) picture at (N, h, w, 2) of its pixels, x and y.

    Pixels outside the picture repeat its edge.
    """
    places = at.astype(np.float32)
    out = np.empty((*at.shape[:3], 3), np.uint8)
    for strip, pixels in zip(out, places, strict=True):
        cv2.remap(image, pixels[..., 0], pixels[..., 1], cv2.INTER_LINEAR, strip,
                  borderMode=cv2.BORDER_REPLICATE)  # fmt: skip
    return out


def visible_shares(at: Floats, size: tuple[int, int]) -> Floats:
    """(N,) fraction of (N, h, w, 2) pixels inside a picture of `size`, width and height."""
    x, y = at[..., 0], at[..., 1]
    inside = (x > 0) & (x < size[0] - 1) & (y > 0) & (y < size[1] - 1)
    return np.asarray(inside.mean(axis=(1, 2)))
