"""The best arrangement of discs in a column is the best of all arrangements."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision.checkers.disc_model import best_columns

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
