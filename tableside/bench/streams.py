"""How many can watch at once: a hundred streams at ten changes a second, and one that stalls.

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
SETTLED: Final = 2.0
"""Seconds before anything counts: all readers are there by then."""
UNDERWAY: Final = 3
"""Newest changes that nobody need have got yet."""
LONGEST_START: Final = 30.0
"""Seconds until a server listens."""
TURNS: Final = 40
"""Rows of the score sheet in each state: a long game."""
_ID: Final = re.compile(rb"^id: (\d+)$", re.MULTILINE)
_REQUEST: Final = b"GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n"


def ticking_app() -> Any:
    """The page of a table that changes all the time; granian imports it by this name."""
    table = StateHub()
    turn = TurnCell(id="1", dice=[3, 1], play="8/5 6/5", review=False, illegal=False)
    moves = [ScoreRow(number=n, light=turn, dark=turn) for n in range(1, TURNS + 1)]

    def tick() -> None:
        count = 0
        while True:
            count += 1
            table.tell(phase="playing", message=f"change {count}", moves=moves)
            time.sleep(1 / CHANGES)

    threading.Thread(target=tick, daemon=True).start()
    return create_app(table)


def main() -> None:
    """Serve it with the program's own server until the process is ended; its port comes first."""
    server = serve(ticking_app(), port=0)
    print(server.port, flush=True)
    threading.Event().wait()


@dataclass
class ReaderLatencies:
    """What one reader was told: each version, and how many milliseconds after it was made."""

    late: list[float] = field(default_factory=list)
    versions: list[int] = field(default_factory=list)
    left_over: bytes = b""

    def take(self, data: bytes, now: float) -> None:
        """More of the stream."""
        *whole, self.left_over = (self.left_over + data).split(b"\n\n")
        for event in whole:
            for number in _ID.findall(event):
                self.versions.append(int(number))
                self.late.append(1000 * now - int(number))


@dataclass(frozen=True, slots=True)
class StreamResults:
    """How it went: milliseconds, sorted, of all readers, and how many changes were not told."""

    late: Sequence[float]
    missed: int
    lost: int
    """Streams that broke off, or never began."""
    cpu: float
    """Seconds that the server's processes took, their start included."""

    def percentile(self, share: float) -> float:
        """Milliseconds within which that share of all events came."""
        return self.late[ceil(share * len(self.late)) - 1]

    @property
    def words(self) -> str:
        """Everything but the figure itself."""
        return (
            f"half within {self.percentile(0.5):.0f}, slowest {self.late[-1]:.0f}, "
            f"missed {self.missed}, streams lost {self.lost}, {self.cpu:.1f} s of CPU"
        )


def streamed(port: int) -> StreamResults:
    """A hundred readers of the server at `port`, all in this thread, and some that stall."""
    stalled = [_connected(port) for _ in range(STALLED)]
    with selectors.DefaultSelector() as readers:
        heard = []
        for _ in range(READERS):
            heard.append(ReaderLatencies())
            readers.register(_connected(port), selectors.EVENT_READ, heard[-1])
        lost = _listen(readers, time.monotonic() + SETTLED)
        for one in heard:
            one.late.clear()
            one.versions.clear()
        lost += _listen(readers, time.monotonic() + SECONDS)
        for key in list(readers.get_map().values()):
            _closed(key.fileobj)
    for idle in stalled:
        idle.close()
    # The newest were still on their way to some when the time was over.
    known = sorted({version for one in heard for version in one.versions})[:-UNDERWAY]
    missed = sum(len(set(known).difference(one.versions)) for one in heard)
    return StreamResults(sorted(ms for one in heard for ms in one.late), missed, lost, 0.0)


def _connected(port: int) -> socket.socket:
    reader = socket.create_connection(("127.0.0.1", port), timeout=10)
    reader.sendall(_REQUEST)
    reader.setblocking(False)
    return reader


def _closed(reader: Any) -> None:
    reader.close()


def _listen(readers: selectors.BaseSelector, until: float) -> int:
    """How many streams broke off before then."""
    lost = 0
    while (left := until - time.monotonic()) > 0:
        for key, _ in readers.select(left):
            reader: Any = key.fileobj
            data = reader.recv(1 << 16)
            if data:
                key.data.take(data, time.time())
            else:
                lost += 1
                readers.unregister(reader)
                reader.close()
    return lost


@contextmanager
def _running(*words: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
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
        found = streamed(int(process.stdout.readline()))
    return replace(found, cpu=_cpu() - before)


def _granian() -> StreamResults:
    before, port = _cpu(), _free_port()
    threads = str(STREAMS + WORKERS)
    words = ("--interface", "wsgi", "--port", str(port), "--blocking-threads", threads)
    with _running("-m", "granian", *words, "--factory", f"{__package__}.bench_page:ticking_app"):
        _await(port)
        found = streamed(port)
    return replace(found, cpu=_cpu() - before)


def _cpu() -> float:
    """Seconds that all processes took which were waited for."""
    times = os.times()
    return times.children_user + times.children_system


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def _await(port: int) -> None:
    """Until something listens there."""
    until = time.monotonic() + LONGEST_START
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
    found = f"{READERS} streams, {CHANGES} changes a second, 99 % within; {ours.words}"
    if find_spec("granian") is None:
        return BenchRow(ours.percentile(0.99), "ms", f"granian is not installed ({found})")
    other = _granian()
    return BenchRow(
        ours.percentile(0.99),
        "ms",
        f"granian: {other.words} ({found})",
        other.percentile(0.99),
        is_more_better=False,
    )


ROWS: Final[dict[str, Measure]] = {"page_streams": _measure_streams}

if __name__ == "__main__":
    main()
