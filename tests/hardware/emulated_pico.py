"""The real firmware for the Pico in an emulated RP2040, with its USB line on a local socket."""

from __future__ import annotations

import shutil
import socket
import subprocess
from functools import cache
from pathlib import Path

import pytest

from tests.hardware.emulated import FIRMWARE, Emulated

BUILD = FIRMWARE / "build"


@cache
def built_pico() -> Path:
    """The folder with the firmware; skips the test if it cannot be built or emulated."""
    packages = "gcc-arm-none-eabi libnewlib-arm-none-eabi make nodejs"
    for needed in ("arm-none-eabi-gcc", "make", "node"):
        if shutil.which(needed) is None:
            pytest.skip(f"no {needed}: apt-get install {packages}")
    if not (BUILD / "node/node_modules/rp2040js").exists():
        pytest.skip("no rp2040js: make -C hardware/firmware pico-bridge")
    for target in ("pico", "pico-bridge"):
        subprocess.run(
            ["make", "-s", "-C", FIRMWARE, target], check=True, stdout=subprocess.DEVNULL
        )
    return BUILD


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as one:
        return int(one.getsockname()[1])


class EmulatedPico(Emulated):
    """A cup with a Pico; a program connects to its `url`."""

    def __init__(self, folder: Path, *, program: str = "pico.bin", speed: float = 0.0) -> None:
        self._port = _free_port()
        self.described = ""
        """Its USB descriptors: device, configuration, strings."""
        super().__init__(folder, program=program, speed=speed, is_prepared=False)
        self.url = f"socket://127.0.0.1:{self._port}"

    def _command(self) -> list[str | Path]:
        options: list[str | Path] = ["--flash", self.eeprom, "--speed", str(self._speed)]
        options += ["--port", str(self._port)]
        build = built_pico()
        return ["node", build / "node/pico.mjs", build / self._program, *options]

    def _start(self) -> None:
        super()._start()
        self.described = self._until("usb ")
