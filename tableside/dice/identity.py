"""Identifies the dice in the rows of a match: by color if possible, else by who threw them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Final

from engine.dice_sets.clusters import ClusteredDice, cluster_dice
from engine.dice_sets.edits import DiceNames
from engine.dice_sets.identities import DieIdentities
from engine.dice_sets.names import dice_of
from tableside.dice.rows import DieRow

IdentifiedRows = tuple[tuple[DieRow, ...], DieIdentities]
"""The rows of a match, and all dice known after it."""
MIN_PAIR_THROWS: Final = 3
"""Throws with both dice of a pair needed to conclude that they are thrown together."""
MIN_PAIR_SHARE: Final = 0.95
"""Fraction of them from which the pair is never split, misreadings aside."""
MIN_SHARED_SHARE: Final = 0.2
"""Fraction of a pair's dice thrown by the other player from which both players use the pair; a
smaller one may come from turns recorded for the wrong player."""


def identify_dice(rows: Sequence[DieRow], known: DieIdentities) -> IdentifiedRows:
    """The rows with their dice named by color; `known`: the dice of earlier matches.

    Dice that colors cannot tell apart keep their names.
    """
    throws = [tuple(throw) for _, throw in groupby(rows, key=lambda row: row.throw)]
    found = cluster_dice(
        [tuple(None if row.cup else row.appearance for row in throw) for throw in throws]
    )
    known, names = known.after(found.clusters)
    found = replace(found, indices=tuple(_completed(throws, found)))
    shared = _shared(throws, found)
    return tuple(_named(throws, found, names, shared)), known


def rename_dice(rows: Iterable[DieRow], names: DiceNames) -> tuple[DieRow, ...]:
    """The rows with users' names for the dice; a cup's dice keep theirs."""
    return tuple(row if row.cup else replace(row, die=names.called(row.die)) for row in rows)


def _completed(
    throws: Sequence[tuple[DieRow, ...]], found: ClusteredDice
) -> Iterator[tuple[int | None, ...]]:
    """The clusters, completed with the other die of a pair that is never split.

    A reflection sometimes hides the color of a die, and one on the floor is not seen; but except in
    the opening roll, a player throws both dice of a pair.
    """
    whole = [throw for throw in found.indices if len(throw) == 2 and None not in throw]
    for rows, clusters in zip(throws, found.indices, strict=True):
        seen = {cluster for cluster in clusters if cluster is not None}
        is_open = len(rows) == 2 and len(seen) == 1 and None in clusters
        if is_open and rows[0].player == rows[1].player and not rows[0].cup:
            (cluster,) = seen
            together = [throw[0] == throw[1] for throw in whole if cluster in throw]
            if len(together) >= MIN_PAIR_THROWS and sum(together) >= MIN_PAIR_SHARE * len(together):
                yield cluster, cluster
                continue
        yield clusters


def _named(
    throws: Sequence[tuple[DieRow, ...]],
    found: ClusteredDice,
    names: Sequence[str],
    shared: frozenset[int],
) -> Iterator[DieRow]:
    for throw, clusters in zip(throws, found.indices, strict=True):
        for row, cluster in zip(throw, clusters, strict=True):
            if cluster is None:
                yield row
            elif cluster in shared:
                yield replace(row, die=dice_of(names[cluster], row.name or row.player))
            else:
                yield replace(row, die=names[cluster])


def _shared(throws: Sequence[tuple[DieRow, ...]], found: ClusteredDice) -> frozenset[int]:
    """The pairs that both players throw: a shared one, or two that look alike."""
    thrown: Counter[tuple[int, str]] = Counter()
    for throw, clusters in zip(throws, found.indices, strict=True):
        thrown.update((cluster, row.player) for row, cluster in zip(throw, clusters, strict=True)
                      if cluster is not None)  # fmt: skip
    return frozenset(
        number
        for number, cluster in enumerate(found.clusters)
        if cluster.is_pair and _is_shared([n for (one, _), n in thrown.items() if one == number])
    )


def _is_shared(by_player: Sequence[int]) -> bool:
    return sum(by_player) - max(by_player) >= MIN_SHARED_SHARE * sum(by_player)
