"""Default places of the program's files, and who may open them."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

_OTHERS: Final = 0o077


def data_folder(
    environment: Mapping[str, str] = os.environ,
    platform: str = sys.platform,
    home: Path | None = None,
) -> Path:
    """`TABLESIDE_HOME`, else the system's folder for user data."""
    if chosen := environment.get("TABLESIDE_HOME"):
        return Path(chosen)
    base = home or _home()
    if platform == "win32":
        return Path(environment.get("LOCALAPPDATA") or base / "AppData" / "Local") / "tableside"
    if platform == "darwin":
        return base / "Library" / "Application Support" / "tableside"
    return Path(environment.get("XDG_DATA_HOME") or base / ".local" / "share") / "tableside"


def _home() -> Path:
    from tableside.errors import WrongUsage  # only now: `--help` needs nothing of it

    try:
        return Path.home()
    except RuntimeError as error:
        raise WrongUsage(
            "this user has no home folder: set TABLESIDE_HOME to a folder for the program's files"
        ) from error


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


def private_folder(folder: Path) -> None:
    """Create a folder, and those missing above it, which only this user may open.

    One that is there stays as it is: it may be the user's. Raises `OSError`.
    """
    if folder.is_dir():
        return
    if not folder.parent.exists():
        private_folder(folder.parent)
    folder.mkdir(mode=0o700, exist_ok=True)


def own_folder(folder: Path) -> None:
    """Create a folder of the program's own, or close one that others may open.

    Raises `OSError`.
    """
    private_folder(folder)
    if sys.platform == "win32":
        return
    found = folder.stat()
    # Others still need `/tmp`, `/` or the home folder, whoever names them for the program's data.
    needed = {Path(os.sep), Path(os.path.expanduser("~")).resolve()}  # noqa: PTH111 (never raises)
    is_shared = found.st_mode & stat.S_ISVTX or folder.resolve() in needed
    if found.st_uid == os.getuid() and found.st_mode & _OTHERS and not is_shared:
        folder.chmod(stat.S_IMODE(found.st_mode) & ~_OTHERS)


def private_file(path: Path) -> None:
    """Create an empty file that only this user may open, unless it is there; raises `OSError`."""
    path.touch(0o600)
