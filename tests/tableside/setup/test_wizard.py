"""The wizard over real pictures: what it opens, inspects, and hands over."""

from __future__ import annotations

import threading
import time
from contextlib import closing, contextmanager
from dataclasses import replace
from itertools import cycle

import cv2
import numpy as np
import pytest

import samples
from engine.cube import CubeRules
from engine.rules import SHORT, find_rules
from engine.ruleset import GameOptions
from tableside.match.config import MatchConfig, RecordingConfig
from tableside.paths import board_profile
from tableside.record.open_matches import OpenMatch
from tableside.record.store import NO_CAMERA, MatchEntry
from tableside.recording.timeline import NoCamera
from tableside.setup.guided_recording import _guide, complete_config
from tableside.setup.last_setup import LastSetupStore
from tableside.setup.wizard import UNSAID, SetupChoice, SetupWizard
from tableside.site.phone import PhoneRelay
from tableside.site.phone_site import PhoneSite
from tableside.site.state_hub import StateHub
from tableside.vision_process.jobs import RecordJob
from vision.errors import SourceError
from vision.sources.frame import Frame
from vision.sources.list_cameras import CameraInfo
from vision.sources.open import open_source
from vision.sources.phone_feed import PhoneFeed
from webui.contracts.phone import PhoneFrame
from webui.contracts.setup import ChosenOptions, GameChoice, SetupRefused
from webui.contracts.state import NO_PLACE

PATIENCE = 90
GAME = GameChoice(
    light="Ann",
    dark="Bob",
    length=5,
    variant="short",
    rules="",
    options={},
    goes_on=True,
    place=NO_PLACE,
)


@contextmanager
def wizard_at(folder, **options):
    store = LastSetupStore(folder / "record.sqlite")
    with SetupWizard(store, GAME, **{"cameras": list, **options}) as wizard:
        yield wizard


@pytest.fixture
def wizard(tmp_path):
    with wizard_at(tmp_path) as wizard:
        yield wizard


def wait(wizard, condition, patience=PATIENCE):
    """The first state that fulfils the condition."""
    until = time.monotonic() + patience
    while time.monotonic() < until:
        state = wizard.state()
        if condition(state):
            return state
        time.sleep(0.05)
    pytest.fail(f"it did not happen in time: {wizard.state()}")


def learnt(wizard):
    wizard.open_source("sample")
    return wait(wizard, lambda state: state["ready"])


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


def test_the_sample_is_opened_learnt_and_handed_over(wizard, tmp_path):
    state = learnt(wizard)
    assert (state["ready"], state["faults"]) == ("learnt", [])
    assert state["size"] == (1280, 720)
    assert state["read"]["matching"] == 24
    assert state["source"]["is_film"]
    picture = cv2.imdecode(np.frombuffer(wizard.picture(plain=False), np.uint8), cv2.IMREAD_COLOR)
    assert picture.shape == (720, 1280, 3)
    assert wizard.picture(plain=True) != wizard.picture(plain=False)

    wizard.set_game({**GAME, "dark": "Eve"})
    wizard.start()
    choice = wizard.wait()
    assert (choice.camera, choice.game["dark"]) == (str(samples.CLIP), "Eve")
    assert choice.profile == tmp_path / "record.board.json"
    assert choice.profile.exists()
    assert choice.is_new
    wizard.begun()
    assert wizard.state()["stage"] == "recording"
    for command in (wizard.start, wizard.close_source, wizard.reopen_last):
        with pytest.raises(SetupRefused, match="being recorded"):
            command()


def test_the_next_time_the_same_board_is_offered_and_known(tmp_path):
    with wizard_at(tmp_path) as wizard:
        assert wizard.state()["before"] is None
        learnt(wizard)
        wizard.start()
        wizard.wait()
    with wizard_at(tmp_path, is_unfinished=lambda game: game["light"] == "Ann") as wizard:
        before = wizard.state()["before"]
        assert before["game"]["light"] == "Ann"
        assert "address" not in before
        wizard.reopen_last()
        state = wait(wizard, lambda state: state["ready"])
        assert (state["ready"], state["is_unfinished"]) == ("known", True)
        wizard.start()
        assert not wizard.wait().is_new


