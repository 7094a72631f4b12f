"""What a test asks a page in a real browser."""

from __future__ import annotations

import json

import pytest
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.support.wait import WebDriverWait

from tests.at_length import at_length

CUT = """
const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), cut = [];
while (texts.nextNode()) {
  const range = document.createRange(), box = texts.currentNode.parentElement.closest(arguments[0]);
  range.selectNodeContents(texts.currentNode);
  const [text, whole] = [range, box ?? range].map((one) => one.getBoundingClientRect());
  const isCut = text.left < whole.left || text.right > whole.right
    || text.top < whole.top - 4 || text.bottom > whole.bottom + 4;
  if (text.width && !texts.currentNode.parentElement.closest(".visually-hidden") && isCut)
    cut.push(texts.currentNode.data);
}
return cut;
"""
"""See `cut_texts`; 4: the boxes of letters are higher than their lines."""
PATIENCE = 60
WIDE, PHONE = (1440, 900), (390, 844)


LOOKS = pytest.mark.parametrize(
    ("size", "scheme"),
    [
        # What is narrow, in the colors that other tests do not look at.
        pytest.param(PHONE, "dark", id="phone-dark"),
        at_length(PHONE, "light", name="phone-light"),
        at_length(WIDE, "light", name="desk-light"),
        at_length(WIDE, "dark", name="desk-dark"),
    ],
)


def find(browser, selector):
    return browser.find_element(By.CSS_SELECTOR, selector)


def text(browser, selector):
    return find(browser, selector).get_property("textContent").strip()


def is_seen(browser, selector):
    return find(browser, selector).is_displayed()


def wait(browser, condition):
    # The page may redraw a part between the search and the question.
    waiting = WebDriverWait(
        browser,
        PATIENCE,
        poll_frequency=0.05,
        ignored_exceptions=[StaleElementReferenceException],
    )
    return waiting.until(lambda _: condition())


def click(browser, selector):
    """Click the element once it can be clicked."""
    wait(browser, lambda: is_seen(browser, selector))
    # Uncover it first from a phone's tab bar, as a finger would.
    browser.execute_script(
        "document.querySelector(arguments[0]).scrollIntoView({block: 'nearest'})", selector
    )
    find(browser, selector).click()


def press(browser, *keys):
    ActionChains(browser).send_keys(*keys).perform()


def open_page(browser, server, path=""):
    browser.get(f"{server.url}{path}")
    wait(browser, lambda: find(browser, "#link").get_attribute("data-link") == "live")


def piles(browser):
    """What the drawing shows: {(side, cell): checkers}."""
    found = browser.execute_script(
        "return [...document.querySelectorAll('#board .checkers use')]"
        ".map(use => use.dataset.side + ' ' + use.dataset.cell)"
    )
    return {name: found.count(name) for name in found}


def cut_texts(browser, selector):
    """The texts that jut out of what the selector finds around them."""
    return browser.execute_script(CUT, selector)


def requests_of(browser):
    """Every address that the browser requested."""
    entries = (json.loads(entry["message"])["message"] for entry in browser.get_log("performance"))
    sent = (e["params"] for e in entries if e["method"] == "Network.requestWillBeSent")
    return [one["request"]["url"] for one in sent]


def complaints(browser):
    return [entry["message"] for entry in browser.get_log("browser")]
