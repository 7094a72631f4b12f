"""A broker that the hall starts itself, where nobody has set one up: Mosquitto, on any free port.

It keeps nothing: the tables send again what the hall lacks.
"""

from __future__ import annotations

import getpass
import logging
import secrets
import shutil
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from queue import Empty, Queue
from typing import Final
from uuid import uuid4

from tableside.background import apart
from tableside.errors import WrongUsage
from tableside.hall.broker import PORTS, Broker, new_client

PROGRAM: Final = "mosquitto"
_PATH: Final = "/usr/sbin:/usr/local/sbin:/opt/homebrew/sbin"
"""Where it is, besides the folders of the user's `PATH`."""
_PORTS: Final = range(PORTS["mqtt"], PORTS["mqtt"] + 100)
"""The first that is free is taken, so that a hall that is started again has the same one."""
_START_S: Final = 10.0
_RETRY_S: Final = 2.0
_ANSWER_S: Final = 1.0
_SETTINGS: Final = """\
listener {port}
allow_anonymous true
max_queued_messages 100000
max_packet_size {mark}
user {user}
"""
_MARKS: Final = range(2**27, 2**28)
"""Sizes of a packet that Mosquitto takes as a limit: far above all that is sent, and one of them
tells a broker from all others, because it says its limit to who connects."""
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
    with tempfile.TemporaryDirectory(prefix="tableside-") as folder:
        broker, running = _start([*_ends_with_us(), program], Path(folder) / "mosquitto.conf")
        with closing(running):
            yield broker


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

    @property
    def has_ended(self) -> bool:
        """Whether it has ended by itself."""
        return self.starts > 1 or self._process.poll() is not None

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


def _start(command: list[str], settings: Path) -> tuple[Broker, RestartedProgram]:
    """A broker on the first port that is free, and what keeps it running."""
    for port in filter(_is_free, _PORTS):
        broker, mark = Broker("127.0.0.1", port), secrets.choice(_MARKS)
        settings.write_text(_SETTINGS.format(port=port, mark=mark, user=getpass.getuser()))
        running = RestartedProgram([*command, "-c", str(settings)])
        if _is_up(broker, running, mark):
            return broker, running
        running.close()
        if _is_free(port):  # if not, another program was faster
            raise WrongUsage(
                f"{PROGRAM} does not start: run `{PROGRAM} -p {port}` to see why, or name a broker "
                "with --broker URL"
            )
    raise WrongUsage(f"no port from {_PORTS[0]} to {_PORTS[-1]} is free for a broker of the hall")


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("", port))
        except OSError:
            return False
    return True


def _is_up(broker: Broker, running: RestartedProgram, mark: int) -> bool:
    """Whether this program, and no other, answers before it ends or the time is over."""
    until = time.monotonic() + _START_S
    while time.monotonic() < until and not running.has_ended:
        if _mark_of(broker) == mark:
            return True
        time.sleep(0.05)
    return False


def _mark_of(broker: Broker) -> int | None:
    """The largest packet that the broker takes, as it says; None if it does not answer."""
    answers: Queue[int | None] = Queue()
    client = new_client(broker, f"tableside-hall-{uuid4().hex}")
    client.on_connect = lambda *told: answers.put(getattr(told[-1], "MaximumPacketSize", None))
    try:
        client.connect(broker.host, broker.port)
        client.loop_start()
        return answers.get(timeout=_ANSWER_S)
    except (OSError, Empty):
        return None
    finally:
        client.disconnect()
        client.loop_stop()