def test_a_game_set_up_by_hand_is_offered_the_next_time(tmp_path):
    named: GameChoice = {**GAME, "light": "Zoë"}
    for game, offered in ((UNSAID, GAME), (named, named)):
        with wizard_at(tmp_path) as wizard:
            wizard.use_no_camera()
            wizard.set_game(GAME)
            wizard.start()
        with SetupWizard(LastSetupStore(tmp_path / "record.sqlite"), game, cameras=list) as wizard:
            wizard.use_no_camera()
            assert wizard.state()["game"] == offered


def unfinished(source, **state):
    """Finds match 3, between Eve and Dan, which stands at 3:2."""
    entry = MatchEntry(3, 1.7e9, "short", 7, "Eve", "Dan", source, is_open=True, events=9)
    stands = replace(entry.blank_state, games=2, score=(3, 2), **state)
    return {3: OpenMatch(entry, stands)}.__getitem__


def test_an_unfinished_match_without_a_camera_goes_on(tmp_path):
    with wizard_at(tmp_path, unfinished=unfinished(NO_CAMERA)) as wizard:
        wizard.resume(3)
        state = wizard.state()
        assert (state["stage"], state["game"]["light"]) == ("manual", "Eve")
        assert (state["resumed"]["id"], state["resumed"]["score"]) == (3, {"light": 3, "dark": 2})
        wizard.start()
        assert wizard.wait().resumed == 3
        wizard.ended()
        assert wizard.state()["resumed"] is None


def test_an_unfinished_match_goes_on_at_its_own_board_or_is_left_for_another(tmp_path):
    with wizard_at(tmp_path) as wizard:
        learnt(wizard)
        wizard.start()
        board_profile(tmp_path / "record.sqlite", 3).write_bytes(wizard.wait().profile.read_bytes())
    with wizard_at(tmp_path, unfinished=unfinished(str(samples.CLIP))) as wizard:
        wizard.resume(3)
        state = wait(wizard, lambda state: state["ready"])
        assert (state["ready"], state["resumed"]["id"]) == ("known", 3)
        wizard.start()
        choice = wizard.wait()
        assert (choice.camera, choice.resumed, choice.is_new) == (str(samples.CLIP), 3, False)
        config = complete_config(RecordingConfig(MatchConfig(SHORT)), choice)
        assert (config.resumed, config.match.light) == (3, "Eve")
        wizard.ended()
        wizard.resume(3)
        wizard.set_game(GAME)
        assert wizard.state()["resumed"] is None


def test_an_address_that_is_stored_without_its_password_is_asked_for(tmp_path):
    with wizard_at(tmp_path, unfinished=unfinished("rtsp://10.0.0.9/live")) as wizard:
        wizard.resume(3)
        state = wizard.state()
        assert (state["stage"], state["resumed"]["id"]) == ("choosing", 3)
        wizard.resume(None)
        assert wizard.state()["resumed"] is None
    with wizard_at(tmp_path) as wizard, pytest.raises(SetupRefused, match="there is no match 3"):
        wizard.resume(3)


def test_a_match_without_a_camera_needs_no_board_and_keeps_none(tmp_path):
    known = lambda game: game["light"] == "Ann"  # noqa: E731
    with wizard_at(tmp_path, is_unfinished=known) as wizard:
        wizard.use_no_camera()
        state = wizard.state()
        assert (state["stage"], state["ready"], state["by_hand"]) == ("manual", "manual", True)
        wizard.close_source()
        assert not wizard.state()["by_hand"]
        with pytest.raises(SetupRefused, match="not learned"):
            wizard.start()
        wizard.use_no_camera()
        wizard.set_game({**GAME, "variant": "narde"})
        wizard.start()
        choice = wizard.wait()
        assert (choice.camera, choice.profile, choice.is_new) == (None, None, False)
        wizard.begun()
        assert wizard.state()["by_hand"]
        wizard.ended()
        assert (wizard.state()["stage"], wizard.state()["by_hand"]) == ("choosing", False)
    assert not LastSetupStore(tmp_path / "record.sqlite").board.exists()


