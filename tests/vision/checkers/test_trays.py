"""Borne-off checkers are counted in the trays, as evidence of how many are left on the board."""

import json

import cv2
import numpy as np
import pytest

from calibration.grid import CHECKER_THICKNESS, Grid
from calibration.layout import Layout
from tests.paths import STILLS
from vision.checkers.side_colours import side_colours_bgr
from vision.checkers.strips import INPUT_CHANNELS, coloured_input
from vision.checkers.trays import (
    TRAY_FIELD_MARGIN,
    TRAY_LENGTH,
    TRAY_RAIL_MARGIN,
    TRAY_WIDTH,
    likelihood,
    tray_counts,
    tray_pixels,
)
from vision.nets import load_net
from vision.reading.single_image import read_still
from vision.training.render import raycast as rc
from vision.training.samples.tray_crops import make_crops
from vision.training.scenes.borne_off import fill_trays
from vision.training.scenes.builder import SceneBuilder
from vision.training.scenes.checkers import CheckerPlacer, CheckerSet
from vision.training.scenes.materials import random_set_colours

OPENING = np.array([2, 0, 0, 0, 0, -5, 0, -3, 0, 0, 0, 5, -5, 0, 0, 0, 3, 0, 5, 0, 0, 0, 0, -2])


@pytest.fixture(scope="module")
def grid(located):
    return Grid(located.pose, located.layout)


@pytest.fixture(scope="module")
def colours(opening_image, grid):
    predicted = side_colours_bgr(grid.rectify(opening_image), grid, OPENING)
    return predicted if predicted[0].sum() > predicted[1].sum() else predicted[::-1]


def test_strips_begin_at_the_rails_and_end_at_the_field(grid):
    at = tray_pixels(grid.pose)

    assert at.shape == (4, TRAY_LENGTH, TRAY_WIDTH, 2)
    for strip, (x, y) in zip(at, [(0, 0), (0, 1), (1, 0), (1, 1)], strict=True):
        corner = grid.pose.project(np.array([(x, y)]), CHECKER_THICKNESS)[0]
        far = np.linalg.norm(strip - corner, axis=2)
        row, column = np.unravel_index(far.argmin(), far.shape)
        assert row <= TRAY_RAIL_MARGIN + 3
        assert column >= TRAY_WIDTH - TRAY_FIELD_MARGIN - 4


def test_empty_trays_hold_nothing(opening_image, grid, colours):
    counts, there = tray_counts(opening_image, grid.pose, colours)

    assert there > 0.5
    assert counts.sum(axis=1) == pytest.approx([1, 1])
    assert counts.argmax(axis=1).tolist() == [0, 0]


@pytest.mark.parametrize("side", [0, 1])
def test_checkers_in_a_tray_are_the_side_whose_colour_they_have(opening_image, grid, colours, side):
    picture = opening_image.copy()
    radius = 0.035
    for slot in range(4):
        place = np.array([(-0.075, (2 * slot + 1.2) * radius / grid.pose.aspect)])
        rim = place + np.array([radius, 0])
        middle, edge = (grid.pose.project(at, CHECKER_THICKNESS)[0] for at in (place, rim))
        size = round(float(np.linalg.norm(edge - middle)))
        at = (round(middle[0]), round(middle[1]))
        cv2.circle(picture, at, size, (colours[side] * 0.7).tolist(), -1, cv2.LINE_AA)
        cv2.circle(picture, at, round(size * 0.9), colours[side].tolist(), -1, cv2.LINE_AA)

    counts, _ = tray_counts(picture, grid.pose, colours)

    assert counts[side, 0] < 0.3
    assert counts[1 - side].argmax() == 0


def test_an_empty_tray_says_that_nothing_was_borne_off():
    """A board without trays gives no evidence: borne-off checkers lie anywhere."""
    empty = np.eye(1, 16)[0]

    assert likelihood(empty, 0.0) == pytest.approx(np.ones(16))
    assert likelihood(empty, 1.0)[0] > 3 * likelihood(empty, 1.0)[1:].max()


def test_some_in_a_tray_are_likely_all_that_is_off():
    four = np.eye(1, 16, 4)[0]

    assert likelihood(four, 1.0).argmax() == 4
    assert likelihood(four, 1.0)[:4].max() == 0
    assert 0 < likelihood(four, 1.0)[5] < 0.1


@pytest.mark.parametrize("seed", range(12))
def test_flat_checkers_in_a_tray_lie_on_each_other_and_not_in(seed):
    rng = np.random.default_rng(seed)
    build = SceneBuilder(rng)
    placer = CheckerPlacer(
        build, CheckerSet(rng, Layout(), 0.8, thin=False), random_set_colours(rng)
    )
    put = fill_trays(placer, (-0.12, 0.0, 1.12, 0.8))
    upright = [o for o in build.objects if abs(o[rc.TURN + 8]) > 0.9]

    assert all(x < 0 or x > 1 for x, _, _ in put)
    assert len(put) == len(build.objects)
    for number, one in enumerate(upright):
        for other in upright[:number]:
            apart = np.hypot(*(one[1:3] - other[1:3])) / (2 * placer.checkers.radius)
            above = abs(one[3] - other[3]) / placer.checkers.thick
            assert apart > 0.8 or above > 0.99


def test_a_drawn_scene_gives_strips_of_known_counts():
    strips, lifts, colours, truths = make_crops(12)

    assert len(strips) == len(lifts) == len(colours) == len(truths)
    counts, there = truths.T
    assert np.any(counts != 0)
    assert np.abs(counts).max() <= 15
    assert set(there[counts != 0]) == {1}
    given = coloured_input(strips, colours, lifts)
    assert given.shape == (len(strips), INPUT_CHANNELS, TRAY_LENGTH, TRAY_WIDTH)
    swapped = coloured_input(strips, colours[:, ::-1], lifts)
    assert np.array_equal(given[:, 3], swapped[:, 4])


@pytest.mark.slow
def test_most_trays_of_scenes_that_were_kept_back_are_counted_within_one():
    made = [make_crops(seed) for seed in range(16)]
    strips, lifts, colours, truths = (np.concatenate(part) for part in zip(*made, strict=True))
    counts, there = truths.T
    owner_first = np.where((counts < 0)[:, None, None], colours[:, ::-1], colours)
    predicted = load_net("trays")(coloured_input(strips, owner_first, lifts))
    wrong = np.abs(predicted[:, :-1].argmax(axis=1) - np.abs(counts))
    full = counts != 0

    assert full.sum() > 20
    assert (wrong[~full] == 0).mean() > 0.9
    assert (wrong[full] <= 1).mean() > 0.4
    assert ((predicted[:, -1] > 0) == there).mean() > 0.9


@pytest.mark.slow
def test_full_trays_of_the_rendered_stills_are_distinguished_from_empty_ones():
    paths = sorted(STILLS.glob("dev_*.jpg"))[:24]
    if not paths:
        pytest.skip(f"{STILLS} is not here")
    for path in paths:
        truth = json.loads(path.with_suffix(".json").read_text())
        if truth["hands"] or not truth["has_trays"]:
            continue
        still = read_still(np.asarray(cv2.imread(str(path)), np.uint8), None)
        predicted = np.abs(still.chances[26:].argmax(axis=1) - 15)
        true = [truth["off"]["light"], truth["off"]["dark"]]
        assert (predicted > 0).tolist() == [count > 0 for count in true], path.stem
