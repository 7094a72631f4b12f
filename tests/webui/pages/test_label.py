"""The page for labeling photos, with and without a browser."""

from __future__ import annotations

import pytest

from tests.webui.scripted_labeler import SIZE, ScriptedLabeler, photo
from webui.app import create_app
from webui.pages.label import install_label
from webui.server import serve

pytest.importorskip("selenium", reason="selenium is not installed")

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.support.select import Select

from tests.webui.browser import LOOKS, PHONE, click, complaints, find, is_seen, text, wait
from tests.webui.pages.test_axe import faults_on, settled


@pytest.fixture
def labeler():
    return ScriptedLabeler()


@pytest.fixture
def app(table, labeler):
    app = create_app(table)
    install_label(app, labeler)
    return app


@pytest.fixture
def server(app):
    server = serve(app, port=0)
    yield server
    server.close()


def post(client, number, body):
    return client.post(f"/api/label/{number}", json=body, headers={"X-Tableside": "1"})


def test_the_photos_are_the_start_page(app):
    client = app.test_client()
    assert client.get("/").headers["Location"] == "/label"
    assert client.get("/api/label/1.jpg").mimetype == "image/jpeg"
    assert client.get("/api/label/2").status_code == 404


def test_only_a_whole_label_is_taken(app, labeler):
    client, label = app.test_client(), photo()["label"]
    assert post(client, 0, {**label, "points": [0] * 23}).status_code == 422
    assert post(client, 0, {**label, "points": [16] + [0] * 23}).status_code == 422
    assert post(client, 0, label).get_json() == {"labeled": [0]}
    labeler.photos[1]["corners"] = None
    refused = post(client, 1, label)
    assert (refused.status_code, refused.get_json()["message"]) == (409, "mark the corners first")


def open_photo(browser, server):
    browser.get(server.url)
    wait(browser, lambda: find(browser, "#view").get_attribute("data-picture") == "yes")
    wait(browser, lambda: is_seen(browser, "[data-key=point-0]"))


def tap(browser, place):
    """Tap the photo at a pixel of it."""
    whole = find(browser, "#whole")
    browser.execute_script("arguments[0].scrollIntoView({block: 'nearest'})", whole)
    across, down = (
        round(whole.size[side] * (at / pixels - 0.5))
        for side, at, pixels in zip(("width", "height"), place, SIZE, strict=True)
    )
    ActionChains(browser).move_to_element_with_offset(whole, across, down).click().perform()


def test_a_few_taps_put_a_photo_right(browser, screen, server, labeler):
    screen(*PHONE)
    open_photo(browser, server)
    assert text(browser, "[data-text=totals]") == "Light 15, dark 16 checkers in all"
    tap(browser, (540, 230))
    assert text(browser, "#editor-title") == "Row 2, place 12: dark 7"
    click(browser, "[data-step='-1']")
    tap(browser, (140, 140))
    click(browser, "[data-side=hidden]")
    click(browser, "[data-key=die-0]")
    click(browser, "[data-for=die] [data-value='5']")
    Select(find(browser, "#state")).select_by_value("cocked")
    click(browser, "[data-add=die]")
    tap(browser, (20, 20))
    click(browser, "[data-for=die] [data-value='1']")
    click(browser, "[data-add=cube]")
    tap(browser, (320, 180))
    click(browser, "[data-for=cube] [data-value='2']")
    click(browser, "[data-key=off-dark]")
    click(browser, "[data-side=unseen]")
    click(browser, "#save")
    wait(browser, lambda: text(browser, "[data-text=name]") == "two.jpg")
    said = labeler.saved[0]
    assert said["points"] == [5, None, *[0] * 21, -6]
    assert said["off"] == {"light": 10, "dark": None}
    first, second = said["dice"]
    assert first == {"value": 5, "state": "cocked", "center": [200.0, 180.0]}
    assert (second["value"], second["state"]) == (1, "flat")
    assert second["center"] == pytest.approx((20, 20), abs=2)
    assert said["cube"]["value"] == 2
    assert said["cube"]["center"] == pytest.approx((320, 180), abs=2)
    click(browser, "#save")
    wait(browser, lambda: text(browser, "[data-text=saved]").startswith("All photos are labeled"))
    assert labeler.saved[1] == {**photo()["label"], "dice": [
        {"value": 3, "state": "flat", "center": [200.0, 180.0]}]}  # fmt: skip
    assert complaints(browser) == []


def test_a_photo_without_a_board_begins_with_its_corners(browser, server, labeler):
    labeler.photos[0].update(corners=None, places=None, fault="no board found")
    browser.get(server.url)
    wait(browser, lambda: is_seen(browser, "#handles"))
    assert "no board found" in text(browser, "#problem")
    assert not find(browser, "#save").is_enabled()
    labeler.photos[0] = photo()
    click(browser, "#move-corners")
    wait(browser, lambda: is_seen(browser, "[data-key=point-0]"))
    assert len(labeler.corners) == 4
    assert find(browser, "#save").is_enabled()


def test_changes_survive_a_look_at_another_photo(browser, server):
    open_photo(browser, server)
    click(browser, "[data-key=point-23]")
    click(browser, "[data-step='-1']")
    click(browser, "[data-go='1']")
    wait(browser, lambda: text(browser, "[data-text=name]") == "two.jpg")
    click(browser, "[data-go='-1']")
    wait(browser, lambda: text(browser, "[data-text=name]") == "one.jpg")
    wait(browser, lambda: text(browser, "[data-key=point-23]") == "6")


@LOOKS
def test_the_page_has_no_fault_and_fits(browser, screen, server, size, scheme):
    screen(*size, scheme)
    open_photo(browser, server)
    faults = []
    for key in (None, "point-0", "off-light", "die-0"):
        if key is not None:
            click(browser, f"[data-key={key}]")
        settled(browser)
        faults += faults_on(browser)
    assert faults == []
    wide = browser.execute_script("return document.documentElement.scrollWidth")
    assert wide <= size[0]
