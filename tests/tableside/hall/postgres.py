"""Debian's PostgreSQL, started by the test on a free port with its own folder."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
from contextlib import suppress
from itertools import count
from pathlib import Path

import psycopg
import pytest

from tests.tableside.hall.servers import free_port, wait_for


class Postgres:
    """A cluster of its own; it refuses to run as root, so root starts it as `postgres`."""

    def __init__(self, folder: Path) -> None:
        found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))
        if not found:
            pytest.skip("needs PostgreSQL: apt-get install postgresql")
        self.port, bin_folder = free_port(), found[-1].parent
        self._data = folder / "data"
        folder.chmod(0o777)
        self._as = []
        if os.getuid() == 0:
            if not (runuser := shutil.which("runuser")):
                pytest.skip("needs runuser to start PostgreSQL as root")
            pwd.getpwnam("postgres")
            self._as = [runuser, "-u", "postgres", "--"]
        self._run(str(bin_folder / "initdb"), "-D", str(self._data), "-U", "hall", "-A", "trust")
        self._process = subprocess.Popen(
            [
                *self._as, str(bin_folder / "postgres"), "-D", str(self._data),
                "-p", str(self.port), "-k", str(folder), "-c", "listen_addresses=127.0.0.1",
            ],
            cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self._databases, self._paused = count(1), list[int]()
        wait_for(self._is_ready)

    def _is_ready(self) -> bool:
        try:
            self._connect().close()
        except psycopg.OperationalError:
            return False
        return True

    def _connect(self) -> psycopg.Connection:
        return psycopg.connect(
            host="127.0.0.1", port=self.port, user="hall", dbname="postgres", autocommit=True
        )

    def new_database(self) -> str:
        """The URL of an empty database."""
        name = f"hall{next(self._databases)}"
        with self._connect() as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return f"postgresql://hall@127.0.0.1:{self.port}/{name}"

    def _run(self, *command: str) -> None:
        subprocess.run([*self._as, *command], check=True, capture_output=True, cwd="/tmp")

    def pause(self) -> None:
        """Let it answer nothing, without closing a connection, until `resume`."""
        first = self._first
        os.kill(first, signal.SIGSTOP)  # first: it starts and ends the others
        children = Path(f"/proc/{first}/task/{first}/children").read_text().split()
        self._paused = [*map(int, children), first]
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        self._signal(signal.SIGCONT)
        self._process.send_signal(signal.SIGCONT)  # runuser stops with its child

    def _signal(self, number: signal.Signals) -> None:
        for process in self._paused:
            with suppress(ProcessLookupError):
                os.kill(process, number)

    @property
    def _first(self) -> int:
        """The server's own process, which `runuser` started."""
        return int((self._data / "postmaster.pid").read_text().split()[0])

    def close(self) -> None:
        os.kill(self._first, signal.SIGQUIT)  # at once: nobody reads it again
        self._process.wait()
