"""Dice: drawn here with perspective, blur and noise; rendered ones where the set is available."""

import json
import math
from typing import Any

import cv2
import numpy as np
import pytest

from calibration.layout import USUAL_DIE_SIDE, Layout
from calibration.pose import Pose
from engine.evidence.observation import Surface
from tests.paths import STILLS
from tests.vision.drawn_dice import BLACK, COAL, WHITE, camera, find_dice, scene
from vision.dice.candidates import DieCandidate
from vision.dice.classify import FACE_CLASSES, classify_crops, read_dice
from vision.dice.cocked import Surroundings
from vision.dice.selection import MAX_SEARCH_MARGIN, SEARCH_MARGIN, search_margin, select_dice
from vision.dice.size import MAX_MEASURED_DICE, DieSize

LAYOUT = Layout()


def expected(pose, field):
    return pose.project(np.array([field]), USUAL_DIE_SIDE)[0]


@pytest.mark.parametrize("tilt", [0.0, 20.0, 35.0])
@pytest.mark.parametrize("colours", [WHITE, BLACK], ids=["dark pips", "light pips"])
def test_what_is_found_is_read_right_at_any_turn(tilt, colours):
    """A lone light pip on a dark red die is sometimes missed; nothing is read wrong or invented.

    A mark may lie a third of a side, 6 pixels, beside its die.
    """
    pose = camera(tilt)
    dice = [
        ((0.12 + 0.15 * i, 0.3 + 0.4 * (i % 2)), i + 1, 0.3 + 0.25 * i, colours) for i in range(6)
    ]
    seen = find_dice(scene(pose, dice), pose, LAYOUT)
    found = 0
    for field, value, _, _ in dice:
        center = expected(pose, field)
        near = [die for die in seen if math.dist(die.center, center) < 6]
        assert [die.value for die in near] in ([value], [])
        assert all(math.dist(die.board, field) < 0.012 for die in near)
        found += len(near)
    assert len(seen) == found >= len(dice) - 1


@pytest.mark.parametrize("times", [0.85, 1.0])
@pytest.mark.parametrize("colours", [BLACK, COAL], ids=["red", "black"])
def test_small_dice_from_a_low_camera_are_found_by_their_upper_face(times, colours):
    """Their side faces, on which the finder's peaks may lie, are as large and show more pips."""
    pose, found = camera(45.0), 0
    for turn in (0.3, 0.67, 1.04):
        dice = [
            ((0.12 + 0.15 * i, 0.3 + 0.4 * (i % 2)), i + 1, turn + 0.25 * i, colours)
            for i in range(6)
        ]
        seen = find_dice(scene(pose, dice, side=times * USUAL_DIE_SIDE), pose, LAYOUT)
        for field, value, _, _ in dice:
            center = expected(pose, field)
            near = [die for die in seen if math.dist(die.center, center) < 8]
            assert [die.value for die in near] in ([value], [])
            found += len(near)
        assert len(seen) <= len(dice)
    assert found >= 17


@pytest.mark.parametrize("times", [0.7, 1.0, 1.4, 1.7])
@pytest.mark.parametrize("value", [4, 6])
def test_dice_of_any_size_are_measured_and_read(times, value):
    """Read like usual dice, the largest have a probability of 0.8 to 0.9."""
    pose, size = camera(), DieSize()
    fields = [(0.2, 0.4), (0.75, 0.6)]
    picture = scene(pose, [(at, value, 0.4, WHITE) for at in fields], side=times * USUAL_DIE_SIDE)

    seen = find_dice(picture, pose, LAYOUT)
    size.measure(picture, pose, np.array([die.board for die in seen]))

    assert [die.value for die in seen] == [value, value]
    assert min(die.confidence for die in seen) > 0.95
    assert size.side == pytest.approx(times * USUAL_DIE_SIDE, rel=0.15)


