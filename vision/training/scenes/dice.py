"""Dice and a doubling cube thrown into a scene: flat, leaning, on checkers, on the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import numpy as np

from engine.arrays import Floats, Rng
from vision.training.render import raycast as rc
from vision.training.scenes import looks, painting
from vision.training.scenes.builder import SceneBuilder, rotation
from vision.training.scenes.checkers import CheckerSet


@dataclass(frozen=True, slots=True)
class DieTruth:
    """One die: the middle of its upper face in the world, its value and how it lies."""

    top: tuple[float, float, float]
    value: int
    tilt_deg: float
    side: float


@dataclass(frozen=True, slots=True)
class CubeTruth:
    """The doubling cube: the middle of its upper face, the number on it."""

    top: tuple[float, float, float]
    value: int
    side: float


@dataclass(slots=True)
class DieSupport:
    """What a die can come to rest on."""

    points: list[int]
    checkers: CheckerSet
    bar_high: float
    frame_high: float
    box: tuple[float, float, float, float]
    aspect: float
    table_depth: float
    rests: tuple[float, ...] = (0.55, 0.16, 0.1, 0.12, 0.07)
    """Shares of the dice that lie flat, lean, are on a checker, elsewhere, flat against a thing."""
    within: tuple[float, float, float, float] = (-9.0, -9.0, 9.0, 9.0)
    """X0, Y0, X1, Y1 between which dice come to rest."""
    taken: list[tuple[float, float]] = field(default_factory=list)

    def tops(self, objects: list[Floats]) -> list[Floats]:
        """Middles of the upper faces of the uppermost checkers that lie flat."""
        flat = [
            o[1:4] + np.array([0, 0, o[6]]) for o in objects if o[0] == rc.CYLINDER and o[15] > 0.9
        ]
        return [p for p in flat if 0 < p[0] < 1 and 0 < p[1] < self.aspect
                and not any(np.hypot(*(q[:2] - p[:2])) < self.checkers.radius and q[2] > p[2] + 1e-4
                            for q in flat)]  # fmt: skip

    def is_free(self, objects: list[Floats], x: float, y: float, reach: float) -> bool:
        """Whether nothing that lies flat is within `reach` of a place on the felt."""
        if any(np.hypot(x - a, y - b) < reach * 1.9 for a, b in self.taken):
            return False
        return all(np.hypot(x - o[1], y - o[2]) > reach + o[4] for o in objects
                   if o[0] == rc.CYLINDER)  # fmt: skip


def throw_dice(
    build: SceneBuilder, materials: Sequence[Floats], ground: DieSupport, pairs: int
) -> list[DieTruth]:
    """Up to two dice a pair, each pair one player's; those that find no place are left out.

    materials: the two players' dice, rows of `World.materials`.
    """
    rng = build.rng
    paints = []
    for row, first in zip(materials, painting.DIE_FACES, strict=True):
        row[rc.TEXTURE] = first
        paints.append(build.paint(row))
    if rng.random() < 0.4:
        paints[1] = paints[0]
    side = float(np.clip(rng.normal(0.0265, 0.0035), 0.019, 0.036))
    truths: list[DieTruth] = []
    for pair in np.resize(rng.permutation(2), pairs):
        for _ in range(2 if rng.random() < 0.9 else 1):
            truth = _thrown(build, ground, paints[pair], side)
            if truth is not None:
                truths.append(truth)
    return truths


FLAT, LEANING, ON_CHECKER, ELSEWHERE, AGAINST = range(5)
PROPPED: Final = 0.6
"""Share of the leaning dice that a checker's rim props up."""
AT_WOOD: Final = 0.6
"""Share of the other leaning ones that lean on the bar or a rail."""
BY_CHANCE: Final = 0.3
"""Share of those near a checker or wood that lie as nothing explains."""


class DiePlacement(NamedTuple):
    """Where and how a die may lie."""

    x: float
    y: float
    floor: float
    """The height of what it lies on."""
    tilt: float = 0.0
    """Degrees."""
    way: float | None = None
    """In which its upper face leans, radians; None: any."""
    beside: tuple[float, float] | None = None
    """The middle of the checker that it touches."""


