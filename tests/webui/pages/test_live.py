"""The page in a real browser."""

from __future__ import annotations

from functools import partial
from urllib.parse import urlsplit

import pytest

from engine.errors import NotNow
from engine.evidence.orientation import Orientation
from engine.message import msg
from webui.app import create_app
from webui.contracts.desk import OrientationChosen
from webui.server import serve

pytest.importorskip("selenium", reason="selenium is not installed")

from selenium.webdriver.common.by import By
from selenium.webdriver.support.select import Select

from tests.webui.browser import (
    click,
    complaints,
    cut_texts,
    find,
    is_seen,
    open_page,
    piles,
    requests_of,
    text,
    wait,
)
from tests.webui.conftest import OPENING
from tests.webui.scripted_wizard import ScriptedWizard


@pytest.fixture
def game(table, script):
    script.start_game(table)
    table.show_picture()
    return table


def test_the_board_shows_the_position(browser, server, game):
    open_page(browser, server)
    shown = piles(browser)
    assert shown["light 24"] == 2
    assert shown["light 13"] == shown["light 6"] == 5
    assert shown["dark 1"] == 2
    assert shown["dark 17"] == 3
    assert sum(shown.values()) == 30


def test_a_play_arrives_with_no_reload(browser, server, game, script):
    open_page(browser, server)
    browser.execute_script("window.isSamePage = true")
    script.make_five_point(game)
    wait(browser, lambda: piles(browser).get("light 5") == 2)
    assert piles(browser)["light 8"] == 2
    assert text(browser, "[data-text=last-play]") == "8/5 6/5"
    assert text(browser, "[data-text=headline]") == "Boris to roll"
    assert "8/5 6/5" in text(browser, ".sheet tbody")
    assert text(browser, "[data-text=pips-light]") == "163"
    assert "Anna played 8 to 5" in text(browser, "#spoken")
    assert browser.execute_script("return window.isSamePage")


def test_a_play_that_is_not_final_says_so_and_is_replaced_by_the_one_recorded(
    browser, server, game, script
):
    open_page(browser, server)
    game.publish(pending={"player": "light", "play": "8/5 6/5", "dice": [3, 1]})
    wait(browser, lambda: text(browser, "[data-text=last-play]") == "8/5 6/5")
    assert text(browser, "[data-text=last-label]") == "On the board"
    assert is_seen(browser, ".pending-word")
    assert not is_seen(browser, ".verdict-word")
    assert piles(browser)["light 8"] == 3
    game.publish(pending=None)
    script.make_five_point(game)
    wait(browser, lambda: text(browser, "[data-text=last-label]") == "Last play")
    assert not is_seen(browser, ".pending-word")
    assert is_seen(browser, ".verdict-word")


def test_the_server_and_the_script_draw_the_same_board(browser, server, game, script):
    script.make_five_point(game)
    game.publish(light_home="left", dice=[
        {"value": 6, "player": "dark", "flat": False, "confidence": 0.9},
        {"value": None, "player": "dark", "flat": True, "confidence": 0.2}])  # fmt: skip
    drawing = """const plain = text => text.replace(/\\d+(\\.\\d+)?/g, Number);
        const shape = node => node.tagName + [...node.attributes].map(
            a => a.name + '=' + plain(a.value)).sort() + [...node.children].map(shape).sort();
        const layers = ['felt', 'numbers', 'trays', 'checkers', 'labels', 'cube', 'dice'];
        return layers.map(name => shape(document.querySelector('g.' + name)))"""
    # Scripts are off for the page itself: what is compared is the server's own drawing.
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    browser.get(server.url)
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    by_server = browser.execute_script(drawing)
    game.publish(light_home="right")
    open_page(browser, server)
    game.publish(light_home="left")
    wait(browser, lambda: find(browser, "#board").get_attribute("data-home") == "left")
    assert browser.execute_script(drawing) == by_server


def test_a_hit_and_a_checker_borne_off_are_drawn(browser, server, game):
    open_page(browser, server)
    position = game.now["position"]
    light, dark = list(position["light"]), list(position["dark"])
    light[6], light[0], dark[24], dark[25] = 4, 1, 1, 1
    game.publish(position={"light": light, "dark": dark})
    wait(browser, lambda: piles(browser).get("dark bar-dark") == 1)
    assert len(browser.find_elements(By.CSS_SELECTOR, ".trays use")) == 1
    # The borne-off checker flies to its tray before it disappears.
    wait(browser, lambda: sum(piles(browser).values()) == 29)


