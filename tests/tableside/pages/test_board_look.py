"""From which side a device draws the board, and in which colors, in a real browser."""

from __future__ import annotations

import pytest

pytest.importorskip("selenium", reason="selenium is not installed")

from selenium.webdriver.support.select import Select

from tests.webui.browser import click, complaints, find, is_seen, open_page, wait
from webui.contracts.desk import PlayEntered, RollEntered
from webui.views.board import contrast
from webui.views.geometry import HEIGHT, WIDTH

PLACES = """
const { width, height } = document.querySelector("#board").viewBox.baseVal;
const all = [...document.querySelectorAll(`#board :is(${arguments[0]}) > *`)];
return all.map((one) => {
  const { e, f } = one.transform.baseVal.consolidate()?.matrix
    ?? { e: one.x.baseVal[0].value, f: one.y.baseVal[0].value };
  return [one.dataset.cell ?? one.getAttribute("class"), Math.round(e), Math.round(f)];
}).sort();
"""
"""What lies on the board, and where."""
SMALL = """
return [...document.querySelectorAll("#legal .board")].map((board) => (
  [...board.querySelectorAll(".checkers > *")].map((one) => {
    const { e, f } = one.transform.baseVal.consolidate().matrix;
    return [one.dataset.side, Math.round(e), Math.round(f)];
  }).sort()));
"""
"""Where the checkers lie on each small board."""
COLOURS = """
return Object.fromEntries([...document.querySelectorAll("[data-colour]")]
  .map((one) => [one.dataset.colour, one.getAttribute("fill")]));
"""
MIRRORED, TURNED = "mirrored", "turned"


@pytest.fixture
def played(sat):
    for command in (RollEntered((3, 1)), PlayEntered("8/5 6/5"), RollEntered((6, 4))):
        sat.desk.execute(command)


def choose(browser, name, value):
    if not is_seen(browser, f"#{name}"):
        click(browser, ".board-look summary")
    Select(find(browser, f"#{name}")).select_by_value(value)


def seen_from(places, view):
    """The same places as `view` shows them."""
    return sorted(
        [
            what,
            round(WIDTH) - x if MIRRORED in view else x,
            round(HEIGHT) - y if TURNED in view else y,
        ]
        for what, x, y in places
    )


def places(browser, layers=".checkers, .numbers, .cube, .dice, .marks, .ghosts"):
    return sorted(browser.execute_script(PLACES, layers))


@pytest.mark.usefixtures("played")
def test_the_board_is_drawn_from_the_chosen_side_and_stays_so(browser, served, sat):
    open_page(browser, served)
    as_it_lies, own = places(browser), browser.execute_script(COLOURS)
    for view in (MIRRORED, f"{TURNED} {MIRRORED}", TURNED):
        choose(browser, "board-view", view)
        assert places(browser) == seen_from(as_it_lies, view)
    choose(browser, "board-theme", "blue")
    assert browser.execute_script(COLOURS) != own
    # What comes next, and other pages of this device, are drawn the same way.
    browser.refresh()
    wait(browser, lambda: places(browser) == seen_from(as_it_lies, TURNED))
    sat.desk.execute(PlayEntered("24/14"))
    wait(browser, lambda: places(browser) != seen_from(as_it_lies, TURNED))
    pieces = ".checkers, .numbers, .cube"
    turned = places(browser, pieces)
    blue = browser.execute_script(COLOURS)
    for path in ("tv", "matches/1"):
        browser.get(f"{served.url}{path}")
        wait(browser, lambda: places(browser, pieces) == turned)
        assert browser.execute_script(COLOURS) == blue
    choose(browser, "board-view", "")
    choose(browser, "board-theme", "")
    assert places(browser, pieces) == seen_from(turned, TURNED)
    assert browser.execute_script(COLOURS) == own
    assert complaints(browser) == []


@pytest.mark.usefixtures("played")
def test_in_every_theme_numbers_and_checkers_can_be_told_apart(browser, served):
    open_page(browser, served, "tv")
    themes = [one.get_attribute("value") for one in Select(find(browser, "#board-theme")).options]
    assert len(themes) >= 4
    for theme in filter(None, themes):
        choose(browser, "board-theme", theme)
        colours = browser.execute_script(COLOURS)
        assert contrast(colours["ink"], colours["frame"]) >= 4.5, theme
        assert contrast(colours["light"], colours["dark"]) >= 4.5, theme
        assert contrast(colours["light"], colours["field"]) >= 1.9, theme
        assert contrast(colours["dark"], colours["field"]) >= 1.9, theme


def test_small_boards_follow_the_view(browser, served, sat):
    sat.desk.execute(RollEntered((3, 1)))
    sat.desk.execute(PlayEntered("8/3"))
    open_page(browser, served)
    wait(browser, lambda: is_seen(browser, "#alert-legal"))
    click(browser, "#alert-legal")
    wait(browser, lambda: len(browser.execute_script(SMALL)) > 1)
    as_it_lies = browser.execute_script(SMALL)
    for view in (f"{TURNED} {MIRRORED}", MIRRORED, ""):
        # In a small window the list leaves little room for the choice.
        browser.execute_script(
            "const select = document.getElementById('board-view'); select.value = arguments[0];"
            "select.dispatchEvent(new Event('change'));",
            view,
        )
        seen = [sorted(one) for one in browser.execute_script(SMALL)]
        assert seen == [seen_from(one, view) for one in as_it_lies]
