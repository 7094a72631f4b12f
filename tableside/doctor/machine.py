"""Checks of the machine: its clock, memory, language and speed, and other programs."""

from __future__ import annotations

import locale
import os
import platform
import socket
import sys
import time
import webbrowser
from collections.abc import Iterator
from importlib import metadata
from statistics import median
from typing import Final

from tableside.analysis.engines import engine_name
from tableside.doctor.finding import Finding, Places, ok, problem, warning
from tableside.review.clips import can_encode

EARLIEST: Final = 1_780_000_000.0
"""Seconds since 1970, in 2026: no clock that is right is earlier."""
LEAST_MEMORY: Final = 2 << 30
LOOKS: Final = ((0.08, "1280x720 and 1920x1080"), (0.25, "1280x720"))
"""Seconds that a full reading may take, for pictures of a size to be followed live."""


def check_program(_places: Places) -> Iterator[Finding]:
    """The program's own version, and that of Python."""
    version = f"Python {platform.python_version()} on {platform.system()} {platform.machine()}"
    yield ok(f"Tableside {metadata.version('tableside')}, {version}")


def check_clock(_places: Places) -> Iterator[Finding]:
    """Whether the clock can be right."""
    now = time.time()
    day = time.strftime("%Y-%m-%d %H:%M %Z", time.localtime(now))
    yield (
        ok(f"the clock says {day}")
        if now > EARLIEST
        else problem(f"the clock says {day}", "set it: the times in the record would be wrong")
    )


def check_language(_places: Places) -> Iterator[Finding]:
    """Whether names in any script can be printed and read."""
    if locale.getpreferredencoding(do_setlocale=False).lower().replace("-", "") != "utf8":
        yield warning("this terminal has no UTF-8", "set LANG=C.UTF-8, or names may be garbled")


def check_power(_places: Places) -> Iterator[Finding]:
    """Processors and memory."""
    cores = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
    if cores < 2:
        yield warning("there is one processor", "live matches need two: close other programs")
    if sys.platform != "win32":
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        if memory < LEAST_MEMORY:
            yield warning(f"there are {memory >> 20} MB of memory", "2 GB are needed")


def check_speed(_places: Places) -> Iterator[Finding]:
    """How long a full reading of the board takes, and so which pictures can be followed live."""
    from tableside.bench.vision import known_board

    board, times = known_board(), []
    for _ in range(5):
        board.forget()
        started = time.perf_counter()
        board.read()
        times.append(time.perf_counter() - started)
    seconds = median(times)
    speed = f"reading a board takes {seconds * 1000:.0f} ms"
    for most, sizes in LOOKS:
        if seconds <= most:
            yield ok(f"{speed}: pictures of {sizes} can be followed live")
            return
    yield warning(f"{speed}: too slow to follow every play", "close other programs")


def check_port(places: Places) -> Iterator[Finding]:
    """Whether the page's port is free."""
    if not 0 <= places.port <= 65_535:
        yield problem(f"there is no port {places.port}", "choose one up to 65535 with --port")
        return
    try:
        socket.create_server(("127.0.0.1", places.port)).close()
    except OSError as error:
        reason = "is in use" if error.errno in _IN_USE else error.strerror
        yield warning(f"port {places.port} {reason}", "choose another with --port")
    else:
        yield ok(f"port {places.port} is free for the page")


def check_other_programs(_places: Places) -> Iterator[Finding]:
    """A backgammon engine, what makes clips, and a browser."""
    engine = engine_name()
    yield (
        ok(f"matches are analyzed by {engine}")
        if engine
        else warning(
            "no backgammon engine is installed, so matches are not analyzed",
            "pip install 'tableside[analysis]', or install GNU Backgammon",
        )
    )
    yield (
        ok("doubtful moments are kept as clips")
        if can_encode()
        else warning(
            "PyAV is not installed, so doubtful moments are kept as stills, not as clips",
            "pip install 'tableside[clips]'",
        )
    )
    try:
        webbrowser.get()
    except webbrowser.Error:
        yield warning("no browser was found", "use another device: add --no-browser and --host")


_IN_USE: Final = (48, 98, 10048)
