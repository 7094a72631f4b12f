"""Quadrilaterals that a board's playing field might fill, made of crossing lines."""

from __future__ import annotations

from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

SMALLEST, LARGEST = 0.05, 1.1  # area over the picture's; beyond it no point is wide enough
STRETCH: Final = 2.0  # longest ratio of the two directions' sides, tilt included
TAPER: Final = 1.7  # longest ratio of two opposite sides, for tilts up to 50 degrees


def quads_of_lines(along: Floats, across: Floats, size: tuple[int, int]) -> Floats:
    """(N, 4, 2) corners of every plausible quad, each in all four orders of its corners.

    `along` and `across` are (M, 4) lines; corners run one way round, so that a quad's order
    tells which side is the field's y = 0.
    """
    if len(along) < 2 or len(across) < 2:
        return np.zeros((0, 4, 2))
    crossing = _crossings(along, across)
    i, j = np.array(list(combinations(range(len(along)), 2))).T[:, :, None]
    k, m = np.array(list(combinations(range(len(across)), 2))).T[:, None, :]
    corners = [crossing[i, k], crossing[i, m], crossing[j, m], crossing[j, k]]
    quads = np.stack(np.broadcast_arrays(*corners), axis=2).reshape(-1, 4, 2)
    quads = _same_turn(quads[_plausible(quads, size)])
    return np.concatenate([quads, np.roll(quads, 1, axis=1)])


def homographies(quads: Floats) -> Floats:
    """(N, 3, 3) maps of the unit square's (0,0), (1,0), (1,1), (0,1) to the quads' corners.

    Closed form of Heckbert 1989, section 2.2.
    """
    (x0, x1, x2, x3), (y0, y1, y2, y3) = quads[..., 0].T, quads[..., 1].T
    dx1, dx2, dx3 = x1 - x2, x3 - x2, x0 - x1 + x2 - x3
    dy1, dy2, dy3 = y1 - y2, y3 - y2, y0 - y1 + y2 - y3
    scale = dx1 * dy2 - dx2 * dy1
    g, h = (dx3 * dy2 - dx2 * dy3) / scale, (dx1 * dy3 - dx3 * dy1) / scale
    ones = np.ones_like(g)
    rows = [
        x1 - x0 + g * x1, x3 - x0 + h * x3, x0,
        y1 - y0 + g * y1, y3 - y0 + h * y3, y0,
        g, h, ones,
    ]  # fmt: skip
    return np.stack(rows, axis=1).reshape(-1, 3, 3)


def _crossings(along: Floats, across: Floats) -> Floats:
    """(A, B, 2) where each line of one family meets each of the other."""
    points = np.cross(_homogeneous(along)[:, None], _homogeneous(across)[None])
    depth = np.where(np.abs(points[..., 2:]) < 1e-9, 1e-9, points[..., 2:])
    return np.asarray(points[..., :2] / depth)


def _homogeneous(lines: Floats) -> Floats:
    one = np.ones((len(lines), 1))
    line = np.cross(np.hstack([lines[:, :2], one]), np.hstack([lines[:, 2:], one]))
    return np.asarray(line / np.hypot(line[:, 0], line[:, 1])[:, None])


def _turns(quads: Floats) -> Floats:
    """(N, 4) cross products of consecutive sides."""
    side = np.roll(quads, -1, axis=1) - quads
    following = np.roll(side, -1, axis=1)
    return np.asarray(side[..., 0] * following[..., 1] - side[..., 1] * following[..., 0])


def _plausible(quads: Floats, size: tuple[int, int]) -> NDArray[np.bool_]:
    turns = _turns(quads)
    convex = (turns > 0).all(axis=1) | (turns < 0).all(axis=1)
    sides = np.linalg.norm(np.roll(quads, -1, axis=1) - quads, axis=2) + 1e-9
    x, y = quads[..., 0], quads[..., 1]
    area = np.abs(np.sum(x * np.roll(y, -1, axis=1) - np.roll(x, -1, axis=1) * y, axis=1)) / 2
    share = area / (size[0] * size[1])
    pairs = sides.reshape(-1, 2, 2)
    ratio = pairs[:, :, 0].sum(axis=1) / pairs[:, :, 1].sum(axis=1)
    taper = (pairs.max(axis=1) / pairs.min(axis=1)).max(axis=1)
    shaped = (np.maximum(ratio, 1 / ratio) < STRETCH) & (taper < TAPER)
    return np.asarray(convex & (share > SMALLEST) & (share < LARGEST) & shaped)


def _same_turn(quads: Floats) -> Floats:
    """The quads with corners so ordered that the field is seen from above, not from below."""
    clockwise = _turns(quads)[:, 0] > 0
    return np.where(clockwise[:, None, None], quads[:, ::-1], quads)
