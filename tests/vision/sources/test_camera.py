"""Live sources: failures are shown within two seconds, devices return, nothing is invented."""

import sys
import threading
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from vision.errors import SourceError
from vision.sources.camera import LiveSource
from vision.sources.liveness import Liveness, SourceTimeouts
from vision.sources.open import open_source

QUICK = SourceTimeouts(first=0.5, stall=0.1, frozen=0.1, retry=0.01, retry_most=0.02)


def noise(seed):
    return np.random.default_rng(seed).integers(0, 255, (8, 8, 3), dtype=np.uint8)


class Socket:
    """The socket of a test's camera; `device` decides what a read gives."""

    def __init__(self, mode="works"):
        self.mode = mode
        self.opened = 0
        self.let_go = threading.Event()
        self.count = 0

    def __call__(self, *_):
        self.opened += 1
        return Device(self)


class Device:
    """A driver's behavior: `works`, `absent`, `fails`, `frozen`, `empty` or `hangs`."""

    def __init__(self, socket):
        self.socket = socket
        self.is_present = socket.mode != "absent"

    def isOpened(self):  # noqa: N802
        return self.is_present

    def get(self, _prop):
        return 25.0

    def set(self, _prop, _value):
        return False

    def release(self):
        self.is_present = False

    def grab(self):
        return self.read()[0]

    def read(self):
        threading.Event().wait(0.002)
        match self.socket.mode:
            case "fails" | "absent":
                return False, None
            case "empty":
                return True, np.zeros((0, 0, 3), np.uint8)
            case "hangs":
                self.socket.let_go.wait(5)
                return False, None
            case "works":
                self.socket.count += 1
        return True, noise(self.socket.count)


@pytest.fixture
def socket():
    made = Socket()
    yield made
    made.let_go.set()


@pytest.fixture
def live(socket):
    source = LiveSource("camera 0", socket, timeouts=QUICK)
    yield source
    socket.let_go.set()
    source.close()


def test_frames_of_a_camera_are_numbered_and_timed(live):
    frames = [frame for frame, _ in zip(live, range(5), strict=False)]
    assert all(a.index < b.index for a, b in pairwise(frames))
    assert all(a.seconds <= b.seconds for a, b in pairwise(frames))
    assert live.status.is_ok
    assert live.is_live
    assert live.frames is None
    assert live.fps == 25


def test_a_slow_reader_gets_the_newest_frame(live, socket):
    frames = iter(live)
    next(frames)
    before = socket.count
    while socket.count < before + 20:
        threading.Event().wait(0.005)
    assert next(frames).index >= before + 15


@pytest.mark.parametrize("fault", ["fails", "empty", "frozen", "hangs"])
def test_a_camera_that_goes_is_a_fault_and_comes_back(live, socket, fault, caplog):
    caplog.set_level("INFO")
    reported = []

    def note(status):
        reported.append(status)
        if not status.is_ok:
            socket.mode = "works"  # somebody plugs it in again
            socket.let_go.set()

    live.on_status = note
    frames = iter(live)
    next(frames)
    socket.mode = fault
    while len(reported) < 2:
        last = next(frames)
    assert [status.is_ok for status in reported] == [False, True]
    assert "camera 0: " in str(reported[0].fault)
    assert [record.levelname for record in caplog.records][:1] == ["WARNING"]
    assert "reopening camera 0" in caplog.text
    assert "camera 0 delivers pictures again" in caplog.text
    assert live.status.is_ok
    assert np.array_equal(last.image, noise(socket.count)) or last.index < socket.count


def test_no_frame_is_handed_out_while_the_camera_is_away(live, socket):
    frames = iter(live)
    next(frames)
    socket.mode = "fails"
    seen = []
    reader = threading.Thread(target=lambda: seen.extend(frames))
    reader.start()
    while socket.opened < 5:
        threading.Event().wait(0.01)
    assert not live.status.is_ok
    assert len(seen) <= 1  # the one that had already arrived
    live.close()
    reader.join(2)
    assert not reader.is_alive()


def test_a_driver_that_hangs_for_ever_does_not_pile_up_threads(live, socket):
    socket.mode = "hangs"
    hanging = threading.Thread(target=lambda: list(live))
    hanging.start()
    threading.Event().wait(0.6)
    assert sum(thread.name == "camera" for thread in threading.enumerate()) <= 6
    live.close()
    hanging.join(2)
    assert not hanging.is_alive()


