"""Videos that come from a phone in parts."""

from __future__ import annotations

import stat
import sys
from pathlib import Path

import pytest

from tableside.site.video_inbox import VideoInbox
from webui.contracts.phone import VideoFile, VideoRefused

FILM = VideoFile("Club night 1.MP4", 10, 1_700_000_000_000)


def test_a_video_goes_on_where_it_stopped_also_after_a_restart(tmp_path):
    folder = tmp_path / "videos"
    assert VideoInbox(folder).received(FILM) == 0
    assert VideoInbox(folder).append(FILM, 0, b"0123") == 4
    inbox = VideoInbox(folder)
    (shown,) = inbox.videos()
    assert (shown["address"], shown["received"], shown["size"]) == ("", 4, 10)
    with pytest.raises(VideoRefused, match="goes on at byte 4") as refused:
        inbox.append(FILM, 0, b"0123")
    assert refused.value.received == 4
    assert inbox.append(FILM, 4, b"456789") == 10
    (whole,) = inbox.videos()
    assert Path(whole["address"]).read_bytes() == b"0123456789"
    assert whole["name"].startswith("Club_night_1-")
    assert whole["name"].endswith(".mp4")
    assert inbox.received(FILM) == 10
    assert inbox.append(FILM, 10, b"") == 10, "nothing more of it harms nothing"
    assert Path(whole["address"]).read_bytes() == b"0123456789"


@pytest.mark.parametrize("name", ["\N{FLAG IN HOLE}" * 200 + ".mp4", "film." + "x" * 190])
def test_a_name_that_no_file_system_takes_is_cut_or_refused(tmp_path, name):
    inbox, film = VideoInbox(tmp_path), VideoFile(name, 4, 1)
    assert inbox.received(film) == 0
    if name.endswith(".mp4"):
        assert inbox.append(film, 0, b"0123") == 4
    else:
        with pytest.raises(VideoRefused, match="is not a video"):
            inbox.append(film, 0, b"0123")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other permissions")
def test_only_this_user_may_read_a_video(tmp_path):
    inbox = VideoInbox(tmp_path / "videos")
    inbox.append(FILM, 0, b"0123")
    (path,) = (tmp_path / "videos").iterdir()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("name", ["../../.ssh/authorized_keys", "match.mp4/../../x", "list.m3u8"])
def test_a_name_neither_leaves_the_folder_nor_is_anything_but_a_video(tmp_path, name):
    inbox = VideoInbox(tmp_path / "videos")
    with pytest.raises(VideoRefused, match="is not a video"):
        inbox.append(VideoFile(name, 4, 0), 0, b"0123")
    assert inbox.append(VideoFile("../up.mp4", 4, 0), 0, b"0123") == 4
    assert [path.name for path in tmp_path.iterdir()] == ["videos"]


def test_more_bytes_than_announced_and_a_full_disk_are_refused(tmp_path):
    inbox = VideoInbox(tmp_path / "videos")
    with pytest.raises(VideoRefused):
        inbox.append(FILM, 0, b"0" * 11)
    with pytest.raises(VideoRefused, match="too full"):
        inbox.append(VideoFile("long.mp4", 10**15, 0), 0, b"0")


def test_a_folder_that_cannot_be_made_is_said_to_the_phone(tmp_path):
    (tmp_path / "in the way").write_text("")
    with pytest.raises(VideoRefused, match="the video cannot be kept"):
        VideoInbox(tmp_path / "in the way" / "videos").append(FILM, 0, b"0123")
