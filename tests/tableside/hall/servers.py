"""The real servers of a hall, each on a free port with a folder of its own."""

from __future__ import annotations

import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

import pytest

PATIENCE = 30


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(condition, seconds=PATIENCE):
    """What `condition` returns, once that is true."""
    until = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < until, "nothing happened"
        time.sleep(0.02)
    return found


def answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


class Mosquitto:
    """Debian's broker; `kill` and `start` it as often as wanted."""

    def __init__(self, folder: Path, *lines: str) -> None:
        program = shutil.which(
            "mosquitto", path="/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin"
        )
        if program is None:
            pytest.skip("needs mosquitto: apt-get install mosquitto")
        self.port, self._program = free_port(), program
        self._conf = folder / "mosquitto.conf"
        given = lines or ("allow_anonymous true",)
        self._conf.write_text(
            "\n".join(
                [
                    f"listener {self.port} 127.0.0.1",
                    "user root",  # it would give up the right to read the test's folder
                    "persistence true",
                    f"persistence_location {folder}/",
                    *given,
                ]
            )
        )
        self._process: subprocess.Popen | None = None
        self.start()

    @property
    def url(self) -> str:
        return f"mqtt://127.0.0.1:{self.port}"

    def start(self) -> None:
        self._process = subprocess.Popen(
            [self._program, "-c", str(self._conf)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        wait_for(lambda: answers(self.port))

    def pause(self) -> None:
        """Let it answer nothing until `resume`."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)

    def kill(self) -> None:
        """Without a warning: whatever it held in memory is lost."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
