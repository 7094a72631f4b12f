"""One score sheet for the live page, the desk and the replay, in a real browser."""

from __future__ import annotations

import random

import pytest

pytest.importorskip("selenium", reason="selenium is not installed")

from selenium.webdriver.common.by import By

from tests.tableside.pages.test_end_of_game import lose_a_gammon
from tests.webui.browser import click, find, is_seen, open_page, text, wait
from webui.contracts.desk import DeskCommand, PlayEntered, RollEntered

IN_SIGHT = """
const names = ["#sheet-rows tr:last-child", "#sheet-scroll", ".board-look summary", ".sheet"];
const boxes = names.map((name) => document.querySelector(name).getBoundingClientRect());
const [row, list, look, panel] = boxes;
return list.height >= 100 && row.bottom <= list.bottom + 1 && row.top >= list.top
  && list.bottom <= look.top + 1 && look.bottom <= panel.bottom && panel.bottom <= innerHeight;
"""
"""Whether the newest row is in sight in its list, and all below it in its panel."""
ACTIONS = ["Doubles to 2", "Takes", "Resigns 4 points"]


@pytest.fixture(autouse=True)
def played(sat):
    lose_a_gammon(sat)
    sat.desk.execute(DeskCommand.BEGIN_GAME)
    sat.desk.execute(RollEntered((4, 2)))
    sat.desk.execute(PlayEntered("8/4 6/4"))


def test_the_live_page_has_every_action_of_every_game_and_the_score(browser, served):
    open_page(browser, served)
    assert "8/4 6/4" in text(browser, "#sheet-rows")
    assert text(browser, "#sheet-note") == "4-0 · 1-away, 5-away · Crawford game"
    click(browser, "#sheet-tabs button")
    wait(browser, lambda: "8/5 6/5" in text(browser, "#sheet-rows"))
    cells = [one.text for one in browser.find_elements(By.CSS_SELECTOR, "#sheet-rows td")]
    assert [*filter(None, cells)] == ["31 8/5 6/5", "64 24/14", *ACTIONS]
    assert text(browser, "#sheet-note") == "0-0 · 5-away, 5-away"
    assert text(browser, "#sheet-end") == "Ann wins a resigned gammon: 4 points"
    click(browser, "#sheet-tabs button:last-child")
    wait(browser, lambda: "8/4 6/4" in text(browser, "#sheet-rows"))
    assert not is_seen(browser, "#sheet-end")


def test_the_list_follows_the_newest_move_in_its_panel(browser, screen, served, sat):
    chance = random.Random(4)
    for _ in range(24):
        sat.desk.execute(RollEntered((chance.randint(1, 6), chance.randint(1, 6))))
        if sat.state.roll:  # otherwise it was a pass
            sat.desk.execute(PlayEntered(sat.any_play(chance)))
    screen(1366, 768)
    open_page(browser, served)
    wait(browser, lambda: browser.execute_script(IN_SIGHT))
    frame = find(browser, "#sheet-scroll")
    assert frame.get_property("scrollHeight") > frame.get_property("clientHeight")
    # With a camera's picture above it, there is less room.
    browser.execute_script("document.getElementById('main').dataset.camera = 'yes'")
    wait(browser, lambda: browser.execute_script(IN_SIGHT))


def test_the_desk_has_them_between_its_turns(browser, served):
    browser.get(f"{served.url}desk")
    wait(browser, lambda: browser.find_elements(By.CSS_SELECTOR, ".action-row"))
    rows = [one.text for one in browser.find_elements(By.CSS_SELECTOR, "#turns li")]
    shown = [row.splitlines()[-1] for row in rows]
    assert shown == [
        "Game 2 · 4-0 · 1-away, 5-away · Crawford game", "8/4 6/4",
        "Game 1 · 0-0 · 5-away, 5-away", "Ann wins a resigned gammon: 4 points",
        *ACTIONS[::-1], "24/14", "8/5 6/5",
    ]  # fmt: skip


def test_the_replay_has_a_tab_for_each_game(browser, served):
    browser.get(f"{served.url}matches/1")
    wait(browser, lambda: find(browser, "#main").get_attribute("data-ready") == "yes")
    lines = text(browser, "#lines")
    assert all(action in lines for action in ACTIONS)
    assert "4-0 · 1-away, 5-away · Crawford game" in lines
    click(browser, "#game-tabs a[data-game='1']")
    wait(browser, lambda: text(browser, "[data-now=game]") == "Game 1")
    assert find(browser, "#game-tabs [aria-current]").get_attribute("data-game") == "1"
