"""Throws of a cup or of dice with Bluetooth that wait for their turn in the game."""

from __future__ import annotations

from collections import deque
from typing import Literal

from engine import Event, MatchState, Phase
from engine.events.cup import BluetoothRolled, CupRolled, CupSetAside
from engine.events.match import DiceRolled, OpeningRolled, TurnEnded
from engine.message import Sentence
from engine.referee.manual import ACCEPTED_BY_ROLL
from engine.timestamp import Timestamp
from tableside.cup.history import turn_events

Thrown = CupRolled | BluetoothRolled


class CupThrows:
    """The throws in order; each becomes a roll or is refused."""

    def __init__(self, *, is_manual: bool, throws_alone: bool) -> None:
        """is_manual: whether plays are entered by hand; throws_alone: whether no hand shakes it."""
        self.refused: Sentence = ""
        """Why the newest throw is not a roll."""
        self._waiting: deque[Thrown] = deque()
        self._is_manual, self._throws_alone = is_manual, throws_alone
        self._known: MatchState | None = None
        """The match as of the last step."""

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, thrown: Thrown) -> None:
        """Queue a recorded throw."""
        self.refused = ""
        self._waiting.append(thrown)

    def clear(self) -> None:
        """Drop all throws: none of them counts."""
        self._waiting.clear()

    def follow(self, state: MatchState) -> None:
        """Note the match before a step; if it was judged again, take its throws from the record."""
        known, self._known = self._known, state
        if (
            known is None
            or state.event_count < known.event_count
            or state.at(known.event_count) is not known
        ):
            self._restore(state)

    def _restore(self, state: MatchState) -> None:
        """Queue the throws in the record: a correction may have left some without a turn."""
        self._waiting.clear()
        for event in turn_events(state):
            if isinstance(event, CupSetAside):
                break
            if isinstance(event, Thrown):
                self._waiting.appendleft(event)

    def is_awaited(self, state: MatchState) -> bool:
        """Whether a throw is possible now."""
        if state.phase is Phase.DISPUTED:
            # A throw that no hand has made would decide for the players.
            return not self._throws_alone and state.rule_set.acceptance_event in ACCEPTED_BY_ROLL
        return state.phase is Phase.TO_ROLL or (
            state.phase is Phase.TO_PLAY and not self._is_manual
        )

    def next_event(
        self, state: MatchState, now: Timestamp
    ) -> OpeningRolled | DiceRolled | TurnEnded | None:
        """The oldest throw as the roll, or as the end of the turn before; None if it must wait."""
        if not self._waiting:
            return None
        thrown, at = self._waiting[0], now._asdict()
        if thrown.kind == "opening":
            self._take()
            light, dark = thrown.dice
            return OpeningRolled(**at, light=light, dark=dark, by=_source(thrown))
        player = state.to_move
        if player is None or not self.is_awaited(state):
            return None
        if state.phase is not Phase.TO_ROLL and _has_ended_a_turn(state, thrown):
            # The play shows later; until an illegal one is visible, nobody can let it stand.
            return None
        if state.phase is Phase.TO_PLAY:
            return TurnEnded(**at, player=player, by="cup")
        self._take()
        high, low = sorted(thrown.dice, reverse=True)
        return DiceRolled(**at, player=player, dice=(high, low), by=_source(thrown))

    def _take(self) -> None:
        self._waiting.popleft()
        self.refused = ""

    def refuse(self, event: Event, why: Sentence) -> None:
        """Drop the throw behind `event`, which the match does not allow."""
        self.refused = why
        if isinstance(event, TurnEnded):
            self._waiting.popleft()


def _source(thrown: Thrown) -> Literal["cup", "bluetooth"]:
    return "cup" if isinstance(thrown, CupRolled) else "bluetooth"


def _has_ended_a_turn(state: MatchState, thrown: Thrown) -> bool:
    is_ended = False
    for event in turn_events(state):
        if isinstance(event, Thrown) and event.number == thrown.number:
            return is_ended
        is_ended |= isinstance(event, TurnEnded) and event.by == "cup"
    return is_ended
