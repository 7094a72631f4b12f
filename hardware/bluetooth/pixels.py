"""Packets of Pixels, as in their maker's documents (GameWithPixels/.github and `pixels-js`).

The first byte is the type. Newer dice have UUIDs of their own; older ones use those of Nordic's
UART service, but the service's own UUID for what notifies.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from engine.message import Message, msg
from hardware.bluetooth.reports import Battery, DieMake, DieReport, Held, Rest, Rested, Rolling
from hardware.errors import BadFrame

SERVICE: Final = "a6b90001-7a5a-43f2-a962-350c8edc9b5b"
OLD_SERVICE: Final = "6e400001-b5a3-f393-e0a9-e50e24dcca9e"
ROLL_STATE, BATTERY_LEVEL, REQUEST_BATTERY_LEVEL = 3, 34, 33
HANDLING, ROLLING = 2, 3
AT_REST: Final = {1: Rest.ROLLED, 4: Rest.COCKED, 5: Rest.UNROLLED}
"""Rolled, crooked, and on a face without a roll. The old firmware also says 1 for the last."""
FACES: Final = 6


def decode(packet: bytes) -> DieReport | None:
    """The packet as a report; None for any other message."""
    kind = packet[0] if packet else None
    if kind not in (ROLL_STATE, BATTERY_LEVEL):
        return None
    if len(packet) != 3:
        raise BadFrame(f"not a packet of Pixels: {packet.hex()}")
    if kind == BATTERY_LEVEL:
        return Battery(min(packet[1], 100))
    return _roll_state(packet[1], packet[2])


def _roll_state(state: int, index: int) -> DieReport | None:
    """index: that of the face, from 0."""
    if state == HANDLING:
        return Held()
    if state == ROLLING:
        return Rolling()
    if state not in AT_REST:
        return None
    if index >= FACES:
        raise BadFrame(f"a die with more than six faces: {index + 1} is up")
    return Rested(index + 1, AT_REST[state])


def cocked(die: str) -> Message:
    """That the die lies crooked."""
    return msg("{die} lies crooked", die=die)


PIXELS: Final = DieMake(
    "Pixels",
    notify="a6b90002-7a5a-43f2-a962-350c8edc9b5b",
    write="a6b90003-7a5a-43f2-a962-350c8edc9b5b",
    battery_command=bytes([REQUEST_BATTERY_LEVEL]),
    decode=decode,
    cocked=cocked,
)
OLD_PIXELS: Final = replace(
    PIXELS, notify=OLD_SERVICE, write="6e400002-b5a3-f393-e0a9-e50e24dcca9e"
)
