"""What the page of dice needs to know: the `DiceBook` that it reads, and what that tells."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Protocol

from engine.dice_sets.edits import DiceEdit
from engine.fairness import Findings, LiveFinding
from engine.message import Sentence

ALL: Final = "All matches of the record"


@dataclass(frozen=True, slots=True)
class LiveDice:
    """The dice of the match that is being played."""

    match: int
    players: tuple[str, str]
    """Light and dark."""
    dice: tuple[tuple[LiveFinding, float], ...]
    """Each die with the evidence of all matches, and the log e-value of this match alone."""

    @property
    def title(self) -> str:
        """Who plays, in English."""
        return " and ".join(self.players)


@dataclass(frozen=True, slots=True)
class DiceReport:
    """What the dice of a record tell."""

    version: str
    """Another with every die and every match that ends."""
    players: tuple[str, str] | None
    """Light and dark of the one match that this is of; None: of all of the record."""
    ended: Findings | None
    """Of matches that are over; None while there are no rolls."""
    playing: tuple[LiveDice, ...] = ()
    """Matches that are being played: what may be told of them at any time."""

    @property
    def title(self) -> str:
        """Which matches, in English."""
        return ALL if self.players is None else " and ".join(self.players)


class DiceBook(Protocol):
    """The dice of a record."""

    def version(self) -> str:
        """What `report` would have, for less work."""

    def report(self, match: int | None = None) -> DiceReport:
        """Of all matches or of one; `webui.contracts.archive.NotInRecord` if there is none."""

    def edit_names(self, word: DiceEdit) -> None:
        """The word is in the record; `NotNow` if it cannot be said, `ArchiveError` if not kept."""

    def last_edit(self) -> Sentence:
        """The newest word that holds; empty where none was said."""

    def rolls_csv(self, *, with_open: bool) -> Iterable[str]:
        """Every die as lines of CSV; `with_open`: of matches in play too."""
