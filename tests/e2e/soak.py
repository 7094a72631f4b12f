"""A day at the board, compressed: what it does to memory, handles, threads and files.

    python -m tests.e2e.soak HOURS [PLOT.svg]

A process records match after match of simulated observations and serves its pages. This one watches
it: streams are read, pages asked for, players renamed, the match paused, clocks set; and what the
process uses is sampled. Match time runs as fast as the machine allows.
"""

from __future__ import annotations

import contextlib
import logging
import queue
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from http.client import HTTPException
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from engine.evidence.still_period import Motion
from engine.rules import SHORT
from engine.simulation.board import SimulatedBoard
from engine.simulation.match import PlayerHabits, play_match
from tableside.logs import logging_to
from tableside.review.archive import RecordArchive
from tests.paths import ROOT
from tests.refereed_board import looks
from tests.tableside.recording.test_match_sequence import ObservedGame
from tests.tableside.running_match import PICTURE, SimulatedSource
from vision.sources.frame import Frame
from webui.app import create_app
from webui.contracts.desk import ClockEntered, DeskCommand, NamesEntered, NextMatch
from webui.pages.dice import install_dice
from webui.pages.matches import install_review
from webui.server import serve

WARM_HOURS = 3.0
"""Match time until everything that is loaded once has been."""
GAMES = 3
"""Games of a match."""
THINKING = 15
"""Seconds of each turn in which nothing happens."""
VIEWERS = 10
PAGES = ("", "api/state", "metrics", "api/matches", "matches", "api/dice/rolls.csv")
CUT_SHORT = contextlib.suppress(OSError, HTTPException)
"""What becomes of a response whose server ends."""
HABITS = PlayerHabits(rerolls=0.03, hasty=0.05, illegal=1 / 300)
MIB = 2**20
HOURS = "hours played: "
"""Before the figure that is printed; the program prints lines of its own."""


class PacedObservations(SimulatedSource):
    """Observations with their own times; few wait, and those that were read are forgotten."""

    def __init__(self) -> None:
        super().__init__()
        self.coming: Any = queue.Queue(maxsize=50)

    def put_at(self, seconds: float, seen: Any, stood: Any) -> None:
        self.of_frame[self.put_in] = seen, stood
        self.of_frame.pop(self.put_in - 500, None)
        self.coming.put(Frame(PICTURE, self.put_in, seconds))
        self.put_in += 1

    def close(self) -> None:
        with contextlib.suppress(queue.Empty):
            while True:
                self.coming.get_nowait()
        self.coming.put(None)


class EndlessGame(ObservedGame):
    """Match after match."""

    def make_source(self) -> SimulatedSource:
        return PacedObservations()

    def play(self, hours: float) -> Iterator[float]:
        """Play for so many hours of match time; the hours played, now and then."""
        seconds = 0.0
        for number in count(1):
            board = SimulatedBoard(np.random.default_rng(number), SHORT.opening())
            truth = play_match(board, SHORT, games=GAMES, habits=HABITS)
            ends = {play.seen_end for play in truth.plays}
            before = 0.0
            for place, (seen, stood) in enumerate(looks(board)):
                seconds, before = seconds + seen.seconds - before, seen.seconds
                self.source.put_at(seconds, seen, stood)
                if place + 1 in ends and not isinstance(seen, Motion):
                    for _ in range(THINKING):
                        seconds += 1.0
                        self.source.put_at(seconds, seen, stood)
                    yield seconds / 3600
                    if seconds >= hours * 3600:
                        return
            self.enter(number)

    def enter(self, number: int) -> None:
        """What a referee enters, and the next match."""
        for command in (
            NamesEntered(f"Anna {number}", "Bert"),
            ClockEntered(600, 600, 12),
            DeskCommand.CLOCK,
            DeskCommand.CLOCK_STOP,
            DeskCommand.PAUSE,
            DeskCommand.GO_ON,
            DeskCommand.END_MATCH,
            NextMatch("Ann", "Bob", 0, "short", ""),
        ):
            self.execute(command)


def run_matches(folder: Path, hours: float) -> None:
    """The process that is watched: prints its address, then the hours played."""
    with logging_to(folder / "tableside.log", logging.ERROR):
        game = EndlessGame(folder)
        archive = RecordArchive(folder / "record.sqlite")
        app = create_app(game.table)
        install_review(app, archive)
        install_dice(app, archive.dice)
        server = serve(app, port=0)
        print(server.url, flush=True)
        for played in game.play(hours):
            print(f"{HOURS}{played:.3f}", flush=True)
        game.close()
        server.close()
        archive.close()


@dataclass(frozen=True, slots=True)
class Sample:
    """What the program used at one moment."""

    hours: float
    memory: float
    """MiB resident."""
    handles: float
    threads: float
    wal: float
    """MiB of the record's write-ahead log."""
    log: float
    """MiB of the newest log file."""


def sampled(processes: Sequence[int], folder: Path, hours: float) -> Sample:
    """What they use now, together."""
    memory, handles, threads = np.sum([_used(process) for process in processes], axis=0).tolist()
    wal, log = _size(folder / "record.sqlite-wal"), _size(folder / "tableside.log")
    return Sample(hours, memory, handles, threads, wal, log)


