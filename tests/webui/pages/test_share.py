"""The page for those who share a match, in a real browser."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest

pytest.importorskip("selenium", reason="selenium is not installed")

from selenium.webdriver.common.by import By
from selenium.webdriver.support.select import Select

from tests.webui.browser import LOOKS, click, find, is_seen, text, wait
from tests.webui.http.test_auth import HASHES, OURS, WORDS, enter
from tests.webui.pages.test_axe import faults_on, settled
from webui.app import create_app
from webui.contracts.roles import Role
from webui.http.passwords import Passwords
from webui.server import serve


@pytest.fixture
def closed(table, desk, script):
    """A page that asks for passwords, as on a network, with its app."""
    script.start_game(table)
    app = create_app(table, desk=desk, passwords=Passwords(HASHES))
    app.extensions["public_address"] = "http://192.168.1.20:8000/"
    server = serve(app, port=0)
    server.app = app  # type: ignore[attr-defined]
    yield server
    server.close()


@pytest.fixture
def shared(browser, closed):
    browser.get(f"{closed.url}login?next=/share")
    find(browser, "[name=password]").send_keys(WORDS[Role.REFEREE])
    click(browser, "[type=submit]")
    wait(browser, lambda: browser.find_elements(By.CSS_SELECTOR, "#overlay"))
    return browser


def address(browser):
    return find(browser, "#overlay").get_property("value")


def in_preview(browser, selector):
    browser.switch_to.frame("preview")
    try:
        return [one.is_displayed() for one in browser.find_elements(By.CSS_SELECTOR, selector)]
    finally:
        browser.switch_to.default_content()


def test_the_address_has_what_is_chosen_and_the_preview_shows_it(shared):
    assert address(shared) == "http://192.168.1.20:8000/overlay"
    wait(shared, lambda: any(in_preview(shared, ".board-box")))
    click(shared, "[name=part][value=board]")
    Select(find(shared, "[name=position]")).select_by_value("top")
    find(shared, "[name=delay]").clear()
    find(shared, "[name=delay]").send_keys("20")
    asked = parse_qs(urlsplit(address(shared)).query)
    assert asked["position"] == ["top"]
    assert asked["delay"] == ["20"]
    assert "board" not in asked["only"][0].split(",")
    wait(shared, lambda: in_preview(shared, ".board-box") == [False])


def test_viewers_scan_the_address_that_others_can_open(shared):
    assert find(shared, "#address").get_property("value") == "http://192.168.1.20:8000/"
    assert find(shared, ".code").get_property("naturalWidth") > 100


def test_a_link_opens_the_overlay_until_it_is_withdrawn(shared, closed):
    find(shared, "#new-link input").send_keys("OBS")
    find(shared, "#new-link [type=password]").send_keys("not it")
    click(shared, "#new-link button")
    wait(shared, lambda: "not the referee" in text(shared, "#link-answer"))
    find(shared, "#new-link [type=password]").clear()
    find(shared, "#new-link [type=password]").send_keys(WORDS[Role.REFEREE])
    click(shared, "#new-link button")
    wait(shared, lambda: "token=" in address(shared))
    made = urlsplit(address(shared))
    stranger = closed.app.test_client()
    assert stranger.get(f"{made.path}?{made.query}").status_code == 200
    token = parse_qs(made.query)["token"][0]
    stream = stranger.get(f"/api/events?as=audience&token={token}")
    assert stream.status_code == 200
    parts = iter(stream.response)
    next(parts)
    # It opens nothing else, not even to its owner in the same browser.
    for path in ("/", "/api/state", "/api/matches", "/share", "/api/share/links"):
        assert stranger.get(f"{path}?token={token}").status_code in (302, 401)
    assert stranger.get("/overlay?token=wrong").status_code == 401
    click(shared, ".links button")
    wait(shared, lambda: not shared.find_elements(By.CSS_SELECTOR, ".links li"))
    assert stranger.get(f"{made.path}?{made.query}").status_code == 401
    for _part in parts:
        pass  # the open stream ends too
    assert token not in shared.page_source


def test_only_this_computer_needs_no_link(browser, server):
    browser.get(f"{server.url}share")
    assert browser.find_elements(By.CSS_SELECTOR, "#new-link") == []
    assert "--host" in text(browser, "#main")
    assert address(browser) == f"{server.url}overlay"
    assert is_seen(browser, "a[href='/tv']")


def test_the_page_of_a_link_is_the_referees_alone(closed):
    for role in Role:
        client = enter(closed.app, role)
        for known in (None, *Role):
            again = None if known is None else ("", WORDS[known])
            body = {"name": "x"}
            made = client.post("/api/share/links", json=body, headers=OURS, auth=again)
            is_referee = role is known is Role.REFEREE
            assert made.status_code == (200 if is_referee else 403), (role, known)


@LOOKS
def test_no_accessibility_fault(shared, screen, size, scheme):
    screen(*size, scheme)
    shared.refresh()
    settled(shared)
    assert faults_on(shared) == []
    assert shared.execute_script("return document.documentElement.scrollWidth <= innerWidth")
