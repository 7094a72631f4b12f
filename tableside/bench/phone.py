"""The phone as the camera, over TLS on loopback: how late its events are, and what it costs.

Its browser is a process of its own, `phone_sender`, so that only the program's work is counted.
"""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Final
from urllib.parse import urlsplit

import cv2

import samples
from tableside.bench import BenchRow, opencv_on_one_core
from tableside.bench.live import Delays, dice_delays, play_delays, roll_delays
from tableside.bench.live_run import LiveRun, run_match, webcam_run
from tableside.site.phone import PhoneRelay
from tableside.site.phone_site import PhoneSite
from vision.sources.files import VideoFile
from vision.sources.phone import PhoneCapture, phone_source

LATER_MS: Final = 150.0
"""How much later than by a webcam an event may come."""
CORE_SHARE: Final = 60.0
"""Percent of one core that receiving may take beside sight."""
FPS: Final = 15
SECONDS: Final = 12
JPEG_QUALITY: Final = 85
"""That of the camera page."""
PATIENCE_S: Final = 30.0


def measure_event() -> BenchRow:
    """Measure how late dice, rolls and plays come from a phone and from a webcam, in one run."""
    webcam, phone = _delays(webcam_run()[0]), _delays(_phone_run())
    pairs = [
        (early, late)
        for early, late in zip(webcam, phone, strict=True)
        if early is not None and late is not None
    ]
    usual = median(early for early, _ in pairs)
    more = sorted(late - early for early, late in pairs)
    note = (
        f"a webcam's {usual:.0f} and {LATER_MS:.0f} more; {len(pairs)} dice, rolls and plays, the"
        f" slowest {more[-1]:.0f} later than by webcam, missed {len(phone) - len(pairs)}"
    )
    late = median(late for _, late in pairs)
    return BenchRow(late, "ms", note, usual + LATER_MS, is_more_better=False)


def _delays(run: LiveRun) -> Delays:
    shown, recorded = play_delays(run)
    return [*dice_delays(run), *roll_delays(run), *shown, *recorded]


@dataclass(slots=True)
class _SentClip:
    """The clock of a clip that another process sends."""

    sender: subprocess.Popen[str]
    may_begin: threading.Event = field(default_factory=threading.Event)
    began: float = inf
    """When the first frame was no longer repeated, by the monotonic clock."""

    @property
    def now(self) -> float:
        """Seconds into the clip; minus infinity before it."""
        return time.monotonic() - self.began

    def play(self) -> None:
        """Have the rest sent once the game is shown, and return when all is sent."""
        self.may_begin.wait(PATIENCE_S)
        told, heard = self.sender.stdin, self.sender.stdout
        assert told is not None and heard is not None  # noqa: S101, PT018 (they are pipes)
        told.write("go\n")
        told.flush()
        self.began = float(heard.readline())
        self.sender.wait()


def _phone_run() -> LiveRun:
    """Run the sample as a phone sends it."""
    with TemporaryDirectory() as folder, _sending(Path(folder)) as (relay, sender):
        clip, source = _SentClip(sender), phone_source(relay.feed)

        def play_and_end() -> None:
            try:
                clip.play()
            finally:
                source.close()

        playing = threading.Thread(target=play_and_end)
        playing.start()
        try:
            return run_match(source, clip)
        finally:
            playing.join()


def measure_cost() -> BenchRow:
    """Measure the processor time of receiving and decoding a phone's pictures, without sight."""
    with (
        TemporaryDirectory() as folder,
        opencv_on_one_core(),
        _sending(Path(folder), "--fps", str(FPS), "--seconds", str(SECONDS)) as (relay, sender),
    ):
        capture = PhoneCapture(relay.feed)
        capture.read()  # the page and the decoder are loaded
        began, before, count = time.monotonic(), time.process_time(), 0
        took = used = 0.0
        while sender.poll() is None:
            if capture.read()[0]:
                count += 1
                took, used = time.monotonic() - began, time.process_time() - before
    note = f"target, of one core beside sight; {count / took:.1f} pictures a second of 1280 x 720"
    return BenchRow(100 * used / took, "%", note, CORE_SHARE, is_more_better=False)


@contextmanager
def _sending(folder: Path, *options: str) -> Iterator[tuple[PhoneRelay, subprocess.Popen[str]]]:
    """A relay of the pictures that a process sends from the clip."""
    pictures = folder / "pictures"
    pictures.mkdir()
    _write_pictures(pictures)
    relay = PhoneRelay(folder / "videos")
    with closing(PhoneSite(relay, folder / "page.pem", port=0)) as site:
        site.invite()
        invitation = site.part()["invitation"]
        assert invitation is not None  # noqa: S101 (it was just made)
        url = urlsplit(invitation["url"])
        words = (str(url.port), url.fragment, str(folder / "page.pem"), str(pictures), *options)
        command = [sys.executable, "-m", "tableside.bench.phone_sender", *words]
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as sender:
            try:
                yield relay, sender
            finally:
                sender.kill()


def _write_pictures(folder: Path) -> None:
    """Write the frames of the clip as the camera page encodes them, named by their time in ms."""
    with closing(VideoFile(samples.CLIP)) as clip:
        for frame in clip:
            path = folder / f"{round(1000 * frame.seconds):06}.jpg"
            cv2.imwrite(str(path), frame.image, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
