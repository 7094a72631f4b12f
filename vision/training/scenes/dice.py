"""Dice, thrown into a scene: flat, leaning, on checkers, on the table."""

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


@dataclass(frozen=True, slots=True)
class DieTruth:
    """One die: the middle of its upper face in the world, its value and how it lies."""

    top: tuple[float, float, float]
    value: int
    tilt_deg: float
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
    """Where dice lie, and a cube."""
    last_flat: tuple[float, float, float, float] | None = None
    """The die that was last put flat on the felt: x, y, its turn in radians, and its side."""

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
    makes = [_random_make(rng, paint) for paint in paints]
    if rng.random() > ODD_PAIR_SHARE:
        makes[1] = makes[1]._replace(side=makes[0].side)
    cylinders = _cylinders(build)
    tops = support.tops(cylinders)
    truths: list[DieTruth] = []
    for pair in np.resize(rng.permutation(2), pairs):
        for _ in range(2 if rng.random() < 0.9 else 1):
            truth = _put_die(build, support, (cylinders, tops), makes[pair])
            if truth is not None:
                truths.append(truth)
    return truths


FLAT, LEANING, ON_CHECKER, ELSEWHERE, AGAINST, TOUCHING = range(6)
"""How a die rests: on the felt, tilted, on a checker, off the felt, flat against something, beside
another die."""
TOUCHING_SHARE: Final = 0.12
"""Fraction of dice on the felt that touch the previous one."""
SLIGHT_SHARE: Final = 0.45
"""Fraction of leaning dice that lean so little that they look flat."""
TIPPED_ON_CHECKER_SHARE: Final = 0.15
"""Fraction of dice on checkers that lean a little."""
ODD_SIZE_SHARE: Final = 0.12
"""Fraction of dice that are tiny or large."""
ODD_PAIR_SHARE: Final = 0.12
"""Fraction of scenes whose players' dice differ in size."""
ROUNDED_SHARE: Final = 0.4
"""Fraction of dice whose corners, and often whose edges, are rounded off."""
PROPPED_SHARE: Final = 0.6
"""Fraction of leaning dice that lean on a checker's rim."""
AT_WOOD_SHARE: Final = 0.6
"""Fraction of the other leaning dice that lean against the bar or a rail."""
UNSUPPORTED_SHARE: Final = 0.3
"""Fraction of those near a checker or wood that lean in any direction."""


class DieMake(NamedTuple):
    """What one player's dice have in common."""

    paint: int
    side: float
    cut: float
    """The radius of the ball within which the cube is kept, which rounds its corners."""


def _random_make(rng: Rng, paint: int) -> DieMake:
    side = float(np.clip(rng.normal(0.0265, 0.0035), 0.019, 0.036))
    if rng.random() < ODD_SIZE_SHARE:  # 8 to 22 mm on boards 40 to 48 cm wide
        side = float(np.exp(rng.uniform(np.log(0.0165), np.log(0.046))))
    ball = rng.uniform(1.36, 1.66) if rng.random() < ROUNDED_SHARE else 2.0
    return DieMake(paint, side, float(ball) * side / 2)


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
    """The center of the checker or die that it touches."""
    turn: float | None = None
    """The direction of its own axes, in radians; None for any."""


def _cylinders(build: SceneBuilder) -> Floats:
    """(N, 21) the cylinders so far."""
    rows = [row for row in build.objects if row[rc.TYPE] == rc.CYLINDER]
    return np.array(rows).reshape(-1, rc.OBJECT_COLUMNS)


def _put_die(
    build: SceneBuilder,
    support: DieSupport,
    around: tuple[Floats, Floats],
    make: DieMake,
) -> DieTruth | None:
    """Add one die at rest somewhere; None if 30 attempts found no place.

    `around`: the scene's cylinders, and the tops of the checkers on which it may lie.
    """
    rng = build.rng
    cylinders, tops = around
    side = make.side
    kind = int(rng.choice(5, p=support.rests))
    if kind == FLAT and support.last_flat and rng.random() < TOUCHING_SHARE:
        kind = TOUCHING
    for _ in range(30):
        rest = (
            _touching(rng, support.last_flat, side)
            if kind == TOUCHING and support.last_flat
            else _random_placement(rng, support, tops, kind, side)
        )
        if not _fits(cylinders, support, kind, rest, side):
            continue
        spun = rng.uniform(0, 2 * np.pi) if rest.turn is None else rest.turn
        turn, value, tilt_deg = random_orientation(rng, rest.tilt, rest.way, float(spun))
        corners = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, 8).T * side / 2
        lift = min(-float((corners @ turn)[:, 2].min()), make.cut)
        centre = np.array([rest.x, rest.y, rest.floor + lift])
        build.add(rc.BOX, centre, np.full(3, side / 2), make.paint, turn, cut=make.cut)
        top = centre + turn.T @ FACE_NORMALS[value] * side / 2
        support.taken.append((rest.x, rest.y))
        if kind in {FLAT, TOUCHING}:
            support.last_flat = rest.x, rest.y, float(spun), side
        return DieTruth((float(top[0]), float(top[1]), float(top[2])), value, tilt_deg, side)
    return None


