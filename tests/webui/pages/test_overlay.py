"""The overlay in a real browser, as in OBS."""

from __future__ import annotations

import base64
from urllib.parse import urlsplit

import cv2
import numpy as np
import pytest

pytest.importorskip("selenium", reason="selenium is not installed")

from tests.at_length import at_length
from tests.webui.browser import complaints, cut_texts, find, is_seen, piles, requests_of, text, wait
from webui.pages.overlay import USUAL_PARTS

SHOWS = {
    "board": ".board-box",
    "dice": ".dice .die, #strip-dice .small-die",
    "cube": ".cube-one",
    "score": ".score",
    "pips": ".pips",
    "names": ".name",
    "last": "#last",
    "flag": "#alert",
    "clock": ".clock",
    "study": "#study",
    "chances": "#judged",
}


LONG_NAMES = (
    {"light": "Hideaki Mochizuki-Watanabe", "dark": "Aleksandra Wojciechowska"},
    {"light": "Anna", "dark": "Wolfeschlegelsteinhausenbergerdorff"},
)


@pytest.fixture
def game(table, script):
    script.start_game(table)
    script.make_five_point(table)
    clock = {"light": 840, "dark": 815, "delay": 9, "runs": "dark"}
    table.publish(roll={"player": "dark", "dice": [6, 4], "confidence": 1.0}, clock=clock)
    return table


@pytest.fixture
def open_overlay(browser, server, screen):
    screen(1920, 1080)

    def open_at(query=""):
        browser.get(f"{server.url}overlay?{query}")
        wait(browser, lambda: find(browser, "html").get_attribute("data-link") == "live")

    return open_at


def photograph(browser):
    """What the browser paints, with its alpha: (height, width, 4) uint8."""
    clear = {"color": {"r": 0, "g": 0, "b": 0, "a": 0}}
    browser.execute_cdp_cmd("Emulation.setDefaultBackgroundColorOverride", clear)
    png = browser.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})["data"]
    browser.execute_cdp_cmd("Emulation.setDefaultBackgroundColorOverride", {})
    return cv2.imdecode(np.frombuffer(base64.b64decode(png), np.uint8), cv2.IMREAD_UNCHANGED)


def parts_seen(browser):
    """The parts that are at least partly displayed."""
    found = {part: browser.find_elements("css selector", SHOWS[part]) for part in SHOWS}
    return {part for part in SHOWS if any(element.is_displayed() for element in found[part])}


@pytest.mark.parametrize("theme", ["dark", "light", "plain"])
def test_all_but_the_block_is_transparent(browser, game, open_overlay, theme):
    open_overlay(f"theme={theme}")
    alpha = photograph(browser)[..., 3]
    assert alpha.shape == (1080, 1920)
    assert not alpha[:, :1000].any()
    assert not alpha[:200].any()
    assert (alpha[500:900, 1200:1800] == 255).all()


def test_a_part_that_is_off_is_not_shown(browser, game, open_overlay, script):
    script.play_illegally(game)
    for off in USUAL_PARTS:
        open_overlay(f"{off}=off")
        # An illegal play's flag takes the place of the last play.
        hidden = {off, "last"} - ({"last"} if off == "flag" else set())
        # The cube lies on the board.
        hidden |= {"cube"} if off == "board" else set()
        # A part that has only begun to fade in does not count as shown yet.
        wait(browser, lambda left={*USUAL_PARTS} - hidden: parts_seen(browser) == left)


def test_figures_for_study_are_shown_if_they_are_asked_for(browser, game, open_overlay):
    open_overlay("study=on")
    wait(browser, lambda: parts_seen(browser) == {*USUAL_PARTS, "study"} - {"flag"})
    assert "Anna: " in find(browser, "#study").text
    assert "gammon value" in find(browser, "#study").text
    game.publish(pips=None)
    wait(browser, lambda: not is_seen(browser, "#study"))


