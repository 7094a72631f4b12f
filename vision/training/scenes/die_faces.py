"""The appearance of dice: plain, marbled or clear, with pips of any color, size and shape.

The pictures of a die's faces and its material are made here; its placement is made elsewhere.
Colors are linear BGR, 0..1; places on a face are in sides from its center.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np

from engine.arrays import Floats, Floats32, Rng
from vision.training.render import raycast as rc
from vision.training.render.raycast import FACE_PX
from vision.training.scenes.materials import (
    CLOUD,
    GRAIN,
    colour_difference,
    from_srgb,
    lightness,
    material_row,
    random_colour,
    random_wood_colour,
)

_AXIS: Final = (np.arange(FACE_PX) + 0.5) / FACE_PX - 0.5
U, V = np.meshgrid(_AXIS, -_AXIS)
"""Coordinates of a face's pixels, to the right and up."""
ROUND, RING, BULLSEYE, DRILLED, SQUARE = range(5)
SHAPE_SHARES: Final = (0.66, 0.08, 0.06, 0.16, 0.04)
"""Fractions of dice by the shape of their pips; drilled ones have a shadow on one side."""
PLAIN, MARBLED, CLEAR, WOODEN = range(4)
BODY_SHARES: Final = (0.66, 0.13, 0.14, 0.07)
"""Fractions of dice of one color, marbled, clear, wooden."""
UNEVEN_SHARE: Final = 0.2
"""Fraction of dice whose pips are not exactly in their places, by hand or by wear."""
WORN_SHARE: Final = 0.1
"""Fraction of dice whose pips have lost paint."""
OBLONG_SHARE: Final = 0.2
"""Fraction of dice with pips closer along one axis of each face than along the other."""
GLINT_SHARES: Final = (0.05, 0.05, 0.6, 0.0)
"""Fractions of these bodies with one or two bright reflections on each face."""
EASTERN_SHARE: Final = 0.14
"""Fraction of dice whose one is large and red, and often the four red."""
LARGE_ONE_SHARE: Final = 0.06
"""Fraction of the others whose one is larger than the rest."""
MIXED_PIPS_SHARE: Final = 0.05
"""Fraction of dice whose faces have pips of different colors."""
PILLOW_SHARE: Final = 0.4
"""Fraction of dice whose faces are rounded all over and shine, so that a lamp's glint resembles a
pip."""
REFLECTANCE: Final = 0.04
"""Of plastic at normal incidence."""


@dataclass(frozen=True, slots=True, eq=False)
class DiceAppearance:
    """One player's dice."""

    material: Floats
    """A row of `RenderWorld.materials`, with its texture not set yet."""
    faces: Floats32
    """(6, 96, 96, 3) the faces 1..6; row 0 at the top."""


@dataclass(frozen=True, slots=True, eq=False)
class Pips:
    """The pips of one face."""

    paint: Floats
    radius: float
    spread: float
    shape: int
    shadow: float
    """The direction in which a drilled pip is dark, in radians."""
    squeeze: float = 1.0
    """The places' distance from the center upward, relative to that to the right."""
    flaws: Floats | None = None
    """(6, 3) how far each pip is off its place, to the right and up, and how much paint is left."""


def random_dice(
    rng: Rng, checker: Floats, board: tuple[Floats, ...], noise: Floats32
) -> DiceAppearance:
    """White dice, or dice of the checkers' color, the board's or any; with pips that stand out.

    `noise`: (K, 256, 256) 0..1, as from `make_noises`.
    """
    body, ink = _colours(rng, checker, board)
    kind = int(rng.choice(4, p=BODY_SHARES))
    if kind == WOODEN:
        body, ink = _wooden_colours(rng)
    plain = np.broadcast_to(body, (FACE_PX, FACE_PX, 3)).astype(np.float64)
    grounds = _marbled(rng, body, ink, noise) if kind == MARBLED else [plain] * 6
    own = _pips(rng, body, ink)
    faces = [paint_face(*each) for each in zip(grounds, own, range(1, 7), strict=True)]
    if kind == CLEAR:
        faces = [_clear(rng, face, own, n) for n, face in enumerate(faces, 1)]
    if rng.random() < GLINT_SHARES[kind]:
        faces = [_with_glints(rng, face) for face in faces]
    noises = (GRAIN, rng.uniform(6, 25), rng.uniform(0.2, 0.8)) if kind == WOODEN else (
        CLOUD, 9, rng.choice([0, 0, 0.3]))  # fmt: skip
    row = material_row(rc.DIE, body, rng, **dict(zip(("NOISE", "SCALE", "AMOUNT"), noises,
                       strict=True)), **_polish(rng))  # fmt: skip
    return DiceAppearance(row, np.clip(np.stack(faces), 0, 1).astype(np.float32))


