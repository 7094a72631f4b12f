"""Which die is which in the rows of a match: by colour where that tells, else by who threw it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Final

from engine.dice_sets.clusters import ClusteredDice, cluster_dice
from engine.dice_sets.edits import DiceNames, dice_of
from engine.dice_sets.identities import DieIdentities
from tableside.dice.rows import DieRow

Identified = tuple[tuple[DieRow, ...], DieIdentities]
"""The rows of a match, and all the dice that are known after it."""
FEWEST: Final = 3
"""Throws with both dice of a pair that show that it is thrown together."""
NEVER_SPLIT: Final = 0.95
"""Share of them from which on it always is, but for misreadings."""
SHARED: Final = 0.2
"""Share of a pair's dice that the other player throws from which it is not one player's: up to
there a turn may have been taken for the wrong player's."""


def identified(rows: Sequence[DieRow], known: DieIdentities) -> Identified:
    """The rows with their dice named by colour; `known`: the dice of the matches before.

    Dice whose colours do not tell keep the name that they have.
    """
    throws = [tuple(throw) for _, throw in groupby(rows, key=lambda row: row.throw)]
    found = cluster_dice(
        [tuple(None if row.cup else row.make for row in throw) for throw in throws]
    )
    known, names = known.after(found.clusters)
    found = replace(found, indices=tuple(_completed(throws, found)))
    shared = _shared(throws, found)
    return tuple(_named(throws, found, names, shared)), known


def renamed(rows: Iterable[DieRow], names: DiceNames) -> tuple[DieRow, ...]:
    """The rows with their dice called as people said; a cup's are called as ever."""
    return tuple(row if row.cup else replace(row, die=names.called(row.die)) for row in rows)


def _completed(
    throws: Sequence[tuple[DieRow, ...]], found: ClusteredDice
) -> Iterator[tuple[int | None, ...]]:
    """The kinds, the other die of a pair that is never split with them.

    A reflection hides the colour of one die now and then, and of one that fell on the floor nothing
    is seen; but for lots a player throws both dice of a pair.
    """
    whole = [throw for throw in found.indices if len(throw) == 2 and None not in throw]
    for rows, kinds in zip(throws, found.indices, strict=True):
        told = {kind for kind in kinds if kind is not None}
        is_open = len(rows) == 2 and len(told) == 1 and None in kinds
        if is_open and rows[0].player == rows[1].player and not rows[0].cup:
            (kind,) = told
            together = [throw[0] == throw[1] for throw in whole if kind in throw]
            if len(together) >= FEWEST and sum(together) >= NEVER_SPLIT * len(together):
                yield kind, kind
                continue
        yield kinds


def _named(
    throws: Sequence[tuple[DieRow, ...]],
    found: ClusteredDice,
    names: Sequence[str],
    shared: frozenset[int],
) -> Iterator[DieRow]:
    for throw, kinds in zip(throws, found.indices, strict=True):
        for row, kind in zip(throw, kinds, strict=True):
            if kind is None:
                yield row
            elif kind in shared:
                yield replace(row, die=dice_of(names[kind], row.name or row.player))
            else:
                yield replace(row, die=names[kind])


def _shared(throws: Sequence[tuple[DieRow, ...]], found: ClusteredDice) -> frozenset[int]:
    """The pairs that both players throw: one that they share, or two that look alike."""
    thrown: Counter[tuple[int, str]] = Counter()
    for throw, kinds in zip(throws, found.indices, strict=True):
        thrown.update((kind, row.player) for row, kind in zip(throw, kinds, strict=True)
                      if kind is not None)  # fmt: skip
    return frozenset(
        number
        for number, kind in enumerate(found.clusters)
        if kind.is_pair and _is_shared([n for (one, _), n in thrown.items() if one == number])
    )


def _is_shared(by_player: Sequence[int]) -> bool:
    return sum(by_player) - max(by_player) >= SHARED * sum(by_player)