def test_the_stall_of_a_camera_is_a_fault_within_two_seconds():
    watch = Liveness(SourceTimeouts(), now=0)
    watch.observe(noise(1), now=10)
    assert watch.fault(11.4) is None
    assert "no picture for 1.9 s" in str(watch.fault(11.9))


def test_a_camera_has_time_for_its_first_picture():
    watch = Liveness(SourceTimeouts(), now=0)
    assert watch.fault(9) is None
    assert watch.fault(11) is not None


def test_a_repeated_picture_is_shown_until_it_counts_as_frozen():
    watch = Liveness(SourceTimeouts(), now=0)
    assert watch.observe(noise(1), now=0)
    assert watch.observe(noise(1), now=1.4)
    assert not watch.observe(noise(1), now=1.6)
    assert "frozen" in str(watch.fault(1.6))
    assert watch.observe(noise(2), now=1.7)
    assert watch.fault(1.7) is None


def test_a_picture_that_was_frozen_stays_so_after_the_device_was_opened_again():
    watch = Liveness(SourceTimeouts(), now=0)
    for now in (0, 1, 2):
        watch.observe(noise(1), now)
    watch.reopened(2)
    assert not watch.observe(noise(1), now=2.1)
    assert watch.observe(noise(2), now=2.2)


@pytest.fixture
def devices(tmp_path):
    for number in (0, 1, 12):
        (tmp_path / f"video{number}").touch()
    return tmp_path


linux_only = pytest.mark.skipif(sys.platform != "linux", reason="only Linux lists its cameras")


@linux_only
def test_a_missing_camera_is_answered_with_those_there_are(devices):
    with pytest.raises(SourceError, match=r"^no camera 3: found 0, 1, 12$"):
        open_source("3", capture=Socket("absent"), timeouts=QUICK, devices=devices)


@linux_only
def test_no_camera_at_all_says_what_to_do(tmp_path):
    with pytest.raises(SourceError, match="no camera was found; plug one in"):
        open_source("0", capture=Socket("absent"), timeouts=QUICK, devices=tmp_path)


@linux_only
@pytest.mark.parametrize("mode", ["absent", "fails"])
def test_a_camera_that_another_program_holds_is_busy(devices, mode):
    with pytest.raises(SourceError, match="camera 1 is busy"):
        open_source("1", capture=Socket(mode), timeouts=QUICK, devices=devices)


@linux_only
def test_a_camera_without_permission_names_the_group(devices, monkeypatch):
    monkeypatch.setattr("os.access", lambda *_: False)
    with pytest.raises(SourceError, match="usermod -aG video"):
        open_source("1", capture=Socket("absent"), timeouts=QUICK, devices=devices)


def test_an_address_that_never_answers_is_one_line_without_its_password():
    socket = Socket("hangs")
    with pytest.raises(SourceError, match="sends no video") as caught:
        open_source("rtsp://ann:secret@10.0.0.9/live", capture=socket, timeouts=QUICK)
    socket.let_go.set()
    assert "secret" not in str(caught.value)


def test_an_address_that_refuses_is_one_line(capfd):
    with pytest.raises(SourceError, match="sends no video"):
        open_source("http://127.0.0.1:9/stream", timeouts=SourceTimeouts(first=5))
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("fault", ["fails", "frozen", "hangs"])
def test_a_stream_that_fails_asks_for_no_cable_and_a_camera_for_no_network(fault):
    advice = {}
    for address in ("0", "rtsp://10.0.0.9/live"):
        socket = Socket()
        source: Any = open_source(address, capture=socket, timeouts=QUICK)
        reported = threading.Event()

        def note(status, address=address, socket=socket, reported=reported):
            advice.setdefault(address, str(status.fault))
            socket.mode = "works"
            socket.let_go.set()
            reported.set()

        source.on_status = note
        frames = iter(source)
        next(frames)
        socket.mode = fault
        while not reported.is_set():
            next(frames)
        source.close()
    assert "plug" in advice["0"]
    assert "stream" in advice["rtsp://10.0.0.9/live"]
    assert "plug" not in advice["rtsp://10.0.0.9/live"]


def test_a_camera_that_answers_is_opened():
    source = open_source("0", capture=Socket(), timeouts=QUICK)
    assert str(source.name) == "camera 0"
    assert next(iter(source)).image.shape == (8, 8, 3)
    source.close()


def test_large_pictures_of_a_stream_are_made_smaller():
    class Large(Device):
        def read(self):
            return True, np.resize(noise(self.socket.count), (2160, 3840, 3))

    source = LiveSource("phone", lambda: Large(Socket()), timeouts=QUICK)
    assert next(iter(source)).image.shape == (1080, 1920, 3)
    source.close()
