"""Memory that is no longer needed goes back to the system."""

from __future__ import annotations

import ctypes
import gc
import platform


def release_memory() -> None:
    """Delete what only refers to itself, and return what has been freed, where that can be asked.

    glibc returns the end of a heap alone; whatever lies before something in use, it keeps:
    https://man7.org/linux/man-pages/man3/malloc_trim.3.html
    """
    gc.collect()
    if platform.libc_ver()[0] == "glibc":
        ctypes.CDLL(None).malloc_trim(0)
