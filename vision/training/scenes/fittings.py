"""What boards carry on bars and rails: hinges, screws, latches, medallions, plates, recesses.

An empty bar should look as unlike a plain one as possible: none of these is a checker.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from engine.arrays import Floats, Rng
from vision.training.render import raycast as rc
from vision.training.scenes import painting
from vision.training.scenes.builder import SceneBuilder, rotation
from vision.training.scenes.materials import (
    CLOUD,
    SMOOTH,
    SPECKLE,
    SetColours,
    colour_difference,
    from_srgb,
    material_row,
    random_colour,
)

HINGED_SHARE: Final = 0.7
SHARES: Final = (0.22, 0.1, 0.1, 0.07, 0.1)
"""Fractions of bars with medallions, screws, latches, plates and recesses."""
CORNERS_SHARE: Final = 0.06
"""Fraction of frames with metal corners."""
CHECKER_RADIUS: Final = 0.036
"""Of usual checkers, in field widths."""
MIN_COLOUR_DIFFERENCE: Final = 18.0
"""From both sides' checkers to a disc on the bar, in Lab: one that is like them is a checker."""


@dataclass(frozen=True, slots=True)
class BarPlace:
    """The bar that fittings are put on."""

    half: float
    """Half its width."""
    aspect: float
    high: float
    paint: int
    colours: SetColours


def fit_bar(build: SceneBuilder, bar: BarPlace) -> None:
    """Add hinges and other fittings to the bar of a case."""
    rng = build.rng
    if rng.random() < HINGED_SHARE:
        _add_hinges(build, bar)
    kinds = (_add_medallions, _add_screws, _add_latch, _add_plate, _add_recesses)
    for add, share in zip(kinds, SHARES, strict=True):
        if rng.random() < share:
            add(build, bar)


def print_on_bar(build: SceneBuilder, bar: BarPlace) -> None:
    """Add a flat print to the bar of a sheet."""
    _add_disc(build, bar, build.rng.uniform(0.1, 0.9) * bar.aspect, _print(build.rng), 0.0005)


def fit_frame(build: SceneBuilder, bounds: rc.Bounds, thick: float, high: float) -> None:
    """Add metal corners to some frames around `bounds`."""
    rng = build.rng
    if rng.random() > CORNERS_SHARE:
        return
    metal, size = build.paint(metal_row(rng)), thick * rng.uniform(0.7, 1.3)
    for x, way in ((bounds[0] - thick, 1), (bounds[2] + thick, -1)):
        for y, up in ((bounds[1] - thick, 1), (bounds[3] + thick, -1)):
            one, two = sorted((x - way * 0.002, x + way * size))
            low, top = sorted((y - up * 0.002, y + up * size))
            build.box((one, low, -0.03), (two, top, high + 0.0015), metal)


def metal_row(rng: Rng) -> Floats:
    """A material of brass, steel, copper or black iron, polished or worn."""
    shade = rng.uniform(0.4, 0.95) if rng.random() < 0.85 else rng.uniform(0.05, 0.2)
    tint = np.array([rng.uniform(0.3, 1), rng.uniform(0.75, 1), 1.0])
    return material_row(rc.PLAIN, from_srgb(shade * tint), rng, GLOSS=0.5, SHINE=30,
                        NOISE=float(rng.choice([SPECKLE, CLOUD, SMOOTH])),
                        SCALE=rng.uniform(5, 40), AMOUNT=rng.uniform(0, 1.2))  # fmt: skip


