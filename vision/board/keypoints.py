"""Keypoints of a board in a picture (corners, bar ends, tips) and fields derived from them.

A trained net gives the heatmaps (`vision/training/train/finder.py`). Candidates for the field are
made from the corners, even if one of them is hidden, and ranked by all keypoints.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import Final

import cv2
import numpy as np

from calibration.layout import Layout
from calibration.shape import UNIT_SQUARE
from engine.arrays import Floats, Floats32, Image, Mask
from vision.board.heatmaps import STRIDE, peaks, sample, sigmoid
from vision.nets import as_tensor, load_net

MAX_OFF_RAIL: Final = 0.03
"""Maximum distance of a bar's end from the line through its corners, in rail lengths."""
HALFWAY: Final = (0.3, 0.7)
"""Fractions of a rail, in the picture, within which the bar divides it."""
NET_INPUT_SIZE: Final = (320, 192)
"""Width and height of the net's input, in pixels."""
CORNERS, BAR_ENDS, TIPS, INSIDE = range(4)
MAX_PEAKS: Final = 9
"""Maximum number of corners: a board has four, a table and two boards more."""
MAX_HIDDEN_CORNER_QUADS: Final = 1
MIN_CORNER_HEAT: Final = 0.06
USUAL_LAYOUT: Final = Layout(0.075, 0.4, 0.95)
BAR_LINE: Final = np.array([(0.5, 0), (0.5, 1)], float)
MAX_BAR_END_DISTANCE: Final = 16.0
"""Canvas pixels between the bar's end of a quad and its mark, at most."""
FLIPS: Final = ((1, 1), (1, -1), (-1, 1), (-1, -1))
"""Steps down and across in which the net reads a picture: the mean is more exact than each."""
HEAT_SIGMA: Final = 1.0
"""Cells by which the marks are blurred before they are compared with a candidate's."""


def complete_quads(corners: Sequence[Floats], ends: Sequence[Floats]) -> Floats:
    """(N, 4, 2) convex rings of pixels: three corners, and a fourth from two ends of a bar.

    `corners` and `ends`: (2,) pixels each. The bar is parallel to the ends of the field, so all
    three meet in one vanishing point, and the fourth corner is where the line through that point
    and the adjacent corner meets the rail with the bar's other end.
    """
    if len(corners) < 3 or len(ends) < 2:
        return np.zeros((0, 4, 2))
    threes, bars = _flat([*permutations(corners, 3)]), _flat([*permutations(ends, 2)])
    beside, between, across = (threes[:, None, n] for n in range(3))
    near, far = (bars[None, :, n] for n in range(2))
    rail = np.cross(across, far)
    vanishing = np.cross(np.cross(between, across), np.cross(near, far))
    hidden = np.cross(rail, np.cross(beside, vanishing))
    every = np.broadcast_arrays(beside, between, across, hidden, near, far)
    with np.errstate(divide="ignore", invalid="ignore"):  # parallels meet nowhere: no ring
        places = [each[..., :2] / each[..., 2:] for each in every]
        *ring, near, far = places
        fit = _divides(ring[0], ring[1], near) & _divides(ring[2], ring[3], far)
        quads = np.stack(ring, axis=2)[fit]
        return np.asarray(quads[_is_convex(quads)])


def _flat(groups: Sequence[Sequence[Floats]]) -> Floats:
    """(N, n, 3) homogeneous pixels."""
    places = np.array(groups)
    return np.concatenate([places, np.ones((*places.shape[:2], 1))], axis=2)


def _divides(one: Floats, other: Floats, end: Floats) -> Mask:
    """Whether each `end` is on the line between two places, about halfway; all (..., 2)."""
    run, way = other - one, end - one
    length = (run * run).sum(axis=-1)
    share = (run * way).sum(axis=-1) / length
    aside = (run[..., 0] * way[..., 1] - run[..., 1] * way[..., 0]) / length
    return np.asarray((np.abs(aside) < MAX_OFF_RAIL) & (share > HALFWAY[0]) & (share < HALFWAY[1]))