def test_a_tall_pile_shows_its_number(browser, server, game):
    open_page(browser, server)
    light = [0] * 26
    light[6], light[1] = 9, 6
    game.publish(position={**game.now["position"], "light": light})
    wait(browser, lambda: len(browser.find_elements(By.CSS_SELECTOR, ".count")) == 2)
    assert {e.text for e in browser.find_elements(By.CSS_SELECTOR, ".count")} == {"9", "6"}


def test_a_doubt_raises_a_badge_and_lists_the_alternatives(browser, server, game, script):
    open_page(browser, server)
    assert not is_seen(browser, "#badge")
    script.doubt(game)
    wait(browser, lambda: is_seen(browser, "#badge"))
    assert find(browser, "#badge").text.split() == ["1", "to", "review"]
    assert "24/20" in find(browser, "#review").text
    assert "30 %" in find(browser, "#review").text
    assert browser.title.startswith("(1) ")


def test_how_sure_a_play_is_shows_only_where_the_players_may_see_it(browser, server, game, script):
    script.make_five_point(game)
    open_page(browser, server)
    assert find(browser, ".verdict").text.split() == ["99.8", "%", "sure"]
    game.publish(last_play={**game.now["last_play"], "confidence": None}, pips=None)
    wait(browser, lambda: find(browser, ".verdict").text == "")
    assert "167" not in find(browser, ".scoreboard").text


def test_an_illegal_play_raises_the_alarm_until_it_is_taken_back(browser, server, game, script):
    open_page(browser, server)
    script.play_illegally(game)
    wait(browser, lambda: is_seen(browser, "#alert"))
    alert = find(browser, "#alert").text
    assert "Illegal play" in alert
    assert "cannot take a checker five points" in alert
    assert find(browser, "#alert").get_attribute("role") == "alert"
    assert is_seen(browser, "#alert .icon")
    game.publish(last_play=None)
    wait(browser, lambda: not is_seen(browser, "#alert"))


VOID = {"player": "light", "dice": [4, None], "reason": "cocked", "note": "a die is cocked: again"}


def test_a_throw_that_does_not_count_is_flagged_until_the_next(browser, server, game):
    open_page(browser, server)
    leaning = {"value": 4, "player": "light", "flat": False, "confidence": 0.9}
    game.publish(void=VOID, dice=[leaning])
    wait(browser, lambda: is_seen(browser, "#alert"))
    alert = find(browser, "#alert").text
    assert "does not count" in alert
    assert "Anna rolled 4-?. A die is cocked: again." in alert
    assert is_seen(browser, "#alert .icon:nth-child(2)")
    assert text(browser, ".die-word") == "cocked"
    game.publish(void=None, dice=[{**leaning, "flat": True}])
    wait(browser, lambda: not is_seen(browser, "#alert"))
    assert not browser.find_elements(By.CSS_SELECTOR, ".die-word")


def test_the_cube_goes_from_the_middle_to_who_is_to_answer_and_to_its_owner(browser, server, game):
    open_page(browser, server)
    at = lambda: find(browser, ".cube-one").get_attribute("data-place")  # noqa: E731
    assert (at(), text(browser, ".cube-face")) == ("middle", "64")
    cube = game.now["cube"]
    game.publish(cube={**cube, "offered": 2, "by": "light"})
    wait(browser, lambda: at() == "offered-dark")
    game.publish(cube={**cube, "value": 2, "owner": "dark"})
    wait(browser, lambda: at() == "dark")
    assert text(browser, ".cube-face") == "2"
    game.publish(cube=None)
    wait(browser, lambda: not browser.find_elements(By.CSS_SELECTOR, ".cube-one"))


def test_what_keeps_the_board_from_being_judged_is_shown_while_it_lasts(browser, server, game):
    browser.get(server.url)
    assert not is_seen(browser, ".troubles")
    game.publish(troubles=["3 of 4 pictures are skipped: close other programs"])
    wait(browser, lambda: is_seen(browser, ".troubles"))
    assert text(browser, ".troubles") == "3 of 4 pictures are skipped: close other programs"
    browser.refresh()
    assert is_seen(browser, ".troubles")
    game.publish(troubles=[])
    wait(browser, lambda: not is_seen(browser, ".troubles"))