def _thrown(build: SceneBuilder, ground: DieSupport, paint: int, side: float) -> DieTruth | None:
    """One die somewhere: mostly flat on the felt, else leaning, on a checker, a rail, the table."""
    rng = build.rng
    kind = int(rng.choice(5, p=ground.rests))
    for _ in range(30):
        rest = _resting(build, ground, kind, side)
        if not _is_fit(build, ground, kind, rest, side):
            continue
        turn, value, tilted = lying(rng, rest.tilt, rest.way)
        corners = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, 8).T * side / 2
        lift = -float((corners @ turn)[:, 2].min())
        centre = np.array([rest.x, rest.y, rest.floor + lift])
        build.add(rc.BOX, centre, np.full(3, side / 2), paint, turn)
        top = centre + turn.T @ FACES[value] * side / 2
        ground.taken.append((rest.x, rest.y))
        return DieTruth((float(top[0]), float(top[1]), float(top[2])), value, tilted, side)
    return None


def _resting(build: SceneBuilder, ground: DieSupport, kind: int, side: float) -> DiePlacement:
    """Where a die of a kind may lie."""
    rng = build.rng
    x, y = rng.uniform(0.02, 0.98), ground.aspect * rng.uniform(0.03, 0.97)
    tops = ground.tops(build.objects)
    at = tops[rng.integers(len(tops))] if tops else None
    if kind == ON_CHECKER and at is not None:
        shift = rng.normal(0, ground.checkers.radius * 0.35, 2)
        return DiePlacement(at[0] + shift[0], at[1] + shift[1], at[2])
    if kind == ELSEWHERE:
        return DiePlacement(*_beside(rng, ground))
    if kind == AGAINST:
        return _against(rng, ground, at, side)
    if kind == LEANING:
        if at is not None and rng.random() < PROPPED:
            return _propped(rng, at, ground.checkers.radius, side)
        return _leaning(rng, ground, (x, y), side)
    return DiePlacement(x, y, 0.0)


def _against(rng: Rng, ground: DieSupport, top: Floats | None, side: float) -> DiePlacement:
    """A die that lies flat and touches a checker or wood.

    top: (3,) the middle of the checker's upper face; None where there is none.
    """
    way, away = rng.uniform(0, 2 * np.pi), side * rng.uniform(0.55, 0.9)
    if top is not None and rng.random() < 0.7:
        x, y = top[:2] + np.array([np.cos(way), np.sin(way)]) * (ground.checkers.radius + away)
        return DiePlacement(float(x), float(y), 0.0, beside=(top[0], top[1]))
    return DiePlacement(*_at_wood(rng, ground, away)[:2], 0.0)


def _leaning(rng: Rng, ground: DieSupport, place: tuple[float, float], side: float) -> DiePlacement:
    """A die that leans on the bar or a rail, or at `place` as nothing explains."""
    tilt = rng.uniform(6, 50)
    if rng.random() > AT_WOOD:
        return DiePlacement(*place, 0.0, tilt)
    away = side / 2 * (np.cos(np.radians(tilt)) + np.sin(np.radians(tilt)))
    x, y, inward = _at_wood(rng, ground, away * rng.uniform(0.85, 1.05))
    leans = inward + rng.choice([0, np.pi]) if rng.random() > BY_CHANCE else None
    return DiePlacement(x, y, 0.0, tilt, leans)


def _at_wood(rng: Rng, ground: DieSupport, away: float) -> tuple[float, float, float]:
    """A place so far from the bar, a side rail or an end one, and the way from that, radians."""
    x, y = rng.uniform(0.02, 0.98), ground.aspect * rng.uniform(0.03, 0.97)
    way = float(rng.choice([-1, 1]))
    which = rng.integers(3)
    if which == 0:
        return 0.5 + way * (ground.checkers.layout.bar / 2 + away), y, 0.0 if way > 0 else np.pi
    if which == 1:
        return (away, y, 0.0) if way > 0 else (1 - away, y, np.pi)
    return (x, away, np.pi / 2) if way > 0 else (x, ground.aspect - away, -np.pi / 2)


