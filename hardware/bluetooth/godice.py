"""Packets of GoDice, as in Particula's public API (ParticulaCode/GoDiceJavaScriptAPI).

A die sends ASCII letters that say what happened, then bytes: at rest, three signed ones with the
gravity along its axes, about 64 in size.
"""

from __future__ import annotations

import struct
from typing import Final

from engine.message import Message, msg
from hardware.bluetooth.reports import Battery, DieMake, DieReport, Rest, Rested, Rolling
from hardware.errors import BadFrame

NAME_PREFIX: Final = "GoDice_"
FACES: Final = {
    1: (-64, 0, 0),
    2: (0, 0, 64),
    3: (0, 64, 0),
    4: (0, -64, 0),
    5: (0, 0, -64),
    6: (64, 0, 0),
}
"""The gravity (x, y, z) with each face up."""
ROLLING: Final = b"R"
BATTERY: Final = b"Bat"
AT_REST: Final = {
    b"S": Rest.ROLLED,
    b"TS": Rest.COCKED,
    b"FS": Rest.UNROLLED,
    b"MS": Rest.UNROLLED,
}
"""Stable after a roll, tilted, after what was no real roll, after having been moved."""


def decode(packet: bytes) -> DieReport | None:
    """The packet as a report; None for answers about colors and lights."""
    if packet == ROLLING:
        return Rolling()
    if packet.startswith(BATTERY) and len(packet) == len(BATTERY) + 1:
        return Battery(min(packet[-1], 100))
    for letters, how in AT_REST.items():
        if packet.startswith(letters) and len(packet) == len(letters) + 3:
            return Rested(_face(packet[-3:]), how)
    if packet[:1] in (b"R", b"S") or packet[:2] in AT_REST or packet.startswith(BATTERY):
        raise BadFrame(f"not a packet of GoDice: {packet.hex()}")
    return None


def _face(gravity: bytes) -> int:
    """The face whose gravity is nearest; raises `BadFrame` if two are equally near."""
    found = struct.unpack("bbb", gravity)
    dots = {face: sum(a * b for a, b in zip(found, known, strict=True))
            for face, known in FACES.items()}  # fmt: skip
    best = max(dots, key=lambda face: dots[face])
    if sum(dot == dots[best] for dot in dots.values()) > 1:
        raise BadFrame(f"no face of the die is up: {found}")
    return best


def cocked(die: str) -> Message:
    """That the die lies tilted."""
    return msg("{die} lies tilted", die=die)


GODICE: Final = DieMake(
    "GoDice",
    notify="6e400003-b5a3-f393-e0a9-e50e24dcca9e",
    write="6e400002-b5a3-f393-e0a9-e50e24dcca9e",
    battery_command=bytes([3]),
    decode=decode,
    cocked=cocked,
)
