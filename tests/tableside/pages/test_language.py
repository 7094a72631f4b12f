"""The page in Russian in a real browser: switched during a match, read, and typed on."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("selenium", reason="selenium is not installed")

from engine.message import msg
from tests.at_length import at_length
from tests.tableside.sample_archive import archived
from tests.webui.browser import complaints, find, open_page, requests_of, text, wait
from tests.webui.conftest import last_play
from tests.webui.pages.test_axe import faults_on, settled
from tests.webui.scripted_wizard import ScriptedWizard, board, read
from webui.app import create_app
from webui.pages.matches import install_review
from webui.server import serve

BROKEN = msg(
    "the checkers moved {pips} pips in a way that {roll} does not allow", pips=5, roll="3-1"
)
ILLEGAL_ALERT = (
    "Anna: ход 13/8, бросок 3-1. Такой ход броском 3-1 не делается (пройдено пунктов: 5)."
)


@pytest.fixture
def russian(browser):
    """The browser with Russian chosen on the page; the choice is forgotten after the test."""
    yield browser
    browser.delete_all_cookies()


@pytest.fixture
def whole(table, desk, tmp_path):
    """Every page: live, desk, matches and setup."""
    record = archived(tmp_path)
    wizard = ScriptedWizard()
    app = create_app(table, desk=desk, wizard=wizard)
    install_review(app, record.archive)
    server: Any = serve(app, port=0)
    server.record, server.wizard = record, wizard
    yield server
    server.close()
    record.close()


def switch(browser, code):
    find(browser, f".language[hreflang={code}]").click()
    wait(browser, lambda: find(browser, "html").get_attribute("lang") == code)


def test_the_language_is_switched_on_the_live_page_while_a_match_runs(
    russian, server, table, script
):
    browser = russian
    script.start_game(table)
    open_page(browser, server)
    assert text(browser, ".headline") == "Anna to roll"
    switch(browser, "ru")
    wait(browser, lambda: text(browser, "#link span") == "На связи")
    assert text(browser, ".headline") == "Бросок: Anna"
    assert "lang" not in browser.current_url
    table.publish(roll={"player": "light", "dice": [3, 1], "confidence": 0.99})
    wait(browser, lambda: text(browser, ".headline") == "Ход: Anna, 3-1")
    table.publish(last_play=last_play("13/8", [3, 1], legal=False, rule=BROKEN))
    wait(browser, lambda: text(browser, "#alert h2") == "Неправильный ход")
    assert text(browser, "#alert p") == ILLEGAL_ALERT
    assert text(browser, "#spoken").startswith("Anna: ход 13 на 8. Решает Boris.")
    switch(browser, "en")
    assert text(browser, "#alert h2") == "Illegal play"
    assert complaints(browser) == []
    assert all(one.startswith((server.url, "data:")) for one in requests_of(browser))


def test_the_overlay_shows_russian_to_whoever_asks_for_it_in_its_address(
    browser, server, table, script
):
    script.start_game(table)
    browser.get(f"{server.url}overlay?lang=ru&delay=0")
    wait(browser, lambda: find(browser, "html").get_attribute("data-link") == "live")
    assert text(browser, ".length") == "до 7 очков"
    table.publish(void={"player": "light", "dice": [4, 4], "reason": "cocked",
                     "note": msg("a die is cocked: both are rolled again")})  # fmt: skip
    wait(browser, lambda: text(browser, "#alert h2") == "Бросок не в счёт")
    assert "переброс обеих" in text(browser, "#alert p")
    assert browser.get_cookies() == []


def test_keys_work_on_a_keyboard_with_russian_letters(russian, whole, table, script):
    browser = russian
    script.start_game(table)
    browser.get(f"{whole.url}desk?lang=ru")
    wait(browser, lambda: find(browser, "#link").get_attribute("data-link") == "live")
    wait(browser, lambda: text(browser, "#facts").startswith("Партия 1"))
    # The key that has G in a Latin layout.
    browser.execute_script(
        "document.body.dispatchEvent(new KeyboardEvent('keydown',"
        " {key: 'п', code: 'KeyG', bubbles: true, cancelable: true}))"
    )
    wait(browser, lambda: find(browser, "#main").get_attribute("data-mode") == "resign")
    assert text(browser, "#resign-title") == "Сдача партии"


def begin_illegal(table, script):
    script.start_game(table)
    script.make_five_point(table)
    script.doubt(table)
    table.show_picture()
    table.publish(last_play=last_play("13/8", [3, 1], legal=False, rule=BROKEN))


def set_up(wizard):
    wizard.open_source("0")
    wizard.publish(
        stage="looking", board=board(), size=(640, 360), picture=1, ready="learnt",
        faults=["there is glare on the board: move the lamp or the camera"],
        read=read(differences=["the 8 point shows 2 light, expected 3 light"], differing=[8]),
    )  # fmt: skip


@pytest.mark.parametrize("scheme", ["light", at_length("dark", name="dark")])
def test_no_view_in_russian_has_a_fault_or_is_wider_than_a_phone(
    russian, screen, whole, table, script, scheme
):
    browser = russian
    screen(390, 844, scheme)
    begin_illegal(table, script)
    set_up(whole.wizard)
    browser.get(f"{whole.url}?lang=ru")
    number = whole.record.numbers["over"]
    faults = []
    for path in ("", "desk", "matches", f"matches/{number}", "setup", "nowhere"):
        browser.get(f"{whole.url}{path}")
        if path in ("", "desk"):
            wait(browser, lambda: find(browser, "#link").get_attribute("data-link") == "live")
        settled(browser)
        assert find(browser, "html").get_attribute("lang") == "ru"
        wide = browser.execute_script("return document.documentElement.scrollWidth")
        assert wide <= 390, path
        faults += [f"{path}: {fault}" for fault in faults_on(browser)]
    assert faults == []
