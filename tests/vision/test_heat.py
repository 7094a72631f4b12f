"""Marks on a net's map: the peaks, and the shoulders beside them."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from vision.heat import STRIDE, peaks, peaks_and_shoulders

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
    """As the dice finder saw a white die with a one: no cell of its face was a peak."""
    layer = np.zeros((9, 9), np.float32)
    layer[3:7, 4] = 0.5, 0.45, 0.41, 0.05

    assert [round(warm, 2) for warm, _ in peaks(layer, FAINT)] == [0.5]
    assert [round(warm, 2) for warm, _ in peaks_and_shoulders(layer, FAINT)] == [0.5, 0.41]


@given(st.lists(st.tuples(st.integers(0, 19), st.integers(0, 19), st.floats(0.1, 1)), min_size=1))
def test_every_peak_is_marked_and_no_two_marks_touch(marks):
    layer = bumps(*marks)
    told = peaks_and_shoulders(layer, FAINT)

    warmths = {warm for warm, _ in told}
    assert {warm for warm, _ in peaks(layer, FAINT)} <= warmths
    assert len(told) <= 100  # of 20 by 20 cells one in four
