"""A cup without hardware, sans-I/O, that speaks the protocol of the firmware.

Its noise is the operating system's. `CupMemory` stands for the EEPROM of a real one, and outlives a
reset and a power cut too.
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
from hardware.protocol import checksum
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


class _RefusedError(Exception):
    """Raised when the answer is a refusal."""

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
        """The commitment to the match's seed; zeros before the first match."""
        return bytes(32) if self.phase is CupPhase.NONE else proof.commitment_of(self.seed)


class VirtualCup:
    """One cup, switched on; its power-on notice waits in `output`."""

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
        self._decoder = FrameDecoder()
        self._out = bytearray()
        self._events = 0
        self._now = self._started = self._beat_at = 0.0
        self._is_started = False
        self._pins = 0
        self._is_shaken = False
        self._armed: CupRoll | None = None
        self._shown = 0
        self._answered: tuple[int, int, bytes] | None = None
        self.memory.starts += 1
        self._notify(NoticeCode.BOOT, self._identity())

    # The line

    def received(self, arrived: bytes, now: float) -> bytes:
        """Take in bytes of the line; what it sends."""
        self._advance(now)
        for found in self._decoder.feed(arrived):
            if isinstance(found, BadFrame):
                self._notify(NoticeCode.GARBLED, b"")
            elif found.type < NoticeCode.STATUS:
                self._execute(found)
        return self.output()

    def tick(self, now: float) -> bytes:
        """Take in that time has passed; what it sends."""
        self._advance(now)
        return self.output()

    def output(self) -> bytes:
        """The bytes that it has sent since the last call."""
        out = bytes(self._out)
        self._out.clear()
        return out

    @property
    def is_armed(self) -> bool:
        """Whether the next throw is a roll."""
        return self._armed is not None

    # Handling

    def lift(self, *, is_up: bool = True) -> None:
        """Lift the cup, or put it down."""
        self._pins = int(is_up)
        self._notify(NoticeCode.LIFT, bytes([is_up]))

    def shake(self) -> None:
        """Shake the cup."""
        self._is_shaken = True
        self._notify(NoticeCode.SHAKE, b"")

    def pour(self) -> None:
        """Turn the cup over; after a shake that is the throw."""
        if not self._is_shaken:
            return
        self._is_shaken = False
        self._notify(NoticeCode.POUR, b"")
        if self._armed is not None and not self.fault:
            self._notify(NoticeCode.ROLL, self._made(self._armed))

    def set_fault(self, fault: int) -> None:
        """Let the cup have a fault."""
        self.fault = fault
        self._armed = None
        self._notify(NoticeCode.FAULT, bytes([fault]))

    # Inside

    def _advance(self, now: float) -> None:
        if not self._is_started:
            self._started = self._beat_at = now
            self._is_started = True
        self._now = now
        if now - self._beat_at >= HEARTBEAT:
            self._beat_at = now
            self._notify(NoticeCode.STATUS, self._status())

    def _notify(self, kind: NoticeCode, payload: bytes) -> None:
        self._out += CupFrame(self._events & 0xFFFF, kind, payload).encode()
        self._events += 1

    def _execute(self, frame: CupFrame) -> None:
        mark = arc(bytes([frame.type]) + frame.payload)
        if self._answered is not None and self._answered[0] == frame.id:
            is_same = self._answered[1] == mark
            other = CupFrame(frame.id, REFUSED, bytes([Refusal.NOT_THE_SAME, 0])).encode()
            self._out += self._answered[2] if is_same else other
            return
        try:
            answer = CupFrame(frame.id, frame.type | ANSWER, self._answer(frame))
        except _RefusedError as refused:
            refusal = bytes([refused.why, refused.detail & 0xFF])
            self._out += CupFrame(frame.id, REFUSED, refusal).encode()
            return
        sent = answer.encode()
        self._answered = None if frame.type == CommandCode.HELLO else (frame.id, mark, sent)
        self._out += sent

    def _answer(self, frame: CupFrame) -> bytes:
        if frame.type not in LENGTHS:
            raise _RefusedError(Refusal.NOT_KNOWN, frame.type)
        code = CommandCode(frame.type)
        given = frame.payload
        if len(given) != LENGTHS[code] + 2 * (code in CHECKED):
            raise _RefusedError(Refusal.NOT_THAT_LONG, len(given))
        if code in CHECKED:
            given, check = given[:-2], int.from_bytes(given[-2:], "little")
            if check != checksum(frame.id, code, given):
                raise _RefusedError(Refusal.NOT_CHECKED)
        return self._answers()[code](given)

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
        memory = self.memory
        cause, session = self._reset_cause, memory.starts * 40503 & 0xFFFF
        starts = memory.starts & 0xFFFF
        return struct.pack(
            "<BBBBI8sHBHH", MAJOR, MINOR, 1, 0, 0, memory.unit, _ALL, cause, starts, session
        )

    def _hello(self, given: bytes) -> bytes:
        if given[0] != MAJOR:
            raise _RefusedError(Refusal.NOT_IN_RANGE, MAJOR)
        return self._identity()

    def _status(self) -> bytes:
        is_weak = self.battery_mv < 3300
        state = self.memory.phase | 4 | 8 * (self._armed is not None) | 32 * is_weak
        good, bad = self._decoder.good & 0xFFFF, self._decoder.bad & 0xFFFF
        uptime = int(self._now - self._started)
        return struct.pack(
            "<BBBHIIHHH", state, self.fault, self._pins, self.battery_mv, uptime,
            self.memory.number, good, bad, 0,
        )  # fmt: skip

    def _commit(self, _given: bytes) -> bytes:
        memory = self.memory
        self._require(is_well=True)
        if memory.phase is CupPhase.SEALED:
            raise _RefusedError(Refusal.NOT_NOW, memory.phase)
        self._armed = None
        memory.match, memory.phase, memory.seed = (
            memory.match + 1,
            CupPhase.COMMITTED,
            self._random(32),
        )
        return struct.pack("<HI32s", memory.match, memory.number, memory.commitment)

    def _seal(self, nonces: bytes) -> bytes:
        memory = self.memory
        self._require(CupPhase.COMMITTED, is_well=True)
        memory.first, memory.phase = memory.number, CupPhase.SEALED
        memory.key = proof.key_of(memory.seed, nonces)
        memory.chain = proof.chain_start(memory.commitment, nonces)
        return struct.pack("<I4s", memory.number, memory.chain[:4])

    def _require(self, phase: CupPhase | None = None, *, is_well: bool = False) -> None:
        if is_well and self.fault:
            raise _RefusedError(Refusal.NOT_WELL, self.fault)
        if phase is not None and self.memory.phase is not phase:
            raise _RefusedError(Refusal.NOT_NOW, self.memory.phase)

    def _wanted(self, given: bytes) -> CupRoll:
        """The requested roll; the newest one, with its faces, if that is requested again."""
        what, salt, after = struct.unpack("<B4sH", given)
        memory = self.memory
        try:
            wanted = CupRoll(memory.number + 1, RollPurpose.of(what), salt, ())
        except BadFrame:
            raise _RefusedError(Refusal.NOT_IN_RANGE, what) from None
        last = memory.rolls.get(memory.number) if memory.number > memory.first else None
        is_again = last is not None and (last.what, last.salt) == (wanted.what, salt)
        if (
            memory.phase is CupPhase.SEALED
            and last
            and is_again
            and memory.number & 0xFFFF == (after + 1) & 0xFFFF
        ):
            return last
        self._require(CupPhase.SEALED, is_well=True)
        if memory.number & 0xFFFF != after:
            raise _RefusedError(Refusal.NOT_THAT_NUMBER, memory.number)
        return wanted

    def _roll(self, given: bytes) -> bytes:
        wanted = self._wanted(given)
        return self._rolled(wanted) if wanted.faces else self._made(wanted)

    def _arm(self, given: bytes) -> bytes:
        wanted = self._wanted(given)
        if wanted.faces:
            return self._rolled(wanted)
        self._armed, self._is_shaken = wanted, False
        return b""

    def _disarm(self, _given: bytes) -> bytes:
        self._armed = None
        return b""

    def _made(self, wanted: CupRoll) -> bytes:
        memory = self.memory
        roll = proof.rolled(memory.key, wanted)
        memory.number, memory.chain = roll.number, proof.chain_after(memory.chain, roll)
        memory.rolls[roll.number] = roll
        memory.rolls.pop(roll.number - RING, None)
        self._armed = None
        self._shown = faces_byte(roll.faces)
        return self._rolled(roll)

    def _rolled(self, roll: CupRoll) -> bytes:
        faces = faces_byte(roll.faces)
        return struct.pack(
            "<HBB4s", roll.number & 0xFFFF, int(roll.what), faces, self.memory.chain[:4]
        )

    def _last(self, _given: bytes) -> bytes:
        memory = self.memory
        last = memory.rolls.get(memory.number) if memory.number > memory.first else None
        phase, what, faces, salt = memory.phase, 0, 0, bytes(4)
        if last is not None:
            what, faces, salt = int(last.what), faces_byte(last.faces), last.salt
        return struct.pack(
            "<BHIBB4s4s", phase, memory.match, memory.number, what, faces, salt, memory.chain[:4]
        )

    def _reveal(self, _given: bytes) -> bytes:
        memory = self.memory
        if memory.phase not in (CupPhase.SEALED, CupPhase.REVEALED):
            raise _RefusedError(Refusal.NOT_NOW, memory.phase)
        self._armed, memory.phase = None, CupPhase.REVEALED
        return struct.pack("<HI32s", memory.match, memory.number, memory.seed)

    def _log(self, given: bytes) -> bytes:
        roll = self.memory.rolls.get(self.memory.number - given[0])
        if roll is None or given[0] >= RING:
            raise _RefusedError(Refusal.NOT_IN_RANGE, given[0])
        faces = faces_byte(roll.faces)
        return struct.pack("<IBB4s", roll.number, int(roll.what), faces, roll.salt)

    def _match(self, _given: bytes) -> bytes:
        memory = self.memory
        return struct.pack("<BHI32s", memory.phase, memory.match, memory.first, memory.commitment)

    def _led(self, given: bytes) -> bytes:
        if given[0] > 7 or given[1] > 1:
            raise _RefusedError(Refusal.NOT_IN_RANGE, given[0])
        self.lamp = (given[0], given[1])
        return b""

    def _set_player(self, given: bytes) -> bytes:
        if given[0] > 2:
            raise _RefusedError(Refusal.NOT_IN_RANGE, given[0])
        self.player = given[0]
        return b""

    def _self_test(self, _given: bytes) -> bytes:
        self.fault = 0
        return struct.pack("<BBHBHB", 3, 0, 1024, 0, 1024, 1)
