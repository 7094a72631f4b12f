"""The numbers on doubling cubes, painted, engraved or framed, in many types; linear BGR, 0..1."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from engine.arrays import Floats, Floats32, Image, Rng
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
PRINTED_DIGITS: Final = Path(__file__).with_name("printed_digits.png")
"""The digits 1, 2, 3, 4, 6 and 8 side by side, in 80 open typefaces below each other: Roboto, Open
Sans, Lato, Oswald, Merriweather, Playfair Display, Libre Baskerville, EB Garamond, Cinzel, Alfa
Slab One, Abril Fatface, Anton, Fjalla One, Josefin Sans, Quicksand, Ubuntu, PT Serif, Crimson Text,
Inter, Source Serif 4, Barlow Condensed, Space Mono, Courier Prime, Old Standard TT, Raleway,
Poppins, Noto Serif, Work Sans, Rubik, Teko, DM Serif Display, Bitter, Zilla Slab, Rokkitt, Josefin
Slab, Spectral, Cormorant Garamond, Vollkorn, Cardo, Gelasio, Tinos, Arimo, Cousine, Caladea,
Lobster, Righteous, Russo One, Orbitron, Exo 2, Saira Condensed, Staatliches, Patua One, Ultra, Rye,
Special Elite, Limelight, Bungee, Black Ops One, Stardos Stencil, Fredoka, Baloo 2, Comic Neue,
Caveat, Prata, Rozha One, Concert One, Passion One, Libre Franklin, Francois One, Michroma,
Syncopate, Unica One, Share Tech Mono, IBM Plex Sans, IBM Plex Serif, JetBrains Mono, Marcellus,
Philosopher, Almendra, Metamorphous, rendered from npm's packages @fontsource/*."""
DIGITS: Final = "123468"
"""The columns of that picture."""
CELL: Final = 40
"""The side of a digit's square there, in pixels; the digits of a row fill its height together."""
DIGIT_GAP: Final = 3
"""Pixels between two digits."""
PRINTED_SHARE: Final = 0.65
"""Fraction of cubes with numbers in these typefaces; the others have the strokes of `FONTS`."""
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
LOGO_SHARE: Final = 0.15
"""Fraction of cubes with a maker's or a club's mark instead of 64, as many tournaments have, ..."""
ONE_SHARE: Final = 0.2
"""... of which so many show 1."""
RING_SHARE: Final = 0.25
"""Fraction of these marks with a ring."""
NOT_TURNED: Final = 64
"""What is on top until the first double."""
LETTERS: Final = "ABCDEFGHJKLMNPQRSTUVWXYZ"


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
    apart = rng.spawn(1)[0]  # whose draws change nothing else in the scene
    has_logo, is_printed = apart.random() < LOGO_SHARE, apart.random() < PRINTED_SHARE
    typeface = apart.choice(typefaces())
    for value in CUBE_VALUES:
        if has_logo and value == NOT_TURNED:
            share = _logo(apart)
        elif is_printed:
            share = printed(str(value), typeface, (tall, wide), (stretch, slant))
        else:
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


def _logo(rng: Rng) -> Floats32:
    """(96, 96) 0..1 a letter or two with a word above or below, in a ring, or just 1."""
    font, thick = int(rng.choice(FONTS)), int(rng.integers(2, 8))
    if rng.random() < ONE_SHARE:
        return _number("1", font, thick, (0.6, 0.6), (1.0, 0.0))
    short, long = ("".join(rng.choice([*LETTERS], size)) for size in (rng.integers(1, 3), 5))
    tall = rng.uniform(0.25, 0.5)
    logo = _number(short, font, thick, (tall, 0.6), (1.0, 0.0))
    word = _number(long, font, int(rng.integers(1, 3)), (0.15, rng.uniform(0.5, 0.9)), (1.0, 0.0))
    away = round(FACE_PX * (tall / 2 + rng.uniform(0.1, 0.15)))
    logo = np.maximum(logo, np.roll(word, int(rng.choice([-away, away])), 0))
    if rng.random() < RING_SHARE:
        radius = FACE_PX // 2 - int(rng.integers(2, 12))
        cv2.circle(logo, (FACE_PX // 2,) * 2, radius, 1.0, int(rng.integers(1, 5)))
    return logo


def _number(
    text: str, font: int, thick: int, size: tuple[float, float], shape: tuple[float, float]
) -> Floats32:
    """(96, 96) 0..1 a number or a word in strokes.

    `size`: its height and width at most, in sides; `shape`: how far it is stretched, and slanted.
    """
    tall, wide = size
    mask = np.zeros((FACE_PX, FACE_PX), np.uint8)
    (w, h), _ = cv2.getTextSize(text, font, 1.0, 1)
    scale = min(FACE_PX * tall / h, FACE_PX * wide / w / max(1.0, shape[0]))
    (w, h), _ = cv2.getTextSize(text, font, scale, thick)
    cv2.putText(
        mask, text, ((FACE_PX - w) // 2, (FACE_PX + h) // 2), font, scale, 255, thick, cv2.LINE_AA
    )
    return _shaped(mask, shape)


def printed(
    text: str,
    typeface: Image,
    size: tuple[float, float] = (0.6, 0.9),
    shape: tuple[float, float] = (1.0, 0.0),
) -> Floats32:
    """(96, 96) 0..1 a number as `_number` draws it, in one of `typefaces`."""
    digits = []
    for digit in text:
        cell = typeface[DIGITS.index(digit)]
        inked = np.flatnonzero(cell.any(axis=0))
        digits += [cell[:, inked[0] : inked[-1] + 1], np.zeros((CELL, DIGIT_GAP), np.uint8)]
    number = np.concatenate(digits[:-1], axis=1)
    (h, w), (tall, wide) = number.shape, size
    scale = min(FACE_PX * tall / h, FACE_PX * wide / w / max(1.0, shape[0]))
    w, h = round(w * scale), round(h * scale)
    left, top = (FACE_PX - w) // 2, (FACE_PX - h) // 2
    mask = np.zeros((FACE_PX, FACE_PX), np.uint8)
    mask[top : top + h, left : left + w] = cv2.resize(number, (w, h), interpolation=cv2.INTER_AREA)
    return _shaped(mask, shape)


@cache
def typefaces(sheet: Path = PRINTED_DIGITS) -> Image:
    """(N, 6, 40, 40) uint8 the digits of each typeface in a picture as `PRINTED_DIGITS` is."""
    digits = np.asarray(cv2.imread(str(sheet), cv2.IMREAD_GRAYSCALE), np.uint8)
    return digits.reshape(-1, CELL, len(DIGITS), CELL).swapaxes(1, 2)


def _shaped(mask: Image, shape: tuple[float, float]) -> Floats32:
    """(96, 96) 0..1 a mask of 0 to 255, stretched and slanted."""
    stretch, slant = shape
    middle = (FACE_PX - 1) / 2
    about = np.array([(stretch, -slant, middle * (1 - stretch + slant)), (0, 1, 0)], np.float64)
    return np.asarray(cv2.warpAffine(mask, about, (FACE_PX, FACE_PX)), np.float32) / np.float32(255)
