"""Distinct rows and hashes of rows, against numpy's own way."""

import numpy as np
import pytest

from engine.arrays import distinct_rows, row_hashes


@pytest.mark.parametrize("rows", [0, 1, 400])
def test_distinct_rows_are_those_of_numpy_in_its_order(rows):
    counts = np.random.default_rng(rows).integers(-1, 2, (rows, 5)) * 64
    expected, index = np.unique(counts, axis=0, return_inverse=True)
    found, of_row = distinct_rows(counts)
    assert np.array_equal(found, expected)
    assert np.array_equal(of_row, index)


@pytest.mark.parametrize("rows", [0, 1, 400])
def test_rows_have_one_hash_if_they_are_equal_whatever_their_type(rows):
    counts = np.random.default_rng(rows).integers(-15, 16, (rows, 28))
    counts[::2, 3:] = 0
    hashes = row_hashes(counts)
    assert np.array_equal(hashes, row_hashes(counts.astype(np.int8)))
    is_equal = (counts[:, None] == counts).all(axis=2)
    assert np.array_equal(hashes[:, None] == hashes, is_equal)
