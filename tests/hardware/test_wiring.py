"""The drawing of the cup's wiring agrees with the firmware."""

from __future__ import annotations

import re
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
