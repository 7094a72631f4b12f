"""Draws what was seen over the picture in which it was seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from calibration.grid import CHECKER_THICKNESS, Grid
from calibration.known_position import USUAL_DIAMETER
from engine import DieSeen, Surface
from engine.arrays import Floats, Image
from engine.evidence.observation import DARK_BAR, LIGHT_BAR
from engine.position import CHECKERS
from vision.checkers.disc_model import DiscCounts
from vision.reading.reader import Reading

BgrColour = tuple[int, int, int]

LABEL_INK: Final[BgrColour] = (28, 24, 22)
LABEL_PAPER: Final[BgrColour] = (244, 248, 250)
LIGHT_COLOUR: Final[BgrColour] = (255, 214, 92)
"""In BGR order: a sky blue that no set has."""
DARK_COLOUR: Final[BgrColour] = (
    60,
    150,
    255,
)
"""An orange that stands out on both black and brown."""
CONFIDENT_COLOUR: Final[BgrColour] = (120, 205, 90)
UNCERTAIN_COLOUR: Final[BgrColour] = (40, 190, 250)
DOUBTFUL_COLOUR: Final[BgrColour] = (70, 70, 235)
CONFIDENT_FROM, UNCERTAIN_FROM = 0.99, 0.8
COUNT_OFFSET: Final = 0.045
"""Field heights beyond the rail at which a point's count is written."""
CIRCLE_CORNERS: Final = 32
"""Corners of the polygon that approximates a circle."""
LABEL_FONT: Final = cv2.FONT_HERSHEY_DUPLEX
FRACTION_BITS: Final = 4
"""Fraction bits of pixel coordinates with which OpenCV draws."""


def draw_overlay(image: Image, reading: Reading, *, is_open: bool = True) -> Image:
    """A copy of (H, W, 3) `image` with the field, counts, checkers and dice drawn on it.

    With a hand over the board (not `is_open`) the reading is of a moment ago: only the field.
    """
    if not is_open:
        return draw_board(image, reading.grid)
    return draw_board(image, reading.grid, reading.counted, reading.observation.dice)


def draw_board(
    image: Image, grid: Grid, counted: DiscCounts | None = None, dice: Sequence[DieSeen] = ()
) -> Image:
    """A copy of (H, W, 3) `image` with the field drawn on it, and the rest as far as known.

    Nothing is drawn if the grid is for pictures of another size.
    """
    if not grid.pose.fits(image):
        return image.copy()
    canvas = _Canvas(image.copy())
    draw_field(canvas, grid)
    if counted is not None:
        draw_checkers(canvas, grid, counted)
        draw_counts(canvas, grid, counted)
    draw_dice(canvas, grid, dice)
    return canvas.image


@dataclass(frozen=True, slots=True, eq=False)
class _Canvas:
    """A picture and the thickness of its lines."""

    image: Image

    @property
    def unit(self) -> float:
        """1 in a 720p picture."""
        return float(self.image.shape[1]) / 1280

    def outline(
        self, pixels: Floats, colour: BgrColour, width: float, halo: BgrColour = LABEL_INK
    ) -> None:
        """Draw a closed line with a halo, so that it is visible on any background."""
        corners = [np.rint(pixels * (1 << FRACTION_BITS)).astype(np.int32)]
        for ink, wide in ((halo, width + 1.6), (colour, width)):
            thick = max(1, round(wide * self.unit))
            cv2.polylines(self.image, corners, True, ink, thick, cv2.LINE_AA, FRACTION_BITS)

    def chip(
        self,
        center: Floats,
        text: str,
        fill: BgrColour,
        ink: BgrColour,
        rim: BgrColour,
        size: float = 13,
    ) -> None:
        """Draw a disc with a word in its middle."""
        x, y = (round(float(part) * (1 << FRACTION_BITS)) for part in center)
        for radius, colour in ((size + 2.5, rim), (size, fill)):
            around = round(radius * self.unit * (1 << FRACTION_BITS))
            cv2.circle(self.image, (x, y), around, colour, -1, cv2.LINE_AA, FRACTION_BITS)
        self.write(center, text, ink, 0.042 * size)

    def note(self, center: Floats, below: float, text: str) -> None:
        """Draw a small word with a halo below a pixel, or above it at the picture's lower edge."""
        reach = below * self.unit
        is_inside = center[1] + 1.3 * reach < self.image.shape[0]
        place = center + np.array([0, reach if is_inside else -reach])
        self.write(place, text, LABEL_INK, 0.42, thick=4)
        self.write(place, text, LABEL_PAPER, 0.42)

    def write(
        self, center: Floats, text: str, ink: BgrColour, scale: float, thick: float = 1.2
    ) -> None:
        """Draw a word centered on a pixel."""
        scale *= self.unit
        thick = max(1, round(thick * self.unit))
        (width, height), _ = cv2.getTextSize(text, LABEL_FONT, scale, 1)
        origin = (round(float(center[0]) - width / 2), round(float(center[1]) + height / 2))
        cv2.putText(self.image, text, origin, LABEL_FONT, scale, ink, thick, cv2.LINE_AA)


