"""A line between a client and a cup in simulated time, with whatever goes wrong on it."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field
from typing import Any

from hardware.client import CupClient
from hardware.connection import CupConnection
from hardware.match import commit, seal
from hardware.messages import Committed, LineSilent, RollMade, Sealed
from hardware.proof import nonces_of
from hardware.protocol_constants import CommandCode, CupPhase, RollKind, RollPurpose
from hardware.roll_ledger import RollLedger

STEP = 0.005


@dataclass
class Noise:
    """What the line does to bytes, in both directions."""

    chance: random.Random
    bit_errors: float = 0.0
    lost: float = 0.0
    """Fraction of all bytes that are lost."""
    garbage: float = 0.0
    """Fraction of pieces that are followed by random bytes."""

    def _next_error(self) -> int:
        """Number of correct bits before the next error."""
        return int(math.log(1 - self.chance.random()) / math.log(1 - self.bit_errors))

    def spoil(self, sent: bytes) -> bytes:
        chance = self.chance
        out = bytearray()
        for byte in sent:
            if self.lost and chance.random() < self.lost:
                continue
            out.append(byte)
        if self.bit_errors:
            at = self._next_error()
            while at < 8 * len(out):
                out[at >> 3] ^= 1 << (at & 7)
                at += 1 + self._next_error()
        if self.garbage and chance.random() < self.garbage:
            out += chance.randbytes(chance.randrange(1, 300))
        return bytes(out)


@dataclass
class Line:
    """A line between `client` and a cup that has `received(bytes, now)` and `tick(now)`."""

    client: CupClient
    cup: Any
    noise: Noise | None = None
    now: float = 0.0
    is_whole: bool = True
    notices: list = field(default_factory=list)

    def plug(self) -> None:
        self.is_whole = True
        self.client.connected(self.now)

    def pull(self) -> None:
        self.is_whole = False
        self.notices += self.client.lost(self.now)

    def _spoilt(self, sent: bytes) -> bytes:
        return sent if self.noise is None else self.noise.spoil(sent)

    def step(self) -> None:
        self.now += STEP
        new = self.client.tick(self.now) if self.is_whole else []
        sent = self.client.output()
        answered = self.cup.tick(self.now)
        if self.is_whole:
            if sent:
                answered += self.cup.received(self._spoilt(sent), self.now)
            if answered:
                new += self.client.received(self._spoilt(answered), self.now)
        self.notices += new
        if any(isinstance(one, LineSilent) for one in new):
            self.pull()
            self.plug()

    def until(self, is_so, most: float = 60.0):
        """Let time pass until `is_so()`, at most this many seconds."""
        end = self.now + most
        while not (found := is_so()):
            assert self.now < end, (self.client.state, self.client.why, self.notices[-5:])
            self.step()
        return found

    def answer(self, code: CommandCode, payload: bytes = b"", most: float = 60.0):
        token = self.client.send(code, payload)

        def found():
            return [one for one in self.notices if getattr(one, "token", None) == token]

        return self.until(found, most)[0].message

    @property
    def rolls(self):
        return [one.roll for one in self.notices if isinstance(one, RollMade)]


def begin(line: Line, light: str = "", dark: str = "") -> RollLedger:
    """Seal a match at the cup; return the ledger that the client has of it."""
    committed = line.answer(CommandCode.COMMIT)
    assert isinstance(committed, Committed), committed
    nonces = nonces_of(b"host" * 4, light, dark)
    sealed = line.answer(CommandCode.SEAL, nonces)
    assert isinstance(sealed, Sealed), sealed
    line.until(lambda: line.answer(CommandCode.MATCH).phase is CupPhase.SEALED)
    ledger = RollLedger.start(line.client.identity.unit, committed, nonces)
    assert ledger.chain[:4] == sealed.tag
    line.client.ledger = ledger
    return ledger


def begin_at(cup: CupConnection, patience: float = 60.0) -> RollLedger:
    """The same over a real connection."""
    committed, unit = commit(cup, patience)
    ledger = RollLedger.start(unit, committed, nonces_of(b"host", "Ann", "Bob"))
    seal(cup, ledger, patience)
    return ledger


TWO = RollPurpose(RollKind.TWO)
