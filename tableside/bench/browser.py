"""Benchmarks of the page in a browser: its first view, its weight, and the latency of changes.

Measured in Chromium over loopback; changes come from a vision process, as in `live`.
"""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from math import ceil
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

from engine.rules import SHORT
from tableside.bench import BenchRow, Measure
from tableside.bench.streams import TURNS
from tableside.recording.job import JobContext
from tableside.site.state_hub import StateHub
from tableside.vision_process.client import VisionClient
from tableside.vision_process.spawn import vision_process
from webui.app import create_app
from webui.contracts.state import ScoreRow, TurnCell, board_of
from webui.server import serve

if TYPE_CHECKING:
    from vision.sources.frame import FrameSource

TARGET_PIXEL: Final = 100.0
"""Milliseconds."""
TARGET_WEIGHT: Final = 150.0
"""kB."""
TARGET_FIRST: Final = 1000.0
"""Milliseconds."""
VISITS: Final = 5
SLOWDOWN: Final = 4
"""With the network below, Lighthouse's slow phone."""
SLOW_NETWORK: Final = {"offline": False, "latency": 150, "downloadThroughput": 200_000,
                    "uploadThroughput": 94_000}  # fmt: skip
"""Latency in milliseconds, throughput in bytes a second."""
PATIENCE: Final = 20.0
CHANGES: Final = 100
CHANGE_SECONDS: Final = 0.1
WARM_UP_SECONDS: Final = 3.0
PLAYS: Final = 80
"""Rows of the score sheet, of two plays each: a match of 160."""
FLAGS: Final = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
    "--disable-background-networking",
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


class _NoSource:
    def close(self) -> None:
        """There is nothing to close."""


@dataclass(frozen=True, slots=True)
class TickingJob:
    """A job that renames light to the time in milliseconds, ten times a second."""

    def open(self) -> FrameSource:
        """A source without frames: none are needed."""
        return _NoSource()  # type: ignore[return-value]

    def run(self, _source: FrameSource, context: JobContext) -> None:
        """Publish changes until the process is to end."""
        context.outputs.table.publish(phase="playing", moves=_sheet(TURNS))
        while not context.stopping.wait(CHANGE_SECONDS):
            context.outputs.table.publish(
                players={"light": f"{time.time() * 1000:.0f}", "dark": "Dark"}
            )


def _sheet(rows: int) -> list[ScoreRow]:
    turn = TurnCell(id="1", dice=[6, 2], play="24/18 13/11", review=False, illegal=False)
    return [ScoreRow(number=n, light=turn, dark=turn) for n in range(1, rows + 1)]


def _measure_pixel() -> BenchRow:
    """From a change in the vision process to the frame of the browser that shows it."""
    programs = _programs()
    if programs is None:
        return _NO_BROWSER
    latencies = sorted(_latencies(*programs))
    percentile = latencies[ceil(0.9 * len(latencies)) - 1]
    name = f"asked for; 90 % within {percentile:.0f}, of {len(latencies)} changes"
    return BenchRow(median(latencies), "ms", name, TARGET_PIXEL, is_more_better=False)


_NO_BROWSER: Final = BenchRow(float("nan"), "ms", "selenium, chromium and chromedriver are needed")


def _programs() -> tuple[str, str] | None:
    """The browser and its driver; None unless both and selenium are installed."""
    binary, driver = shutil.which("chromium"), shutil.which("chromedriver")
    return (binary, driver) if find_spec("selenium") and binary and driver else None


def _latencies(binary: str, driver: str) -> list[float]:
    """The latency of each change in milliseconds."""
    with (
        TemporaryDirectory() as folder,
        vision_process() as process,
        closing(VisionClient(process)) as vision,
    ):
        vision.claim(Path(folder) / "record.sqlite")
        vision.open(TickingJob())
        server = serve(create_app(vision.table), port=0)
        try:
            with _browser(binary, driver) as browser:
                browser.get(server.url)
                return _observe(browser, vision)
        finally:
            server.close()


def _observe(browser: Any, vision: VisionClient) -> list[float]:
    import threading

    running = threading.Thread(target=vision.run)
    running.start()
    try:
        time.sleep(WARM_UP_SECONDS)
        browser.execute_script(OBSERVE)
        time.sleep(CHANGES * CHANGE_SECONDS)
        return [float(one) for one in browser.execute_script("return window.late")]
    finally:
        vision.stop()
        running.join()


@contextmanager
def _browser(binary: str, driver: str) -> Iterator[Any]:
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for flag in FLAGS:
        options.add_argument(flag)
    browser = webdriver.Chrome(options, webdriver.ChromeService(driver))
    try:
        yield browser
    finally:
        browser.quit()


def _measure_first() -> BenchRow:
    """From the address to a page that shows the board and follows changes, on a slow phone."""
    programs = _programs()
    if programs is None:
        return _NO_BROWSER
    table = StateHub()
    table.publish(phase="playing", moves=_sheet(PLAYS), position=board_of(SHORT.opening()))
    server = serve(create_app(table), port=0)
    try:
        with _browser(*programs) as browser:
            took = sorted(_first_view(browser, server.url) for _ in range(VISITS))
    finally:
        server.close()
    name = f"asked for; nothing kept, a processor {SLOWDOWN} times slower, 150 ms away, 1.6 Mbit/s"
    return BenchRow(median(took), "ms", name, TARGET_FIRST, is_more_better=False)


def _first_view(browser: Any, url: str) -> float:
    """Milliseconds of one visit with an empty cache."""
    browser.execute_cdp_cmd("Network.enable", {})
    browser.execute_cdp_cmd("Network.clearBrowserCache", {})
    browser.execute_cdp_cmd("Network.emulateNetworkConditions", SLOW_NETWORK)
    browser.execute_cdp_cmd("Emulation.setCPUThrottlingRate", {"rate": SLOWDOWN})
    script = browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": USABLE})
    browser.get(url)
    until = time.monotonic() + PATIENCE
    while (took := browser.execute_script("return window.usable")) is None:
        if time.monotonic() > until:
            raise TimeoutError("the page shows no board")
        time.sleep(0.05)
    browser.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)
    return float(took)


def _measure_weight() -> BenchRow:
    """The live page of a long match with all that it loads, as it is transferred."""
    table = StateHub()
    table.publish(phase="playing", moves=_sheet(PLAYS))
    client = create_app(table).test_client()
    pending, seen, size = ["/"], set[str](), 0
    while pending:
        path = pending.pop()
        if path in seen:
            continue
        seen.add(path)
        size += len(client.get(path, headers={"Accept-Encoding": "gzip"}).data)
        text = client.get(path).text
        pending += re.findall(r'(?:src|href)="(/static/[^"?]+)"', text)
    name = f"asked for, {2 * PLAYS} plays, {len(seen)} requests, the camera's picture apart"
    return BenchRow(size / 1000, "kB", name, TARGET_WEIGHT, is_more_better=False)


ROWS: Final[dict[str, Measure]] = {
    "page_pixel": _measure_pixel,
    "page_first": _measure_first,
    "page_weight": _measure_weight,
}
