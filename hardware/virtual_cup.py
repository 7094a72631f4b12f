"""`VirtualCup`: a cup without hardware, sans-I/O. It speaks the bytes that the firmware speaks.

Its noise is the operating system's; what a real one keeps in its EEPROM is `CupMemory`, which
outlives a reset and a power cut here too.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from hardware import proof
from hardware.errors import BadFrame
from hardware.frames import CupFrame, FrameDecoder, arc
from hardware.proof import CupRoll
from hardware.protocol import check_of
from hardware.protocol_constants import (
    ANSWER,
    CHECKED,
    MAJOR,
    MINOR,
    REFUSED,
    RING,
    Capability,
    CommandCode,
    CupPhase,
    NoticeCode,
    Refusal,
    RollPurpose,
    faces_byte,
)

HEARTBEAT: Final = 1.0
LENGTHS: Final = {
    CommandCode.HELLO: 2,
    CommandCode.STATUS: 0,
    CommandCode.COMMIT: 0,
    CommandCode.SEAL: 32,
    CommandCode.ARM: 7,
    CommandCode.DISARM: 0,
    CommandCode.ROLL: 7,
    CommandCode.LAST: 0,
    CommandCode.REVEAL: 0,
    CommandCode.LOG: 1,
    CommandCode.FACES: 0,
    CommandCode.MATCH: 0,
    CommandCode.LED: 2,
    CommandCode.PLAYER: 1,
    CommandCode.SELFTEST: 0,
}
_ALL: Final = (
    Capability.SHAKE
    | Capability.LIFT
    | Capability.TILT
    | Capability.LAMP
    | Capability.FACES
    | Capability.BATTERY
)


class _No(Exception):
    """The answer is a refusal."""

    def __init__(self, why: Refusal, detail: int = 0) -> None:
        super().__init__(why)
        self.why, self.detail = why, detail


@dataclass(slots=True)
class CupMemory:
    """What survives the loss of power."""

    unit: bytes
    starts: int = 0
    match: int = 0
    phase: CupPhase = CupPhase.NONE
    number: int = 0
    first: int = 0
    seed: bytes = bytes(32)
    key: bytes = bytes(32)
    chain: bytes = bytes(32)
    rolls: dict[int, CupRoll] = field(default_factory=dict)

    @property
    def commitment(self) -> bytes:
        """Of the match's seed; zeros before the first match."""
        return bytes(32) if self.phase is CupPhase.NONE else proof.commitment_of(self.seed)


