"""`CupDoubt`: dice on the board that are not the cup's, until the referee says which count."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from engine import DieSeen, Event, MatchState, NotNow, Phase
from engine.cup_events import CupDecided, CupDisagrees
from engine.events import PlayMade
from engine.looks import When
from webui.table import CupDisagreement

SURE: Final = 0.9
"""From this confidence on a die that lies there is held against the cup's."""
NO_DOUBT: Final = "no dice lie there that are not the cup's"

Tell = Callable[[Event], list[Event]]
"""Tells the session; `EngineError` if it cannot be."""


class CupDoubt:
    """Tells once a turn that two rolls lie there, and what the referee decides."""

    def __init__(self, recorded: Iterable[Event]) -> None:
        self._open: CupDisagrees | None = None
        self._told = -1
        """The turn that it was told of."""
        turns = 0
        for event in recorded:
            turns += isinstance(event, PlayMade)
            if isinstance(event, CupDisagrees):
                self._open, self._told = event, turns
            elif isinstance(event, CupDecided | PlayMade):
                self._open = None

    @property
    def shown(self) -> CupDisagreement | None:
        """Both rolls; None where nothing is to be decided."""
        two = self._open
        return None if two is None else CupDisagreement(cup=list(two.dice), seen=list(two.seen))

    def look(
        self,
        tell: Tell,
        state: MatchState,
        dice: tuple[DieSeen, ...],
        rolled: tuple[int, ...] | None,
        when: When,
    ) -> list[Event]:
        """Dice that lie there and are not those that the cup `rolled` for this turn are told."""
        turn, player = len(state.turns), state.to_move
        if state.phase is not Phase.TO_PLAY or turn != self._told:
            self._open = None
        sure = [die.value for die in dice if die.value is not None and die.confidence >= SURE]
        is_asked = state.phase is Phase.TO_PLAY and turn != self._told
        if not is_asked or len(sure) != 2 or player is None or rolled is None:
            return []
        seen = max(sure), min(sure)
        if rolled == seen:
            return []
        self._told = turn
        self._open = CupDisagrees(
            time=when.time, frame=when.frame, player=player, dice=rolled, seen=seen
        )
        return tell(self._open)

    def decide(self, tell: Tell, *, is_cups: bool, when: When) -> list[Event]:
        """The referee says that the cup's dice stand, or those on the board."""
        two = self._open
        if two is None:
            raise NotNow(NO_DOUBT)
        first, second = two.dice if is_cups else two.seen
        if first is None or second is None:
            raise NotNow("a die on the board was not read: the cup's dice stand, or undo")
        events = tell(
            CupDecided(
                time=when.time,
                frame=when.frame,
                player=two.player,
                dice=(first, second),
                stands="cup" if is_cups else "board",
            )
        )
        self._open = None
        return events
