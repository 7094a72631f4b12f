"""A video can be entered in its middle, at exactly the picture that was asked for."""

from itertools import islice

import numpy as np
import pytest

from engine.timestamp import Timestamp
from tests.coded_video import write_coded
from vision.errors import SourceError
from vision.sources.files import VideoFile
from vision.sources.key_frames import key_frames

SIZE = (64, 96, 3)


def shots(times):
    """A picture a time, each brighter than the one before."""
    return [(np.full(SIZE, number % 128 * 2, np.uint8), time) for number, time in enumerate(times)]


@pytest.fixture
def video(tmp_path):
    """A video with uneven times, whose pictures are not stored in their order."""
    times = np.cumsum(np.where(np.arange(100) % 3, 0.04, 0.1)) - 0.1
    options = {"g": "24", "bf": "2", "b_strategy": "0", "sc_threshold": "0"}
    return write_coded(tmp_path / "uneven.mp4", shots(times), options=options)


def test_key_frames_are_numbered_and_timed_as_when_all_is_decoded(video):
    whole = {frame.index: frame.seconds for frame in VideoFile(video)}
    keys = key_frames(video)
    assert [key.frame for key in keys] == [0, 24, 48, 72, 96]
    assert [key.time for key in keys] == pytest.approx([whole[key.frame] for key in keys])


@pytest.mark.parametrize("number", [1, 24, 48, 61])
def test_from_any_picture_on_the_rest_is_the_same(video, number):
    rest = list(VideoFile(video))[number:]
    first = Timestamp(rest[0].seconds, number)
    again = list(VideoFile(video, first=first))
    assert [frame.index for frame in again] == [frame.index for frame in rest]
    assert [frame.seconds for frame in again] == pytest.approx([one.seconds for one in rest])
    assert all((a.image == b.image).all() for a, b in zip(again, rest, strict=True))


def test_a_camera_that_slows_down_in_the_dark_is_entered_at_every_key_frame(tmp_path):
    times = np.concatenate([np.arange(400) / 20, 20 + np.arange(100) / 5])
    video = write_coded(tmp_path / "slow.mp4", shots(times), options={"g": "25", "bf": "0"})
    shown = [(frame.seconds, frame.index) for frame in VideoFile(video)]
    for key in key_frames(video):
        some = list(islice(VideoFile(video, first=key), 2))
        assert [one.index for one in some] == [key.frame, key.frame + 1]
        wanted = [seconds for seconds, _ in shown[key.frame : key.frame + 2]]
        assert [one.seconds for one in some] == pytest.approx(wanted)


def test_a_picture_that_is_not_there_is_an_error(video):
    with pytest.raises(SourceError, match="cannot be entered in the middle"):
        next(iter(VideoFile(video, first=Timestamp(60.0, 2000))))


def test_a_video_without_times_cannot_be_entered(tmp_path):
    path = write_coded(tmp_path / "raw.h264", shots(np.arange(20) / 10))
    assert key_frames(path) == ()
