"""A reader that gives up on one face more than on others is told of before the dice are."""

from __future__ import annotations

import numpy as np

from tableside.dice.misreadings import doubts_by_face, uneven_doubts
from tableside.dice.rows import DieRow


def rows(given_up, count=1_200, seed=3, **also):
    """Dice that sight alone reads but for so large a share of each face; the plays tell all."""
    chance = np.random.default_rng(seed)
    values = chance.integers(1, 7, count)
    lost = chance.random(count) < np.array(given_up)[values - 1]
    for n, (value, is_lost) in enumerate(zip(values.tolist(), lost, strict=True)):
        told = {"confidence": 0.99, "seen": 0.4 if is_lost else 0.99, **also}
        yield DieRow(time=n, player="light", die="red pair", value=value, throw=n, **told)


def told(dice):
    return list(uneven_doubts(doubts_by_face(dice)))


def test_a_face_that_is_read_worse_than_others_is_named():
    (notice,) = told(rows((0.02, 0.02, 0.02, 0.02, 0.02, 0.12)))
    assert "showed 6" in notice


def test_doubt_that_spares_no_face_is_not_told():
    assert not told(rows((0.05,) * 6))


def test_few_doubts_tell_nothing_and_void_or_unseen_dice_are_left_out():
    uneven = (0, 0, 0, 0, 0, 0.5)
    assert not told(rows((0, 0, 0, 0, 0, 0.03), 120))
    assert not told(rows(uneven, reason="cocked"))
    assert not told(rows(uneven, seen=float("nan")))
    assert not told(rows(uneven, confidence=0.5))