def test_an_uncertain_die_gives_a_size_only_until_a_certain_one_is_seen():
    pose, size = camera(), DieSize()
    at = np.array([(0.3, 0.5)])
    small, large = (
        scene(pose, [(at[0], 5, 0.2, WHITE)], side=times * USUAL_DIE_SIDE) for times in (0.75, 1.5)
    )
    assert size.side == USUAL_DIE_SIDE
    size.measure(small, pose, at)
    size.confirm(np.array([0.6]))
    assert size.side < 0.9 * USUAL_DIE_SIDE
    size.measure(large, pose, at)
    size.confirm(np.array([0.99]))
    assert size.side > 1.3 * USUAL_DIE_SIDE
    size.measure(small, pose, at)
    size.confirm(np.array([0.6]))
    assert size.side > 1.3 * USUAL_DIE_SIDE


def test_what_stays_where_it_is_counts_as_one_die_however_often_it_is_seen():
    pose, size = camera(), DieSize()
    screw, *thrown = np.array([(0.9, 0.1), (0.3, 0.5), (0.7, 0.4)])
    small = scene(pose, [(tuple(screw), 5, 0.2, WHITE)], side=0.6 * USUAL_DIE_SIDE)
    for _ in range(MAX_MEASURED_DICE):
        size.measure(small, pose, screw[None])
        size.confirm(np.array([0.95]))
    assert size.side < 0.75 * USUAL_DIE_SIDE
    dice = scene(pose, [(tuple(at), 5, 0.2, WHITE) for at in thrown])
    size.measure(dice, pose, np.array(thrown))
    size.confirm(np.array([0.99, 0.99]))
    assert size.is_usual


def test_sizes_are_kept_until_there_are_enough():
    pose, size = camera(), DieSize()
    places = np.array([(x, y) for x in np.linspace(0.05, 0.95, 6) for y in (0.2, 0.4, 0.6, 0.8)])
    picture = scene(pose, [(tuple(at), 5, 0.2, WHITE) for at in places], side=1.5 * USUAL_DIE_SIDE)
    for at in places:
        size.measure(picture, pose, at[None])
        size.confirm(np.array([0.99]))
    side, bare = size.side, scene(pose)
    assert len(places) == MAX_MEASURED_DICE
    for at in places:
        size.measure(bare, pose, np.array([at, at + 0.05]))
        size.confirm(np.array([0.99, 0.99]))
    assert size.side == side


@pytest.mark.parametrize("aside", [(0.3, 0.0), (0.0, -0.3), (0.2, 0.2)])
def test_a_die_that_was_marked_aside_is_read_at_its_own_middle(aside):
    pose, true = camera(), np.array([(0.3, 0.5)])
    picture = scene(pose, [((0.3, 0.5), 5, 0.2, WHITE)])
    marked = true + np.array(aside) * USUAL_DIE_SIDE / (1, pose.aspect)

    (at_mark,), (at_middle,) = (
        read_dice(picture, pose, at, classify_crops(picture, pose, at)[:, FACE_CLASSES])[0]
        for at in (marked, true)
    )

    assert at_mark.argmax() == 5 - 1
    assert at_mark / at_mark.sum() == pytest.approx(at_middle / at_middle.sum(), abs=0.02)


def test_probabilities_of_the_values_sum_to_one():
    pose = camera()
    (die,) = find_dice(scene(pose, [((0.3, 0.5), 4, 0.2, WHITE)]), pose, LAYOUT)
    assert sum(die.faces) == pytest.approx(1)
    assert die.confidence > 0.9


def test_an_empty_board_has_no_dice():
    pose = camera()
    assert find_dice(scene(pose), pose, LAYOUT) == ()


def test_checkers_are_no_dice():
    pose = camera()
    checkers = [(0.1 + 0.08 * i, 0.08 + 0.085 * j, 0.036) for i in range(4) for j in range(3)]
    assert find_dice(scene(pose, checkers=checkers), pose, LAYOUT) == ()


