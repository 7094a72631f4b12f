"""What the dice page needs: the `DiceBook` that it reads, and its reports."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Protocol

from engine.dice_sets.edits import DiceEdit
from engine.fairness.findings import Findings, LiveFinding
from engine.message import Sentence

ALL: Final = "All recorded matches"


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
    """The statistics of the dice of a record."""

    version: str
    """Another with every die and every match that ends."""
    players: tuple[str, str] | None
    """Light and dark of the one match that this is of; None: of all of the record."""
    ended: Findings | None
    """Of matches that are over; None while there are no rolls."""
    playing: tuple[LiveDice, ...] = ()
    """Matches in play: what may be shown of them after every roll."""

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
        """Store the edit; `NotNow` if it is not allowed, `ArchiveError` if it cannot be stored."""

    def last_edit(self) -> Sentence:
        """The newest edit in effect; empty if there is none."""

    def rolls_csv(self, *, with_open: bool) -> Iterable[str]:
        """Every die as lines of CSV; `with_open`: of matches in play too."""
