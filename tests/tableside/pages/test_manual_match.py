"""A match kept at the desk in a real browser: dice and plays are tapped, or entered by keys."""

from __future__ import annotations

import pytest

pytest.importorskip("selenium", reason="selenium is not installed")

from selenium.webdriver.common.keys import Keys

from engine.match.phase import Phase
from tests.tableside.pages.test_desk import SMALL
from tests.webui.browser import (
    LOOKS,
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
from tests.webui.conftest import cup_shown
from tests.webui.pages.test_axe import faults_on, settled
from webui.app import create_app
from webui.contracts.desk import CUP_COMMANDS, CupWords, DeskCommand, PlayEntered, RollEntered
from webui.server import serve


def step(browser, name):
    wait(browser, lambda: is_seen(browser, f"#entry-{name}"))


LATE_PLAYS = """
const plain = window.fetch;
window.fetch = async (address, ...more) => {
  const isHeld = String(address).endsWith("/api/desk/plays");
  if (isHeld) await new Promise((done) => { window.send = done; });
  return plain(address, ...more);
};
"""
"""The legal plays are asked for only once the test calls `send()`."""


def test_a_play_typed_before_the_legal_ones_arrive_is_kept(browser, served, sat):
    open_page(browser, served, "desk")
    step(browser, "roll")
    browser.execute_script(LATE_PLAYS)
    press(browser, "3", "1")
    step(browser, "play")
    press(browser, "n", "8/5 6/5")
    wait(browser, lambda: browser.execute_script("return 'send' in window"))
    browser.execute_script("window.send()")
    wait(browser, lambda: text(browser, "#entry-legal-count") not in ("", "0"))
    press(browser, Keys.ENTER)
    wait(browser, lambda: sat.state.turns)
    assert sat.state.turns[0].event.play == "8/5 6/5"


def test_a_turn_is_entered_by_taps_and_the_next_by_keys(browser, served, sat):
    open_page(browser, served, "desk")
    step(browser, "roll")
    assert faults_on(browser) == []
    assert text(browser, "[data-legend]") == "Ann"
    click(browser, "[data-die='0'][data-face='3']")
    click(browser, "[data-die='1'][data-face='1']")
    step(browser, "play")
    wait(browser, lambda: is_seen(browser, ".cell[data-cell='8']"))
    click(browser, ".cell[data-cell='8']")
    assert piles(browser)["light 5"] == 1
    click(browser, ".cell[data-cell='6']")
    wait(browser, lambda: sat.state.turns)
    assert sat.state.turns[0].event.play == "8/5 6/5"
    step(browser, "rolls")
    press(browser, "4", "2")
    step(browser, "play")
    wait(browser, lambda: text(browser, "#entry-legal-count") not in ("", "0"))
    press(browser, "n")
    find(browser, "#entry-notation").send_keys("5/1", Keys.ENTER)
    wait(browser, lambda: text(browser, "#entry-answer"))
    assert len(sat.state.turns) == 1
    find(browser, "#entry-notation").clear()
    find(browser, "#entry-notation").send_keys("8/4 6/5", Keys.ENTER)
    wait(browser, lambda: is_seen(browser, "#alert"))
    assert sat.state.phase is Phase.DISPUTED
    press(browser, Keys.ESCAPE)
    find(browser, "body").click()
    press(browser, "r")
    step(browser, "play")
    wait(browser, lambda: text(browser, "#entry-legal-count") not in ("", "0"))
    click(browser, "#entry-legal summary")
    click(browser, "#entry-legal-plays [data-play='8/4 6/4'] button")
    wait(browser, lambda: sat.state.phase is Phase.TO_ROLL)
    assert [turn.rejected for turn in sat.state.turns] == [False, True, False]
    press(browser, "u")
    wait(browser, lambda: sat.state.phase is Phase.TO_PLAY)
    refused = [one for one in complaints(browser) if "CONFLICT" in one]
    assert len(refused) == 1  # the text that was no play at all


def test_the_next_game_is_begun_and_pages_without_a_camera_ask_for_no_picture(browser, served, sat):
    browser.get(served.url)
    wait(browser, lambda: find(browser, "#link").get_attribute("data-link") == "live")
    assert is_seen(browser, ".by-hand")
    assert not is_seen(browser, ".camera")
    sat.desk.execute(RollEntered((3, 1)))
    sat.desk.execute(PlayEntered("8/5 6/5"))
    sat.desk.execute(DeskCommand.DOUBLE)
    sat.desk.execute(DeskCommand.DROP)
    open_page(browser, served, "desk")
    wait(browser, lambda: is_seen(browser, "[data-command=begin_game]"))
    assert not is_seen(browser, "[data-command=end_turn]")
    press(browser, "f")
    wait(browser, lambda: sat.state.games == 2)
    step(browser, "roll")
    assert complaints(browser) == []


@pytest.mark.slow
@LOOKS
def test_entering_a_turn_has_no_fault_against_wcag(browser, screen, served, sat, size, scheme):
    screen(*size, scheme)
    open_page(browser, served, "desk")
    step(browser, "roll")
    settled(browser)
    assert faults_on(browser) == []
    sat.desk.execute(RollEntered((3, 1)))
    step(browser, "play")
    wait(browser, lambda: is_seen(browser, ".cell[data-cell='8']"))
    click(browser, ".cell[data-cell='8']")
    wide = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert browser.execute_script(wide) <= 0
    assert browser.execute_script(SMALL) == []
    assert faults_on(browser) == []


def test_two_rolls_are_decided_between_by_a_key(browser, table, desk, script):
    script.start_game(table)
    two = {"cup": [6, 3], "seen": [5, 2]}
    table.publish(cup=cup_shown("ready", disagrees=two))
    can = [word.value for word in CUP_COMMANDS if word is not DeskCommand.CUP_BACK]
    plain = desk.status
    desk.status = lambda: {**plain(), "can": can}
    server = serve(create_app(table, desk=desk), port=0)
    try:
        open_page(browser, server, "desk")
        wait(browser, lambda: is_seen(browser, "#cup-acts"))
        assert "6-3" in text(browser, "#cup")
        assert faults_on(browser) == []
        click(browser, "[data-command=cup_stands]")
        wait(browser, lambda: desk.commands == [DeskCommand.CUP_STANDS])
        press(browser, "j")
        wait(browser, lambda: desk.commands[-1] is DeskCommand.DICE_STAND)
        press(browser, "o")
        wait(browser, lambda: desk.commands[-1] is DeskCommand.CUP_ROLL)
    finally:
        server.close()


def test_the_players_say_their_words_once_the_cup_is_bound(browser, table, desk, script):
    script.start_game(table)
    server = serve(create_app(table, desk=desk), port=0)
    try:
        open_page(browser, server, "desk")
        assert not is_seen(browser, "#cup-words")
        table.publish(cup=cup_shown("words", stage="committed"))
        wait(browser, lambda: is_seen(browser, "#cup-words"))
        assert "3fa9 12bc 3fa9 12bc" in text(browser, "#cup")
        assert text(browser, ".fingerprint").replace(" ", "") == "3fa912bc" * 8
        assert faults_on(browser) == []
        click(browser, "#cup-words [type=submit]")
        wait(
            browser, lambda: text(browser, "#cup-words-answer") == "Enter a word, or play without."
        )
        find(browser, "#cup-words [name=light]").send_keys(" walnut ")
        find(browser, "#cup-words [name=dark]").send_keys("Гамбит", Keys.ENTER)
        wait(browser, lambda: desk.commands == [CupWords("walnut", "Гамбит")])
        table.publish(cup=cup_shown("rolling"))
        wait(browser, lambda: not is_seen(browser, "#cup-words"))
        table.publish(cup=cup_shown("words", stage="committed"))
        wait(browser, lambda: is_seen(browser, "#cup-words"))
        assert find(browser, "#cup-words [name=light]").get_attribute("value") == ""
        click(browser, "#cup-wordless")
        wait(browser, lambda: desk.commands[1:] == [CupWords("", "")])
    finally:
        server.close()
