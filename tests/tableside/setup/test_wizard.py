"""The workshop over real pictures: what it opens, sees, and hands over."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager

import cv2
import numpy as np
import pytest

import samples
from engine.rules import SHORT
from tableside.match.config import MatchConfig, RecordingConfig
from tableside.recording.timeline import NoCamera
from tableside.setup.guided_recording import complete_config
from tableside.setup.last_setup import LastSetupStore
from tableside.setup.wizard import SetupChoice, SetupWizard
from tableside.vision_process.jobs import RecordJob
from vision.errors import SourceError
from vision.sources.frame import Frame
from vision.sources.list_cameras import CameraInfo
from vision.sources.open import open_source
from webui.contracts.setup import GameChoice, SetupRefused

PATIENCE = 90
GAME = GameChoice(light="Ann", dark="Bob", length=5, variant="short", rules="", goes_on=True)


@contextmanager
def workshop_at(folder, **more):
    shelf = LastSetupStore(folder / "record.sqlite")
    with SetupWizard(shelf, GAME, **{"cameras": list, **more}) as shop:
        yield shop


@pytest.fixture
def shop(tmp_path):
    with workshop_at(tmp_path) as shop:
        yield shop


def wait(shop, condition, patience=PATIENCE):
    """The first state that fulfils the condition."""
    until = time.monotonic() + patience
    while time.monotonic() < until:
        state = shop.state()
        if condition(state):
            return state
        time.sleep(0.05)
    pytest.fail(f"it did not happen in time: {shop.state()}")


def learnt(shop):
    shop.open_source("sample")
    return wait(shop, lambda state: state["ready"])


class Static:
    """A camera before which nothing moves but noise; `image` may be changed."""

    name, fps, frames, is_live = "camera 7", 10.0, None, True

    def __init__(self, image):
        self.image = image
        self.closed = threading.Event()

    def __iter__(self):
        for index in range(10**6):
            if self.closed.wait(0.05):
                return
            yield Frame(self.image, index, index / 10)

    def close(self):
        self.closed.set()


def test_the_sample_is_opened_learnt_and_handed_over(shop, tmp_path):
    state = learnt(shop)
    assert (state["ready"], state["faults"]) == ("learnt", [])
    assert state["size"] == (1280, 720)
    assert state["read"]["matching"] == 24
    assert state["source"]["is_film"]
    picture = cv2.imdecode(np.frombuffer(shop.picture(plain=False), np.uint8), cv2.IMREAD_COLOR)
    assert picture.shape == (720, 1280, 3)
    assert shop.picture(plain=True) != shop.picture(plain=False)

    shop.set_game({**GAME, "dark": "Eve"})
    shop.start()
    choice = shop.wait()
    assert (choice.camera, choice.game["dark"]) == (str(samples.CLIP), "Eve")
    assert choice.profile == tmp_path / "record.board.json"
    assert choice.profile.exists()
    assert choice.is_new
    shop.begun()
    assert shop.state()["stage"] == "recording"
    for command in (shop.start, shop.close_source, shop.reopen_last):
        with pytest.raises(SetupRefused, match="being recorded"):
            command()


def test_the_next_time_the_same_board_is_offered_and_known(tmp_path):
    with workshop_at(tmp_path) as shop:
        assert shop.state()["before"] is None
        learnt(shop)
        shop.start()
        shop.wait()
    with workshop_at(tmp_path, is_unfinished=lambda game: game["light"] == "Ann") as shop:
        before = shop.state()["before"]
        assert before["game"]["light"] == "Ann"
        assert "address" not in before
        shop.reopen_last()
        state = wait(shop, lambda state: state["ready"])
        assert (state["ready"], state["is_unfinished"]) == ("known", True)
        shop.start()
        assert not shop.wait().is_new


def test_a_match_without_a_camera_needs_no_board_and_keeps_none(tmp_path):
    known = lambda game: game["light"] == "Ann"  # noqa: E731
    with workshop_at(tmp_path, is_unfinished=known) as shop:
        shop.use_no_camera()
        state = shop.state()
        assert (state["stage"], state["ready"], state["by_hand"]) == ("told", "told", True)
        shop.close_source()
        assert not shop.state()["by_hand"]
        with pytest.raises(SetupRefused, match="not learnt"):
            shop.start()
        shop.use_no_camera()
        shop.set_game({**GAME, "variant": "narde"})
        shop.start()
        choice = shop.wait()
        assert (choice.camera, choice.profile, choice.is_new) == (None, None, False)
        shop.begun()
        assert shop.state()["by_hand"]
        shop.ended()
        assert (shop.state()["stage"], shop.state()["by_hand"]) == ("choosing", False)
    assert list(tmp_path.iterdir()) == []


def test_what_was_chosen_on_the_page_completes_the_configuration(tmp_path):
    options = RecordingConfig(MatchConfig(SHORT))
    manual = complete_config(
        options, SetupChoice(None, None, {**GAME, "variant": "narde"}, is_new=True)
    )
    match = manual.match
    assert (match.is_manual, match.rules.name, match.light, manual.is_new) == (
        True, "narde", "Ann", True
    )  # fmt: skip
    assert isinstance(RecordJob(manual).open(), NoCamera)
    watched = complete_config(options, SetupChoice("0", None, GAME, is_new=False))
    assert (watched.camera, watched.match.is_manual) == ("0", False)


def test_corners_by_hand_count_until_they_are_taken_back(shop):
    found = learnt(shop)["board"]["corners"]
    shop.set_corners([(10, 10), (200, 10), (200, 100), (10, 100)])
    assert shop.state()["ready"] is None
    state = wait(shop, lambda state: state["faults"])
    assert "between these corners" in str(state["faults"][0])
    with pytest.raises(SetupRefused, match="not learnt yet"):
        shop.start()
    shop.set_corners(found)
    assert wait(shop, lambda state: state["ready"])["board"]["by_hand"]
    shop.set_corners(None)
    assert not wait(shop, lambda state: state["ready"])["board"]["by_hand"]


def test_a_board_is_turned_and_turned_back(shop):
    with pytest.raises(SetupRefused, match="no board is seen"):
        shop.rotate_board("swap")
    home = learnt(shop)["board"]["corners"][1]
    shop.rotate_board("swap")
    state = wait(shop, lambda state: state["read"] and state["read"]["differences"])
    assert state["turned"]
    assert state["board"]["corners"][1][1] < home[1] - 300
    shop.rotate_board("auto")
    assert wait(shop, lambda state: state["ready"])["read"]["light_home"] == "right"


def test_another_game_awaits_another_opening(shop):
    learnt(shop)
    shop.set_game({**GAME, "variant": "nackgammon"})
    state = wait(shop, lambda state: state["read"] and state["read"]["differences"])
    assert {23, 24} & set(state["read"]["differing"])
    assert state["ready"] is None


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("nowhere.mp4", "there is no file nowhere.mp4"),
        (__file__, "not a video that can be read"),
        ("ftp://host/x", "cannot read frames over ftp"),
        ("http://127.0.0.1:9/video", "does not answer with a video"),
        ("99", "camera"),
    ],
)
def test_what_cannot_be_opened_is_one_line_and_the_wizard_goes_on(shop, address, says):
    shop.open_source(address)
    state = wait(shop, lambda state: state["error"])
    assert says in str(state["error"])
    assert "\n" not in str(state["error"])
    assert state["stage"] == "choosing"
    assert learnt(shop)["error"] is None


def test_an_address_that_hangs_holds_up_nobody(tmp_path):
    let_go = threading.Event()

    def opener(address, **more):
        if address == "http://slow/":
            let_go.wait(PATIENCE)
            raise SourceError("it does not answer")
        return open_source(address, **more)

    with workshop_at(tmp_path, opener=opener) as shop:
        shop.open_source("http://slow/")
        assert shop.state()["stage"] == "opening"
        shop.close_source()
        shop.open_source("sample")
        assert shop.state()["stage"] == "opening"
        let_go.set()
        assert wait(shop, lambda state: state["ready"])["error"] is None


def test_a_film_without_the_opening_says_so_in_the_end(shop, tmp_path):
    path = tmp_path / "grey.png"
    cv2.imwrite(str(path), np.full((360, 640, 3), 120, np.uint8))
    shop.open_source(str(path))
    state = wait(shop, lambda state: state["error"])
    assert "begin the film where the board is set up" in str(state["error"])
    assert "no board found" in str(state["faults"][0])


def test_cameras_show_small_pictures_or_why_not(tmp_path):
    cameras = [CameraInfo(3, "Desk"), CameraInfo(4, "Hall")]

    def opener(address, **_):
        if address == "4":
            raise SourceError("camera 4 is busy")
        return Static(np.full((720, 1280, 3), 90, np.uint8))

    with workshop_at(tmp_path, cameras=lambda: cameras, opener=opener) as shop:
        state = wait(shop, lambda s: len(s["cameras"]) == 2 and s["cameras"][1]["fault"])
        first, second = state["cameras"]
        assert (first["id"], first["name"], first["fault"]) == ("3", "Desk", None)
        assert (second["picture"], second["fault"]) == (0, "camera 4 is busy")
        small = cv2.imdecode(np.frombuffer(shop.thumbnail("3"), np.uint8), cv2.IMREAD_COLOR)
        assert small.shape == (180, 320, 3)
        assert shop.thumbnail("4") is None
        assert shop.thumbnail("5") is None


def test_a_live_camera_is_looked_at_again_when_the_board_changes(tmp_path):
    frames = iter(open_source(str(samples.CLIP)))
    opening = next(frames).image
    grey = np.full_like(opening, 120)
    camera = Static(grey)
    with workshop_at(tmp_path, opener=lambda *_, **__: camera) as shop:
        shop.open_source("7")
        state = wait(shop, lambda state: state["faults"])
        assert "no board found" in str(state["faults"][0])
        camera.image = opening
        state = wait(shop, lambda state: state["ready"])
        assert state["source"] == {"name": "camera 7", "is_film": False, "fault": None}
        shop.close_source()
        assert camera.closed.wait(PATIENCE)
        assert wait(shop, lambda state: state["source"] is None)["ready"] is None


def test_after_a_match_another_can_be_set_up(shop):
    learnt(shop)
    shop.start()
    shop.wait()
    shop.begun()
    shop.ended("the camera is gone")
    state = shop.state()
    assert (state["stage"], state["picture"]) == ("choosing", 0)
    assert state["error"] == "the camera is gone"
    assert learnt(shop)["error"] is None


def test_closing_ends_the_wait_and_the_thread(tmp_path):
    with workshop_at(tmp_path) as shop:
        threading.Timer(0.1, shop.close).start()
        assert shop.wait() is None
    assert "setup" not in [thread.name for thread in threading.enumerate()]
