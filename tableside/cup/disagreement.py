"""Reasons to refuse a command to the cup, and dice on the board that are not the cup's."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from engine import DiceRolled, DieSeen, MatchState, NotNow, OpeningRolled, Phase
from engine.events.cup import CupDecided, CupDisagrees
from engine.message import Message, Sentence, msg
from engine.timestamp import Timestamp
from tableside.cup.history import turn_events
from webui.contracts.state import CupDisagreement

NO_CUP: Final = msg("this match does not use a cup")
NOT_READY: Final = msg("the cup is not ready to roll")
NOT_THERE: Final = msg("the cup is not connected")
NO_ROLL_NOW: Final = msg("it is not time to roll")
ASIDE_ALREADY: Final = msg("the cup is already set aside")
NOT_ASIDE: Final = msg("the cup is not set aside")
NOT_OF_DICE: Final = msg("these dice have no cup: throw them")
DICE_NOT_READY: Final = msg("the dice are not ready")
NO_SEED: Final = msg("the cup has no seed to reveal now")
NO_WORDS_NOW: Final = msg("words are entered between the cup's commitment and its first roll")
NO_DISAGREEMENT: Final = msg("no other dice lie on the board")

UNCONNECTED: Final = ("searching", "opening", "handshaking", "lost")
"""States of a device in which the reason may name its port."""

MIN_CLEAR_DIE_CONFIDENCE: Final = 0.9
"""Minimum confidence at which a die on the board is compared with the cup's."""


def unplaced(state: str, why: Sentence, instead: Message) -> Sentence:
    """Why a device is in this state, without its port: what others than the referee may read."""
    return instead if why and state in UNCONNECTED else why


def shown_disagreement(state: MatchState) -> CupDisagreement | None:
    """Both rolls for the page; None if there is nothing to decide."""
    two = _newest(state)
    if not isinstance(two, CupDisagrees):
        return None
    return CupDisagreement(cup=list(two.dice), seen=list(two.seen))


def _newest(state: MatchState) -> CupDisagrees | CupDecided | None:
    """The newest disagreement of the turn in progress, or the decision on which roll counts."""
    if state.phase is not Phase.TO_PLAY:
        return None
    kinds = CupDisagrees | CupDecided
    return next((one for one in turn_events(state) if isinstance(one, kinds)), None)


def disagreement(state: MatchState, dice: Iterable[DieSeen], now: Timestamp) -> CupDisagrees | None:
    """The event that two dice on the board differ from the cup's for this turn, once a turn."""
    rolled, player = _cup_roll(state), state.to_move
    confident = (die.value for die in dice if die.confidence >= MIN_CLEAR_DIE_CONFIDENCE)
    read = [value for value in confident if value is not None]
    if rolled is None or player is None or len(read) != 2 or _newest(state) is not None:
        return None
    seen = max(read), min(read)
    if rolled == seen:
        return None
    return CupDisagrees(**now._asdict(), player=player, dice=rolled, seen=seen)


def _cup_roll(state: MatchState) -> tuple[int, ...] | None:
    """The dice that the cup rolled for the play now due, higher first; None if there are none."""
    if state.phase is not Phase.TO_PLAY:
        return None
    for event in turn_events(state):
        match event:
            case DiceRolled(by="cup", dice=(int(high), int(low))):
                return high, low
            case OpeningRolled(by="cup", light=int(light), dark=int(dark)):
                return max(light, dark), min(light, dark)
    return None


def decision(state: MatchState, *, is_cups: bool, now: Timestamp) -> CupDecided:
    """The decision for the cup's dice or those on the board; raises `NotNow` if none is due."""
    two = _newest(state)
    if not isinstance(two, CupDisagrees):
        raise NotNow(NO_DISAGREEMENT)
    first, second = two.dice if is_cups else two.seen
    if first is None or second is None:
        raise NotNow(msg("a die on the board was not read: keep the cup's dice, or undo"))
    return CupDecided(
        **now._asdict(),
        player=two.player,
        dice=(first, second),
        source="cup" if is_cups else "board",
    )
