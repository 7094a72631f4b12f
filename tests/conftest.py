"""What every test relies on: FFmpeg is silent, and a green suite stays green.

OpenCV and FFmpeg take their log levels when they are first used in a process, and numpy its number
of threads when it is imported, so these are set before any test imports them. Property tests draw
the same examples each time, however long they take; the long run (`make test-long`) draws many.
"""

import gc
import os
import sys
import zlib

import pytest
from hypothesis import settings

from tests.chromium import open_chromium

# As in the program (`tableside/__init__.py`), which the tests of other packages do not import.
assert "numpy" not in sys.modules
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")
os.environ.setdefault("OPENCV_LOG_LEVEL", "SILENT")
# Texts that follow the system's language are English wherever the tests run.
os.environ["LC_ALL"] = "C.UTF-8"
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")

_LONGEST = (
    "tests/e2e/test_live.py",
    "tests/tableside/match/test_session.py",
    "tests/e2e/test_transcribe.py",
    "tests/tableside/hall/test_nearby_tables.py",
    "tests/tableside/pages/test_desk.py",
    "tests/tableside/test_fuzz.py",
)
"""Files that come first, so that none of them keeps one process running after the others."""


def pytest_collection():
    """Suspend garbage collection while the tests are imported: it took a quarter of that time."""
    gc.disable()


def pytest_collection_finish():
    """Resume it, but spare what has been imported: that stays anyway."""
    gc.freeze()
    gc.enable()


def pytest_collection_modifyitems(items):
    """Mix the files: else those that wait for a network keep all processes at the same time."""

    def place(item):
        file = item.nodeid.partition("::")[0]
        is_long = file in _LONGEST
        return not is_long, _LONGEST.index(file) if is_long else zlib.crc32(file.encode())

    items.sort(key=place)


@pytest.fixture(scope="session", autouse=True)
def _own_data_folder(tmp_path_factory):
    """Keep tests from writing to the data folder of whoever runs them."""
    os.environ["TABLESIDE_HOME"] = str(tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="session", autouse=True)
def _compiled_templates(tmp_path_factory):
    """Compile each template of the pages once, not once for each site that a test makes."""
    from flask import Flask
    from jinja2 import FileSystemBytecodeCache

    folder = tmp_path_factory.mktemp("templates")
    Flask.jinja_options = {"bytecode_cache": FileSystemBytecodeCache(str(folder))}


@pytest.fixture(scope="session", autouse=True)
def _compiled_routes():
    """Compile what builds the address of a route once, not for each site that a test makes."""
    from werkzeug.routing import Rule

    compiled, build = {}, Rule._compile_builder

    def built(rule, append_unknown=True):
        key = tuple(rule._trace), str(rule.defaults), append_unknown
        if key not in compiled:
            compiled[key] = build(rule, append_unknown)
        return compiled[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Rule, "_compile_builder", built)
        yield


@pytest.fixture(scope="session")
def chromium(tmp_path_factory):
    """The browser of all tests of this process; `browser` gives each a blank page in it."""
    driver = open_chromium(tmp_path_factory.mktemp("chromium"))
    driver.set_page_load_timeout(30)
    yield driver
    driver.quit()


@pytest.fixture
def browser(chromium):
    """A page as nobody has used it: without cookies, logs and what other tests emulated or held."""
    from selenium.webdriver.common.action_chains import ActionChains

    chromium.set_window_size(1440, 900)
    for log in ("browser", "performance"):
        chromium.get_log(log)
    yield chromium
    ActionChains(chromium).reset_actions()
    chromium.get("about:blank")
    for command, values in _AS_NEW.items():
        chromium.execute_cdp_cmd(command, values)


_AS_NEW = {
    "Network.clearBrowserCookies": {},
    "Emulation.clearDeviceMetricsOverride": {},
    "Emulation.setEmulatedMedia": {"features": []},
}
