"""The review pages in a real browser."""

from __future__ import annotations

import json
from urllib.parse import urlsplit

import pytest

from engine import Side
from engine.formats.ids.match_id import parse_gnubg_ids
from engine.formats.ids.xgid import parse_xgid
from tableside.analysis.engines import engine_name
from tableside.review.clips import can_encode
from tests.tableside.sample_archive import archived
from tests.tableside.sample_record import finished, match_events
from webui.app import create_app
from webui.pages.matches import install_review
from webui.server import serve

pytest.importorskip("selenium", reason="selenium is not installed")

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from tests.webui.browser import click, find, is_seen, press, text, wait

LAST = 17
"""The number of the last step of the finished match, from 0."""
PHONE = {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True}


@pytest.fixture
def record(tmp_path):
    record = archived(tmp_path, engine_name)
    yield record
    record.close()


@pytest.fixture
def server(table, record):
    app = create_app(table)
    install_review(app, record.archive)
    server = serve(app, port=0)
    yield server
    server.close()


def piles(browser):
    return browser.execute_script(
        "const found = {};"
        "for (const use of document.querySelectorAll('.checkers use[data-cell]')) {"
        "  const name = `${use.dataset.side} ${use.dataset.cell}`;"
        "  found[name] = (found[name] ?? 0) + 1; }"
        "return found;"
    )


def at(browser):
    return text(browser, "[data-now=count]")


@pytest.fixture
def open_match(browser, server, record):
    def go(name="over", more=""):
        browser.get("about:blank")
        browser.get(f"{server.url}matches/{record.numbers[name]}{more}")
        wait(browser, lambda: find(browser, "main").get_attribute("data-ready") == "yes")
        return browser

    return go


