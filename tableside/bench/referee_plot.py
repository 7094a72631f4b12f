"""The accuracy curve as a plot: shares of wrong and flagged turns against the error rate."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from engine.arrays import Image

Colour = tuple[int, int, int]

NAMES: Final = ("wrong", "flagged for review", "wrong and not flagged")
COLOURS: Final[tuple[Colour, ...]] = ((190, 110, 30), (150, 140, 130), (40, 40, 200))  # blue first
PAPER: Final[Colour] = (255, 255, 255)
INK: Final[Colour] = (40, 36, 34)
GRID: Final[Colour] = (226, 222, 220)
WIDTH, HEIGHT = 640, 460
"""Pixels of the plotting area."""
LEFT, TOP, RIGHT, BELOW = 100, 70, 40, 70
X_DECADES: Final = (-3.2, -1.3)
"""Decades of the x axis: error rates of 0.06 % to 5 %."""
Y_DECADES: Final = (-5.0, 0.0)
"""Decades of the y axis; a share of 0 is drawn at the bottom, with its bound above it."""
FONT: Final = cv2.FONT_HERSHEY_SIMPLEX


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """One run of the curve."""

    sight: float
    """Fraction of cells that are misread."""
    shares: tuple[tuple[float, float], ...]
    """For each of `NAMES`: the share of turns, and its upper bound."""


def draw_curve(points: Sequence[CurvePoint]) -> bytes:
    """A PNG with a line for each of `NAMES`, on logarithmic axes; bounds are vertical strokes."""
    picture = np.full((TOP + HEIGHT + BELOW, LEFT + WIDTH + RIGHT, 3), PAPER, np.uint8)
    _draw_axes(picture)
    for index, colour in enumerate(COLOURS):
        dots = []
        for point in points:
            share, bound = point.shares[index]
            dots.append(_at(point.sight, share))
            cv2.line(picture, dots[-1], _at(point.sight, bound), colour, 1, cv2.LINE_AA)
            cv2.circle(picture, dots[-1], 5, colour, -1, cv2.LINE_AA)
        cv2.polylines(picture, [np.array(dots, np.int32)], False, colour, 2, cv2.LINE_AA)
        _write(picture, NAMES[index], (LEFT + 220 * index, TOP - 30), colour)
    return bytes(cv2.imencode(".png", picture)[1])


def _draw_axes(picture: Image) -> None:
    for decade in range(round(Y_DECADES[0]), round(Y_DECADES[1]) + 1):
        share = 10.0**decade
        cv2.line(picture, _at(10 ** X_DECADES[0], share), _at(10 ** X_DECADES[1], share), GRID, 1)
        _write(picture, f"{100 * share:g} %", (12, _at(0.01, share)[1] + 5), INK)
    for sight in (0.001, 0.003, 0.01, 0.03):
        cv2.line(picture, _at(sight, 10 ** Y_DECADES[0]), _at(sight, 1), GRID, 1)
        _write(picture, f"{100 * sight:g} %", (_at(sight, 1)[0] - 20, TOP + HEIGHT + 22), INK)
    _write(picture, "share of turns, by places misread", (LEFT + 180, TOP + HEIGHT + 52), INK)


def _at(sight: float, share: float) -> tuple[int, int]:
    x = (math.log10(sight) - X_DECADES[0]) / (X_DECADES[1] - X_DECADES[0])
    y = (max(math.log10(max(share, 1e-12)), Y_DECADES[0]) - Y_DECADES[0]) / (
        Y_DECADES[1] - Y_DECADES[0]
    )
    return LEFT + round(WIDTH * x), TOP + round(HEIGHT * (1 - y))


def _write(picture: Image, text: str, place: tuple[int, int], colour: Colour) -> None:
    cv2.putText(picture, text, place, FONT, 0.5, colour, 1, cv2.LINE_AA)
