"""`live` without a camera: the wizard is used in a real browser until the match is recorded."""

from __future__ import annotations

import json
import signal
import urllib.error
import urllib.request
from urllib.parse import urlsplit

import cv2
import pytest

from tableside.record.store import Store
from tests.e2e.conftest import CLIP, wait


class Wizard:
    """The set-up's API of a running program."""

    def __init__(self, program):
        self.root = program.url.removesuffix("setup")

    def ask(self, path):
        with urllib.request.urlopen(f"{self.root}{path}", timeout=30) as answer:
            return json.load(answer)

    def post(self, command, **body):
        request = urllib.request.Request(
            f"{self.root}api/setup/{command}",
            json.dumps(body).encode(),
            {"Content-Type": "application/json", "X-Tableside": "1"},
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)

    def wait(self, condition):
        def state():
            current = self.ask("api/setup")
            return current if condition(current) else None

        return wait(state)


def test_the_wizard_leads_from_nothing_to_a_match_on_the_page(start, browser, tmp_path):
    record = tmp_path / "record.sqlite"
    live = start("live", "--no-browser", "--record", record, "--dark", "Boris")
    assert live.url.endswith("/setup")
    browser.get(live.url)
    browser.set_window_size(390, 844)

    def click(selector):
        wait(lambda: browser.find_element("css selector", selector).is_enabled())
        element = browser.find_element("css selector", selector)
        browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
        element.click()

    def text_of(selector):
        return browser.find_element("css selector", selector).get_property("textContent")

    browser.find_element("css selector", "#file").send_keys(str(CLIP))
    click("#film button[type=submit]")
    wait(lambda: text_of("[data-text=board-verdict]") == "Board found")
    click("[data-task=board] .main-button")
    wait(lambda: text_of("[data-text=read-verdict]") == "All checkers read correctly")
    click("[data-task=checkers] .main-button")
    click("[data-length='5']")
    wait(lambda: text_of("[data-text=readiness]") == "The board has been learned.")
    click("#start")
    wait(lambda: urlsplit(browser.current_url).path == "/")
    shown = "return document.body.innerText"
    wait(lambda: "24/22" in browser.execute_script(shown))
    assert "Boris" in browser.execute_script(shown)

    complaints = [entry["message"] for entry in browser.get_log("browser")]
    assert complaints == []
    log = (json.loads(one["message"])["message"] for one in browser.get_log("performance"))
    sent = (one["params"] for one in log if one["method"] == "Network.requestWillBeSent")
    asked = [one["request"]["url"] for one in sent]
    assert {urlsplit(url).hostname for url in asked if url.startswith("http")} == {"127.0.0.1"}

    with pytest.raises(urllib.error.HTTPError, match="409"):
        Wizard(live).post("open", address="0")
    live.process.send_signal(signal.SIGTERM)
    assert live.wait_for_exit() == 0
    with Store.open(record) as store:
        (match,) = store.matches()
        assert (match.light, match.dark, match.length) == ("Light", "Boris", 5)
        assert [event for event in store.events(match.id) if event.type == "play"]


@pytest.mark.slow
def test_a_failure_is_reported_and_the_same_board_is_offered_the_next_time(start, tmp_path):
    record = tmp_path / "record.sqlite"
    args = ("live", "--no-browser", "--record", record)
    live = start(*args)
    wizard = Wizard(live)
    wizard.post("open", address=str(tmp_path / "gone.mp4"))
    state = wizard.wait(lambda state: state["error"])
    assert state["error"].startswith("there is no file")
    wizard.post("open", address="sample")
    wizard.wait(lambda state: state["ready"] == "learnt")
    wizard.post("game", light="Anna", length=3)
    wizard.post("start")
    wizard.wait(lambda state: state["stage"] == "recording")
    wait(lambda: wizard.ask("api/state")["moves"])
    live.process.send_signal(signal.SIGTERM)
    assert live.wait_for_exit() == 0

    again = start(*args)
    wizard = Wizard(again)
    assert wizard.ask("api/setup")["before"]["game"]["light"] == "Anna"
    wizard.post("again")
    state = wizard.wait(lambda state: state["ready"])
    assert (state["ready"], state["is_unfinished"], state["game"]["length"]) == ("known", True, 3)
    wizard.post("start")
    again.wait_for(r"resuming after \d+ plays?")
    again.process.send_signal(signal.SIGTERM)
    assert again.wait_for_exit() == 0
    with Store.open(record) as store:
        assert len(store.matches()) == 1


def test_the_program_can_be_ended_before_anything_is_chosen(start, tmp_path):
    live = start("live", "--no-browser", "--record", tmp_path / "record.sqlite")
    Wizard(live).ask("api/setup")
    live.process.send_signal(signal.SIGTERM)
    assert live.wait_for_exit() == 0


@pytest.mark.slow
def test_a_video_that_ends_leads_back_to_the_set_up(start, tmp_path):
    short = tmp_path / "short.mp4"
    frames = cv2.VideoCapture(str(CLIP))
    film = cv2.VideoWriter(str(short), cv2.VideoWriter.fourcc(*"mp4v"), 12, (1280, 720))
    for _ in range(24):
        film.write(frames.read()[1])
    film.release()
    frames.release()
    live = start("live", "--no-browser", "--record", tmp_path / "record.sqlite")
    wizard = Wizard(live)
    for _ in range(2):
        wizard.post("open", address=str(short))
        wizard.wait(lambda state: state["ready"] == "learnt")
        wizard.post("start")
        state = wizard.wait(lambda state: state["stage"] == "choosing")
        assert (state["error"], state["before"]["name"]) == (None, "short.mp4")
        assert "another match under Setup" in wizard.ask("api/state")["message"]
    live.process.send_signal(signal.SIGTERM)
    assert live.wait_for_exit() == 0
