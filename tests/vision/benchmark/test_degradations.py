"""Stills made worse, each in one way, and the table of how they are read."""

import cv2
import numpy as np
import pytest

from vision.benchmark.degradations import CLIP_WIDTH, STILL_KINDS, degraded_still
from vision.benchmark.figures import Figures
from vision.benchmark.report import severity_table
from vision.benchmark.runs import CLEAN


def patchwork(width):
    """A picture of 32 by 18 patches of different colors."""
    patches = np.random.default_rng(0).integers(40, 200, (18, 32, 3)).astype(np.uint8)
    return cv2.resize(patches, (width, width * 9 // 16), interpolation=cv2.INTER_NEAREST)


def change(kind, severity, width=CLIP_WIDTH // 4):
    """Mean change of a picture, in gray levels."""
    image = patchwork(width)
    worse = degraded_still(image, kind, severity, "a still")
    assert worse.shape == image.shape
    return np.abs(worse.astype(float) - image).mean()


@pytest.mark.parametrize("kind", STILL_KINDS)
def test_a_still_changes_more_the_more_severe_the_effect(kind):
    changes = [change(kind, severity) for severity in range(4)]
    assert changes[0] == 0
    assert changes == sorted(set(changes))


@pytest.mark.parametrize("kind", STILL_KINDS)
def test_a_still_is_made_worse_in_the_same_way_each_time(kind):
    image = patchwork(320)
    one, other = (degraded_still(image, kind, 2, "a still") for _ in range(2))
    assert np.array_equal(one, other)


def test_a_blur_is_as_wide_relative_to_the_picture_in_large_and_small_stills():
    assert change("soft", 3, width=1280) == pytest.approx(change("soft", 3, width=640), rel=0.1)


def test_a_table_has_a_row_for_each_effect_and_severity():
    figures: Figures = {"images": 3, "points_right_%": 98.5, "confidence_%": 97.0}
    heading, clean, soft = severity_table([(CLEAN, figures), (("soft", 2), figures)]).splitlines()
    assert heading.split()[0] == "effect"
    assert clean.split() == ["clean", "3", "98.5", "97"]
    assert soft.split() == ["soft", "2", "3", "98.5", "97"]
