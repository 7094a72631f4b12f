"""A replay leaves the program: as a page of its own, and as a video."""

from __future__ import annotations

import json
import re

import pytest

from tableside import cli
from tests.match_files import stored
from tests.tableside.pages.test_match_report import judge_all
from tests.tableside.sample_archive import MARKUP, archived
from webui.app import create_app
from webui.contracts.archive import Unavailable
from webui.i18n.locale import use_language
from webui.pages.matches import install_review
from webui.server import serve

pytest.importorskip("selenium", reason="selenium is not installed")

from selenium.webdriver.common.keys import Keys

from tests.webui.browser import click, find, press, text, wait


@pytest.fixture
def record(tmp_path):
    record = archived(tmp_path, lambda: "test 1")
    yield record
    record.close()


@pytest.fixture
def server(table, record):
    app = create_app(table)
    install_review(app, record.archive)
    server = serve(app, port=0)
    yield server
    server.close()


def requests_of(browser):
    entries = (json.loads(entry["message"])["message"] for entry in browser.get_log("performance"))
    sent = (one["params"] for one in entries if one["method"] == "Network.requestWillBeSent")
    return [one["request"]["url"] for one in sent]


def test_the_page_replays_a_match_without_any_request(browser, record, tmp_path):
    judge_all(record)
    page = tmp_path / "replay.html"
    page.write_text(record.archive.replay_page(record.numbers["over"]), "utf-8")
    browser.get("about:blank")
    requests_of(browser)
    browser.get(page.as_uri())
    wait(browser, lambda: text(browser, "[data-now=count]") == "1 / 18")
    press(browser, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    assert text(browser, "[data-now=count]") == "4 / 18"
    click(browser, "#line-turn-2 a")
    wait(browser, lambda: "better: 13/11 13/9" in text(browser, ".caption"))
    assert text(browser, "#line-turn-2 .line-loss") == "−0.050"
    click(browser, "[data-go=last]")
    assert text(browser, "[data-now=count]") == "18 / 18"
    assert "test 1" in text(browser, "#analysis-engine")
    asked = {url for url in requests_of(browser) if not url.startswith(("data:", "chrome"))}
    assert {url.partition("#")[0] for url in asked} == {page.as_uri()}
    assert not [line for line in browser.get_log("browser") if line["level"] == "SEVERE"]


def test_names_stay_names_and_what_players_may_not_know_stays_out(record):
    number = record.numbers["odd"]
    with use_language("ru"):
        page = record.archive.replay_page(number)
    assert MARKUP not in page
    assert '<html lang="ru">' in page
    assert not re.search(r"<(?:script|img|link)[^>]* (?:src|href)=\"(?!data:)", page)
    with pytest.raises(Unavailable):
        record.archive.file(record.numbers["blank"], "replay.html")


def test_export_writes_the_page_of_a_recorded_match_and_of_a_file(record, tmp_path):
    given, out = tmp_path / "self.mat", tmp_path / "out.html"
    given.write_bytes(stored("self_00.mat.gz"))
    options = ["--format", "html", "--out", str(out), "--force"]
    assert cli.main(["export", str(given), *options]) == 0
    assert "gnubg" in out.read_text("utf-8")
    number = str(record.numbers["over"])
    assert cli.main(["export", number, *options, "--record", str(record.store.path)]) == 0
    assert "Ann &amp; Co" in out.read_text("utf-8")


@pytest.mark.slow
def test_the_browser_makes_a_video_of_the_game_shown(browser, server, record):
    browser.get(f"{server.url}matches/{record.numbers['over']}#files")
    wait(browser, lambda: find(browser, "main").get_attribute("data-ready") == "yes")
    browser.execute_script(
        "HTMLAnchorElement.prototype.click = function () { window.saved = this.download; };"
        "URL.createObjectURL = (blob) => { window.video = blob; return 'blob:none'; };"
    )
    click(browser, "[data-go=last]")
    click(browser, "#animation-make")
    wait(browser, lambda: text(browser, "#animation-note") == "Saved")
    assert browser.execute_script("return saved") == "replay-game-2.webm"
    head = browser.execute_async_script(
        "video.slice(0, 4).arrayBuffer().then((found) => arguments[0]([...new Uint8Array(found)]))"
    )
    assert bytes(head) == b"\x1aE\xdf\xa3"
    assert browser.execute_script("return video.size") > 10_000
    assert text(browser, "[data-now=count]") == "18 / 18"
