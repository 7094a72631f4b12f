"""The real firmware in an emulated ATmega328P, with its serial line on a pseudoterminal."""

from __future__ import annotations

import random
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

from tests.hardware.desk import ROOT, DeskCup

FIRMWARE = ROOT / "hardware" / "firmware"
HERTZ = 16_000_000


@cache
def built() -> Path:
    """The folder with the firmware and the emulator; skips the test if they cannot be built."""
    for needed in ("avr-gcc", "make"):
        if shutil.which(needed) is None:
            pytest.skip(f"no {needed}: apt-get install gcc-avr avr-libc make")
    if not Path("/usr/include/simavr/sim_avr.h").exists():
        pytest.skip("no simavr: apt-get install libsimavr-dev libelf-dev")
    subprocess.run(
        ["make", "-s", "-C", FIRMWARE, "all", "bridge", "hanging"],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return FIRMWARE / "build"


@cache
def prepared_eeprom(seed: int) -> bytes:
    """Contents of the EEPROM of a cup with a name and a seed: 25 s of noise, made at once."""
    return bytes(DeskCup(random.Random(seed)).eeprom)


class Emulated:
    """One cup with the real firmware; `close` it, or use it in a `with`."""

    def __init__(
        self,
        folder: Path,
        *,
        program: str = "cup.elf",
        speed: float = 1.0,
        is_prepared: bool = True,
        is_traced: bool = False,
        seed: int = 1,
    ) -> None:
        """seed: another number makes another cup."""
        self._folder, self._program, self._speed = folder, program, speed
        self.eeprom = folder / "eeprom"
        self.trace = folder / "trace"
        self._is_traced = is_traced
        if is_prepared:
            self.eeprom.write_bytes(prepared_eeprom(seed))
        self.url = str(folder / "line")
        self._start()

    def _command(self) -> list[str | Path]:
        options: list[str | Path] = ["--eeprom", self.eeprom, "--speed", str(self._speed)]
        if self._is_traced:
            options += ["--trace", self.trace]
        return [built() / "bridge", built() / self._program, self.url, *options]

    def _start(self) -> None:
        self._bridge = subprocess.Popen(
            self._command(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._until("pty ")

    def _until(self, word: str) -> str:
        """Wait for a line that begins with `word`, and return the rest of it."""
        for line in self._bridge.stdout:
            if line.startswith(word):
                return line.removeprefix(word).strip()
        raise AssertionError(f"the emulator ended: {self._bridge.wait()}")

    def say(self, word: str) -> None:
        """Do something to the cup; it has begun on return."""
        self._bridge.stdin.write(word + "\n")
        self._bridge.stdin.flush()
        self._until("done " + word)

    def cut_power(self) -> None:
        """Cut the power at once, and restore it."""
        self._bridge.kill()
        self._end()
        self._start()

    def _end(self) -> None:
        self._bridge.wait(10)
        self._bridge.stdin.close()
        self._bridge.stdout.close()

    @property
    def is_running(self) -> bool:
        return self._bridge.poll() is None

    def close(self) -> None:
        self._bridge.terminate()
        self._end()

    def __enter__(self) -> Emulated:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
