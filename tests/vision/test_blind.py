"""A board that nobody has shown: the net counts what stands on it."""

import pytest

from calibration.grid import Grid
from tests.vision.conftest import position_of
from vision.blind import count_blind


@pytest.fixture(scope="module")
def counted(opening_image, located):
    return count_blind(opening_image, Grid(located.pose, located.layout))


def ways(counts):
    """The counts under every numbering that a picture alone leaves open."""
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
