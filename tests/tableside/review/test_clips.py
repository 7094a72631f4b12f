"""Doubtful moments are kept as clips, within bounds, and sight waits for none of it."""

import subprocess
import sys
import threading

import numpy as np
import pytest

from engine.events.match import DiceVoid
from engine.events.record import Unseen
from engine.position import Side
from tableside.review import clips
from tableside.review.clips import RING_BYTES, ClipRecorder, clip_path
from tableside.review.retention import prune_stills
from tableside.review.stills import StillKeeper
from tests.tableside.record.looked_at import BOARD, DOUBTED, ROLL, at, look
from vision.sources.frame import Frame


class Encoded:
    """Takes the place of the process that encodes; what it is given."""

    def __init__(self):
        self.given, self.may_go = {}, threading.Event()
        self.may_go.set()

    def write(self, pictures, path):
        assert self.may_go.wait(60)
        self.given[int(path.stem)] = pictures
        path.write_bytes(b"clip")

    def stop(self):
        self.may_go.set()


@pytest.fixture
def encoded():
    return Encoded()


@pytest.fixture
def recorder(tmp_path, encoded):
    return ClipRecorder(tmp_path / "stills", encoded)


def film(recorder, seconds, *, begin=0.0, image=BOARD[::4, ::4]):
    """Every frame is taken before the next comes, as on a machine that keeps up."""
    for n in range(round(begin * 12), round((begin + seconds) * 12)):
        recorder.add(Frame(image, n, n / 12))
        while recorder._todo.qsize():
            threading.Event().wait(0.0005)


def test_a_clip_shows_four_seconds_before_and_two_after(recorder, encoded):
    film(recorder, 10)
    recorder.keep([at(type(DOUBTED), 96, player=Side.LIGHT, dice=None, play="", position=None,
                      review=True)])  # fmt: skip
    film(recorder, 3, begin=10)
    recorder.close()
    times = [seconds for seconds, _ in encoded.given[96]]
    assert times == [n / 12 for n in range(48, 121)]
    assert clip_path(recorder.folder, 96).read_bytes() == b"clip"


def test_what_is_certain_has_no_clip_and_an_end_cuts_a_clip_short(recorder, encoded):
    film(recorder, 5)
    recorder.keep([ROLL, DOUBTED])
    film(recorder, 0.5, begin=5)
    recorder.close()
    assert list(encoded.given) == [DOUBTED.frame]


def test_a_board_out_of_sight_in_every_picture_is_one_moment(recorder, encoded):
    film(recorder, 4)
    for n in range(24, 36):
        recorder.keep([at(Unseen, n, start=(n - 1) / 12, end=n / 12, reason="covered")])
    recorder.close()
    assert list(encoded.given) == [24]


@pytest.mark.parametrize("away", [3.0, 60.0])
def test_a_pause_does_not_cost_the_clip_of_the_moment_before_it(
    recorder, encoded, monkeypatch, away
):
    monkeypatch.setattr(clips, "AFTER_SECONDS", 0.2)
    film(recorder, 6)
    recorder.keep([at(Unseen, 71, start=5.0, end=71 / 12, reason="covered")])
    for _ in range(1000):  # it is there during the pause, which is when it is wanted
        if encoded.given:
            break
        threading.Event().wait(0.01)
    assert [seconds for seconds, _ in encoded.given[71]][-1] == 71 / 12
    film(recorder, 1, begin=6 + away)
    recorder.close()
    assert list(encoded.given) == [71]


def test_no_clip_comes_back_after_a_match_was_tidied_up(recorder):
    """What was doubtful for a while need not be in the review that remains."""
    stills = StillKeeper(recorder.folder, recorder)
    film(recorder, 5)
    stills.keep([at(Unseen, 48, start=3.5, end=4.0, reason="covered")])
    prune_stills(stills, [])
    stills.close()
    assert not recorder.folder.exists()


