"""Dice and a doubling cube, thrown into a scene: flat, leaning, on checkers, on the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import numpy as np

from engine.arrays import Floats, Rng
from vision.training.render import raycast as rc
from vision.training.scenes import painting
from vision.training.scenes.builder import SceneBuilder, rotation
from vision.training.scenes.checkers import CheckerSet
from vision.training.scenes.materials import material_row


@dataclass(frozen=True, slots=True)
class DieTruth:
    """One die: the middle of its upper face in the world, its value and how it lies."""

    top: tuple[float, float, float]
    value: int
    tilt_deg: float
    side: float


@dataclass(frozen=True, slots=True)
class CubeTruth:
    """The doubling cube: the middle of its upper face, and the number on it."""

    top: tuple[float, float, float]
    value: int
    side: float


@dataclass(slots=True)
class DieSupport:
    """What a die can come to rest on."""

    checkers: CheckerSet
    bar_high: float
    frame_high: float
    bounds: rc.Bounds
    """Bounds of the board's inside."""
    aspect: float
    table_depth: float
    rests: tuple[float, ...] = (0.55, 0.16, 0.1, 0.12, 0.07)
    """Fractions of the kinds of rest, `FLAT` to `AGAINST`."""
    within: rc.Bounds = (-9.0, -9.0, 9.0, 9.0)
    """Bounds between which dice come to rest."""
    taken: list[tuple[float, float]] = field(default_factory=list)

    def tops(self, cylinders: Floats) -> Floats:
        """(N, 3) centers of the upper faces of the topmost checkers that lie flat."""
        flat = cylinders[cylinders[:, rc.TURN + 8] > 0.9]
        places = flat[:, rc.CENTRE : rc.CENTRE + 3].copy()
        places[:, 2] += flat[:, rc.HALF + 2]
        x, y, z = places.T
        near = np.hypot(x - x[:, None], y - y[:, None]) < self.checkers.radius
        is_covered = (near & (z > z[:, None] + 1e-4)).any(axis=1)
        on_field = (x > 0) & (x < 1) & (y > 0) & (y < self.aspect)
        return np.asarray(places[on_field & ~is_covered])

    def is_free(self, cylinders: Floats, x: float, y: float, reach: float) -> bool:
        """Whether nothing flat is within `reach` of a place on the felt."""
        if any(np.hypot(x - a, y - b) < reach * 1.9 for a, b in self.taken):
            return False
        away = np.hypot(x - cylinders[:, rc.CENTRE], y - cylinders[:, rc.CENTRE + 1])
        return bool((away > reach + cylinders[:, rc.HALF]).all())


def throw_dice(
    build: SceneBuilder, materials: Sequence[Floats], support: DieSupport, pairs: int
) -> list[DieTruth]:
    """Add up to two dice per pair, each pair one player's; those that find no place are left out.

    `materials`: the two players' dice, rows of `RenderWorld.materials`.
    """
    rng = build.rng
    paints = []
    for row, first in zip(materials, painting.DIE_FACES, strict=True):
        row[rc.TEXTURE] = first
        paints.append(build.paint(row))
    if rng.random() < 0.4:
        paints[1] = paints[0]
    side = float(np.clip(rng.normal(0.0265, 0.0035), 0.019, 0.036))
    cylinders = _cylinders(build)
    tops = support.tops(cylinders)
    truths: list[DieTruth] = []
    for pair in np.resize(rng.permutation(2), pairs):
        for _ in range(2 if rng.random() < 0.9 else 1):
            truth = _put_die(build, support, (cylinders, tops), paints[pair], side)
            if truth is not None:
                truths.append(truth)
    return truths


FLAT, LEANING, ON_CHECKER, ELSEWHERE, AGAINST = range(5)
"""How a die rests: on the felt, tilted, on a checker, off the felt, flat against something."""
PROPPED_SHARE: Final = 0.6
"""Fraction of leaning dice that lean on a checker's rim."""
AT_WOOD_SHARE: Final = 0.6
"""Fraction of the other leaning dice that lean against the bar or a rail."""
UNSUPPORTED_SHARE: Final = 0.3
"""Fraction of those near a checker or wood that lean in any direction."""


class DiePlacement(NamedTuple):
    """Where and how a die may lie."""

    x: float
    y: float
    floor: float
    """The height of what it lies on."""
    tilt: float = 0.0
    """In degrees."""
    way: float | None = None
    """The direction in which its upper face leans, in radians; None for any."""
    beside: tuple[float, float] | None = None
    """The center of the checker that it touches."""


def _cylinders(build: SceneBuilder) -> Floats:
    """(N, 21) the cylinders so far."""
    rows = [row for row in build.objects if row[rc.TYPE] == rc.CYLINDER]
    return np.array(rows).reshape(-1, rc.OBJECT_COLUMNS)


