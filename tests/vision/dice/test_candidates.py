"""Peaks near each other are one die, by the size of the dice in use."""

import numpy as np
import pytest

from calibration.layout import USUAL_DIE_SIDE
from vision.dice.candidates import DieCandidate, distinct


def beside(apart, side):
    """Two candidates so many usual sides apart; the second is less certain to be a die."""
    first, second = np.full((2, 13), 0.01)
    first[3], second[4] = 0.9, 0.8
    first[0], second[0] = 0.01, 0.1
    return [
        DieCandidate((0.3, 0.5), first, 0.0, side * USUAL_DIE_SIDE),
        DieCandidate((0.3 + apart * USUAL_DIE_SIDE, 0.5), second, 0.0, side * USUAL_DIE_SIDE),
    ]


@pytest.mark.parametrize(
    ("apart", "side", "dice"),
    [
        pytest.param(0.9, 1.7, 1, id="two peaks on one large die"),
        pytest.param(1.7, 1.7, 2, id="large dice that touch"),
        pytest.param(0.6, 0.6, 2, id="tiny dice that touch"),
        pytest.param(0.3, 0.6, 1, id="two peaks on one tiny die"),
    ],
)
def test_candidates_are_one_die_if_less_than_its_side_is_between_them(adapted, apart, side, dice):
    found = distinct(beside(apart, side), adapted.profile.pose)

    assert len(found) == dice
    assert found[0].class_probabilities.argmax() == 3
