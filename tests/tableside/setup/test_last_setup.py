"""What is stored of a setup for next time."""

from __future__ import annotations

import os
import stat

import pytest

import samples
from engine.rules import SHORT
from tableside.setup.inspect import InspectionRequest, inspect_picture
from tableside.setup.last_setup import LastSetup, LastSetupStore
from vision.sources.files import VideoFile
from webui.contracts.setup import GameChoice
from webui.contracts.state import NO_PLACE

GAME = GameChoice(
    light="Ann",
    dark="Bob",
    length=7,
    variant="narde",
    rules="",
    options={"scoring": "koks3"},
    goes_on=True,
    place=NO_PLACE,
)
LAST = LastSetup("rtsp://ann:secret@10.0.0.9/live", "rtsp://10.0.0.9/live", 1.5, GAME)


@pytest.fixture(scope="module")
def profile():
    image = next(iter(VideoFile(samples.CLIP))).image
    return inspect_picture(image, InspectionRequest(SHORT.opening(), "short")).profile


@pytest.fixture
def store(tmp_path):
    return LastSetupStore(tmp_path / "record.sqlite")


def test_before_the_first_set_up_there_is_none(store):
    assert store.last() is None
    assert store.profile() is None


def test_a_stored_set_up_is_read_back(store, profile):
    store.keep(LAST, profile)
    store.keep(LAST, profile)
    assert store.last() == LAST
    assert store.profile().pose == profile.pose


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such rights")
def test_an_address_with_a_password_is_for_its_owner_only(store, profile, tmp_path):
    store.keep(LAST, profile)
    assert stat.S_IMODE((tmp_path / "record.setup.json").stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", "null", '{"format": "tableside setup 1"}', "\x00"]
)
def test_a_damaged_file_is_ignored(store, profile, tmp_path, text):
    store.keep(LAST, profile)
    (tmp_path / "record.setup.json").write_text(text)
    assert store.last() is None


def test_a_damaged_board_is_no_board(store, profile):
    store.keep(LAST, profile)
    store.board.write_text("{}")
    assert store.profile() is None