def _propped(rng: Rng, top: Floats, radius: float, side: float) -> DiePlacement:
    """A die with one edge on the felt and its lower face on the rim of a checker.

    top: (3,) the middle of the checker's upper face.
    """
    way = rng.uniform(0, 2 * np.pi)
    reach = side * rng.uniform(0.5, 1.0)  # along the lower face, from the felt to the rim
    if rng.random() < BY_CHANCE or top[2] > 0.75 * reach:
        away, tilt, leans = side * rng.uniform(0.2, 0.7), rng.uniform(6, 50), None
    else:
        angle = np.arcsin(top[2] / reach)
        away = reach * np.cos(angle) - side / 2 * (np.cos(angle) - np.sin(angle))
        tilt, leans = float(np.degrees(angle)), way
    x, y = top[:2] + np.array([np.cos(way), np.sin(way)]) * (radius + away)
    return DiePlacement(float(x), float(y), 0.0, tilt, leans, (top[0], top[1]))


def _beside(rng: Rng, ground: DieSupport) -> tuple[float, float, float]:
    """A place on the bar or on the table, and its height."""
    if rng.integers(3) == 0:
        return 0.5, ground.aspect * rng.uniform(0.1, 0.9), ground.bar_high
    left, right = ground.box[0] - rng.uniform(0.1, 0.35), ground.box[2] + rng.uniform(0.1, 0.35)
    x = float(rng.choice([left, right]))
    return x, ground.aspect * rng.uniform(-0.1, 1.1), -ground.table_depth


def _is_fit(
    build: SceneBuilder, ground: DieSupport, kind: int, rest: DiePlacement, side: float
) -> bool:
    reach, x, y = side * 0.75, rest.x, rest.y
    low_x, low_y, high_x, high_y = ground.within
    if not (low_x < x < high_x and low_y < y < high_y):
        return False
    if kind == FLAT and not ground.is_free(build.objects, x, y, reach):
        return False
    if kind == FLAT and abs(x - 0.5) < ground.checkers.layout.bar / 2 + reach:
        return False
    if any(np.hypot(x - a, y - b) < side * 1.5 for a, b in ground.taken):
        return False
    if kind in {LEANING, AGAINST} and _meets(build, ground, rest, side):
        return False
    if kind != FLAT:
        reach = side / 2
    on_felt = reach < x < 1 - reach and reach < y < ground.aspect - reach
    return on_felt or kind in {ON_CHECKER, ELSEWHERE}


def _meets(build: SceneBuilder, ground: DieSupport, rest: DiePlacement, side: float) -> bool:
    """Whether a die would reach into a checker that it does not lean on."""
    here = np.array(rest[:2])
    centres = np.array([o[1:3] for o in build.objects if o[0] == rc.CYLINDER]).reshape(-1, 2)
    if rest.beside is not None:
        centres = centres[
            np.linalg.norm(centres - rest.beside, axis=1) > ground.checkers.radius / 4
        ]
    far = np.linalg.norm(centres - here, axis=1).min(initial=9.0)
    return bool(far < ground.checkers.radius + side / 2)


# Outward normals of the faces in a die's own axes, as the ray caster paints them.
FACES: Final = {1: np.array([0, 0, 1.0]), 6: np.array([0, 0, -1.0]), 3: np.array([1.0, 0, 0]),
                4: np.array([-1.0, 0, 0]), 5: np.array([0, 1.0, 0]),
                2: np.array([0, -1.0, 0])}  # fmt: skip


