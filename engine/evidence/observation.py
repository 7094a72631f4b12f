"""What was seen, as log-likelihoods: the interface between vision and inference.

A reader of any kind (classical, trained, simulated) returns an `Observation`; nothing above it
knows pixels, and nothing below it takes an argmax.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

import numpy as np

from engine.arrays import Floats32, Ints
from engine.position import BAR, CHECKERS, OFF, Position, Side

CELLS: Final = 28
"""Rows of `Observation.counts`: light's points 1..24, light's bar, dark's bar, light's off,
dark's off."""
COUNTS: Final = 2 * CHECKERS + 1
"""Columns of `Observation.counts`: signed count -15 (dark) .. 0 .. +15 (light)."""
FIRST_LAYER: Final = 5
"""Checkers side by side on a point; the next one usually lies on another, and hides it."""
LIGHT_BAR: Final = 24
DARK_BAR: Final = 25
LIGHT_OFF: Final = 26
DARK_OFF: Final = 27
MAY_HOLD: Final = {side: np.ones(CELLS, np.bool_) for side in Side}
"""(28,) the cells that may hold checkers of each side."""
MAY_HOLD[Side.LIGHT][[DARK_BAR, DARK_OFF]] = MAY_HOLD[Side.DARK][[LIGHT_BAR, LIGHT_OFF]] = False


class Surface(Enum):
    """What a die rests on; one that leans on something still rests on the board."""

    BOARD = "board"
    CHECKER = "checker"
    BAR = "bar"
    FRAME = "frame"
    TABLE = "table"


Colour = tuple[float, float, float]
"""CIE L 0..100, a, b (D65); a difference of about 2.3 units is just noticeable."""


@dataclass(frozen=True, slots=True)
class DieAppearance:
    """What a die looks like however it fell, in the light in which its board was learned."""

    body: Colour
    pips: Colour
    size: float = field(metadata={"json": "side"})
    """Length of an edge in field widths."""


@dataclass(frozen=True, slots=True)
class DieSeen:
    """One die in one picture."""

    faces: tuple[float, ...]
    """Six probabilities of the value 1..6; they sum to 1."""
    center: tuple[float, float]
    """Image pixels (x, y)."""
    board: tuple[float, float]
    """Board coordinates: (0, 0) .. (1, 1) over the playing field, see calibration/layout.py."""
    flat: float = 1.0
    """Probability that it lies flat."""
    surface: Surface = Surface.BOARD
    side: Side | None = None
    """Whose die it looks like, if the colors tell."""
    appearance: DieAppearance | None = None
    """None if its colors could not be measured."""

    @property
    def value(self) -> int:
        """The most probable face, 1..6."""
        return int(np.argmax(self.faces)) + 1

    @property
    def confidence(self) -> float:
        """The probability of `value`."""
        return max(self.faces)


def median_appearance(seen: Sequence[DieAppearance]) -> DieAppearance | None:
    """The median appearance of one die, or of dice of one kind; None if there are none."""
    if not seen:
        return None
    values = np.median([(*one.body, *one.pips, one.size) for one in seen], axis=0).tolist()
    return DieAppearance(tuple(values[:3]), tuple(values[3:6]), values[6])


CUBE_VALUES: Final = (1, 2, 4, 8, 16, 32, 64)
"""The game's values as faces of a cube; higher values exist, but no face shows them."""


class CubePlace(Enum):
    """Where the doubling cube is."""

    CENTRE = "centre"
    LIGHT = "light"
    DARK = "dark"
    OFFERED = "offered"
    """On the field, between the players: it awaits an answer."""


@dataclass(frozen=True, slots=True)
class CubeSeen:
    """The doubling cube in one picture."""

    values: tuple[float, ...]
    """Seven probabilities, in `CUBE_VALUES` order; a centered cube that shows 64 stands for 1."""
    places: tuple[float, ...]
    """Four probabilities, in `CubePlace` order."""


@dataclass(frozen=True, slots=True, eq=False)
class Observation:
    """One observation of a board at rest."""

    counts: Floats32
    """(28, 31) log-likelihoods, see CELLS and COUNTS; a flat row means that the cell was not
    seen."""
    dice: tuple[DieSeen, ...] = ()
    seconds: float = 0.0
    """When it was seen, in seconds of its source."""
    frame: int = 0
    """The index of its picture in the source."""
    quality: float = 1.0
    """From 0, nothing could be seen, to 1, an open view."""
    change: Floats32 = field(default_factory=lambda: np.zeros(CELLS, np.float32))
    """(28,) log-likelihood ratio that a cell changed since the last settled picture; 0 = unknown.

    This is a second kind of evidence: it compares pictures, whereas `counts` reads one.
    """
    reference_frame: int | None = None
    """The frame of that picture; None if it shows the position before the turn."""
    cube: CubeSeen | None = None
    """None if no cube was seen, which says nothing about where it is."""


def cell_counts(position: Position) -> Ints:
    """(28,) signed counts of `position` in the order of `CELLS`."""
    counts = np.zeros(CELLS, np.int64)
    counts[:24] = position.signed()
    counts[LIGHT_BAR] = position.light[BAR]
    counts[DARK_BAR] = -position.dark[BAR]
    counts[LIGHT_OFF] = position.light[OFF]
    counts[DARK_OFF] = -position.dark[OFF]
    return counts
