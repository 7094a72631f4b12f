"""Commands as frames, and frames as messages; see `hardware/PROTOCOL.md`.

A correct CRC is not enough: the type must be known, the length exact and every value in its range,
else the frame is a `BadFrame`.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Final

from hardware.errors import BadFrame
from hardware.frames import CupFrame, arc
from hardware.messages import (
    Acknowledged,
    Battery,
    Committed,
    CupIdentity,
    CupLifted,
    CupMessage,
    CupPoured,
    CupShaken,
    DisplayMessage,
    Faulty,
    Garbled,
    LastRoll,
    LoggedRoll,
    MatchStatus,
    Refused,
    Revealed,
    RollMessage,
    Sealed,
    SelfTest,
    Status,
)
from hardware.protocol_constants import (
    ANSWER,
    CHECKED,
    REFUSED,
    Capability,
    CommandCode,
    CupPhase,
    NoticeCode,
    Refusal,
    RollPurpose,
    faces_of,
)


def command(number: int, code: CommandCode, payload: bytes = b"") -> CupFrame:
    """The frame of a command, with a second checksum if it changes something."""
    if code in CHECKED:
        payload += checksum(number, code, payload).to_bytes(2, "little")
    return CupFrame(number, code, payload)


def checksum(number: int, code: int, payload: bytes) -> int:
    """The second checksum: over the type, the id and the payload."""
    return arc(struct.pack("<BH", code, number) + payload)


def roll_payload(what: RollPurpose, salt: bytes, after: int) -> bytes:
    """The payload of ROLL and ARM: the roll is made only if the cup's count is still `after`."""
    return struct.pack("<B4sH", int(what), salt, after & 0xFFFF)


def _identity(payload: bytes) -> CupIdentity:
    major, minor, fw, fw_minor, build, unit, can, cause, starts, session = struct.unpack(
        "<BBBBI8sHBHH", payload
    )
    return CupIdentity(
        major, minor, (fw, fw_minor), build, unit, Capability(can & 63), cause, starts, session
    )


def _status(payload: bytes) -> Status:
    state, fault, pins, battery, uptime, number, good, bad, overruns = struct.unpack(
        "<BBBHIIHHH", payload
    )
    if state >> 6 or pins > 7:
        raise BadFrame("a status has bits that mean nothing")
    return Status(
        phase=CupPhase(state & 3),
        is_prepared=bool(state & 4),
        is_armed=bool(state & 8),
        is_busy=bool(state & 16),
        is_weak=bool(state & 32),
        fault=fault,
        pins=pins,
        battery_mv=battery,
        uptime_s=uptime,
        number=number,
        good=good,
        bad=bad,
        overruns=overruns,
    )


def _committed(payload: bytes) -> Committed:
    return Committed(*struct.unpack("<HI32s", payload))


def _sealed(payload: bytes) -> Sealed:
    return Sealed(*struct.unpack("<I4s", payload))


def _rolled(payload: bytes) -> RollMessage:
    number, what, faces, tag = struct.unpack("<HBB4s", payload)
    known = RollPurpose.of(what)
    return RollMessage(number, known, faces_of(faces, known.kind), tag)


def _armed(payload: bytes) -> RollMessage | Acknowledged:
    """A roll if the one to be armed was made before."""
    return _rolled(payload) if payload else Acknowledged()


def _last(payload: bytes) -> LastRoll:
    phase, match, number, what, faces, salt, tag = struct.unpack("<BHIBB4s4s", payload)
    known = RollPurpose.of(what) if what else None
    shown = () if known is None else faces_of(faces, known.kind)
    return LastRoll(_phase(phase), match, number, known, shown, salt, tag)


def _revealed(payload: bytes) -> Revealed:
    return Revealed(*struct.unpack("<HI32s", payload))


def _logged(payload: bytes) -> LoggedRoll:
    number, what, faces, salt = struct.unpack("<IBB4s", payload)
    known = RollPurpose.of(what)
    return LoggedRoll(number, known, faces_of(faces, known.kind), salt)


