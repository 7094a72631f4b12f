"""The orientation of a board: one seen without its history may be numbered in four ways."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from engine.arrays import Ints
from engine.evidence.observation import CELLS, CubeSeen, DieSeen, Observation

_TURNED: Final = np.concatenate([np.roll(np.arange(24), 12), np.arange(24, CELLS)])
_MIRRORED: Final = np.concatenate([np.arange(24).reshape(2, 12)[:, ::-1].ravel(), range(24, CELLS)])


@dataclass(frozen=True, slots=True)
class Orientation:
    """How the true numbering of the points differs from an assumed one."""

    is_turned: bool = False
    """By a half turn: light sits on the other side of the board."""
    is_mirrored: bool = False
    """Left and right: the homes are on the other side."""

    def cells(self, assumed: Ints) -> Ints:
        """(28,) cells by the true numbering; its own inverse."""
        return np.asarray(assumed)[self._order]

    def observation(self, assumed: Observation) -> Observation:
        """The observation by the true numbering of points, sides of the board and places."""
        cube = assumed.cube
        return replace(
            assumed,
            counts=assumed.counts[self._order],
            change=assumed.change[self._order],
            dice=tuple(self._die(die) for die in assumed.dice),
            cube=_across(cube) if cube is not None and self.is_turned else cube,
        )

    @property
    def _order(self) -> Ints:
        order = _TURNED if self.is_turned else np.arange(CELLS)
        return order[_MIRRORED] if self.is_mirrored else order

    def _die(self, die: DieSeen) -> DieSeen:
        x, y = die.board
        if self.is_turned:
            x, y = 1 - x, 1 - y
        return replace(die, board=(1 - x if self.is_mirrored else x, y))


ORIENTATIONS: Final = tuple(
    Orientation(is_turned, is_mirrored)
    for is_turned in (False, True)
    for is_mirrored in (False, True)
)


def _across(cube: CubeSeen) -> CubeSeen:
    centre, light, dark, offered = cube.places
    return replace(cube, places=(centre, dark, light, offered))