def _random_placement(
    rng: Rng, support: DieSupport, tops: Floats, kind: int, side: float
) -> DiePlacement:
    x, y = rng.uniform(0.02, 0.98), support.aspect * rng.uniform(0.03, 0.97)
    at = tops[rng.integers(len(tops))] if len(tops) else None
    if kind == ON_CHECKER and at is not None:
        shift = rng.normal(0, support.checkers.radius * 0.35, 2)
        tilt = rng.uniform(2, 15) if rng.random() < TIPPED_ON_CHECKER_SHARE else 0.0
        return DiePlacement(at[0] + shift[0], at[1] + shift[1], at[2], tilt)
    if kind == ELSEWHERE:
        return DiePlacement(*_off_felt(rng, support))
    if kind == AGAINST:
        return _against(rng, support, at, side)
    if kind == LEANING and at is not None and rng.random() < PROPPED_SHARE:
        return _propped(rng, at, support.checkers.radius, side)
    return _leaning(rng, support, (x, y), side) if kind == LEANING else DiePlacement(x, y, 0.0)


def _touching(rng: Rng, last: tuple[float, float, float, float], side: float) -> DiePlacement:
    """A flat die whose side touches, or nearly, the side of the one that was put `last`."""
    x, y, turn, other = last
    way = turn + rng.integers(4) * np.pi / 2
    skew = rng.normal(0, 0.1)
    away = other / 2 + side / 2 * (np.cos(skew) + abs(np.sin(skew))) + side * rng.uniform(0, 0.06)
    along = rng.uniform(-0.6, 0.6) * side
    step = np.array([np.cos(way), np.sin(way)]) * away + np.array(
        [-np.sin(way), np.cos(way)]) * along  # fmt: skip
    return DiePlacement(x + float(step[0]), y + float(step[1]), 0.0, beside=(x, y),
                        turn=float(turn + skew))  # fmt: skip


def _tilt(rng: Rng) -> float:
    """In degrees: cocked by a hair, or clearly."""
    return float(rng.uniform(2, 15) if rng.random() < SLIGHT_SHARE else rng.uniform(6, 50))


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
    tilt = _tilt(rng)
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
        away, tilt, leans = side * rng.uniform(0.2, 0.7), _tilt(rng), None
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
    others = [place for place in support.taken if kind != TOUCHING or place != rest.beside]
    if any(np.hypot(x - a, y - b) < side * 1.5 for a, b in others):
        return False
    if kind in {LEANING, AGAINST, TOUCHING} and _overlaps(cylinders, support, rest, side):
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
    rng: Rng, tilt_deg: float, leans: float | None, spun: float
) -> tuple[Floats, int, float]:
    """A cube rolled and then tipped: rotation world to own axes, the uppermost face, its tilt.

    `leans`: the direction in which its upper face then leans, perpendicular to an edge; None for
    any, and then its own axes are turned by `spun`. Both in radians.
    """
    own = with_up(FACE_NORMALS[int(rng.integers(1, 7))])
    if leans is None:
        leans = rng.uniform(0, 2 * np.pi)
    else:
        spun = leans + rng.normal(0, 0.25)
    spin = rotation(0, 0, spun)
    tip = rotation(*(np.array([-np.sin(leans), np.cos(leans), 0]) * np.radians(tilt_deg)))
    turn = (tip @ spin @ own).T  # world to own: the transpose of own to world
    heights = {face: float((turn.T @ normal)[2]) for face, normal in FACE_NORMALS.items()}
    value = max(heights, key=lambda face: heights[face])
    return turn, value, float(np.degrees(np.arccos(min(1.0, heights[value]))))


def with_up(normal: Floats) -> Floats:
    """(3, 3) rotation whose rows are the world's axes in own coordinates, with `normal` last."""
    other = np.roll(np.abs(normal), 1)
    return np.stack([other, np.cross(normal, other), normal])
