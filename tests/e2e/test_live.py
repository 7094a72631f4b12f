"""The demo and the camera, as users start them: page, record, kills and bad inputs."""

from __future__ import annotations

import json
import os
import signal
import socket
import urllib.error
import urllib.request

import cv2
import numpy as np
import pytest

from engine.events.match import IllegalMade, PlayMade
from tableside.record.store import Store
from tests.e2e.conftest import CLIP, cmdline, wait
from tests.streamed_camera import StreamedCamera, coded
from tests.tableside.sample_record import finished, match_events


def camera_picture(program):
    with urllib.request.urlopen(f"{program.url}camera.jpg", timeout=10) as answer:
        return cv2.imdecode(np.frombuffer(answer.read(), np.uint8), cv2.IMREAD_COLOR)


def fetched(address):
    with urllib.request.urlopen(address, timeout=10) as answer:
        return json.load(answer)


def plays_of(program):
    return [
        turn for row in program.state()["moves"] for turn in (row["light"], row["dark"]) if turn
    ]


def two_or_more(plays):
    return plays if len(plays) >= 2 else None


def test_the_demo_plays_is_shown_and_ends_by_itself(start, tmp_path):
    demo = start("demo", "--once", "--no-browser", "--out", tmp_path / "out")
    wait(lambda: demo.state()["phase"] == "playing")
    picture = camera_picture(demo)
    assert picture.shape == (720, 1280, 3)
    assert demo.wait_for_exit() == 0
    demo.wait_for(r"10 of the 10 plays in the video were recorded correctly")
    demo.wait_for(rf"wrote {tmp_path}/out/match.mat")
    demo.wait_for(r"a virtual cup on a noisy line rolled (\d-\d ){4}\d-\d; all rolls are proven")
    verified = start("cup", "verify", tmp_path / "out" / "cup.jsonl")
    assert verified.wait_for_exit() == 0
    verified.wait_for("5 rolls, all proven")
    left = {path.name for path in (tmp_path / "out").iterdir()}
    assert {"match.mat", "events.jsonl", "rolls.csv", "review.json", "review"} <= left
    stills = tmp_path / "out" / "record.stills-1"
    assert len(list(stills.glob("*.jpg"))) == 1, "of the void throw, the one thing to review"

    review = start("review", "--record", tmp_path / "out" / "record.sqlite", "--no-browser")
    match = fetched(f"{review.url}api/matches/1")
    assert match["entry"]["plays"] == 10
    assert not match["entry"]["is_open"]
    (void,) = match["doubtful"]
    (still,) = void["stills"]
    address = f"{review.url}api/matches/1/stills/{still['frame']}.jpg"
    with urllib.request.urlopen(address, timeout=10) as answer:
        assert answer.read() == next(stills.glob("*.jpg")).read_bytes()
    review.process.send_signal(signal.SIGTERM)
    assert review.wait_for_exit() == 0


def test_a_review_without_a_record_is_one_line(start, tmp_path):
    review = start("review", "--record", tmp_path / "none.sqlite", "--no-browser")
    assert review.wait_for_exit(30) == 1
    (line,) = review.lines
    assert "there is no record" in line
    assert not list(tmp_path.iterdir())


def test_a_review_is_served_to_others_who_log_in_and_are_kept_behind(start, tmp_path):
    record, passwords = tmp_path / "record.sqlite", tmp_path / "passwords.json"
    with Store.open(record) as store:
        for events, is_over in ((finished(match_events()), True), (match_events(), False)):
            match = store.new_match(light="Ann", dark="Ben", length=3)
            store.append(match, events)
            if is_over:
                store.close_match(match)
    network = ("--host", "0.0.0.0", "--passwords", passwords, "--delay", "30")
    review = start("review", "--record", record, "--no-browser", *network)
    password = review.wait_for(r"viewer's password: (\S+)")[1]
    assert passwords.exists()

    def answer(address, **headers):
        try:
            with urllib.request.urlopen(
                urllib.request.Request(f"{review.url}{address}", headers=headers), timeout=10
            ) as found:
                return found.status
        except urllib.error.HTTPError as refused:
            refused.close()
            return refused.code

    viewer = {"Authorization": f"Bearer {password}"}
    assert answer("api/matches/1") == 401
    assert answer("api/matches/1", **viewer) == 200
    assert answer("api/matches/2/files/match.mat", **viewer) == 409, (
        "it is open, and viewers are delayed"
    )
    review.process.send_signal(signal.SIGTERM)
    assert review.wait_for_exit() == 0


