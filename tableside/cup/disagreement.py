"""Dice on the board that are not the cup's, until the referee says which count."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from engine import DieSeen, Event, MatchState, NotNow
from engine.events.cup import CupDecided, CupDisagrees
from engine.timestamp import Timestamp
from tableside.cup.history import cups_roll, open_disagreement, told_disagreement
from webui.contracts.state import CupDisagreement

SURE: Final = 0.9
"""From this confidence on a die that lies there is held against the cup's."""
NO_DOUBT: Final = "no dice lie there that are not the cup's"

Tell = Callable[[Event], list[Event]]
"""Tells the session; `EngineError` if it cannot be."""


def shown_disagreement(state: MatchState | None) -> CupDisagreement | None:
    """Both rolls; None where nothing is to be decided."""
    two = None if state is None else open_disagreement(state)
    return None if two is None else CupDisagreement(cup=list(two.dice), seen=list(two.seen))


def look_at_dice(
    tell: Tell, state: MatchState, dice: tuple[DieSeen, ...], when: Timestamp
) -> list[Event]:
    """Dice that lie there and are not those that the cup rolled for this turn are told, once."""
    rolled, player = cups_roll(state), state.to_move
    sure = [die.value for die in dice if die.value is not None and die.confidence >= SURE]
    if rolled is None or player is None or len(sure) != 2 or told_disagreement(state) is not None:
        return []
    seen = max(sure), min(sure)
    if rolled == seen:
        return []
    two = CupDisagrees(time=when.time, frame=when.frame, player=player, dice=rolled, seen=seen)
    return tell(two)


def decide(tell: Tell, state: MatchState, *, is_cups: bool, when: Timestamp) -> list[Event]:
    """The referee says that the cup's dice stand, or those on the board."""
    two = open_disagreement(state)
    if two is None:
        raise NotNow(NO_DOUBT)
    first, second = two.dice if is_cups else two.seen
    if first is None or second is None:
        raise NotNow("a die on the board was not read: the cup's dice stand, or undo")
    return tell(
        CupDecided(
            time=when.time,
            frame=when.frame,
            player=two.player,
            dice=(first, second),
            stands="cup" if is_cups else "board",
        )
    )
