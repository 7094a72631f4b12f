"""A whole match in a real browser: an illegal play, a correction, a lost connection, its review."""

from __future__ import annotations

import pytest

pytest.importorskip("selenium", reason="selenium is not installed")

from engine import Side
from tableside.review.archive import RecordArchive
from tests.tableside.running_match import RunningMatch, after
from tests.webui.browser import click, complaints, find, is_seen, press, text, wait
from webui.app import create_app
from webui.pages.matches import install_review
from webui.server import serve


@pytest.fixture
def running(tmp_path, monkeypatch):
    running = RunningMatch(tmp_path, length=1)
    running.begin()
    yield running
    running.close()


@pytest.fixture
def serving(running):
    """`serving(port)` serves the session and its record; `serving.now` is the server."""
    archive = RecordArchive(running.recorder.path)

    class Serving:
        now = None

        def __call__(self, port=0):
            app = create_app(running.table, desk=running.desk)
            install_review(app, archive)
            self.now = serve(app, port=port)
            return self.now

    one = Serving()
    yield one
    if one.now is not None:
        one.now.close()
    archive.close()


def is_live(browser):
    return find(browser, "#link").get_attribute("data-link") == "live"


def test_a_match_is_refereed_from_its_first_throw_to_its_review(browser, running, serving):
    server = serving()
    browser.get(server.url)
    wait(browser, lambda: is_live(browser))
    running.turn(Side.LIGHT, (6, 1), "13/7 8/7")
    wait(browser, lambda: "13/7 8/7" in text(browser, "#sheet-rows"))

    # Viewers lose the table and get it back, with what was played meanwhile.
    server.close()
    wait(browser, lambda: is_seen(browser, "#lost"))
    running.turn(Side.DARK, (4, 1), "13/8 6/4")
    server = serving(server.port)
    wait(browser, lambda: not is_seen(browser, "#lost") and is_seen(browser, "#alert"))
    assert "Illegal play" in text(browser, "#alert")
    lost = complaints(browser)
    assert all("ERR_CONNECTION_REFUSED" in one or "Failed to load" in one for one in lost)

    click(browser, ".nav .to-desk")
    wait(browser, lambda: is_seen(browser, "#alert [data-command=reject]") and is_live(browser))
    press(browser, "r")
    wait(browser, lambda: not is_seen(browser, "#alert"))
    assert running.recorder.state.turns[1].rejected
    before = running.recorder.state.turns[1].before
    running.board.play(after(before, Side.DARK, "24/20 6/5"))
    running.turn(Side.LIGHT, (3, 1), "8/5 6/5")
    wait(browser, lambda: "24/20" in text(browser, "#turns"))

    # The first turn was misread: another play is typed.
    click(browser, "#turns [data-number='1']")
    wait(browser, lambda: find(browser, "#main").get_attribute("data-mode") == "turn")
    find(browser, "#turn-notation").send_keys("24/18 24/23\n")
    wait(browser, lambda: "24/23 24/18" in text(browser, "#turns"))
    click(browser, "[data-command=undo]")
    wait(browser, lambda: "13/7 8/7" in text(browser, "#turns"))

    click(browser, "[data-open=live]")
    press(browser, "g")
    wait(browser, lambda: is_seen(browser, "#resign-form"))
    browser.execute_script("document.querySelector('[name=player][value=dark]').click()")
    click(browser, "#resign-form [type=submit]")
    wait(browser, lambda: running.recorder.state.is_over)
    wait(browser, lambda: text(browser, "#main .headline") == "Match over")

    click(browser, ".nav .to-matches")
    click(browser, ".match-link")
    wait(browser, lambda: is_seen(browser, "#slider"))
    assert "24/20" in text(browser, "#lines")
    assert "asks for a legal play" in text(browser, "#lines")
    assert complaints(browser) == []
