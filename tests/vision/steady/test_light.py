"""Light that changes smoothly is divided out; what is not smooth stays."""

import numpy as np
import pytest

from vision.steady.light import LightField

SIZE = (320, 180)
X, Y = np.meshgrid(np.arange(SIZE[0]) / SIZE[0], np.arange(SIZE[1]) / SIZE[1])


@pytest.fixture(scope="module")
def board():
    rng = np.random.default_rng(1)
    return np.kron(rng.uniform(50, 200, (18, 32)), np.ones((10, 10))).astype(np.float32)


def field(board):
    return LightField(board, np.ones(board.shape, bool))


@pytest.mark.parametrize(
    "light",
    [
        np.full(X.shape, 0.6),
        0.8 + 0.4 * X,
        1 + 0.06 * np.sin(2 * np.pi * 1.7 * Y + 1),
        1 - 0.45 * np.exp(-(((X - 0.4) / 0.22) ** 2)),
    ],
    ids=["exposure", "lamp", "mains", "shadow"],
)
def test_smooth_light_is_found(board, light):
    light = light.astype(np.float32)
    gain = field(board).gain(board * light)
    assert np.abs(gain / light - 1).mean() < 0.03
    assert np.abs(board * light / gain - board)[10:-10, 10:-10].mean() < 4


def test_a_hand_is_left_as_it_is(board):
    picture = board.copy()
    picture[40:180, 120:190] = 60
    gain = field(board).gain(picture)
    assert np.abs(gain - 1)[:, :100].max() < 0.05
    assert np.abs(picture / gain - board)[60:160, 130:180].mean() > 40


def test_it_stays_within_what_a_plain_mean_says_where_nothing_covers_the_board(board):
    """The naive twin for even light: the ratio of the means."""
    picture = board * 1.23
    assert field(board).gain(picture).mean() == pytest.approx(1.23, abs=0.02)
