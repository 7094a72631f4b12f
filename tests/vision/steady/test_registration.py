"""The motion of a picture is found to a tenth of a pixel, whatever covers part of it."""

from typing import Any

import cv2
import numpy as np
import pytest
from scipy.ndimage import map_coordinates
from scipy.optimize import least_squares

from vision.steady.registration import COARSE, LOCAL, Registration

SIZE = (320, 180)


@pytest.fixture(scope="module")
def board():
    rng = np.random.default_rng(1)
    rough = rng.uniform(40, 210, (23, 40)).astype(np.float32)
    return cv2.GaussianBlur(cv2.resize(rough, SIZE, interpolation=cv2.INTER_NEAREST), (0, 0), 1.0)


def moved(picture, dx, dy, degrees):
    turn = cv2.getRotationMatrix2D((SIZE[0] / 2, SIZE[1] / 2), degrees, 1.0)
    turn[:, 2] += dx, dy
    return cv2.warpAffine(picture, turn, SIZE, borderMode=cv2.BORDER_REPLICATE), turn


def error(motion, turn):
    corners = np.array([[40.0, 30], [280, 30], [280, 150], [40, 150]])
    return np.abs(motion.applied(corners) - (corners @ turn[:, :2].T + turn[:, 2])).max()


def whole():
    return np.ones(SIZE[::-1], bool)


@pytest.mark.parametrize("move", [(0, 0, 0), (0.3, -0.2, 0.05), (1.4, 0.9, -0.3), (9, -6, 0)])
def test_a_shift_and_a_turn_are_found(board, move):
    picture, turn = moved(board, *move)
    motion = Registration(board, whole()).motion(picture)
    assert error(motion, turn) < 0.1
    assert motion.share > 0.75


def test_a_hand_over_a_third_of_the_board_does_not_disturb(board):
    picture, turn = moved(board, 0.8, -0.5, 0.1)
    picture[:, 100:200] = 150
    assert error(Registration(board, whole()).motion(picture), turn) < 0.1


@pytest.mark.parametrize("light", [0.3, 0.55])
def test_a_board_in_deep_shadow_or_heavy_noise_is_followed(board, light):
    picture, turn = moved(board, 0.8, -0.5, 0.1)
    picture[:, :200] *= light
    noise = np.random.default_rng(2).normal(0, 20, picture.shape).astype(np.float32)
    noisy = picture + cv2.GaussianBlur(noise, (0, 0), 0.6)
    registration = Registration(board, whole())
    assert error(registration.motion(picture), turn) < 0.1
    assert error(registration.motion(noisy), turn) < 0.2


def test_another_picture_is_not_taken_for_the_board(board):
    rng = np.random.default_rng(5)
    rough = rng.uniform(40, 210, (23, 40)).astype(np.float32)
    large = cv2.resize(rough, SIZE, interpolation=cv2.INTER_NEAREST)
    other: Any = cv2.GaussianBlur(large, (0, 0), 1.0)
    assert Registration(board, whole()).motion(other) is None


def test_a_gradient_of_light_does_not_disturb(board):
    picture, turn = moved(board, 0.8, -0.5, 0.1)
    picture *= np.linspace(0.7, 1.2, SIZE[0], dtype=np.float32)
    assert error(Registration(board, whole()).motion(picture), turn) < 0.1


def test_noise_of_eight_grey_levels_does_not_disturb(board):
    picture, turn = moved(board, 0.8, -0.5, 0.1)
    picture += np.random.default_rng(2).normal(0, 8, picture.shape).astype(np.float32)
    assert error(Registration(board, whole()).motion(picture), turn) < 0.1


def test_another_picture_is_not_followed(board):
    assert Registration(board, whole()).motion(board[::-1].copy()) is None


def test_it_agrees_with_a_dense_fit_of_all_pixels(board):
    """The naive twin: every pixel, no derivatives, scipy's robust least squares."""
    picture, _ = moved(board, 0.6, 0.4, 0.15)

    def flat(image):
        return image - cv2.blur(image, (COARSE * LOCAL, COARSE * LOCAL))

    def residuals(at):
        x = columns + at[0] - at[2] * rows + at[3] * columns
        y = rows + at[1] + at[2] * columns + at[3] * rows
        return (
            map_coordinates(flat(picture), [y, x], order=1) - flat(board)[rows, columns]
        ).ravel()

    rows, columns = np.mgrid[20:160:2, 20:300:2]
    fit = least_squares(residuals, [0.0, 0, 0, 0], x_scale=[1, 1, 0.01, 0.01])
    naive = np.array([[1 + fit.x[3], -fit.x[2], fit.x[0]], [fit.x[2], 1 + fit.x[3], fit.x[1]]])
    assert error(Registration(board, whole()).motion(picture), naive) < 0.1