def test_what_was_chosen_on_the_page_completes_the_configuration(tmp_path):
    options = RecordingConfig(MatchConfig(SHORT))
    chosen: ChosenOptions = {"scoring": "koks3", "last_roll_draw": True}
    manual = complete_config(
        options,
        SetupChoice(None, None, {**GAME, "variant": "narde", "options": chosen}, is_new=True),
    )
    match = manual.match
    assert match.rules is find_rules("narde", GameOptions(scoring="koks3", last_roll_draw=True))
    assert (match.is_manual, match.rules.name, match.light, manual.is_new) == (
        True, "narde", "Ann", True
    )  # fmt: skip
    assert isinstance(RecordJob(manual).open(PhoneFeed()), NoCamera)
    beavers: ChosenOptions = {"beavers": True}
    money = complete_config(
        options, SetupChoice(None, None, {**GAME, "options": beavers}, is_new=True)
    )
    assert money.match.rule_set.cube == CubeRules(beavers=True)
    watched = complete_config(options, SetupChoice("0", None, GAME, is_new=False))
    assert (watched.camera, watched.match.is_manual) == ("0", False)


def test_marked_corners_count_until_they_are_withdrawn(wizard):
    found = learnt(wizard)["board"]["corners"]
    wizard.set_corners([(10, 10), (200, 10), (200, 100), (10, 100)])
    assert wizard.state()["ready"] is None
    state = wait(wizard, lambda state: state["faults"])
    assert "between these corners" in str(state["faults"][0])
    with pytest.raises(SetupRefused, match="not learned yet"):
        wizard.start()
    wizard.set_corners(found)
    assert wait(wizard, lambda state: state["ready"])["board"]["by_hand"]
    wizard.set_corners(None)
    assert not wait(wizard, lambda state: state["ready"])["board"]["by_hand"]


def test_a_board_is_turned_and_turned_back(wizard):
    with pytest.raises(SetupRefused, match="no board is in view"):
        wizard.rotate_board("swap")
    home = learnt(wizard)["board"]["corners"][1]
    wizard.rotate_board("swap")
    state = wait(wizard, lambda state: state["read"] and state["read"]["differences"])
    assert state["turned"]
    assert state["board"]["corners"][1][1] < home[1] - 300
    wizard.rotate_board("auto")
    assert wait(wizard, lambda state: state["ready"])["read"]["light_home"] == "right"


def test_another_game_expects_another_opening(wizard):
    learnt(wizard)
    wizard.set_game({**GAME, "variant": "nackgammon"})
    state = wait(wizard, lambda state: state["read"] and state["read"]["differences"])
    assert {23, 24} & set(state["read"]["differing"])
    assert state["ready"] is None


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("nowhere.mp4", "there is no file nowhere.mp4"),
        (__file__, "not a video, or is damaged"),
        ("ftp://host/x", "cannot read video over ftp"),
        ("http://127.0.0.1:9/video", "sends no video"),
        ("99", "camera"),
    ],
)
def test_what_cannot_be_opened_is_one_line_and_the_wizard_goes_on(wizard, address, message):
    wizard.open_source(address)
    state = wait(wizard, lambda state: state["error"])
    assert message in str(state["error"])
    assert "\n" not in str(state["error"])
    assert state["stage"] == "choosing"
    assert learnt(wizard)["error"] is None


def test_an_address_that_hangs_blocks_no_command(tmp_path):
    released = threading.Event()

    def opener(address, **options):
        if address == "http://slow/":
            released.wait(PATIENCE)
            raise SourceError("it does not respond")
        return open_source(address, **options)

    with wizard_at(tmp_path, opener=opener) as wizard:
        wizard.open_source("http://slow/")
        assert wizard.state()["stage"] == "opening"
        wizard.close_source()
        wizard.open_source("sample")
        assert wizard.state()["stage"] == "opening"
        released.set()
        assert wait(wizard, lambda state: state["ready"])["error"] is None


def test_a_video_without_the_opening_is_an_error_at_its_end(wizard, tmp_path):
    path = tmp_path / "grey.png"
    cv2.imwrite(str(path), np.full((360, 640, 3), 120, np.uint8))
    wizard.open_source(str(path))
    state = wait(wizard, lambda state: state["error"])
    assert "begins with the board set up" in str(state["error"])
    assert "no board found" in str(state["faults"][0])


