"""The program started as users start it, and the sample's truth."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path

import cv2
import pytest

import samples
from tableside.cli import main
from tests.paths import ROOT

CLIP = samples.CLIP


class Program:
    """One running command; its output is collected line by line."""

    def __init__(self, *args, **environment):
        self.lines = []
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tableside", *map(str, args)],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1", **environment},
        )
        self._has_output = threading.Condition()
        self._reader = threading.Thread(target=self._read_lines, daemon=True)
        self._reader.start()

    def _read_lines(self):
        for line in self.process.stdout:
            with self._has_output:
                self.lines.append(line.rstrip("\n"))
                self._has_output.notify_all()

    def wait_for(self, pattern, timeout=60):
        """The match of the first line that holds `pattern`."""
        with self._has_output:
            found = self._has_output.wait_for(
                lambda: next((m for line in self.lines if (m := re.search(pattern, line))), None),
                timeout,
            )
        assert found, f"{pattern!r} was not printed: {self.lines}"
        return found

    @property
    def url(self):
        return self.wait_for(r"http://\S+")[0]

    def state(self):
        with urllib.request.urlopen(f"{self.url}api/state", timeout=10) as answer:
            return json.load(answer)

    @property
    def vision_pid(self):
        """The id of the process that watches the board."""
        parent = self.process.pid
        listed = Path(f"/proc/{parent}/task/{parent}/children")
        if not listed.exists():
            pytest.skip("only Linux lists the children of a process")
        children = [int(pid) for pid in listed.read_text().split()]
        (found,) = (pid for pid in children if b"spawn_main" in cmdline(pid))
        return found

    def wait_for_exit(self, timeout=90):
        code = self.process.wait(timeout)
        self._reader.join(5)
        self.process.stdout.close()
        return code


def cmdline(pid):
    """The command line of a process; empty once it is gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""


@pytest.fixture
def start():
    started = []

    def begin(*args):
        started.append(Program(*args))
        return started[-1]

    yield begin
    for program in started:
        with contextlib.suppress(ProcessLookupError):
            program.process.kill()
        program.wait_for_exit()


def wait(condition, timeout=120):
    """The first true value of `condition()`."""
    until = time.monotonic() + timeout
    while time.monotonic() < until:
        if found := condition():
            return found
        time.sleep(0.1)
    pytest.fail("it did not happen in time")


def run(*args, environment=None):
    """A command that ends by itself: exit code, stdout, the lines of stderr.

    It runs in this process, which has loaded what it needs, unless `environment` adds variables,
    of which there may be none.
    """
    words = [*map(str, args)]
    if environment is not None:
        done = subprocess.run(
            [sys.executable, "-m", "tableside", *words],
            capture_output=True,
            text=True,
            check=False,
            timeout=600,
            env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        )
        return done.returncode, done.stdout, done.stderr.splitlines()
    out, told = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(told):
        try:
            code = main(words)
        except SystemExit as ended:
            code = int(ended.code or 0)
    return code, out.getvalue(), told.getvalue().splitlines()


@pytest.fixture(scope="session")
def transcribed(tmp_path_factory):
    """The folder that `transcribe` wrote for the sample, and its result."""
    folder = tmp_path_factory.mktemp("transcribed")
    return folder, run("transcribe", CLIP, "--out", folder, "--length", "5", environment={})


@pytest.fixture(scope="session")
def clip_start(tmp_path_factory):
    """The first picture of the sample."""
    path = tmp_path_factory.mktemp("stills") / "opening.png"
    capture = cv2.VideoCapture(str(CLIP))
    cv2.imwrite(str(path), capture.read()[1])
    capture.release()
    return path


@pytest.fixture(scope="session")
def profile(clip_start):
    path = clip_start.with_name("club.json")
    made = run("calibrate", "--image", clip_start, "--profile", path, environment={})
    assert made[0] == 0
    return path
