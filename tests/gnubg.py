"""The real gnubg as a judge of our files; tests that use it are skipped where it is absent."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

HUMANS = "set automatic game off\nset automatic roll off\nset player 0 human\nset player 1 human\n"
"""Commands after which gnubg waits instead of playing."""


def find_gnubg() -> str:
    program = shutil.which("gnubg", path=f"{os.environ.get('PATH', '')}{os.pathsep}/usr/games")
    if program is None:
        pytest.skip("gnubg is not installed")
    return program


@dataclass
class Imported:
    """What gnubg made of a file: its own SGF, and its complaints."""

    sgf: bytes
    complaints: list[str]


def imported(text: str, name: str, folder: Path, settings: str = "") -> Imported:
    """What gnubg makes of this text, after commands such as `set jacoby off`."""
    given, saved = folder / name, folder / f"{name}.saved.sgf"
    given.write_text(text, "utf-8")
    load = "load match" if name.endswith(".sgf") else "import mat"
    said = run(f"{settings}\n{load} {given}\nsave match {saved}\nquit\ny\n", folder)
    complaints = re.findall(r".*(?:WARN|nrecog|llegal|garbage|not a valid).*", said)
    return Imported(saved.read_bytes() if saved.exists() else b"", complaints)


def run(commands: str, folder: Path) -> str:
    done = subprocess.run(
        [find_gnubg(), "-t", "-q"],
        input=commands,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={**os.environ, "HOME": str(folder)},
    )
    return done.stdout + done.stderr
