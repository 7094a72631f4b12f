"""The program as it is started by people, and the sample's truth."""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import sys
import threading
import urllib.request
from pathlib import Path

import cv2
import pytest

import samples
from tests.paths import ROOT

CLIP = samples.CLIP


class Program:
    """One running command; what it says is collected line by line."""

    def __init__(self, *words):
        self.lines = []
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tableside", *map(str, words)],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"},
        )
        self._spoke = threading.Condition()
        self._reader = threading.Thread(target=self._listen, daemon=True)
        self._reader.start()

    def _listen(self):
        for line in self.process.stdout:
            with self._spoke:
                self.lines.append(line.rstrip("\n"))
                self._spoke.notify_all()

    def wait_for(self, pattern, patience=60):
        """The match of the first line that holds `pattern`."""
        with self._spoke:
            found = self._spoke.wait_for(
                lambda: next((m for line in self.lines if (m := re.search(pattern, line))), None),
                patience,
            )
        assert found, f"{pattern!r} was not said: {self.lines}"
        return found

    @property
    def url(self):
        return self.wait_for(r"http://\S+")[0]

    def state(self):
        with urllib.request.urlopen(f"{self.url}api/state", timeout=10) as answer:
            return json.load(answer)

    @property
    def sight(self):
        """The id of the process that watches the board."""
        parent = self.process.pid
        listed = Path(f"/proc/{parent}/task/{parent}/children")
        if not listed.exists():
            pytest.skip("only Linux lists the children of a process")
        children = [int(pid) for pid in listed.read_text().split()]
        (found,) = (pid for pid in children if b"spawn_main" in cmdline(pid))
        return found

    def ended(self, patience=90):
        code = self.process.wait(patience)
        self._reader.join(5)
        self.process.stdout.close()
        return code


def cmdline(pid):
    """What a process was started with; nothing once it is gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""


@pytest.fixture
def start():
    started = []

    def begin(*words):
        started.append(Program(*words))
        return started[-1]

    yield begin
    for program in started:
        with contextlib.suppress(ProcessLookupError):
            program.process.kill()
        program.ended()


def run(*words, patience=240):
    """A command that ends by itself: code, stdout, the lines of stderr."""
    done = subprocess.run(
        [sys.executable, "-m", "tableside", *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
        timeout=patience,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    return done.returncode, done.stdout, done.stderr.splitlines()


@pytest.fixture(scope="session")
def transcribed(tmp_path_factory):
    """The folder that `transcribe` made of the sample, and what it said."""
    folder = tmp_path_factory.mktemp("transcribed")
    return folder, run("transcribe", CLIP, "--out", folder, "--length", "5")


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
    assert run("calibrate", "--image", clip_start, "--profile", path)[0] == 0
    return path
