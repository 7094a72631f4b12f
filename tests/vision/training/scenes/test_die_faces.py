"""Drawn dice show their number of pips, whatever their appearance."""

import cv2
import numpy as np
import pytest

from vision.training.render import raycast as rc
from vision.training.scenes.die_faces import (
    DRILLED,
    ROUND,
    SQUARE,
    Pips,
    paint_face,
    pip_places,
    random_dice,
)
from vision.training.scenes.materials import make_noises, random_set_colours

INK = np.array([0.9, 0.9, 0.9])


@pytest.mark.parametrize("face", range(1, 7))
@pytest.mark.parametrize("shape", [ROUND, DRILLED, SQUARE])
def test_a_face_shows_as_many_pips_as_its_number(face, shape):
    ground = np.zeros((96, 96, 3))
    painted = paint_face(ground, Pips(INK, 0.1, 0.25, shape, 0.7), face)
    blobs = cv2.connectedComponents((painted.max(axis=2) > 0.1).astype(np.uint8))[0] - 1
    assert blobs == face


@pytest.mark.parametrize("face", range(1, 7))
def test_pips_lie_within_their_face_and_alike_about_its_middle(face):
    places = np.array(pip_places(face, 0.29))
    assert np.abs(places).max() < 0.5 - 0.13
    assert sorted(map(tuple, -places + 0.0)) == sorted(map(tuple, places + 0.0))


def test_every_make_of_dice_has_pips_that_stand_out_from_their_face():
    rng = np.random.default_rng(11)
    noise = make_noises(rng)
    for _ in range(60):
        colours = random_set_colours(rng)
        made = random_dice(rng, colours.light, colours.board, noise)
        assert made.faces.shape == (6, 96, 96, 3)
        assert made.faces.min() >= 0
        assert made.faces.max() <= 1
        assert made.material[rc.KIND] == rc.DIE
        for face in made.faces:
            assert face.std(axis=(0, 1)).max() > 0.01


def test_a_large_red_one_is_among_what_is_drawn():
    rng = np.random.default_rng(12)
    noise = make_noises(rng)
    reds = 0
    for _ in range(200):
        colours = random_set_colours(rng)
        one, two = random_dice(rng, colours.dark, colours.board, noise).faces[:2]
        middle, corner = one[48, 48], two.reshape(-1, 3)
        is_red = middle[2] > 3 * middle[:2].max()
        reds += bool(is_red and not (corner[:, 2] > 3 * corner[:, :2].max(axis=1)).any())
    assert 8 < reds < 50
