"""A hall without a broker on a network with many tables, and how late its page is.

    python -m tests.tableside.hall.simulated_nearby --tables 40 --seconds 30

One process serves the pages of all tables, with passwords as `live --host` has them, and announces
each by mDNS; `tableside hall --nearby` is another. Each table plays a random match, one event every
two seconds or so: about four times the pace of people.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from multiprocessing import get_context
from pathlib import Path

import numpy as np

from engine import MatchState, fold
from tableside.hall.nearby import announced_table
from tableside.site.network import Network
from tableside.site.page_state import match_part, phase_of
from tableside.site.serve import Site, page_of
from tableside.site.state_hub import StateHub
from tests.tableside.hall.servers import wait_for
from tests.tableside.hall.simulated_hall import PAUSE_S, Reader, look_of, random_match, tell
from webui.contracts.hall import TableShown
from webui.contracts.roles import Role, Visibility
from webui.http.passwords import Passwords, hashed
from webui.views.hall import tile

PASSWORD = "of-the-viewers"


class Pages:
    """The pages of tables, each announced."""

    def __init__(self, tables, stack):
        self.matches, self.done = [random_match(n) for n in range(tables)], [0] * tables
        self.hubs = [StateHub() for _ in range(tables)]
        hashes = {Role.VIEWER: hashed(PASSWORD), Role.REFEREE: hashed("of-the-referee")}
        network = Network("0.0.0.0", passwords=Passwords(hashes))
        for number, hub in enumerate(self.hubs):
            page = page_of(Site(hub, network, opens_browser=False))
            port = stack.enter_context(page).port
            stack.enter_context(announced_table(str(number + 1), port))

    def step(self, number, count=1):
        self.done[number] += count
        events = self.matches[number][: self.done[number]]
        state = fold(events, MatchState(variant="short", length=7, light="Light", dark="Dark"))
        self.hubs[number].publish(**match_part(state, events), phase=phase_of(state))

    def look(self, number):
        state = self.hubs[number].state(Visibility.PLAYERS)
        shown = TableShown(
            name="", version=0, online=True, page="", troubles=[], age=0.0, state=state
        )
        return look_of(tile(shown))


def play(tables, told):
    """Be all tables, and tell each event that can be seen: the table, its look and when."""
    os.environ["TABLESIDE_HOME"] = tempfile.mkdtemp()
    rng = np.random.default_rng(1)
    with ExitStack() as stack:
        pages = Pages(tables, stack)
        announced = time.monotonic()
        for number in range(tables):
            pages.step(number, int(rng.integers(8, 60)))
            told.send((str(number + 1), pages.look(number), announced))
        while True:
            number, began = int(rng.integers(tables)), time.monotonic()
            before = pages.look(number)
            pages.step(number)
            if (look := pages.look(number)) != before:
                told.send((str(number + 1), look, began))
            time.sleep(max(0.0, PAUSE_S / tables - (time.monotonic() - began)))


def hall_at(folder):
    """Start the hall: its process and the port of its page."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tableside", "hall", "--nearby", "--trust", "0.0.0.0/0",
         "--no-browser", "--port", "0"],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "TABLESIDE_HOME": folder, "TABLESIDE_HALL_PASSWORD": PASSWORD},
    )  # fmt: skip
    line = next(line for line in process.stdout if "http://" in line)
    return process, int(line.rstrip("/\n").rpartition(":")[2])


def processor_time(process):
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_mb(process):
    pages = int(Path(f"/proc/{process.pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tables", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=30.0)
    args = parser.parse_args()
    context = get_context("spawn")
    heard, told = context.Pipe(duplex=False)
    tables = context.Process(target=play, args=(args.tables, told), daemon=True)
    with tempfile.TemporaryDirectory() as folder:
        hall, port = hall_at(folder)
        try:
            tables.start()
            measure(args, heard, Reader(port), hall)
        finally:
            tables.kill()
            hall.send_signal(signal.SIGINT)
            ended = time.monotonic()
            hall.wait(60)
            print(f"the hall ended within {time.monotonic() - ended:.1f} s")


def measure(args, heard, reader, hall):
    def listen():
        while heard.poll():
            reader.expect(*heard.recv())

    def is_all_there():
        listen()
        return len(reader._shown) == args.tables

    began = heard.recv()[-1]
    wait_for(is_all_there, 120)
    late = time.monotonic() - began
    print(f"{args.tables} tables are there {late:.1f} s after the last of them was announced")
    until = time.monotonic() + 5
    while time.monotonic() < until:
        listen()
        time.sleep(0.01)
    reader.late.clear()
    before, start = processor_time(hall), time.monotonic()
    while time.monotonic() < start + args.seconds:
        listen()
        time.sleep(0.01)
    used, wall = processor_time(hall) - before, time.monotonic() - start
    tell(reader, args.tables)
    print(f"the hall used {100 * used / wall:.0f} % of a core and {resident_mb(hall):.0f} MB")


if __name__ == "__main__":
    main()
