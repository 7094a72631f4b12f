"""Borne-off checkers: flat or on edge in the trays, or beside the board."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from vision.training.render.raycast import Bounds
from vision.training.scenes.builder import rotation
from vision.training.scenes.checkers import CheckerPlacer

BorneOff = tuple[float, float, int]
"""World x, y and side of a checker in a tray."""

FULL_ROW_SHARE: Final = 0.6
"""Fraction of trays in which flat checkers fill a row as long as the tray before a second layer."""
MIN_TRAY_WIDTH: Final = 0.05
"""In field widths."""
EMPTY_SHARE: Final = 0.25
"""Fraction of empty tray halves when all trays are filled."""
BRICKS_SHARE: Final = 0.12
"""Fraction of heaps in which the second layer lies over the gaps of the first."""


@dataclass(frozen=True, slots=True)
class TrayLayout:
    """How a player puts checkers into a tray."""

    on_edge: bool
    is_tidy: bool
    pitch: float
    """Distance between adjacent flat checkers, in field widths."""
    row: int
    """Number of flat checkers per layer."""
    in_bricks: bool = False
    offset_sigma: float = 0.0
    """Standard deviation of each one's offset from its place, in radii."""


def place_borne_off(
    placer: CheckerPlacer, points: list[int], bar: tuple[int, int], bounds: Bounds
) -> list[BorneOff]:
    """Add a position's borne-off checkers, in trays or beside the board; return those in trays."""
    placed: list[BorneOff] = []
    rng, checkers, aspect = placer.rng, placer.checkers, placer.checkers.aspect
    trays = trays_of(bounds)
    laying = _random_layout(placer)
    for side, sign in enumerate((1, -1)):
        count = 15 - bar[side] - sum(abs(c) for c in points if c * sign > 0)
        if rng.random() < 0.15:
            count = 0  # taken away
        if not trays:
            for _ in range(min(count, 6)):
                x = rng.uniform(-0.3, 1.3)
                y = rng.choice([-0.2, aspect + 0.2]) + rng.normal(0, 0.03)
                placer.put(x, y, -0.03 + checkers.thick / 2, side)
            continue
        middle = trays[rng.integers(len(trays))]
        placed += _put_in_tray(placer, laying, (middle, side), side, count)
    return placed


def fill_trays(placer: CheckerPlacer, bounds: Bounds) -> list[BorneOff]:
    """Add any number of either side to each half of each tray, regardless of the position."""
    placed: list[BorneOff] = []
    rng = placer.rng
    for middle in trays_of(bounds):
        for end in (0, 1):
            laying = replace(_random_layout(placer), in_bricks=rng.random() < BRICKS_SHARE,
                             offset_sigma=rng.choice([0.01, 0.04, 0.1]))  # fmt: skip
            if rng.random() > EMPTY_SHARE:
                side, count = int(rng.integers(2)), int(rng.integers(1, 16))
                placed += _put_in_tray(placer, laying, (middle, end), side, count)
    return placed


def trays_of(bounds: Bounds) -> list[float]:
    """World x of the center lines of a board's trays, given the bounds of its inside."""
    sides = [(0.0, bounds[0])] if bounds[0] < -MIN_TRAY_WIDTH else []
    sides += [(1.0, bounds[2])] if bounds[2] > 1 + MIN_TRAY_WIDTH else []
    return [(edge + end) / 2 + float(np.sign(end - edge)) * 0.01 for edge, end in sides]


def _random_layout(placer: CheckerPlacer) -> TrayLayout:
    rng, checkers = placer.rng, placer.checkers
    on_edge, is_tidy = rng.random() < 0.5, rng.random() < 0.6
    pitch = checkers.radius * (2.02 if rng.random() < 0.5 else rng.uniform(2.0, 2.3))
    full_row = max(3, int((checkers.aspect / 2 - 0.02) / pitch))
    row = full_row if rng.random() < FULL_ROW_SHARE else int(rng.integers(3, full_row + 1))
    return TrayLayout(on_edge, is_tidy, pitch, row)


def _put_in_tray(
    placer: CheckerPlacer, laying: TrayLayout, tray: tuple[float, int], side: int, count: int
) -> list[BorneOff]:
    """Add `count` checkers to a tray, given as the world x of its center line and the end."""
    rng, checkers, aspect = placer.rng, placer.checkers, placer.checkers.aspect
    middle, far = tray
    start = 0.0 if laying.is_tidy else rng.uniform(0, 0.1)
    if rng.random() < 0.15:  # from the middle of the board toward its rail
        start = aspect / 2 - 0.02 - count * checkers.thick * 1.03
    placed = []
    for number in range(count):
        x, turn = middle, None
        if laying.on_edge:
            lean = 0.0 if laying.is_tidy else float(rng.normal(0, 0.12))
            turn = rotation(np.pi / 2 + lean, 0, 0)
            along = max(start, 0.0) + (number + 0.6) * checkers.thick * (1.03 + abs(lean))
            z = checkers.radius
        else:
            layer, slot = _layer_and_slot(laying, number)
            first = 0.0 if laying.is_tidy else min(start, 0.08)
            along = first + checkers.radius * 1.05 + laying.pitch * slot
            z = (layer + 0.5) * checkers.thick
            if not laying.is_tidy:
                x += float(rng.normal(0, 0.15)) * checkers.radius
            if laying.offset_sigma:
                dx, dy = rng.normal(0, laying.offset_sigma, 2).clip(-0.25, 0.25) * checkers.radius
                x, along = x + float(dx), along + abs(float(dy))
        y = aspect - along if far else along
        placer.put(x, y, z, side, turn)
        placed.append((x, y, side))
    return placed


def _layer_and_slot(laying: TrayLayout, number: int) -> tuple[int, float]:
    """Layer and slot of a flat checker; in bricks, every second layer has one fewer."""
    if not laying.in_bricks:
        layer, slot = divmod(number, laying.row)
        return layer, slot
    pair, slot = divmod(number, 2 * laying.row - 1)
    if slot < laying.row:
        return 2 * pair, slot
    return 2 * pair + 1, slot - laying.row + 0.5