def test_cameras_show_small_pictures_or_why_not(tmp_path):
    cameras = [CameraInfo(3, "Desk"), CameraInfo(4, "Hall")]

    def opener(address, **_):
        if address == "4":
            raise SourceError("camera 4 is busy")
        return Static(np.full((720, 1280, 3), 90, np.uint8))

    with wizard_at(tmp_path, cameras=lambda: cameras, opener=opener) as wizard:
        state = wait(wizard, lambda s: len(s["cameras"]) == 2 and s["cameras"][1]["fault"])
        first, second = state["cameras"]
        assert (first["id"], first["name"], first["fault"]) == ("3", "Desk", None)
        assert (second["picture"], second["fault"]) == (0, "camera 4 is busy")
        small = cv2.imdecode(np.frombuffer(wizard.thumbnail("3"), np.uint8), cv2.IMREAD_COLOR)
        assert small.shape == (180, 320, 3)
        assert wizard.thumbnail("4") is None
        assert wizard.thumbnail("5") is None


def test_a_live_camera_is_inspected_again_when_the_board_changes(tmp_path):
    frames = iter(open_source(str(samples.CLIP)))
    opening = next(frames).image
    grey = np.full_like(opening, 120)
    camera = Static(grey)
    with wizard_at(tmp_path, opener=lambda *_, **__: camera) as wizard:
        wizard.open_source("7")
        state = wait(wizard, lambda state: state["faults"])
        assert "no board found" in str(state["faults"][0])
        camera.image = opening
        state = wait(wizard, lambda state: state["ready"])
        assert state["source"] == {"name": "camera 7", "is_film": False, "fault": None}
        wizard.close_source()
        assert camera.closed.wait(PATIENCE)
        assert wait(wizard, lambda state: state["source"] is None)["ready"] is None


def test_after_a_match_another_can_be_set_up(wizard):
    learnt(wizard)
    wizard.start()
    wizard.wait()
    wizard.begun()
    wizard.ended("the camera is gone")
    state = wizard.state()
    assert (state["stage"], state["picture"]) == ("choosing", 0)
    assert state["error"] == "the camera is gone"
    assert learnt(wizard)["error"] is None


def test_closing_ends_the_wait_and_the_thread(tmp_path):
    with wizard_at(tmp_path) as wizard:
        threading.Timer(0.1, wizard.close).start()
        assert wizard.wait() is None
    assert "setup" not in [thread.name for thread in threading.enumerate()]


def test_a_phone_is_a_source_and_is_told_what_is_seen_in_its_pictures(tmp_path):
    relay, stopped = PhoneRelay(tmp_path / "videos"), threading.Event()
    with closing(open_source(str(samples.CLIP))) as clip:
        image = next(iter(clip)).image
    # A camera's pictures are never the same bytes.
    coded = [
        cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])[1].tobytes()
        for quality in (90, 92)
    ]

    def send():
        for jpeg in cycle(coded):
            if stopped.wait(0.1):
                return
            relay.receive(PhoneFrame(jpeg, time.monotonic(), 87, is_charging=False))

    phone = threading.Thread(target=send)
    with (
        closing(PhoneSite(relay, tmp_path / "page.pem", port=0)) as site,
        wizard_at(tmp_path, phone=site) as wizard,
    ):
        assert wizard.state()["phone"] == {
            "invitation": None, "status": None, "has_phone": False, "videos": []
        }  # fmt: skip
        wizard.invite_phone()
        assert wizard.state()["phone"]["invitation"]["url"].startswith("https://")
        phone.start()
        try:
            wizard.open_source("phone:")
            state = wait(wizard, lambda state: state["ready"])
            assert (str(state["source"]["name"]), state["size"]) == ("the phone", (1280, 720))
            assert state["phone"]["status"]["battery"] == 87
            guide = wizard.guide()
            assert (guide["stage"], guide["is_ready"], guide["size"]) == (
                "looking", True, (1280, 720)
            )  # fmt: skip
            assert np.abs(np.subtract(guide["corners"], state["board"]["corners"])).max() < 2
            assert abs(guide["level"]) < 5
            wizard.start()
            assert wizard.wait().camera == "phone:"
        finally:
            stopped.set()
            phone.join(PATIENCE)


def test_without_a_page_for_it_no_phone_is_invited(wizard):
    assert wizard.state()["phone"] is None
    with pytest.raises(SetupRefused, match="cannot be the camera here"):
        wizard.invite_phone()


def test_a_phone_is_told_nothing_of_the_folders_of_this_machine(wizard):
    table = StateHub()
    table.publish(
        troubles=["not kept"], referee={"troubles": ["/home/ann/record: the disk is full"]}
    )
    wizard.begun()
    assert _guide(wizard, table)["faults"] == ["not kept"]