def _shown(payload: bytes) -> DisplayMessage:
    first, second = payload[0] >> 3, payload[0] & 7
    if first > 6 or second > 6:
        raise BadFrame(f"{payload[0]} shows no faces")
    return DisplayMessage(first, second)


def _match(payload: bytes) -> MatchStatus:
    phase, match, first, commitment = struct.unpack("<BHI32s", payload)
    return MatchStatus(_phase(phase), match, first, commitment)


def _phase(byte: int) -> CupPhase:
    if byte > CupPhase.REVEALED:
        raise BadFrame(f"{byte} is no phase of a match")
    return CupPhase(byte)


def _self_test(payload: bytes) -> SelfTest:
    parts, clock, clocked, noise, noised, prepared = struct.unpack("<BBHBHB", payload)
    return SelfTest(bool(parts & 1), bool(parts & 2), clock, clocked, noise, noised, bool(prepared))


def _done(_payload: bytes) -> Acknowledged:
    return Acknowledged()


def _refused(payload: bytes) -> Refused:
    if not 1 <= payload[0] <= len(Refusal):
        raise BadFrame(f"{payload[0]} is no refusal")
    return Refused(Refusal(payload[0]), payload[1])


def _lifted(payload: bytes) -> CupLifted:
    return CupLifted(_bit(payload[0]))


def _battery(payload: bytes) -> Battery:
    return Battery(int.from_bytes(payload[:2], "little"), _bit(payload[2]))


def _faulty(payload: bytes) -> Faulty:
    return Faulty(payload[0])


def _bit(byte: int) -> bool:
    if byte > 1:
        raise BadFrame(f"{byte} is neither yes nor no")
    return bool(byte)


_READERS: Final[dict[int, tuple[tuple[int, ...], Callable[[bytes], CupMessage]]]] = {
    ANSWER | CommandCode.HELLO: ((23,), _identity),
    ANSWER | CommandCode.STATUS: ((19,), _status),
    ANSWER | CommandCode.COMMIT: ((38,), _committed),
    ANSWER | CommandCode.SEAL: ((8,), _sealed),
    ANSWER | CommandCode.ARM: ((0, 8), _armed),
    ANSWER | CommandCode.DISARM: ((0,), _done),
    ANSWER | CommandCode.ROLL: ((8,), _rolled),
    ANSWER | CommandCode.LAST: ((17,), _last),
    ANSWER | CommandCode.REVEAL: ((38,), _revealed),
    ANSWER | CommandCode.LOG: ((10,), _logged),
    ANSWER | CommandCode.FACES: ((1,), _shown),
    ANSWER | CommandCode.MATCH: ((39,), _match),
    ANSWER | CommandCode.LED: ((0,), _done),
    ANSWER | CommandCode.PLAYER: ((0,), _done),
    ANSWER | CommandCode.SELFTEST: ((8,), _self_test),
    REFUSED: ((2,), _refused),
    NoticeCode.STATUS: ((19,), _status),
    NoticeCode.BOOT: ((23,), _identity),
    NoticeCode.LIFT: ((1,), _lifted),
    NoticeCode.SHAKE: ((0,), lambda _: CupShaken()),
    NoticeCode.POUR: ((0,), lambda _: CupPoured()),
    NoticeCode.ROLL: ((8,), _rolled),
    NoticeCode.BATTERY: ((3,), _battery),
    NoticeCode.FAULT: ((1,), _faulty),
    NoticeCode.GARBLED: ((0,), lambda _: Garbled()),
}


def parse_message(frame: CupFrame) -> CupMessage:
    """The message in a frame; `BadFrame` if it is none."""
    lengths, reader = _READERS.get(frame.type, ((), _done))
    if len(frame.payload) not in lengths:
        raise BadFrame(f"no message of type {frame.type:#04x} has {len(frame.payload)} bytes")
    return reader(frame.payload)


def is_notice(frame: CupFrame) -> bool:
    """Whether it answers no command; its id then counts such frames."""
    return NoticeCode.STATUS <= frame.type <= NoticeCode.GARBLED