def test_the_keyboard_goes_through_the_match(open_match):
    browser = open_match()
    assert at(browser) == f"1 / {LAST + 1}"
    press(browser, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    assert text(browser, "[data-now=text]") == "24/18 13/10"
    assert piles(browser)["light 18"] == 1
    assert browser.current_url.endswith("#turn-1")
    press(browser, Keys.END)
    assert at(browser) == f"{LAST + 1} / {LAST + 1}"
    assert text(browser, "[data-now=score-light]") == "3"
    press(browser, Keys.ARROW_RIGHT, Keys.ARROW_LEFT)
    assert text(browser, "[data-now=text]") == "Drops"
    press(browser, Keys.HOME)
    assert piles(browser)["light 24"] == 2
    assert not browser.get_log("browser")


def test_the_slider_goes_through_the_match(open_match):
    browser = open_match()
    slider = find(browser, "#slider")
    slider.send_keys(Keys.ARROW_RIGHT)
    assert at(browser) == f"2 / {LAST + 1}", "one key is one step, on the slider too"
    browser.execute_script(
        "arguments[0].value = 7; arguments[0].dispatchEvent(new Event('input'))", slider
    )
    assert text(browser, "[data-now=text]") == "13/9"
    assert find(browser, ".caption").get_attribute("data-verdict") == "illegal"
    slider.send_keys(Keys.END)
    assert at(browser) == f"{LAST + 1} / {LAST + 1}"


def test_the_cube_is_where_it_lay_at_each_step(open_match):
    browser = open_match(more="#step-5")
    assert find(browser, ".cube-one").get_attribute("data-place") == "offered-dark"
    press(browser, Keys.ARROW_RIGHT)
    assert find(browser, ".cube-one").get_attribute("data-place") == "dark"
    assert text(browser, ".cube-face") == "2"


def test_space_plays_and_pauses_and_the_end_stops_it(open_match):
    browser = open_match(more="#step-15")
    press(browser, Keys.SPACE)
    assert find(browser, "[data-go=play]").get_attribute("aria-label") == "Pause"
    wait(browser, lambda: at(browser) == f"{LAST + 1} / {LAST + 1}")
    assert find(browser, "[data-go=play]").get_attribute("aria-label") == "Play"
    find(browser, "[data-go=play]").click()
    assert at(browser) == f"1 / {LAST + 1}", "from the end it begins again"
    press(browser, Keys.SPACE)
    assert find(browser, "[data-go=play]").get_attribute("aria-label") == "Play"


def test_a_link_leads_to_its_turn_and_the_row_shows_it(open_match):
    browser = open_match(more="#turn-4")
    assert text(browser, "[data-now=text]") == "8/5 6/5"
    assert text(browser, ".line[aria-current] .line-text") == "8/5 6/5"
    click(browser, "#line-turn-2 .line-link")
    wait(browser, lambda: text(browser, "[data-now=text]") == "8/4 6/4")
    assert is_seen(browser, "#line-turn-2 .options"), "what is doubtful of it opens"
    browser.execute_script("location.hash = '#nowhere'")
    assert text(browser, "[data-now=text]") == "8/4 6/4"


def test_the_filter_leaves_what_is_to_be_reviewed(open_match):
    browser = open_match()
    rows = lambda: [  # noqa: E731
        row.get_attribute("id")
        for row in browser.find_elements(By.CSS_SELECTOR, ".line")
        if row.is_displayed()
    ]
    assert len(rows()) == LAST + 1
    find(browser, ".filter [data-show=review]").click()
    assert rows() == ["line-step-3", "line-turn-2", "line-turn-5"]
    assert "show=review" in browser.current_url
    picture = "return document.querySelector('#line-turn-2 img').naturalWidth"
    browser.execute_script("document.querySelector('#line-turn-2 img').scrollIntoView()")
    wait(browser, lambda: browser.execute_script(picture) == 320)
    assert is_seen(browser, "#line-turn-2 .still .mark")
    length = "return document.querySelector('#line-turn-2 video').duration"
    wait(browser, lambda: not can_encode() or browser.execute_script(length) > 0.9)
    find(browser, "#with-marks").click()
    assert not is_seen(browser, "#line-turn-2 .still .mark")
    find(browser, ".filter [data-show=all]").click()
    assert len(rows()) == LAST + 1


MOVES_IN_SIGHT = """
const names = ["#lines-scroll", "#game-tabs", arguments[0], "#files"];
const boxes = names.map((name) => document.querySelector(name).getBoundingClientRect());
const [list, tabs, line, files] = boxes;
return list.height >= 200 && tabs.height >= 44 && files.bottom <= innerHeight
  && tabs.bottom <= list.top && list.top <= line.top && line.top < list.bottom
  && document.documentElement.scrollHeight <= innerHeight;
"""
"""Whether the list of moves has its height and shows the line, and the page does not scroll."""


def test_on_a_small_laptop_the_list_of_moves_has_the_height(screen, open_match):
    screen(1366, 768)
    browser = open_match(more="?show=review")
    wait(browser, lambda: browser.execute_script(MOVES_IN_SIGHT, ".review-details"))
    browser = open_match(more="#files")
    assert is_seen(browser, "a[data-file]")
    assert browser.execute_script(MOVES_IN_SIGHT, ".line")


def test_the_engine_is_asked_waited_for_and_shown(screen, open_match):
    if engine_name() is None:
        pytest.skip("no backgammon engine is installed")
    screen(1366, 768)
    browser = open_match()
    wait(browser, lambda: is_seen(browser, "#analyse"))
    find(browser, "#analyse").click()
    wait(browser, lambda: is_seen(browser, "#report-link"))
    assert float(text(browser, "[data-figure=light-rating]")) > 0
    double = ".line[data-kind=double]"
    assert find(browser, f"{double} .line-loss").get_attribute("data-mark") == "very bad"
    find(browser, f"{double} a").click()
    wait(browser, lambda: text(browser, "#decisions .decision-head b") == "Double")
    assert text(browser, "#decisions [data-best=true] td") == "No double"
    assert text(browser, "[data-chance=light]").endswith("%")
    wait(browser, lambda: browser.execute_script(MOVES_IN_SIGHT, ".line[aria-current]"))
    press(browser, Keys.END)
    assert not is_seen(browser, "#chances"), "the match is over"
    assert not browser.get_log("browser")


def test_a_visit_complains_of_nothing_and_stays_on_the_host(browser, server, open_match):
    browser.get(f"{server.url}matches")
    find(browser, ".match-card:last-child .match-link").click()
    wait(browser, lambda: find(browser, "main").get_attribute("data-ready") == "yes")
    find(browser, ".filter [data-show=review]").click()
    press(browser, Keys.END)
    find(browser, "#theme").click()
    open_match("odd")
    assert browser.get_log("browser") == []
    entries = (json.loads(entry["message"])["message"] for entry in browser.get_log("performance"))
    sent = (e["params"] for e in entries if e["method"] == "Network.requestWillBeSent")
    hosts = {urlsplit(one["request"]["url"]).netloc for one in sent} - {""}
    assert hosts == {f"127.0.0.1:{server.port}"}


def test_what_was_played_meanwhile_is_announced_and_moves_nothing(open_match, record):
    browser = open_match("odd")
    before = at(browser)
    more = finished(match_events())[len(match_events()) :]
    record.store.append(record.numbers["odd"], more[:1])
    wait(browser, lambda: is_seen(browser, "#news"))
    assert at(browser) == before
    find(browser, "#news a").click()
    wait(browser, lambda: at(browser) == "16 / 16")


def review_item(number):
    return {
        "id": str(number), "time": 1.0, "player": "light", "dice": [3, 1], "play": "8/5 6/5",
        "alternatives": [], "kind": "doubt", "note": "",
    }  # fmt: skip


@pytest.mark.parametrize(
    "more",
    ["", *(pytest.param(more, marks=pytest.mark.slow) for more in ("#turn-5", "?show=review"))],
)
def test_a_phone_never_scrolls_sideways(browser, server, open_match, table, script, more):
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", PHONE)
    try:
        for name in ("over", "odd"):
            open_match(name, more)
            wide = "return [document.documentElement.scrollWidth, innerWidth]"
            assert browser.execute_script(wide) == [390, 390]
        browser.get(f"{server.url}matches")
        assert browser.execute_script(wide) == [390, 390]
        script.start_game(table)
        table.publish(review=[review_item(n) for n in range(12)])
        browser.get(server.url)
        wait(browser, lambda: is_seen(browser, "#badge"))
        assert browser.execute_script(wide) == [390, 390]
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_on_a_phone_the_board_stays_in_sight(browser, open_match):
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", PHONE)
    try:
        open_match(more="?show=review")
        browser.execute_script("scrollTo(0, 700)")
        top = "return document.querySelector('#board').getBoundingClientRect().top"
        wait(browser, lambda: 0 <= browser.execute_script(top) < 100)
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@pytest.fixture
def clipboard(browser):
    """Reads what was copied: `clipboard("text/plain")`, or the size of a picture."""
    allowed = {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]}
    browser.execute_cdp_cmd("Browser.grantPermissions", allowed)
    read = """
      const [kind, done] = arguments;
      (async () => {
        const [item] = await navigator.clipboard.read();
        const blob = await item.getType(kind);
        if (kind === "text/plain") return blob.text();
        const drawn = await createImageBitmap(blob);
        const canvas = new OffscreenCanvas(drawn.width, drawn.height);
        const pen = canvas.getContext("2d");
        pen.drawImage(drawn, 0, 0);
        const { data } = pen.getImageData(0, 0, drawn.width, drawn.height);
        return [drawn.width, drawn.height, new Set(new Uint32Array(data.buffer)).size];
      })().then(done, (error) => done(`${error}`));
    """
    yield lambda kind: browser.execute_async_script(read, kind)
    browser.execute_cdp_cmd("Browser.resetPermissions", {})


def copied(browser, what):
    find(browser, f"[data-copy={what}]").click()
    wait(browser, lambda: text(browser, "#copy-note") == "Copied")


def test_the_position_is_copied_for_other_programs_and_as_a_picture(open_match, clipboard):
    browser = open_match(more="#files")
    press(browser, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    copied(browser, "xgid")
    position = parse_xgid(clipboard("text/plain"))
    copied(browser, "gnubg")
    same = parse_gnubg_ids(*clipboard("text/plain").split(":"))
    assert position.position == same.position
    assert position.on_roll is same.on_roll is Side.DARK
    assert (position.length, same.length) == (3, 3)
    copied(browser, "picture")
    width, height, colors = clipboard("image/png")
    assert width == 1200
    assert 700 < height < 1100
    assert colors > 500, "checkers, points and their shades"
