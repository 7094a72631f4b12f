"""Clutter: things on the table, and a hand over the board."""

from __future__ import annotations

import numpy as np

from engine.arrays import Floats
from vision.training.render import raycast as rc
from vision.training.scenes import painting
from vision.training.scenes.builder import SceneBuilder, rotation
from vision.training.scenes.dice import DieSupport
from vision.training.scenes.materials import CLOUD, from_hsv, material_row, random_material


def put_clutter(build: SceneBuilder, support: DieSupport) -> None:
    """Add things on the table: clocks, papers, cups, pens, books."""
    rng = build.rng
    floor = -support.table_depth
    for _ in range(rng.integers(0, 6)):
        way = rng.uniform(0, 2 * np.pi)
        far = rng.uniform(0.12, 0.4)
        x = 0.5 + np.cos(way) * ((support.bounds[2] - support.bounds[0]) / 2 + far) * 1.15
        y = support.aspect / 2 + np.sin(way) * (support.aspect / 2 + far) * 1.15
        paint = build.paint(random_material(rng, wooden=False))
        spin = rotation(0, 0, rng.uniform(0, 3.14))
        kind = rng.random()
        if kind < 0.25:
            plate = material_row(rc.CUBE, np.ones(3), rng, TEXTURE=painting.PLATE_FACES,
                                   AMOUNT=0.1, GLOSS=0.1 * rng.random(), BEVEL=0.001)  # fmt: skip
            side = rng.uniform(0.03, 0.1)
            half = np.array([side, side, rng.choice([0.001, 0.01, 0.03])])
            build.add(rc.BOX, np.array([x, y, floor + half[2]]), half, build.paint(plate), spin)
        elif kind < 0.65:
            half = np.array([rng.uniform(0.03, 0.14), rng.uniform(0.03, 0.14),
                             rng.choice([0.001, 0.01, 0.03])])  # fmt: skip
            build.add(rc.BOX, np.array([x, y, floor + half[2]]), half, paint, spin)
        elif kind < 0.85:
            radius, high = rng.uniform(0.03, 0.08), rng.uniform(0.02, 0.09)
            half = np.array([radius, radius, high])
            build.add(rc.CYLINDER, np.array([x, y, floor + high]), half, paint)
        else:
            lie = rotation(0, np.pi / 2, 0) @ spin
            half = np.array([0.006, 0.006, rng.uniform(0.06, 0.12)])
            build.add(rc.CAPSULE, np.array([x, y, floor + 0.006]), half, paint, lie)


def put_hand(build: SceneBuilder, aspect: float) -> None:
    """Add an arm from outside, a palm and some fingers over the field."""
    rng = build.rng
    hue, value = rng.uniform(4, 16), rng.uniform(0.25, 0.95)
    skin_colour = from_hsv(hue, rng.uniform(60, 150), 255 * value)
    skin = build.paint(material_row(rc.PLAIN, skin_colour, rng, AMOUNT=0.3,
                                      NOISE=CLOUD, SCALE=4, GLOSS=0.03))  # fmt: skip
    sleeve = build.paint(random_material(rng, wooden=False)) if rng.random() < 0.6 else skin
    way = rng.uniform(0, 2 * np.pi)
    target = np.array([rng.uniform(0, 1), aspect * rng.uniform(0.05, 0.95), 0.0])
    out = np.array([np.cos(way), np.sin(way), 0.0])
    size = rng.uniform(0.055, 0.075)
    palm = target + out * size * 1.3 + (0, 0, rng.uniform(0.05, 0.12))
    elbow = palm + out * rng.uniform(0.5, 0.8) + (0, 0, rng.uniform(0.0, 0.15))
    wrist = palm + (elbow - palm) * 0.2
    _limb(build, palm, wrist, size * 0.75, skin)
    _limb(build, wrist, palm + (elbow - palm) * 0.45, size * 0.55, skin)
    _limb(build, palm + (elbow - palm) * 0.4, elbow, size * 0.75, sleeve)
    across = np.array([-out[1], out[0], 0.0])
    for k in range(5):
        spread = (k - 2) * size * 0.38
        knuckle = palm - out * size * 0.5 + across * spread
        tip = target + across * spread * rng.uniform(0.3, 1.5) - out * rng.uniform(0, 0.05)
        tip = tip + np.array([0, 0, rng.uniform(0.008, 0.06)])
        middle = (knuckle + tip) / 2 + (0, 0, rng.uniform(0, 0.03))
        _limb(build, knuckle, middle, size * 0.2, skin)
        _limb(build, middle, tip, size * 0.17, skin)


def _limb(build: SceneBuilder, one: Floats, two: Floats, radius: float, paint: int) -> None:
    axis = two - one
    length = float(np.linalg.norm(axis))
    axis = axis / length
    side = np.cross(axis, (0.0, 0.3, 1.0))
    side /= np.linalg.norm(side)
    turn = np.stack([side, np.cross(axis, side), axis])
    build.add(rc.CAPSULE, (one + two) / 2, np.array([radius, radius, length / 2]), paint, turn)
