"""Photos are read, and kept with what a person says of them."""

import json

import cv2
import numpy as np
import pytest

from engine.rules import SHORT
from samples import CLIP
from tableside.errors import StoreError, WrongUsage
from tableside.label.labeler import EMPTY, FolderLabeler
from vision.benchmark.score import score
from vision.benchmark.truth import load_truths
from vision.reading.single_image import read_still
from vision.sources.frame import read_image
from vision.sources.open import open_source
from webui.contracts.label import LabelRefused


@pytest.fixture(scope="module")
def photo(tmp_path_factory):
    """The first picture of the sample."""
    path = tmp_path_factory.mktemp("shots") / "opening.png"
    cv2.imwrite(str(path), next(iter(open_source(str(CLIP)))).image)
    return path


@pytest.fixture(scope="module")
def shown(photo, tmp_path_factory):
    """The photo as read, with its labeler and the folder of its label."""
    folder = tmp_path_factory.mktemp("labels")
    labeler = FolderLabeler([photo], folder, "club")
    return labeler, labeler.show(0), folder


def test_a_photo_is_shown_as_read(shown):
    _, photo, _ = shown
    label = photo["label"]
    assert sorted(label["points"]) == sorted(SHORT.opening().signed())
    assert label["bar"] == {"light": 0, "dark": 0}
    assert photo["fault"] is None
    assert photo["size"] == (1280, 720)
    assert len(photo["places"]["points"]) == 24


def test_a_saved_reading_is_a_truth_that_the_reader_meets(shown, photo):
    labeler, read, folder = shown
    labeler.save(0, read["label"])
    (truth,) = load_truths(folder)
    assert truth.image == folder / "opening.png"
    assert truth.image.read_bytes() == photo.read_bytes()
    assert truth.board == "club"
    scored = score(truth, read_still(read_image(truth.image), None))
    assert scored.is_perfect
    assert scored.is_found
    assert labeler.labeled() == [0]


def test_what_was_said_is_shown_again_the_next_time(shown, photo):
    labeler, read, folder = shown
    said = {
        **read["label"],
        "points": [None, *read["label"]["points"][1:]],
        "dice": [{"value": None, "state": "cocked", "center": (400.0, 300.0)}],
        "cube": {"value": 2, "center": [640.0, 360.0]},
        "off": {"light": 3, "dark": None},
    }
    labeler.save(0, said)
    again = FolderLabeler([photo], folder, "club").show(0)
    assert again["label"] == said
    assert np.abs(np.array(again["corners"]) - np.array(read["corners"])).max() < 3
    (entry,) = json.loads((folder / "manifest.json").read_text())["boards"]
    assert entry["complete"] is False
    assert entry["off"] == {"light": 3}


def test_a_photo_without_a_board_needs_its_corners(tmp_path):
    path = tmp_path / "table.png"
    cv2.imwrite(str(path), np.full((360, 640, 3), 90, np.uint8))
    labeler = FolderLabeler([path], tmp_path / "labels", "club")
    shown = labeler.show(0)
    assert shown["corners"] is None
    assert "no board found" in str(shown["fault"])
    with pytest.raises(LabelRefused, match="mark its corners"):
        labeler.save(0, EMPTY)
    shown = labeler.set_corners(0, [(100, 50), (540, 50), (540, 320), (100, 320)])
    assert len(shown["places"]["points"]) == 24
    labeler.save(0, EMPTY)
    assert len(load_truths(tmp_path / "labels")) == 1
    with pytest.raises(LabelRefused, match="cannot be the corners"):
        labeler.set_corners(0, [(100, 50), (101, 50), (102, 50), (103, 50)])


def test_photos_that_would_take_each_others_place_are_refused(photo, tmp_path):
    other = tmp_path / "opening.png"
    cv2.imwrite(str(other), np.zeros((360, 640, 3), np.uint8))
    with pytest.raises(WrongUsage, match=r"two photos are called opening\.png"):
        FolderLabeler([photo, other], tmp_path / "labels", "club")
    with pytest.raises(StoreError, match="is another picture"):
        FolderLabeler([photo], tmp_path, "club")


def test_a_manifest_that_cannot_be_read_is_left_alone(photo, tmp_path):
    (tmp_path / "manifest.json").write_text("[]")
    with pytest.raises(StoreError, match="cannot be read"):
        FolderLabeler([photo], tmp_path, "club")
