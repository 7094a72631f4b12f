"""Checkers borne off are seen in the trays, and say how many are left on the board."""

import json
import os
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.grid import THICKNESS, Grid
from vision.coloured_strips import CHANNELS, coloured_input
from vision.still import read_still
from vision.training.tray_crops import crops_of
from vision.tray_strips import LENGTH, WIDTH, tray_pixels
from vision.trays import tray_counts
from vision.two_colours import set_colours

STILLS = (
    Path(os.environ.get("TABLESIDE_SHARED", Path(__file__).parents[3] / "shared"))
    / "data/rendered/stills"
)
OPENING = np.array([2, 0, 0, 0, 0, -5, 0, -3, 0, 0, 0, 5, -5, 0, 0, 0, 3, 0, 5, 0, 0, 0, 0, -2])


@pytest.fixture(scope="module")
def grid(located):
    return Grid(located.pose, located.layout)


@pytest.fixture(scope="module")
def colours(opening_image, grid):
    told = set_colours(grid.rectify(opening_image), grid, OPENING)
    return told if told[0].sum() > told[1].sum() else told[::-1]


def test_strips_begin_at_the_rails_and_end_at_the_field(grid):
    at = tray_pixels(grid.pose)

    assert at.shape == (4, LENGTH, WIDTH, 2)
    for strip, (x, y) in zip(at, [(0, 0), (0, 1), (1, 0), (1, 1)], strict=True):
        corner = grid.pose.project(np.array([(x, y)]), THICKNESS)[0]
        far = np.linalg.norm(strip - corner, axis=2)
        row, column = np.unravel_index(far.argmin(), far.shape)
        assert row < 12
        assert column > WIDTH - 12


def test_empty_trays_hold_nothing(opening_image, grid, colours):
    counts = tray_counts(opening_image, grid.pose, colours)

    assert counts.sum(axis=1) == pytest.approx([1, 1])
    assert counts.argmax(axis=1).tolist() == [0, 0]


@pytest.mark.parametrize("side", [0, 1])
def test_checkers_in_a_tray_are_the_side_whose_colour_they_have(opening_image, grid, colours, side):
    picture = opening_image.copy()
    radius = 0.035
    for slot in range(4):
        place = np.array([(-0.075, (2 * slot + 1.2) * radius / grid.pose.aspect)])
        rim = place + np.array([radius, 0])
        middle, edge = (grid.pose.project(at, THICKNESS)[0] for at in (place, rim))
        size = round(float(np.linalg.norm(edge - middle)))
        at = (round(middle[0]), round(middle[1]))
        cv2.circle(picture, at, size, (colours[side] * 0.7).tolist(), -1, cv2.LINE_AA)
        cv2.circle(picture, at, round(size * 0.9), colours[side].tolist(), -1, cv2.LINE_AA)

    counts = tray_counts(picture, grid.pose, colours)

    assert counts[side, 0] < 0.3
    assert counts[1 - side].argmax() == 0


def test_a_drawn_scene_gives_strips_of_known_counts():
    strips, lifts, colours, counts = crops_of(11)

    assert len(strips) == len(lifts) == len(colours) == len(counts)
    assert np.any(counts != 0)
    assert np.abs(counts).max() <= 15
    given = coloured_input(strips, colours, lifts)
    assert given.shape == (len(strips), CHANNELS, LENGTH, WIDTH)
    swapped = coloured_input(strips, colours[:, ::-1], lifts)
    assert np.array_equal(given[:, 3], swapped[:, 4])


@pytest.mark.slow
def test_full_trays_of_the_rendered_stills_are_told_from_empty_ones():
    paths = sorted(STILLS.glob("dev_*.jpg"))[:24]
    if not paths:
        pytest.skip(f"{STILLS} is not here")
    for path in paths:
        truth = json.loads(path.with_suffix(".json").read_text())
        if truth["hands"] or not truth["has_trays"]:
            continue
        still = read_still(np.asarray(cv2.imread(str(path)), np.uint8), None)
        told = np.abs(still.chances[26:].argmax(axis=1) - 15)
        true = [truth["off"]["light"], truth["off"]["dark"]]
        assert (told > 0).tolist() == [count > 0 for count in true], path.stem
