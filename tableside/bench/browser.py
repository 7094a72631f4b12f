"""The page in Chromium over loopback: its first view, its weight, the latency of changes.

The changes come from a vision process, as in `live`.
"""

from __future__ import annotations

import re
import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from engine.rules import SHORT
from tableside.bench import BenchRow, against_budget
from tableside.bench.streams import LONG_GAME, score_sheet
from tableside.errors import BenchError
from tableside.recording.job import JobContext
from tableside.site.state_hub import StateHub
from tableside.vision_process.client import VisionClient
from tableside.vision_process.spawn import vision_process
from webui.app import create_app
from webui.contracts.state import LiveBoard, board_of
from webui.server import serve

if TYPE_CHECKING:
    from vision.sources.frame import FrameSource
    from vision.sources.phone_feed import PhoneFeed

CHANGE_BUDGET_MS, FIRST_VIEW_BUDGET_MS, WEIGHT_BUDGET_KB = 100.0, 1000.0, 150.0
VISITS: Final = 5
SLOWDOWN: Final = 4
"""CPU slowdown; together with the network below, Lighthouse's slow phone."""
SLOW_NETWORK: Final = {"offline": False, "latency": 150, "downloadThroughput": 200_000,
                    "uploadThroughput": 94_000}  # fmt: skip
"""Latency in milliseconds, throughput in bytes a second."""
MAX_LOAD_S: Final = 20.0
CHANGES: Final = 100
CHANGE_SECONDS: Final = 0.1
WARM_UP_SECONDS: Final = 3.0
LONG_MATCH: Final = 80
"""Rows of the score sheet, with two plays each."""
FLAGS: Final = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
    "--disable-background-networking", "--hide-scrollbars", "--accept-lang=en",
)  # fmt: skip
OBSERVE: Final = """
window.late = [];
const name = document.querySelector("[data-text=name-light]");
new MutationObserver(() => {
  const sent = Number(name.textContent);
  // The frame that shows it is drawn after the first callback, and before the second.
  requestAnimationFrame(() => requestAnimationFrame(() => window.late.push(Date.now() - sent)));
}).observe(name, { childList: true, characterData: true, subtree: true });
"""
USABLE: Final = """
window.usable = null;
const check = () => {
  const link = document.getElementById("link");
  const drawn = document.querySelectorAll("#board .checkers use").length;
  if (link?.dataset.link !== "live" || !drawn) return requestAnimationFrame(check);
  requestAnimationFrame(() => { window.usable = performance.now(); });
};
requestAnimationFrame(check);
"""
_NO_BROWSER: Final = BenchRow(float("nan"), "ms", "selenium, chromium and chromedriver are needed")


def measure_change() -> BenchRow:
    """Measure from a change in the vision process to the browser frame that shows it."""
    programs = _programs()
    if programs is None:
        return _NO_BROWSER
    with (
        TemporaryDirectory() as folder,
        vision_process() as process,
        closing(VisionClient(process)) as vision,
    ):
        vision.claim(Path(folder) / "record.sqlite")
        vision.open(TickingJob())
        with _served(vision.table) as url, _browser(*programs) as browser:
            browser.get(url)
            running = threading.Thread(target=vision.run)
            running.start()
            try:
                time.sleep(WARM_UP_SECONDS)
                browser.execute_script(OBSERVE)
                time.sleep(CHANGES * CHANGE_SECONDS)
                latencies = browser.execute_script("return window.late")
            finally:
                vision.stop()
                running.join()
    percentile = np.quantile(latencies, 0.9, method="inverted_cdf")
    note = f"; 90 % within {percentile:.0f}, of {len(latencies)} changes"
    return against_budget(latencies, "ms", note, CHANGE_BUDGET_MS)


