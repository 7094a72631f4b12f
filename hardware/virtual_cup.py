"""A cup without hardware, sans-I/O, that speaks the firmware's protocol.

Its noise comes from the operating system. `CupMemory` stands in for a real cup's EEPROM; it
survives resets and power cuts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from hardware import messages as m
from hardware import proof
from hardware.errors import BadFrame
from hardware.frames import CupFrame, FrameDecoder
from hardware.proof import CupRoll
from hardware.protocol import ROLL_PAYLOAD, checksum
from hardware.protocol_constants import (
    ANSWER,
    CHECKED,
    MAJOR,
    MINOR,
    REFUSED,
    RING,
    UNREADABLE_MATCH,
    Capability,
    CommandCode,
    CupPhase,
    NoticeCode,
    Refusal,
    RollPurpose,
    SelfTestPart,
    StatusFlag,
    Switch,
)

HEARTBEAT_S: Final = 1.0
WEAK_BATTERY_MV: Final = 4600


class _RefusedError(Exception):
    """Raised when the answer is a refusal."""

    def __init__(self, why: Refusal, detail: int = 0) -> None:
        super().__init__(why)
        self.answer = m.Refused(why, detail & 0xFF)


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

    @property
    def newest(self) -> CupRoll | None:
        """The newest roll of the match; None before the first."""
        return self.rolls.get(self.number) if self.number > self.first else None


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
        self._switches = Switch(0)
        self._is_shaken = False
        self._armed: CupRoll | None = None
        self._shown: tuple[int, ...] = ()
        self._answered: tuple[int, tuple[int, bytes], bytes] | None = None
        self._commands: dict[int, tuple[int, Callable[[bytes], m.CupMessage]]] = {
            CommandCode.HELLO: (2, self._hello),
            CommandCode.STATUS: (0, self._status),
            CommandCode.COMMIT: (0, self._commit),
            CommandCode.SEAL: (32, self._seal),
            CommandCode.ARM: (ROLL_PAYLOAD.size, self._arm),
            CommandCode.DISARM: (0, self._disarm),
            CommandCode.ROLL: (ROLL_PAYLOAD.size, self._roll),
            CommandCode.LAST: (0, self._last),
            CommandCode.REVEAL: (0, self._reveal),
            CommandCode.LOG: (1, self._log),
            CommandCode.FACES: (0, lambda _: m.DisplayMessage(self._shown)),
            CommandCode.MATCH: (0, self._match),
            CommandCode.LED: (2, self._led),
            CommandCode.PLAYER: (1, self._set_player),
            CommandCode.SELFTEST: (0, self._self_test),
        }
        self.memory.starts += 1
        self._notify(NoticeCode.BOOT, self._identity())

    # The line

    def received(self, arrived: bytes, now: float) -> bytes:
        """Process bytes from the line; return what the cup sends."""
        self._advance(now)
        for found in self._decoder.feed(arrived):
            if isinstance(found, BadFrame):
                self._notify(NoticeCode.GARBLED, m.Garbled())
            elif found.type < NoticeCode.STATUS:
                self._execute(found)
        return self.output()

    def tick(self, now: float) -> bytes:
        """Process the passage of time; return what the cup sends."""
        self._advance(now)
        return self.output()

    def output(self) -> bytes:
        """The bytes sent since the last call."""
        out = bytes(self._out)
        self._out.clear()
        return out

    @property
    def is_armed(self) -> bool:
        """Whether the next throw is a roll."""
        return self._armed is not None

    # Handling

    def lift(self, *, is_up: bool = True) -> None:
        """Lift the cup or put it down."""
        self._switches = Switch(is_up)
        self._notify(NoticeCode.LIFT, m.CupLifted(is_up))

    def shake(self) -> None:
        """Shake the cup."""
        self._is_shaken = True
        self._notify(NoticeCode.SHAKE, m.CupShaken())

    def pour(self) -> None:
        """Turn the cup over; after a shake, that is the throw."""
        if not self._is_shaken:
            return
        self._is_shaken = False
        self._notify(NoticeCode.POUR, m.CupPoured())
        if self._armed is not None and not self.fault:
            self._notify(NoticeCode.ROLL, self._made(self._armed))

    def set_fault(self, fault: int) -> None:
        """Put the cup into this fault."""
        self.fault = fault
        self._armed = None
        self._notify(NoticeCode.FAULT, m.Faulty(fault))

    # Inside

    def _advance(self, now: float) -> None:
        if not self._is_started:
            self._started = self._beat_at = now
            self._is_started = True
        self._now = now
        if now - self._beat_at >= HEARTBEAT_S:
            self._beat_at = now
            self._notify(NoticeCode.STATUS, self._status())

    def _notify(self, kind: NoticeCode, message: m.CupMessage) -> None:
        self._out += CupFrame(self._events & 0xFFFF, kind, message.encode()).encode()
        self._events += 1

    def _execute(self, frame: CupFrame) -> None:
        asked = (frame.type, frame.payload)
        try:
            if self._answered is not None and self._answered[0] == frame.id:
                if self._answered[1] != asked:
                    raise _RefusedError(Refusal.NOT_THE_SAME)
                self._out += self._answered[2]
                return
            answer = CupFrame(frame.id, frame.type | ANSWER, self._answer(frame).encode()).encode()
        except _RefusedError as refused:
            self._out += CupFrame(frame.id, REFUSED, refused.answer.encode()).encode()
            return
        self._answered = None if frame.type == CommandCode.HELLO else (frame.id, asked, answer)
        self._out += answer

    def _answer(self, frame: CupFrame) -> m.CupMessage:
        if frame.type not in self._commands:
            raise _RefusedError(Refusal.NOT_KNOWN, frame.type)
        length, execute = self._commands[frame.type]
        given, is_checked = frame.payload, frame.type in CHECKED
        if len(given) != length + 2 * is_checked:
            raise _RefusedError(Refusal.NOT_THAT_LONG, len(given))
        if is_checked:
            given, check = given[:-2], int.from_bytes(given[-2:], "little")
            if check != checksum(frame.id, frame.type, given):
                raise _RefusedError(Refusal.NOT_CHECKED)
        return execute(given)

    def _identity(self) -> m.CupIdentity:
        memory = self.memory
        starts, session = memory.starts & 0xFFFF, memory.starts * 40503 & 0xFFFF
        can, cause = ~Capability.RAW_NOISE, self._reset_cause
        return m.CupIdentity(MAJOR, MINOR, (1, 0), 0, memory.unit, can, cause, starts, session)

    def _hello(self, given: bytes) -> m.CupMessage:
        if given[0] != MAJOR:
            raise _RefusedError(Refusal.NOT_IN_RANGE, MAJOR)
        return self._identity()

    def _status(self, _given: bytes = b"") -> m.CupMessage:
        flags = StatusFlag(self.memory.phase) | StatusFlag.PREPARED
        if self.is_armed:
            flags |= StatusFlag.ARMED
        if self.battery_mv < WEAK_BATTERY_MV:
            flags |= StatusFlag.WEAK
        return m.Status(
            flags=flags,
            fault=self.fault,
            switches=self._switches,
            battery_mv=self.battery_mv,
            uptime_s=int(self._now - self._started),
            number=self.memory.number,
            good=self._decoder.good & 0xFFFF,
            bad=self._decoder.bad & 0xFFFF,
            overruns=0,
        )

    def _commit(self, _given: bytes) -> m.CupMessage:
        memory = self.memory
        if self.fault != UNREADABLE_MATCH:
            self._require(is_well=True)
        if memory.phase is CupPhase.SEALED:
            raise _RefusedError(Refusal.NOT_NOW, memory.phase)
        self._armed, self.fault = None, 0
        memory.match += 1
        memory.phase, memory.seed = CupPhase.COMMITTED, self._random(32)
        return m.Committed(memory.match, memory.number, memory.commitment)

    def _seal(self, nonces: bytes) -> m.CupMessage:
        memory = self.memory
        self._require(CupPhase.COMMITTED, is_well=True)
        memory.first, memory.phase = memory.number, CupPhase.SEALED
        memory.key = proof.key_of(memory.seed, nonces)
        memory.chain = proof.chain_start(memory.commitment, nonces)
        return m.Sealed(memory.number, memory.chain[:4])

    def _require(self, phase: CupPhase | None = None, *, is_well: bool = False) -> None:
        if is_well and self.fault:
            raise _RefusedError(Refusal.NOT_WELL, self.fault)
        if phase is not None and self.memory.phase is not phase:
            raise _RefusedError(Refusal.NOT_NOW, self.memory.phase)

    def _wanted(self, given: bytes) -> CupRoll:
        """The requested roll; if it is the newest one requested again, that one with its faces."""
        what, salt, after = ROLL_PAYLOAD.unpack(given)
        memory, last = self.memory, self.memory.newest
        try:
            wanted = CupRoll(memory.number + 1, RollPurpose.of(what), salt, ())
        except BadFrame:
            raise _RefusedError(Refusal.NOT_IN_RANGE, what) from None
        if memory.phase is CupPhase.SEALED and last is not None:
            is_behind = memory.number & 0xFFFF == (after + 1) & 0xFFFF
            if is_behind and (last.what, last.salt) == (wanted.what, salt):
                return last
        self._require(CupPhase.SEALED, is_well=True)
        if memory.number & 0xFFFF != after:
            raise _RefusedError(Refusal.NOT_THAT_NUMBER, memory.number)
        return wanted

    def _roll(self, given: bytes) -> m.CupMessage:
        wanted = self._wanted(given)
        return self._rolled(wanted) if wanted.faces else self._made(wanted)

    def _arm(self, given: bytes) -> m.CupMessage:
        wanted = self._wanted(given)
        if wanted.faces:
            return self._rolled(wanted)
        self._is_shaken = self._is_shaken and wanted == self._armed  # asked for again
        self._armed = wanted
        return m.Acknowledged()

    def _disarm(self, _given: bytes) -> m.CupMessage:
        self._armed = None
        return m.Acknowledged()

    def _made(self, wanted: CupRoll) -> m.CupMessage:
        memory = self.memory
        roll = proof.rolled(memory.key, wanted)
        memory.number, memory.chain = roll.number, proof.chain_after(memory.chain, roll)
        memory.rolls[roll.number] = roll
        memory.rolls.pop(roll.number - RING, None)
        self._armed, self._shown = None, roll.faces
        return self._rolled(roll)

    def _rolled(self, roll: CupRoll) -> m.CupMessage:
        return m.RollMessage(roll.number & 0xFFFF, roll.what, roll.faces, self.memory.chain[:4])

    def _last(self, _given: bytes) -> m.CupMessage:
        memory, last = self.memory, self.memory.newest
        what, faces, salt = (last.what, last.faces, last.salt) if last else (None, (), bytes(4))
        tag = memory.chain[:4]
        return m.LastRoll(memory.phase, memory.match, memory.number, what, faces, salt, tag)

    def _reveal(self, _given: bytes) -> m.CupMessage:
        memory = self.memory
        if memory.phase not in (CupPhase.SEALED, CupPhase.REVEALED):
            raise _RefusedError(Refusal.NOT_NOW, memory.phase)
        self._armed, memory.phase = None, CupPhase.REVEALED
        return m.Revealed(memory.match, memory.number, memory.seed)

    def _log(self, given: bytes) -> m.CupMessage:
        roll = self.memory.rolls.get(self.memory.number - given[0])
        if roll is None or given[0] >= RING:
            raise _RefusedError(Refusal.NOT_IN_RANGE, given[0])
        return m.LoggedRoll(roll.number, roll.what, roll.faces, roll.salt)

    def _match(self, _given: bytes) -> m.CupMessage:
        memory = self.memory
        return m.MatchStatus(memory.phase, memory.match, memory.first, memory.commitment)

    def _led(self, given: bytes) -> m.CupMessage:
        if given[0] > 7 or given[1] > 1:
            raise _RefusedError(Refusal.NOT_IN_RANGE, given[0])
        self.lamp = (given[0], given[1])
        return m.Acknowledged()

    def _set_player(self, given: bytes) -> m.CupMessage:
        if given[0] > 2:
            raise _RefusedError(Refusal.NOT_IN_RANGE, given[0])
        self.player = given[0]
        return m.Acknowledged()

    def _self_test(self, _given: bytes) -> m.CupMessage:
        if self.fault != UNREADABLE_MATCH:
            self.fault = 0
        return m.SelfTest(SelfTestPart.HASH | SelfTestPart.MEMORY, 0, 1024, 0, 1024, True)
