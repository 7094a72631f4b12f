"""The numbers on doubling cubes, painted, engraved or framed, in many types; linear BGR, 0..1."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

from engine.arrays import Floats, Floats32, Rng
from vision.training.render.raycast import FACE_PX
from vision.training.scenes.materials import (
    from_srgb,
    lightness,
    random_colour,
    random_wood_colour,
)

CUBE_VALUES: Final = (64, 2, 32, 4, 16, 8)
"""The faces' numbers in the order of the ray caster's faces: up, down, then the sides."""
FONTS: Final = (
    cv2.FONT_HERSHEY_SIMPLEX,
    cv2.FONT_HERSHEY_DUPLEX,
    cv2.FONT_HERSHEY_TRIPLEX,
    cv2.FONT_HERSHEY_COMPLEX,
    cv2.FONT_HERSHEY_PLAIN,
)
ITALIC_SHARE: Final = 0.25
"""Fraction of cubes with slanted numbers."""
MIN_CONTRAST: Final = 28
"""Minimum difference of lightness between a number and its face."""
ENGRAVED_SHARE: Final = 0.2
"""Fraction of cubes with cut numbers, dark on one side and lit on the other."""
FRAMED_SHARE: Final = 0.18
"""Fraction of cubes with a line or a disc around the numbers."""
TURNED_SHARE: Final = 0.15
"""Fraction of cubes whose numbers are not parallel to an edge."""


def cube_faces(rng: Rng) -> Floats32:
    """(6, 96, 96, 3) the faces of a doubling cube in the order of `CUBE_VALUES`."""
    body, ink = _colours(rng)
    font, thick = int(rng.choice(FONTS)), int(rng.integers(3, 9))
    tall, wide = rng.uniform(0.3, 0.66), rng.uniform(0.6, 0.84)
    stretch = rng.uniform(0.7, 1.3) if rng.random() < 0.4 else 1.0
    slant = rng.uniform(0.05, 0.3) if rng.random() < ITALIC_SHARE else 0.0
    skew = rng.uniform(-40, 40) if rng.random() < TURNED_SHARE else 0.0
    is_engraved, frame = rng.random() < ENGRAVED_SHARE, _frame(rng)
    way = rng.uniform(0, 2 * np.pi)
    ground = body * (1 - frame[..., None]) + ink * frame[..., None]
    paint = ink
    if frame.mean() > 0.3:  # a disc in the numbers' color, and the numbers in the cube's
        paint, ink = body, body
    faces = []
    for value in CUBE_VALUES:
        share = _number(str(value), font, thick, (tall, wide), (stretch, slant))
        turn = 90 * int(rng.integers(4)) + skew
        about = cv2.getRotationMatrix2D(((FACE_PX - 1) / 2, (FACE_PX - 1) / 2), turn, 1.0)
        share = np.asarray(cv2.warpAffine(share, about, (FACE_PX, FACE_PX)), np.float32)
        face = ground * (1 - share[..., None]) + paint * share[..., None]
        if is_engraved:
            lit = np.roll(share, (round(2 * np.sin(way)), round(2 * np.cos(way))), (0, 1)) - share
            face = np.clip(face * (1 + 0.6 * lit[..., None]), 0, 1)
        faces.append(face)
    return np.stack(faces).astype(np.float32)


def _colours(rng: Rng) -> tuple[Floats, Floats]:
    """The colors of a cube and of its numbers: white, any, wood or leather, dark."""
    while True:
        kind = rng.random()
        body = from_srgb(np.full(3, rng.uniform(0.75, 1.0))) if kind < 0.45 else random_colour(rng)
        if kind > 0.75:
            body = random_wood_colour(rng) if kind < 0.9 else from_srgb(rng.uniform(0.03, 0.2, 3))
        ink = from_srgb(np.full(3, rng.choice([0.05, 0.1, 0.95])))
        if rng.random() < 0.25:
            ink = random_colour(rng)
        if abs(lightness(body) - lightness(ink)) > MIN_CONTRAST:
            return body, ink


def _frame(rng: Rng) -> Floats32:
    """(96, 96) 0..1 what is painted around the numbers of some cubes: a square, a ring, a disc."""
    out = np.zeros((FACE_PX, FACE_PX), np.float32)
    if rng.random() >= FRAMED_SHARE:
        return out
    edge, thick = int(rng.integers(3, 12)), int(rng.integers(1, 5))
    kind, middle = rng.integers(3), (FACE_PX // 2, FACE_PX // 2)
    if kind == 0:
        cv2.rectangle(out, (edge, edge), (FACE_PX - 1 - edge, FACE_PX - 1 - edge), 1.0, thick)
    else:
        cv2.circle(out, middle, FACE_PX // 2 - edge, 1.0, thick if kind == 1 else -1)
    return out


def _number(
    text: str, font: int, thick: int, size: tuple[float, float], shape: tuple[float, float]
) -> Floats32:
    """(96, 96) 0..1 a number.

    `size`: its height and width at most, in sides; `shape`: how far it is stretched, and slanted.
    """
    (tall, wide), (stretch, slant) = size, shape
    mask = np.zeros((FACE_PX, FACE_PX), np.uint8)
    (w, h), _ = cv2.getTextSize(text, font, 1.0, 1)
    scale = min(FACE_PX * tall / h, FACE_PX * wide / w / max(1.0, stretch))
    (w, h), _ = cv2.getTextSize(text, font, scale, thick)
    cv2.putText(
        mask, text, ((FACE_PX - w) // 2, (FACE_PX + h) // 2), font, scale, 255, thick, cv2.LINE_AA
    )
    middle = (FACE_PX - 1) / 2
    about = np.array([(stretch, -slant, middle * (1 - stretch + slant)), (0, 1, 0)], np.float64)
    return np.asarray(cv2.warpAffine(mask, about, (FACE_PX, FACE_PX)), np.float32) / np.float32(255)
