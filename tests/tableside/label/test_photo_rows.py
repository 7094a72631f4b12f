"""The rows of a label follow the photo, however the board lies in it."""

import json
from dataclasses import replace

import cv2
import numpy as np
import pytest

from calibration.grid import Grid
from tableside.label.labeler import EMPTY
from tableside.label.manifest import entry_of
from tableside.label.photo_rows import PhotoRows
from tests.calibration.drawn_board import LAYOUT, drawn_pose
from vision.benchmark.score import match_points
from vision.benchmark.truth import load_truths
from vision.board.locate import locate_from_corners


def seen_from(turn, *, mirrored=False):
    """The drawn board's grid in a picture that is turned by quarter turns clockwise."""
    pose = replace(drawn_pose(), mirrored=mirrored)
    if turn % 2 == 0:
        return Grid(pose.half_turned() if turn else pose, LAYOUT)
    corners = pose.corners()
    turned = np.column_stack([400 - corners[:, 1], corners[:, 0]])
    if turn == 3:
        turned = np.column_stack([corners[:, 1], 640 - corners[:, 0]])
    located = locate_from_corners(np.zeros((640, 400, 3), np.uint8), turned)
    return Grid(replace(located.pose, mirrored=mirrored), LAYOUT)


@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize("turn", range(4))
def test_the_label_places_every_point_where_the_board_has_it(turn, mirrored, tmp_path):
    grid = seen_from(turn, mirrored=mirrored)
    rows = PhotoRows.of(grid)
    counts: list[int | None] = [*range(-12, 0), *range(1, 13)]
    entry = entry_of("a.jpg", (640, 400), "drawn", rows, {**EMPTY, "points": counts})
    (tmp_path / "manifest.json").write_text(json.dumps({"boards": [entry]}))
    (truth,) = load_truths(tmp_path)

    bases = grid.pose.project(np.array([grid.layout.base(point) for point in range(1, 25)]))
    assert rows.is_turned == (turn % 2 == 1)
    assert sorted(rows.cells) == list(range(24))
    assert match_points(bases, truth.bases) == list(rows.cells)
    assert truth.counts == tuple(counts)


def test_the_corners_begin_at_the_upper_left_and_go_around():
    x, y = np.moveaxis(PhotoRows.of(seen_from(2)).corners, 1, 0)
    assert x[0] < x[1] > x[3]
    assert x[3] < x[2]
    assert y[0] < y[3]
    assert y[1] < y[2]
    assert cv2.isContourConvex(PhotoRows.of(seen_from(0)).corners.astype(np.float32))