def _is_convex(quads: Floats) -> Mask:
    """(N,) whether each (4, 2) ring turns the same way at all four corners."""
    runs = np.roll(quads, -1, axis=1) - quads
    after = np.roll(runs, -1, axis=1)
    turns = runs[..., 0] * after[..., 1] - runs[..., 1] * after[..., 0]
    return np.asarray((turns > 0).all(axis=1) | (turns < 0).all(axis=1))


@dataclass(frozen=True, slots=True, eq=False)
class KeypointHeatmaps:
    """The net's output for one picture."""

    heat: Floats32
    """(4, 48, 80) 0..1: corners, bar ends, tips, inside."""
    scale: float
    """Canvas pixels per pixel of the picture."""
    turned: int = 0
    """Width of a picture taller than wide, which was rotated for the net; else 0."""

    def quads(self, limit: int) -> Floats:
        """(N, 4, 2) pixels of the likeliest fields' corners, best first, without near duplicates.

        In the order of `Pose.corners`, up to a half turn. First the `limit` likeliest whose corners
        are all visible, and the likeliest of all with each corner in turn moved to where the others
        and the bar's ends imply; then the likeliest with one hidden corner.
        """
        ranked = self._ranked(self._marked(), limit)
        inferred = (
            [self._with_inferred_corner(ranked[0], corner) for corner in range(4)]
            if len(ranked)
            else []
        )
        hidden = complete_quads(self._peaks(CORNERS), self._peaks(BAR_ENDS))
        partly = self._ranked([_ring(quad) for quad in hidden], MAX_HIDDEN_CORNER_QUADS)
        pixels = (np.concatenate([ranked, *inferred, partly]) + 0.5) / self.scale - 0.5
        if self.turned:
            pixels = np.stack([self.turned - 1 - pixels[..., 1], pixels[..., 0]], axis=-1)
        return np.asarray(pixels)

    def _with_inferred_corner(self, quad: Floats, corner: int) -> Floats:
        """(0 or 1, 4, 2) the quad with one corner inferred from the others and the bar's ends."""
        ends = self._peaks(BAR_ENDS)
        mapped = cv2.perspectiveTransform(BAR_LINE[None], _homographies(quad[None])[0])[0]
        nearest = [min(ends, key=lambda end: float(np.hypot(*(end - at)))) for at in mapped if ends]
        if (
            not ends
            or max(np.hypot(*(e - at)) for e, at in zip(nearest, mapped, strict=True))
            > MAX_BAR_END_DISTANCE
        ):
            return np.zeros((0, 4, 2))
        kept = [index for index in range(4) if index != corner]
        known = np.concatenate([UNIT_SQUARE[kept], BAR_LINE])
        fitted, _ = cv2.findHomography(known, np.concatenate([quad[kept], nearest]))
        moved = cv2.perspectiveTransform(UNIT_SQUARE[None], fitted)
        return np.asarray(moved, np.float64)

    def _marked(self) -> list[Floats]:
        """(4, 2) rings of marked corners, and the outline of the inside region."""
        outline = self._outline()
        fours = (np.array(four) for four in combinations(self._peaks(CORNERS), 4))
        return [*map(_ring, fours), *([] if outline is None else [outline])]

    def _ranked(self, rings: list[Floats], limit: int) -> Floats:
        """(N, 4, 2) the likeliest of these, best first, without near duplicates."""
        quads = [ring for ring in rings if len(ring) == 4]
        if not quads:
            return np.zeros((0, 4, 2))
        both = np.concatenate([np.stack(quads), np.roll(np.stack(quads), 1, axis=1)])
        chosen: list[Floats] = []
        for quad in both[np.argsort(-self._agreement(both))]:
            twins = (np.roll(quad, turn, axis=0) for turn in (0, 2))
            if not any(np.abs(twin - other).max() < 5 for twin in twins for other in chosen):
                chosen.append(quad)
            if len(chosen) == limit:
                break
        return np.stack(chosen)

    def _agreement(self, quads: Floats) -> Floats:
        """(N,) mean heat at the marks of each candidate, and its overlap with the inside."""
        maps = _homographies(quads)
        heat = [cv2.GaussianBlur(layer, (0, 0), HEAT_SIGMA) for layer in self.heat[:3]]
        tips = np.array([USUAL_LAYOUT.tip(point) for point in range(1, 25)])
        score = np.zeros(len(quads))
        for layer, places in zip(heat, (UNIT_SQUARE, BAR_LINE, tips), strict=True):
            flat = np.column_stack([places, np.ones(len(places))]) @ maps.transpose(0, 2, 1)
            cells = (flat[..., :2] / flat[..., 2:] - (STRIDE - 1) / 2) / STRIDE
            score += sample(layer, cells).mean(axis=1)
        return score + self._overlap(quads)

    def _overlap(self, quads: Floats) -> Floats:
        """(N,) intersection over union of each candidate and the inside."""
        inside = self.heat[INSIDE] > 0.5
        overlaps = []
        for quad in quads:
            mask = np.zeros(inside.shape, np.uint8)
            cells = np.rint((quad - (STRIDE - 1) / 2) / STRIDE * 16).astype(np.int32)
            cv2.fillPoly(mask, [cells], 1, cv2.LINE_8, 4)
            either = max(1, int((inside | (mask > 0)).sum()))
            overlaps.append(int((inside & (mask > 0)).sum()) / either)
        return np.array(overlaps)

    def _peaks(self, channel: int) -> list[Floats]:
        return [pixel for _, pixel in peaks(self.heat[channel], MIN_CORNER_HEAT)[:MAX_PEAKS]]

    def _outline(self) -> Floats | None:
        """The corners of the simplest outline of the largest inside region, if it has four."""
        mask = (self.heat[INSIDE] > 0.5).astype(np.uint8)
        shapes, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
        if not shapes:
            return None
        hull = cv2.convexHull(max(shapes, key=cv2.contourArea))
        if cv2.contourArea(hull) < 40:
            return None
        for share in (0.02, 0.04, 0.06, 0.09):
            simple = cv2.approxPolyDP(hull, share * cv2.arcLength(hull, True), True)
            if len(simple) == 4:
                return _ring(simple[:, 0].astype(float) * STRIDE + (STRIDE - 1) / 2)
        return None


