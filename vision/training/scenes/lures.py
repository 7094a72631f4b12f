"""Things that resemble dice and are none: sugar, blocks, letters, buttons, screws, cups."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

from engine.arrays import Floats, Floats32, Image, Rng
from vision.training.render import raycast as rc
from vision.training.render.raycast import FACE_PX
from vision.training.scenes import painting
from vision.training.scenes.builder import SceneBuilder, rotation
from vision.training.scenes.dice import DieSupport
from vision.training.scenes.materials import (
    SPECKLE,
    from_srgb,
    lightness,
    material_row,
    random_colour,
    random_material,
)

LURES_SHARE: Final = 0.25
"""Fraction of scenes with such things."""
MAX_LURES: Final = 4
BLOCK, SUGAR, LETTERS, BUTTON, SCREW, ON_EDGE, CUP = range(7)
SHARES: Final = (0.2, 0.1, 0.2, 0.18, 0.16, 0.08, 0.08)
"""How often each of these is drawn; a checker stands on its edge."""
ON_FELT_SHARE: Final = 0.45
"""Fraction that lie on the felt, where there is room; the others on wood or on the table."""
BUTTON_FACE, SCREW_FACE, CUP_FACE, LETTER_FACES = (painting.LURE_FACES + k for k in range(4))


def put_lures(build: SceneBuilder, support: DieSupport) -> list[tuple[float, float, float]]:
    """Add some of these things; return the middles of their upper faces."""
    rng = build.rng
    if rng.random() >= LURES_SHARE:
        return []
    placed = [_put_lure(build, support) for _ in range(int(rng.integers(1, MAX_LURES + 1)))]
    return [top for top in placed if top is not None]


def _put_lure(build: SceneBuilder, support: DieSupport) -> tuple[float, float, float] | None:
    """Add one of them; None if there is no room where it was to lie."""
    rng = build.rng
    kind = int(rng.choice(7, p=SHARES))
    shape, half, paint = _lure(rng, support, kind)
    reach = float(np.hypot(half[0], half[1]))
    x, y, floor = _place(rng, support, kind)
    cylinders = [row for row in build.objects if row[rc.TYPE] == rc.CYLINDER]
    if any(np.hypot(x - row[1], y - row[2]) < reach + row[4] for row in cylinders) or any(
        np.hypot(x - a, y - b) < reach + 0.04 for a, b in support.taken
    ):
        return None
    turn, high = rotation(0, 0, rng.uniform(0, 2 * np.pi)), float(half[2])
    if kind == ON_EDGE:
        turn, high = rotation(0, np.pi / 2, 0) @ turn, float(half[0])
    build.add(shape, np.array([x, y, floor + high]), half, build.paint(paint), turn)
    support.taken.append((x, y))
    return x, y, floor + 2 * high


def _lure(rng: Rng, support: DieSupport, kind: int) -> tuple[float, Floats, Floats]:
    """Shape, half sizes and material."""
    side = float(np.exp(rng.uniform(np.log(0.016), np.log(0.05))))
    cube = np.full(3, side / 2)
    if kind == BLOCK:
        cube[2] *= rng.choice([1.0, rng.uniform(0.3, 1.5)])
        return rc.BOX, cube, random_material(rng)
    if kind == SUGAR:
        white = from_srgb(rng.uniform(0.85, 1.0) * np.array([0.96, 0.99, 1.0]))
        return rc.BOX, cube, material_row(rc.PLAIN, white, rng, NOISE=SPECKLE,
                                          SCALE=rng.uniform(10, 30), AMOUNT=rng.uniform(0.1, 0.5),
                                          BEVEL=0.1 * side)  # fmt: skip
    if kind == LETTERS:
        paint = material_row(rc.CUBE, np.ones(3), rng, TEXTURE=LETTER_FACES, AMOUNT=0.1,
                             BEVEL=side * rng.uniform(0.03, 0.2))  # fmt: skip
        return rc.BOX, cube, paint
    if kind == ON_EDGE:
        radius = support.checkers.radius
        half = np.array([radius, radius, max(0.005, support.checkers.thick / 2)])
        return rc.CYLINDER, half, random_material(rng)
    radius, high, face = {
        BUTTON: (rng.uniform(0.008, 0.024), rng.uniform(0.001, 0.004), BUTTON_FACE),
        SCREW: (rng.uniform(0.005, 0.014), rng.uniform(0.0005, 0.003), SCREW_FACE),
        CUP: (rng.uniform(0.05, 0.09), rng.uniform(0.05, 0.11), CUP_FACE),
    }[kind]
    own = random_colour(rng, 0.8)
    paint = material_row(rc.CHECKER, own, rng, TEXTURE=face, AMOUNT=0.1, BEVEL=0.1 * radius,
                         GLOSS=rng.choice([0.0, 0.3]) * rng.random(), SHINE=20)  # fmt: skip
    return rc.CYLINDER, np.array([radius, radius, high]), paint


def _place(rng: Rng, support: DieSupport, kind: int) -> tuple[float, float, float]:
    """Where it stands, and how high."""
    x0, y0, x1, y1 = support.bounds
    if kind != CUP and rng.random() < ON_FELT_SHARE:
        x = float(rng.choice([0.25, 0.75]) + rng.uniform(-0.18, 0.18))
        return x, support.aspect * float(rng.uniform(0.1, 0.9)), 0.0
    if kind in {BUTTON, SCREW, BLOCK} and rng.random() < 0.6:  # on the bar or the frame
        along = float(rng.uniform(0.03, 0.97))
        if rng.random() < 0.5:
            return 0.5, support.aspect * along, support.bar_high
        edge = float(rng.choice([y0 - 0.012, y1 + 0.012]))
        return x0 + (x1 - x0) * along, edge, support.frame_high
    away = rng.uniform(0.12, 0.3)
    x = float(rng.choice([x0 - away, x1 + away]))
    return x, support.aspect * float(rng.uniform(-0.1, 1.1)), -support.table_depth


def lure_faces(rng: Rng) -> Floats32:
    """(9, 96, 96, 3) a button, a screw, a cup from above, and six sides of a lettered block."""
    return np.stack([_button(rng), _screw(rng), _cup(rng), *_letters(rng)]).astype(np.float32)


def _painted(body: Floats, ink: Floats, mask: Image) -> Floats:
    return np.asarray(body + mask[..., None] / 255 * (ink - body))


def _contrast(rng: Rng) -> tuple[Floats, Floats]:
    while True:
        body, ink = random_colour(rng, 0.8), random_colour(rng, 0.8)
        if rng.random() < 0.5:
            body = from_srgb(np.full(3, rng.uniform(0.8, 1.0)))
        if abs(lightness(body) - lightness(ink)) > 25:
            return body, ink


def _blank() -> Image:
    return np.zeros((FACE_PX, FACE_PX), np.uint8)


def _button(rng: Rng) -> Floats:
    """Two or four holes about the middle of a round thing, close together, and a rim."""
    body, ink = _contrast(rng)
    mask, count = _blank(), int(rng.choice([2, 4]))
    away, size = rng.uniform(9, 15), int(rng.integers(3, 6))
    for k in range(count):
        way = 2 * np.pi * (k + 0.5) / count
        spot = (round(47.5 + away * np.cos(way)), round(47.5 + away * np.sin(way)))
        cv2.circle(mask, spot, size, 255, -1, cv2.LINE_AA)
    cv2.circle(mask, (48, 48), int(rng.integers(28, 42)), 128, 2)
    return _painted(body, ink, mask)


def _screw(rng: Rng) -> Floats:
    """The head of a screw, with a slot or a cross."""
    metal = from_srgb(rng.uniform(0.4, 0.9) * np.array([rng.uniform(0.5, 1), 0.95, 1.0]))
    mask, thick = _blank(), int(rng.integers(6, 16))
    for way in (0.0, np.pi / 2)[: int(rng.integers(1, 3))]:
        end = np.array([np.cos(way), np.sin(way)]) * rng.uniform(22, 40)
        one, two = ((round(47.5 + s * end[0]), round(47.5 + s * end[1])) for s in (-1, 1))
        cv2.line(mask, one, two, 255, thick, cv2.LINE_AA)
    return _painted(metal, metal * 0.1, mask)


def _cup(rng: Rng) -> Floats:
    """A rim around a dark inside."""
    body, inside = random_colour(rng), from_srgb(rng.uniform(0.02, 0.3, 3))
    mask = _blank()
    cv2.circle(mask, (48, 48), int(rng.integers(36, 45)), 255, -1, cv2.LINE_AA)
    return _painted(body, inside, mask)


def _letters(rng: Rng) -> list[Floats]:
    """Sides with a letter, a suit's pip, a star, a grid of many dots or nothing."""
    body, ink = _contrast(rng)
    faces = []
    for _ in range(6):
        mask, kind = _blank(), rng.random()
        if kind < 0.5:
            sign = str(rng.choice(list("AKQJXTEO?+%&#S7359")))
            cv2.putText(mask, sign, (24, 74), int(rng.integers(0, 6)), rng.uniform(1.6, 2.6), 255,
                        int(rng.integers(3, 9)), cv2.LINE_AA)  # fmt: skip
        elif kind < 0.7:  # more than any die has
            count = int(rng.integers(4, 7))
            for row in range(count):
                for column in range(count):
                    spot = (round((column + 0.5) * 96 / count), round((row + 0.5) * 96 / count))
                    cv2.circle(mask, spot, int(rng.integers(3, 6)), 255, -1, cv2.LINE_AA)
        elif kind < 0.85:
            spikes = np.arange(10) * np.pi / 5
            far = np.where(np.arange(10) % 2, 15.0, 38.0)
            star = 47.5 + np.column_stack([np.cos(spikes), np.sin(spikes)]) * far[:, None]
            cv2.fillPoly(mask, [np.rint(star).astype(np.int32)], 255, cv2.LINE_AA)
        faces.append(_painted(body, ink, mask))
    return faces
