"""The doubling cube of a scene, on the bar, in a tray, on a rail, the felt or the table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np

from engine.arrays import Floats, Rng
from vision.training.render import raycast as rc
from vision.training.scenes import painting
from vision.training.scenes.builder import SceneBuilder, rotation
from vision.training.scenes.cube_faces import CUBE_VALUES
from vision.training.scenes.dice import CUBE_NORMALS, ROUNDED_SHARE, DieSupport, with_up
from vision.training.scenes.materials import (
    CLOUD,
    GRAIN,
    SPECKLE,
    material_row,
    random_material,
)


@dataclass(frozen=True, slots=True)
class CubeTruth:
    """The doubling cube: the middle of its upper face, and the number on it."""

    top: tuple[float, float, float]
    value: int
    side: float


NO_CUBE_SHARE: Final = 0.2
"""Fraction of scenes without a doubling cube."""
TEXTURED_SHARE: Final = 0.35
"""Fraction of cubes of wood, leather or stone."""
CUBE_TRAY_SHARE: Final = 0.12
"""Fraction of cubes in a tray of their own."""


def put_cubes(build: SceneBuilder, support: DieSupport, count: int) -> list[CubeTruth]:
    """Add up to `count` cubes on the bar, in trays, on rails, the felt or the table."""
    cubes: list[CubeTruth] = []
    for _ in range(count):
        if cube := _put_cube(build, support, cubes):
            cubes.append(cube)
    return cubes


def _put_cube(
    build: SceneBuilder, support: DieSupport, others: Iterable[CubeTruth]
) -> CubeTruth | None:
    """Add a cube that stands in none of the others; None if there is none."""
    rng = build.rng
    if rng.random() < NO_CUBE_SHARE:
        return None
    # 13 to 40 mm
    side = float(rng.uniform(0.032, 0.062) if rng.random() < 0.8 else rng.uniform(0.062, 0.085))
    paint = build.paint(_material(rng, side))
    ball = rng.uniform(1.36, 1.6) if rng.random() < ROUNDED_SHARE else 2.0
    own = with_up(CUBE_NORMALS[rng.integers(6)])
    turn = (rotation(0, 0, rng.integers(4) * np.pi / 2 + rng.normal(0, 0.25)) @ own).T
    top_face = max(range(6), key=lambda f: float((turn.T @ CUBE_NORMALS[f])[2]))
    in_tray = rng.random() < CUBE_TRAY_SHARE
    reach = side * (1.35 if in_tray else 0.75)
    for _ in range(20):
        kind = rng.random()
        if kind < 0.35:
            x, floor = 0.5 + rng.normal(0, 0.006), support.bar_high
            y = support.aspect * (0.5 + rng.normal(0, 0.02) if rng.random() < 0.7
                                 else rng.uniform(0.06, 0.94))  # fmt: skip
        elif kind < 0.75:  # in a tray or on a side rail
            left = rng.random() < 0.5
            edge = support.bounds[0] if left else support.bounds[2]
            inner = 0.0 if left else 1.0
            x = (edge + inner) / 2 if abs(edge - inner) > 0.05 else edge + (-0.03 if left else 0.03)
            y = support.aspect * rng.uniform(0.03, 0.97)
            floor = 0.0 if abs(edge - inner) > 0.05 else support.frame_high
        elif kind < 0.85:
            x, y = rng.uniform(0.05, 0.95), support.aspect * rng.uniform(0.4, 0.6)
            floor = 0.0
        else:
            x = rng.choice([support.bounds[0] - 0.15, support.bounds[2] + 0.15]) + rng.normal(
                0, 0.03
            )
            y, floor = support.aspect * rng.uniform(0.1, 0.9), -support.table_depth
        near = [o for o in build.objects if o[0] == rc.CYLINDER
                and np.hypot(x - o[1], y - o[2]) < reach + o[4]]  # fmt: skip
        if near or any(np.hypot(x - a, y - b) < max(side, reach) for a, b in support.taken):
            continue
        if any(np.hypot(x - o.top[0], y - o.top[1]) < reach + o.side for o in others):
            continue
        centre = np.array([x, y, floor + side / 2])
        build.add(rc.BOX, centre, np.full(3, side / 2), paint, turn, cut=float(ball) * side / 2)
        if in_tray:
            _put_cube_tray(build, centre, side)
        support.taken.append((float(x), float(y)))
        return CubeTruth((float(x), float(y), floor + side), CUBE_VALUES[top_face], side)
    return None


def _material(rng: Rng, side: float) -> Floats:
    """Plastic, wood, leather or stone, with one of the scene's two sets of numbers."""
    row = material_row(rc.CUBE, np.ones(3), rng, AMOUNT=0.1, SHINE=2 ** rng.uniform(2, 6))
    row[rc.TEXTURE] = painting.CUBE_FACES if rng.random() < 0.5 else painting.OTHER_CUBE
    row[rc.BEVEL] = side * rng.uniform(0.03, 0.15)
    row[rc.GLOSS] = rng.choice([0, 0, 0.1, 0.5]) * rng.random()
    if rng.random() < TEXTURED_SHARE:
        row[rc.NOISE], row[rc.AMOUNT] = rng.choice([GRAIN, CLOUD, SPECKLE]), rng.uniform(0.1, 0.5)
        row[rc.SCALE] = rng.uniform(3, 12)
    return row


def _put_cube_tray(build: SceneBuilder, centre: Floats, side: float) -> None:
    """Add four low walls around a cube."""
    rng = build.rng
    wood = build.paint(random_material(rng))
    inner, thick = side * rng.uniform(0.72, 0.95), side * rng.uniform(0.08, 0.3)
    x, y, floor = (float(part) for part in centre - (0, 0, side / 2))
    high, outer = floor + side * rng.uniform(0.15, 0.7), inner + thick
    for low_x, low_y, high_x, high_y in (
        (-outer, -outer, outer, -inner),
        (-outer, inner, outer, outer),
        (-outer, -inner, -inner, inner),
        (inner, -inner, outer, inner),
    ):
        build.box((x + low_x, y + low_y, floor), (x + high_x, y + high_y, high), wood)