def _colours(rng: Rng, checker: Floats, board: tuple[Floats, ...]) -> tuple[Floats, Floats]:
    min_contrast = 28 if rng.random() < 0.8 else 15
    while True:
        kind = rng.random()
        if kind < 0.38:
            body = from_srgb(rng.uniform(0.8, 0.98) * np.array([rng.uniform(0.8, 1), 0.98, 1.0]))
        elif kind < 0.6:
            body = np.clip(checker * rng.uniform(0.6, 1.3), 0, 1)
        elif kind < 0.8:  # it lies on its own color
            body = np.clip(board[rng.integers(len(board))] * rng.uniform(0.7, 1.4), 0, 1)
        else:
            body = random_colour(rng, 1.0, (0.05, 1.0))
        ink = from_srgb(np.full(3, rng.choice([rng.uniform(0.02, 0.15), rng.uniform(0.8, 1.0)])))
        if rng.random() < 0.15:
            ink = random_colour(rng)
        if abs(lightness(body) - lightness(ink)) > min_contrast:
            return body, ink


def _wooden_colours(rng: Rng) -> tuple[Floats, Floats]:
    while True:
        body, ink = random_wood_colour(rng), from_srgb(np.full(3, rng.choice([0.05, 0.15, 0.95])))
        if abs(lightness(body) - lightness(ink)) > 25:
            return body, ink


def _pips(rng: Rng, body: Floats, ink: Floats) -> list[Pips]:
    shape = int(rng.choice(5, p=SHAPE_SHARES))
    spread = rng.uniform(0.19, 0.3)
    squeeze = rng.uniform(0.75, 1.0) if rng.random() < OBLONG_SHARE else 1.0
    least = 0.1 if shape in {RING, BULLSEYE} else 0.055
    radius = min(rng.uniform(least, 0.135), 0.48 * spread * squeeze)
    every = Pips(ink, radius, spread, shape, 0.0, squeeze)
    pips = [replace(every, shadow=float(way)) for way in rng.uniform(0, 2 * np.pi, 6)]
    red = from_srgb(rng.uniform((0.05, 0.05, 0.6), (0.25, 0.2, 0.95)))
    if rng.random() < EASTERN_SHARE and colour_difference(red, body) > 30:
        pips[0] = replace(pips[0], paint=red, radius=rng.uniform(0.12, 0.25), shape=ROUND)
        if rng.random() < 0.6:
            pips[3] = replace(pips[3], paint=red)
    elif rng.random() < LARGE_ONE_SHARE:
        pips[0] = replace(pips[0], radius=rng.uniform(0.12, 0.22), shape=ROUND)
    uneven = rng.uniform(0.005, 0.02) if rng.random() < UNEVEN_SHARE else 0.0
    worn = rng.uniform(0.1, 0.6) if rng.random() < WORN_SHARE else 0.0
    if uneven or worn:
        pips = [replace(one, flaws=np.column_stack([
            rng.normal(0, uneven, (6, 2)).clip(-0.03, 0.03), 1 - worn * rng.random(6)
        ])) for one in pips]  # fmt: skip
    if rng.random() < MIXED_PIPS_SHARE:
        pips = [
            replace(one, paint=_contrasting_colour(rng, body)) if rng.random() < 0.5 else one
            for one in pips
        ]
    return pips


def _contrasting_colour(rng: Rng, body: Floats) -> Floats:
    while True:
        ink = random_colour(rng)
        if abs(lightness(body) - lightness(ink)) > 25:
            return ink


def _marbled(rng: Rng, body: Floats, ink: Floats, noise: Floats32) -> list[Floats]:
    """Six faces with veins of another color, from which the pips stand out too."""
    other = np.clip(body * rng.uniform(0.4, 1.6), 0, 1)
    for _ in range(8):
        tried = random_colour(rng, 0.9, (0.05, 1.0))
        if abs(lightness(tried) - lightness(ink)) > 22:
            other = tried
            break
    size, depth = int(rng.integers(30, 160)), rng.uniform(0.8, 3)
    faces = []
    for _ in range(6):
        top, left = rng.integers(0, 256 - size, 2)
        patch = cv2.resize(noise[CLOUD, top : top + size, left : left + size], (FACE_PX, FACE_PX))
        share = np.clip(0.5 + (patch - 0.5) * depth, 0, 1)[..., None]
        faces.append(np.asarray(body * (1 - share) + other * share, float))
    return faces


def paint_face(ground: Floats, pips: Pips, face: int) -> Floats:
    """(96, 96, 3) one face with its pips on a background of that size."""
    out = ground.copy()
    _paint(out, pips, [(a, b * pips.squeeze) for a, b in pip_places(face, pips.spread)])
    return out


