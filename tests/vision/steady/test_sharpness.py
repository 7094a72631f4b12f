"""The blur of a lens is measured on the board's own edges, and undone as far as dice need it."""

import cv2
import numpy as np
import pytest

from vision.steady.sharpness import Sharpener, deblurred, measure_blur

MARGIN = 0.14


def soft(image, blur, noise=0.0):
    blurred = cv2.GaussianBlur(image, (0, 0), blur) if blur else image
    grains = np.random.default_rng(5).normal(0, noise, image.shape) if noise else 0.0
    return np.clip(blurred + grains, 0, 255).astype(np.uint8)


@pytest.mark.parametrize("noise", [0, 4])
@pytest.mark.parametrize("blur", [1.2, 2.2, 3.2])
def test_the_blur_is_measured_whatever_the_noise(adapted, opening_image, blur, noise):
    pose = adapted.profile.pose
    own = measure_blur(opening_image, pose)
    measured = measure_blur(soft(opening_image, blur, noise), pose)
    assert measured == pytest.approx(np.hypot(own, blur), rel=0.1)


def test_a_picture_without_edges_has_no_blur(adapted, opening_image):
    assert measure_blur(np.full_like(opening_image, 90), adapted.profile.pose) == 0


def test_a_sharp_picture_stays_as_it_is(adapted, opening_image):
    picture = soft(opening_image, 0.0)
    assert Sharpener().sharpen(picture, adapted.profile.pose, MARGIN) is picture


def test_a_soft_picture_is_nearer_to_the_sharp_one_on_the_board_and_untouched_beside(
    adapted, opening_image
):
    picture = soft(opening_image, 2.5)
    sharp = Sharpener().sharpen(picture, adapted.profile.pose, MARGIN)
    before, after = (np.abs(one.astype(int) - opening_image).mean() for one in (picture, sharp))
    assert after < 0.9 * before
    assert (sharp[:5, :5] == picture[:5, :5]).all()


def test_a_lens_that_is_put_right_is_noticed(adapted, opening_image):
    sharpener, picture = Sharpener(), soft(opening_image, 0.0)
    pose = adapted.profile.pose
    sharpener.sharpen(soft(picture, 2.5), pose, MARGIN)
    assert any(sharpener.sharpen(picture, pose, MARGIN) is picture for _ in range(10))


def test_an_edge_is_as_steep_as_it_was():
    step = np.zeros((40, 80, 3), np.uint8)
    step[:, 40:] = 200
    blurred = soft(step, 2.0)
    slopes = [
        np.diff(one[20, :, 1].astype(int)).max() for one in (blurred, deblurred(blurred, 2.0))
    ]
    assert slopes[1] > 1.7 * slopes[0]