@dataclass(frozen=True, slots=True)
class TickingJob:
    """A job that renames light to the time in milliseconds, ten times a second."""

    def open(self, phone: PhoneFeed) -> FrameSource:
        """A source without frames: none are needed."""
        return _NoSource()  # type: ignore[return-value]

    def run(self, _source: FrameSource, context: JobContext) -> None:
        """Publish changes until the process is told to end."""
        context.outputs.page.publish(phase="playing", moves=score_sheet(LONG_GAME))
        while not context.stopping.wait(CHANGE_SECONDS):
            context.outputs.page.publish(
                players={"light": f"{time.time() * 1000:.0f}", "dark": "Dark"}
            )


class _NoSource:
    def close(self) -> None:
        """There is nothing to close."""


def measure_first_view() -> BenchRow:
    """Measure from the request to a page that shows the board and follows changes, on a phone."""
    programs = _programs()
    if programs is None:
        return _NO_BROWSER
    hub = StateHub()
    hub.publish(phase="playing", moves=score_sheet(LONG_MATCH), position=board_of(SHORT.opening()))
    with _served(hub) as url, _browser(*programs) as browser:
        took = [_first_view_ms(browser, url) for _ in range(VISITS)]
    note = f"; nothing kept, a processor {SLOWDOWN} times slower, 150 ms away, 1.6 Mbit/s"
    return against_budget(took, "ms", note, FIRST_VIEW_BUDGET_MS)


def _first_view_ms(browser: Any, url: str) -> float:
    """Time one visit with an empty cache."""
    browser.execute_cdp_cmd("Network.enable", {})
    browser.execute_cdp_cmd("Network.clearBrowserCache", {})
    browser.execute_cdp_cmd("Network.emulateNetworkConditions", SLOW_NETWORK)
    browser.execute_cdp_cmd("Emulation.setCPUThrottlingRate", {"rate": SLOWDOWN})
    script = browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": USABLE})
    browser.get(url)
    until = time.monotonic() + MAX_LOAD_S
    while (took := browser.execute_script("return window.usable")) is None:
        if time.monotonic() > until:
            raise TimeoutError("the page shows no board")
        time.sleep(0.05)
    browser.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)
    return float(took)


def measure_weight() -> BenchRow:
    """Measure the bytes transferred for the live page of a long match and all that it loads."""
    hub = StateHub()
    hub.publish(phase="playing", moves=score_sheet(LONG_MATCH))
    client = create_app(hub).test_client()
    pending, seen, size = ["/"], set[str](), 0
    while pending:
        path = pending.pop()
        if path in seen:
            continue
        seen.add(path)
        size += len(client.get(path, headers={"Accept-Encoding": "gzip"}).data)
        text = client.get(path).text
        # A touch icon is loaded only where the page is put on a home screen.
        loaded = re.sub(r'<link rel="apple-touch-icon"[^>]*>', "", text)
        pending += re.findall(r'(?:src|href)="(/static/[^"?]+)"', loaded)
    note = f", {2 * LONG_MATCH} plays, {len(seen)} requests, the camera's picture apart"
    return against_budget([size / 1000], "kB", note, WEIGHT_BUDGET_KB)


def _programs() -> tuple[str, str] | None:
    """The browser and its driver; None unless both and selenium are installed."""
    binary, driver = shutil.which("chromium"), shutil.which("chromedriver")
    return (binary, driver) if find_spec("selenium") and binary and driver else None


@contextmanager
def open_browser(*flags: str) -> Iterator[Any]:
    """A headless browser with more options; raises `BenchError` if none is available."""
    programs = _programs()
    if programs is None:
        raise BenchError("selenium, chromium and chromedriver are needed: make test installs them")
    with _browser(*programs, *flags) as browser:
        yield browser


@contextmanager
def _browser(binary: str, driver: str, *flags: str) -> Iterator[Any]:
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for flag in (*FLAGS, *flags):
        options.add_argument(flag)
    browser = webdriver.Chrome(options, webdriver.ChromeService(driver))
    try:
        yield browser
    finally:
        browser.quit()


@contextmanager
def _served(table: LiveBoard) -> Iterator[str]:
    """The address of the page of a match."""
    server = serve(create_app(table), port=0)
    try:
        yield server.url
    finally:
        server.close()