def test_a_cube_twice_the_size_of_a_die_is_no_die():
    pose = camera()
    picture = scene(pose)
    x, y = (round(float(v)) for v in expected(pose, (0.5, 0.5)))
    cv2.rectangle(picture, (x - 16, y - 16), (x + 16, y + 16), (235, 235, 235), -1)
    cv2.putText(picture, "64", (x - 13, y + 7), cv2.FONT_HERSHEY_SIMPLEX, 0.65, (20, 20, 20), 2)
    assert find_dice(picture, pose, LAYOUT) == ()


def test_a_mirrored_board_shows_the_same_values():
    pose = camera()
    mirrored = Pose(**{f: getattr(pose, f) for f in pose.__slots__} | {"mirrored": True})
    picture = scene(pose, [((0.3, 0.5), 2, 0.2, WHITE)])
    (die,) = find_dice(picture, mirrored, LAYOUT)
    assert die.value == 2
    assert die.board[0] == pytest.approx(0.7, abs=0.01)


@pytest.mark.parametrize(
    ("place", "surface"),
    [
        ((0.3, 0.5), Surface.BOARD),
        ((0.5, 0.5), Surface.BAR),
        ((-0.02, 0.5), Surface.FRAME),
        ((0.3, 1.2), Surface.TABLE),
        ((0.2, 0.2), Surface.CHECKER),
    ],
)
def test_where_a_die_lies_says_what_it_rests_on(place, surface):
    around = Surroundings(camera(), LAYOUT, np.array([(0.2, 0.2, 0.036)]))
    assert around.surface(place) is surface


@pytest.mark.parametrize(
    ("place", "chance", "is_accepted"),
    [
        ((0.3, 0.5), 0.7, True),
        ((0.3, 0.5), 0.55, False),
        ((0.5, 0.5), 0.7, True),
        ((-0.02, 0.5), 0.7, False),
        ((0.3, 1.2), 0.7, False),
        ((0.3, 1.2), 0.95, True),
    ],
)
def test_what_lies_beside_the_field_must_look_more_like_a_die(place, chance, is_accepted):
    kinds = np.array([1 - chance, chance, *[0.0] * 11])
    assert bool(select_dice((DieCandidate(place, kinds, 0.0),), camera(), LAYOUT)) is is_accepted


def test_a_die_against_a_checker_a_rail_or_the_bar_may_lean():
    around = Surroundings(camera(), LAYOUT, np.array([(0.2, 0.2, 0.036)]))
    assert around.contact_log_odds((0.3, 0.5)) > 2
    for place in [
        (0.2 + 0.036 + USUAL_DIE_SIDE / 2, 0.2),
        (USUAL_DIE_SIDE / 2, 0.5),
        (0.54 + USUAL_DIE_SIDE / 2, 0.5),
    ]:
        assert around.contact_log_odds(place) < -1


@pytest.mark.parametrize("tilt", [0.0, 30.0])
def test_a_die_that_lies_flat_against_a_checker_does_not_lean(tilt):
    """It could: what it could lean on argues against it, its appearance for it."""
    pose, checkers = camera(tilt), [(0.2, 0.5, 0.036), (0.7, 0.4, 0.036)]
    at = [(x - radius - 0.7 * USUAL_DIE_SIDE, y) for x, y, radius in checkers]
    picture = scene(pose, [(place, 5, 0.1, WHITE) for place in at], checkers)

    seen = find_dice(picture, pose, LAYOUT, np.array(checkers))

    around = Surroundings(pose, LAYOUT, np.array(checkers))
    assert all(around.contact_log_odds(die.board) < -1 for die in seen)
    assert [die.value for die in seen if die.flat > 0.5] == [5, 5]


def test_a_large_die_reaches_farther_than_a_small_one():
    around = Surroundings(camera(), LAYOUT, np.array([(0.2, 0.2, 0.036)]))
    at = (0.2 + 0.036 + 1.2 * USUAL_DIE_SIDE, 0.2)
    assert around.contact_log_odds(at, 0.8 * USUAL_DIE_SIDE) > 2
    assert around.contact_log_odds(at, 1.6 * USUAL_DIE_SIDE) < -1


