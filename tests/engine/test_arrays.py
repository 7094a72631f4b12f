"""Distinct rows, against numpy's own way."""

import numpy as np
import pytest

from engine.arrays import distinct_rows


@pytest.mark.parametrize("rows", [0, 1, 400])
def test_distinct_rows_are_those_of_numpy_in_its_order(rows):
    counts = np.random.default_rng(rows).integers(-1, 2, (rows, 5)) * 64
    expected, index = np.unique(counts, axis=0, return_inverse=True)
    found, of_row = distinct_rows(counts)
    assert np.array_equal(found, expected)
    assert np.array_equal(of_row, index)
