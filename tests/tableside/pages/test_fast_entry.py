"""Turns entered with few taps in a real browser: one for the roll, one for each checker."""

from __future__ import annotations

import pytest

pytest.importorskip("selenium", reason="selenium is not installed")

from selenium.webdriver.common.action_chains import ActionChains

from engine.match.phase import Phase
from engine.position import Side
from engine.rules.base import side_vector
from tests.webui.browser import click, find, is_seen, open_page, piles, wait
from webui.contracts.desk import PlayEntered, PositionEntered, RollEntered


@pytest.fixture
def opened(browser, served, sat):
    """The desk after 3-1 was played; Bob, who is dark, is to roll."""
    for command in (RollEntered((3, 1)), PlayEntered("8/5 6/5")):
        sat.desk.execute(command)
    open_page(browser, served, "desk")
    return browser


def roll(browser, dice):
    click(browser, f"[data-roll='{dice}']")
    wait(browser, lambda: is_seen(browser, ".cell[data-mark=source]"))


def cell(point):
    """The cell of dark's point, which is named by light's number."""
    return f".cell[data-cell='{25 - point}']"


def is_recorded(browser, sat, *plays):
    wait(browser, lambda: len(sat.state.turns) == 1 + len(plays))
    return [turn.event.play for turn in sat.state.turns][1:] == [*plays]


def drag(browser, start, end):
    moves = ActionChains(browser).click_and_hold(find(browser, start))
    moves.move_to_element(find(browser, end)).release().perform()


def test_a_turn_takes_three_taps_and_undo_takes_back_one_of_them(opened, sat):
    roll(opened, "6-4")
    click(opened, cell(13))
    wait(opened, lambda: piles(opened).get("dark 18") == 1)
    click(opened, "[data-command=undo]")
    assert piles(opened)["dark 12"] == 5
    assert sat.state.phase is Phase.TO_PLAY
    click(opened, cell(24))
    click(opened, cell(13))
    assert is_recorded(opened, sat, "24/18 13/9")
    wait(opened, lambda: is_seen(opened, "#entry-rolls"))
    click(opened, "[data-command=undo]")
    wait(opened, lambda: sat.state.phase is Phase.TO_PLAY and len(sat.state.turns) == 1)


def test_a_play_is_recorded_once_it_is_the_only_one_left(opened, sat):
    light, dark = side_vector({1: 2}), side_vector({6: 1, 3: 2})
    sat.desk.execute(PositionEntered(light, dark, Side.DARK))
    wait(opened, lambda: piles(opened).get("dark 19") == 1)
    roll(opened, "6-1")
    click(opened, cell(3))  # a 6 is borne off from 6, so this was the 1
    assert is_recorded(opened, sat, "6/off 3/2")


def test_a_checker_plays_the_smaller_die_when_held_or_tapped_again(opened, sat):
    light, dark = side_vector({24: 2, 6: 5, 5: 8}), side_vector({14: 1, 13: 3, 4: 11})
    sat.desk.execute(PositionEntered(light, dark, Side.DARK))
    wait(opened, lambda: piles(opened).get("dark 11") == 1)
    roll(opened, "3-2")
    click(opened, cell(14))
    assert piles(opened)["dark 14"] == 1
    click(opened, cell(14))
    assert piles(opened)["dark 13"] == 1
    click(opened, "[data-command=undo]")
    ActionChains(opened).context_click(find(opened, cell(13))).perform()
    click(opened, cell(14))
    assert is_recorded(opened, sat, "14/11 13/11")


def test_a_checker_is_dragged_by_one_die_or_both(opened, sat):
    roll(opened, "6-4")
    drag(opened, cell(24), cell(16))
    assert not opened.find_elements("css selector", ".dragged")
    assert piles(opened)["dark 1"] == 2
    drag(opened, cell(24), cell(14))
    assert is_recorded(opened, sat, "24/14")
