"""The desk on a laptop in a real browser: a large board, and buttons that stay where they are."""

from __future__ import annotations

import pytest

pytest.importorskip("selenium", reason="selenium is not installed")

from selenium.webdriver.common.by import By

from engine.position import Side
from tests.at_length import at_length
from tests.tableside.recording.test_manual_match import ManualMatch
from tests.webui.browser import find, is_seen, open_page, press, text, wait
from webui.app import create_app
from webui.contracts.desk import ClockEntered, PlayEntered, Resignation, RollEntered
from webui.server import serve

LAPTOP = (1366, 768)
NAMES = {"light": "Masayuki Mochizuki", "dark": "Konstantin Konstantinopolsky"}
OVER = "return document.documentElement.scrollHeight - innerHeight"
FIRST_PLAY_IS_WHOLE = """
const box = (name) => document.querySelector(name).getBoundingClientRect();
return box("#legal-plays li").bottom <= box("#legal").bottom;
"""
BROKEN = """
return [...document.querySelectorAll(arguments[0])].flatMap((name) => {
  const range = document.createRange(), text = name.firstChild;
  return [...text.data.matchAll(/\\S+/g)].filter((word) => {
    range.setStart(text, word.index);
    range.setEnd(text, word.index + word[0].length);
    return range.getClientRects().length > 1;
  }).map((word) => word[0]).concat(name.scrollHeight > name.clientHeight + 2 ? ["cut"] : []);
});
"""
"""The words of the elements' texts that are broken over two lines, and "cut" for one cut off."""


@pytest.fixture
def sat(tmp_path):
    one = ManualMatch(tmp_path, length=5, **NAMES)
    yield one
    one.close()


@pytest.fixture
def served(sat):
    server = serve(create_app(sat.table, desk=sat.desk), port=0)
    yield server
    server.close()


def places(browser):
    """Where the board and each button that is shown are."""
    found = browser.find_elements(By.CSS_SELECTOR, "#board, #commands button")
    names = [one.get_attribute("data-command") or one.get_attribute("data-open") for one in found]
    return {name: one.rect for name, one in zip(names, found, strict=True) if one.is_displayed()}


def test_from_roll_to_dispute_nothing_moves_and_nothing_scrolls(browser, screen, served, sat):
    screen(*LAPTOP)
    browser.get(f"{served.url}desk")
    wait(browser, lambda: is_seen(browser, "#entry-roll"))
    seen = [places(browser)]
    assert seen[0][None]["width"] >= 700
    assert browser.execute_script(OVER) <= 0
    press(browser, "4", "3")
    wait(browser, lambda: is_seen(browser, "#entry-play"))
    wait(browser, lambda: text(browser, "#desk-answer") == "Roll: 4-3.")
    seen.append(places(browser))
    sat.desk.execute(PlayEntered("13/11 13/8"))
    wait(browser, lambda: is_seen(browser, "#alert"))
    # Nor does the answer outlive what it speaks of.
    wait(browser, lambda: not text(browser, "#desk-answer"))
    assert "13/11 uses a 2, 13/8 a 5; neither was rolled." in text(browser, "#alert")
    seen.append(places(browser))
    assert browser.execute_script(OVER) <= 0
    shown = {*seen[0]} & {*seen[1]} & {*seen[2]}
    assert {"undo", "pause", "double", "drop", "resign", "position", "match"} <= shown
    for name in shown:
        assert seen[0][name] == seen[1][name] == seen[2][name]


def test_the_live_page_does_not_scroll_and_its_board_stays_during_a_dispute(
    browser, screen, served, sat
):
    screen(*LAPTOP)
    open_page(browser, served)
    before = find(browser, "#board").rect
    sat.desk.execute(RollEntered((4, 3)))
    sat.desk.execute(PlayEntered("13/11 13/8"))
    wait(browser, lambda: is_seen(browser, "#alert"))
    assert find(browser, "#board").rect == before
    assert browser.execute_script(OVER) <= 0


@pytest.mark.parametrize("size", [at_length((1440, 900)), LAPTOP, (390, 844)])
@pytest.mark.parametrize("page", ["", "desk"])
def test_names_are_whole_and_broken_only_between_words(browser, screen, served, page, size):
    screen(*size)
    browser.get(served.url + page)
    wait(browser, lambda: find(browser, "#link").get_attribute("data-link") == "live")
    assert browser.execute_script(BROKEN, ".who h2, .sheet th span[data-text]") == []


@pytest.mark.parametrize("size", [LAPTOP, (390, 844)])
def test_whoever_resigns_or_rolls_next_is_named_without_a_broken_word(
    browser, screen, served, size
):
    screen(*size)
    open_page(browser, served, "desk")
    for form in ("resign", "position"):
        browser.execute_script(f"document.querySelector('[data-open={form}]').click()")
        wait(browser, lambda form=form: is_seen(browser, f"#{form}-form"))
        assert browser.execute_script(BROKEN, f"#{form}-form [data-name]") == []


def test_legal_plays_of_a_dispute_and_the_end_of_a_game_fit_on_a_laptop(
    browser, screen, served, sat
):
    screen(*LAPTOP)
    sat.desk.execute(RollEntered((4, 3)))
    sat.desk.execute(PlayEntered("13/11 13/8"))
    sat.desk.execute(ClockEntered(840, 840, 12))
    for page in ("", "desk"):
        open_page(browser, served, page)
        wait(browser, lambda: is_seen(browser, "#alert-legal"))
        find(browser, "#alert-legal").click()
        wait(browser, lambda: is_seen(browser, "#legal-plays .board"))
        assert browser.execute_script(FIRST_PLAY_IS_WHOLE)
        assert browser.execute_script(OVER) <= 0
    sat.desk.execute(Resignation(Side.DARK, 2))
    open_page(browser, served)
    wait(browser, lambda: is_seen(browser, "#end-card"))
    assert browser.execute_script(OVER) <= 0
