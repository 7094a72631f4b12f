"""Replaces files so that a kill or a power cut leaves the old or the new one, never half."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def write_whole(path: Path, content: bytes, mode: int = 0o666, *, flush: bool = True) -> None:
    """Replace the content of `path`, in an existing folder; raises `OSError`.

    mode: who may do what with it, less the process's mask; flush: whether to wait until it is on
    the disk, so that a power cut cannot undo it.
    """
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        beside.touch(mode)
        with beside.open("wb") as file:
            file.write(content)
            if flush:
                file.flush()
                os.fsync(file.fileno())
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
    if flush:
        sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Flush the folder's entries; otherwise a new name may not survive a power cut."""
    if sys.platform == "win32":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
