"""A match kept at the desk of the running program by the keyboard alone, in a real browser."""

from __future__ import annotations

import pytest

pytest.importorskip("selenium", reason="selenium is not installed")

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from tests.webui.browser import complaints, is_seen, open_page, piles, press, text, wait

STOPS = 80
"""More than the elements of the desk that Tab stops at."""


@pytest.fixture
def keyed(browser, start, tmp_path):
    """The desk of a match without a camera, where only keys are pressed."""
    program = start("live", "--no-camera", "--no-browser", "--record", tmp_path / "record.sqlite")
    open_page(browser, program)
    return browser


def has_focus(browser, selector):
    return browser.execute_script("return document.activeElement.matches(arguments[0])", selector)


def press_with(browser, modifier, key):
    ActionChains(browser).key_down(modifier).send_keys(key).key_up(modifier).perform()


def tab_to(browser, selector, back=False):
    """Press Tab, or Shift and Tab, until the element has the focus."""
    seen(browser, selector)
    for _ in range(STOPS):
        if has_focus(browser, selector):
            return
        press_with(browser, Keys.SHIFT, Keys.TAB) if back else press(browser, Keys.TAB)
    pytest.fail(f"Tab does not reach {selector}")


def type_into(browser, selector, words):
    tab_to(browser, selector)
    press_with(browser, Keys.CONTROL, "a")
    press(browser, words)


def seen(browser, selector):
    wait(browser, lambda: is_seen(browser, selector))


def mode(browser, name):
    wait(browser, lambda: browser.execute_script("return main.dataset.mode") == name)


def is_drawn(browser, **counts):
    """Wait until the board shows these piles, such as light_5=1."""
    wanted = {name.replace("_", " "): count for name, count in counts.items()}
    wait(browser, lambda: wanted.items() <= piles(browser).items())


def begin_match(browser):
    """End the match that the program began, and start one to three points."""
    tab_to(browser, ".nav .to-desk")
    press(browser, Keys.ENTER)
    seen(browser, "#entry-lots")
    press(browser, "h")
    mode(browser, "match")
    tab_to(browser, "[data-command=end_match]")
    press(browser, Keys.ENTER, Keys.ENTER)
    wait(browser, lambda: not text(browser, "#match-why"))
    tab_to(browser, "#match-form [name=light]", back=True)
    type_into(browser, "#match-form [name=light]", "Anna")
    type_into(browser, "#match-form [name=dark]", "Boris")
    type_into(browser, "#match-form [name=length]", "3")
    press(browser, Keys.ENTER)
    mode(browser, "live")
    wait(browser, lambda: text(browser, "[data-text=name-dark]") == "Boris")


def lose_a_doubled_game(browser):
    """An opening roll and play by the board, a play by notation, a double, and a resignation."""
    press(browser, "3", "1")
    seen(browser, ".cell[data-mark=source]")
    press(browser, "w")
    walk_to(browser, "8")
    press(browser, Keys.ENTER)
    is_drawn(browser, light_5=1)
    walk_to(browser, "6")
    press(browser, Keys.ENTER)
    seen(browser, "#entry-rolls")
    press(browser, "6", "4")
    seen(browser, "#entry-play")
    press(browser, "n", "24/14", Keys.ENTER)
    seen(browser, "#entry-rolls")
    press(browser, Keys.ESCAPE, "d")
    seen(browser, "[data-command=take]")
    press(browser, "t")
    seen(browser, "#entry-rolls")
    press(browser, "g")
    mode(browser, "resign")
    tab_to(browser, "#resign-form [name=player]")
    press(browser, Keys.DOWN)
    wait(browser, lambda: has_focus(browser, "[name=player][value=dark]:checked"))
    press(browser, Keys.ENTER)
    seen(browser, "#end-card")
    assert text(browser, "#end-title") == "Anna wins by resignation: 2 points"


def walk_to(browser, cell):
    """Move over the board with the arrows until the cell has the focus."""
    for _ in range(STOPS):
        if has_focus(browser, f".cell[data-cell='{cell}']"):
            return
        press(browser, next_step(browser, cell))
    pytest.fail(f"no arrow leads to {cell}")


def next_step(browser, cell):
    row, x, goal_row, goal_x = browser.execute_script(
        """
        const goal = document.querySelector(`.cell[data-cell="${arguments[0]}"]`);
        return [document.activeElement, goal].flatMap(
          (one) => [one.dataset.row, parseFloat(one.style.left)]);
        """,
        cell,
    )
    if row != goal_row:
        return Keys.DOWN if goal_row == "bottom" else Keys.UP
    return Keys.RIGHT if x < goal_x else Keys.LEFT


def win_by_bearing_off(browser):
    """The next game, from a position that is set, to its last checker."""
    tab_to(browser, "#end-next-game")
    press(browser, Keys.ENTER)
    seen(browser, "#entry-lots")
    press(browser, "p")
    mode(browser, "position")
    tab_to(browser, "#position-clear")
    press(browser, Keys.ENTER)
    tab_to(browser, ".cell", back=True)
    for side, last in (("light", "1"), ("dark", "24")):
        walk_to(browser, f"off-{side}")
        press(browser, "+" * 14)
        walk_to(browser, last)
        press(browser, "+", "s")
    is_drawn(browser, light_1=1, dark_24=1)
    tab_to(browser, "#position-form [name=next]")
    press(browser, Keys.UP, Keys.UP)
    wait(browser, lambda: has_focus(browser, "[name=next][value=light]:checked"))
    press(browser, Keys.ENTER)
    seen(browser, "#entry-rolls")
    press(browser, "2", "1")
    seen(browser, ".cell[data-mark=source]")
    press(browser, "w")
    walk_to(browser, "1")
    press(browser, Keys.ENTER)
    seen(browser, "#end-card")
    assert text(browser, "#end-title") == "Anna wins the match 3-0"


def replay(browser):
    """Open the replay from the card, and step through it."""
    tab_to(browser, "#end-card [data-record='']")
    press(browser, Keys.ENTER)
    seen(browser, "main[data-ready]")
    press(browser, Keys.HOME)
    wait(browser, lambda: text(browser, "[data-now=count]").startswith("1 /"))
    press(browser, Keys.RIGHT)
    wait(browser, lambda: text(browser, "[data-now=count]").startswith("2 /"))


def test_a_match_is_played_from_its_form_to_its_replay_by_the_keyboard_alone(keyed):
    begin_match(keyed)
    lose_a_doubled_game(keyed)
    win_by_bearing_off(keyed)
    replay(keyed)
    assert complaints(keyed) == []