def test_after_the_end_nothing_is_written_and_what_is_late_is_logged(tmp_path, monkeypatch, caplog):
    pytest.importorskip("av", reason="PyAV is not installed: `make check` installs it")
    slow = "import sys, time; sys.stdin.buffer.read(); time.sleep(600)"
    monkeypatch.setattr(clips, "ENCODER", (sys.executable, "-c", slow))
    monkeypatch.setattr(clips, "CLOSING_SECONDS", 0.1)
    recorder = ClipRecorder(tmp_path / "stills")
    film(recorder, 5)
    voids = [at(DiceVoid, n, player=Side.DARK, reason="split", dice=(1, 2)) for n in (30, 40)]
    recorder.keep(voids)
    recorder.close()
    assert "2 clips are left out: the match has ended" in caplog.text
    assert "cannot be made" not in caplog.text
    assert list((tmp_path / "stills").iterdir()) == []
    assert all(thread.name != "clips_0" for thread in threading.enumerate())


def test_what_waits_is_bounded(recorder, encoded, monkeypatch):
    monkeypatch.setattr(clips, "RING_BYTES", 200_000)
    assert RING_BYTES <= 64 << 20
    encoded.may_go.clear()
    noise = np.random.default_rng(1).integers(0, 255, (180, 320, 3), np.uint8)
    film(recorder, 8, image=noise)
    assert recorder._ring_bytes <= 200_000
    assert sum(len(jpeg) for _, jpeg in recorder._ring) == recorder._ring_bytes
    voids = [at(DiceVoid, n, player=Side.DARK, reason="cocked", dice=(1, 2)) for n in range(60, 72)]
    recorder.keep(voids)
    film(recorder, 1, begin=8, image=noise)
    encoded.may_go.set()
    recorder.close()
    assert 1 <= len(encoded.given) <= clips.MAX_WAITING


def test_the_oldest_clips_make_room(recorder, monkeypatch):
    monkeypatch.setattr(clips, "MAX_CLIPS", 2)
    film(recorder, 6)
    recorder.keep(
        at(DiceVoid, n, player=Side.DARK, reason="split", dice=(1, 2)) for n in (30, 40, 50)
    )
    recorder.close()
    assert sorted(path.stem for path in recorder.folder.glob("*.mp4")) == ["000040", "000050"]


def test_pictures_that_come_too_fast_are_left_out_at_once(recorder):
    """The thread is not even started here, so nothing takes them."""
    recorder._thread = threading.Thread()
    for n in range(1000):
        recorder.add(Frame(BOARD, n, n / 12))
    assert recorder._todo.qsize() == clips.MAX_LATE


def test_a_clip_that_cannot_be_made_is_logged_and_leaves_nothing(tmp_path, caplog):
    class Failing(Encoded):
        def write(self, _pictures, path):
            path.write_bytes(b"half")
            said = b"Traceback\nno encoder libx264"
            raise subprocess.CalledProcessError(1, "encoder", stderr=said)

    recorder = ClipRecorder(tmp_path / "stills", Failing())
    film(recorder, 5)
    recorder.keep([DOUBTED])
    recorder.close()
    assert "a clip cannot be made: no encoder libx264" in caplog.text
    assert list((tmp_path / "stills").iterdir()) == []


def test_the_stills_of_a_match_come_with_clips_that_a_browser_plays(tmp_path):
    av = pytest.importorskip("av", reason="PyAV is not installed: `make check` installs it")
    folder = tmp_path / "stills"
    stills = StillKeeper(folder, ClipRecorder(folder))
    for n in range(72):
        stills.add_frame(*look(n))
        while stills._clips._todo.qsize():
            threading.Event().wait(0.0005)
        if n == DOUBTED.frame:
            stills.keep([ROLL, DOUBTED])
    stills.close()
    assert stills.has_clip(DOUBTED)
    assert not stills.has_clip(ROLL)
    assert stills.clip(DOUBTED.frame) == clip_path(folder, DOUBTED.frame).read_bytes()
    with av.open(str(clip_path(folder, DOUBTED.frame))) as clip:
        stream = clip.streams.video[0]
        times = [float(picture.time) for picture in clip.decode(stream)]
        assert (stream.codec_context.name, stream.codec_context.pix_fmt) == ("h264", "yuv420p")
    assert times == pytest.approx([n / 12 for n in range(72)], abs=0.002)
    stills.remove()
    assert not folder.exists()
