"""A proof as QR codes, read from a picture of the screen, proves the rolls on the page."""

import random
import re

import cv2
import numpy as np
import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.support.wait import WebDriverWait

from tableside import cli
from tests.chromium import open_chromium


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The pages with the codes and of the verifier, of a match with 60 rolls."""
    folder = tmp_path_factory.mktemp("codes")
    rolls, qr, page = (folder / name for name in ("rolls.jsonl", "qr.html", "verify.html"))
    how = ["--virtual", "--count", "60", "--words", "Ann", "Гамбит", "--out", str(rolls)]
    assert cli.main(["cup", "roll", *how]) == 0
    assert cli.main(["cup", "verify", str(rolls), "--qr", str(qr), "--page", str(page)]) == 0
    return qr, page


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    camera = ("--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream")
    one = open_chromium(tmp_path_factory.mktemp("profile"), *camera)
    yield one
    one.quit()


@pytest.fixture(scope="module")
def texts(pages, browser):
    """The texts of the codes, read from a picture of the screen."""
    browser.set_window_size(900, 1000)
    browser.get(pages[0].as_uri())
    read = []
    for code in browser.find_elements(By.TAG_NAME, "svg"):
        picture = cv2.imdecode(np.frombuffer(code.screenshot_as_png, np.uint8), cv2.IMREAD_COLOR)
        assert picture is not None
        text, *_ = cv2.QRCodeDetectorAruco().detectAndDecode(picture)
        read.append(text)
    return read


def pasted(browser, page, texts):
    browser.get(page.as_uri())
    field = browser.find_element(By.ID, "codes")
    for text in texts:
        browser.execute_script(
            "arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('input'))",
            field,
            text,
        )
    return browser.find_element(By.ID, "codes-read")


def shown(browser):
    main = browser.find_element(By.TAG_NAME, "main")
    return WebDriverWait(browser, 20).until(lambda _: main.text)


def test_the_codes_on_the_screen_prove_every_roll_in_any_order(pages, texts, browser):
    assert all(texts)
    assert 3 <= len(texts) <= 8
    random.Random(1).shuffle(texts)
    read = pasted(browser, pages[1], texts)
    assert "60 rolls, all proven" in shown(browser)
    assert read.text == f"{len(texts)} of {len(texts)} codes read"


def test_nothing_is_proven_while_a_code_is_missing(pages, texts, browser):
    read = pasted(browser, pages[1], texts[1:])
    assert read.text == f"{len(texts) - 1} of {len(texts)} codes read"
    assert browser.find_element(By.TAG_NAME, "main").text == ""


def test_a_changed_code_does_not_fit_the_others(pages, texts, browser):
    changed = re.sub(r".(?=.{9}$)", lambda found: "B" if found[0] == "A" else "A", texts[0])
    assert changed != texts[0]
    pasted(browser, pages[1], [changed, *texts[1:]])
    assert "The codes do not fit together" in shown(browser)


def test_the_camera_reads_the_codes_where_the_browser_can(pages, texts, browser):
    """This Chromium has no detector, so the page gets one that finds the codes in the texts."""
    browser.execute_cdp_cmd(
        "Page.addScriptToEvaluateOnNewDocument",
        {
            "source": "globalThis.BarcodeDetector = class { async detect(view) { "
            "if (!view.videoWidth) return [];"
            f"return {texts!r}.map((rawValue) => ({{ rawValue }})); }} }};"
        },
    )
    browser.get(pages[1].as_uri())
    browser.find_element(By.ID, "scan").click()
    assert "60 rolls, all proven" in shown(browser)
