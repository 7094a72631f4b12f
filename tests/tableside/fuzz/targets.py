"""Everything that is fed with broken input."""

from __future__ import annotations

from pathlib import Path

from engine.errors import EngineError
from tests.broken_files import BROKEN, replayed
from tests.tableside.fuzz.commands import commands
from tests.tableside.fuzz.parsers import parsers
from tests.tableside.fuzz.target import Target


def targets(folder: Path) -> dict[str, Target]:
    """Every target by name; `folder` is for files."""
    files = {
        f"{name} files": Target(make, replayed, (EngineError,)) for name, make in BROKEN.items()
    }
    return {**parsers(folder), **files, **commands(folder)}
