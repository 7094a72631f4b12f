"""The space on the disk: events have a reserve of it, and pictures stop before it is needed."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path
from typing import Final

RESERVE_BYTES: Final = 8 << 20
"""Enough for the events and observations of a match of an hour."""
LOW_BYTES: Final = 64 << 20
"""With less free space than this, no pictures are saved and no reserve is set aside."""


def refuse_if_low(folder: Path) -> None:
    """Raise `OSError`, as a full disk would, if the disk of a folder is nearly full.

    The folder need not exist yet.
    """
    there = next(path for path in (folder, *folder.parents) if path.exists())
    if shutil.disk_usage(there).free < LOW_BYTES:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


class Reserve:
    """A file of zeros beside the record; removing it makes room for events."""

    def __init__(self, record: Path) -> None:
        self._path = record.with_name(f"{record.name}.reserve")

    def release(self) -> bool:
        """Give the space back; return whether there was any."""
        try:
            self._path.unlink()
        except OSError:
            return False
        return True

    def fill(self) -> bool:
        """Set the space aside unless the disk is nearly full; return whether it is set aside."""
        try:
            if self._path.exists() and self._path.stat().st_size >= RESERVE_BYTES:
                return True
            refuse_if_low(self._path.parent)
            self._path.touch(0o600)
            with self._path.open("r+b") as file:
                file.write(bytes(RESERVE_BYTES))
                file.flush()
                os.fsync(file.fileno())
        except OSError:
            self.release()
            return False
        return True
