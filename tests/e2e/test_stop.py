"""`live` is asked to end while many watch: everything is closed, in order, and it can go on."""

from __future__ import annotations

import contextlib
import shutil
import signal
import threading
import time
import urllib.request
from http.client import HTTPException
from itertools import pairwise
from pathlib import Path

import pytest

from tableside.record.check import findings
from tableside.record.journal import Journal
from tableside.record.store import Store
from tests.e2e.conftest import cmdline, wait
from tests.streamed_camera import StreamedCamera, coded
from vision.sources.frame import read_image

STREAMS = ("api/events",) * 9 + ("camera.mjpg",)
PAGES = ("", "api/state", "metrics", "api/matches", "dice")
CUT_SHORT = (OSError, HTTPException)
"""What becomes of a response whose server ends."""
PATIENCE = 120


@pytest.fixture
def camera(clip_start):
    """A network camera over a board at the start of a game."""
    picture = coded(read_image(clip_start))
    with StreamedCamera() as camera:
        camera.show_steadily(lambda: picture, 0.1)
        yield camera.url


class Crowd:
    """Those who watch streams until they end, and those who ask for pages all the time."""

    def __init__(self, url):
        self.begun = threading.Semaphore(0)
        self.ended = []
        self.is_over = threading.Event()
        watching = [(self._watch, url + path) for path in STREAMS]
        asking = [(self._ask, url + path) for path in PAGES]
        self.threads = [
            threading.Thread(target=what, args=(address,), daemon=True)
            for what, address in watching + asking
        ]
        for thread in self.threads:
            thread.start()
        for _ in STREAMS:
            assert self.begun.acquire(timeout=PATIENCE), self.ended

    def _watch(self, address):
        with (
            contextlib.suppress(*CUT_SHORT),
            urllib.request.urlopen(address, timeout=PATIENCE) as stream,
        ):
            stream.read(1)
            self.begun.release()
            while stream.read(4096):
                pass
        self.ended.append(address)

    def _ask(self, address):
        while not self.is_over.wait(0.02):
            with (
                contextlib.suppress(*CUT_SHORT),
                urllib.request.urlopen(address, timeout=PATIENCE) as page,
            ):
                page.read()

    def leave(self):
        self.is_over.set()
        for thread in self.threads:
            thread.join(PATIENCE)
            assert not thread.is_alive()


@pytest.mark.slow
def test_sigterm_under_load_closes_everything_and_the_match_goes_on(
    start, camera, tmp_path, monkeypatch, record_property
):
    monkeypatch.setenv("TABLESIDE_HOME", str(tmp_path))
    record = tmp_path / "record.sqlite"
    args = ("live", "--camera", camera, "--no-browser", "--record", record)
    live = start(*args)
    shown = wait(lambda: live.state()["position"])
    vision_pid, crowd = live.vision_pid, Crowd(live.url)
    began = time.monotonic()
    live.process.send_signal(signal.SIGTERM)
    assert live.wait_for_exit() == 0
    took = time.monotonic() - began
    crowd.leave()
    assert len(crowd.ended) == len(STREAMS), "no stream is left hanging"
    assert not cmdline(vision_pid)
    log = (tmp_path / "tableside.log").read_text("utf-8")
    order = [log.index(one) for one in ("opened the record", "closed the record", '"stopped"')]
    assert all(a < b for a, b in pairwise(order))
    assert "Traceback" not in log
    left = {path.name for path in tmp_path.iterdir()}
    assert not {name for name in left if name.endswith((".reserve", ".part", ".new"))}
    assert findings(record) == []
    with Store.open_read_only(record) as store:
        kept = store.events(1)
        copied = shutil.copy(record, tmp_path / "copied.sqlite")
        assert store.match(1).is_open
    assert kept
    with Store.open_read_only(Path(copied)) as store:
        assert store.events(1) == kept, "without the write-ahead log"
    assert Journal(record).last("events", 1) == len(kept)

    began = time.monotonic()
    again = start(*args)
    wait(lambda: again.state()["position"] == shown)
    resumed = time.monotonic() - began
    again.wait_for(r"resuming after 0 plays")
    record_property("seen", f"{took:.1f} s to the end with 15 watching; resumed in {resumed:.1f} s")
