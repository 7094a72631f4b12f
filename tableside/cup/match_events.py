"""What happens at a cup, as events: commitment, nonces, rolls, seed."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Final

from engine.events.cup import CupCommitted, CupRevealed, CupRolled, CupSealed, UnusedReason
from engine.timestamp import Timestamp
from hardware.messages import Committed, Revealed, RollMade
from hardware.proof import chain_after, program_commitment_of
from hardware.roll_ledger import RollLedger
from tableside.cup.history import CupMatch
from tableside.cup.roll_turn import RollTurn
from tableside.cup.verify import KIND_NAMES, roll_of

Words = tuple[str, str]
"""Light's and dark's contribution to every roll; empty for a player without one."""
NO_WORDS: Final[Words] = ("", "")


def committed_event(committed: Committed, unit: bytes, now: Timestamp) -> CupCommitted:
    """The event that the cup `unit` has committed to a seed; the program draws a secret, too."""
    secret = os.urandom(32)
    return CupCommitted(
        **now._asdict(),
        cup=unit.hex(),
        match=committed.match,
        number=committed.number,
        commitment=committed.commitment.hex(),
        program=program_commitment_of(secret).hex(),
        program_secret=secret.hex(),
    )


def sealed_event(committed: CupCommitted, words: Words, now: Timestamp) -> CupSealed:
    """The event with a match's nonces: the players' words, and the fingerprint that they saw."""
    return CupSealed(
        **now._asdict(),
        cup=committed.cup,
        match=committed.match,
        host=CupMatch(committed).fingerprint if committed.program else os.urandom(16).hex(),
        light_words=words[0],
        dark_words=words[1],
    )


def rolled_event(
    made: RollMade, before: RollLedger, now: Timestamp, unused: UnusedReason | None = None
) -> tuple[CupRolled, RollLedger]:
    """The event of a roll, and the ledger after it."""
    ledger, roll = before.with_roll(made.roll), made.roll
    turn = made.turn if isinstance(made.turn, RollTurn) else None
    event = CupRolled(
        **now._asdict(),
        cup=before.unit.hex(),
        number=roll.number,
        kind=KIND_NAMES[roll.what.kind],
        roller=roll.what.player,
        dice=roll.faces,
        salt=roll.salt.hex(),
        chain=ledger.chain.hex(),
        was_requested=made.is_asked,
        game=0 if turn is None else turn.game,
        turn=0 if turn is None else turn.number,
        player=None if turn is None else turn.player,
        unused=unused,
    )
    return event, ledger


def revealed_event(revealed: Revealed, unit: bytes, now: Timestamp) -> CupRevealed:
    """The event that reveals the seed of a match of the cup `unit`."""
    return CupRevealed(
        **now._asdict(),
        cup=unit.hex(),
        match=revealed.match,
        seed=revealed.seed.hex(),
    )


def ledger_of(match: CupMatch) -> RollLedger | None:
    """The ledger of a recorded match after its newest roll; None if it cannot continue."""
    nonces, event = match.nonces, match.committed
    if nonces is None or match.seed is not None:
        return None
    committed = Committed(event.match, event.number, bytes.fromhex(event.commitment))
    secret = bytes.fromhex(event.program_secret)
    start = RollLedger.start(bytes.fromhex(event.cup), committed, nonces, secret)
    chain, number = start.chain, start.number
    for rolled in match.rolls:
        chain, number = chain_after(chain, roll_of(rolled)), rolled.number
    return replace(start, number=number, chain=chain)
