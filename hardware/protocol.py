"""Commands as frames, and frames as messages; see `hardware/PROTOCOL.md`.

A correct CRC is not enough: the type must be known, the length exact and every value in its range;
otherwise `BadFrame` is raised.
"""

from __future__ import annotations

import struct
from typing import Final

from hardware import messages as m
from hardware.errors import BadFrame
from hardware.frames import CupFrame, crc_arc
from hardware.protocol_constants import (
    ANSWER,
    CHECKED,
    REFUSED,
    CommandCode,
    NoticeCode,
    RollPurpose,
)

_MESSAGES: Final[dict[int, tuple[type[m.CupMessage], ...]]] = {
    ANSWER | CommandCode.HELLO: (m.CupIdentity,),
    ANSWER | CommandCode.STATUS: (m.Status,),
    ANSWER | CommandCode.COMMIT: (m.Committed,),
    ANSWER | CommandCode.SEAL: (m.Sealed,),
    ANSWER | CommandCode.ARM: (m.Acknowledged, m.RollMessage),
    ANSWER | CommandCode.DISARM: (m.Acknowledged,),
    ANSWER | CommandCode.ROLL: (m.RollMessage,),
    ANSWER | CommandCode.LAST: (m.LastRoll,),
    ANSWER | CommandCode.REVEAL: (m.Revealed,),
    ANSWER | CommandCode.LOG: (m.LoggedRoll,),
    ANSWER | CommandCode.FACES: (m.DisplayMessage,),
    ANSWER | CommandCode.MATCH: (m.MatchStatus,),
    ANSWER | CommandCode.LED: (m.Acknowledged,),
    ANSWER | CommandCode.PLAYER: (m.Acknowledged,),
    ANSWER | CommandCode.SELFTEST: (m.SelfTest,),
    ANSWER | CommandCode.RAW: (m.Acknowledged,),
    REFUSED: (m.Refused,),
    NoticeCode.STATUS: (m.Status,),
    NoticeCode.BOOT: (m.CupIdentity,),
    NoticeCode.LIFT: (m.CupLifted,),
    NoticeCode.SHAKE: (m.CupShaken,),
    NoticeCode.POUR: (m.CupPoured,),
    NoticeCode.ROLL: (m.RollMessage,),
    NoticeCode.BATTERY: (m.Battery,),
    NoticeCode.FAULT: (m.Faulty,),
    NoticeCode.GARBLED: (m.Garbled,),
    NoticeCode.RAW: (m.RawNoise,),
}
"""The messages that a frame of each type may hold; they differ in size."""


def command(number: int, code: CommandCode, payload: bytes = b"") -> CupFrame:
    """The frame of a command, with a second checksum if it changes state."""
    if code in CHECKED:
        payload += checksum(number, code, payload).to_bytes(2, "little")
    return CupFrame(number, code, payload)


def checksum(number: int, code: int, payload: bytes) -> int:
    """The second checksum, over the type, the id and the payload."""
    return crc_arc(struct.pack("<BH", code, number) + payload)


def roll_payload(what: RollPurpose, salt: bytes, after: int) -> bytes:
    """The payload of ROLL and ARM: the cup rolls only if its count is still `after`."""
    return ROLL_PAYLOAD.pack(int(what), salt, after & 0xFFFF)


ROLL_PAYLOAD: Final = struct.Struct("<B4sH")
"""Purpose, salt, and the lower bits of the cup's count."""


def parse_message(frame: CupFrame) -> m.CupMessage:
    """Parse the message in a frame; raises `BadFrame` if it holds none."""
    for kind in _MESSAGES.get(frame.type, ()):
        if kind.size() == len(frame.payload):
            return kind.decode(frame.payload)
    raise BadFrame(f"no message of type {frame.type:#04x} has {len(frame.payload)} bytes")


def is_notice(frame: CupFrame) -> bool:
    """Whether `frame` answers no command; its id then numbers such frames."""
    return NoticeCode.STATUS <= frame.type <= NoticeCode.RAW