def test_live_pushes_plays_to_a_real_browser_and_goes_on_after_a_kill(start, browser, tmp_path):
    record = tmp_path / "record.sqlite"
    args = ("live", "--camera", CLIP, "--no-browser", "--record", record, "--light", "Anna")
    live = start(*args)
    browser.get(live.url)
    browser.execute_script("window.isSamePage = true")
    shown = "return document.body.innerText"
    wait(lambda: "24/22" in browser.execute_script(shown))
    assert browser.execute_script("return window.isSamePage")
    wait(
        lambda: (
            browser.execute_script("return document.querySelector('img[src*=camera]').naturalWidth")
            == 1280
        )
    )

    acknowledged, vision_pid = wait(lambda: two_or_more(plays_of(live))), live.vision_pid
    live.process.kill()
    live.wait_for_exit()
    assert not cmdline(vision_pid), "nobody records what nobody sees"
    with Store.open(record) as store:
        (match,) = store.matches()
        kept = store.events(match.id)
    recorded = [event.play for event in kept if isinstance(event, PlayMade | IllegalMade)]
    assert recorded[: len(acknowledged)] == [turn["play"] for turn in acknowledged]

    again = start(*args)
    again.wait_for(rf"recording match {match.id} ")
    again.wait_for(rf"resuming after {len(recorded)} plays")
    wait(lambda: len(plays_of(again)) > len(recorded))
    again.process.send_signal(signal.SIGTERM)
    assert again.wait_for_exit() == 0
    with Store.open(record) as store:
        assert len(store.matches()) == 1
        events = store.events(match.id)
    assert events[: len(kept)] == kept
    assert [event.frame for event in events] == sorted(event.frame for event in events)


@pytest.mark.slow
def test_what_a_killed_program_recorded_is_neither_lost_nor_repeated(start, tmp_path):
    record = tmp_path / "record.sqlite"
    args = ("live", "--camera", CLIP, "--no-browser", "--record", record)
    live = start(*args)
    wait(lambda: two_or_more(plays_of(live)))
    live.process.kill()
    live.wait_for_exit()
    with Store.open(record) as store:
        kept = store.events(1)

    again = start(*args)
    wait(lambda: len(plays_of(again)) >= 4)
    again.process.kill()
    again.wait_for_exit()
    with Store.open(record) as store:
        (match,) = store.matches()
        events = store.events(match.id)
    assert events[: len(kept)] == kept
    recorded = [event.play for event in events if isinstance(event, PlayMade)]
    assert recorded[:4] == ["24/22 13/8", "8/5(2) 6/3*(2)", "bar/17* 8/4(2)", "bar/20"]


def test_the_program_ends_with_a_message_when_its_vision_process_is_killed(start, tmp_path):
    record = tmp_path / "record.sqlite"
    live = start("live", "--camera", CLIP, "--no-browser", "--record", record)
    wait(lambda: live.state()["position"])
    with urllib.request.urlopen(f"{live.url}api/events", timeout=20) as stream:
        os.kill(live.vision_pid, signal.SIGKILL)
        states = (json.loads(line[5:]) for line in stream if line.startswith(b"data: {"))
        fault = next(state for state in states if state["phase"] == "fault")
    assert "what was recorded is safe" in fault["message"]
    assert live.wait_for_exit() == 1
    assert live.lines[-1] == f"tableside: {fault['message']}"
    with Store.open(record) as store:
        assert store.events(1)


