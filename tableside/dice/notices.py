"""What is odd in a log of dice and no fault: it is said, and nothing is changed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.fairness import Labels

CHANGES_TOLD: Final = 3
SETTLED: Final = 20
"""Rows for which a player used just these dice before others count as a change."""


def alike_spellings(dice: Labels) -> Iterator[str]:
    """A notice for each die whose name is another's in other letters."""
    spelled: dict[str, str] = {}
    for name in dice.names:
        like = spelled.setdefault(name.casefold(), name)
        if like != name:
            yield f"{like!r} and {name!r} are taken for two dice; spell one die one way"


def changed_dice(dice: Labels, players: Labels, lines: NDArray[np.int64]) -> Iterator[str]:
    """A notice for each player who used some dice and, from a line on, only others."""
    for code, player in enumerate(players.names):
        rows = np.flatnonzero(players.codes == code)
        own = dice.codes[rows]
        used = np.unique(own)
        if len(used) < 2 or len(used) > 1000:
            continue
        spans = sorted(
            (int(where[0]), int(where[-1]), int(one))
            for one in used
            for where in [np.flatnonzero(own == one)]
        )
        changes, who = list(_handovers(spans)), player or "the player"
        for gone, come, at in changes[:CHANGES_TOLD]:
            line, new, old = lines[rows[at]], dice.names[come], dice.names[gone]
            yield (
                f"line {line}: {who} throws {new!r} from here on, and {old!r} before; they are "
                "taken for two dice"
            )
        if (more := len(changes) - CHANGES_TOLD) > 0:
            yield f"{who} changes dice {more} times more"


def _handovers(spans: list[tuple[int, int, int]]) -> Iterator[tuple[int, int, int]]:
    """Dice whose last row is just before another's first: (gone, come, that row)."""
    for begin, _, come in spans:
        if begin < SETTLED:
            continue
        gone = [(end, one) for _, end, one in spans if end < begin]
        if gone and begin - max(gone)[0] <= 2:
            yield max(gone)[1], come, begin