class VirtualCup:
    """One cup, switched on."""

    def __init__(
        self,
        random_bytes: Callable[[int], bytes],
        memory: CupMemory | None = None,
        reset_cause: int = 1,
    ) -> None:
        self.memory = memory or CupMemory(random_bytes(8))
        self.fault = 0
        self.battery_mv = 5000
        self.lamp = (0, 0)
        self.player = 0
        self._random = random_bytes
        self._reset_cause = reset_cause
        self._framer = FrameDecoder()
        self._out = bytearray()
        self._events = 0
        self._now = self._begun = self._beat_at = 0.0
        self._is_begun = False
        self._pins = 0
        self._is_shaken = False
        self._armed: CupRoll | None = None
        self._shown = 0
        self._answered: tuple[int, int, bytes] | None = None
        self.memory.starts += 1
        self._tell(NoticeCode.BOOT, self._identity())

    # The line

    def received(self, arrived: bytes, now: float) -> bytes:
        """What it says to these bytes of the line."""
        self._pass(now)
        for found in self._framer.take(arrived):
            if isinstance(found, BadFrame):
                self._tell(NoticeCode.GARBLED, b"")
            elif found.type < NoticeCode.STATUS:
                self._obey(found)
        return self.said()

    def tick(self, now: float) -> bytes:
        """What it says as time passes."""
        self._pass(now)
        return self.said()

    def said(self) -> bytes:
        """What it has said since it was asked last."""
        out = bytes(self._out)
        self._out.clear()
        return out

    @property
    def is_armed(self) -> bool:
        """Whether the next throw is a roll."""
        return self._armed is not None

    # Hands

    def lift(self, *, is_up: bool = True) -> None:
        """The cup is taken up, or put down."""
        self._pins = int(is_up)
        self._tell(NoticeCode.LIFT, bytes([is_up]))

    def shake(self) -> None:
        """The cup is shaken."""
        self._is_shaken = True
        self._tell(NoticeCode.SHAKE, b"")

    def pour(self) -> None:
        """The cup is turned over; after a shake that is the throw."""
        if not self._is_shaken:
            return
        self._is_shaken = False
        self._tell(NoticeCode.POUR, b"")
        if self._armed is not None and not self.fault:
            self._tell(NoticeCode.ROLL, self._made(self._armed))

    def fall_ill(self, fault: int) -> None:
        """Something is wrong with it from now on."""
        self.fault = fault
        self._armed = None
        self._tell(NoticeCode.FAULT, bytes([fault]))

    # Inside

    def _pass(self, now: float) -> None:
        if not self._is_begun:
            self._begun = self._beat_at = now
            self._is_begun = True
        self._now = now
        if now - self._beat_at >= HEARTBEAT:
            self._beat_at = now
            self._tell(NoticeCode.STATUS, self._status())

    def _tell(self, kind: NoticeCode, payload: bytes) -> None:
        self._out += CupFrame(self._events & 0xFFFF, kind, payload).encoded()
        self._events += 1

    def _obey(self, frame: CupFrame) -> None:
        mark = arc(bytes([frame.type]) + frame.payload)
        if self._answered is not None and self._answered[0] == frame.id:
            is_same = self._answered[1] == mark
            other = CupFrame(frame.id, REFUSED, bytes([Refusal.NOT_THE_SAME, 0])).encoded()
            self._out += self._answered[2] if is_same else other
            return
        try:
            answer = CupFrame(frame.id, frame.type | ANSWER, self._answer(frame))
        except _No as no_answer:
            no = CupFrame(frame.id, REFUSED, bytes([no_answer.why, no_answer.detail & 0xFF]))
            self._out += no.encoded()
            return
        told = answer.encoded()
        self._answered = None if frame.type == CommandCode.HELLO else (frame.id, mark, told)
        self._out += told

    def _answer(self, frame: CupFrame) -> bytes:
        if frame.type not in LENGTHS:
            raise _No(Refusal.NOT_KNOWN, frame.type)
        word = CommandCode(frame.type)
        given = frame.payload
        if len(given) != LENGTHS[word] + 2 * (word in CHECKED):
            raise _No(Refusal.NOT_THAT_LONG, len(given))
        if word in CHECKED:
            given, check = given[:-2], int.from_bytes(given[-2:], "little")
            if check != check_of(frame.id, word, given):
                raise _No(Refusal.NOT_CHECKED)
        return self._answers()[word](given)

    def _answers(self) -> dict[CommandCode, Callable[[bytes], bytes]]:
        return {
            CommandCode.HELLO: self._hello,
            CommandCode.STATUS: lambda _: self._status(),
            CommandCode.COMMIT: self._commit,
            CommandCode.SEAL: self._seal,
            CommandCode.ARM: self._arm,
            CommandCode.DISARM: self._disarm,
            CommandCode.ROLL: self._roll,
            CommandCode.LAST: self._last,
            CommandCode.REVEAL: self._reveal,
            CommandCode.LOG: self._log,
            CommandCode.MATCH: self._match,
            CommandCode.FACES: lambda _: bytes([self._shown]),
            CommandCode.LED: self._led,
            CommandCode.PLAYER: self._set_player,
            CommandCode.SELFTEST: self._self_test,
        }

    def _identity(self) -> bytes:
        kept = self.memory
        cause, session = self._reset_cause, kept.starts * 40503 & 0xFFFF
        starts = kept.starts & 0xFFFF
        return struct.pack(
            "<BBBBI8sHBHH", MAJOR, MINOR, 1, 0, 0, kept.unit, _ALL, cause, starts, session
        )

    def _hello(self, given: bytes) -> bytes:
        if given[0] != MAJOR:
            raise _No(Refusal.NOT_IN_RANGE, MAJOR)
        return self._identity()

    def _status(self) -> bytes:
        is_weak = self.battery_mv < 3300
        state = self.memory.phase | 4 | 8 * (self._armed is not None) | 32 * is_weak
        good, bad = self._framer.good & 0xFFFF, self._framer.bad & 0xFFFF
        uptime = int(self._now - self._begun)
        return struct.pack(
            "<BBBHIIHHH", state, self.fault, self._pins, self.battery_mv, uptime,
            self.memory.number, good, bad, 0,
        )  # fmt: skip

    def _commit(self, _given: bytes) -> bytes:
        kept = self.memory
        self._needs(is_well=True)
        if kept.phase is CupPhase.SEALED:
            raise _No(Refusal.NOT_NOW, kept.phase)
        self._armed = None
        kept.match, kept.phase, kept.seed = kept.match + 1, CupPhase.COMMITTED, self._random(32)
        return struct.pack("<HI32s", kept.match, kept.number, kept.commitment)

    def _seal(self, nonces: bytes) -> bytes:
        kept = self.memory
        self._needs(CupPhase.COMMITTED, is_well=True)
        kept.first, kept.phase = kept.number, CupPhase.SEALED
        kept.key = proof.key_of(kept.seed, nonces)
        kept.chain = proof.chain_start(kept.commitment, nonces)
        return struct.pack("<I4s", kept.number, kept.chain[:4])

    def _needs(self, phase: CupPhase | None = None, *, is_well: bool = False) -> None:
        if is_well and self.fault:
            raise _No(Refusal.NOT_WELL, self.fault)
        if phase is not None and self.memory.phase is not phase:
            raise _No(Refusal.NOT_NOW, self.memory.phase)

    def _wanted(self, given: bytes) -> CupRoll:
        """The roll that is asked for; the newest one, with its faces, if that is asked again."""
        what, salt, after = struct.unpack("<B4sH", given)
        kept = self.memory
        try:
            wanted = CupRoll(kept.number + 1, RollPurpose.of(what), salt, ())
        except BadFrame:
            raise _No(Refusal.NOT_IN_RANGE, what) from None
        last = kept.rolls.get(kept.number) if kept.number > kept.first else None
        is_again = last is not None and (last.what, last.salt) == (wanted.what, salt)
        if (
            kept.phase is CupPhase.SEALED
            and last
            and is_again
            and kept.number & 0xFFFF == (after + 1) & 0xFFFF
        ):
            return last
        self._needs(CupPhase.SEALED, is_well=True)
        if kept.number & 0xFFFF != after:
            raise _No(Refusal.NOT_THAT_NUMBER, kept.number)
        return wanted

    def _roll(self, given: bytes) -> bytes:
        wanted = self._wanted(given)
        return self._told(wanted) if wanted.faces else self._made(wanted)

    def _arm(self, given: bytes) -> bytes:
        wanted = self._wanted(given)
        if wanted.faces:
            return self._told(wanted)
        self._armed, self._is_shaken = wanted, False
        return b""

    def _disarm(self, _given: bytes) -> bytes:
        self._armed = None
        return b""

    def _made(self, wanted: CupRoll) -> bytes:
        kept = self.memory
        roll = proof.rolled(kept.key, wanted)
        kept.number, kept.chain = roll.number, proof.chain_after(kept.chain, roll)
        kept.rolls[roll.number] = roll
        kept.rolls.pop(roll.number - RING, None)
        self._armed = None
        self._shown = faces_byte(roll.faces)
        return self._told(roll)

    def _told(self, roll: CupRoll) -> bytes:
        faces = faces_byte(roll.faces)
        return struct.pack(
            "<HBB4s", roll.number & 0xFFFF, int(roll.what), faces, self.memory.chain[:4]
        )

    def _last(self, _given: bytes) -> bytes:
        kept = self.memory
        last = kept.rolls.get(kept.number) if kept.number > kept.first else None
        what, faces, salt = 0, 0, bytes(4)
        if last is not None:
            what, faces, salt = int(last.what), faces_byte(last.faces), last.salt
        return struct.pack(
            "<BHIBB4s4s", kept.phase, kept.match, kept.number, what, faces, salt, kept.chain[:4]
        )

    def _reveal(self, _given: bytes) -> bytes:
        kept = self.memory
        if kept.phase not in (CupPhase.SEALED, CupPhase.REVEALED):
            raise _No(Refusal.NOT_NOW, kept.phase)
        self._armed, kept.phase = None, CupPhase.REVEALED
        return struct.pack("<HI32s", kept.match, kept.number, kept.seed)

    def _log(self, given: bytes) -> bytes:
        roll = self.memory.rolls.get(self.memory.number - given[0])
        if roll is None or given[0] >= RING:
            raise _No(Refusal.NOT_IN_RANGE, given[0])
        faces = faces_byte(roll.faces)
        return struct.pack("<IBB4s", roll.number, int(roll.what), faces, roll.salt)

    def _match(self, _given: bytes) -> bytes:
        kept = self.memory
        return struct.pack("<BHI32s", kept.phase, kept.match, kept.first, kept.commitment)

    def _led(self, given: bytes) -> bytes:
        if given[0] > 7 or given[1] > 1:
            raise _No(Refusal.NOT_IN_RANGE, given[0])
        self.lamp = (given[0], given[1])
        return b""

    def _set_player(self, given: bytes) -> bytes:
        if given[0] > 2:
            raise _No(Refusal.NOT_IN_RANGE, given[0])
        self.player = given[0]
        return b""

    def _self_test(self, _given: bytes) -> bytes:
        self.fault = 0
        return struct.pack("<BBHBHB", 3, 0, 1024, 0, 1024, 1)
