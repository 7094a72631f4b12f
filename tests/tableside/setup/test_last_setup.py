"""What is kept of a set-up for the next time."""

from __future__ import annotations

import os
import stat

import pytest

import samples
from engine.rules import SHORT
from tableside.setup.inspect import InspectionRequest, inspect_picture
from tableside.setup.last_setup import LastSetup, LastSetupStore
from vision.sources.files import VideoFile

LAST = LastSetup("rtsp://ann:secret@10.0.0.9/live", "rtsp://10.0.0.9/live", 1.5, "Ann", "Bob", 7,
                 "short", "")  # fmt: skip


@pytest.fixture(scope="module")
def profile():
    image = next(iter(VideoFile(samples.CLIP))).image
    return inspect_picture(image, InspectionRequest(SHORT.opening(), "short")).profile


@pytest.fixture
def shelf(tmp_path):
    return LastSetupStore(tmp_path / "record.sqlite")


def test_nothing_is_there_before_the_first_time(shelf):
    assert shelf.last() is None
    assert shelf.profile() is None


def test_what_was_kept_comes_back(shelf, profile):
    shelf.keep(LAST, profile)
    shelf.keep(LAST, profile)
    assert shelf.last() == LAST
    assert shelf.profile().pose == profile.pose


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such rights")
def test_an_address_with_a_password_is_for_its_owner_only(shelf, profile, tmp_path):
    shelf.keep(LAST, profile)
    assert stat.S_IMODE((tmp_path / "record.setup.json").stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", "null", '{"format": "tableside setup 1"}', "\x00"]
)
def test_what_is_damaged_is_asked_for_again(shelf, profile, tmp_path, text):
    shelf.keep(LAST, profile)
    (tmp_path / "record.setup.json").write_text(text)
    assert shelf.last() is None


def test_a_damaged_board_is_no_board(shelf, profile):
    shelf.keep(LAST, profile)
    shelf.board.write_text("{}")
    assert shelf.profile() is None
