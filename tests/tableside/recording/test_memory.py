"""Memory that a match has left goes back to the system before the next one."""

import platform
from pathlib import Path

import pytest

from tableside.recording.memory import release_memory

STATM = Path("/proc/self/statm")
BLOCK, BLOCKS = 100_000, 1000


def mebibytes():
    return int(STATM.read_text("utf-8").split()[1]) * 4096 / 2**20


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc has to be asked")
def test_what_was_freed_between_things_in_use_is_returned():
    blocks = [bytearray(BLOCK) for _ in range(BLOCKS)]
    in_use = blocks[::10]
    blocks.clear()
    before = mebibytes()
    release_memory()
    assert len(in_use) == BLOCKS / 10
    assert before - mebibytes() > 0.8 * BLOCK * BLOCKS / 2**20