def judged(mark):
    """An analysis whose newest event is the first play."""
    decision = {"kind": "play", "player": "light", "loss": 0.09, "mark": mark, "counts": True,
                "best": "24/18 13/9", "choices": []}  # fmt: skip
    chances = {"light": 0.62, "light_gammon": 0.21, "light_backgammon": 0.0,
               "dark_gammon": 0.05, "dark_backgammon": 0.0}  # fmt: skip
    newest = {"event": 4, "game": 1, "turn": 1, "player": "light", "luck": 0.0,
              "chances": chances, "decisions": [decision]}  # fmt: skip
    return {"engine": "test", "newest": newest, "play": "24/20", "errors": [], "note": "",
            "light": {}, "dark": {}}  # fmt: skip


def test_chances_and_errors_are_shown_late_if_they_are_asked_for(browser, game, open_overlay):
    game.publish(analysis=judged("bad"))
    open_overlay()
    assert not is_seen(browser, "#judged"), "it is off by default"
    open_overlay("chances=on")
    wait(browser, lambda: is_seen(browser, "#judged"))
    assert text(browser, "[data-chance=light]") == "62.0\u2009%"
    assert text(browser, "[data-chance=dark-gammon]") == "gammon 5.0\u2009%"
    assert text(browser, "#error-loss") == "−0.090 · bad"
    assert text(browser, "[data-text=error-best]") == "better: 24/18 13/9"
    assert find(browser, "#last").get_attribute("data-mark") == "bad"
    for small in ("", "&width=640&height=360&lang=ru"):
        open_overlay(f"chances=on{small}")
        wait(browser, lambda: is_seen(browser, "#error"))
        assert cut_texts(browser, "#judged") == []
    open_overlay("chances=on")
    wait(browser, lambda: is_seen(browser, "#judged"))
    game.publish(analysis=judged(""))
    wait(browser, lambda: not is_seen(browser, "#error"))
    game.publish(analysis=None)
    wait(browser, lambda: not is_seen(browser, "#judged"))


def test_a_throw_that_does_not_count_is_flagged(browser, game, open_overlay):
    open_overlay("")
    void = {"player": "dark", "dice": [4, 4], "reason": "split", "note": "in different halves"}
    game.publish(void=void)
    wait(browser, lambda: is_seen(browser, "#alert"))
    assert "Boris rolled 4-4. In different halves." in find(browser, "#alert").text
    assert not is_seen(browser, "#last")
    game.publish(void=None)
    wait(browser, lambda: not is_seen(browser, "#alert"))


def test_dice_move_to_the_strip_where_there_is_no_board(browser, game, open_overlay):
    open_overlay("only=score,dice")
    assert is_seen(browser, "#strip-dice .small-die")
    game.publish(roll=None)
    wait(browser, lambda: not browser.find_elements("css selector", "#strip-dice .small-die"))
    assert is_seen(browser, ".length")
    open_overlay("only=score,dice,board")
    assert not is_seen(browser, "#strip-dice")


QUERIES = (
    "",
    "scale=5&position=center&last=off",
    "width=300&height=1080&margin=0",
    "only=names,score&scale=3&position=bottom",
    at_length("study=on"),
    at_length("scale=5"),
    at_length("width=640&height=360"),
    at_length("only=board&position=top-left"),
    at_length("only=flag&position=top"),
    at_length("only=dice&position=left"),
)


@pytest.mark.parametrize("query", QUERIES)
def test_the_block_lies_inside_the_overlay_at_its_margin(
    browser, game, open_overlay, script, query
):
    script.play_illegally(game)
    open_overlay(query)
    size = browser.execute_script("return {...document.documentElement.dataset}")
    width, height, margin = (float(size[name]) for name in ("width", "height", "margin"))
    box = find(browser, ".block").rect
    right, bottom = box["x"] + box["width"], box["y"] + box["height"]
    least = margin - 1
    assert box["x"] >= least
    assert box["y"] >= least
    assert right <= width - least
    assert bottom <= height - least
    at = size["position"]
    assert ("left" not in at) or box["x"] <= margin + 1
    assert ("right" not in at) or right >= width - margin - 1
    assert ("top" not in at) or box["y"] <= margin + 1
    assert ("bottom" not in at) or bottom >= height - margin - 1


