"""`CupThrows`: throws of a cup that wait for their turn in the game, and what comes of them."""

from __future__ import annotations

from collections import deque

from engine import EngineError, Event, MatchState, Phase, Side
from engine.events.cup import CupRolled
from engine.events.match import DiceRolled, OpeningRolled, TurnEnded
from engine.referee.manual import BY_ROLL
from engine.timestamp import Timestamp
from tableside.cup.disagreement import Tell
from tableside.cup.history import has_ended_a_turn, waiting_throws


class CupThrows:
    """The throws in their order; each becomes a roll, or is refused."""

    def __init__(self, *, is_told: bool, is_unasked: bool) -> None:
        """is_told: whether plays are told by hand; is_unasked: whether it throws by itself."""
        self.refused = ""
        """Why the last throw is no roll."""
        self._waiting: deque[CupRolled] = deque()
        self._is_told, self._is_unasked = is_told, is_unasked

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, thrown: CupRolled) -> None:
        """The cup has made it, and it is recorded."""
        self._waiting.append(thrown)

    def forget(self) -> None:
        """None of them counts."""
        self._waiting.clear()

    def read(self, state: MatchState) -> None:
        """Those that the record tells: what was judged again may have left some without a turn."""
        self._waiting = deque(waiting_throws(state))

    def is_awaited(self, state: MatchState) -> bool:
        """Whether a throw may come now."""
        if state.phase is Phase.DISPUTED:
            # One that is thrown by itself would answer for the players.
            return not self._is_unasked and state.rule_set.acceptance_event in BY_ROLL
        return state.phase is Phase.TO_ROLL or (state.phase is Phase.TO_PLAY and not self._is_told)

    def play(self, tell: Tell, state: MatchState, when: Timestamp) -> list[Event]:
        """The oldest becomes the roll, once the turn before it has ended."""
        if not self._waiting:
            return []
        thrown = self._waiting[0]
        try:
            if thrown.kind == "opening":
                events = tell(_lots(thrown, when))
            elif state.to_move is None or not self.is_awaited(state):
                return []
            elif state.phase is Phase.DISPUTED and has_ended_a_turn(state, thrown):
                return []  # it was thrown before anybody knew what it would let stand
            elif state.phase is Phase.TO_PLAY:
                return _end(tell, state, thrown, state.to_move, when)
            else:
                events = tell(_roll(thrown, state.to_move, when))
        except EngineError as refused:
            self.refused = str(refused)
            self._waiting.popleft()
            return []
        self._waiting.popleft()
        self.refused = ""
        return events


def _end(
    tell: Tell, state: MatchState, thrown: CupRolled, player: Side, when: Timestamp
) -> list[Event]:
    """The next throw says that the turn is over; what was played is ruled on when it shows."""
    if has_ended_a_turn(state, thrown):
        return []
    return tell(TurnEnded(time=when.time, frame=when.frame, player=player, by="cup"))


def _roll(thrown: CupRolled, player: Side, when: Timestamp) -> DiceRolled:
    high, low = sorted(thrown.dice, reverse=True)
    return DiceRolled(time=when.time, frame=when.frame, player=player, dice=(high, low), by="cup")


def _lots(thrown: CupRolled, when: Timestamp) -> OpeningRolled:
    light, dark = thrown.dice
    return OpeningRolled(time=when.time, frame=when.frame, light=light, dark=dark, by="cup")
