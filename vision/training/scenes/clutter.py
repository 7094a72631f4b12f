"""Clutter: things on the table."""

from __future__ import annotations

import numpy as np

from vision.training.render import raycast as rc
from vision.training.scenes import painting
from vision.training.scenes.builder import SceneBuilder, rotation
from vision.training.scenes.dice import DieSupport
from vision.training.scenes.materials import material_row, random_material


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