def _add_hinges(build: SceneBuilder, bar: BarPlace) -> None:
    rng = build.rng
    hinge, size = build.paint(metal_row(rng)), rng.uniform(0.008, 0.03, 2)
    has_barrel, screws = rng.random() < 0.3, int(rng.choice([0, 0, 0, 1, 2]))
    screw = build.paint(metal_row(rng))
    for along in (rng.uniform(0.03, 0.25), 1 - rng.uniform(0.03, 0.25)):
        y, top = along * bar.aspect, bar.high + 0.002
        build.box((0.5 - size[0], y - size[1], bar.high - 0.01),
                  (0.5 + size[0], y + size[1], top), hinge)  # fmt: skip
        if has_barrel:
            lying, thick = rotation(np.pi / 2, 0, 0), rng.uniform(0.0015, 0.004)
            build.add(rc.CAPSULE, np.array([0.5, y, top]), np.array([thick, thick, size[1]]),
                      hinge, lying)  # fmt: skip
        for way in (-0.6, 0.6):
            for place in range(screws):
                at = (0.5 + way * size[0], y + (place - (screws - 1) / 2) * size[1])
                _disc(build, at, top, min(0.2 * size[0], 0.005), 0.001, screw)


def _add_medallions(build: SceneBuilder, bar: BarPlace) -> None:
    """Round ornaments, some as large as a checker, in the middle, in pairs or anywhere."""
    rng = build.rng
    around = rng.uniform(0.08, 0.4)
    places = ((0.5,), (0.5 - around, 0.5 + around), tuple(rng.uniform(0.05, 0.95, 3)))
    look = _LOOKS[int(rng.integers(len(_LOOKS)))](rng)
    for along in places[rng.integers(3)]:
        _add_disc(build, bar, along * bar.aspect, look)


@dataclass(frozen=True, slots=True, eq=False)
class _Look:
    """Paints of a disc's rim and of its middle; None for the bar's own."""

    rim: Floats | None
    middle: Floats | None
    edge: float
    """Radius of the middle, of the disc's."""


def _print(rng: Rng) -> _Look:
    logo = material_row(rc.CHECKER, np.ones(3), rng, TEXTURE=painting.ORNAMENT, AMOUNT=0.1,
                        GLOSS=0.3 * rng.random())  # fmt: skip
    return _Look(logo, None, 0.0)


def _ring(rng: Rng) -> _Look:
    return _Look(metal_row(rng), None, rng.uniform(0.5, 0.93))


def _coin(rng: Rng) -> _Look:
    return _Look(metal_row(rng), metal_row(rng), rng.choice([0.0, rng.uniform(0.2, 0.9)]))


def _button(rng: Rng) -> _Look:
    plain = material_row(rc.PLAIN, random_colour(rng, 0.8), rng, GLOSS=0.3 * rng.random(),
                         AMOUNT=0.1)  # fmt: skip
    return _Look(plain, None, rng.choice([0.0, rng.uniform(0.2, 0.9)]))


def _carving(rng: Rng) -> _Look:
    groove = material_row(rc.PLAIN, from_srgb(rng.uniform(0.02, 0.25, 3)), rng)
    return _Look(groove, None, rng.uniform(0.85, 0.97))


_LOOKS: Final[tuple[Callable[[Rng], _Look], ...]] = (
    _print, _print, _ring, _coin, _button, _carving)  # fmt: skip


def _add_disc(
    build: SceneBuilder, bar: BarPlace, y: float, look: _Look, most: float = 0.003
) -> None:
    """Add a disc of one look, at most so high."""
    rng = build.rng
    radius = min(CHECKER_RADIUS * rng.uniform(0.35, 1.1), 0.95 * bar.half)
    high = rng.choice([0.0004, rng.uniform(0.0004, most)])
    rim = look.rim
    if rim is not None and rim[rc.KIND] == rc.PLAIN:
        both = (bar.colours.light, bar.colours.dark)
        like = min(colour_difference(rim[rc.FIRST : rc.FIRST + 3], own) for own in both)
        if like < MIN_COLOUR_DIFFERENCE and look.edge < 0.7:
            radius = min(radius, CHECKER_RADIUS * 0.5)
    outer = bar.paint if rim is None else build.paint(rim)
    _disc(build, (0.5, y), bar.high, radius, high, outer)
    if look.edge > 0:
        inner = bar.paint if look.middle is None else build.paint(look.middle)
        _disc(build, (0.5, y), bar.high, radius * look.edge, high + 0.0003, inner)


