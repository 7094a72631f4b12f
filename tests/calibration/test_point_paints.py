"""Points of one paint are told from those of the other, in whatever order a board has them."""

from itertools import product

import numpy as np
import pytest

from calibration.point_paints import split_by_paint

PAINTS = np.array([(200.0, 20.0, 30.0), (60.0, -20.0, 10.0)])


def painted(order):
    """A color of each point, by the paint that its quarter begins with."""
    rng = np.random.default_rng(1)
    kinds = {point: (point + order[(point - 1) // 6]) % 2 for point in range(1, 25)}
    return kinds, {point: PAINTS[kind] + rng.normal(0, 12, 3) for point, kind in kinds.items()}


@pytest.mark.parametrize("order", [*product((0, 1), repeat=4)])
def test_points_of_one_paint_are_found_in_any_order_of_the_quarters(order):
    kinds, shown = painted(order)
    for group in split_by_paint(shown):
        assert len({kinds[point] for point in group}) == 1
        assert len(group) == 12


def test_a_few_points_that_are_strange_change_no_order():
    kinds, shown = painted((0, 0, 0, 0))
    for point in (8, 10, 21):
        shown[point] = np.array([250.0, 0.0, 0.0])
    groups = split_by_paint(shown)
    assert {frozenset(kinds[point] for point in group) for group in groups} == {
        frozenset({0}),
        frozenset({1}),
    }


def test_points_that_are_not_seen_are_in_no_group():
    _, shown = painted((0, 1, 0, 1))
    del shown[3], shown[14]
    assert sorted(point for group in split_by_paint(shown) for point in group) == sorted(shown)
