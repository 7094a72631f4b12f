"""The end of a game, of a match and of a video in a real browser."""

from __future__ import annotations

import pytest

pytest.importorskip("selenium", reason="selenium is not installed")

from selenium.webdriver.common.by import By

from engine.position import Side
from tableside.recording.live_view import VIDEO_OVER
from tableside.review.archive import RecordArchive
from tests.tableside.recording.test_manual_match import ManualMatch
from tests.webui.browser import click, find, is_seen, open_page, text, wait
from tests.webui.http.test_auth import HASHES, enter
from tests.webui.pages.test_axe import faults_on, settled
from webui.app import create_app
from webui.contracts.desk import DeskCommand, PlayEntered, Resignation, RollEntered
from webui.contracts.roles import Role
from webui.http.passwords import Passwords
from webui.pages.matches import install_review

LINKS = {"Replay": "", "Download": "#files", "Analyze": "#analysis"}


def lose_a_gammon(sat):
    """Dark takes a double and resigns a gammon."""
    for command in (RollEntered((3, 1)), PlayEntered("8/5 6/5")):
        sat.desk.execute(command)
    sat.desk.execute(RollEntered((6, 4)))
    sat.desk.execute(PlayEntered("24/14"))
    for word in (DeskCommand.DOUBLE, DeskCommand.TAKE):
        sat.desk.execute(word)
    sat.desk.execute(Resignation(Side.DARK, 2))


def test_who_won_a_game_and_what_is_shown(browser, screen, served, sat):
    open_page(browser, served)
    lose_a_gammon(sat)
    wait(browser, lambda: is_seen(browser, "#end-card"))
    assert text(browser, "#end-title") == "Ann wins a resigned gammon: 4 points"
    assert text(browser, ".end-text") == "The score is 4-0."
    assert text(browser, ".headline") == "Game over"
    assert not is_seen(browser, "#last")
    links = {link.text: link for link in browser.find_elements(By.CSS_SELECTOR, "[data-record]")}
    hrefs = {name: link.get_attribute("href") for name, link in links.items()}
    assert hrefs == {name: f"{served.url}matches/1{part}" for name, part in LINKS.items()}
    settled(browser)
    assert faults_on(browser) == []
    high = "return [document.documentElement.scrollHeight, innerHeight]"
    screen(1440, 900)
    assert len({*browser.execute_script(high)}) == 1
    click(browser, "#end-next-game")
    wait(browser, lambda: sat.state.games == 2)
    wait(browser, lambda: not is_seen(browser, "#end-card"))


def test_a_game_that_is_over_ends_no_money_game(tmp_path):
    money = ManualMatch(tmp_path, length=0)
    try:
        lose_a_gammon(money)
        client = create_app(money.table, desk=money.desk).test_client()
        for page in ("/", "/desk", "/commentary", "/tv"):
            shown = client.get(page).text
            assert ("Game over" in shown, "Match over" in shown) == (True, False), page
    finally:
        money.close()


def test_the_next_game_begins_without_the_rings_of_the_last_play(browser, served, sat):
    lose_a_gammon(sat)
    open_page(browser, served)
    assert browser.find_elements(By.CSS_SELECTOR, ".ghosts circle, .marks circle")
    sat.desk.execute(DeskCommand.BEGIN_GAME)
    wait(browser, lambda: text(browser, ".headline") == "Opening roll")
    assert not browser.find_elements(By.CSS_SELECTOR, ".ghosts circle, .marks circle")
    assert not is_seen(browser, "#last")


@pytest.mark.parametrize("page", ["", "desk"])
def test_who_won_the_match_is_shown_on_page_and_desk(browser, served, sat, page):
    lose_a_gammon(sat)
    sat.desk.execute(DeskCommand.BEGIN_GAME)
    sat.desk.execute(RollEntered((3, 1)))
    sat.desk.execute(PlayEntered("8/5 6/5"))
    sat.desk.execute(Resignation(Side.DARK, 1))
    browser.get(served.url + page)
    wait(browser, lambda: is_seen(browser, "#end-card"))
    assert text(browser, "#end-title") == "Ann wins the match 5-0"
    assert text(browser, ".end-text") == "Ann wins by resignation: 1 point."
    assert not is_seen(browser, "#end-next-game")
    click(browser, "#end-next-match")
    wait(browser, lambda: find(browser, "#main").get_attribute("data-mode") == "match")


def test_a_video_that_is_over_says_so_and_leads_to_its_replay(browser, served, sat):
    sat.live.view.video_ended()
    open_page(browser, served)
    assert text(browser, "#end-title") == str(VIDEO_OVER).partition(";")[0].capitalize()
    assert text(browser, "#main .headline") == "No longer in play"
    assert "tableside live" in text(browser, ".end-text")
    assert find(browser, "[data-record='']").get_attribute("href").endswith("/matches/1")


def test_delayed_viewers_get_the_replay_late_and_the_audience_none(sat):
    app = create_app(sat.table, desk=sat.desk, passwords=Passwords(HASHES), least_delay=30)
    archive = RecordArchive(sat.recorder.path)
    install_review(app, archive)
    pages = {role: enter(app, role).get("/").text for role in Role}
    archive.close()
    late = {role for role in Role if 'data-late="true"' in pages[role]}
    early = {role for role in Role if 'data-late="false"' in pages[role]}
    assert late == {Role.VIEWER}
    assert early == {Role.LIGHT_PLAYER, Role.DARK_PLAYER, Role.REFEREE}
    assert {role for role in Role if "end-next-game" in pages[role]} == {Role.REFEREE}
