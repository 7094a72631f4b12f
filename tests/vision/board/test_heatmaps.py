"""Marks on a net's map: the peaks, and the shoulders beside them."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from vision.board.heatmaps import STRIDE, peaks, peaks_and_shoulders

FAINT = 0.2


def bumps(*marks):
    """A (20, 20) map with a round bump at each (row, column, warmth)."""
    row, column = np.mgrid[:20, :20]
    each = [warm * np.exp(-((row - r) ** 2 + (column - c) ** 2) / 2) for r, c, warm in marks]
    return np.max(each, axis=0).astype(np.float32)


def cells(found):
    return [(round((y - 1.5) / STRIDE), round((x - 1.5) / STRIDE)) for _, (x, y) in found]


def test_the_warmest_peak_comes_first():
    layer = bumps((4, 4, 0.5), (12, 9, 0.9))
    assert (
        cells(peaks(layer, FAINT)) == cells(peaks_and_shoulders(layer, FAINT)) == [(12, 9), (4, 4)]
    )


def test_what_is_faint_is_none():
    assert peaks(bumps((4, 4, 0.1)), FAINT) == peaks_and_shoulders(bumps((4, 4, 0.1)), FAINT) == []


def test_a_face_beside_its_warmer_side_is_the_shoulder_of_it():
    """What the dice finder made of a white die showing one: no cell of its face was a peak."""
    layer = np.zeros((9, 9), np.float32)
    layer[3:7, 4] = 0.5, 0.45, 0.41, 0.05

    assert [round(warm, 2) for warm, _ in peaks(layer, FAINT)] == [0.5]
    assert [round(warm, 2) for warm, _ in peaks_and_shoulders(layer, FAINT)] == [0.5, 0.41]


def test_no_two_marks_touch():
    assert len(peaks_and_shoulders(np.ones((9, 9), np.float32), FAINT)) == 25


@given(st.lists(st.tuples(st.integers(0, 19), st.integers(0, 19), st.floats(0.1, 1)), min_size=1))
def test_every_warm_cell_is_beside_a_mark_as_warm(marks):
    """A mark is up to a cell away from its true place: at the center of mass of the heat."""
    layer = bumps(*marks)
    found = peaks_and_shoulders(layer, FAINT)

    for row, column in np.argwhere(layer > FAINT):
        here = np.array([column, row]) * STRIDE + (STRIDE - 1) / 2
        assert any(
            warm >= layer[row, column] and np.abs(pixel - here).max() <= 2 * STRIDE
            for warm, pixel in found
        )
