"""Several files of one recording: times continue, gaps stay gaps, damage does not end it."""

import struct
from itertools import pairwise
from typing import Any

import pytest

from tests.vision.sources.test_files import write_video
from vision.errors import CutShort, SourceError
from vision.sources.open import open_videos

SECONDS = 3.0
"""Length of each file."""


@pytest.fixture
def recorded(tmp_path):
    """Writes a file of 30 pictures; `at`: what its clock says, in seconds."""

    def record(name, at=None):
        path = write_video(tmp_path / name)
        if at is not None:
            coded = bytearray(path.read_bytes())
            struct.pack_into(">I", coded, coded.index(b"mvhd") + 8, 3_900_000_000 + at)
            path.write_bytes(coded)
        return str(path)

    return record


def times(*paths):
    frames = list(open_videos(paths))
    assert all(a.index < b.index for a, b in pairwise(frames))
    return [frame.seconds for frame in frames]


def test_times_and_numbers_run_on_from_file_to_file(recorded):
    source = open_videos([recorded("a.mp4"), recorded("b.mp4"), recorded("c.mp4")])
    frames = list(source)
    assert (source.name, source.frames) == ("a.mp4 + b.mp4 + c.mp4", 90)
    assert [frame.index for frame in frames] == list(range(90))
    assert [frame.seconds for frame in frames] == pytest.approx([n / 10 for n in range(90)])


def test_a_thinned_sequence_keeps_its_times(recorded):
    paths = [recorded("a.mp4"), recorded("b.mp4")]
    source: Any = open_videos(paths, min_fps=5)
    source.min_fps = 2
    assert [frame.index for frame in source] == [*range(0, 30, 5), *range(30, 60, 5)]


def test_one_file_is_opened_as_ever(recorded):
    assert open_videos([recorded("a.mp4")]).name == "a.mp4"


@pytest.mark.parametrize(
    ("first", "second"),
    [(0, 63), (3, 63 + 3)],
    ids=["clocks of the beginning", "clocks of the end"],
)
def test_what_by_the_clocks_lies_between_two_files_is_a_gap(recorded, first, second):
    seconds = times(recorded("a.mp4", first), recorded("b.mp4", second))
    assert seconds[30] - seconds[29] == pytest.approx(60.1)


@pytest.mark.parametrize("second", [3, 4, 0])
def test_clocks_in_whole_seconds_or_all_alike_make_no_gap(recorded, second):
    seconds = times(recorded("a.mp4", 0), recorded("b.mp4", second))
    assert seconds[30] == pytest.approx(SECONDS)


def test_files_whose_clocks_run_backwards_are_read_as_given_and_said(recorded, caplog):
    seconds = times(recorded("clip10.mp4", 1000), recorded("clip2.mp4", 400))
    assert seconds[30] == pytest.approx(SECONDS)
    assert "clip2.mp4 was recorded before clip10.mp4: check their order" in caplog.text


def test_a_damaged_file_leaves_a_gap_and_is_said_once_the_others_were_read(tmp_path, recorded):
    damaged = write_video(tmp_path / "b.avi", codec="MJPG")
    damaged.write_bytes(damaged.read_bytes()[: damaged.stat().st_size // 2])
    frames = []
    with pytest.raises(CutShort, match=r"b\.avi is cut short: decoding stopped at frame \d+ of 30"):
        frames.extend(open_videos([recorded("a.mp4"), str(damaged), recorded("c.mp4")]))
    after = [frame for frame in frames if frame.index >= 60]
    assert after[0].seconds == pytest.approx(2 * SECONDS)
    assert len(after) == 30
    assert 40 <= len(frames) - len(after) <= 50


@pytest.mark.parametrize("broken", ["missing", "empty", "text", "folder", "camera"])
def test_whatever_is_no_video_is_said_before_anything_is_read(tmp_path, recorded, broken):
    path = tmp_path / "b.mp4"
    match broken:
        case "empty":
            path.touch()
        case "text":
            path.write_text("no video at all" * 99)
        case "folder":
            path.mkdir()
        case "camera":
            path = 0
    with pytest.raises(SourceError) as caught:
        open_videos([recorded("a.mp4"), str(path)])
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)