def still(path):
    """A rendered still: picture, pose, layout, checkers and dice from its truth."""
    truth = json.loads(path.read_text())
    lens, board = truth["camera"], truth["board_cm"]
    width, height = board["field_w"], board["field_h"]
    turn, focal = np.array(lens["R"]), lens["K"][0][0]
    shift: Any = (np.array(lens["t"]) - turn @ np.array([width / 2, height / 2, 0])) / width
    spin: Any = cv2.Rodrigues(turn)[0].ravel()
    pose = Pose(
        (lens["width"], lens["height"]), focal, lens["dist"][0], tuple(spin), tuple(shift),
        height / width, truth["light_home"] != "right",
    )  # fmt: skip
    layout = Layout(board["bar_w"] / width, board["point_len"] / height)
    checkers = [
        checker
        for checker in truth["checkers"]
        if checker["place"] != "off" and checker["in_image"]
    ]
    thick, radius = board["checker_h"] / width, board["checker_d"] / 2 / width
    spots = [pose.locate(np.array([m["px"]]), thick * (m["layer"] + 1))[0] for m in checkers]
    discs = np.array([(*spot, radius) for spot in spots]).reshape(-1, 3)
    return cv2.imread(str(path.with_suffix(".jpg"))), pose, layout, discs, truth["dice"]


def tally(path):
    """Counts of dice to be found, found, read right, certain, certain and wrong; false detections.

    The value of a cocked die is not read: both dice are thrown again.
    """
    picture, pose, layout, checkers, dice = still(path)
    seen = list(find_dice(picture, pose, layout, checkers))
    counts = np.zeros(6, int)
    size = math.dist(*pose.corners()[[0, 2]])
    for die in dice:
        if not (die["in_image"] and die["top_visible"]):
            continue
        near = [s for s in seen if math.dist(s.center, die["px"]) < 0.03 * size]
        wanted = die["part_of_throw"]
        counts[0] += wanted
        if near:
            best = min(near, key=lambda s: math.dist(s.center, die["px"]))
            seen.remove(best)
            right = best.value == die["value"]
            sure = best.confidence >= 0.99 and best.flat > 0.5
            counts[1:5] += np.array([1, right, sure, sure and not right]) * wanted
    shown = [d["px"] for d in dice if d["in_image"]]
    counts[5] = sum(all(math.dist(s.center, p) > 0.03 * size for p in shown) for s in seen)
    return counts


@pytest.mark.skipif(not STILLS.is_dir(), reason="the rendered stills are not at hand")
def test_the_stills_that_nothing_was_fitted_on_are_read_as_well_as_reported():
    paths = [p for p in sorted(STILLS.glob("dev_*.json")) if int(p.stem[-4:]) % 2 == 0]
    dice, found, right, _, wrong, extra = sum(tally(path) for path in paths)
    assert found >= 0.96 * dice  # measured 0.973
    assert right >= 0.87 * dice  # measured 0.928
    assert extra <= 0.1 * len(paths)  # measured 0
    assert wrong == 0


def test_dice_are_looked_for_as_far_as_the_throw_zone_reaches(located):
    pose = located.pose
    assert search_margin(None, pose) == SEARCH_MARGIN
    inside = np.array([(0.6, 0.2), (0.9, 0.2), (0.9, 0.8)])
    assert search_margin(inside, pose) == SEARCH_MARGIN
    assert search_margin(inside + np.array((0.5, 0)), pose) == pytest.approx(0.4)
    assert search_margin(inside + np.array((0, 0.7)), pose) == pytest.approx(0.5 * pose.aspect)
    assert search_margin(inside + np.array((9, 0)), pose) == MAX_SEARCH_MARGIN
