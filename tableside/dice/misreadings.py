"""Whether the reader fails more often on some faces than on others, judging by later plays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

import numpy as np

from engine.arrays import Ints
from engine.fairness.compare import compare
from engine.message import Message, join, msg
from tableside.dice.rows import DieRow

MIN_SEEN_PROBABILITY: Final = 0.9
"""Probability from the picture alone below which a die counts as unread."""
MIN_PLAY_PROBABILITY: Final = 0.95
"""Probability given the play from which its face is known nevertheless."""
MIN_UNREAD: Final = 8
"""Minimum number of unread dice for a notice."""
MAX_P_VALUE: Final = 0.01
"""The p-value below which unread dice count as unevenly spread over the faces."""


def unread_by_face(rows: Iterable[DieRow]) -> Ints:
    """(2, 6) counts by face, of dice that were read and of dice known only from the play."""
    counts = np.zeros((2, 6), np.int64)
    for row in rows:
        if (
            row.is_counted
            and 1 <= row.value <= 6
            and row.confidence >= MIN_PLAY_PROBABILITY
            and row.seen >= 0
        ):
            counts[int(row.seen < MIN_SEEN_PROBABILITY), row.value - 1] += 1
    return counts


def uneven_misreading_notices(counts: Ints) -> Iterator[Message]:
    """Yield a notice if unread dice are distributed over the faces unlike those that were read.

    In that case, which dice the log lacks depends on their face, and that biases every statistic.
    """
    sure, unsure = counts
    if unsure.sum() < MIN_UNREAD or not sure.any():
        return
    p = compare("reading", ("read", "not read"), counts).same.p
    if p < MAX_P_VALUE:
        shares = unsure / np.maximum(counts.sum(axis=0), 1)
        worst = int(shares.argmax())
        uneven = msg(
            "the camera alone could not read {unsure} of the {sum} dice that showed {worst}, and "
            "{sum_} of {sum__} overall (p {p:.1g}): where no play revealed the number, that face "
            "goes uncounted",
            unsure=int(unsure[worst]),
            sum=int(counts[:, worst].sum()),
            worst=worst + 1,
            sum_=int(unsure.sum()),
            sum__=int(counts.sum()),
            p=p,
        )
        yield join([uneven, msg("check the pictures before you blame the dice")])
