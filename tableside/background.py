"""Processes that work in the background, with the processor time that sight leaves."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any, Final

LOWEST_PRIORITY: Final = 19


def lower_priority() -> None:
    """Leave the processor to sight whenever it wants it; Windows is told so by `apart`."""
    if sys.platform != "win32":
        os.nice(LOWEST_PRIORITY)


def apart() -> dict[str, Any]:
    """The options of `Popen` for a process that Ctrl-C in the terminal is not meant for."""
    if sys.platform == "win32":
        idle = subprocess.IDLE_PRIORITY_CLASS
        return {"creationflags": idle | subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"start_new_session": True}
