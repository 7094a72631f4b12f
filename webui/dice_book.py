"""What the page of dice needs to know: the `DiceBook` that it reads, and what that tells."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from engine.fairness import Findings, Watched


@dataclass(frozen=True, slots=True)
class Playing:
    """The dice of the match that is being played."""

    match: int
    title: str
    dice: tuple[tuple[Watched, float], ...]
    """Each die with the evidence of all matches, and the log e-value of this match alone."""


@dataclass(frozen=True, slots=True)
class DiceTold:
    """What the dice of a record tell."""

    version: str
    """Another with every die and every match that ends."""
    title: str
    """Which matches."""
    ended: Findings | None
    """Of matches that are over; None while there are no rolls."""
    playing: tuple[Playing, ...] = ()
    """Matches that are being played: what may be told of them at any time."""


class DiceBook(Protocol):
    """The dice of a record."""

    def version(self) -> str:
        """What `told` would have, for less work."""

    def told(self, match: int | None = None) -> DiceTold:
        """Of all matches or of one; `webui.archive.NoSuch` if there is none."""

    def table(self) -> Iterable[str]:
        """Every die as lines of CSV."""
