"""The appearance of a die: drawn dice of known colors and sizes, in known light."""

import math
from dataclasses import replace

import cv2
import numpy as np
import pytest

from calibration.layout import USUAL_DIE_SIDE, Layout
from engine.dice_sets.clusters import colour_distance
from tests.vision.drawn_dice import DOTS, WHITE, camera, find_dice, scene
from vision.dice.appearance import (
    LIGHT_RANGE,
    illumination_gain,
    measure_appearance,
    with_appearances,
)

IVORY, RED, NIGHT = (200, 230, 240), (40, 30, 170), (70, 40, 30)
FINE = 8


def close_view(value, body, pips, turn=0.3, side=18.0, shift=(0.0, 0.0)):
    """A (48, 48, 3) die from straight above on green felt, blurred as by the camera's pixels."""
    picture = np.full((48 * FINE, 48 * FINE, 3), (70, 110, 40), np.uint8)
    middle = (24 * FINE + np.array(shift) * FINE).tolist()
    box = cv2.boxPoints((middle, (side * FINE, side * FINE), math.degrees(turn)))
    cv2.fillPoly(picture, [np.rint(box).astype(np.int32)], body)
    cos, sin = math.cos(turn), math.sin(turn)
    for x, y in np.array(DOTS[value]) * side * FINE / 4:
        at = round(middle[0] + cos * x - sin * y), round(middle[1] + sin * x + cos * y)
        cv2.circle(picture, at, round(0.1 * side * FINE), pips, -1)
    small = cv2.resize(picture, (48, 48), interpolation=cv2.INTER_AREA)
    return cv2.GaussianBlur(small, (0, 0), 0.8)


def lab(bgr):
    return cv2.cvtColor(np.array([[bgr]], np.float32) / 255, cv2.COLOR_BGR2LAB)[0, 0]


@pytest.mark.parametrize("body", [IVORY, RED, NIGHT], ids=["ivory", "red", "night"])
@pytest.mark.parametrize("value", range(1, 7))
def test_the_body_is_measured_whatever_the_die_shows(value, body):
    pips = (20, 20, 20) if body is IVORY else (240, 240, 240)
    make = measure_appearance(close_view(value, body, pips, 0.2 * value, shift=(1.5, -1.0)))
    assert np.linalg.norm(np.array(make.body) - lab(body)) < 3, "pips must not colour it"
    towards = np.sign(lab(pips)[0] - lab(body)[0])
    assert towards * (make.pips[0] - make.body[0]) > 15


@pytest.mark.parametrize("side", [16, 18, 20])
@pytest.mark.parametrize("turn", [0.0, 0.4, 0.785])
def test_the_side_is_measured_within_a_pixel_of_the_close_view(side, turn):
    make = measure_appearance(close_view(4, IVORY, (20, 20, 20), turn, side))
    assert make.size == pytest.approx(USUAL_DIE_SIDE * side / 18, abs=USUAL_DIE_SIDE * 1.1 / 18)


def test_a_face_of_one_colour_has_pips_of_that_colour():
    flat = np.full((48, 48, 3), 200, np.uint8)
    make = measure_appearance(flat)
    assert make.body == pytest.approx(make.pips, abs=0.1)


def test_dice_of_a_picture_have_the_colours_that_they_were_drawn_in():
    pose = camera()
    picture = scene(pose, [((0.3, 0.5), 4, 0.2, WHITE)])
    (die,) = with_appearances(find_dice(picture, pose, Layout()), picture, pose)
    assert np.abs(np.array(die.appearance.body) - lab(WHITE[0])).max() < 4
    assert die.appearance.size == pytest.approx(USUAL_DIE_SIDE, rel=0.1)
    assert with_appearances((), picture, pose) == ()
    assert replace(die, appearance=None) == find_dice(picture, pose, Layout())[0]


def test_another_lamp_does_not_make_another_die_of_it():
    lamp = np.array((0.62, 0.8, 0.9))
    learnt = np.random.default_rng(1).integers(60, 220, (400, 500, 3)).astype(np.uint8)
    now = np.rint(learnt * lamp).astype(np.uint8)
    now[100:200, 100:300] = 90  # checkers that have moved
    light = illumination_gain(now, learnt)
    assert light == pytest.approx(lamp, rel=0.02)
    view = close_view(5, IVORY, (20, 20, 20))
    dimmed = np.rint(view * lamp).astype(np.uint8)
    assert colour_distance(measure_appearance(dimmed, light), measure_appearance(view)) < 1.5
    assert colour_distance(measure_appearance(dimmed), measure_appearance(view)) > 9


def test_where_nothing_shows_the_light_it_is_taken_as_it_was():
    black, white = np.zeros((80, 80, 3), np.uint8), np.full((80, 80, 3), 255, np.uint8)
    assert illumination_gain(black, white).tolist() == [1, 1, 1]
    dim = illumination_gain(np.full((80, 80, 3), 30, np.uint8), np.full((80, 80, 3), 240, np.uint8))
    assert dim.tolist() == [LIGHT_RANGE[0]] * 3
