"""Default places of the program's files."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path


def data_folder(
    environment: Mapping[str, str] = os.environ,
    platform: str = sys.platform,
    home: Path | None = None,
) -> Path:
    """`TABLESIDE_HOME`, else the system's folder for user data."""
    base = home or Path.home()
    if chosen := environment.get("TABLESIDE_HOME"):
        return Path(chosen)
    if platform == "win32":
        return Path(environment.get("LOCALAPPDATA") or base / "AppData" / "Local") / "tableside"
    if platform == "darwin":
        return base / "Library" / "Application Support" / "tableside"
    return Path(environment.get("XDG_DATA_HOME") or base / ".local" / "share") / "tableside"


def default_record() -> Path:
    """The location of the record if `--record` is not given."""
    return record_file(data_folder() / "record.sqlite")


def record_file(path: str | Path) -> Path:
    """The record itself if `path` is a link to it.

    The names of its journal and of its lock are made from its own: by whatever name it is given,
    there must be one of each.
    """
    given = Path(path)
    return Path(os.path.realpath(given)) if given.is_symlink() else given


def closed_samples() -> Path:
    """The samples of rolls that were declared closed."""
    return data_folder() / "closed-samples.jsonl"


def virtual_cup_memory(record: Path) -> Path:
    """The memory of a record's virtual cup, beside the record."""
    return record.with_name(f"{record.stem}.virtual-cup.json")


def board_profile(record: Path, match: int) -> Path:
    """The profile of a match's board, beside its record."""
    return record.with_name(f"{record.stem}.board-{match}.json")
