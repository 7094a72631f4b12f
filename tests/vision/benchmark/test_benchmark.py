"""The benchmark scores made-up truths, and a rendered still if one is available."""

import csv
import json
import shutil
from dataclasses import replace
from typing import Any

import cv2
import numpy as np
import pytest

from calibration.errors import CalibrationError
from calibration.grid import Grid
from calibration.layout import Layout
from engine import CHECKERS, Side, Surface, cell_counts
from engine.rules import SHORT
from engine.simulation.board import counts_of, die
from tests.paths import STILLS
from tests.vision.drawn_dice import camera
from vision.benchmark.figures import (
    CALIBRATION_BINS,
    figures_of,
    point_figures,
    reliability,
    still_figures,
)
from vision.benchmark.report import draw_reliability, table, wilson, write_report
from vision.benchmark.runs import LearntBoard, learn_boards, measure
from vision.benchmark.score import PointScore, match_points, score, state_of, unread
from vision.benchmark.truth import load_truths
from vision.checkers.disc_model import DiscCounts
from vision.errors import BadTruth
from vision.reading.single_image import STAGES, ImageReading

GRID = Grid(camera(), Layout())
OPENING = SHORT.opening()
MIDDLE, ASIDE = (640.0, 360.0), (700.0, 380.0)


def label(**fields):
    """A rendered still's truth: the starting position seen through the test camera, two dice."""
    bases = GRID.pose.project(np.array([GRID.layout.base(p) for p in range(1, 25)]))
    counts = list(OPENING.signed())
    return {
        "style": "felt",
        "light_home": "right",
        "camera_kind": "overhead",
        "position_kind": "opening",
        "camera": {"tilt_deg": 23.4},
        "occluded": False,
        "inner_corners_px": GRID.pose.corners().tolist(),
        "point_axes_px": [[base.tolist(), MIDDLE] for base in bases],
        "points": counts,
        "bar": {"light": 0, "dark": 0},
        "off": {"light": 0, "dark": 0},
        "checkers": [
            {"place": "point", "point": cell + 1, "layer": slot // 4}
            for cell, count in enumerate(counts)
            for slot in range(abs(count))
        ],
        "dice": [die_label(3, MIDDLE), die_label(5, ASIDE)],
        **fields,
    }


def die_label(value, place, width=20.0, **fields):
    x, y = place
    face = [[x, y], [x + width, y], [x + width, y + width], [x, y + width]]
    return {"value": value, "state": "flat", "px": list(place), "top_face_px": face, **fields}


@pytest.fixture
def folder(tmp_path):
    def write(*labels):
        for number, given in enumerate(labels):
            (tmp_path / f"{number}.json").write_text(json.dumps(given))
            cv2.imwrite(str(tmp_path / f"{number}.jpg"), np.zeros((720, 1280, 3), np.uint8))
        return tmp_path

    return write


@pytest.fixture
def truth(folder):
    return load_truths(folder(label()))[0]


def still(cells=None, dice=(), grid=GRID, confidence=0.97):
    """A reading of `cells`, right unless given otherwise."""
    counts = counts_of(cell_counts(OPENING) if cells is None else cells, confidence=confidence)
    counted = DiscCounts(counts, np.zeros(28, np.float32), {})
    return ImageReading(
        grid, counted, counted.chances, dice, None, False, dict.fromkeys(STAGES, 10.0)
    )


def read_with(*errors):
    """Signed counts of the starting position with other counts in some cells."""
    cells = cell_counts(OPENING).copy()
    for cell, count in errors:
        cells[cell] = count
    return cells


def test_a_right_reading_is_perfect(truth):
    scored = score(truth, still())
    assert scored.is_found
    assert scored.is_perfect
    assert scored.corner_error == pytest.approx(0, abs=1e-6)
    assert all(point.confidence == pytest.approx(0.97, abs=1e-5) for point in scored.points)


@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize("turned", [False, True])
def test_the_numbering_does_not_matter(truth, mirrored, turned):
    pose = GRID.pose.half_turned() if turned else GRID.pose
    pose = replace(pose, mirrored=mirrored)
    cells = cell_counts(OPENING)
    points = cells[:24].reshape(2, 12)  # 1..12 along light's rail, 13..24 along dark's
    points = points[::-1] if turned else points
    points = points[:, ::-1] if mirrored else points
    cells = np.concatenate([points.ravel(), cells[24:]])
    assert score(truth, still(cells, grid=Grid(pose, Layout()))).is_perfect


def test_a_wrong_count_and_a_wrong_side_are_wrong_points(truth):
    scored = score(truth, still(read_with((0, -1), (5, -5))))  # 1: 2 light, 6: 5 dark
    assert scored.points_right == 22
    wrong = [point for point in scored.points if not point.is_right]
    assert [abs(point.predicted or 0) for point in wrong] == [1, 5]
    assert all(point.chance_of_truth == pytest.approx(0.001, rel=0.01) for point in wrong)


def test_a_checker_on_the_bar_that_is_none_spoils_the_board_alone(truth):
    scored = score(truth, still(read_with((24, 1))))
    assert scored.points_right == 24
    assert not scored.is_perfect


def test_points_are_matched_by_place_each_once():
    predicted = np.array([[0.0, 0], [10, 0], [20, 0]])
    true = np.array([[19.0, 0], [16, 0], [2, 0]])
    assert match_points(predicted, true) == [2, 1, 0]


def test_dice_are_matched_by_place_and_judged_by_value_and_by_how_they_lie(truth):
    near = replace(die(3), center=(642.0, 361.0))
    leaning = replace(die(6), center=ASIDE, flat=0.2)
    stray = replace(die(1), center=(300.0, 200.0))
    scored = score(truth, still(dice=(stray, leaning, near)))
    dice = scored.dice
    assert (dice.true, dice.found, dice.value_right, dice.state_right, dice.extra) == (
        *(2, 2),
        *(1, 1, 1),
    )
    sure = [near.confidence, leaning.confidence]
    assert still_figures([scored])["dice_confidence_%"] == pytest.approx(50 * sum(sure), abs=0.01)


def test_dice_that_are_tiny_or_lie_by_are_neither_demanded_nor_held_against_anybody(folder):
    tiny = die_label(2, MIDDLE, width=8)
    aside = die_label(4, ASIDE, part_of_throw=False)
    (truth,) = load_truths(folder(label(dice=[tiny, aside])))
    dice = score(truth, still(dice=(replace(die(4), center=ASIDE),))).dice
    assert (dice.true, dice.extra) == (0, 0)


@pytest.mark.parametrize(
    ("surface", "flat", "state"),
    [
        (Surface.BOARD, 0.9, "valid"),
        (Surface.BOARD, 0.1, "cocked"),
        (Surface.CHECKER, 0.1, "on_checker"),
        (Surface.FRAME, 0.9, "off_board"),
    ],
)
def test_how_a_die_lies_is_said_in_the_words_of_the_truth(surface, flat, state):
    assert state_of(die(1, surface=surface, flat=flat)) == state


def test_a_still_that_was_not_read_counts_as_wrong_but_not_as_badly_calibrated(truth):
    figures = figures_of([score(truth, still()), unread(truth, "no board")])
    assert figures["all"]["points_right_%"] == 50
    assert figures["all"]["boards_found_%"] == 50
    assert figures["all"]["dice"] == 4
    assert figures["all"]["calibration_error_%"] == pytest.approx(3, abs=0.01)
    assert figures["speed_ms"]["total"]["median"] == 30


def test_groups_are_by_set_view_tilt_occlusion_count_and_layer(truth):
    figures = figures_of([score(truth, still(read_with((5, 4))))])
    assert list(figures["by tilt"]) == ["20-30"]
    assert list(figures["by occlusion"]) == ["clear"]
    assert list(figures["by set"]) == ["felt"]
    assert figures["by count"]["5"]["points_right_%"] == 75
    assert list(figures["by count"]) == ["0", "2", "3", "5"]
    assert figures["by layer"]["2"]["points"] == 4  # the fives, four to a layer in this truth


def test_the_calibration_error_is_the_gap_between_word_and_deed():
    points = [PointScore(1, 1, predicted, 0.8, 0.8) for predicted in (1, 1, 1, 0)]
    (only,) = reliability(points, np.linspace(0, 1, CALIBRATION_BINS + 1))
    assert (only.right, only.number) == (3, 4)
    assert point_figures(points)["calibration_error_%"] == pytest.approx(5)


def test_an_interval_holds_its_share_and_narrows_with_more_points():
    low, high = wilson(9, 10)
    assert low < 0.9 < high
    assert wilson(900, 1000)[0] > low


def test_a_report_has_a_row_for_each_still_and_a_picture(truth, tmp_path):
    out = tmp_path / "report"
    scored = [score(truth, still()), unread(truth, "no board")]
    write_report(out, scored)
    with (out / "images.csv").open(newline="") as file:
        right, missed = csv.DictReader(file)
    assert (right["perfect"], right["locate_ms"], right["fault"]) == ("1", "10.0", "")
    assert (missed["points_right"], missed["locate_ms"], missed["fault"]) == ("0", "", "no board")
    assert json.loads((out / "figures.json").read_text()) == figures_of(scored)
    assert cv2.imread(str(out / "reliability.png")).ndim == 3
    assert "felt" in table(figures_of(scored))


def test_the_diagram_is_drawn_of_nothing_too():
    assert draw_reliability([]).shape[2] == 3


def test_a_board_is_learnt_from_an_open_view_of_the_opening_and_that_still_is_left_out(folder):
    truths = load_truths(
        folder(label(occluded=True), label(position_kind="mid"), label(), label(style="cork"))
    )
    learnt = []

    def learn(_image, position):
        learnt.append(position)
        raise CalibrationError("the light is poor")

    boards = dict(learn_boards(truths, learn))
    assert learnt[0] == OPENING
    assert set(boards) == {"felt, home right", "cork, home right"}
    assert len(learnt) == 4
    assert "0.jpg: the light is poor" in boards["felt, home right"].fault  # the last that was tried
    known = LearntBoard(None, fault="never learnt")
    scored = list(measure(truths, boards | {"felt, home right": known}))
    assert [one.fault for one in scored] == ["never learnt"] * 3, "cork has no other still"


def keep_position(_image, position: Any) -> Any:
    return position


def test_the_still_that_taught_its_board_is_not_measured(folder):
    truths = load_truths(folder(label()))
    boards = dict(learn_boards(truths, keep_position))
    assert list(measure(truths, boards)) == []


def test_a_board_painted_for_the_other_hand_is_another_board(folder):
    truths = load_truths(folder(label(), label(light_home="left")))
    boards = dict(learn_boards(truths, keep_position))
    assert [board.image for board in boards.values()] == [each.image for each in truths]


def test_labels_of_photos_are_row_by_row_as_the_picture_shows_them(tmp_path):
    signed = np.array(OPENING.signed())
    far, near = signed[12:], signed[11::-1]

    def row(counts):
        sides = {1: "light", -1: "dark", 0: None}
        return [[sides[int(np.sign(count))], abs(int(count))] for count in counts]

    entry = {
        "image": "a.jpg",
        "board_id": "club",
        "corners": [[100, 100], [1100, 100], [1100, 700], [100, 700]],
        "columns": {"far": row(far), "near": [*row(near)[:-1], ["unknown", None]]},
        "dice": None,
    }
    whole = {**entry, "columns": {"far": row(far), "near": row(near)}}
    turned = {**whole, "rotate_cw_for_columns": 90}
    manifest = {"boards": [entry, whole, turned, {"image": "b.jpg"}]}
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    hidden, known, aside = load_truths(tmp_path)
    assert hidden.counts[-1] is None
    assert hidden.position is None
    assert known.position == OPENING
    assert known.dice is None
    assert known.bases[0] == pytest.approx([100 + 1000 * 0.93 / 24, 112])
    assert aside.bases[0] == pytest.approx([120, 700 - 600 * 0.93 / 24])


def test_a_folder_without_labels_is_refused(tmp_path):
    with pytest.raises(BadTruth, match="has no labeled stills"):
        load_truths(tmp_path)


@pytest.mark.parametrize("text", ["{", "[]", '{"points": []}'])
def test_a_label_that_cannot_be_read_is_named(folder, text):
    place = folder(label())
    (place / "0.json").write_text(text)
    with pytest.raises(BadTruth, match=r"0\.json"):
        load_truths(place)


@pytest.mark.skipif(not STILLS.exists(), reason="the rendered stills are not at hand")
def test_a_rendered_still_is_read_and_scored(tmp_path):
    for name in ("dev_0009.jpg", "dev_0009.json"):
        shutil.copy(STILLS / name, tmp_path)
    (truth,) = load_truths(tmp_path)
    assert sum(count or 0 for count in truth.counts) + truth.bar[Side.LIGHT] <= CHECKERS
    (scored,) = measure([truth])
    assert scored.is_found
    assert scored.points_right >= 12  # a blind reading; only gross matching errors fail here
