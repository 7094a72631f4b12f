"""`PlaySearch`: what `Rules` asks of the code that finds a variant's plays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.dice import Roll
from engine.position import SideVector
from engine.rules.found import Rows, SearchResult
from engine.rules.house import TurnContext
from engine.rules.reasons import Reason


class PlaySearch(Protocol):
    """How a variant finds its plays."""

    def __call__(
        self, boards: NDArray[np.int8], dice: NDArray[np.int8], moment: TurnContext = ..., /
    ) -> SearchResult:
        """Boards (P, 2, 26), mover first, and dice (P, 2), the larger first, to every result."""

    def of_one(
        self, own: SideVector, other: SideVector, roll: Roll, moment: TurnContext = ...
    ) -> Rows:
        """The results of one board, in as little time as can be."""

    def toward(self, own: SideVector) -> PlaySearch:
        """The same search that may leave out what cannot lead to these counts of the mover."""

    def exactly(self, board: NDArray[np.int8], dice: Sequence[int]) -> set[bytes]:
        """Every board, as bytes, after these dice are all played in this order."""

    def leftover(self, board: NDArray[np.int8], numbers: Sequence[int]) -> Rows:
        """The results of moving what the opponent passed on, as much of it as can be."""

    def relaxed(self) -> Iterable[tuple[Reason, PlaySearch]]:
        """The search without one of its rules, for each rule that has a name of its own."""
