"""What the dice page needs: the `DiceBook` that it reads, and its reports."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Final, Protocol

from engine.dice_sets.edits import DiceEdit
from engine.fairness.findings import Findings, LiveFinding
from engine.message import Sentence

ALL: Final = "All recorded matches"


@dataclass(frozen=True, slots=True)
class LiveDice:
    """The dice of a match in play."""

    match: int
    players: tuple[str, str]
    """Light and dark."""
    dice: tuple[tuple[LiveFinding, float], ...]
    """Each die's finding over all matches, and the log e-value of this match alone."""

    @property
    def title(self) -> str:
        """The players, in English."""
        return " and ".join(self.players)


@dataclass(frozen=True, slots=True)
class DiceReport:
    """The statistics of the dice of a record."""

    version: str
    """Changes with every die that is reported on and every match that ends."""
    players: tuple[str, str] | None
    """Light and dark of the single match reported on; None for the whole record."""
    ended: Findings | None
    """For finished matches; None if there are no rolls."""
    playing: tuple[LiveDice, ...] = ()
    """The matches in play: what may be shown of them after every roll."""

    @property
    def title(self) -> str:
        """Which matches it covers, in English."""
        return ALL if self.players is None else " and ".join(self.players)


class UnreadableRolls(Exception):
    """Raised when a text has no rolls; the message is one line for whoever pasted it."""


class DiceBook(Protocol):
    """The dice of a record."""

    def version(self, *, with_open: bool, without: Collection[int] = ()) -> str:
        """The version that `report` would have, at less cost."""

    def report(
        self, match: int | None = None, *, with_open: bool, without: Collection[int] = ()
    ) -> DiceReport:
        """The report on all matches or one; raises `webui.contracts.archive.NotInRecord`.

        with_open: including matches in play; without: the numbers of matches to leave out.
        """

    def pasted(self, text: str) -> Findings:
        """What rolls in a text show: faces, throws of two a line, or each face and its count.

        Raises `UnreadableRolls`.
        """

    def edit_names(self, word: DiceEdit) -> None:
        """Store the edit; raises `NotNow` if not allowed, `ArchiveError` if it cannot be stored."""

    def last_edit(self) -> Sentence:
        """The newest edit in effect; empty if there is none."""

    def rolls_csv(self, *, with_open: bool, without: Collection[int] = ()) -> Iterable[str]:
        """Yield every die as lines of CSV, of the matches that `report` would cover."""