@pytest.mark.parametrize("only", ["", "only=board,flag", "only=names,score,flag", "only=flag"])
def test_nothing_moves_when_the_flag_is_raised(browser, game, open_overlay, script, only):
    open_overlay(only)
    where = lambda: [  # noqa: E731
        find(browser, name).rect for name in (".block", ".board-box", ".strip")
    ]
    before = where()
    script.play_illegally(game)
    wait(browser, lambda: is_seen(browser, "#alert"))
    assert where()[0] == before[0] or only == "only=flag"
    assert where()[1:] == before[1:]
    assert "Illegal play" in text(browser, "#alert")


def test_a_play_flies_by_its_transform_alone(browser, game, open_overlay, script):
    open_overlay()
    browser.execute_script(
        "const seen = window.flights = [];"
        "const animate = Element.prototype.animate;"
        "Element.prototype.animate = function (frames, how) {"
        "  seen.push(...frames.map(Object.keys)); return animate.call(this, frames, how); }"
    )
    light = list(game.now["position"]["light"])
    light[13], light[7] = light[13] - 1, 1
    game.publish(position={**game.now["position"], "light": light})
    wait(browser, lambda: piles(browser).get("light 7") == 1)
    assert browser.execute_script("return window.flights") == [["transform"], ["transform"]]


def test_with_reduced_motion_nothing_flies_or_fades(browser, game, open_overlay, script):
    open_overlay()
    calm = {"features": [{"name": "prefers-reduced-motion", "value": "reduce"}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", calm)
    script.play_illegally(game)
    light = list(game.now["position"]["light"])
    light[13], light[7] = light[13] - 1, 1
    game.publish(position={**game.now["position"], "light": light})
    wait(browser, lambda: piles(browser).get("light 7") == 1)
    assert browser.execute_script("return document.getAnimations().length") == 0


def test_a_long_name_is_written_smaller_and_markup_stays_text(browser, game, open_overlay):
    open_overlay()
    size = lambda: find(browser, "[data-text=name-light]").value_of_css_property("font-size")  # noqa: E731
    usual = size()
    game.publish(players={"light": "<b>Maximiliane Antoinette</b>", "dark": "Boris"})
    wait(browser, lambda: "Maximiliane" in text(browser, "[data-text=name-light]"))
    assert size() != usual
    assert not browser.find_elements("css selector", ".name b")
    for names in LONG_NAMES:
        game.publish(players=names)
        wait(browser, lambda dark=names["dark"]: text(browser, "[data-text=name-dark]") == dark)
        assert cut_texts(browser, ".who") == []
    game.publish(players={"light": "Anna", "dark": "Boris"})
    wait(browser, lambda: size() == usual)


def test_a_whole_visit_complains_of_nothing_and_stays_on_the_host(
    browser, server, table, open_overlay, script
):
    open_overlay()
    script.start_game(table)
    for step in (script.make_five_point, script.doubt, script.play_illegally):
        step(table)
    wait(browser, lambda: is_seen(browser, "#alert"))
    table.publish(phase="fault", message="the camera is gone")
    wait(browser, lambda: text(browser, "#alert h2") == "Paused")
    assert complaints(browser) == []
    hosts = {urlsplit(url).netloc for url in requests_of(browser)} - {""}
    assert hosts == {f"127.0.0.1:{server.port}"}


def test_the_stream_that_is_asked_for_is_as_late_as_the_overlay(browser, game, open_overlay):
    open_overlay("delay=600")
    assert piles(browser) == {}
    addresses = [urlsplit(url) for url in requests_of(browser)]
    asked = {one.query for one in addresses if one.path == "/api/events"}
    assert asked == {"as=audience&delay=600&lang=en"}
    paths = {one.path for one in addresses if not one.path.startswith("/static/")}
    assert paths <= {"/overlay", "/api/events", "", "blank", "/favicon.ico"}


def test_a_late_overlay_follows_the_match(browser, game, open_overlay, script):
    open_overlay("delay=0.5")
    wait(browser, lambda: piles(browser).get("light 5") == 2)
    light = list(game.now["position"]["light"])
    light[13], light[7] = light[13] - 1, 1
    game.publish(position={**game.now["position"], "light": light})
    wait(browser, lambda: piles(browser).get("light 7") == 1)
