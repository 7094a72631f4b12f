"""Earlier positions of the match in play on the live page, in a real browser."""

from __future__ import annotations

import pytest

pytest.importorskip("selenium", reason="selenium is not installed")

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from tableside.review.archive import RecordArchive
from tests.tableside.pages.test_end_of_game import lose_a_gammon
from tests.webui.browser import (
    click,
    complaints,
    find,
    is_seen,
    open_page,
    piles,
    press,
    text,
    wait,
)
from tests.webui.http.test_auth import HASHES, enter
from tests.webui.pages.test_axe import faults_on, settled
from webui.app import create_app
from webui.contracts.desk import DeskCommand, PlayEntered, RollEntered
from webui.contracts.roles import Role
from webui.http.passwords import Passwords
from webui.pages.matches import install_review

OPENING = {"light 24": 2, "light 13": 5, "light 8": 3, "light 6": 5}


def light(browser):
    return {name: count for name, count in piles(browser).items() if name.startswith("light")}


def looked_at(browser):
    return text(browser, "#look-text") if is_seen(browser, "#look") else None


def looked_moves(browser):
    cells = browser.find_elements(By.CSS_SELECTOR, ".turn[data-looked] [data-field=play]")
    return [cell.text for cell in cells]


def test_steps_lead_back_while_the_match_goes_on_and_one_press_leads_to_now(browser, served, sat):
    lose_a_gammon(sat)
    for command in (DeskCommand.BEGIN_GAME, RollEntered((4, 2)), PlayEntered("8/4 6/4")):
        sat.desk.execute(command)
    open_page(browser, served)
    now = piles(browser)
    assert not is_seen(browser, "#look")
    click(browser, "#look-open")
    wait(browser, lambda: looked_at(browser) == "Opening roll")
    assert light(browser) == OPENING
    assert is_seen(browser, ".board-flag")
    assert not is_seen(browser, "#last")
    settled(browser)
    assert faults_on(browser) == []
    high = "return document.documentElement.scrollHeight - innerHeight"
    assert browser.execute_script(high) <= 0
    press(browser, Keys.LEFT)
    wait(browser, lambda: looked_at(browser) == "Start of the Crawford game")
    press(browser, Keys.HOME)
    wait(browser, lambda: looked_at(browser) == "Starting position")
    assert text(browser, "#look-count").startswith("1 / ")
    # What happens meanwhile is told, and leaves the board as it is.
    sat.desk.execute(RollEntered((6, 4)))
    sat.desk.execute(PlayEntered("24/14"))
    wait(browser, lambda: text(browser, "#look-news") == "Now: Bob 24/14")
    wait(browser, lambda: "24/14" in text(browser, "#sheet-rows"))
    assert light(browser) == OPENING
    # A move of an earlier game, too.
    click(browser, "#sheet-tabs button")
    wait(browser, lambda: "8/5 6/5" in text(browser, "#sheet-rows"))
    click(browser, "#turn-1")
    wait(browser, lambda: looked_at(browser) == "8/5 6/5")
    assert light(browser)["light 5"] == 2
    assert find(browser, "#turn-1").get_attribute("data-looked") == ""
    press(browser, Keys.ESCAPE)
    wait(browser, lambda: not is_seen(browser, "#look"))
    assert piles(browser) != now, "dark has played since"
    assert light(browser)["light 4"] == 2
    # Forward from the play before the newest is now, with what came after the first look.
    press(browser, Keys.LEFT)
    wait(browser, lambda: looked_at(browser) == "8/4 6/4")
    # The mark stays with its move when the sheet shows another game.
    for tab, marked in (("first", []), ("last", ["8/4 6/4"])):
        click(browser, f"#sheet-tabs > :{tab}-child")
        wait(browser, lambda marked=marked: looked_moves(browser) == marked)
    press(browser, Keys.RIGHT)
    wait(browser, lambda: not is_seen(browser, "#look"))
    assert complaints(browser) == []


def test_the_way_back_makes_nothing_scroll_on_a_small_laptop(browser, screen, served, sat):
    screen(1366, 768)
    for command in (RollEntered((4, 2)), PlayEntered("8/4 6/4")):
        sat.desk.execute(command)
    open_page(browser, served)
    for name, longest in (("play", "bar/17*/13 8/4*(2)"), ("percent", "> 99.9 %")):
        script = "document.querySelector(arguments[0]).textContent = arguments[1]"
        browser.execute_script(script, f"[data-text=last-{name}]", longest)
    assert is_seen(browser, "#look-open")
    high = "return document.documentElement.scrollHeight - innerHeight"
    assert browser.execute_script(high) <= 0


def test_whoever_reads_the_record_is_offered_the_way_back_with_a_delay_too(served, sat):
    app = create_app(sat.table, desk=sat.desk, passwords=Passwords(HASHES), least_delay=30.0)
    install_review(app, RecordArchive(sat.recorder.path))
    try:
        pages = {role: enter(app, role).get("/").text for role in Role}
    finally:
        app.extensions["archive"].close()
    offered = {role for role, page in pages.items() if 'id="look"' in page}
    assert offered == {*Role} - {Role.AUDIENCE}
