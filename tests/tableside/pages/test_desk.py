"""The referee's desk in a real browser, over a real session: what is pressed reaches the record."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest

from tests.tableside.running_match import RunningMatch
from webui.app import create_app
from webui.contracts.desk import NextMatch
from webui.contracts.roles import Role
from webui.contracts.setup import ChosenOptions
from webui.contracts.state import NO_PLACE
from webui.http.passwords import Passwords, hashed
from webui.server import serve

pytest.importorskip("selenium", reason="selenium is not installed")

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.select import Select

from engine import Side
from engine.events.match import PlayAccepted, Resigned
from engine.events.record import PositionSet
from tests.webui.browser import (
    click,
    complaints,
    find,
    is_seen,
    open_page,
    piles,
    press,
    requests_of,
    text,
    wait,
)


@pytest.fixture
def running(tmp_path, monkeypatch):
    running = RunningMatch(tmp_path, length=7)
    running.begin()
    running.turn(Side.LIGHT, (6, 1), "13/7 8/7")
    yield running
    running.close()


@pytest.fixture
def served(running):
    server = serve(create_app(running.table, desk=running.desk), port=0)
    yield server
    server.close()


def open_desk(browser, server):
    open_page(browser, server, "desk")
    wait(browser, lambda: find(browser, "#turns").text)
    wait(browser, lambda: find(browser, "[data-command=end_turn]").get_attribute("aria-disabled"))


@pytest.fixture
def desk_page(browser, served):
    open_desk(browser, served)
    return browser


def mode(browser):
    return find(browser, "#main").get_attribute("data-mode")


def open_turn(browser, number):
    click(browser, f"#turns [data-number='{number}']")
    wait(browser, lambda: mode(browser) == "turn")
    wait(browser, lambda: text(browser, "#turn-title").startswith(f"Turn {number}"))


def cell(name):
    return f".cell[data-cell='{name}']"


@pytest.fixture
def illegal(running):
    running.turn(Side.DARK, (4, 1), "13/8 6/4")
    assert running.desk.status()["phase"] == "disputed"
    return running


@pytest.mark.parametrize("page", ["", "desk"])
def test_an_illegal_play_is_flagged_its_legal_plays_drawn_and_one_required(
    browser, served, illegal, page
):
    browser.get(f"{served.url}{page}")
    wait(browser, lambda: is_seen(browser, "#alert-acts"))
    assert "Illegal play" in text(browser, "#alert")
    assert "6/4 uses a 2, which was not rolled" in text(browser, "#alert")
    assert not is_seen(browser, "#legal")
    click(browser, "#alert-legal")
    wait(browser, lambda: is_seen(browser, "#legal"))
    legal = illegal.desk.legal_plays(2, None)
    assert text(browser, "#legal-count") == str(len(legal))
    drawn = browser.find_elements("css selector", "#legal-plays .board")
    assert len(drawn) == len(legal)
    assert len(drawn[0].find_elements("css selector", ".checkers use")) == 30
    click(browser, "#alert [data-command=reject]")
    wait(browser, lambda: not is_seen(browser, "#alert"))
    assert illegal.recorder.state.turns[1].rejected


def test_an_illegal_play_is_let_stand(desk_page, illegal):
    click(desk_page, "#alert [data-command=accept]")
    wait(desk_page, lambda: not is_seen(desk_page, "#alert"))
    assert [one.by for one in illegal.on_disk() if isinstance(one, PlayAccepted)] == ["hand"]


def test_a_viewer_sees_the_flag_and_no_buttons(illegal):
    passwords = Passwords({Role.VIEWER: hashed("viewer's"), Role.REFEREE: hashed("referee's")})
    app = create_app(illegal.table, desk=illegal.desk, passwords=passwords)
    client = app.test_client()
    assert client.get("/desk", headers={"Accept": "text/html"}).status_code == 302
    client.post("/login", data={"password": "viewer's"}, headers={"X-Tableside": "1"})
    assert client.get("/desk").status_code == 403
    page = client.get("/").text
    assert "Illegal play" in page
    assert "alert-acts" not in page
    assert 'href="/desk"' not in page
    client.post("/logout", headers={"X-Tableside": "1"})
    client.post("/login", data={"password": "referee's"}, headers={"X-Tableside": "1"})
    assert client.get("/desk").status_code == 200
    assert 'href="/desk"' in client.get("/").text


def test_where_nothing_is_recorded_there_is_no_desk(table):
    client = create_app(table).test_client()
    assert client.get("/desk").status_code == 404
    assert 'href="/desk"' not in client.get("/").text


def test_a_wrong_play_is_put_right_by_an_alternative(browser, table, desk, script):
    script.start_game(table)
    script.make_five_point(table)
    server = serve(create_app(table, desk=desk), port=0)
    try:
        open_desk(browser, server)
        open_turn(browser, 1)
        others = browser.find_elements("css selector", "#others button")
        assert [one.get_attribute("aria-disabled") for one in others] == ["false", "true"]
        press(browser, "2")
        wait(browser, lambda: "not possible from the position" in text(browser, "#turn-answer"))
        press(browser, "1")
        wait(browser, lambda: desk.commands)
        assert [one.play for one in desk.commands] == ["24/20"]
    finally:
        server.close()


def serve_next_match(table, desk, script):
    """A desk at which the next match can begin."""
    script.start_game(table)
    desk.why_not_begin = ""
    return serve(create_app(table, desk=desk), port=0)


def open_next_match(browser, server):
    """Open the form of the next match, with its options unfolded."""
    open_desk(browser, server)
    press(browser, "h")
    wait(browser, lambda: is_seen(browser, "#match-begin"))
    click(browser, "#game-options summary")


@pytest.mark.parametrize(("rule", "is_named"), [("the 6 can be played", True), ("", False)])
def test_only_a_turn_that_breaks_a_named_rule_is_called_illegal(
    browser, table, desk, script, rule, is_named
):
    script.start_game(table)
    seen = {**desk.turns()[0], "legal": False, "rule": rule}
    desk.turns = lambda: [seen]
    server = serve(create_app(table, desk=desk), port=0)
    try:
        open_desk(browser, server)
        assert is_seen(browser, "#turns .tag-illegal") == is_named
        assert is_seen(browser, "#turns .tag-review")
    finally:
        server.close()


def test_the_next_match_is_begun_with_the_options_of_its_game(browser, table, desk, script):
    server = serve_next_match(table, desk, script)
    try:
        open_next_match(browser, server)
        assert is_seen(browser, "#game-options [name=crawford]")
        assert not is_seen(browser, "#game-options [name=jacoby]"), "it matters only for money"
        assert "single checkers are hit" in text(browser, "#variant-note")
        Select(find(browser, "#match-form [name=variant]")).select_by_value("narde")
        assert "nothing is hit" in text(browser, "#variant-note")
        for name, value in (("preset", "home_block"), ("next_starter", "previous_second")):
            Select(find(browser, f"#game-options [name={name}]")).select_by_value(value)
        assert "opposing checker in its home" in text(browser, "#preset-note")
        Select(find(browser, "#match-form [name=rules]")).select_by_value("narde")
        assert "the same half" in text(browser, "#rules-note")
        click(browser, "#match-begin")
        wait(browser, lambda: desk.commands)
        chosen: ChosenOptions = {"preset": "home_block", "next_starter": "previous_second"}
        assert desk.commands == [NextMatch("Anna", "Boris", 7, "narde", "narde", chosen, NO_PLACE)]
        assert complaints(browser) == []
    finally:
        server.close()


def test_the_next_money_game_is_begun_with_the_options_of_its_cube(browser, table, desk, script):
    server = serve_next_match(table, desk, script)
    try:
        open_next_match(browser, server)
        Select(find(browser, "#game-options [name=crawford]")).select_by_value("false")
        find(browser, "#match-form [name=length]").clear()
        find(browser, "#match-form [name=length]").send_keys("0")
        wait(browser, lambda: is_seen(browser, "#game-options [name=jacoby]"))
        for name, value in (("jacoby", "true"), ("automatic_doubles", "2")):
            Select(find(browser, f"#game-options [name={name}]")).select_by_value(value)
        assert "only if the cube was turned" in text(browser, "#jacoby-note")
        click(browser, "#match-begin")
        wait(browser, lambda: desk.commands)
        chosen: ChosenOptions = {"jacoby": True, "automatic_doubles": 2}
        assert desk.commands == [NextMatch("Anna", "Boris", 0, "short", "", chosen, NO_PLACE)]
        assert complaints(browser) == []
    finally:
        server.close()


def test_the_desk_says_where_the_match_is_played(browser, table, desk, script):
    script.start_game(table)
    server = serve(create_app(table, desk=desk), port=0)
    try:
        open_desk(browser, server)
        click(browser, "[data-open=match]")
        click(browser, "#place-fields summary")
        fields = {"event": "Spring Open", "round": "3", "light_country": "germany"}
        for name, value in fields.items():
            find(browser, f"#place-fields [data-place={name}]").send_keys(value)
        click(browser, "#place-set")
        wait(browser, lambda: desk.commands)
        [entered] = desk.commands
        assert entered.place == {**NO_PLACE, **fields, "light_country": "DE"}
        assert complaints(browser) == []
    finally:
        server.close()


def test_a_turns_pictures_lie_beside_what_it_may_have_been(browser, table, desk, script):
    script.start_game(table)
    server = serve(create_app(table, desk=desk), port=0)
    try:
        open_desk(browser, server)
        open_turn(browser, 1)
        wait(browser, lambda: is_seen(browser, "#stills"))
        # The picture of the second one is gone.
        captions = "The rollFrom 4 seconds before to 2 seconds after"
        assert text(browser, "#stills") == captions
        clip = find(browser, "#stills video").get_attribute("src")
        assert clip.endswith("/api/turns/1/clip.mp4")
        assert find(browser, "#stills img").get_attribute("alt") == "The roll"
        click(browser, "#stills button")
        wait(browser, lambda: is_seen(browser, "#still-large"))
        read = browser.find_elements("css selector", "#still-large .mark text")
        assert [one.text for one in read] == ["3", "2"]
        click(browser, "#still-marks")
        wait(browser, lambda: not read[0].is_displayed())
        ActionChains(browser).send_keys(Keys.ESCAPE).perform()
        wait(browser, lambda: not is_seen(browser, "#still-large"))
        assert mode(browser) == "turn"
        assert complaints(browser) == []
    finally:
        server.close()


def test_a_wrong_play_is_put_right_by_tapping(desk_page, running):
    open_turn(desk_page, 1)
    click(desk_page, "#tap")
    assert find(desk_page, cell("24")).get_attribute("data-mark") == "source"
    assert find(desk_page, cell("6")).get_attribute("data-mark") == "source"
    click(desk_page, cell("3"))
    assert "No legal play" in text(desk_page, "#turn-answer")
    click(desk_page, cell("24"))
    wait(desk_page, lambda: piles(desk_page).get("light 18") == 1)
    click(desk_page, cell("24"))
    chosen = find(desk_page, "#turn-notation").get_property("value")
    assert set(chosen.split()) == {"24/18", "24/23"}
    click(desk_page, "#play-form [type=submit]")
    wait(desk_page, lambda: running.plays == ["24/23 24/18"])
    wait(desk_page, lambda: "by hand" in find(desk_page, "#turns").text)


def test_what_was_not_legal_can_be_tapped_too(desk_page, running):
    open_turn(desk_page, 1)
    click(desk_page, "#tap")
    click(desk_page, "#turn-any")
    for name in ("13", "8"):
        click(desk_page, cell(name))
    assert find(desk_page, "#turn-notation").get_property("value") == "13/8"
    click(desk_page, "#play-form [type=submit]")
    wait(desk_page, lambda: running.desk.turns()[0]["play"] == "13/8")
    assert not running.desk.turns()[0]["legal"]


def test_a_play_in_notation_that_cannot_be_is_refused_and_stays_typed(desk_page, running):
    open_turn(desk_page, 1)
    before = running.on_disk()
    find(desk_page, "#turn-notation").send_keys("3/1", Keys.ENTER)
    wait(desk_page, lambda: text(desk_page, "#turn-answer"))
    assert find(desk_page, "#turn-notation").get_property("value") == "3/1"
    assert running.on_disk() == before
    find(desk_page, "#turn-notation").clear()
    find(desk_page, "#turn-notation").send_keys("24/18 24/23", Keys.ENTER)
    wait(desk_page, lambda: running.plays == ["24/23 24/18"])
    wait(desk_page, lambda: text(desk_page, "#turn-answer") == "")


def test_a_roll_is_fixed_and_those_that_explain_the_play_come_first(desk_page, running):
    running.turn(Side.DARK, (4, 1), "24/20 24/23")
    wait(desk_page, lambda: find(desk_page, "#turns [data-number='2']"))
    open_turn(desk_page, 2)
    for name, face in (("first", 6), ("second", 2)):
        one = f"#roll-form [name={name}][value='{face}']"
        desk_page.execute_script("arguments[0].click()", find(desk_page, one))
    click(desk_page, "#roll-form [type=submit]")
    wait(desk_page, lambda: running.recorder.state.turns[1].event.dice == (6, 2))
    wait(desk_page, lambda: is_seen(desk_page, "#rolls button"))
    assert "4-1" in find(desk_page, "#rolls button").get_attribute("aria-label")
    click(desk_page, "#rolls button")
    wait(desk_page, lambda: running.recorder.state.turns[1].event.dice == (4, 1))


def test_a_position_is_set_by_tapping_and_its_checkers_are_counted(desk_page, running):
    click(desk_page, "[data-open=position]")
    click(desk_page, cell("10"))
    assert "16 of 15" in text(desk_page, "#count-light")
    assert text(desk_page, "#spot-words") == "10 point, 1 light"
    assert text(desk_page, ".numbers [data-cell='10']") == "10"
    click(desk_page, "#position-set")
    assert "needs 15 checkers" in text(desk_page, "#position-answer")
    assert not any(isinstance(one, PositionSet) for one in running.on_disk())
    ActionChains(desk_page).context_click(find(desk_page, cell("6"))).perform()
    wait(desk_page, lambda: piles(desk_page).get("light 6") == 4)
    assert "15 of 15" in text(desk_page, "#count-light")
    desk_page.execute_script("document.querySelector('[name=next][value=light]').click()")
    click(desk_page, "#position-set")
    wait(desk_page, lambda: any(isinstance(one, PositionSet) for one in running.on_disk()))
    wait(desk_page, lambda: mode(desk_page) == "live")
    position = running.recorder.state.position
    assert (position.light[10], position.light[6]) == (1, 4)
    assert running.recorder.state.to_move is Side.LIGHT
    click(desk_page, "#commands [data-command=undo]")
    wait(desk_page, lambda: running.recorder.state.position.light[10] == 0)


def test_a_position_follows_the_match_until_something_in_it_is_changed(desk_page, running):
    click(desk_page, "[data-open=position]")
    running.turn(Side.DARK, (4, 1), "24/20 24/23")
    wait(desk_page, lambda: piles(desk_page).get("dark 5") == 1)
    click(desk_page, cell("10"))
    running.turn(Side.LIGHT, (6, 5), "24/18 18/13")
    wait(desk_page, lambda: find(desk_page, "#turns [data-number='3']"))
    assert piles(desk_page)["light 24"] == 2
    assert text(desk_page, "#spot-words") == "10 point, 1 light"


def test_a_position_that_cannot_be_is_refused_with_its_line(desk_page, running):
    click(desk_page, "[data-open=position]")
    for side in ("light", "dark"):
        desk_page.execute_script(f"document.querySelector('[name=side][value={side}]').click()")
        ActionChains(desk_page).context_click(
            find(desk_page, cell("8" if side == "light" else "17"))
        ).perform()
        click(desk_page, cell("10"))
    click(desk_page, "#position-set")
    wait(desk_page, lambda: text(desk_page, "#position-answer"))
    assert mode(desk_page) == "position"
    assert piles(desk_page)["light 10"] == 1


def test_the_table_is_paused_and_goes_on(desk_page, running):
    click(desk_page, "#commands [data-command=pause]")
    wait(desk_page, lambda: running.desk.status()["paused"])
    wait(desk_page, lambda: text(desk_page, ".headline") == "Paused")
    click(desk_page, "#commands [data-command=go_on]")
    wait(desk_page, lambda: not running.desk.status()["paused"])
    wait(desk_page, lambda: is_seen(desk_page, "#commands [data-command=pause]"))


def test_a_game_is_given_up(desk_page, running):
    click(desk_page, "[data-open=resign]")
    click(desk_page, "#resign-form [type=submit]")
    assert text(desk_page, "#resign-answer") == "Choose who resigns."
    for name, value in (("player", "dark"), ("result", "gammon")):
        click(desk_page, f"#resign-form [name={name}][value={value}]")
    click(desk_page, "#resign-form [type=submit]")
    wait(desk_page, lambda: any(isinstance(one, Resigned) for one in running.on_disk()))
    wait(desk_page, lambda: text(desk_page, "[data-text=score-light]") == "2")


def test_an_unavailable_command_shows_why(desk_page, running):
    undo = find(desk_page, "#commands [data-command=undo]")
    assert undo.get_attribute("title") == "there is nothing to undo"
    before = running.on_disk()
    undo.click()
    assert text(desk_page, "#desk-answer") == "there is nothing to undo"
    press(desk_page, "t")
    wait(desk_page, lambda: "no double to answer" in text(desk_page, "#desk-answer"))
    press(desk_page, "r")
    wait(desk_page, lambda: "no illegal play" in text(desk_page, "#desk-answer"))
    assert running.on_disk() == before


def test_a_table_that_does_not_answer_is_shown_beside_the_command(desk_page, running, served):
    open_turn(desk_page, 1)
    find(desk_page, "#turn-notation").send_keys("24/18 24/23")
    served.close()
    wait(desk_page, lambda: is_seen(desk_page, "#lost"))
    click(desk_page, "#play-form [type=submit]")
    wait(desk_page, lambda: "does not respond" in text(desk_page, "#turn-answer"))
    again = serve(create_app(running.table, desk=running.desk), port=served.port)
    try:
        wait(desk_page, lambda: not is_seen(desk_page, "#lost"))
        assert find(desk_page, "#turn-notation").get_property("value") == "24/18 24/23"
        click(desk_page, "#play-form [type=submit]")
        wait(desk_page, lambda: running.plays == ["24/23 24/18"])
    finally:
        again.close()


def test_all_of_it_is_done_by_keys_alone(desk_page, running):
    press(desk_page, " ")
    wait(desk_page, lambda: running.desk.status()["paused"])
    wait(desk_page, lambda: is_seen(desk_page, "#commands [data-command=go_on]"))
    press(desk_page, " ")
    wait(desk_page, lambda: not running.desk.status()["paused"])
    wait(desk_page, lambda: is_seen(desk_page, "#commands [data-command=double]"))
    press(desk_page, "d")
    wait(desk_page, lambda: is_seen(desk_page, "#commands [data-command=take]"))
    assert find(desk_page, ".cube-one").get_attribute("data-place") == "offered-light"
    press(desk_page, "t")
    wait(desk_page, lambda: running.desk.status()["cube"]["owner"] == "light")
    wait(desk_page, lambda: find(desk_page, ".cube-one").get_attribute("data-place") == "light")
    press(desk_page, Keys.ARROW_DOWN, Keys.ENTER)
    wait(desk_page, lambda: mode(desk_page) == "turn")
    press(desk_page, "w")
    wait(desk_page, lambda: is_seen(desk_page, cell("24")))
    press(desk_page, Keys.ENTER, *[Keys.ARROW_LEFT] * 5)
    assert desk_page.switch_to.active_element.get_attribute("aria-label").startswith("19 point")
    press(desk_page, Keys.ARROW_LEFT, Keys.ARROW_LEFT, Keys.ENTER)
    wait(desk_page, lambda: piles(desk_page).get("light 18") == 1)
    press(desk_page, Keys.ESCAPE, "n", Keys.ENTER)
    wait(desk_page, lambda: running.desk.turns()[0]["play"] == "24/18")
    wait(desk_page, lambda: find(desk_page, "#turn-notation").get_property("value") == "")
    press(desk_page, "24/18 24/23", Keys.ENTER)
    wait(desk_page, lambda: running.plays == ["24/23 24/18"])
    press(desk_page, Keys.ESCAPE)
    wait(desk_page, lambda: mode(desk_page) == "live")
    press(desk_page, "u")
    wait(desk_page, lambda: running.desk.turns()[0]["play"] != "24/23 24/18")
    wait(desk_page, lambda: piles(desk_page).get("light 24") == 2)
    press(desk_page, "p")
    wait(desk_page, lambda: mode(desk_page) == "position")
    press(desk_page, Keys.ENTER)
    wait(desk_page, lambda: piles(desk_page).get("light 24") == 3)
    press(desk_page, Keys.DELETE)
    wait(desk_page, lambda: piles(desk_page).get("light 24") == 2)
    press(desk_page, Keys.ESCAPE, "?")
    wait(desk_page, lambda: is_seen(desk_page, "#help"))
    press(desk_page, Keys.ESCAPE)
    wait(desk_page, lambda: not is_seen(desk_page, "#help"))


def test_single_keys_can_be_switched_off(desk_page, running):
    press(desk_page, "?")
    click(desk_page, "#keys-on")
    press(desk_page, Keys.ESCAPE, "p")
    assert mode(desk_page) == "live"
    find(desk_page, "#help-open").click()
    click(desk_page, "#keys-on")


def test_a_turn_that_is_looked_at_stays_while_the_game_goes_on(desk_page, running):
    open_turn(desk_page, 1)
    find(desk_page, "#turn-notation").send_keys("24/18 24")
    running.turn(Side.DARK, (4, 1), "24/20 24/23")
    wait(desk_page, lambda: find(desk_page, "#turns [data-number='2']"))
    assert mode(desk_page) == "turn"
    assert find(desk_page, "#turn-notation").get_property("value") == "24/18 24"
    assert piles(desk_page)["dark 1"] == 2
    click(desk_page, "#mode [data-open=live]")
    wait(desk_page, lambda: piles(desk_page).get("dark 5") == 1)


SMALL = """return [...document.querySelectorAll(
        'button:not(.cell), summary, label.face, .choice label, a')]
    .filter(one => one.checkVisibility()).map(one => [one, one.getBoundingClientRect()])
    .filter(([one, box]) => box.width && !one.matches('.skip, .brand')
        && (box.height < 43.5 || box.width < 43.5))
    .map(([one, box]) => `${one.textContent.trim()} ${box.width} x ${box.height}`)"""


def test_a_phone_has_room_for_a_thumb_and_never_scrolls_sideways(browser, screen, served, illegal):
    screen(390, 844)
    open_desk(browser, served)
    wide = "return document.documentElement.scrollWidth"
    for begin in (
        lambda: click(browser, "#alert-legal"),
        lambda: open_turn(browser, 2),
        lambda: (click(browser, "#tap"), click(browser, "#turn-legal summary")),
        lambda: browser.execute_script("document.querySelector('[data-open=position]').click()"),
        lambda: browser.execute_script("document.querySelector('[data-open=resign]').click()"),
    ):
        begin()
        assert browser.execute_script(wide) <= 390
        wait(browser, lambda: browser.execute_script(SMALL) == [])  # a pressed button is smaller


def test_a_finger_that_rests_takes_a_checker_away(browser, screen, served, running):
    screen(390, 844)
    open_desk(browser, served)
    browser.execute_script("document.querySelector('[data-open=position]').click()")
    click(browser, cell("6"))
    wait(browser, lambda: piles(browser).get("light 6") == 6)
    # A finger, held down until the checker has gone.
    where = {"pointerType": "touch", "bubbles": True}
    browser.execute_script(
        "arguments[0].dispatchEvent(new PointerEvent('pointerdown', arguments[1]))",
        find(browser, cell("6")), where,
    )  # fmt: skip
    wait(browser, lambda: piles(browser).get("light 6") == 5)
    click(browser, "#spot-less")
    wait(browser, lambda: piles(browser).get("light 6") == 4)


def test_the_desk_complains_of_nothing_and_stays_on_the_host(desk_page, served, illegal):
    click(desk_page, "#alert-legal")
    wait(desk_page, lambda: is_seen(desk_page, "#legal-plays .board"))
    # On a small laptop these stand in place of the turns.
    press(desk_page, "l")
    open_turn(desk_page, 2)
    click(desk_page, "#tap")
    press(desk_page, "p")
    press(desk_page, "g")
    assert complaints(desk_page) == []
    hosts = {urlsplit(url).netloc for url in requests_of(desk_page)} - {""}
    assert hosts == {f"127.0.0.1:{served.port}"}


def test_with_reduced_motion_nothing_moves(browser, screen, served, illegal):
    calm = {"features": [{"name": "prefers-reduced-motion", "value": "reduce"}]}
    screen(1440, 900)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", calm)
    open_desk(browser, served)
    open_turn(browser, 2)
    press(browser, "p")
    wait(browser, lambda: mode(browser) == "position")
    assert browser.execute_script("return document.getAnimations().length") == 0


def test_the_page_has_no_inline_script_or_style(running):
    page = create_app(running.table, desk=running.desk).test_client().get("/desk").text
    for banned in ("<style", " style=", "<script>", " onclick="):
        assert banned not in page


def test_the_clock_is_set_at_the_desk_and_pressed_by_a_key(desk_page, running):
    assert not is_seen(desk_page, "[data-command=clock]")
    click(desk_page, "[data-open=match]")
    wait(desk_page, lambda: is_seen(desk_page, "#clock-set"))
    # Two minutes a point are suggested.
    assert find(desk_page, "[name=clock-light]").get_property("value") == "14"
    click(desk_page, "#clock-set")
    wait(desk_page, lambda: text(desk_page, "[data-clock=dark]").endswith("14:00"))
    press(desk_page, Keys.ESCAPE)
    wait(desk_page, lambda: is_seen(desk_page, "[data-command=clock]"))
    press(desk_page, "0")
    dark = "[data-clock=dark]"
    wait(desk_page, lambda: find(desk_page, dark).get_attribute("data-runs") == "true")
    assert "+12" in text(desk_page, dark)
    # Where the clock runs, a tap presses it too; where it does not, nothing happens.
    click(desk_page, "[data-clock=light]")
    click(desk_page, dark)
    wait(
        desk_page,
        lambda: find(desk_page, "[data-clock=light]").get_attribute("data-runs") == "true",
    )
    press(desk_page, ".")
    wait(desk_page, lambda: running.recorder.state.clock.runs is None)
    wait(desk_page, lambda: find(desk_page, dark).get_attribute("data-runs") == "false")
    assert complaints(desk_page) == []


def test_the_players_are_renamed_and_the_match_is_ended_at_the_desk(desk_page, running):
    press(desk_page, "h")
    wait(desk_page, lambda: mode(desk_page) == "match")
    name = find(desk_page, "#match-form [name=light]")
    assert name.get_property("value") == "Ann"
    name.clear()
    name.send_keys("Anna <b>")
    click(desk_page, "#names-set")
    wait(desk_page, lambda: text(desk_page, "[data-text=name-light]") == "Anna <b>")
    assert running.recorder.state.light == "Anna <b>"
    wait(desk_page, lambda: mode(desk_page) == "live")
    press(desk_page, "h")
    click(desk_page, "#match-form [data-command=end_match]")
    assert not running.recorder.state.was_closed
    click(desk_page, "#match-form [data-command=end_match]")
    wait(desk_page, lambda: text(desk_page, "#desk-answer") == "The match is over.")
    assert running.recorder.state.was_closed
    click(desk_page, "#match-begin")
    wait(desk_page, lambda: "only one match" in text(desk_page, "#match-answer"))
    assert complaints(desk_page) == []
