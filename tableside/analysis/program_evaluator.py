"""GNU Backgammon as an `Evaluator`: the program runs beside us and evaluates what it is sent."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np

from engine.arrays import Boards, Floats
from engine.message import msg
from tableside.errors import NoAnalysis

_NAMES: Final = ("gnubg", "gnubg-cli")
_FOLDERS: Final = ("/usr/games", r"C:\Program Files (x86)\gnubg", r"C:\Program Files\gnubg")
_SCRIPT: Final = Path(__file__).with_name("gnubg_script.py")
_SECONDS: Final = 20.0
"""To say which version it is."""


def find_program() -> str | None:
    """The path of GNU Backgammon; None if it is not installed."""
    path = os.pathsep.join((os.environ.get("PATH", ""), *_FOLDERS))
    return next((found for name in _NAMES if (found := shutil.which(name, path=path))), None)


@cache
def program_name(program: str) -> str:
    """Its name and version; raises `NoAnalysis` if it cannot be run."""
    try:
        done = subprocess.run(
            [program, "--version"], capture_output=True, text=True, timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NoAnalysis(msg("gnubg cannot be run: {error}", error=str(error))) from error
    found = re.search(r"GNU Backgammon [0-9.]+", done.stdout)
    return found[0] if found else "GNU Backgammon"


class ProgramEvaluator:
    """The networks of an installed GNU Backgammon, in a home of its own."""

    def __init__(self, program: str) -> None:
        """Start the program; raises `NoAnalysis` if it does not come up."""
        self.name = program_name(program)
        self._home = tempfile.TemporaryDirectory(prefix="tableside-")
        environment = {**os.environ, "HOME": self._home.name, "LC_ALL": "C", "LANGUAGE": "C"}
        try:
            self._process = subprocess.Popen(
                [program, "-t", "-q", "-r", "-p", str(_SCRIPT)],
                cwd=self._home.name,
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
            )
        except OSError as error:
            self._home.cleanup()
            raise NoAnalysis(msg("gnubg cannot be run: {error}", error=str(error))) from error
        try:
            self._answer()
        except NoAnalysis:
            self.close()
            raise

    def chances(self, boards: Boards, plies: int) -> Floats:
        """See `Evaluator`."""
        # It takes the other player first, and no counts of checkers borne off.
        question = json.dumps([boards[:, ::-1, 1:].tolist(), plies])
        assert self._process.stdin is not None  # noqa: S101
        try:
            self._process.stdin.write(question + "\n")
            self._process.stdin.flush()
        except OSError as error:
            raise NoAnalysis(msg("gnubg has ended unexpectedly")) from error
        return np.array(json.loads(self._answer()), np.float64).reshape(-1, 5)

    def close(self) -> None:
        """End the program."""
        self._process.kill()
        self._process.communicate()
        self._home.cleanup()

    def _answer(self) -> str:
        assert self._process.stdout is not None  # noqa: S101
        for line in self._process.stdout:
            if line.startswith("= "):
                return line[2:]
        raise NoAnalysis(msg("gnubg has ended unexpectedly"))
