"""Benchmark of the event streams: a hundred readers at ten changes a second, and some that stall.

The server has a process of its own, so that reading its streams costs it nothing. The baseline is
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
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from math import ceil
from typing import Any, Final

from tableside.bench import BenchRow, Measure
from tableside.site.state_hub import StateHub
from webui.app import STREAMS, create_app
from webui.contracts.state import ScoreRow, TurnCell
from webui.server import WORKERS, serve

READERS: Final = 100
STALLED: Final = 5
"""Readers that never read."""
CHANGES: Final = 10
"""A second."""
SECONDS: Final = 10.0
WARM_UP: Final = 2.0
"""Seconds before anything counts: all readers are connected by then."""
IN_FLIGHT: Final = 3
"""Newest changes that readers need not have received yet."""
MAX_START: Final = 30.0
"""Seconds until a server listens."""
TURNS: Final = 40
"""Rows of the score sheet in each state: a long game."""
_ID: Final = re.compile(rb"^id: (\d+)$", re.MULTILINE)
_REQUEST: Final = b"GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n"


def ticking_app() -> Any:
    """The app of a match whose state keeps changing; granian imports it by this name."""
    table = StateHub()
    turn = TurnCell(id="1", dice=[3, 1], play="8/5 6/5", review=False, illegal=False)
    moves = [ScoreRow(number=n, light=turn, dark=turn) for n in range(1, TURNS + 1)]

    def tick() -> None:
        count = 0
        while True:
            count += 1
            table.publish(phase="playing", message=f"change {count}", moves=moves)
            time.sleep(1 / CHANGES)

    threading.Thread(target=tick, daemon=True).start()
    return create_app(table)


def main() -> None:
    """Print the port, and serve the app with the program's own server until the process ends."""
    server = serve(ticking_app(), port=0)
    print(server.port, flush=True)
    threading.Event().wait()


@dataclass
class ReaderLatencies:
    """The versions that one reader received, and the latency of each in milliseconds."""

    latencies: list[float] = field(default_factory=list)
    versions: list[int] = field(default_factory=list)
    _rest: bytes = b""

    def add(self, chunk: bytes, now: float) -> None:
        """Take in more of the stream."""
        *whole, self._rest = (self._rest + chunk).split(b"\n\n")
        for event in whole:
            for number in _ID.findall(event):
                self.versions.append(int(number))
                self.latencies.append(1000 * now - int(number))


@dataclass(frozen=True, slots=True)
class StreamResults:
    """The latencies of all readers in milliseconds, sorted, and the number of changes missed."""

    latencies: Sequence[float]
    missed: int
    lost: int
    """Streams that broke off, or never began."""
    cpu: float
    """CPU seconds of the server's processes, with their start."""

    def percentile(self, share: float) -> float:
        """Milliseconds within which that share of the events came."""
        return self.latencies[ceil(share * len(self.latencies)) - 1]

    @property
    def summary(self) -> str:
        """All but the figure itself."""
        return (
            f"half within {self.percentile(0.5):.0f}, slowest {self.latencies[-1]:.0f}, "
            f"missed {self.missed}, streams lost {self.lost}, {self.cpu:.1f} s of CPU"
        )


def read_streams(port: int) -> StreamResults:
    """Read a hundred streams of the server at `port` in this thread, while others stall."""
    stalled = [_connect(port) for _ in range(STALLED)]
    with selectors.DefaultSelector() as readers:
        latencies = []
        for _ in range(READERS):
            latencies.append(ReaderLatencies())
            readers.register(_connect(port), selectors.EVENT_READ, latencies[-1])
        lost = _listen(readers, time.monotonic() + WARM_UP)
        for one in latencies:
            one.latencies.clear()
            one.versions.clear()
        lost += _listen(readers, time.monotonic() + SECONDS)
        for key in list(readers.get_map().values()):
            reader: Any = key.fileobj
            reader.close()
    for idle in stalled:
        idle.close()
    # The newest were still on their way to some when the time was over.
    known = sorted({version for one in latencies for version in one.versions})[:-IN_FLIGHT]
    missed = sum(len(set(known).difference(one.versions)) for one in latencies)
    return StreamResults(sorted(ms for one in latencies for ms in one.latencies), missed, lost, 0.0)


def _connect(port: int) -> socket.socket:
    reader = socket.create_connection(("127.0.0.1", port), timeout=10)
    reader.sendall(_REQUEST)
    reader.setblocking(False)
    return reader


def _listen(readers: selectors.BaseSelector, until: float) -> int:
    """Read until then; the number of streams that broke off."""
    lost = 0
    while (left := until - time.monotonic()) > 0:
        for key, _ in readers.select(left):
            reader: Any = key.fileobj
            chunk = reader.recv(1 << 16)
            if chunk:
                key.data.add(chunk, time.time())
            else:
                lost += 1
                readers.unregister(reader)
                reader.close()
    return lost


@contextmanager
def _running(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        yield process
    finally:
        process.terminate()
        process.communicate(timeout=30)


def _ours() -> StreamResults:
    before = _cpu()
    with _running("-m", "tableside.bench.streams") as process:
        assert process.stdout is not None, "it is a pipe"  # noqa: S101
        found = read_streams(int(process.stdout.readline()))
    return replace(found, cpu=_cpu() - before)


def _granian() -> StreamResults:
    before, port = _cpu(), _free_port()
    threads = str(STREAMS + WORKERS)
    arguments = ("--interface", "wsgi", "--port", str(port), "--blocking-threads", threads)
    with _running("-m", "granian", *arguments, "--factory", f"{__package__}.streams:ticking_app"):
        _await_listener(port)
        found = read_streams(port)
    return replace(found, cpu=_cpu() - before)


def _cpu() -> float:
    """CPU seconds of all child processes that have ended."""
    times = os.times()
    return times.children_user + times.children_system


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def _await_listener(port: int) -> None:
    """Return once a server listens there."""
    until = time.monotonic() + MAX_START
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.1)
        else:
            return


def _measure_streams() -> BenchRow:
    ours = _ours()
    found = f"{READERS} streams, {CHANGES} changes a second, 99 % within; {ours.summary}"
    if find_spec("granian") is None:
        return BenchRow(ours.percentile(0.99), "ms", f"granian is not installed ({found})")
    other = _granian()
    return BenchRow(
        ours.percentile(0.99),
        "ms",
        f"granian: {other.summary} ({found})",
        other.percentile(0.99),
        is_more_better=False,
    )


ROWS: Final[dict[str, Measure]] = {"page_streams": _measure_streams}

if __name__ == "__main__":
    main()