def test_which_way_a_joined_board_runs_is_said_with_one_press(browser, table, desk):
    ways = [(False, False, "right", "bottom"), (True, False, "right", "top")]
    table.publish(
        message="a game is under way",
        numberings=[
            {"turned": turned, "mirrored": mirrored, "light_home": home, "light_sits": sits,
             "position": {"light": list(OPENING), "dark": list(OPENING)}}
            for turned, mirrored, home, sits in ways
        ],
    )  # fmt: skip
    server = serve(create_app(table, desk=desk), port=0)
    try:
        open_page(browser, server)
        wait(browser, lambda: len(browser.find_elements(By.CSS_SELECTOR, ".numbering")) == 2)
        words = [one.text for one in browser.find_elements(By.CSS_SELECTOR, ".numbering")]
        assert "Light bears off bottom right" in words[0]
        assert "Light bears off top left" in words[1]
        drawn = browser.find_elements(By.CSS_SELECTOR, ".numbering .checkers use")
        assert len(drawn) == 60
        desk.error = NotNow(msg("the plays seen so far rule this out"))
        find(browser, "li:nth-child(2) > .numbering").click()
        wait(browser, lambda: "rule this out" in text(browser, "#numberings-answer"))
        desk.error = None
        find(browser, "li:nth-child(2) > .numbering").click()
        wait(browser, lambda: desk.commands == [OrientationChosen(Orientation(is_turned=True))])
        wait(browser, lambda: text(browser, "#numberings-answer") == "")
        table.publish(numberings=[])
        wait(browser, lambda: not is_seen(browser, "#numberings"))
    finally:
        server.close()


def test_what_the_program_waits_for_is_big(browser, server, table):
    table.publish(message="board found; the 8 point shows 2, expected 3; take the dice off")
    open_page(browser, server)
    lines = browser.find_elements(By.CSS_SELECTOR, ".notice li")
    assert [line.text for line in lines] == [
        "Board found", "The 8 point shows 2, expected 3", "Take the dice off",
    ]  # fmt: skip
    assert float(lines[0].value_of_css_property("font-size").removesuffix("px")) >= 24
    assert not is_seen(browser, ".board-box")


def test_the_camera_picture_is_renewed(browser, server, game):
    open_page(browser, server)
    # In one step: the picture is a different element each time.
    ask = "return document.querySelector('#picture img')?.getAttribute('src')"
    source = partial(browser.execute_script, ask)
    wait(browser, lambda: find(browser, "#picture").get_attribute("data-picture") == "yes")
    first = source()
    wait(browser, lambda: source() != first)


def test_a_lost_connection_is_shown_and_recovers(browser, table, game, script):
    server = serve(create_app(table), port=0)
    open_page(browser, server)
    server.close()
    wait(browser, lambda: is_seen(browser, "#lost"))
    script.make_five_point(game)
    server = serve(create_app(table), port=server.port)
    try:
        wait(browser, lambda: not is_seen(browser, "#lost"))
        wait(browser, lambda: piles(browser).get("light 5") == 2)
    finally:
        server.close()


def test_a_refused_stream_is_asked_for_again(browser, table, game):
    server = serve(create_app(table, streams=0), port=0)
    browser.get(server.url)
    wait(browser, lambda: is_seen(browser, "#lost"))
    server.close()
    server = serve(create_app(table), port=server.port)
    try:
        wait(browser, lambda: not is_seen(browser, "#lost"))
    finally:
        server.close()


def test_a_whole_visit_complains_of_nothing_and_stays_on_the_host(browser, server, table, script):
    open_page(browser, server)
    script.start_game(table)
    table.show_picture()
    for step in (script.make_five_point, script.doubt, script.play_illegally):
        step(table)
    wait(browser, lambda: is_seen(browser, "#alert"))
    find(browser, "#theme").click()
    assert complaints(browser) == []
    hosts = {urlsplit(url).netloc for url in requests_of(browser)} - {""}
    assert hosts == {f"127.0.0.1:{server.port}"}


