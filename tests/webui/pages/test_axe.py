"""No WCAG violation on any view: axe-core checks each in a real browser."""

from __future__ import annotations

import pytest

pytest.importorskip("selenium", reason="selenium is not installed")

from tests.at_length import at_length
from tests.paths import ROOT
from tests.webui.browser import LOOKS, PHONE, WIDE, find, open_page, wait
from webui.app import create_app
from webui.server import serve

AXE = ROOT / "tests" / "vendor" / "axe-core" / "axe.min.js"
WAITS_FOR = "board found; the 8 point shows 2, expected 3"


def faults_on(browser):
    """What axe-core finds, serious or minor: [rule: the element, and why]."""
    browser.execute_script(AXE.read_text(encoding="utf-8"))
    found = browser.execute_async_script(
        "const done = arguments[0];"
        "axe.run(document, {resultTypes: ['violations']}).then(done, e => done({error: `${e}`}))"
    )
    assert "error" not in found, found["error"]
    return [
        f"{rule['id']} ({rule['impact']}): {node['html'][:120]} {node['failureSummary']}"
        for rule in found["violations"]
        for node in rule["nodes"]
    ]


def settled(browser):
    """Wait until no animation runs: half faded in, a text has too little contrast."""
    quiet = "return document.getAnimations().every(one => one.playState === 'finished')"
    wait(browser, lambda: browser.execute_script(quiet))


@pytest.fixture
def full(table, script):
    """A match with everything on the page: a play, a doubt, a cocked die, a picture."""
    script.start_game(table)
    script.make_five_point(table)
    script.doubt(table)
    cocked = {"value": None, "player": "dark", "flat": False, "confidence": 0.2}
    table.publish(dice=[cocked], record={"path": "match.sqlite"})
    table.show_picture()
    return table


STAGES = {
    "playing": lambda table, script: None,
    "pending": lambda table, script: table.publish(
        pending={"player": "dark", "play": "8/4 6/4", "dice": [4, 2]}
    ),
    "illegal": lambda table, script: script.play_illegally(table),
    "void": lambda table, script: table.publish(
        void={"player": "dark", "dice": [4, 4], "reason": "cocked", "note": "a die is cocked"}
    ),
    "offered": lambda table, script: table.publish(
        cube={"value": 1, "owner": None, "offered": 2, "by": "dark", "crawford": False}
    ),
    "clock": lambda table, script: table.publish(
        clock={"light": 840, "dark": 815, "delay": 9, "runs": "dark"}
    ),
    "time up": lambda table, script: table.publish(
        clock={"light": 0, "dark": 815, "delay": 0, "runs": "light"}
    ),
    "fault": lambda table, script: table.publish(phase="fault", message="the camera is gone"),
    "ended": lambda table, script: table.publish(phase="ended"),
    "waiting": lambda table, script: table.publish(phase="waiting", message=WAITS_FOR),
    "joined": lambda table, script: table.publish(
        phase="waiting",
        message=WAITS_FOR,
        position=None,
        numberings=[
            {
                "turned": sits == "top",
                "mirrored": home == "left",
                "position": table.now["position"],
                "light_home": home,
                "light_sits": sits,
            }
            for home in ("left", "right")
            for sits in ("bottom", "top")
        ],
    ),
    "no board": lambda table, script: table.publish(
        phase="waiting", message=WAITS_FOR, position=None, last_play=None, moves=[], review=[]
    ),
}


def test_a_planted_fault_is_found(browser, server, full):
    open_page(browser, server)
    browser.execute_script("document.getElementById('theme').removeAttribute('aria-label');"
                           "document.getElementById('theme').removeAttribute('title')")  # fmt: skip
    settled(browser)
    assert [fault.split()[0] for fault in faults_on(browser)] == ["button-name"]


@LOOKS
def test_no_stage_of_a_match_has_a_fault_on_the_page(
    browser, screen, server, full, script, size, scheme
):
    screen(*size, scheme)
    open_page(browser, server)
    faults = []
    for name, change in STAGES.items():
        begun = dict(full.now)
        change(full, script)
        version = full.now["version"]
        open_page(browser, server)
        settled(browser)
        faults += [f"{name}: {fault}" for fault in faults_on(browser)]
        full.now = {**begun, "version": version}
    assert faults == []


def test_a_lost_connection_is_shown_without_a_fault(browser, screen, server, full):
    screen(390, 844)
    open_page(browser, server)
    server.close()
    wait(browser, lambda: find(browser, "#lost").is_displayed())
    settled(browser)
    assert faults_on(browser) == []


@pytest.mark.parametrize(
    "theme", [at_length("light", name="light"), "dark", at_length("plain", name="plain")]
)
def test_no_stage_of_a_match_has_a_fault_on_the_overlay(
    browser, screen, server, full, script, theme
):
    screen(1920, 1080)
    faults = []
    for name, change in STAGES.items():
        begun = dict(full.now)
        change(full, script)
        version = full.now["version"]
        browser.get(f"{server.url}overlay?theme={theme}")
        wait(browser, lambda: find(browser, "html").get_attribute("data-link") == "live")
        settled(browser)
        faults += [f"{name}: {fault}" for fault in faults_on(browser)]
        full.now = {**begun, "version": version}
    assert faults == []


DESK_VIEWS = {
    "live": "",
    "legal plays": "document.querySelector('#alert-legal').click()",
    "turn": "document.querySelector('#turns button').click()",
    "tapping": "document.querySelector('#tap').click()",
    "its legal plays": "document.querySelector('#turn-legal').open = true",
    "picture": "document.querySelector('#stills button').click()",
    "position": "document.querySelector('#still-close').click();"
    "document.querySelector('[data-open=position]').click()",
    "resign": "document.querySelector('[data-open=resign]').click()",
    "help": "document.querySelector('#help-open').click()",
}


@pytest.mark.parametrize(
    ("size", "scheme"),
    [pytest.param(PHONE, "light", id="phone-light"), at_length(WIDE, "dark", name="desk-dark")],
)
def test_no_view_of_the_desk_has_a_fault(browser, screen, full, desk, script, size, scheme):
    script.play_illegally(full)
    server = serve(create_app(full, desk=desk), port=0)
    screen(*size, scheme)
    faults = []
    try:
        browser.get(f"{server.url}desk")
        wait(browser, lambda: find(browser, "#link").get_attribute("data-link") == "live")
        wait(browser, lambda: find(browser, "#turns button"))
        for name, begin in DESK_VIEWS.items():
            browser.execute_script(begin)
            if name == "turn":
                wait(browser, lambda: find(browser, "#main").get_attribute("data-mode") == "turn")
                wait(browser, lambda: find(browser, "#stills button"))
            if name == "legal plays":
                wait(browser, lambda: find(browser, "#legal").is_displayed())
            settled(browser)
            faults += [f"{name}: {fault}" for fault in faults_on(browser)]
    finally:
        server.close()
    assert faults == []
