"""What looks like a die and lies there while throw after throw comes and goes: no die.

Spots of a patterned felt, an inlay or a spare die pass for a die that was thrown, which makes void
throws of good ones. No die in use outlasts two whole throws of others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import dist
from typing import Final

from engine.evidence.observation import DieSeen

SAME_PLACE: Final = 0.008
"""Distance in field widths up to which something lies where it lay: a quarter of a die."""
GONE_SECONDS: Final = 8.0
"""How long something is not seen until it is gone: a weak likeness is not seen in every picture."""
MIN_OUTLASTED: Final = 4
"""Dice that came and went meanwhile, from which something is none itself."""


@dataclass(slots=True)
class _Lying:
    """Something that was read as a die, where it lies."""

    place: tuple[float, float]
    since: float
    """When it was first seen, in seconds of the source."""
    newest: float
    outlasted: int = 0
    """How many others came later and went earlier."""


class Lookalikes:
    """Tells dice from what only looks like one, over successive pictures."""

    def __init__(self) -> None:
        self._lying: list[_Lying] = []

    def note(self, dice: Sequence[DieSeen], seconds: float) -> None:
        """Note all that was read as dice in a picture."""
        for one in dice:
            known = self._lying_at(one.board)
            if known is None:
                self._lying.append(_Lying(one.board, seconds, seconds))
            else:
                known.newest = seconds
        gone = [one for one in self._lying if seconds - one.newest > GONE_SECONDS]
        self._lying = [one for one in self._lying if one not in gone]
        for lying in self._lying:
            lying.outlasted += sum(
                lying.since < other.since and other.newest < lying.newest for other in gone
            )

    def without(self, dice: Sequence[DieSeen]) -> tuple[DieSeen, ...]:
        """The dice, without what is none."""
        return tuple(one for one in dice if not self._is_lookalike(one))

    def _is_lookalike(self, one: DieSeen) -> bool:
        known = self._lying_at(one.board)
        return known is not None and known.outlasted >= MIN_OUTLASTED

    def _lying_at(self, place: tuple[float, float]) -> _Lying | None:
        near = (one for one in self._lying if dist(one.place, place) < SAME_PLACE)
        return next(near, None)
