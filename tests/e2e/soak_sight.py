"""An hour before a camera, in real time: what it does to memory, handles, threads and files.

    python -m tests.e2e.soak_sight HOURS [PLOT.svg]

`tableside live` watches the sample again and again through a network camera that has faults, with a
cup that is unplugged, a crowd that reads pages and streams, and a referee who corrects, renames,
pauses and begins the next match.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
import urllib.request
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, count, cycle
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any
from urllib.error import HTTPError

import numpy as np

import samples
from engine.arrays import Image
from hardware.served_cup import ServedCup
from tableside.record.store import Store
from tableside.recording.sample_match import plays_right
from tests.e2e.conftest import Program
from tests.e2e.soak import CUT_SHORT, Sample, gather_crowd, plot, sampled, summary
from tests.faulty_camera import Fault, as_it_is, each_fault
from tests.streamed_camera import StreamedCamera, coded
from vision.sources.open import open_source

FPS = 12
LASTS, BACK = 4.0, 6.0
"""Seconds that a fault or a pause lasts, and until play goes on after it."""
AGAIN = 40.0
"""Seconds in which the board of the next match must be found."""
PATIENCE = 60.0
MATCH = 125.0
"""About how many seconds a match lasts, with what interrupts it."""
GONE, FROZEN = Fault("gone", as_it_is, every=0), Fault("frozen", as_it_is)
NOISE = 2
"""Standard deviation, in gray levels: no two pictures of a board at rest are the same."""
KEEPS_NOTHING = "glibc.malloc.tcache_count=0:glibc.malloc.mmap_threshold=262144"
"""Has the C library return what is freed. Otherwise each of some hundred threads keeps up to
200 KiB of it, which takes hours to fill, and pictures leave gaps between smaller things."""
NAMES = {"light": "Anna", "dark": "Bert"}

Entry = tuple[str, dict[str, Any]]
"""The address of a command, and its values."""


def word(word: str) -> Entry:
    """A command without values."""
    return "desk/word", {"word": word}


class Referee:
    """Enters what a referee does, through the API, and lets the dice on the board stand."""

    def __init__(self, url: str) -> None:
        self.state: dict[str, Any] = {}
        """What the page shows now."""
        self.entered: Counter[str] = Counter()
        self.refused: list[str] = []
        self._url, self._entering = f"{url}api/", ThreadPoolExecutor(1)
        threading.Thread(target=self._follow, daemon=True).start()

    def enter(self, *entries: Entry) -> Future[None]:
        """Enter one command after the other."""
        return self._entering.submit(self._enter_all, entries)

    def correct(self) -> Future[None]:
        """Replace the newest play by another, and undo that."""
        return self._entering.submit(self._correct)

    def _enter_all(self, entries: Sequence[Entry]) -> None:
        for path, values in entries:
            self._enter(path, values)

    def _correct(self) -> None:
        while not (turns := self._read("turns")["turns"]):
            time.sleep(0.5)  # the first play of the match is not read yet
        turn = turns[-1]["number"]
        other = self._read(f"turns/{turn}/plays")["plays"][0]["play"]
        self._enter(f"turns/{turn}/play", {"play": other})
        self._enter(*word("undo"))

    def _read(self, path: str) -> Any:
        with urllib.request.urlopen(self._url + path, timeout=PATIENCE) as answer:
            return json.load(answer)

    def _enter(self, path: str, values: dict[str, Any]) -> None:
        headers = {"Content-Type": "application/json", "X-Tableside": "1"}
        request = urllib.request.Request(self._url + path, json.dumps(values).encode(), headers)
        try:
            urllib.request.urlopen(request, timeout=PATIENCE).close()
        except HTTPError as error:
            with error:
                self.refused.append(f"{path} {values}: {error.read().decode()}")
            return
        self.entered[values.get("word", path.rpartition("/")[2])] += 1

    def _follow(self) -> None:
        while True:
            with CUT_SHORT, urllib.request.urlopen(f"{self._url}events", timeout=30) as stream:
                for line in stream:
                    if line.startswith(b"data: {"):
                        self._see(json.loads(line[5:]))
            time.sleep(1)

    def _see(self, state: dict[str, Any]) -> None:
        disagreed = self._disagrees
        self.state = state
        if self._disagrees and not disagreed:
            self.enter(word("dice_stand"))

    @property
    def _disagrees(self) -> bool:
        return bool((self.state.get("cup") or {}).get("disagrees"))


class Table:
    """The sample before the camera, again and again, and what interrupts it between plays."""

    def __init__(
        self, camera: StreamedCamera, cup: ServedCup, referee: Referee, is_over: threading.Event
    ) -> None:
        self._camera, self._cup, self._referee, self._is_over = camera, cup, referee, is_over
        self.faults = 0
        images = [frame.image for frame in open_source(str(samples.CLIP))]
        throws = [event["frame"] for event in samples.true_events("throw")]
        played = [
            event["frame"] for event in samples.true_events("play") if event["frame"] < throws[-1]
        ]
        self._pauses = {next(at for at in throws if at > frame) - 2 for frame in played}
        """Pictures in which a play is over and the next throw has not begun."""
        self._clip = [coded(image) for image in images]
        self._still = {at: images[at] for at in (0, *self._pauses, len(images) - 1)}
        rng = np.random.default_rng(34)
        self._noise = rng.normal(0, NOISE, (5, *images[0].shape)).astype(np.int16)
        self._coming = chain.from_iterable(
            rng.permuted([*each_fault(rng), GONE, FROZEN]) for _ in count()
        )
        self._due = time.monotonic()

    def play(self) -> None:
        """Play match after match until it is over."""
        interrupt: Sequence[Callable[[Image], None]] = (
            *(self._suffer, self._pause, self._suffer, self._correct, self._suffer),
            *(self._throw_cup, self._suffer, self._rename, self._unplug_cup),
        )
        interruptions = cycle(interrupt)
        for number in count(1):
            self._hold(self._still[0], AGAIN, until=partial(self._is_found, number))
            for at, picture in enumerate(self._clip):
                if self._is_over.is_set():
                    return
                self._show(picture)
                if at in self._pauses:
                    next(interruptions)(self._still[at])
            self._await(
                self._still[len(self._clip) - 1],
                self._referee.enter(word("end_match"), ("desk/match", {**NAMES, "length": 5})),
            )

    def _is_found(self, match: int) -> bool:
        state = self._referee.state
        return bool(state) and state["record"]["match"] == match and state["phase"] == "playing"

    def _show(self, picture: bytes | None) -> None:
        """Show a picture, or none, when it is due."""
        self._due = max(self._due + 1 / FPS, time.monotonic() - 1)
        time.sleep(max(0.0, self._due - time.monotonic()))
        if picture is not None:
            self._camera.show(picture)

    def _hold(
        self,
        image: Image,
        seconds: float,
        fault: Fault | None = None,
        *,
        until: Callable[[], bool] = lambda: False,
    ) -> None:
        """Show a board at rest, so long or until something is so."""
        noises = self._noise[:1] if fault is FROZEN else self._noise
        views = [np.clip(image + noise, 0, 255).astype(np.uint8) for noise in noises]
        pictures = [coded(view if fault is None else fault.shows(view)) for view in views]
        every = 1 if fault is None else fault.every
        for shown in range(round(seconds * FPS)):
            if until() or self._is_over.is_set():
                return
            is_shown = every and shown % every == 0
            self._show(pictures[shown % len(pictures)] if is_shown else None)

    def _await(self, image: Image, entry: Future[None]) -> None:
        """Show a board at rest until something was entered."""
        self._hold(image, PATIENCE, until=entry.done)
        entry.result(0 if not self._is_over.is_set() else PATIENCE)

    def _suffer(self, image: Image) -> None:
        fault = next(self._coming)
        self._camera.is_gone = fault is GONE
        self._hold(image, LASTS, fault)
        self._camera.is_gone = False
        self._hold(image, BACK)
        self.faults += 1

    def _pause(self, image: Image) -> None:
        self._await(image, self._referee.enter(word("pause")))
        self._hold(image, LASTS)
        self._await(image, self._referee.enter(word("go_on")))
        self._hold(image, BACK)

    def _correct(self, image: Image) -> None:
        self._await(image, self._referee.correct())

    def _rename(self, image: Image) -> None:
        clock = ("desk/clock", {"light": 600, "dark": 600, "delay": 12})
        names = ("desk/names", {**NAMES, "light": f"Anna {self.faults}"})
        self._await(image, self._referee.enter(names, clock, word("clock"), word("clock_stop")))

    def _throw_cup(self, image: Image) -> None:
        """Roll; the sample's dice, which show something else next, stand by the referee's word."""
        self._cup.throw()
        self._hold(image, 1.0)

    def _unplug_cup(self, image: Image) -> None:
        def unplug() -> bool:
            self._cup.unplug()
            return False

        self._hold(image, LASTS, until=unplug)
        self._hold(image, BACK)


@dataclass(frozen=True, slots=True)
class Sight:
    """What was seen of the program."""

    samples: Sequence[Sample]
    entered: Counter[str]
    refused: Sequence[str]
    faults: int
    plays: int
    """Plays that were shown, in whole matches."""
    right: int
    """Those recorded as they were."""

    def __str__(self) -> str:
        return (
            f"{summary(self.samples, 'sight')}; {self.faults} faults of the camera, "
            f"{sum(self.entered.values())} entries, {self.right} of {self.plays} plays right"
        )


def typical(processes: Sequence[int], folder: Path, hours: float, until: float) -> Sample:
    """What they use until then; of memory the median, for pictures of 50 MiB come and go."""
    seen = []
    while not seen or time.monotonic() < until:
        seen.append(sampled(processes, folder, hours))
        time.sleep(1)
    return replace(seen[-1], memory=median(one.memory for one in seen))


def watch(folder: Path, hours: float) -> Sight:
    """Have the program watch the table for so long; a sample for about each match."""
    record, is_over = folder / "record.sqlite", threading.Event()
    with StreamedCamera() as camera, ServedCup(os.urandom) as cup:
        options = ("--cup", cup.url, "--words", "tower", "river", "--length", 5, "--no-browser")
        live = Program(
            *("live", "--camera", camera.url, "--record", record, *options),
            TABLESIDE_HOME=str(folder),
            GLIBC_TUNABLES=KEEPS_NOTHING,
        )
        try:
            referee = Referee(live.url)
            table = Table(camera, cup, referee, is_over)
            playing = ThreadPoolExecutor(1).submit(table.play)
            gather_crowd(live.url, is_over)
            processes, began, taken = (live.process.pid, live.vision_pid), time.monotonic(), []
            while (played := (time.monotonic() - began) / 3600) < hours:
                assert not playing.done(), playing.result()
                until = began + (len(taken) + 1) * MATCH
                taken.append(typical(processes, folder, played, until))
            is_over.set()
            playing.result(PATIENCE)
            live.process.send_signal(signal.SIGTERM)
            assert live.wait_for_exit() == 0
        finally:
            is_over.set()
            live.process.kill()
    with Store.open_read_only(record) as store:
        whole = [store.events(match.id) for match in store.matches() if not match.is_open]
    return Sight(
        taken,
        referee.entered,
        referee.refused,
        table.faults,
        len(whole) * len(samples.true_events("play")),
        sum(plays_right(events, samples.TRUTH) for events in whole),
    )


def main(arguments: Sequence[str]) -> None:
    """Watch for some hours, and draw what was used."""
    with TemporaryDirectory(prefix="tableside-sight-") as folder:
        seen = watch(Path(folder), float(arguments[0]))
    print(seen, *seen.entered.items(), *seen.refused, sep="\n")
    if len(arguments) > 1:
        Path(arguments[1]).write_text(plot(seen.samples), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
