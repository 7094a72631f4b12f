"""How soon a browser shows the page and what sight tells, and how much it loads first.

Measured in real Chromium over loopback; where sight tells it is a process of its own, as in `live`.
"""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
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
from tableside.vision_process.client import VisionClient, vision_client
from tableside.vision_process.spawn import vision_process
from webui.app import create_app
from webui.contracts.state import ScoreRow, TurnCell, board_of
from webui.server import serve

if TYPE_CHECKING:
    from vision.sources.frame import FrameSource

MOST_PIXEL: Final = 100.0
"""Milliseconds asked for."""
MOST_WEIGHT: Final = 150.0
"""kB asked for."""
MOST_FIRST: Final = 1000.0
"""Milliseconds asked for."""
VISITS: Final = 5
SLOWER: Final = 4
"""Times that a phone's processor is slower; with the line, what Lighthouse takes for a slow one."""
SLOW_LINE: Final = {"offline": False, "latency": 150, "downloadThroughput": 200_000,
                    "uploadThroughput": 94_000}  # fmt: skip
"""Milliseconds that each answer takes to come, and bytes a second."""
PATIENCE: Final = 20.0
CHANGES: Final = 100
EACH_SECONDS: Final = 0.1
SETTLED_SECONDS: Final = 3.0
PLAYS: Final = 80
"""Rows of the score sheet, each with two plays: a match of 160."""
FLAGS: Final = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
    "--disable-background-networking",
)  # fmt: skip
WATCH: Final = """
window.late = [];
const name = document.querySelector("[data-text=name-light]");
new MutationObserver(() => {
  const told = Number(name.textContent);
  // The frame that shows it is drawn after the first callback, and before the second.
  requestAnimationFrame(() => requestAnimationFrame(() => window.late.push(Date.now() - told)));
}).observe(name, { childList: true, characterData: true, subtree: true });
"""


USABLE: Final = """
window.usable = null;
const look = () => {
  const link = document.getElementById("link");
  const drawn = document.querySelectorAll("#board .checkers use").length;
  if (link?.dataset.link !== "live" || !drawn) return requestAnimationFrame(look);
  requestAnimationFrame(() => { window.usable = performance.now(); });
};
requestAnimationFrame(look);
"""


class _Nothing:
    def close(self) -> None:
        """There is nothing to let go of."""


@dataclass(frozen=True, slots=True)
class TickingJob:
    """An errand: light is called by the time, in milliseconds, ten times a second."""

    def open(self) -> FrameSource:
        """No pictures are needed."""
        return _Nothing()  # type: ignore[return-value]

    def run(self, _source: FrameSource, post: JobContext) -> None:
        """Tell it until it is to end."""
        post.table.tell(phase="playing", moves=_sheet(TURNS))
        while not post.stopping.wait(EACH_SECONDS):
            post.table.tell(players={"light": f"{time.time() * 1000:.0f}", "dark": "Dark"})


def _sheet(rows: int) -> list[ScoreRow]:
    turn = TurnCell(id="1", dice=[6, 2], play="24/18 13/11", review=False, illegal=False)
    return [ScoreRow(number=n, light=turn, dark=turn) for n in range(1, rows + 1)]


def _measure_pixel() -> BenchRow:
    """From what sight tells to the frame of the browser that shows it."""
    programs = _programs()
    if programs is None:
        return _NO_BROWSER
    late = sorted(_shown_after(*programs))
    words = f"asked for; 90 % within {late[ceil(0.9 * len(late)) - 1]:.0f}, of {len(late)} changes"
    return BenchRow(median(late), "ms", words, MOST_PIXEL, is_more_better=False)


_NO_BROWSER: Final = BenchRow(float("nan"), "ms", "selenium, chromium and chromedriver are needed")


def _programs() -> tuple[str, str] | None:
    """The browser and its driver, if both are here and can be spoken to."""
    binary, driver = shutil.which("chromium"), shutil.which("chromedriver")
    return (binary, driver) if find_spec("selenium") and binary and driver else None


def _shown_after(binary: str, driver: str) -> list[float]:
    """Milliseconds, change by change."""
    with (
        TemporaryDirectory() as folder,
        vision_process() as process,
        vision_client(process) as sight,
    ):
        sight.claim(Path(folder) / "record.sqlite")
        sight.open(TickingJob())
        server = serve(create_app(sight.table), port=0)
        try:
            with _browser(binary, driver) as browser:
                browser.get(server.url)
                return _watched(browser, sight)
        finally:
            server.close()


def _watched(browser: Any, sight: VisionClient) -> list[float]:
    import threading

    running = threading.Thread(target=sight.run)
    running.start()
    try:
        time.sleep(SETTLED_SECONDS)
        browser.execute_script(WATCH)
        time.sleep(CHANGES * EACH_SECONDS)
        return [float(one) for one in browser.execute_script("return window.late")]
    finally:
        sight.stop()
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
    """From the address to a page that shows the board and hears of changes, on a slow phone."""
    programs = _programs()
    if programs is None:
        return _NO_BROWSER
    table = StateHub()
    table.tell(phase="playing", moves=_sheet(PLAYS), position=board_of(SHORT.opening()))
    server = serve(create_app(table), port=0)
    try:
        with _browser(*programs) as browser:
            took = sorted(_first_view(browser, server.url) for _ in range(VISITS))
    finally:
        server.close()
    words = f"asked for; nothing kept, a processor {SLOWER} times slower, 150 ms away, 1.6 Mbit/s"
    return BenchRow(median(took), "ms", words, MOST_FIRST, is_more_better=False)


def _first_view(browser: Any, url: str) -> float:
    """Milliseconds of one visit with nothing kept of the last."""
    browser.execute_cdp_cmd("Network.enable", {})
    browser.execute_cdp_cmd("Network.clearBrowserCache", {})
    browser.execute_cdp_cmd("Network.emulateNetworkConditions", SLOW_LINE)
    browser.execute_cdp_cmd("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
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
    """The live page of a long match and all that it loads, as it goes over the line."""
    table = StateHub()
    table.tell(phase="playing", moves=_sheet(PLAYS))
    client = create_app(table).test_client()
    wanted, seen, size = ["/"], set[str](), 0
    while wanted:
        path = wanted.pop()
        if path in seen:
            continue
        seen.add(path)
        size += len(client.get(path, headers={"Accept-Encoding": "gzip"}).data)
        text = client.get(path).text
        wanted += re.findall(r'(?:src|href)="(/static/[^"?]+)"', text)
    words = f"asked for, {2 * PLAYS} plays, {len(seen)} requests, the camera's picture apart"
    return BenchRow(size / 1000, "kB", words, MOST_WEIGHT, is_more_better=False)


ROWS: Final[dict[str, Measure]] = {
    "page_pixel": _measure_pixel,
    "page_first": _measure_first,
    "page_weight": _measure_weight,
}