def _put_die(
    build: SceneBuilder,
    support: DieSupport,
    around: tuple[Floats, Floats],
    paint: int,
    side: float,
) -> DieTruth | None:
    """Add one die at rest somewhere; None if 30 attempts found no place.

    `around`: the scene's cylinders, and the tops of the checkers on which it may lie.
    """
    rng = build.rng
    cylinders, tops = around
    kind = int(rng.choice(5, p=support.rests))
    for _ in range(30):
        rest = _random_placement(rng, support, tops, kind, side)
        if not _fits(cylinders, support, kind, rest, side):
            continue
        turn, value, tilt_deg = random_orientation(rng, rest.tilt, rest.way)
        corners = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, 8).T * side / 2
        lift = -float((corners @ turn)[:, 2].min())
        centre = np.array([rest.x, rest.y, rest.floor + lift])
        build.add(rc.BOX, centre, np.full(3, side / 2), paint, turn)
        top = centre + turn.T @ FACE_NORMALS[value] * side / 2
        support.taken.append((rest.x, rest.y))
        return DieTruth((float(top[0]), float(top[1]), float(top[2])), value, tilt_deg, side)
    return None


def _random_placement(
    rng: Rng, support: DieSupport, tops: Floats, kind: int, side: float
) -> DiePlacement:
    x, y = rng.uniform(0.02, 0.98), support.aspect * rng.uniform(0.03, 0.97)
    at = tops[rng.integers(len(tops))] if len(tops) else None
    if kind == ON_CHECKER and at is not None:
        shift = rng.normal(0, support.checkers.radius * 0.35, 2)
        return DiePlacement(at[0] + shift[0], at[1] + shift[1], at[2])
    if kind == ELSEWHERE:
        return DiePlacement(*_off_felt(rng, support))
    if kind == AGAINST:
        return _against(rng, support, at, side)
    if kind == LEANING:
        if at is not None and rng.random() < PROPPED_SHARE:
            return _propped(rng, at, support.checkers.radius, side)
        return _leaning(rng, support, (x, y), side)
    return DiePlacement(x, y, 0.0)


def _against(rng: Rng, support: DieSupport, top: Floats | None, side: float) -> DiePlacement:
    """A flat die that touches a checker, given as the center of its top, or wood."""
    way, away = rng.uniform(0, 2 * np.pi), side * rng.uniform(0.55, 0.9)
    if top is not None and rng.random() < 0.7:
        x, y = top[:2] + np.array([np.cos(way), np.sin(way)]) * (support.checkers.radius + away)
        return DiePlacement(float(x), float(y), 0.0, beside=(top[0], top[1]))
    return DiePlacement(*_at_wood(rng, support, away)[:2], 0.0)


def _leaning(
    rng: Rng, support: DieSupport, place: tuple[float, float], side: float
) -> DiePlacement:
    tilt = rng.uniform(6, 50)
    if rng.random() > AT_WOOD_SHARE:
        return DiePlacement(*place, 0.0, tilt)
    away = side / 2 * (np.cos(np.radians(tilt)) + np.sin(np.radians(tilt)))
    x, y, inward = _at_wood(rng, support, away * rng.uniform(0.85, 1.05))
    leans = inward + rng.choice([0, np.pi]) if rng.random() > UNSUPPORTED_SHARE else None
    return DiePlacement(x, y, 0.0, tilt, leans)


def _at_wood(rng: Rng, support: DieSupport, away: float) -> tuple[float, float, float]:
    """A place at this distance from the bar or a rail, and the direction from it in radians."""
    x, y = rng.uniform(0.02, 0.98), support.aspect * rng.uniform(0.03, 0.97)
    way = float(rng.choice([-1, 1]))
    which = rng.integers(3)
    if which == 0:
        return 0.5 + way * (support.checkers.layout.bar / 2 + away), y, 0.0 if way > 0 else np.pi
    if which == 1:
        return (away, y, 0.0) if way > 0 else (1 - away, y, np.pi)
    return (x, away, np.pi / 2) if way > 0 else (x, support.aspect - away, -np.pi / 2)


def _propped(rng: Rng, top: Floats, radius: float, side: float) -> DiePlacement:
    """A die with an edge on the felt and its lower face on a checker's rim; `top`: the center."""
    way = rng.uniform(0, 2 * np.pi)
    reach = side * rng.uniform(0.5, 1.0)  # along the lower face, from the felt to the rim
    if rng.random() < UNSUPPORTED_SHARE or top[2] > 0.75 * reach:
        away, tilt, leans = side * rng.uniform(0.2, 0.7), rng.uniform(6, 50), None
    else:
        angle = np.arcsin(top[2] / reach)
        away = reach * np.cos(angle) - side / 2 * (np.cos(angle) - np.sin(angle))
        tilt, leans = float(np.degrees(angle)), way
    x, y = top[:2] + np.array([np.cos(way), np.sin(way)]) * (radius + away)
    return DiePlacement(float(x), float(y), 0.0, tilt, leans, (top[0], top[1]))


