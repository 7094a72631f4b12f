"""A match at a cup, told as events: commitment, nonces, rolls, seed."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from queue import Empty
from typing import Final

from engine.events.cup import CupCommitted, CupRevealed, CupRolled, CupSealed
from engine.events.match import Event
from engine.timestamp import Timestamp
from hardware.connection import CupConnection
from hardware.errors import CupLost, CupOutOfStep
from hardware.messages import Revealed
from hardware.notices import MatchBroken, RollMade
from hardware.ports import PortSearch
from hardware.proof import chain_after, chain_start
from hardware.roll_ledger import RollLedger
from hardware.served_cup import ServedCup
from tableside.cup.history import CupMatch
from tableside.cup.verify import NAMES, roll_of
from tableside.cup.virtual_memory import StoredCupMemory

ROLL_PATIENCE: Final = 30.0
"""Seconds for a roll that nobody shakes for."""

REVEAL_PATIENCE: Final = 30.0
"""Seconds that the cup may take to tell its seed."""

Tell = Callable[[Event], object]
"""Keeps an event; what it has returned from is safe."""
Words = tuple[str, str]
"""Light's and dark's part in every roll; empty where a player has none."""
NO_WORDS: Final[Words] = ("", "")


def opened_cup(
    stack: ExitStack,
    url: str | None,
    *,
    is_virtual: bool = False,
    memory: Path | None = None,
    is_shaken_at_once: bool = True,
    on_change: Callable[[], object] = lambda: None,
) -> CupConnection:
    """The cup that is asked for, until `stack` is left.

    memory: where a virtual one keeps what a real one has in its EEPROM; is_shaken_at_once: whether
    it throws what it is armed for a moment later.
    """
    if is_virtual:
        kept = None if memory is None else StoredCupMemory(memory, os.urandom)
        served = ServedCup(
            os.urandom,
            memory=None if kept is None else kept.memory,
            is_shaken_at_once=is_shaken_at_once,
            keep=(lambda _: None) if kept is None else kept.keep,
        )
        url = stack.enter_context(served).url
    return stack.enter_context(CupConnection(PortSearch(url), on_change=on_change))


def next_roll(cup: CupConnection, patience: float = ROLL_PATIENCE) -> RollMade:
    """The roll that comes next; `CupLost` if none comes in so many seconds."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        try:
            notice = cup.notices.get(timeout=1)
        except Empty:
            continue
        if isinstance(notice, RollMade):
            return notice
        if isinstance(notice, MatchBroken):
            raise CupOutOfStep(notice.why)
    raise CupLost(f"no roll came ({cup.view.state.value}); see `tableside cup test`")


@dataclass(slots=True)
class CupMatchEvents:
    """Turns what happens at a cup into events."""

    tell: Tell
    when: Callable[[], Timestamp]

    def begin(self, cup: CupConnection, words: Callable[[CupCommitted], Words]) -> RollLedger:
        """A new match is sealed; `words` are asked for once its commitment is kept."""
        match = CupMatch(self.commit(cup))
        match.sealed = self.seal(match.committed, words(match.committed))
        ledger = ledger_of(match)
        assert ledger is not None, "it was sealed"  # noqa: S101
        cup.seal(ledger)
        return ledger

    def commit(self, cup: CupConnection) -> CupCommitted:
        """The cup is bound to a new match's seed, and its commitment is kept."""
        committed, unit = cup.commit()
        now = self.when()
        event = CupCommitted(
            time=now.time,
            frame=now.frame,
            cup=unit.hex(),
            match=committed.match,
            number=committed.number,
            commitment=committed.commitment.hex(),
        )
        self.tell(event)
        return event

    def seal(self, committed: CupCommitted, words: Words) -> CupSealed:
        """What the players said is kept, with a number of the program's own that is made now."""
        now = self.when()
        event = CupSealed(
            time=now.time,
            frame=now.frame,
            cup=committed.cup,
            match=committed.match,
            host=os.urandom(16).hex(),
            light_words=words[0],
            dark_words=words[1],
        )
        self.tell(event)
        return event

    def rolled(self, made: RollMade, before: RollLedger) -> tuple[CupRolled, RollLedger]:
        """The roll is kept; the ledger after it."""
        ledger, now, roll = before.with_roll(made.roll), self.when(), made.roll
        event = CupRolled(
            time=now.time,
            frame=now.frame,
            cup=before.unit.hex(),
            number=roll.number,
            kind=NAMES[roll.what.kind],
            roller=roll.what.player,
            dice=roll.faces,
            salt=roll.salt.hex(),
            chain=ledger.chain.hex(),
            asked=made.is_asked,
        )
        self.tell(event)
        return event, ledger

    def reveal(self, cup: CupConnection, ledger: RollLedger) -> CupRevealed:
        """The seed is kept; `CupLost` if the cup does not tell it."""
        revealed, now = cup.reveal(REVEAL_PATIENCE), self.when()
        if not isinstance(revealed, Revealed) or revealed.match != ledger.match:
            raise CupLost("the cup tells another match's seed")
        event = CupRevealed(
            time=now.time,
            frame=now.frame,
            cup=ledger.unit.hex(),
            match=revealed.match,
            seed=revealed.seed.hex(),
        )
        self.tell(event)
        return event


def ledger_of(match: CupMatch) -> RollLedger | None:
    """Where a recorded match stands; None if it cannot go on."""
    nonces, committed = match.nonces, match.committed
    if nonces is None or match.seed is not None:
        return None
    commitment = bytes.fromhex(committed.commitment)
    chain, number = chain_start(commitment, nonces), committed.number
    for event in match.rolls:
        chain, number = chain_after(chain, roll_of(event)), event.number
    unit = bytes.fromhex(committed.cup)
    return RollLedger(unit, committed.match, commitment, nonces, number, chain)
