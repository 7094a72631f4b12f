"""The unfinished matches of a record, on the set-up page and at the desk."""

from __future__ import annotations

from contextlib import closing

import pytest

pytest.importorskip("selenium", reason="selenium is not installed")

from selenium.webdriver.common.by import By

from tableside.record.store import Store
from tableside.review.archive import RecordArchive
from tests.tableside.sample_record import match_events, record_match
from tests.webui.browser import LOOKS, click, complaints, find, is_seen, press, text, wait
from tests.webui.pages.test_axe import faults_on, settled
from tests.webui.scripted_wizard import ScriptedWizard
from webui.app import create_app
from webui.contracts.desk import ResumeMatch
from webui.pages.matches import install_review
from webui.server import serve

NAMES = ("Zoe", "Eve", "Mia", "Kim", "Maximiliane-Wilhelmine von Hohenfels-Bartenstein")


@pytest.fixture
def wizard():
    return ScriptedWizard()


@pytest.fixture
def site(tmp_path, table, desk, wizard):
    """A set-up page and a desk over a record with five unfinished matches, one not begun."""
    with Store.open(tmp_path / "record.sqlite") as store:
        store.new_match(light=NAMES[0], dark="Ben", length=3)
        for name in NAMES[1:]:
            record_match(store, match_events(light=name))
        with closing(RecordArchive(store.path)) as archive:
            app = create_app(table, desk=desk, wizard=wizard)
            install_review(app, archive)
            server = serve(app, port=0)
            yield store, server.url
            server.close()


def titles(browser):
    return [one.text for one in browser.find_elements(By.CSS_SELECTOR, ".unfinished b")]


def test_the_set_up_page_goes_on_with_an_unfinished_match_or_ends_it(browser, site, wizard):
    store, url = site
    browser.get(f"{url}setup")
    wait(browser, lambda: len(titles(browser)) == 4)
    assert "Last played today" in text(browser, ".unfinished")
    assert find(browser, ".unfinished-more a").get_attribute("href").endswith("?state=unfinished")
    newest = titles(browser)[0]
    click(browser, ".unfinished [data-ask]")
    click(browser, ".unfinished [data-keep]")
    assert len(store.open_matches()) == 5
    click(browser, ".unfinished [data-ask]")
    click(browser, ".unfinished [data-end]")
    wait(browser, lambda: text(browser, "[data-unfinished-answer]") == f"{newest}: ended.")
    assert len(store.open_matches()) == 4
    assert newest not in titles(browser)
    rows = [one.text for one in browser.find_elements(By.CSS_SELECTOR, ".unfinished")]
    assert [NAMES[0] in row for row in rows] == ["Set up today, not begun" in row for row in rows]
    assert "Set up today, not begun" in rows[-1]
    click(browser, ".unfinished [data-resume]")
    wait(browser, lambda: find(browser, "#setup").get_attribute("data-step") == "match")
    assert [one[0] for one in wizard.commands] == ["resume"]
    assert text(browser, "#match-title") == "An unfinished match goes on"
    assert text(browser, ".resumed-match b") == "Ann and Bob, 7 points · 3-2"
    assert not is_seen(browser, "#light")
    assert text(browser, "#start") == "Go on"
    click(browser, ".resumed-match [data-resume-none]")
    wait(browser, lambda: is_seen(browser, "#light"))
    assert complaints(browser) == []


def test_the_desk_goes_on_with_an_unfinished_match_once_the_match_before_is_over(
    browser, site, table, desk, script
):
    _, url = site
    script.start_game(table)
    browser.get(f"{url}desk")
    wait(browser, lambda: is_seen(browser, "#commands"))
    press(browser, "h")
    wait(browser, lambda: len(titles(browser)) == 4)
    click(browser, ".unfinished [data-resume]")
    assert text(browser, "[data-unfinished-answer]") == "a match is in progress: end it first"
    assert desk.commands == []
    desk.why_not_begin = ""
    browser.refresh()
    wait(browser, lambda: is_seen(browser, "#commands"))
    press(browser, "h")
    wait(browser, lambda: len(titles(browser)) == 4)
    title = titles(browser)[0]
    click(browser, ".unfinished [data-resume]")
    wait(browser, lambda: title in text(browser, "#desk-answer"))
    assert [type(one) for one in desk.commands] == [ResumeMatch]
    assert complaints(browser) == []


@LOOKS
def test_unfinished_matches_fit_and_can_be_read(browser, screen, site, size, scheme):
    screen(*size, scheme)
    browser.get(f"{site[1]}setup")
    wait(browser, lambda: len(titles(browser)) == 4)
    click(browser, ".unfinished [data-ask]")
    assert browser.execute_script("return document.documentElement.scrollWidth") <= size[0]
    settled(browser)
    assert faults_on(browser) == []
