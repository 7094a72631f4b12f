"""The best arrangement of discs in a column is the best of all arrangements."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.evidence.observation import CELLS, COUNTS
from engine.turns.evidence import OPEN_QUALITY
from vision.checkers.disc_model import DiscCounts, best_columns

gains = st.lists(st.floats(-5, 5), min_size=6, max_size=14)


def brute_force(gain, apart, count, slack):
    best = -np.inf
    for rows in combinations(range(len(gain)), count):
        if all(b - a >= apart for a, b in pairwise(rows)):
            loose = max(0.0, rows[-1] - (count - 0.5) * apart)
            best = max(best, sum(gain[r] for r in rows) - slack * loose)
    return best


@given(gains, st.integers(2, 4), st.floats(0, 1))
def test_totals_are_those_of_the_best_arrangement(gain, apart, slack):
    totals, rows = best_columns(np.array(gain), apart, 3, slack)

    for count, (total, places) in enumerate(zip(totals, rows, strict=True), start=1):
        assert total == pytest.approx(brute_force(gain, apart, count, slack))
        assert len(places) == count
        assert (np.diff(places) >= apart).all()


def test_only_what_hides_more_than_checkers_do_keeps_a_board_from_being_readable():
    """Outlined points and shadows are strange in color on every picture of some sets."""
    hidden = np.full(CELLS, 0.14, np.float32)
    counted = DiscCounts(np.zeros((CELLS, COUNTS), np.float32), hidden, {})
    assert counted.readable_share == 1
    hidden[:4] = 1  # by a hand
    assert counted.readable_share < OPEN_QUALITY
    hidden[:24] = 0.23  # by a cloth over the middle, where the dice are
    assert counted.readable_share < OPEN_QUALITY
