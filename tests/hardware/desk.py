"""The firmware's own C code on this machine: its computations, and a whole cup without a chip."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CORE = ROOT / "hardware" / "firmware" / "core"
CLOCK, NOISE = 0, 1


@cache
def built() -> str:
    """The shared library of the core; the test is skipped where there is no C compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("no C compiler: apt-get install gcc")
    out = ROOT / "hardware" / "firmware" / "build"
    out.mkdir(exist_ok=True)
    library = out / "desk.so"
    sources = [Path(__file__).with_name("desk_hal.c"), *sorted(CORE.glob("*.c"))]
    newest = max(one.stat().st_mtime for one in (*sources, *CORE.glob("*.h")))
    if not library.exists() or library.stat().st_mtime < newest:
        flags = ["-O2", "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", f"-I{CORE}"]
        checks = ["-fsanitize=undefined", "-fno-sanitize-recover=undefined"]
        made = library.with_suffix(".new")
        subprocess.run([compiler, *flags, *checks, "-o", made, *sources], check=True)
        made.replace(library)
    return str(library)


def core() -> ctypes.CDLL:
    """A copy of the core with its own variables."""
    return ctypes.CDLL(built())


class DeskCup:
    """One cup running the firmware's code; only one such cup can exist at a time."""

    def __init__(self, chance, *, is_prepared: bool = True) -> None:
        self.core = core()
        self._chance = chance
        self.core.desk_start()
        self.core.cup_begin()
        if is_prepared:
            self.feed_noise()

    def feed_noise(self, samples: int = 1700) -> None:
        """Feed enough noise for a name and a seed, with time to write them."""
        for _ in range(samples):
            self.core.cup_noise(CLOCK, self._chance.randrange(256))
            self.core.cup_noise(NOISE, self._chance.randrange(256))
            self.core.cup_work()
        self.work(200)

    def work(self, times: int) -> None:
        for _ in range(times):
            self.core.cup_work()

    @property
    def eeprom(self) -> ctypes.Array:
        return (ctypes.c_uint8 * 1024).in_dll(self.core, "desk_eeprom")

    def output(self) -> bytes:
        count = ctypes.c_uint32.in_dll(self.core, "desk_sent_count")
        sent = (ctypes.c_uint8 * 65536).in_dll(self.core, "desk_sent")
        out = bytes(sent[: count.value])
        count.value = 0
        return out

    def received(self, arrived: bytes, now: float) -> bytes:
        self._clock(now)
        self.core.desk_feed(arrived, len(arrived))
        self.core.cup_work()
        return self.output()

    def tick(self, now: float) -> bytes:
        self._clock(now)
        self.core.cup_work()
        return self.output()

    def _clock(self, now: float) -> None:
        ctypes.c_uint32.in_dll(self.core, "desk_millis").value = int(now * 1000)

    def cut_power_after(
        self, writes: int, stray_bits: int = 0, *, is_half_written: bool = False
    ) -> None:
        """Cut the power after this many more bytes are written to the EEPROM.

        The next one is left with its old bits, or its new ones if it is half written, and
        `stray_bits`.
        """
        ctypes.c_uint8.in_dll(self.core, "desk_stray_bits").value = stray_bits
        ctypes.c_uint8.in_dll(self.core, "desk_is_half_written").value = is_half_written
        ctypes.c_uint32.in_dll(self.core, "desk_writes_left").value = writes

    @property
    def is_dark(self) -> bool:
        return bool(ctypes.c_uint8.in_dll(self.core, "desk_is_cut").value)

    def switch_on(self) -> None:
        ctypes.c_uint32.in_dll(self.core, "desk_writes_left").value = 0xFFFFFFFF
        ctypes.c_uint8.in_dll(self.core, "desk_is_cut").value = 0
        self.core.cup_begin()

    def pins(self, pins: int, milliseconds: int) -> None:
        for _ in range(milliseconds):
            self.core.cup_pins(pins)
