"""What a builder of the cup is given agrees with the firmware's sources."""

from __future__ import annotations

import hashlib
import re
import subprocess
from pathlib import Path

from hardware.firmware.wiring import WIRES, wiring_svg

ROOT = Path(__file__).parents[2]
MAIN = (ROOT / "hardware/firmware/avr/main.c").read_text("utf-8")
LINE_PINS = {"PD1"}
"""The serial line, which is on the board."""


def test_every_pin_that_the_firmware_uses_is_drawn():
    begin = MAIN[MAIN.index("static void begin(void)") :]
    driven = set(re.findall(r"1 << (P[BCD]\d)", begin.split("SPCR")[0]))
    assert driven - LINE_PINS == {wire.port for wire in WIRES if wire.port} - {"PC0"}


def test_the_picture_is_what_the_program_draws():
    assert (ROOT / "docs/images/cup-wiring.svg").read_text("utf-8") == wiring_svg()


def test_the_prebuilt_firmware_is_made_of_these_sources():
    folder = ROOT / "hardware/firmware"
    lines = (folder / "prebuilt/cup.txt").read_text("utf-8").splitlines()
    told = dict(line.split(" ") for line in lines[:2])
    core = folder / "core"
    files = [folder / "avr/main.c", *sorted(core.glob("*.c")), *sorted(core.glob("*.h"))]
    both = b"".join(path.read_bytes() for path in files)
    print_of_sources = subprocess.run(["cksum"], input=both, capture_output=True, check=True)
    assert print_of_sources.stdout.split()[0].decode() == told["sources"], "run make prebuilt"
    image = (folder / "prebuilt/cup.hex").read_bytes()
    assert hashlib.sha256(image).hexdigest() == told["sha256"]
