"""A board whose set was never shown: the net counts what stands on it."""

import numpy as np
import pytest

from calibration.grid import CHECKER_THICKNESS, Grid
from tests.vision.conftest import position_of
from vision.checkers.unknown_set import count_unknown_set


@pytest.fixture(scope="module")
def counted(opening_image, located):
    return count_unknown_set(opening_image, Grid(located.pose, located.layout))


def ways(counts):
    """The counts under every numbering that a picture alone leaves possible."""
    near, far = list(counts[:12]), list(counts[12:])
    mirrored = near[::-1] + far[::-1]
    turned = far + near
    return [near + far, mirrored, turned, turned[:12][::-1] + turned[12:][::-1]]


def test_the_opening_is_counted_without_any_profile(counted, clip_truth):
    true = position_of(next(e["position"] for e in clip_truth if "position" in e)).signed()

    assert list(counted.most_likely[:24]) in ways(true)
    assert counted.chances[:24].max(axis=1).min() > 0.9


def test_the_bar_is_empty(counted):
    assert not counted.most_likely[24:26].any()


def test_checkers_are_placed_for_the_overlay(counted):
    for cell, count in enumerate(counted.most_likely[:24].tolist()):
        assert len(counted.centers(cell, count)) == min(abs(count), 5)


def test_both_colours_on_one_point_are_recognised(opening_image, located, counted):
    """As after a hit that nobody put on the bar: a dark checker copied over one of two light."""
    grid = Grid(located.pose, located.layout)
    counts = counted.most_likely[:24].tolist()
    cell, stack = counts.index(2), counts.index(-5)
    there = grid.to_field(counted.centers(cell, 2))[1]
    source = grid.to_field(counted.centers(stack, -5))[1]
    picture = opening_image.copy()
    offsets = np.stack(np.meshgrid(*[np.linspace(-0.036, 0.036, 120)] * 2), axis=-1).reshape(-1, 2)
    disc = offsets[np.hypot(*offsets.T) < 0.036]
    target = grid.pose.project(there + disc, CHECKER_THICKNESS).round().astype(int)
    origin = grid.pose.project(source + disc, CHECKER_THICKNESS).round().astype(int)
    picture[target[:, 1], target[:, 0]] = opening_image[origin[:, 1], origin[:, 0]]

    assert count_unknown_set(picture, grid).mixed == {cell: (1, 1)}
    assert not counted.mixed
