"""Checkers are counted again where one may have come or gone, not where there is only noise."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import cv2
import numpy as np
import pytest

from tests.vision.conftest import clip_frames
from vision.reading.reader import Reader


@pytest.fixture(scope="module")
def throw():
    """The first frame of the sample, and one in which its first dice are at rest."""
    frames = list(islice(clip_frames(), 30))
    return frames[0], frames[29]


def noisy(frame, levels):
    noise = np.random.default_rng(frame.index).normal(0, levels, frame.image.shape)
    return replace(frame, image=np.clip(frame.image + noise, 0, 255).astype(np.uint8))


def counts_twice(profile, frames, levels):
    """Whether the second of two noisy frames is counted again; and the dice in it."""
    reader = Reader(profile)
    before, after = (reader.read(noisy(frame, levels)) for frame in frames)
    return after.counted is not before.counted, after.observation.dice


@pytest.mark.parametrize("levels", [0, 4])
def test_dice_that_come_do_not_make_the_checkers_counted_again(adapted, throw, levels):
    is_counted, dice = counts_twice(adapted.profile, throw, levels)
    assert len(dice) == 2
    assert not is_counted


def test_noise_that_hides_what_has_come_makes_them_counted_again(adapted, throw):
    assert counts_twice(adapted.profile, throw, 12)[0]


@pytest.mark.parametrize("difference", [14, 40])
def test_a_checker_like_its_point_makes_them_counted_again(adapted, throw, difference):
    grid = adapted.profile.grid
    x, y = grid.pose.project(np.array([(grid.layout.point_x(2), 0.3)]))[0]
    image = throw[0].image.copy()
    disc = np.zeros(image.shape[:2], np.uint8)
    cv2.circle(disc, (round(x), round(y)), 20, 1, -1)
    image[disc > 0] = np.clip(image[disc > 0].astype(int) + difference, 0, 255)
    frames = throw[0], replace(throw[0], image=image, index=1)
    assert counts_twice(adapted.profile, frames, 4)[0]
