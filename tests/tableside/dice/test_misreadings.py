"""A reader that fails on one face more than on others is reported before the dice are."""

from __future__ import annotations

import numpy as np

from tableside.dice.misreadings import uneven_misreading_notices, unread_by_face
from tableside.dice.rows import DieRow


def rows(unread, count=1_200, seed=3, **also):
    """Dice for which this fraction of each face is known only from the play."""
    chance = np.random.default_rng(seed)
    values = chance.integers(1, 7, count)
    lost = chance.random(count) < np.array(unread)[values - 1]
    for n, (value, is_lost) in enumerate(zip(values.tolist(), lost, strict=True)):
        probabilities = {"confidence": 0.99, "seen": 0.4 if is_lost else 0.99, **also}
        yield DieRow(time=n, player="light", die="red pair", value=value, throw=n, **probabilities)


def notices(dice):
    return [str(notice) for notice in uneven_misreading_notices(unread_by_face(dice))]


def test_a_face_that_is_read_worse_than_others_is_named():
    (notice,) = notices(rows((0.02, 0.02, 0.02, 0.02, 0.02, 0.12)))
    assert "showed 6" in notice


def test_unread_dice_spread_evenly_give_no_notice():
    assert not notices(rows((0.05,) * 6))


def test_few_unread_dice_give_no_notice_and_void_or_unseen_dice_are_left_out():
    uneven = (0, 0, 0, 0, 0, 0.5)
    assert not notices(rows((0, 0, 0, 0, 0, 0.03), 120))
    assert not notices(rows(uneven, reason="cocked"))
    assert not notices(rows(uneven, seen=float("nan")))
    assert not notices(rows(uneven, confidence=0.5))
