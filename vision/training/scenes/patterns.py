"""What is engraved, inlaid or printed: logos, patterns in points, ornaments on the field."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats, Floats32, Rng
from vision.training.render.raycast import FACE_PX
from vision.training.scenes.materials import CLOUD, from_srgb, random_colour

ToPixels = Callable[[Floats], NDArray[np.int32]]
"""Sixteenths of a pixel of the field's texture, from (N, 2) field coordinates."""
PATTERNED_POINTS_SHARE: Final = 0.1
BANDED_SHARE: Final = 0.04
"""Fraction of fields with an inlaid band along the rails."""
DISCS_SHARE: Final = 0.04
"""Fraction of fields with a printed disc at each point's tip."""
MOTIFS_SHARE: Final = 0.05
"""Fraction of fields strewn with motifs."""
_MIDDLE: Final = (FACE_PX - 1) / 2
_CROWN: Final = np.array(
    [(-0.6, 0.5), (-0.7, -0.4), (-0.3, 0), (0, -0.6), (0.3, 0), (0.7, -0.4), (0.6, 0.5)]
)


def logo(rng: Rng) -> Floats32:
    """(96, 96) 0..1: letters, a star, a cross, a flower, circles, a spiral or a crown."""
    mask = np.zeros((FACE_PX, FACE_PX), np.float32)
    y, x = np.mgrid[:FACE_PX, :FACE_PX] - _MIDDLE
    far, way = np.hypot(x, y) / _MIDDLE, np.arctan2(y, x)
    size, kind = rng.uniform(0.35, 0.85), int(rng.integers(6))
    if kind == 0:
        _write(rng, mask)
    elif kind == 1:
        many = int(rng.integers(4, 13))
        mask = np.asarray(far < size * (0.7 + 0.3 * np.cos(many * way)), np.float32)
    elif kind == 2:
        arm = rng.uniform(0.08, 0.3)
        near = np.minimum(np.abs(x), np.abs(y)) / _MIDDLE < arm * (0.4 + far)
        mask = np.asarray(near & (far < size), np.float32)
    elif kind == 3:
        mask = np.asarray((np.sin(far * rng.uniform(12, 40)) > 0) & (far < size), np.float32)
    elif kind == 4:
        turns = np.sin(way * int(rng.integers(1, 4)) + far * rng.uniform(8, 25))
        mask = np.asarray((turns > 0.2) & (far < size), np.float32)
    else:
        spikes = [
            (-0.6, 0.5),
            (-0.7, -0.4),
            (-0.3, 0),
            (0, -0.6),
            (0.3, 0),
            (0.7, -0.4),
            (0.6, 0.5),
        ]
        places = np.rint(_MIDDLE + _MIDDLE * size * np.array(spikes)).astype(np.int32)
        cv2.fillPoly(mask, [places], 1.0, cv2.LINE_AA)
    if rng.random() < 0.4:
        mask = np.maximum(mask, np.abs(far - rng.uniform(size, 0.95)) < rng.uniform(0.01, 0.05))
    soft = cv2.GaussianBlur(np.asarray(mask, np.float32), (0, 0), 0.7)
    return np.asarray(soft, np.float32)


def _write(rng: Rng, mask: Floats32) -> None:
    text = "".join(rng.choice(list("ABCDEGKMRSXZ123456789"), int(rng.integers(1, 5))))
    font, thick = int(rng.integers(0, 8)), int(rng.integers(2, 6))
    (wide, high), _ = cv2.getTextSize(text, font, 1.0, thick)
    scale = rng.uniform(0.5, 0.75) * FACE_PX / max(wide, high)
    start = round(_MIDDLE - wide * scale / 2), round(_MIDDLE + high * scale / 2)
    ink = np.zeros(mask.shape, np.uint8)  # OpenCV 5 writes on nothing else
    cv2.putText(ink, text, start, font, scale, 255, thick, cv2.LINE_AA)
    mask[:] = ink / 255


def ornament_face(rng: Rng) -> Floats32:
    """(96, 96, 3) the face of a medallion or of a print."""
    body = random_colour(rng, 0.8, (0.03, 1.0))
    if rng.random() < 0.4:  # gold or silver
        body = from_srgb(rng.uniform(0.5, 0.95) * np.array([rng.uniform(0.4, 1), 0.85, 1.0]))
    ink = body * rng.uniform(0.15, 0.6) if rng.random() < 0.5 else random_colour(rng)
    share = logo(rng)[..., None]
    return np.asarray(body * (1 - share) + ink * share, np.float32)