def test_markup_in_a_name_that_arrives_later_stays_text(browser, server, game):
    open_page(browser, server)
    game.publish(players={"light": "<img src=x onerror=alert(1)>", "dark": "Boris"})
    wait(browser, lambda: "<img" in text(browser, "[data-text=name-light]"))
    assert not browser.find_elements(By.CSS_SELECTOR, "img[src=x]")
    assert complaints(browser) == []


def test_the_theme_can_be_changed_and_is_remembered(browser, server, game):
    theme = lambda: find(browser, "html").get_attribute("data-theme")  # noqa: E731
    open_page(browser, server)
    before = theme()
    find(browser, "#theme").click()
    assert theme() != before
    browser.refresh()
    assert theme() != before


@pytest.mark.parametrize("phase", ["waiting", "playing", "fault", "ended"])
def test_a_phone_never_scrolls_sideways(browser, screen, server, game, script, phase):
    script.make_five_point(game)
    script.doubt(game)
    script.play_illegally(game)
    game.publish(
        phase=phase, players={"light": "Maximiliane-Antoinette von und zu", "dark": "W" * 40},
        message="a_word_without_any_space_that_is_longer_than_a_phone_is_wide_" * 2,
        record={"path": "/a/very/long/path" * 9},
    )  # fmt: skip
    place = dict.fromkeys(("event", "round", "table", "logo"), "")
    game.publish(place={**place, "light_country": "JP", "dark_country": "DK"})
    for width, language in ((360, "ru"), (390, "en")):  # a language is remembered
        screen(width, 740)
        open_page(browser, server, f"?lang={language}")
        wide = browser.execute_script("return document.documentElement.scrollWidth")
        assert wide <= width
        assert cut_texts(browser, ".player") == []


def test_with_reduced_motion_nothing_flies(browser, server, game, script):
    calm = {"features": [{"name": "prefers-reduced-motion", "value": "reduce"}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", calm)
    try:
        open_page(browser, server)
        script.make_five_point(game)
        wait(browser, lambda: piles(browser).get("light 5") == 2)
        assert browser.execute_script("return document.getAnimations().length") == 0
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def test_without_it_the_checkers_fly(browser, server, game, script):
    open_page(browser, server)
    browser.execute_script(
        "const seen = window.flights = [];"
        "const animate = Element.prototype.animate;"
        "Element.prototype.animate = function (...how) {"
        "  seen.push(how); return animate.apply(this, how); }"
    )
    script.make_five_point(game)
    wait(browser, lambda: len(browser.execute_script("return window.flights")) == 2)


def number_of(browser, cell):
    return text(browser, f".numbers [data-cell='{cell}']")


def test_the_movers_numbers_stay_until_the_next_roll(browser, server, game, script):
    script.make_five_point(game)
    open_page(browser, server)
    assert text(browser, "[data-text=headline]") == "Boris to roll"
    assert number_of(browser, 5) == "5"
    game.publish(roll={"player": "dark", "dice": [6, 1], "confidence": 1.0})
    wait(browser, lambda: number_of(browser, 5) == "20")


def test_one_sides_numbers_can_be_kept(browser, server, game, script):
    script.make_five_point(game)
    open_page(browser, server)
    click(browser, ".board-look summary")
    Select(find(browser, "#point-numbers")).select_by_value("dark")
    assert number_of(browser, 5) == "20"
    open_page(browser, server)
    wait(browser, lambda: number_of(browser, 5) == "20")
    click(browser, ".board-look summary")
    Select(find(browser, "#point-numbers")).select_by_value("")
    assert number_of(browser, 5) == "5"


def test_before_a_match_the_referee_is_led_to_the_set_up_and_nothing_is_live(browser, table, desk):
    server = serve(create_app(table, desk=desk, wizard=ScriptedWizard()), port=0)
    try:
        open_page(browser, server)
        assert text(browser, "#link span") == "Connected"
        link = find(browser, ".notice a")
        assert link.text == "Set up a match"
        assert link.get_attribute("href") == f"{server.url}setup"
    finally:
        server.close()


def test_only_a_match_in_play_is_live(browser, server, game):
    open_page(browser, server)
    wait(browser, lambda: text(browser, "#link span") == "Live")
    game.publish(phase="ended", message="the match is over")
    wait(browser, lambda: text(browser, "#link span") == "Connected")
