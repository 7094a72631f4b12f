"""Small faults of the pages, each in a real browser."""

from __future__ import annotations

import pytest

pytest.importorskip("selenium", reason="selenium is not installed")

from tests.webui.browser import click, find, is_seen, open_page, press, text, wait
from tests.webui.scripted_wizard import ScriptedWizard, board
from webui.app import create_app
from webui.contracts.desk import PlayEntered, RollEntered
from webui.server import serve


def test_the_replay_shows_the_cube_as_the_live_board_does(browser, served, sat):
    sat.desk.execute(RollEntered((3, 1)))
    sat.desk.execute(PlayEntered("8/5, 6/5"))
    for page in ("", "matches/1"):
        browser.get(served.url + page)
        # The board is drawn again when the page's first state arrives.
        wait(browser, lambda: text(browser, ".cube-face") == "64")
        wait(browser, lambda: find(browser, ".cube-one").get_attribute("data-place") == "middle")


def test_what_somebody_entered_has_no_probability_in_the_replay(browser, served, sat):
    sat.desk.execute(RollEntered((3, 1)))
    sat.desk.execute(PlayEntered("8/5 6/5"))
    browser.get(f"{served.url}matches/1")
    assert "%" not in text(browser, "#lines")


def test_a_refusal_goes_once_the_match_goes_on(browser, served, sat):
    open_page(browser, served, "desk")
    wait(browser, lambda: is_seen(browser, "#entry-roll"))
    press(browser, "t")
    wait(browser, lambda: text(browser, "#desk-answer"))
    sat.desk.execute(RollEntered((3, 1)))
    wait(browser, lambda: not text(browser, "#desk-answer"))


def test_the_form_of_the_match_closes_once_the_names_are_sent(browser, served, sat):
    open_page(browser, served, "desk")
    click(browser, "[data-open=match]")
    find(browser, "#match-form [name=light]").clear()
    find(browser, "#match-form [name=light]").send_keys("Anna")
    click(browser, "#names-set")
    wait(browser, lambda: find(browser, "#main").get_attribute("data-mode") == "live")
    assert sat.state.light == "Anna"


def test_legal_plays_that_take_long_are_announced_at_once(browser, served, sat):
    sat.desk.execute(RollEntered((4, 3)))
    sat.desk.execute(PlayEntered("13/11 13/8"))
    open_page(browser, served, "desk")
    wait(browser, lambda: is_seen(browser, "#alert-acts"))
    browser.execute_script("window.fetch = () => new Promise(() => {})")
    click(browser, "#alert-legal")
    assert is_seen(browser, "#legal .searching")


def test_an_overlay_says_what_is_wrong_with_its_address_on_a_ground_of_its_own(browser, served):
    browser.get(f"{served.url}overlay?theme=pink")
    assert "pink" in text(browser, ".refused p")
    ground = find(browser, ".refused p").value_of_css_property("background-color")
    assert ground != "rgba(0, 0, 0, 0)"


def test_pip_counts_that_the_rules_hide_leave_no_dash(browser, table, script):
    script.start_game(table)
    table.publish(pips=None)
    server = serve(create_app(table), port=0)
    try:
        for page in ("", "overlay"):
            browser.get(server.url + page)
            assert not is_seen(browser, ".pips")
    finally:
        server.close()


def test_a_reload_of_the_set_up_stays_at_its_step(browser, table):
    wizard = ScriptedWizard()
    source = {"name": "clip.mp4", "is_film": True, "fault": None}
    wizard.publish(stage="looking", source=source, board=board())
    server = serve(create_app(table, wizard=wizard), port=0)
    try:
        browser.get(f"{server.url}setup")
        step = lambda: find(browser, "#setup").get_attribute("data-step")  # noqa: E731
        wait(browser, lambda: step() == "board")
        click(browser, ".steps [data-go=match]")
        assert step() == "match"
        browser.refresh()
        wait(browser, lambda: step() == "match")
    finally:
        server.close()