def work_top(rng: Rng, face: Floats, base: Floats, floor: Floats, noise: Floats32) -> Floats:
    """A checker's face of `base`, sometimes engraved, inlaid, veined, halved or with a hole.

    `floor`: the color below, seen through a hole.
    """
    y, x = np.mgrid[:FACE_PX, :FACE_PX] - _MIDDLE
    far, kind = np.hypot(x, y) / _MIDDLE, rng.random()
    if kind < 0.06:  # engraved: one edge of the groove is lit, the other dark
        mask, depth = logo(rng), rng.uniform(0.15, 0.6)
        lit = np.roll(mask, rng.integers(-2, 3, 2), (0, 1)) - mask
        return np.asarray(face * (1 - depth * mask + depth * lit).clip(0, 2)[..., None])
    if kind < 0.09:
        share = logo(rng)[..., None]
        ink = random_colour(rng) if rng.random() < 0.5 else base * rng.uniform(0.3, 1.6)
        return face * (1 - share) + ink * share
    if kind < 0.12:  # a ring
        return np.where((far < rng.uniform(0.25, 0.62))[..., None],
                        floor * rng.uniform(0.3, 1.0), face)  # fmt: skip
    if kind < 0.16:  # marble
        size = int(rng.integers(60, 256))
        patch = cv2.resize(noise[CLOUD][:size, :size], (FACE_PX, FACE_PX))
        veins = np.exp(-(((patch - rng.uniform(0.35, 0.65)) / rng.uniform(0.02, 0.08)) ** 2))
        share = (veins * rng.uniform(0.4, 1.0))[..., None]
        return face * (1 - share) + base * rng.choice([0.2, 0.5, 2.0, 3.0]) * share
    if kind < 0.18:  # halves or wedges of two shades
        wedge = np.sin(np.arctan2(y, x) * int(rng.integers(1, 5))) > 0
        return np.asarray(face * np.where(wedge, rng.uniform(0.45, 1.5), 1.0)[..., None])
    return face


def decorate_point(
    picture: Floats32, pixels: ToPixels, outline: Floats, paint: Floats, kind: int
) -> None:
    """Draw an inner outline, inlays along the axis or stripes across into one painted point.

    `outline`: right side from the rail to the tip, then the left one back.
    """
    many = len(outline) // 2
    right, left = outline[:many], outline[many:][::-1]
    axis, half = (right + left) / 2, (right - left) / 2
    if kind == 0:
        middle, share = axis[0] * 0.65 + axis[-1] * 0.35, 0.6
        inner = middle + (outline - middle) * share
        cv2.fillPoly(picture, [pixels(inner)], paint.tolist(), cv2.LINE_AA, 4)
        return
    for along in np.linspace(0.08, 0.85, 6):
        place = along * (many - 1)
        low, part = int(place), place - int(place)
        at = axis[low] * (1 - part) + axis[min(low + 1, many - 1)] * part
        wide = half[low] * (1 - part) + half[min(low + 1, many - 1)] * part
        if kind == 1:
            one, two = pixels(np.stack([at - wide, at + wide]))
            cv2.line(picture, one.tolist(), two.tolist(), paint.tolist(), 3, cv2.LINE_AA, 4)
        else:
            spot = pixels(at[None])[0].tolist()
            radius = int(16 * 900 * abs(wide[0]) * 0.6)
            cv2.circle(picture, spot, radius, paint.tolist(), -1, cv2.LINE_AA, 4)


def decorate_field(
    rng: Rng, picture: Floats32, pixels: ToPixels, tips: Floats, paints: tuple[Floats, Floats]
) -> None:
    """Add to some fields bands along the rails, discs at the tips or motifs between the points.

    `tips`: (24, 2) field coordinates; `paints`: of the points, in turn.
    """
    if rng.random() < BANDED_SHARE:
        _add_bands(rng, picture, pixels)
    if rng.random() < DISCS_SHARE:
        size = int(16 * rng.uniform(4, 20))
        own = rng.random() < 0.6
        ink = random_colour(rng)
        for number, spot in enumerate(pixels(tips)):
            paint = paints[(number + 1 + (number > 11)) % 2] if own else ink
            cv2.circle(picture, spot.tolist(), size, paint.tolist(), -1, cv2.LINE_AA, 4)
    if rng.random() < MOTIFS_SHARE:
        ink, size, kind = random_colour(rng).tolist(), int(rng.integers(3, 34)), rng.integers(3)
        places = np.column_stack([rng.random(12), rng.uniform(0.42, 0.58, 12)])
        for x, y in pixels(places if rng.random() < 0.7 else rng.random((40, 2))) // 16:
            if kind == 0:
                cv2.circle(picture, (int(x), int(y)), size, ink, -1, cv2.LINE_AA)
            elif kind == 1:
                cv2.circle(picture, (int(x), int(y)), size, ink, 2, cv2.LINE_AA)
            else:
                cv2.drawMarker(picture, (int(x), int(y)), ink, int(rng.integers(7)), size * 2, 3)


def _add_bands(rng: Rng, picture: Floats32, pixels: ToPixels) -> None:
    """An inlaid band of little lozenges along both long rails."""
    deep, many = rng.uniform(0.01, 0.03), int(rng.integers(12, 49))
    ground, ink = random_colour(rng).tolist(), random_colour(rng).tolist()
    for low, high in ((0.0, deep), (1 - deep, 1.0)):
        strip = np.array([(0, low), (1, low), (1, high), (0, high)])
        cv2.fillPoly(picture, [pixels(strip)], ground, cv2.LINE_AA, 4)
        middle = (low + high) / 2
        for k in range(many):
            x, half = (k + 0.5) / many, 0.45 / many
            lozenge = np.array([(x - half, middle), (x, low), (x + half, middle), (x, high)])
            cv2.fillPoly(picture, [pixels(lozenge)], ink, cv2.LINE_AA, 4)