def detect_keypoints(image: Image) -> KeypointHeatmaps:
    """The keypoint heatmaps of an (H, W, 3) BGR picture."""
    turned = image.shape[1] if image.shape[0] > image.shape[1] else 0
    if turned:
        image = np.asarray(cv2.rotate(image, cv2.ROTATE_90_COUNTERCLOCKWISE), np.uint8)
    height, width = image.shape[:2]
    scale = min(NET_INPUT_SIZE[0] / width, NET_INPUT_SIZE[1] / height)
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    canvas = np.zeros((NET_INPUT_SIZE[1], NET_INPUT_SIZE[0], 3), np.uint8)
    canvas[: size[1], : size[0]] = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
    heat = _mean_heat(canvas)
    heat[:, -(-size[1] // STRIDE) :] = 0
    heat[:, :, -(-size[0] // STRIDE) :] = 0
    return KeypointHeatmaps(heat, scale, turned)


def _mean_heat(canvas: Image) -> Floats32:
    """(4, 48, 80) 0..1, the mean over the flips of a (192, 320, 3) picture."""
    net = load_net("finder")
    heats = [
        sigmoid(net(as_tensor(canvas[::down, ::across]))[0])[:, ::down, ::across]
        for down, across in FLIPS
    ]
    return np.asarray(np.mean(heats, axis=0), np.float32)


def _ring(four: Floats) -> Floats:
    """Four places as a convex ring seen from above, or none if one lies among the others."""
    hull = cv2.convexHull(four.astype(np.float32), clockwise=False)[:, 0].astype(float)
    if len(hull) != 4:
        return np.zeros((0, 2))
    one, two = hull[1] - hull[0], hull[2] - hull[1]
    turn = one[0] * two[1] - one[1] * two[0]
    return np.asarray(hull[::-1] if turn > 0 else hull)


def _homographies(quads: Floats) -> Floats:
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
