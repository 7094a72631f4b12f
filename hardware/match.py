"""A match at a cup, from its commitment to its seed: calls that can take up to a minute."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final, NamedTuple

from engine.message import msg
from hardware.connection import CupConnection
from hardware.errors import CupLost, CupOutOfStep, CupRefused
from hardware.messages import Committed, LastRoll, LoggedRoll, MatchStatus, Revealed
from hardware.proof import CupRoll
from hardware.protocol_constants import RING, CommandCode, CupPhase, Refusal
from hardware.roll_ledger import RollLedger, no_longer_in

ANSWER_PATIENCE: Final = 60.0
"""Seconds to wait for an answer: giving up on a half-begun match would only mean starting over."""
SEED_PATIENCE: Final = 60.0
"""Seconds that a cup may gather noise for a seed; a real one takes 25 after power-on."""
REVEAL_PATIENCE: Final = 30.0
"""Seconds that the cup may take to reveal its seed."""


def commit(cup: CupConnection, patience: float = SEED_PATIENCE) -> tuple[Committed, bytes]:
    """Bind the cup to the seed of a new match; return its commitment and the cup's name.

    Raises `CupOutOfStep` if the cup is in a match that is not over: `end_left_match` ends it.
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
        if isinstance(here, MatchStatus) and phase is CupPhase.SEALED:
            raise CupOutOfStep(
                msg(
                    "the cup is in match {match}, which is not over: end it where it is played, or "
                    "with `tableside cup reveal`",
                    match=here.match,
                )
            )
        try:
            message = cup.call(CommandCode.COMMIT, patience=ANSWER_PATIENCE)
        except CupRefused as refused:
            if refused.code != Refusal.NOT_YET or time.monotonic() > end:
                raise
            time.sleep(0.5)
            continue
        if isinstance(message, Committed):
            return message


class LeftMatch(NamedTuple):
    """A match that was left at a cup before its seed was recorded, and is over now."""

    unit: bytes
    rolls: tuple[CupRoll, ...]
    """Those that its ledger lacks, as far as the cup's log has them all."""
    revealed: Revealed
    was_open: bool
    """Whether the cup could still have rolled in it."""


def end_left_match(
    cup: CupConnection,
    ledger_of: Callable[[bytes, int], RollLedger | None],
    patience: float = SEED_PATIENCE,
) -> LeftMatch | None:
    """Reveal the match that was left at the cup, if any: another one would destroy its seed.

    ledger_of: finds what is recorded of a cup's match by its unit and number.
    """
    cup.forget_match()
    unit = cup.wait_ready(patience).unit
    here = cup.call(CommandCode.MATCH, patience=ANSWER_PATIENCE)
    if not isinstance(here, MatchStatus) or here.phase in (CupPhase.NONE, CupPhase.COMMITTED):
        return None
    cup.call(CommandCode.DISARM, patience=ANSWER_PATIENCE)  # from now on it makes no roll
    ledger = ledger_of(unit, here.match)
    last = cup.call(CommandCode.LAST, patience=ANSWER_PATIENCE)
    number = last.number if isinstance(last, LastRoll) else 0
    behind = 0 if ledger is None else number - ledger.number
    rolls = tuple(_logged(cup, behind)) if behind <= RING else ()
    revealed = cup.call(CommandCode.REVEAL, patience=ANSWER_PATIENCE)
    if not isinstance(revealed, Revealed) or revealed.match != here.match:
        raise CupLost(msg("the cup reveals another match's seed"))
    return LeftMatch(unit, rolls, revealed, was_open=here.phase is CupPhase.SEALED)


def seed_of_revealed(cup: CupConnection, ledger: RollLedger) -> Revealed | None:
    """The seed of the ledger's match, if the cup has revealed it before; None if it has not."""
    unit = cup.wait_ready(ANSWER_PATIENCE).unit
    here = cup.call(CommandCode.MATCH, patience=ANSWER_PATIENCE)
    if not isinstance(here, MatchStatus) or here.phase is not CupPhase.REVEALED:
        return None
    if (unit, here.match, here.commitment) != (ledger.unit, ledger.match, ledger.commitment):
        return None
    revealed = cup.call(CommandCode.REVEAL, patience=ANSWER_PATIENCE)
    return revealed if isinstance(revealed, Revealed) else None


def _logged(cup: CupConnection, count: int) -> Iterator[CupRoll]:
    """The cup's newest `count` rolls, oldest first."""
    for back in reversed(range(count)):
        logged = cup.call(CommandCode.LOG, bytes([back]), ANSWER_PATIENCE)
        if isinstance(logged, LoggedRoll):
            yield logged.roll


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

    Raises `CupOutOfStep` if the cup is at another match, which goes on.

    By then every roll of the match has come out of `notices`: nothing is armed any more, and the
    cup's newest roll has been compared once again.
    """
    cup.cancel_roll()
    cup.call(CommandCode.DISARM, patience=REVEAL_PATIENCE)
    ledger = cup.ledger
    if ledger is not None:
        cup.resume(ledger)
    here = cup.call(CommandCode.MATCH, patience=REVEAL_PATIENCE)
    if isinstance(here, MatchStatus) and here.match != match:
        raise CupOutOfStep(no_longer_in(match))
    revealed = cup.call(CommandCode.REVEAL, patience=REVEAL_PATIENCE)
    cup.forget_match()
    if not isinstance(revealed, Revealed) or revealed.match != match:
        raise CupLost(msg("the cup reveals another match's seed"))
    return revealed
