"""`label`: a photo is put right in a real browser, and its label scores the reader."""

from __future__ import annotations

import signal

from tests.e2e.conftest import wait
from vision.benchmark.truth import load_truths


def test_a_photo_is_put_right_and_saved_with_its_label(start, browser, clip_start, tmp_path):
    folder = tmp_path / "labels"
    label = start("label", clip_start, "--out", folder, "--board", "club", "--no-browser")
    browser.get(label.url)
    browser.set_window_size(390, 844)

    def find(selector):
        return browser.find_element("css selector", selector)

    def click(selector):
        browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", find(selector))
        find(selector).click()

    wait(lambda: find("#view").get_attribute("data-picture") == "yes")
    assert len(browser.find_elements("css selector", ".mark[data-kind=point]")) == 24
    held = int(find("[data-key=point-0]").text)
    click("[data-key=point-0]")
    click("[data-step='1']")
    click("#save")
    wait(lambda: "All photos are labeled" in find("[data-text=saved]").text)
    assert [entry["message"] for entry in browser.get_log("browser")] == []
    label.process.send_signal(signal.SIGTERM)
    assert label.wait_for_exit() == 0

    (truth,) = load_truths(folder)
    assert truth.board == "club"
    assert truth.counts[0] in (held + 1, -held - 1)
    assert truth.dice is not None
