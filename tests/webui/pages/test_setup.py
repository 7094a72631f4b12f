"""The set-up page in a real browser."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest

from tests.webui.scripted_wizard import ScriptedWizard, phone, read
from webui.app import create_app
from webui.server import serve

pytest.importorskip("selenium", reason="selenium is not installed")

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.select import Select

from tests.webui.browser import (
    click,
    complaints,
    find,
    is_seen,
    open_page,
    press,
    requests_of,
    text,
    wait,
)


@pytest.fixture
def wizard():
    return ScriptedWizard()


@pytest.fixture
def server(table, wizard):
    server = serve(create_app(table, wizard=wizard), port=0)
    yield server
    server.close()


def step(browser):
    return find(browser, "#setup").get_attribute("data-step")


def open_setup(browser, server):
    browser.get(f"{server.url}setup")
    wait(browser, lambda: text(browser, "#no-cameras") != "Looking for cameras…")


def open_sample(browser, server):
    open_setup(browser, server)
    click(browser, "[data-address=sample]")
    wait(browser, lambda: step(browser) == "board")
    wait(browser, lambda: find(browser, "#view").get_attribute("data-picture") == "yes")


def wide(browser):
    return browser.execute_script("return document.documentElement.scrollWidth")


def commands_named(wizard, word):
    return [one for one in wizard.commands if one[0] == word]


def test_a_match_without_a_camera_is_two_steps_to_the_desk(browser, server, wizard, table):
    open_setup(browser, server)
    click(browser, "[data-post=by-hand]")
    wait(browser, lambda: step(browser) == "match")
    assert not find(browser, ".look").is_displayed()
    steps = browser.find_elements(By.CSS_SELECTOR, ".steps li")
    assert [one.is_displayed() for one in steps] == [True, False, False, True]
    Select(find(browser, "#variant-manual")).select_by_value("narde")
    wait(browser, lambda: wizard.now["game"]["variant"] == "narde")
    assert text(browser, "[data-text=readiness]") == "No camera: everything is entered at the desk."
    click(browser, ".steps [data-go=camera]")
    wait(browser, lambda: step(browser) == "camera" and commands_named(wizard, "leave"))
    click(browser, "[data-post=by-hand]")
    wait(browser, lambda: step(browser) == "match")
    click(browser, "#start")
    wait(browser, lambda: wizard.now["stage"] == "recording")
    table.publish(by_hand=True)
    wait(browser, lambda: urlsplit(browser.current_url).path == "/desk")


def test_the_wizard_is_walked_from_a_source_to_the_match(browser, server, wizard):
    open_sample(browser, server)
    assert text(browser, "[data-text=board-verdict]") == "Board found"
    assert text(browser, "[data-text=tilt]") == "27°"
    click(browser, "[data-task=board] .main-button")
    assert text(browser, "[data-text=read-verdict]") == "All checkers read correctly"
    drawn = browser.find_elements(By.CSS_SELECTOR, ".checkers use[data-cell='13']")
    assert len(drawn) == 5
    click(browser, "[data-task=checkers] .main-button")
    name = find(browser, "#light")
    name.send_keys(Keys.CONTROL, "a")
    name.send_keys("Anna")
    click(browser, "[data-length='7']")
    wait(browser, lambda: wizard.now["game"]["length"] == 7)
    wait(browser, lambda: wizard.now["game"]["light"] == "Anna")
    click(browser, "#start")
    wait(browser, lambda: urlsplit(browser.current_url).path == "/")
    assert wizard.commands[-1] == ("start",)
    wait(browser, lambda: find(browser, "#link").get_attribute("data-link") == "live")
    assert complaints(browser) == []
    hosts = {urlsplit(url).hostname for url in requests_of(browser) if url.startswith("http")}
    assert hosts == {"127.0.0.1"}


def option(browser, name):
    return Select(find(browser, f"#game-options [name={name}]"))


def test_the_options_of_the_chosen_game_are_offered_and_explained(browser, server, wizard):
    open_setup(browser, server)
    click(browser, "[data-post=by-hand]")
    wait(browser, lambda: step(browser) == "match")
    click(browser, "#game-options summary")
    option(browser, "beavers").select_by_value("true")
    wait(browser, lambda: wizard.now["game"]["options"] == {"beavers": True})
    assert not is_seen(browser, "[name=crawford]")
    click(browser, "[data-length='5']")
    wait(browser, lambda: is_seen(browser, "[name=crawford]"))
    assert not is_seen(browser, "[name=beavers]"), "it matters only for money"
    Select(find(browser, "#variant-manual")).select_by_value("narde")
    wait(browser, lambda: is_seen(browser, "#preset-note"))
    assert "nothing is hit" in text(browser, "#variant-manual-note")
    assert [one.get_attribute("value") for one in option(browser, "preset").options] == [
        *("", "classic000", "classic002", "site_classic", "home_block")
    ]
    assert "two if a first 6-6" in text(browser, "#preset-note")
    option(browser, "preset").select_by_value("classic002")
    assert "5-5 or 6-2" in text(browser, "#preset-note")
    option(browser, "scoring").select_by_value("koks3")
    option(browser, "last_roll_draw").select_by_value("true")
    chosen = {"preset": "classic002", "scoring": "koks3", "last_roll_draw": True}
    wait(browser, lambda: wizard.now["game"]["options"] == chosen)
    browser.refresh()
    wait(browser, lambda: wizard.state()["stage"] == "manual")
    click(browser, ".steps [data-go=match]")
    wait(browser, lambda: option(browser, "scoring").first_selected_option.text.endswith("koks"))
    Select(find(browser, "#variant-manual")).select_by_value("fevga")
    wait(browser, lambda: wizard.now["game"]["variant"] == "fevga")
    wait(browser, lambda: not browser.find_elements(By.CSS_SELECTOR, "[name=preset]"))
    assert wizard.now["game"]["options"] == {}
    Select(find(browser, "#rules")).select_by_value("wbgf")
    assert "must be corrected" in text(browser, "#rules-note")
    assert complaints(browser) == []


def test_a_name_typed_last_is_part_of_the_match(browser, server, wizard):
    open_sample(browser, server)
    click(browser, ".steps [data-go=match]")
    find(browser, "#dark").send_keys("bert")
    click(browser, "#start")
    wait(browser, lambda: commands_named(wizard, "start"))
    assert commands_named(wizard, "game")[-1][1]["dark"] == "bert"


def test_a_corner_is_dragged_under_a_magnifier(browser, server, wizard):
    open_sample(browser, server)
    click(browser, "#move-corners")
    handle = browser.find_elements(By.CSS_SELECTOR, ".handle")[2]
    scale = 640 / find(browser, "#view").size["width"]
    drag = ActionChains(browser).click_and_hold(handle).move_by_offset(-30, 20)
    drag.perform()
    assert is_seen(browser, "#magnifier")
    seen = browser.execute_script(
        "const glass = document.getElementById('magnifier');"
        "return [...glass.getContext('2d').getImageData(40, 40, 1, 1).data]"
    )
    assert seen[0] in range(80, 101)  # the plain picture's gray, not what is behind it
    ActionChains(browser).release().perform()
    wait(browser, lambda: commands_named(wizard, "corners"))
    corners = commands_named(wizard, "corners")[-1][1]
    assert corners[2] == pytest.approx((540 - 30 * scale, 60 + 20 * scale), abs=1.5)
    assert corners[:2] == [(200.0, 300.0), (560.0, 300.0)]
    assert not is_seen(browser, "#magnifier")


def test_a_corner_is_moved_by_arrow_keys(browser, server, wizard):
    open_sample(browser, server)
    click(browser, "#move-corners")
    handle = browser.find_elements(By.CSS_SELECTOR, ".handle")[0]
    handle.send_keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_UP)
    ActionChains(browser).key_down(Keys.SHIFT).send_keys(Keys.ARROW_DOWN).key_up(
        Keys.SHIFT
    ).perform()
    wait(browser, lambda: commands_named(wizard, "corners"))
    wait(browser, lambda: commands_named(wizard, "corners")[-1][1][0] == (202.0, 309.0))
    click(browser, "#find-corners")
    wait(browser, lambda: commands_named(wizard, "corners")[-1] == ("corners", None))


def test_a_finger_drags_a_corner_too(browser, server, wizard):
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True},
    )
    browser.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True})
    try:
        open_sample(browser, server)
        click(browser, "#move-corners")
        box = browser.execute_script(
            "document.querySelector('#view').scrollIntoView({block: 'center'});"
            "const b = document.querySelector('.handle').getBoundingClientRect();"
            "return [b.x + b.width / 2, b.y + b.height / 2]"
        )
        strokes = ("touchStart", 0), ("touchMove", 9), ("touchMove", 18), ("touchEnd", 0)
        for kind, shift in strokes:
            points = [] if kind == "touchEnd" else [{"x": box[0] + shift, "y": box[1] - shift}]
            browser.execute_cdp_cmd(
                "Input.dispatchTouchEvent", {"type": kind, "touchPoints": points}
            )
        wait(browser, lambda: commands_named(wizard, "corners"))
        x, y = commands_named(wizard, "corners")[-1][1][0]
        assert x > 210
        assert y < 290
    finally:
        browser.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": False})
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_what_is_wrong_is_said_where_it_is_mended(browser, server, wizard):
    open_sample(browser, server)
    wizard.publish(
        faults=["the picture is too dark: turn on a lamp"], board=None, read=None, ready=None
    )
    wait(browser, lambda: text(browser, "[data-text=board-verdict]") == "No board yet")
    assert find(browser, "[data-list=faults]").text == "The picture is too dark: turn on a lamp"
    click(browser, ".steps [data-go=match]")
    assert not find(browser, "#start").is_enabled()


def test_points_that_differ_are_named_and_marked(browser, server, wizard):
    open_sample(browser, server)
    words = "the 13 point shows 4 light, expected 5 light"
    wizard.publish(read=read(matching=23, differences=[words], differing=[13], advice="set it"))
    click(browser, ".steps [data-go=checkers]")
    wait(browser, lambda: words[4:] in find(browser, "[data-list=differences]").text)
    marked = browser.find_elements(By.CSS_SELECTOR, ".numbers text[data-differs=yes]")
    assert [one.get_attribute("data-cell") for one in marked] == ["13"]


def test_a_board_that_lies_upside_down_is_drawn_so(browser, server, wizard):
    open_sample(browser, server)
    wizard.publish(read=read(upside_down=True))
    wait(browser, lambda: find(browser, "#board").get_attribute("data-turned") == "yes")
    assert "top" in text(browser, "[data-text=seat-light]")


def test_a_camera_is_chosen_by_its_picture_and_a_busy_one_says_so(browser, server, wizard):
    wizard.publish(picture=1, cameras=[
        {"id": "0", "name": "Desk <b>", "picture": 1, "fault": None},
        {"id": "2", "name": "Hall", "picture": 0, "fault": "camera 2 is busy"},
    ])  # fmt: skip
    browser.get(f"{server.url}setup")
    wait(browser, lambda: len(browser.find_elements(By.CSS_SELECTOR, "#cameras li")) == 2)
    first = "return document.querySelector('#cameras img').naturalWidth"
    wait(browser, lambda: browser.execute_script(first) == 640)
    assert "Desk <b>" in find(browser, "#cameras").text
    assert "Camera 2 is busy" in find(browser, "#cameras").text
    click(browser, "#cameras button")
    wait(browser, lambda: commands_named(wizard, "open") == [("open", "0")])


def test_the_form_of_an_address_is_taken_and_the_phone_must_be_filled_in(browser, server, wizard):
    open_setup(browser, server)
    click(browser, "#network .form")
    field = find(browser, "#address")
    assert field.get_property("value") == "http://PHONE:8080/video"
    click(browser, "#network button[type=submit]")
    wait(browser, lambda: "PHONE" in text(browser, "#problem"))
    click(browser, "#network .form")
    browser.switch_to.active_element.send_keys("10.0.0.5")
    click(browser, "#network button[type=submit]")
    wait(
        browser,
        lambda: commands_named(wizard, "open") == [("open", "http://10.0.0.5:8080/video")],
    )


def test_what_could_not_be_opened_leads_back_to_the_choice(browser, server, wizard):
    open_sample(browser, server)
    wizard.close_source()
    wizard.publish(
        error="camera 0 is busy or delivers no picture; close other programs that use it"
    )
    wait(browser, lambda: step(browser) == "camera")
    assert "Camera 0 is busy" in text(browser, "#problem")
    assert find(browser, "#problem").get_attribute("role") == "alert"


def test_the_same_board_is_offered_again(browser, server, wizard):
    import time

    game = {**wizard.now["game"], "light": "Anna", "length": 7}
    wizard.publish(before={"name": "camera 0", "when": time.time() - 86400, "game": game})
    open_setup(browser, server)
    wait(browser, lambda: is_seen(browser, "#again"))
    assert "Use the same setup as yesterday?" in find(browser, "#again").text
    assert "Anna and Dark, 7 points" in find(browser, "#again").text
    click(browser, "#again button")
    wait(browser, lambda: commands_named(wizard, "again"))
    wizard.publish(is_unfinished=True)
    click(browser, ".steps [data-go=match]")
    wait(browser, lambda: is_seen(browser, "#goes-on"))
    click(browser, "#goes-on input")
    wait(browser, lambda: wizard.now["game"]["goes_on"] is False)


def test_while_a_match_is_recorded_the_page_leads_to_it(browser, server, wizard):
    wizard.publish(stage="recording")
    browser.get(f"{server.url}setup")
    wait(browser, lambda: is_seen(browser, ".under-way a"))
    assert not is_seen(browser, ".steps")
    assert step(browser) == "camera"


@pytest.mark.parametrize("size", [(390, 844), (844, 390), (768, 1024)])
def test_nothing_is_wider_than_the_window(browser, server, wizard, size):
    width, height = size
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": True},
    )
    try:
        open_sample(browser, server)
        wizard.publish(
            source={"name": "rtsp://" + "a" * 90, "is_film": False, "fault": "no picture" * 9},
            faults=["x" * 120],
        )
        wait(browser, lambda: text(browser, "[data-text=source]").endswith("aaa"))
        for name in ("board", "checkers", "match"):
            click(browser, f".steps [data-go={name}]")
            assert wide(browser) <= width
        click(browser, ".steps [data-go=camera]")
        wait(browser, lambda: commands_named(wizard, "leave"))
        wait(browser, lambda: step(browser) == "camera")
        assert wide(browser) <= width
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_a_refused_command_is_shown_and_nothing_breaks(browser, server, wizard):
    open_sample(browser, server)
    click(browser, ".steps [data-go=match]")
    wizard.refuses = "the board is not learned yet: follow the steps on the page, then start"
    click(browser, "#start")
    wait(browser, lambda: "not learned yet" in text(browser, "#problem"))
    wizard.refuses = None
    click(browser, "#start")
    wait(browser, lambda: urlsplit(browser.current_url).path == "/")


def test_a_phone_becomes_the_camera_by_a_qr_code(browser, server, wizard):
    wizard.publish(phone=phone(invitation=None))
    open_setup(browser, server)
    assert not is_seen(browser, "#phone-code")
    click(browser, "#phone-begin button")
    wait(browser, lambda: is_seen(browser, "#phone-code"))
    assert commands_named(wizard, "phone") == [("phone",)]
    assert find(browser, "#phone-code img").get_attribute("src").startswith("data:image/svg")
    click(browser, "#phone-certificate summary")
    assert text(browser, ".fingerprint").startswith("AB:AB:")
    used = {**phone()["invitation"], "is_used": True, "is_valid": False}
    status = {"is_sending": True, "fps": 14.7, "battery": 87, "is_charging": False}
    film = {"name": "evening.mp4", "address": "/films/evening.mp4", "received": 9, "size": 9}
    half = {"name": "late.mp4", "address": "", "received": 3_000_000, "size": 9_000_000}
    wizard.publish(phone=phone(invitation=used, status=status, videos=[film, half]))
    wait(browser, lambda: "15 fps · battery 87 %" in text(browser, "#phone-status"))
    assert not is_seen(browser, "#phone-code")
    assert "3 of 9 MB received" in text(browser, "#videos")
    assert not browser.find_elements(By.CSS_SELECTOR, "#videos button")[1].is_enabled()
    click(browser, "#phone-use button")
    wait(browser, lambda: commands_named(wizard, "open") == [("open", "phone:")])
    assert complaints(browser) == []


def test_a_qr_code_that_is_too_old_is_not_shown_and_a_phone_can_be_sent_away(
    browser, server, wizard
):
    wizard.publish(phone=phone())
    open_setup(browser, server)
    assert is_seen(browser, "#phone-code")
    assert not is_seen(browser, "#phone-away")
    old = {**phone()["invitation"], "is_valid": False}
    wizard.publish(phone=phone(invitation=old))
    wait(browser, lambda: not is_seen(browser, "#phone-code"))
    assert is_seen(browser, "#phone-begin button"), "a new one can be made"
    wizard.publish(phone=phone(invitation=old, has_phone=True))
    click(browser, "#phone-away button")
    wait(browser, lambda: commands_named(wizard, "phone/away") == [("phone/away",)])


def test_the_referee_sends_the_phone_away_from_the_desk(browser, table, desk, wizard, script):
    script.start_game(table)
    wizard.publish(stage="recording")
    sending = {"is_sending": True, "fps": 15.0, "battery": 60, "is_charging": False}
    table.publish(phone=sending)
    server = serve(create_app(table, desk=desk, wizard=wizard), port=0)
    try:
        open_page(browser, server, "desk")
        press(browser, "h")
        click(browser, "#phone-away button")
        wait(browser, lambda: commands_named(wizard, "phone/away") == [("phone/away",)])
        table.publish(phone=None)
        wait(browser, lambda: not is_seen(browser, "#phone-away"))
    finally:
        server.close()
