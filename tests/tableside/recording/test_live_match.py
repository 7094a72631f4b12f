"""A source that fails is soon reported on the page, and used again when it returns."""

import threading
import time
from contextlib import contextmanager

import numpy as np
import pytest

from engine.rules import SHORT
from tableside.match.config import MatchConfig
from tableside.match.session import Session
from tableside.record.recorder import Recorder
from tableside.record.store import Store
from tableside.recording.job import MatchOutputs
from tableside.recording.live_match import LiveMatch
from tableside.recording.preview import PreviewEncoder
from tableside.recording.timeline import Timeline
from tableside.review.stills import StillKeeper
from tableside.site.state_hub import StateHub
from vision.sources.camera import LiveSource
from vision.sources.open import open_source
from webui.contracts.roles import Visibility
from webui.http.metrics import Metrics


class Plug:
    """A camera that shows noise and that a test can unplug."""

    def __init__(self):
        self.is_in = True
        self.noise = np.random.default_rng(1)

    def isOpened(self):  # noqa: N802 - OpenCV's name
        return self.is_in

    def read(self):
        time.sleep(0.03)
        if not self.is_in:
            return False, None
        return True, self.noise.integers(0, 255, (90, 160, 3), np.uint8)

    def grab(self):
        return self.read()[0]

    def get(self, _prop):
        return 30.0

    def set(self, _prop, _value):
        return False

    def release(self):
        pass


def await_phase(table, phase, patience):
    until = time.monotonic() + patience
    state = table.state()
    while state["phase"] != phase:
        assert time.monotonic() < until, state["message"]
        state = table.next_state(state["version"], 0.2) or table.state()
    return state


@contextmanager
def watched(folder, source):
    """The page of a match that is watched through `source`."""
    pictures = PreviewEncoder()
    table = StateHub(pictures)
    with Store.open(folder / "record.sqlite") as store:
        recorder = Recorder(store, store.new_match(light="Ann"))
        live = LiveMatch(
            Timeline(source),
            MatchConfig(SHORT),
            recorder,
            StillKeeper(folder / "stills"),
            MatchOutputs(table, pictures, Metrics()),
        )
        thread = threading.Thread(target=live.run)
        thread.start()
        yield table
        live.stop()
        thread.join(10)
        assert not thread.is_alive()


@pytest.fixture
def plugged(tmp_path):
    plug = Plug()
    with watched(tmp_path, LiveSource("camera 0", lambda: plug)) as table:
        yield plug, table


def test_a_camera_that_is_unplugged_is_a_fault_within_two_seconds_and_comes_back(plugged):
    plug, table = plugged
    assert await_phase(table, "waiting", 5)["players"]["light"] == "Ann"
    plug.is_in = False
    fault = await_phase(table, "fault", 2)
    assert "camera 0" in str(fault["message"])
    assert "check its plug" in str(fault["message"])
    plug.is_in = True
    await_phase(table, "waiting", 10)


def test_the_newest_picture_is_on_show(plugged):
    _, table = plugged
    first = table.next_picture(0, 5)
    assert first is not None
    number, jpeg = first
    assert jpeg.startswith(b"\xff\xd8")
    assert table.next_picture(number, 5)[0] > number


def test_only_the_referee_is_told_the_address_of_a_stream_and_nobody_its_password(tmp_path):
    plug = Plug()
    plug.is_in = False
    address = "http://10.0.0.9/snap.cgi?user=admin&pwd=hunter2"
    source = open_source(address, capture=lambda _: plug, waits=True)
    with watched(tmp_path, source) as table:
        await_phase(table, "fault", 5)
        shown = {one: table.state(one) for one in Visibility}
    seen = {
        one: f"{state['message']} {state['source'] and state['source']['name']} {state}"
        for one, state in shown.items()
    }
    assert "http://10.0.0.9/snap.cgi: it cannot be opened" in seen[Visibility.EVERYTHING]
    assert not [one for one, text in seen.items() if "hunter2" in text]
    for one in (Visibility.AUDIENCE, Visibility.PLAYERS):
        assert "the network camera sends no picture" in seen[one]
        assert "10.0.0.9" not in seen[one]


def test_only_the_referee_is_told_where_the_record_lies_that_cannot_be_written(tmp_path):
    (tmp_path / "record.sqlite.journal").write_text("in the way")
    with watched(tmp_path, LiveSource("camera 0", Plug)) as table:
        await_phase(table, "waiting", 5)
        told = {one: " ".join(map(str, table.state(one)["troubles"])) for one in Visibility}
    assert f"{tmp_path}" in told[Visibility.EVERYTHING]
    for one in (Visibility.AUDIENCE, Visibility.PLAYERS):
        assert "the journal is not being written" in told[one]
        assert f"{tmp_path}" not in told[one]


def test_the_referee_is_told_that_no_cube_is_seen(tmp_path, monkeypatch):
    monkeypatch.setattr(Session, "lacks_cube", True)
    with watched(tmp_path, LiveSource("camera 0", Plug)) as table:
        await_phase(table, "waiting", 5)
        told = {one: [str(text) for text in table.state(one)["troubles"]] for one in Visibility}
    assert told.pop(Visibility.EVERYTHING) == ["no doubling cube is seen: enter doubles by hand"]
    assert not any(told.values())