def _off_felt(rng: Rng, support: DieSupport) -> tuple[float, float, float]:
    if rng.integers(3) == 0:
        return 0.5, support.aspect * rng.uniform(0.1, 0.9), support.bar_high
    left, right = (
        support.bounds[0] - rng.uniform(0.1, 0.35),
        support.bounds[2] + rng.uniform(0.1, 0.35),
    )
    x = float(rng.choice([left, right]))
    return x, support.aspect * rng.uniform(-0.1, 1.1), -support.table_depth


def _fits(
    cylinders: Floats, support: DieSupport, kind: int, rest: DiePlacement, side: float
) -> bool:
    reach, x, y = side * 0.75, rest.x, rest.y
    low_x, low_y, high_x, high_y = support.within
    if not (low_x < x < high_x and low_y < y < high_y):
        return False
    if kind == FLAT and not support.is_free(cylinders, x, y, reach):
        return False
    if kind == FLAT and abs(x - 0.5) < support.checkers.layout.bar / 2 + reach:
        return False
    if any(np.hypot(x - a, y - b) < side * 1.5 for a, b in support.taken):
        return False
    if kind in {LEANING, AGAINST} and _overlaps(cylinders, support, rest, side):
        return False
    if kind != FLAT:
        reach = side / 2
    on_felt = reach < x < 1 - reach and reach < y < support.aspect - reach
    return on_felt or kind in {ON_CHECKER, ELSEWHERE}


def _overlaps(cylinders: Floats, support: DieSupport, rest: DiePlacement, side: float) -> bool:
    """Whether a die would intersect a checker that it does not touch."""
    here = np.array(rest[:2])
    centres = cylinders[:, rc.CENTRE : rc.CENTRE + 2]
    if rest.beside is not None:
        apart = np.linalg.norm(centres - rest.beside, axis=1)
        centres = centres[apart > support.checkers.radius / 4]
    far = np.linalg.norm(centres - here, axis=1).min(initial=9.0)
    return bool(far < support.checkers.radius + side / 2)


CUBE_NORMALS: Final = np.array(
    [(0, 0, 1), (0, 0, -1), (1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0)], float
)
FACE_NORMALS: Final = {
    face: np.array(normal, float)
    for face, normal in zip((1, 6, 3, 4, 5, 2), CUBE_NORMALS, strict=True)
}
"""Outward normals of the faces in a die's own axes, as the ray caster paints them."""


def random_orientation(
    rng: Rng, tilt_deg: float, leans: float | None = None
) -> tuple[Floats, int, float]:
    """A cube rolled and then tipped: rotation world to own axes, the uppermost face, its tilt.

    `leans`: the direction in which its upper face then leans, perpendicular to an edge.
    """
    own = _with_up(FACE_NORMALS[int(rng.integers(1, 7))])
    if leans is None:
        spun, leans = rng.uniform(0, 2 * np.pi), rng.uniform(0, 2 * np.pi)
    else:
        spun = leans + rng.normal(0, 0.25)
    spin = rotation(0, 0, spun)
    tip = rotation(*(np.array([-np.sin(leans), np.cos(leans), 0]) * np.radians(tilt_deg)))
    turn = (tip @ spin @ own).T  # world to own: the transpose of own to world
    heights = {face: float((turn.T @ normal)[2]) for face, normal in FACE_NORMALS.items()}
    value = max(heights, key=lambda face: heights[face])
    return turn, value, float(np.degrees(np.arccos(min(1.0, heights[value]))))


def put_cube(build: SceneBuilder, support: DieSupport) -> CubeTruth | None:
    """Add a cube on the bar, in a tray, on a rail, the felt or the table; None if there is none."""
    rng = build.rng
    if rng.random() < 0.2:
        return None
    side = float(rng.uniform(0.032, 0.062))
    texture = painting.CUBE_FACES if rng.random() < 0.5 else painting.OTHER_CUBE
    paint = build.paint(material_row(rc.CUBE, np.ones(3), rng, TEXTURE=texture, AMOUNT=0.1,
                                       BEVEL=side * rng.uniform(0.03, 0.15)))  # fmt: skip
    own = _with_up(CUBE_NORMALS[rng.integers(6)])
    turn = (rotation(0, 0, rng.integers(4) * np.pi / 2 + rng.normal(0, 0.25)) @ own).T
    top_face = max(range(6), key=lambda f: float((turn.T @ CUBE_NORMALS[f])[2]))
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
                and np.hypot(x - o[1], y - o[2]) < side * 0.75 + o[4]]  # fmt: skip
        if near or any(np.hypot(x - a, y - b) < side for a, b in support.taken):
            continue
        centre = np.array([x, y, floor + side / 2])
        build.add(rc.BOX, centre, np.full(3, side / 2), paint, turn)
        return CubeTruth((float(x), float(y), floor + side), painting.CUBE_VALUES[top_face], side)
    return None


def _with_up(normal: Floats) -> Floats:
    """(3, 3) rotation whose rows are the world's axes in own coordinates, with `normal` last."""
    other = np.roll(np.abs(normal), 1)
    return np.stack([other, np.cross(normal, other), normal])
