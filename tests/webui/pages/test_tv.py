"""The page for a television in a real browser."""

from __future__ import annotations

import pytest

pytest.importorskip("selenium", reason="selenium is not installed")

from selenium.webdriver.common.by import By

from tests.at_length import at_length
from tests.webui.browser import click, complaints, find, is_seen, open_page, text, wait
from tests.webui.pages.test_axe import faults_on, settled

LEAST = 1 / 54
"""The height of the smallest letters, as a fraction of the screen's: two centimeters on a screen
one meter high, which are read from four meters away."""
SMALL = """
const isShown = (line) => line.getClientRects().length && line.textContent.trim();
return [...document.querySelectorAll(".tv-side p, .tv-side h2")]
  .filter((line) => isShown(line) && !line.closest(".visually-hidden"))
  .filter((line) => parseFloat(getComputedStyle(line).fontSize) < arguments[0] * innerHeight)
  .map((line) => line.textContent);
"""
OVER = """
const all = [...document.querySelectorAll("html, .tv-side, .tv-side > *, .tv-side h2")];
const isOver = (one) => (
  one.scrollHeight > one.clientHeight + 2 || one.scrollWidth > one.clientWidth + 2);
return all.filter(isOver).map((one) => one.className || one.tagName);
"""
"""What is cut off or scrolls."""


@pytest.mark.parametrize(
    ("size", "scheme"),
    [
        pytest.param((1920, 1080), "dark", id="television"),
        at_length((1366, 768), "light", name="laptop"),
        at_length((1440, 900), "light", name="desk"),
    ],
)
def test_a_dispute_is_shown_large_and_nothing_scrolls(
    browser, screen, server, table, script, size, scheme
):
    screen(*size, scheme)
    script.start_game(table)
    long = {"light": "Hideaki Mochizuki-Watanabe", "dark": "Aleksandra Wojciechowska"}
    clock = {"light": 840, "dark": 815, "delay": 9, "runs": "dark"}
    roll = {"player": "dark", "dice": [6, 4], "confidence": 1.0}
    table.publish(players=long, clock=clock, roll=roll)
    open_page(browser, server, "tv")
    assert browser.execute_script(OVER) == []
    assert text(browser, "[data-text=name-light]") == table.now["players"]["light"]
    assert len(browser.find_elements(By.CSS_SELECTOR, "#tv-dice svg")) == len(
        browser.find_elements(By.CSS_SELECTOR, "#board .die")
    )
    script.play_illegally(table)
    wait(browser, lambda: is_seen(browser, "#alert"))
    settled(browser)
    assert browser.execute_script(OVER) == []
    assert browser.execute_script(SMALL, LEAST) == []
    assert find(browser, "#board").rect["height"] > 0.8 * size[1]
    assert not browser.find_elements(By.CSS_SELECTOR, "nav, a, #alert button")
    assert faults_on(browser) == []


def test_the_button_fills_the_screen_and_goes(browser, server):
    open_page(browser, server, "tv")
    click(browser, "#full")
    wait(browser, lambda: browser.execute_script("return Boolean(document.fullscreenElement)"))
    wait(browser, lambda: not is_seen(browser, "#full"))
    browser.execute_script("document.exitFullscreen()")
    wait(browser, lambda: is_seen(browser, "#full"))
    assert complaints(browser) == []


HEARD = """
window.heard = {tones: 0, said: []};
const make = AudioContext.prototype.createOscillator;
AudioContext.prototype.createOscillator = function () { heard.tones += 1; return make.call(this); };
speechSynthesis.speak = (words) => heard.said.push([words.lang, words.text]);
"""
"""Notes what a loudspeaker would get."""


def test_tones_and_speech_are_off_until_they_are_turned_on(browser, server, table, script):
    script.start_game(table)
    open_page(browser, server, "tv")
    browser.execute_script(HEARD)
    heard = lambda: browser.execute_script("return heard")  # noqa: E731
    script.make_five_point(table)
    wait(browser, lambda: "Anna played" in text(browser, "#spoken"))
    script.play_illegally(table)
    wait(browser, lambda: is_seen(browser, "#alert"))
    assert heard() == {"tones": 0, "said": []}
    click(browser, "#sounds")
    click(browser, "#speech")
    table.publish(last_play=None)
    wait(browser, lambda: not is_seen(browser, "#alert"))
    script.play_illegally(table)
    wait(browser, lambda: heard()["tones"] == 2)
    script.make_five_point(table)
    wait(browser, lambda: any("Anna played" in said for _, said in heard()["said"]))
    assert {language for language, _ in heard()["said"]} == {"en"}
    # What was chosen lasts, and the first state after a reload is no news.
    browser.refresh()
    wait(browser, lambda: find(browser, "#speech").get_attribute("aria-pressed") == "true")
    click(browser, "#speech")
    click(browser, "#sounds")
    assert complaints(browser) == []