def lying(rng: Rng, tilt_deg: float, leans: float | None = None) -> tuple[Floats, int, float]:
    """A cube rolled and then tipped: rotation world to own axes, the face up most, its tilt.

    leans: the way in which its upper face then looks, an edge at right angles to it; None: any.
    """
    value = int(rng.integers(1, 7))
    up = FACES[value]
    other = np.roll(np.abs(up), 1)
    own = np.stack([other, np.cross(up, other), up])  # rows: world axes in own coordinates
    if leans is None:
        spun, leans = rng.uniform(0, 2 * np.pi), rng.uniform(0, 2 * np.pi)
    else:
        spun = leans + rng.normal(0, 0.25)
    spin = rotation(0, 0, spun)
    tip = rotation(*(np.array([-np.sin(leans), np.cos(leans), 0]) * np.radians(tilt_deg)))
    turn = (tip @ spin @ own).T  # world to own: the transpose of own to world
    heights = {face: float((turn.T @ normal)[2]) for face, normal in FACES.items()}
    value = max(heights, key=lambda face: heights[face])
    return turn, value, float(np.degrees(np.arccos(min(1.0, heights[value]))))


def put_cube(build: SceneBuilder, ground: DieSupport) -> CubeTruth | None:
    """A cube on the bar, in a tray, on a rail, the felt or the table; None for none."""
    rng = build.rng
    if rng.random() < 0.2:
        return None
    side = float(rng.uniform(0.032, 0.062))
    texture = painting.CUBE_FACES if rng.random() < 0.5 else painting.OTHER_CUBE
    paint = build.paint(looks.material(rc.CUBE, np.ones(3), rng, TEXTURE=texture, AMOUNT=0.1,
                                       BEVEL=side * rng.uniform(0.03, 0.15)))  # fmt: skip
    turn = _cube_turn(rng)
    top_face = max(range(6), key=lambda f: float((turn.T @ CUBE_NORMALS[f])[2]))
    for _ in range(20):
        kind = rng.random()
        if kind < 0.35:
            x, floor = 0.5 + rng.normal(0, 0.006), ground.bar_high
            y = ground.aspect * (0.5 + rng.normal(0, 0.02) if rng.random() < 0.7
                                 else rng.uniform(0.06, 0.94))  # fmt: skip
        elif kind < 0.75:  # in a tray or on a side rail
            left = rng.random() < 0.5
            edge = ground.box[0] if left else ground.box[2]
            inner = 0.0 if left else 1.0
            x = (edge + inner) / 2 if abs(edge - inner) > 0.05 else edge + (-0.03 if left else 0.03)
            y = ground.aspect * rng.uniform(0.03, 0.97)
            floor = 0.0 if abs(edge - inner) > 0.05 else ground.frame_high
        elif kind < 0.85:
            x, y = rng.uniform(0.05, 0.95), ground.aspect * rng.uniform(0.4, 0.6)
            floor = 0.0
        else:
            x = rng.choice([ground.box[0] - 0.15, ground.box[2] + 0.15]) + rng.normal(0, 0.03)
            y, floor = ground.aspect * rng.uniform(0.1, 0.9), -ground.table_depth
        near = [o for o in build.objects if o[0] == rc.CYLINDER
                and np.hypot(x - o[1], y - o[2]) < side * 0.75 + o[4]]  # fmt: skip
        if near or any(np.hypot(x - a, y - b) < side for a, b in ground.taken):
            continue
        centre = np.array([x, y, floor + side / 2])
        build.add(rc.BOX, centre, np.full(3, side / 2), paint, turn)
        return CubeTruth((float(x), float(y), floor + side), painting.CUBE_VALUES[top_face], side)
    return None


CUBE_NORMALS: Final = np.array(
    [(0, 0, 1), (0, 0, -1), (1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0)], float
)


def _cube_turn(rng: Rng) -> Floats:
    up = CUBE_NORMALS[rng.integers(6)]
    other = np.roll(np.abs(up), 1)
    own = np.stack([other, np.cross(up, other), up])
    angle = rng.integers(4) * np.pi / 2 + rng.normal(0, 0.25)
    spin = rotation(0, 0, angle)
    return np.asarray((spin @ own).T)
