"""Two dice: `Roll`, and the 21 rolls with their weights."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

import numpy as np

from engine.arrays import Rng
from engine.errors import InvalidRoll
from engine.message import msg

_TWO_DICE: Final = re.compile(r"([1-6])[ -]?([1-6])")


@dataclass(frozen=True, slots=True)
class Roll:
    """Two dice 1..6, the larger first whatever order they are given in."""

    high: int
    low: int

    def __post_init__(self) -> None:
        for pips in (self.high, self.low):
            if isinstance(pips, bool) or not isinstance(pips, int) or not 1 <= pips <= 6:
                raise InvalidRoll(msg("a die shows 1 to 6, not {pips}", pips=repr(pips)))
        if self.high < self.low:
            high = self.low
            object.__setattr__(self, "low", self.high)
            object.__setattr__(self, "high", high)

    @classmethod
    def parse(cls, text: str) -> Roll:
        """Read "31", "3-1" or "3 1"; raises `InvalidRoll`."""
        return cls(*parse_dice(text))

    @classmethod
    def random(cls, rng: Rng | None = None) -> Roll:
        """Two fair dice; `rng`: the source of chance, by default a new one."""
        return cls(*random_dice(rng))

    @property
    def is_double(self) -> bool:
        """Whether both dice show the same."""
        return self.high == self.low

    @property
    def weight(self) -> float:
        """The probability of the roll with fair dice: 1/36 or 2/36."""
        return (1 if self.is_double else 2) / 36

    @property
    def pips(self) -> tuple[int, ...]:
        """The numbers to play: two, or four for a double."""
        return (self.high,) * 4 if self.is_double else (self.high, self.low)

    def __str__(self) -> str:
        return f"{self.high}{self.low}"


def parse_dice(text: object) -> tuple[int, int]:
    """Two dice in the order given: "31", "3-1" or "3 1"; raises `InvalidRoll`."""
    found = _TWO_DICE.fullmatch(text.strip()) if isinstance(text, str) else None
    if found is None:
        raise InvalidRoll(f"a roll is two dice, such as 31, not {text!r}")
    return int(found[1]), int(found[2])


def as_dice(given: object) -> tuple[int, int]:
    """Two dice from a `Roll`, a text or a pair of numbers, in the order given.

    Raises `InvalidRoll`.
    """
    if isinstance(given, Roll):
        return given.high, given.low
    if isinstance(given, tuple | list) and len(given) == 2:
        Roll(*given)  # checks both numbers
        return given[0], given[1]
    return parse_dice(given)


def random_dice(rng: Rng | None = None) -> tuple[int, int]:
    """Two fair dice, in the order rolled."""
    first, second = (rng or np.random.default_rng()).integers(1, 7, 2).tolist()
    return first, second


ALL_ROLLS: Final = tuple(Roll(high, low) for high in range(1, 7) for low in range(1, high + 1))
