"""Starting and stopping `tableside live` as users do: as a process, with the sample as a camera."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import samples
from tableside.bench import BenchRow, against_budget
from tableside.errors import BenchError

HELP_BUDGET_S, PICTURE_BUDGET_S, RESUME_BUDGET_S, STOP_BUDGET_S = 0.3, 3.0, 3.0, 2.0
PATIENCE_S: Final = 120.0
PAUSE_S: Final = 0.02
_TABLESIDE: Final = (sys.executable, "-m", "tableside")


@dataclass(frozen=True, slots=True)
class _Times:
    """What one match took, in seconds."""

    picture: float
    """From starting the program to the first picture of the camera."""
    stop: float
    """From SIGTERM to the end of the process."""
    resume: float
    """From starting it again to the position that was recorded before."""


def measure_help() -> BenchRow:
    """`tableside --help`."""
    took = [_help_seconds() for _ in range(5)]
    return against_budget(took, "s", "; from start to end of the process", HELP_BUDGET_S)


def measure_picture() -> BenchRow:
    """Start to the first picture."""
    return against_budget([_measured().picture], "s", "; sample as a camera", PICTURE_BUDGET_S)


def measure_resume() -> BenchRow:
    """Start to the position of a match that was left."""
    return against_budget([_measured().resume], "s", "; sample as a camera", RESUME_BUDGET_S)


def measure_stop() -> BenchRow:
    """SIGTERM to the end of the process."""
    return against_budget([_measured().stop], "s", "; in mid-match", STOP_BUDGET_S)


def _help_seconds() -> float:
    began = time.perf_counter()
    subprocess.run([*_TABLESIDE, "--help"], check=True, capture_output=True)
    return time.perf_counter() - began


@cache
def _measured() -> _Times:
    with TemporaryDirectory(prefix="tableside-start-") as folder:
        record = Path(folder) / "record.sqlite"
        with _live(record) as (process, url, began):
            _until(lambda: _answer(url, "camera.jpg"))
            picture = time.perf_counter() - began
            recorded = _until(lambda: _newest_play(url))
            stop = _stopped(process)
        with _live(record) as (process, url, began):
            _until(lambda: _newest_play(url) == recorded)
            resume = time.perf_counter() - began
            _stopped(process)
    return _Times(picture, stop, resume)


@contextmanager
def _live(record: Path) -> Iterator[tuple[subprocess.Popen[str], str, float]]:
    """The program, the address of its page, and when it was started."""
    began = time.perf_counter()
    command = (*_TABLESIDE, "live", "--no-browser", "--record", str(record))
    process = subprocess.Popen(
        [*command, "--camera", str(samples.CLIP)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "TABLESIDE_HOME": str(record.parent), "PYTHONUNBUFFERED": "1"},
    )
    try:
        yield process, _address(process), began
    finally:
        process.kill()
        process.communicate()


def _address(process: subprocess.Popen[str]) -> str:
    for line in process.stdout or ():
        if (found := line.find("http://")) >= 0:
            return line[found:].split()[0]
    raise BenchError("tableside live ended before it showed its page")


def _answer(url: str, path: str) -> bytes:
    """What the page answers; empty while it has nothing to show."""
    with urllib.request.urlopen(f"{url}{path}", timeout=PATIENCE_S) as answer:  # noqa: S310
        body: bytes = answer.read()
    return body


def _newest_play(url: str) -> Any:
    state = json.loads(_answer(url, "api/state"))
    return state["last_play"] and state["last_play"]["play"]


def _until(found: Callable[[], Any]) -> Any:
    """The first true result."""
    until = time.perf_counter() + PATIENCE_S
    while time.perf_counter() < until:
        if result := found():
            return result
        time.sleep(PAUSE_S)
    raise BenchError(f"tableside live did not get there in {PATIENCE_S:g} s")


def _stopped(process: subprocess.Popen[str]) -> float:
    began = time.perf_counter()
    process.terminate()
    process.wait(PATIENCE_S)
    return time.perf_counter() - began
