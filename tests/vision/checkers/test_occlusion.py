"""A hand over the board: how much of each strip it hides, and what its count is still worth."""

from typing import Any

import cv2
import numpy as np
import pytest

from calibration.layout import Layout
from engine.position import CHECKERS
from tests.paths import STILLS
from vision.checkers.occlusion import allow_hidden, net_picture, strip_means, strip_windows
from vision.checkers.strips import STRIP_COUNT
from vision.nets import as_tensor, load_net
from vision.reading.single_image import read_still
from vision.training.samples.samples import decode, make_sample
from vision.training.scenes import hands

FIELD = (360, 300)


def shown(*counts):
    chances = np.full((STRIP_COUNT, 31), 1e-6)
    chances[:, CHECKERS] = 1
    for strip, count in enumerate(counts):
        chances[strip, [CHECKERS, CHECKERS + count]] = 1e-6, 1
    return chances / chances.sum(axis=1, keepdims=True)


def test_a_hand_over_one_quarter_is_on_its_points_alone():
    heat = np.zeros((40, 48), np.float32)
    heat[20:, 26:] = 1  # the near right quarter: light's points 1 to 6

    seen = strip_means(heat, Layout(), FIELD)

    assert seen[:6].min() > 0.9
    assert seen[6:24].max() < 0.1
    assert not seen[24:].any()


def test_a_board_without_a_bar_has_nothing_hidden_there():
    along, across = strip_windows(Layout(bar=0.0), FIELD)

    assert np.allclose(along.sum(axis=1), 1)
    assert np.allclose(across[:24].sum(axis=1), 1)
    assert not across[24:].any()


def test_what_is_seen_in_the_open_is_believed_as_before():
    chances = shown(2, -5, 3)

    assert np.array_equal(allow_hidden(chances, np.zeros(STRIP_COUNT)), chances)


def test_an_empty_point_under_a_hand_may_hold_checkers_of_either_side():
    shares = np.zeros(STRIP_COUNT)
    shares[[0, 1]] = 0.95, 0.4

    chances = allow_hidden(shown(0, 0), shares)

    assert np.allclose(chances.sum(axis=1), 1)
    assert 0.4 < chances[0, CHECKERS] < chances[1, CHECKERS] < 0.95
    assert np.allclose(chances[0], chances[0][::-1], atol=1e-5)
    assert chances[0, CHECKERS + 2] > chances[0, CHECKERS + 5] > chances[0, CHECKERS + 9]


def test_checkers_that_show_beside_a_hand_are_rather_more_than_fewer():
    chances = allow_hidden(shown(-2), np.full(STRIP_COUNT, 0.6))[0]

    assert chances.argmax() == CHECKERS - 2
    assert chances[CHECKERS - 3] > 3 * chances[CHECKERS - 1]


def test_strips_under_drawn_hands_are_told_from_free_ones(monkeypatch):
    monkeypatch.setattr(hands, "HANDS_SHARE", 1.0)
    samples = [make_sample(seed, whole_picture=False) for seed in (700_002, 700_003, 700_006)]
    seen = np.array([seen_in(sample) for sample in samples])
    hidden = np.array([sample.covered for sample in samples])

    assert (hidden > 0.7).sum() >= 10, "there must be something to find"
    assert np.mean(seen[hidden > 0.7] > 0.3) > 0.8
    assert np.mean(seen[hidden == 0] > 0.3) < 0.02


def seen_in(sample):
    logits = load_net("occlusion")(as_tensor(net_picture(decode(sample.board))))[0, 0]
    return strip_means(1 / (1 + np.exp(-logits)), sample.layout, sample.field_size)


@pytest.mark.skipif(not STILLS.exists(), reason="the rendered stills are not here")
@pytest.mark.parametrize(("name", "is_covered"), [("0045", True), ("0107", True), ("0001", False)])
def test_a_still_says_which_points_a_hand_covers(name, is_covered):
    image: Any = cv2.imread(str(STILLS / f"dev_{name}.jpg"))

    still = read_still(image, None)

    assert still.is_occluded == is_covered
    assert still.hidden[:24].sum() <= 5