def pip_places(face: int, spread: float) -> list[tuple[float, float]]:
    """The places of a face's pips."""
    places: list[tuple[float, float]] = [(0.0, 0.0)] if face % 2 else []
    for first_face, (a, b) in ((2, (1, 1)), (4, (1, -1)), (6, (1, 0))):
        if face >= first_face:
            places += [(a * spread, b * spread), (-a * spread, -b * spread)]
    return places


def _paint(out: Floats, pips: Pips, places: list[tuple[float, float]]) -> None:
    """Paint pips on a face, with their edges softened over a pixel."""
    flaws = np.tile((0.0, 0.0, 1.0), (6, 1)) if pips.flaws is None else pips.flaws
    for (a, b), (right, up, left) in zip(places, flaws, strict=False):
        near = _window(a + right, -b - up, pips.radius)
        x, y = (U[near] - a - right) / pips.radius, (V[near] - b - up) / pips.radius
        far = np.maximum(abs(x), abs(y)) if pips.shape == SQUARE else np.hypot(x, y)

        def within(edge: float, far: Floats = far) -> Floats:
            return np.clip((edge - far) * pips.radius * FACE_PX + 0.5, 0, 1)[..., None]

        part = out[near]
        share, paint = within(1.0), np.broadcast_to(pips.paint, part.shape)
        if pips.shape in {RING, BULLSEYE}:
            share = share - within(0.68) + (within(0.36) if pips.shape == BULLSEYE else 0.0)
        if pips.shape == DRILLED:
            toward = x * np.cos(pips.shadow) + y * np.sin(pips.shadow)
            light = np.where(toward > 0.35, 0.45, np.where(toward < -0.6, 1.6, 1.0))
            paint = paint * light[..., None]
        part += left * share * (paint - part)
    np.clip(out, 0, 1, out=out)


def _window(right: float, down: float, radius: float) -> tuple[slice, slice]:
    """The rows and columns of a face within a pip; places from the center, in sides."""
    reach = radius * FACE_PX + 2
    middles = ((0.5 + place) * FACE_PX - 0.5 for place in (down, right))
    rows, columns = (slice(max(0, int(middle - reach)), max(0, int(middle + reach) + 2))
                     for middle in middles)  # fmt: skip
    return rows, columns


def _clear(rng: Rng, face: Floats, pips: Sequence[Pips], number: int) -> Floats:
    """A face of a clear die: the opposite side's pips show through it, the edges are paler.

    Light gathers in one part of it.
    """
    far = pips[6 - number]
    deep = rng.uniform(0.6, 0.85)
    aside = rng.normal(0, 0.08, 2)
    behind = Pips(far.paint, far.radius * deep, far.spread, ROUND, 0.0)
    shown = face.copy()
    places = [(a * deep + aside[0], b * deep + aside[1])
              for a, b in pip_places(7 - number, far.spread)]  # fmt: skip
    _paint(shown, behind, places)
    rim = np.clip((np.maximum(abs(U), abs(V)) - 0.36) / 0.14, 0, 1)[..., None]
    share = rng.uniform(0.08, 0.35)
    mixed = face * (1 - share) + shown * share
    a, b = rng.uniform(-0.35, 0.35, 2)
    heart = np.exp(-((U - a) ** 2 + (V - b) ** 2) / (2 * rng.uniform(0.12, 0.3) ** 2))[..., None]
    return np.asarray(mixed * (1 + rng.uniform(-0.3, 0.8) * rim + rng.uniform(0, 1.0) * heart))


def _with_glints(rng: Rng, face: Floats) -> Floats:
    """A face with one or two oblong reflections of lamps or windows, soft or hard."""
    out = face
    for _ in range(int(rng.integers(1, 3))):
        (a, b), way = rng.uniform(-0.4, 0.4, 2), rng.uniform(0, np.pi)
        x, y = U - a, V - b
        along = (x * np.cos(way) + y * np.sin(way)) / rng.uniform(0.05, 0.2)
        across = (y * np.cos(way) - x * np.sin(way)) / rng.uniform(0.02, 0.09)
        share = np.clip((1 - np.hypot(along, across)) * rng.uniform(1, 6), 0, 1)[..., None]
        out = np.asarray(out + rng.uniform(0.4, 1.0) * share * (1 - out))
    return out


def _polish(rng: Rng) -> dict[str, float]:
    side = 0.0265
    if rng.random() < PILLOW_SHARE:
        shine = 2 ** rng.uniform(3.5, 8)
        # A narrower reflection is brighter: Blinn-Phong, normalized like Lambert's here.
        gloss = REFLECTANCE * (shine + 8) / 8 * rng.uniform(0.7, 4)
        return {"BEVEL": side / 2, "BEND": rng.uniform(2, 7), "GLOSS": gloss, "SHINE": shine}
    return {
        "BEVEL": side * rng.uniform(0.04, 0.2),
        "GLOSS": rng.choice([0, 0.2, 0.6, 1.5]) * rng.random(),
        "SHINE": 2 ** rng.uniform(2, 7),
    }
