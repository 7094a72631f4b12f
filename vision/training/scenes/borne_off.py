"""The checkers that were borne off: flat or on edge in the trays, or beside the board."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from engine.arrays import Rng
from vision.training.scenes.boards import Box
from vision.training.scenes.builder import rotation
from vision.training.scenes.checkers import CheckerPlacer

Off = tuple[float, float, int]
"""World x, y and side of a checker in a tray."""

IN_FULL_ROWS: Final = 0.6
"""Share of the trays in which flat checkers lie in a row as long as the tray before a second layer
begins; they may be five or six there."""
NARROWEST: Final = 0.05
"""Field widths beside the field from which the board has a tray there."""
NOTHING: Final = 0.25
"""Share of the trays' halves that stay empty where all are filled."""
IN_BRICKS: Final = 0.12
"""Share of the heaps there whose second layer lies over the gaps of the first."""


@dataclass(frozen=True, slots=True)
class TrayLayout:
    """How somebody lays checkers into a tray."""

    on_edge: bool
    tidy: bool
    wide: float
    """From one flat checker to the next, field widths."""
    row: int
    """Flat ones of a layer."""
    in_bricks: bool = False
    loose: float = 0.0
    """By which each lies otherwise than it was meant to, radii."""


def place_borne_off(
    placer: CheckerPlacer, points: list[int], bar: tuple[int, int], box: Box
) -> list[Off]:
    """What a position's sides have borne off, each in a tray or beside the board: those in one."""
    put: list[Off] = []
    rng, checkers, aspect = placer.rng, placer.checkers, placer.checkers.aspect
    trays = trays_of(box)
    laying = _some_laying(placer)
    for side, sign in enumerate((1, -1)):
        count = 15 - bar[side] - sum(abs(c) for c in points if c * sign > 0)
        if rng.random() < 0.15:
            count = 0  # taken away
        if not trays:
            for _ in range(min(count, 6)):
                x, y = (
                    rng.uniform(-0.3, 1.3),
                    rng.choice([-0.2, aspect + 0.2]) + rng.normal(0, 0.03),
                )
                placer.put(x, y, -0.03 + checkers.thick / 2, side)
            continue
        middle = trays[rng.integers(len(trays))]
        put += _laid(placer, laying, (middle, side), side, count)
    return put


def fill_trays(placer: CheckerPlacer, box: Box) -> list[Off]:
    """Any number of either side in each half of each tray: no game, but much to learn from."""
    put: list[Off] = []
    rng = placer.rng
    for middle in trays_of(box):
        for end in (0, 1):
            laying = replace(_some_laying(placer), in_bricks=rng.random() < IN_BRICKS,
                             loose=rng.choice([0.01, 0.04, 0.1]))  # fmt: skip
            if rng.random() > NOTHING:
                side, count = int(rng.integers(2)), int(rng.integers(1, 16))
                put += _laid(placer, laying, (middle, end), side, count)
    return put


def trays_of(box: Box) -> list[float]:
    """World x of the middles of the trays of a board whose inside has these bounds."""
    sides = [(0.0, box[0])] if box[0] < -NARROWEST else []
    sides += [(1.0, box[2])] if box[2] > 1 + NARROWEST else []
    return [(edge + end) / 2 + float(np.sign(end - edge)) * 0.01 for edge, end in sides]


def _some_laying(placer: CheckerPlacer) -> TrayLayout:
    rng, checkers = placer.rng, placer.checkers
    on_edge, tidy = rng.random() < 0.5, rng.random() < 0.6
    wide = checkers.radius * (2.02 if rng.random() < 0.5 else rng.uniform(2.0, 2.3))
    fitting = max(3, int((checkers.aspect / 2 - 0.02) / wide))
    row = fitting if rng.random() < IN_FULL_ROWS else int(rng.integers(3, fitting + 1))
    return TrayLayout(on_edge, tidy, wide, row)


def _laid(
    placer: CheckerPlacer, laying: TrayLayout, tray: tuple[float, int], side: int, count: int
) -> list[Off]:
    """So many of a side in a tray: world x of its middle, and whether at its far end."""
    rng, checkers, aspect = placer.rng, placer.checkers, placer.checkers.aspect
    middle, far = tray
    start = 0.0 if laying.tidy else rng.uniform(0, 0.1)
    if rng.random() < 0.15:  # from the middle of the board towards its rail
        start = aspect / 2 - 0.02 - count * checkers.thick * 1.03
    put = []
    for k in range(count):
        x, turn = middle, None
        if laying.on_edge:
            lean = 0.0 if laying.tidy else float(rng.normal(0, 0.12))
            turn = rotation(np.pi / 2 + lean, 0, 0)
            step, z = (
                max(start, 0.0) + (k + 0.6) * checkers.thick * (1.03 + abs(lean)),
                checkers.radius,
            )
        else:
            layer, slot = _place(laying, k)
            start_here = 0.0 if laying.tidy else min(start, 0.08)
            step = start_here + checkers.radius * 1.05 + laying.wide * slot
            z = (layer + 0.5) * checkers.thick
            if not laying.tidy:
                x += float(rng.normal(0, 0.15)) * checkers.radius
            x, step = _loosely(rng, laying, x, step, checkers.radius)
        y = aspect - step if far else step
        placer.put(x, y, z, side, turn)
        put.append((x, y, side))
    return put


def _place(laying: TrayLayout, number: int) -> tuple[int, float]:
    """Layer and slot of a flat checker; in bricks every second layer has one fewer."""
    if not laying.in_bricks:
        layer, slot = divmod(number, laying.row)
        return layer, slot
    pair, slot = divmod(number, 2 * laying.row - 1)
    if slot < laying.row:
        return 2 * pair, slot
    return 2 * pair + 1, slot - laying.row + 0.5


def _loosely(
    rng: Rng, laying: TrayLayout, x: float, step: float, radius: float
) -> tuple[float, float]:
    if not laying.loose:
        return x, step
    away = rng.normal(0, laying.loose, 2).clip(-0.25, 0.25) * radius
    return x + float(away[0]), step + abs(float(away[1]))
