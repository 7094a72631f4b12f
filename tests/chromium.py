"""The browser that tests drive: Debian's Chromium, headless, with its console and requests."""

from __future__ import annotations

import os
import shutil

import pytest

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--accept-lang=en",
)


BINARIES = ("/usr/lib/chromium/chromium-headless-shell", "chromium")
"""Debian's builds of it: the first has no windows to draw, which saves a third of its work.

Its script in /usr/bin stays between it and the driver, which then cannot end it.
"""


def open_chromium(temporary, *flags):
    """A driver of a new browser, which keeps its files in the folder; skips if none can run.

    flags: more options of Chromium.
    """
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    binary = next(filter(None, map(shutil.which, BINARIES)), None)
    driver = shutil.which("chromedriver")
    if not (binary and driver):
        pytest.skip("Debian's chromium and chromium-driver are not installed")
    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for flag in (*FLAGS, *flags):
        options.add_argument(flag)
    options.accept_insecure_certs = True  # the camera page's certificate is our own
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    temporary.mkdir(exist_ok=True)
    service = webdriver.ChromeService(driver, env={**os.environ, "TMPDIR": str(temporary)})
    return webdriver.Chrome(options, service)