def _used(process: int) -> tuple[float, float, float]:
    """MiB resident, handles and threads of a process."""
    proc = Path(f"/proc/{process}")
    status = dict(line.split(":", 1) for line in (proc / "status").read_text().splitlines())
    resident = int(status["VmRSS"].split()[0]) / 1024
    return resident, len(list((proc / "fd").iterdir())), int(status["Threads"])


def _size(path: Path) -> float:
    with contextlib.suppress(FileNotFoundError):
        return path.stat().st_size / MIB
    return 0.0


def soak(folder: Path, hours: float) -> list[Sample]:
    """Play for so many hours of match time, watched; about 200 samples."""
    command = [sys.executable, "-m", "tests.e2e.soak", "run", str(folder), str(hours)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    url, samples, is_over = process.stdout.readline().strip(), [], threading.Event()
    gather_crowd(url, is_over)
    try:
        for line in process.stdout:
            played = float(line.removeprefix(HOURS)) if line.startswith(HOURS) else 0.0
            if played and played >= hours / 200 * len(samples):
                samples.append(sampled([process.pid], folder, played))
        assert process.wait(60) == 0
    finally:
        is_over.set()
        process.kill()
        process.wait()
    return samples


def gather_crowd(url: str, is_over: threading.Event) -> None:
    """Have viewers read the stream and somebody ask for pages, until it is over."""
    for target in (*[_watch] * VIEWERS, _ask):
        threading.Thread(target=target, args=(url, is_over), daemon=True).start()


def _watch(url: str, is_over: threading.Event) -> None:
    """Read the stream, and come back now and then, as phones do."""
    while not is_over.is_set():
        with CUT_SHORT, urllib.request.urlopen(f"{url}api/events", timeout=30) as stream:
            for number, _ in enumerate(stream):
                if number > 2_000 or is_over.is_set():
                    break


def _ask(url: str, is_over: threading.Event) -> None:
    while not is_over.is_set():
        for path in PAGES:
            with CUT_SHORT, urllib.request.urlopen(url + path, timeout=30) as page:
                page.read()
        is_over.wait(2)


def slope(samples: Sequence[Sample], name: str) -> float:
    """How much a figure grows in an hour, after the first hours, or the first quarter."""
    warm = [one for one in samples if one.hours >= min(WARM_HOURS, samples[-1].hours / 4)]
    hours = [one.hours for one in warm]
    return float(np.polyfit(hours, [getattr(one, name) for one in warm], 1)[0])


def summary(samples: Sequence[Sample], of: str = "match time") -> str:
    """The figures in one line; of: what the hours are hours of."""
    last, wal = samples[-1], max(one.wal for one in samples)
    return (
        f"{last.hours:.1f} h of {of}: memory {last.memory:.0f} MiB, "
        f"{slope(samples, 'memory'):+.2f} MiB/h; handles {slope(samples, 'handles'):+.2f}/h; "
        f"threads {slope(samples, 'threads'):+.2f}/h; WAL at most {wal:.1f} MiB"
    )


def plot(samples: Sequence[Sample]) -> str:
    """An SVG with a strip for each figure over the hours."""
    names = [one.name for one in fields(Sample)][1:]
    width, height, left = 640, 70, 90
    parts = []
    for row, name in enumerate(names):
        values = [getattr(one, name) for one in samples]
        top, most = 20 + row * (height + 20), max(*values, 1e-3)
        points = " ".join(
            f"{left + width * one.hours / samples[-1].hours:.1f},"
            f"{top + height * (1 - getattr(one, name) / most):.1f}"
            for one in samples
        )
        unit = "" if name in ("handles", "threads") else " MiB"
        parts.append(
            f'<path d="M{left} {top}v{height}h{width}" class="axis"/>'
            f'<polyline points="{points}"/>'
            f'<text x="4" y="{top + 12}">{name}</text>'
            f'<text x="4" y="{top + 30}">{most:.3g}{unit}</text>'
        )
    total = 20 + len(names) * (height + 20)
    hours = f'<text x="{left + width}" y="{total}" class="end">{samples[-1].hours:.0f} h</text>'
    style = (
        "text{font:13px sans-serif;fill:#555}.end{text-anchor:end}"
        "polyline{fill:none;stroke:#2b6cb0;stroke-width:1.5}.axis{fill:none;stroke:#bbb}"
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + width + 10} {total + 10}">'
        f"<style>{style}</style>{''.join(parts)}{hours}</svg>\n"
    )


def main(arguments: Sequence[str]) -> None:
    """Watch a day, or be what is watched."""
    if arguments[0] == "run":
        run_matches(Path(arguments[1]), float(arguments[2]))
        return
    with TemporaryDirectory(prefix="tableside-soak-") as folder:
        began = time.monotonic()
        samples = soak(Path(folder), float(arguments[0]))
        print(f"{summary(samples)}; took {(time.monotonic() - began) / 60:.0f} min")
    if len(arguments) > 1:
        Path(arguments[1]).write_text(plot(samples), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
