"""Event streams: five hundred readers at ten changes a second, plus some that stall.

The server has its own process, so that reading its streams costs it nothing. The baseline is
granian, another production server, with the same application.
"""

from __future__ import annotations

import os
import re
import selectors
import socket
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any, Final

import numpy as np

from engine.arrays import Floats
from tableside.bench import BenchRow
from tableside.site.state_hub import StateHub
from webui.app import STREAMS, create_app
from webui.contracts.state import ScoreRow, SheetCell
from webui.server import WORKERS, serve

READERS: Final = 500
STALLED_READERS: Final = 5
"""Readers that never read."""
CHANGES_PER_SECOND: Final = 10
SECONDS: Final = 10.0
WARM_UP_SECONDS: Final = 2.0
"""Before measuring starts; by then all readers are connected."""
IN_FLIGHT: Final = 3
"""Number of newest changes that readers need not have received yet."""
MAX_START_S: Final = 30.0
"""Longest wait for a server to listen."""
LONG_GAME: Final = 40
"""Rows of the score sheet in each state."""
_ID: Final = re.compile(rb"^id: (\d+)$", re.MULTILINE)
_REQUEST: Final = b"GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n"


def ticking_app() -> Any:
    """The app of a match whose state keeps changing; granian imports it by this name."""
    hub, moves = StateHub(), score_sheet(LONG_GAME)

    def tick() -> None:
        count = 0
        while True:
            count += 1
            hub.publish(phase="playing", message=f"change {count}", moves=moves)
            time.sleep(1 / CHANGES_PER_SECOND)

    threading.Thread(target=tick, daemon=True).start()
    return create_app(hub)


def score_sheet(rows: int) -> list[ScoreRow]:
    """Rows of two plays each."""
    turn = SheetCell(
        id="1", kind="play", value=0, dice=[6, 2], play="24/18 13/11", review=False, illegal=False
    )
    return [ScoreRow(number=n, light=turn, dark=turn) for n in range(1, rows + 1)]


def measure_streams() -> BenchRow:
    """Measure the milliseconds within which 99 % of the events arrive."""
    ours = _measure_server("-m", "tableside.bench.streams")
    note = f"{READERS} streams, {CHANGES_PER_SECOND} changes a second, 99 % within; {ours.summary}"
    if find_spec("granian") is None:
        return BenchRow(ours.percentile(99), "ms", f"granian is not installed ({note})")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = int(listener.getsockname()[1])
    threads = str(STREAMS + WORKERS)
    options = ("--interface", "wsgi", "--port", str(port), "--blocking-threads", threads)
    app = "tableside.bench.streams:ticking_app"
    granian = _measure_server("-m", "granian", *options, "--factory", app, port=port)
    name = f"granian: {granian.summary} ({note})"
    return BenchRow(ours.percentile(99), "ms", name, granian.percentile(99), is_more_better=False)


def serve_ticking_app() -> None:
    """Print the port, and serve the app with the program's own server until the process ends."""
    server = serve(ticking_app(), port=0)
    print(server.port, flush=True)
    threading.Event().wait()


@dataclass(slots=True)
class _Reader:
    """The versions that one reader has received, and the latency of each in milliseconds."""

    latencies: list[float] = field(default_factory=list)
    versions: list[int] = field(default_factory=list)
    rest: bytes = b""

    def add(self, chunk: bytes, now: float) -> None:
        """Process the next part of the stream."""
        *whole, self.rest = (self.rest + chunk).split(b"\n\n")
        for event in whole:
            for number in map(int, _ID.findall(event)):
                self.versions.append(number)
                self.latencies.append(1000 * now - number)


@dataclass(frozen=True, slots=True)
class _StreamResults:
    """What all readers of a server received."""

    latencies: Floats
    """Milliseconds, sorted."""
    missed: int
    """Changes missed, over all readers."""
    lost: int
    """Streams that broke off or never began."""
    cpu_s: float
    """CPU seconds of the server's processes, including their start-up."""

    @property
    def summary(self) -> str:
        """Everything except the figure itself."""
        return (
            f"half within {self.percentile(50):.0f}, slowest {self.latencies[-1]:.0f}, "
            f"missed {self.missed}, streams lost {self.lost}, {self.cpu_s:.1f} s of CPU"
        )

    def percentile(self, percent: int) -> float:
        """Milliseconds within which this percentage of the events arrived."""
        return float(np.percentile(self.latencies, percent, method="inverted_cdf"))


def _measure_server(*arguments: str, port: int | None = None) -> _StreamResults:
    """Start a Python process and read its streams; without `port` it prints its own."""
    cpu_before = _cpu_seconds()
    process = subprocess.Popen(
        [sys.executable, *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        if port is None:
            assert process.stdout is not None, "it is a pipe"  # noqa: S101
            port = int(process.stdout.readline())
        _await_listener(port)
        readers, lost = _read_streams(port)
    finally:
        process.terminate()
        process.communicate(timeout=30)
    # The newest changes were still in transit to some readers when the time was up.
    known = sorted({version for one in readers for version in one.versions})[:-IN_FLIGHT]
    missed = sum(len(set(known).difference(one.versions)) for one in readers)
    latencies = np.sort([ms for one in readers for ms in one.latencies])
    return _StreamResults(latencies, missed, lost, _cpu_seconds() - cpu_before)


def _read_streams(port: int) -> tuple[list[_Reader], int]:
    """Read a server's streams in this thread while others stall; also return how many were lost."""
    stalled = [_connect(port) for _ in range(STALLED_READERS)]
    readers = [_Reader() for _ in range(READERS)]
    with selectors.DefaultSelector() as selector:
        for reader in readers:
            selector.register(_connect(port), selectors.EVENT_READ, reader)
        lost = _listen(selector, time.monotonic() + WARM_UP_SECONDS)
        for reader in readers:
            reader.latencies.clear()
            reader.versions.clear()
        lost += _listen(selector, time.monotonic() + SECONDS)
        for key in list(selector.get_map().values()):
            _socket_of(key).close()
    for idle in stalled:
        idle.close()
    return readers, lost


def _connect(port: int) -> socket.socket:
    reader = socket.create_connection(("127.0.0.1", port), timeout=10)
    reader.sendall(_REQUEST)
    reader.setblocking(False)
    return reader


def _listen(selector: selectors.BaseSelector, until: float) -> int:
    """Read until then; return the number of streams that broke off."""
    lost = 0
    while (left := until - time.monotonic()) > 0:
        for key, _ in selector.select(left):
            reader = _socket_of(key)
            chunk = reader.recv(1 << 16)
            if chunk:
                key.data.add(chunk, time.time())
            else:
                lost += 1
                selector.unregister(reader)
                reader.close()
    return lost


def _socket_of(key: selectors.SelectorKey) -> socket.socket:
    assert isinstance(key.fileobj, socket.socket), "only sockets are registered"  # noqa: S101
    return key.fileobj


def _cpu_seconds() -> float:
    """CPU time of all child processes that have ended."""
    times = os.times()
    return times.children_user + times.children_system


def _await_listener(port: int) -> None:
    until = time.monotonic() + MAX_START_S
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.1)
        else:
            return


if __name__ == "__main__":
    serve_ticking_app()
