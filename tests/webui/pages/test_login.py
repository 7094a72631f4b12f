"""The login in a real browser: the page behind it, and the commands of a page that is ours."""

from __future__ import annotations

import pytest

from webui.app import create_app
from webui.contracts.roles import Role
from webui.http.passwords import Passwords, hashed
from webui.server import serve

pytest.importorskip("selenium", reason="selenium is not installed")

from selenium.webdriver.common.by import By
from selenium.webdriver.support.wait import WebDriverWait

PASSWORD = "a-word-of-the-referee"
SAY_UNDO = """
const done = arguments[0];
fetch("/api/desk/word", {
  method: "POST", headers: {"Content-Type": "application/json"}, body: '{"word": "undo"}',
}).then((answer) => done(answer.status));
"""


@pytest.fixture
def closed(table, desk, script):
    script.start_game(table)
    passwords = Passwords({Role.REFEREE: hashed(PASSWORD)})
    server = serve(create_app(table, desk=desk, passwords=passwords), port=0)
    yield server
    server.close()


def enter(browser, password):
    field = browser.find_element(By.ID, "password")
    field.send_keys(f"{password}\n")
    WebDriverWait(browser, 15).until(lambda _: _is_gone(field))


def _is_gone(element):
    from selenium.common.exceptions import StaleElementReferenceException

    try:
        return not element.is_enabled()
    except StaleElementReferenceException:
        return True


def test_the_page_opens_to_whoever_knows_the_password(browser, closed, desk):
    browser.get(closed.url)
    assert browser.current_url == f"{closed.url}login?next=/"
    enter(browser, "a guess")
    failed = browser.find_element(By.ID, "failed")
    assert failed.is_displayed()
    assert "Wrong password" in failed.text
    enter(browser, PASSWORD)
    link = browser.find_element(By.ID, "link")
    WebDriverWait(browser, 15).until(lambda _: link.get_attribute("data-link") == "live")
    assert browser.current_url == closed.url
    assert browser.execute_script("return document.cookie") == ""
    assert PASSWORD not in browser.page_source
    assert browser.execute_async_script(SAY_UNDO) == 200
    assert len(desk.commands) == 1


@pytest.mark.parametrize("size", [(390, 844), (320, 568)])
def test_a_phone_shows_the_whole_log_in(browser, closed, size):
    browser.set_window_size(*size)
    browser.get(closed.url)
    wide, seen = browser.execute_script(
        "return [document.documentElement.scrollWidth, document.documentElement.clientWidth]"
    )
    assert wide <= seen
    assert browser.find_element(By.CSS_SELECTOR, "button[type=submit]").is_displayed()