def _add_screws(build: SceneBuilder, bar: BarPlace) -> None:
    rng = build.rng
    paint = build.paint(metal_row(rng))
    radius, high = rng.uniform(0.002, 0.009), rng.uniform(0.0003, 0.002)
    aside = rng.choice([0.0, bar.half * rng.uniform(0.3, 0.8)])
    for along in rng.uniform(0.02, 0.98, int(rng.integers(2, 9))):
        x = 0.5 + aside * rng.choice([-1, 1])
        _disc(build, (x, along * bar.aspect), bar.high, radius, high, paint)


def _add_latch(build: SceneBuilder, bar: BarPlace) -> None:
    """A clasp, a clip or a knob."""
    rng = build.rng
    paint, other = build.paint(metal_row(rng)), build.paint(metal_row(rng))
    y = bar.aspect * (0.5 if rng.random() < 0.4 else rng.uniform(0.03, 0.97))
    half = np.array([rng.uniform(0.005, 0.9) * bar.half, rng.uniform(0.004, 0.025)])
    top = bar.high + rng.uniform(0.001, 0.004)
    build.box((0.5 - half[0], y - half[1], bar.high - 0.01), (0.5 + half[0], y + half[1], top),
              paint)  # fmt: skip
    if rng.random() < 0.7:
        knob = min(half.max() * rng.uniform(0.3, 1.2), 0.02, bar.half)
        _disc(build, (0.5, y), top, knob, rng.uniform(0.0005, 0.003), other)


def _add_plate(build: SceneBuilder, bar: BarPlace) -> None:
    """A maker's plate with letters or a sticker."""
    rng = build.rng
    row = material_row(rc.CUBE, np.ones(3), rng, TEXTURE=painting.PLATE_FACES, AMOUNT=0.1,
                       GLOSS=0.1 * rng.random(), BEVEL=0.0005)  # fmt: skip
    side = min(rng.uniform(0.01, 0.035), bar.half)
    y = bar.aspect * (0.5 if rng.random() < 0.5 else rng.uniform(0.05, 0.95))
    half = np.array([side, side, rng.uniform(0.0003, 0.0015)])
    turn = rotation(0, 0, float(rng.integers(4)) * np.pi / 2)
    build.add(rc.BOX, np.array([0.5, y, bar.high + half[2]]), half, build.paint(row), turn)


def _add_recesses(build: SceneBuilder, bar: BarPlace) -> None:
    """Dark wells for dice or checkers: too shallow to matter, so drawn as dark inlays."""
    rng = build.rng
    shade = from_srgb(rng.uniform(0.02, 0.3) * rng.uniform(0.85, 1.15, 3))
    paint = build.paint(material_row(rc.PLAIN, shade, rng, AMOUNT=rng.uniform(0, 0.4)))
    half, long = bar.half * rng.uniform(0.3, 0.85), rng.uniform(0.02, 0.12)
    is_round = rng.random() < 0.5
    aside = rng.uniform(0.1, 0.4)
    for along in (0.5,) if rng.random() < 0.3 else (0.5 - aside, 0.5 + aside):
        y, top = along * bar.aspect, bar.high + 0.0003
        if is_round:
            _disc(build, (0.5, y), bar.high, min(half, CHECKER_RADIUS * 1.1), 0.0003, paint)
        else:
            build.box((0.5 - half, y - long, bar.high - 0.005), (0.5 + half, y + long, top), paint)


def _disc(build: SceneBuilder, at: tuple[float, float], low: float, radius: float, high: float,
          paint: int) -> None:  # fmt: skip
    """Add an upright cylinder from somewhat below `low` to `high` above it."""
    half = np.array([radius, radius, high / 2 + 0.001])
    build.add(rc.CYLINDER, np.array([*at, low + high - half[2]]), half, paint)