def test_a_full_disk_is_reported_and_what_waited_is_written_once_there_is_room(start, tmp_path):
    resource = pytest.importorskip("resource", reason="only Unix limits the size of files")
    if not hasattr(resource, "prlimit"):
        pytest.skip("only Linux limits another process")
    record = tmp_path / "record.sqlite"
    live = start("live", "--camera", CLIP, "--no-browser", "--record", record)
    wait(lambda: live.state()["phase"] not in {"starting", "waiting"})
    vision_pid = live.vision_pid
    _, hard = resource.prlimit(vision_pid, resource.RLIMIT_FSIZE)
    resource.prlimit(vision_pid, resource.RLIMIT_FSIZE, (4096, hard))
    fault = wait(lambda: state if (state := live.state())["phase"] == "fault" else None)
    assert str(record) in fault["message"]
    shown = plays_of(live)
    with Store.open(record) as store:
        recorded = [event.play for event in store.events(1) if isinstance(event, PlayMade)]
    assert recorded == [turn["play"] for turn in shown]

    resource.prlimit(vision_pid, resource.RLIMIT_FSIZE, (hard, hard))
    wait(lambda: live.state()["phase"] != "fault" and two_or_more(plays_of(live)))
    with Store.open(record) as store:
        recorded = [event.play for event in store.events(1) if isinstance(event, PlayMade)]
    assert recorded[:2] == ["24/22 13/8", "8/5(2) 6/3*(2)"]


def test_a_journal_that_cannot_be_written_is_a_trouble_and_play_goes_on(start, tmp_path):
    record = tmp_path / "record.sqlite"
    record.with_name("record.sqlite.journal").write_text("in the way")
    live = start("live", "--no-camera", "--no-browser", "--record", record)
    state = wait(lambda: state if (state := live.state())["troubles"] else None)
    assert "record.sqlite.journal cannot be written" in state["troubles"][0]
    assert state["phase"] == "playing"


@pytest.mark.slow
def test_a_record_in_use_is_refused_in_one_line(start, tmp_path):
    args = ("live", "--camera", CLIP, "--no-browser", "--record", tmp_path / "record.sqlite")
    first = start(*args)
    first.wait_for("recording match 1")
    second = start(*args)
    assert second.wait_for_exit(30) == 1
    (line,) = second.lines
    assert "another Tableside is recording to" in line
    first.process.send_signal(signal.SIGINT)
    assert first.wait_for_exit(30) == 0


def test_a_port_in_use_is_one_line(start, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        demo = start("demo", "--no-browser", "--port", port, "--out", tmp_path)
        assert demo.wait_for_exit(30) == 1
    (line,) = demo.lines
    assert line == f"tableside: port {port} is in use: choose another with --port"


@pytest.mark.parametrize(
    ("camera", "message"),
    [
        ("97", r"no camera|camera 97"),
        pytest.param("gone.mp4", "there is no file", marks=pytest.mark.slow),
        pytest.param("ftp://a/b", "over ftp", marks=pytest.mark.slow),
    ],
)
def test_a_camera_that_is_not_there_is_one_line(start, tmp_path, camera, message):
    record = tmp_path / "record.sqlite"
    live = start("live", "--camera", camera, "--no-browser", "--record", record)
    assert live.wait_for_exit(30) == 1
    (line,) = live.lines
    live.wait_for(message)
    assert line.startswith("tableside: ")


def test_a_stream_that_is_not_there_yet_is_waited_for(start, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    address = f"http://ann:secret@127.0.0.1:{port}/video"
    record = tmp_path / "record.sqlite"
    live = start("live", "--camera", address, "--no-browser", "--record", record)
    fault = wait(lambda: state if (state := live.state())["phase"] == "fault" else None)
    assert f"http://127.0.0.1:{port}/video: it cannot be opened" in fault["message"]
    noise = np.random.default_rng(1)
    with StreamedCamera(port) as camera:
        camera.show_steadily(lambda: coded(noise.integers(90, 130, (360, 640, 3), np.uint8)), 0.05)
        wait(lambda: live.state()["phase"] != "fault")
        assert camera_picture(live).shape == (360, 640, 3)
        live.process.send_signal(signal.SIGTERM)
        assert live.wait_for_exit(30) == 0
