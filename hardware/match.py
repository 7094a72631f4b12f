"""A match at a cup, from its commitment to its seed: calls that can take up to a minute."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Final

from engine.message import msg
from hardware.connection import CupConnection
from hardware.errors import CupLost, CupOutOfStep, CupRefused
from hardware.messages import Committed, LastRoll, MatchStatus, Revealed
from hardware.protocol_constants import CommandCode, CupPhase, Refusal
from hardware.roll_ledger import RollLedger

ANSWER_PATIENCE: Final = 60.0
"""Seconds to wait for an answer: giving up on a half-begun match would only mean starting over."""
SEED_PATIENCE: Final = 60.0
"""Seconds that a cup may gather noise for a seed; a real one takes 25 after power-on."""
REVEAL_PATIENCE: Final = 30.0
"""Seconds that the cup may take to reveal its seed."""


def commit(cup: CupConnection, patience: float = SEED_PATIENCE) -> tuple[Committed, bytes]:
    """Bind the cup to the seed of a new match; return its commitment and the cup's name.

    A match already at the cup is revealed first; it cannot be played any further.
    """
    end = time.monotonic() + patience
    cup.wait_ready(patience)
    cup.forget_match()
    committed = _committed(cup, end)
    # Only now: a new cup draws its name from the noise before its first seed.
    return committed, cup.wait_ready(patience).unit


def _committed(cup: CupConnection, end: float) -> Committed:
    while True:
        here = cup.call(CommandCode.MATCH, patience=ANSWER_PATIENCE)
        phase = here.phase if isinstance(here, MatchStatus) else None
        if isinstance(here, MatchStatus) and phase is CupPhase.COMMITTED:
            last = cup.call(CommandCode.LAST, patience=ANSWER_PATIENCE)
            number = last.number if isinstance(last, LastRoll) else 0
            return Committed(here.match, number, here.commitment)
        if phase is CupPhase.SEALED:
            cup.call(CommandCode.REVEAL, patience=ANSWER_PATIENCE)
        try:
            message = cup.call(CommandCode.COMMIT, patience=ANSWER_PATIENCE)
        except CupRefused as refused:
            if refused.code != Refusal.NOT_YET or time.monotonic() > end:
                raise
            time.sleep(0.5)
            continue
        if isinstance(message, Committed):
            return message


def seal(cup: CupConnection, ledger: RollLedger, patience: float = SEED_PATIENCE) -> None:
    """Seal the match that the cup is bound to with the ledger's nonces; it can roll from then on.

    Repeating it changes nothing. Raises `CupOutOfStep` if the cup is now bound to another seed, or
    sealed with other nonces.
    """
    end = time.monotonic() + patience
    unit = cup.wait_ready(patience).unit
    here = cup.call(CommandCode.MATCH, patience=ANSWER_PATIENCE)
    if not isinstance(here, MatchStatus):
        raise CupLost(cup.no_answer)
    is_bound = here.phase is CupPhase.COMMITTED
    ledger.check(unit, replace(here, phase=CupPhase.SEALED) if is_bound else here)
    last = cup.call(CommandCode.LAST, patience=ANSWER_PATIENCE)
    if is_bound or (isinstance(last, LastRoll) and last.what is None):
        _seal(cup, ledger, end)
    cup.resume(ledger)


def _seal(cup: CupConnection, ledger: RollLedger, end: float) -> None:
    """Send the nonces until a LAST that follows the answer shows that the cup is sealed."""
    is_answered = False
    while time.monotonic() < end:
        try:
            if not is_answered:
                cup.call(CommandCode.SEAL, ledger.nonces, ANSWER_PATIENCE)
                is_answered = True
            last = cup.call(CommandCode.LAST, patience=ANSWER_PATIENCE)
        except CupLost:
            is_answered = False
            continue
        except CupRefused as refused:
            if refused.code != Refusal.NOT_NOW:
                raise
            # Already sealed, and only the answer was lost: LAST shows with which nonces.
            last = cup.call(CommandCode.LAST, patience=ANSWER_PATIENCE)
        if isinstance(last, LastRoll) and last.phase is CupPhase.SEALED:
            if last.tag != ledger.chain[: len(last.tag)]:
                raise CupOutOfStep(msg("the cup is sealed with other words: start another match"))
            return
        time.sleep(0.05)
    raise CupLost(cup.no_answer)


def reveal(cup: CupConnection, match: int) -> Revealed:
    """Return the seed of that match, which is over; raises `CupLost` if the cup does not give it.

    By then every roll of the match has come out of `notices`: nothing is armed any more, and the
    cup's newest roll has been compared once again.
    """
    cup.cancel_roll()
    cup.call(CommandCode.DISARM, patience=REVEAL_PATIENCE)
    ledger = cup.ledger
    if ledger is not None:
        cup.resume(ledger)
    revealed = cup.call(CommandCode.REVEAL, patience=REVEAL_PATIENCE)
    cup.forget_match()
    if not isinstance(revealed, Revealed) or revealed.match != match:
        raise CupLost(msg("the cup reveals another match's seed"))
    return revealed
