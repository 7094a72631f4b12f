"""A broker that the hall starts itself, where nobody has set one up: Mosquitto, on any free port.

It keeps nothing: the tables send again what the hall lacks.
"""

from __future__ import annotations

import getpass
import logging
import shutil
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tableside.background import apart
from tableside.errors import WrongUsage
from tableside.hall.broker import PORTS, Broker

PROGRAM: Final = "mosquitto"
_PATH: Final = "/usr/sbin:/usr/local/sbin:/opt/homebrew/sbin"
"""Where it is, besides the folders of the user's `PATH`."""
_PORTS: Final = range(PORTS["mqtt"], PORTS["mqtt"] + 100)
"""The first that is free is taken, so that a hall that is started again has the same one."""
_START_S: Final = 10.0
_RETRY_S: Final = 2.0
_SETTINGS: Final = """\
listener {port}
allow_anonymous true
max_queued_messages 100000
user {user}
"""
_LOGGER: Final = logging.getLogger(__name__)


def mosquitto() -> str | None:
    """The path of the program; None if it is not installed."""
    return shutil.which(PROGRAM) or shutil.which(PROGRAM, path=_PATH)


@contextmanager
def own_broker() -> Iterator[Broker]:
    """Run a broker for everybody on this machine's networks until the end of the block.

    If it ends by itself, it is started again. Raises `WrongUsage` if it does not start.
    """
    program = mosquitto()
    if program is None:
        raise WrongUsage(
            "the hall needs Mosquitto to start a broker of its own: apt install mosquitto, or name "
            "a broker with --broker URL"
        )
    broker = Broker("127.0.0.1", _free_port())
    with tempfile.TemporaryDirectory(prefix="tableside-") as folder:
        settings = Path(folder) / "mosquitto.conf"
        settings.write_text(_SETTINGS.format(port=broker.port, user=getpass.getuser()))
        running = RestartedProgram([*_ends_with_us(), program, "-c", str(settings)])
        try:
            _wait_for(broker, running)
            yield broker
        finally:
            running.close()


class RestartedProgram:
    """A program that is started again whenever it ends."""

    def __init__(self, command: list[str]) -> None:
        self._command, self._stopping = command, threading.Event()
        self._changing = threading.Lock()
        self.starts = 0
        """How often it was started."""
        self._process = self._start()
        self._keeper = threading.Thread(target=self._keep, name="broker", daemon=True)
        self._keeper.start()

    def _start(self) -> subprocess.Popen[bytes]:
        self.starts += 1
        return subprocess.Popen(
            self._command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **apart()
        )

    def _keep(self) -> None:
        while True:
            status = self._process.wait()
            if self._stopping.wait(_RETRY_S):
                return
            with self._changing:
                if self._stopping.is_set():
                    return
                _LOGGER.warning("the broker ended with status %d: it is started again", status)
                self._process = self._start()

    def close(self) -> None:
        """End it for good."""
        with self._changing:
            self._stopping.set()
            self._process.terminate()
        self._keeper.join()


def _ends_with_us() -> list[str]:
    """What makes the broker end even if the hall is killed, where the system has it."""
    setpriv = shutil.which("setpriv")
    return [] if setpriv is None else [setpriv, "--pdeathsig", "TERM"]


def _free_port() -> int:
    for port in _PORTS:
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("", port))
            except OSError:
                continue
            return port
    raise WrongUsage(f"no port from {_PORTS[0]} to {_PORTS[-1]} is free for a broker of the hall")


def _wait_for(broker: Broker, running: RestartedProgram) -> None:
    until = time.monotonic() + _START_S
    while time.monotonic() < until and running.starts == 1:
        with socket.socket() as probe:
            if probe.connect_ex((broker.host, broker.port)) == 0:
                return
        time.sleep(0.05)
    raise WrongUsage(
        f"{PROGRAM} does not start: run `{PROGRAM} -p {broker.port}` to see why, or name a broker "
        "with --broker URL"
    )
