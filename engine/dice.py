"""Two dice: `Roll`, and the 21 rolls with their weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from engine.errors import InvalidRoll
from engine.message import msg


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


ALL_ROLLS: Final = tuple(Roll(high, low) for high in range(1, 7) for low in range(1, high + 1))