def draw_field(canvas: _Canvas, grid: Grid) -> None:
    """Draw the outlines of the playing field and the bar."""
    side = np.linspace(0, 1, 24, endpoint=False)
    zero, one = np.zeros_like(side), np.ones_like(side)
    border = np.concatenate([
        np.column_stack(edge)
        for edge in ((side, zero), (one, side), (1 - side, one), (zero, 1 - side))
    ])  # fmt: skip
    canvas.outline(grid.pose.project(border), LABEL_PAPER, 1.8)
    half = grid.layout.bar / 2
    bar = np.array([(0.5 - half, 0), (0.5 + half, 0), (0.5 + half, 1), (0.5 - half, 1)])
    canvas.outline(grid.pose.project(bar), LABEL_PAPER, 1.0)


def draw_checkers(canvas: _Canvas, grid: Grid, counted: DiscCounts) -> None:
    """Draw a ring on every visible checker."""
    for cell, count in enumerate(counted.most_likely[:26]):
        colour = LIGHT_COLOUR if count > 0 else DARK_COLOUR
        for center in counted.centers(cell, int(count)):
            canvas.outline(_circle(grid, center), colour, 1.6)


def _circle(grid: Grid, center: Floats) -> Floats:
    """(CIRCLE_CORNERS, 2) pixels of a checker's upper edge around a rectified pixel."""
    turn = np.linspace(0, 2 * np.pi, CIRCLE_CORNERS, endpoint=False)
    rim = center + USUAL_DIAMETER / 2 * np.column_stack([np.cos(turn), np.sin(turn)])
    return grid.pose.project(grid.to_field(rim), grid.height)


def draw_counts(canvas: _Canvas, grid: Grid, counted: DiscCounts) -> None:
    """Write the count beside each point and on the bar, in a ring that shows its confidence."""
    read = (counted.most_likely + CHECKERS)[:, None]
    sure = np.take_along_axis(counted.chances, read, axis=1)[:, 0]
    for cell, count in enumerate(counted.most_likely[:26]):
        if count or (cell < 24 and sure[cell] < CONFIDENT_FROM):
            _draw_count(canvas, count_position(grid, cell), int(count), float(sure[cell]))


def _draw_count(canvas: _Canvas, center: Floats, count: int, sure: float) -> None:
    rim = (
        CONFIDENT_COLOUR
        if sure >= CONFIDENT_FROM
        else UNCERTAIN_COLOUR
        if sure >= UNCERTAIN_FROM
        else DOUBTFUL_COLOUR
    )
    fill, ink = (
        (LABEL_PAPER, LABEL_INK)
        if count > 0
        else (LABEL_INK, LABEL_PAPER)
        if count
        else ((90, 90, 90), LABEL_PAPER)
    )
    canvas.chip(center, str(abs(count)), fill, ink, rim)
    if sure < CONFIDENT_FROM:
        canvas.note(center, 24, f"{sure:.0%}")


def count_position(grid: Grid, cell: int) -> Floats:
    """(2,) the pixel beside a point's wide end, or on the bar, where its count is written."""
    if cell in (LIGHT_BAR, DARK_BAR):
        place = (0.5, 0.42 if cell == LIGHT_BAR else 0.58)
    else:
        x, rail = grid.layout.base(cell + 1)
        place = (x, rail - COUNT_OFFSET if rail == 0 else rail + COUNT_OFFSET)
    return np.asarray(grid.pose.project(np.array([place]), CHECKER_THICKNESS)[0])


def draw_dice(canvas: _Canvas, grid: Grid, dice: Sequence[DieSeen]) -> None:
    """Draw a frame and the value at each die, in red if the die is not flat on the board."""
    half = 0.36 * grid.layout.point_width
    for die in dice:
        lies_well = die.flat >= 0.5 and die.surface is Surface.BOARD
        colour = CONFIDENT_COLOUR if lies_well else DOUBTFUL_COLOUR
        tall = half / grid.pose.aspect
        corners = np.array([(-half, -tall), (half, -tall), (half, tall), (-half, tall)])
        corners += np.array(die.board)
        pixels = grid.pose.project(corners, CHECKER_THICKNESS)
        pixels += np.array(die.center) - pixels.mean(axis=0)
        canvas.outline(pixels, colour, 2.0)
        text = str(die.value) if die.confidence >= 0.5 else "?"
        beside = np.array(die.center) + np.array([0, -30 * canvas.unit])
        canvas.chip(beside, text, LABEL_INK, LABEL_PAPER, colour, 12)
