"""The mean of a still view's frames has less noise than each, and dim frames are brightened."""

import weakref

import numpy as np
import pytest

from vision.steady.exposure import Exposure, is_blank
from vision.steady.still_mean import MAX_FRAMES, StillMean, noise_between

SHAPE = (180, 320, 3)


@pytest.fixture
def board():
    rng = np.random.default_rng(1)
    return np.kron(rng.uniform(60, 190, (18, 32, 3)), np.ones((10, 10, 1)))


def taken(board, noise, seed):
    rng = np.random.default_rng(seed)
    return np.clip(np.rint(board + rng.normal(0, noise, SHAPE)), 0, 255).astype(np.uint8)


@pytest.mark.parametrize("noise", [4, 12, 25])
def test_noise_is_measured_between_two_frames(board, noise):
    assert noise_between(taken(board, noise, 2), taken(board, noise, 3)) == pytest.approx(
        noise, rel=0.15
    )


def test_a_clean_stream_is_read_from_its_newest_frame(board):
    stills = StillMean()
    newest = taken(board, 1, 9)
    for frame in (taken(board, 1, 8), newest):
        stills.add(frame)
    assert stills.picture() is newest
    assert not stills.is_noisy


def test_of_a_clean_stream_two_frames_are_kept_until_it_is_noisy(board):
    stills = StillMean()
    frames = [taken(board, 1, seed) for seed in range(20)]
    gone = [weakref.ref(frame) for frame in frames]
    while frames:
        stills.add(frames.pop(0))
        stills.picture()
    assert sum(one() is not None for one in gone) == 2
    for seed in range(2 * MAX_FRAMES):
        stills.add(taken(board, 12, seed))
        picture = stills.picture()
    assert np.abs(picture - board).mean() < 0.5 * np.abs(taken(board, 12, 1) - board).mean()


def test_the_mean_is_nearer_to_the_truth_than_a_frame(board):
    stills = StillMean()
    frames = [taken(board, 12, seed) for seed in range(MAX_FRAMES)]
    for frame in frames:
        stills.add(frame)
    errors = [np.abs(picture - board).mean() for picture in (stills.picture(), frames[-1])]
    assert stills.is_noisy
    assert errors[0] < 0.5 * errors[1]


def test_what_one_frame_alone_shows_is_left_out(board):
    stills = StillMean()
    for seed in range(MAX_FRAMES):
        frame = taken(board, 5, seed)
        if seed == 3:
            frame[60:120, 100:200] = 255
        stills.add(frame)
    assert np.abs(stills.picture() - board)[60:120, 100:200].mean() < 8


def test_a_view_that_was_cleared_leaves_nothing(board):
    stills = StillMean()
    for seed in range(4):
        stills.add(taken(255 - board, 10, seed))
    stills.clear()
    newest = taken(board, 10, 5)
    stills.add(newest)
    assert stills.picture() is newest


def test_a_dim_picture_is_brightened_and_a_usual_one_left_alone(board):
    usual = board.astype(np.uint8)
    assert Exposure().lit(usual) is usual
    dim = (board * 0.3).astype(np.uint8)
    assert Exposure().lit(dim).mean() == pytest.approx(usual.mean(), rel=0.25)


def test_the_gain_of_a_stream_does_not_follow_small_changes(board):
    exposure = Exposure()
    frames = [(board * share).astype(np.uint8) for share in np.linspace(0.3, 0.38, 60)]
    gains = [float(exposure.lit(frame).mean() / frame.mean()) for frame in frames]
    assert max(gains) / min(gains) < 1.03


def test_a_dim_stream_of_a_set_that_was_learnt_as_dim_is_left_alone(board):
    dim = (board * 0.3).astype(np.uint8)
    assert Exposure(learnt_from=dim).lit(dim) is dim
    assert Exposure(learnt_from=board.astype(np.uint8)).lit(dim) is not dim


@pytest.mark.parametrize("level", [2, 250])
def test_a_picture_of_a_covered_lens_or_of_bare_light_is_blank(level):
    assert is_blank(taken(np.full(SHAPE, level), 4, 1))


def test_a_dim_and_noisy_picture_of_a_board_is_not_blank(board):
    assert not is_blank(taken(board * 0.15, 6, 1))


@pytest.mark.parametrize("bright_rows", [0, 10, 30, 200])
@pytest.mark.parametrize("contrast", [0, 5, 7, 60])
def test_a_picture_is_blank_if_all_its_blocks_say_so(bright_rows, contrast):
    """The naive twin: the means of all blocks, whatever a few rows of them show."""
    picture = np.full((480, 640, 3), 100, np.uint8)
    picture[100 : 100 + bright_rows] += np.uint8(contrast)
    picture += np.random.default_rng(3).integers(0, 3, picture.shape, np.uint8)
    blocks = np.sort(picture.reshape(30, 16, 40, 48)[:, ::4].mean(axis=(1, 3)), axis=None)
    assert is_blank(picture) == (round(blocks[-13]) - round(blocks[12]) < 6)
