"""Which roll of the match a throw is for, noted when it is requested."""

from __future__ import annotations

from dataclasses import dataclass

from engine import MatchState, Phase
from engine.events.match import DiceRolled, GameStart, OpeningRolled
from engine.match.phase import BETWEEN_GAMES
from engine.position import Side
from engine.turns.opening import awaits_opening_roll


@dataclass(frozen=True, slots=True)
class RollTurn:
    """A roll of the match before it is made."""

    game: int
    """1 for the first game of the match."""
    number: int
    """1 for the first roll of the game; every roll that was recorded counts."""
    player: Side | None
    """Who rolls; None in an opening roll, or if the play in progress decides it."""

    def is_past(self, due: RollTurn | None) -> bool:
        """Whether it has been made, or will never be; `due` is the next roll, None if no game."""
        return due is None or (self.game, self.number) < (due.game, due.number)

    def is_same(self, due: RollTurn | None) -> bool:
        """Whether it is the next roll of the match, whoever makes that."""
        return due is not None and (self.game, self.number) == (due.game, due.number)


def next_roll(state: MatchState) -> RollTurn | None:
    """The next roll of the game in play; None between games."""
    if state.phase in BETWEEN_GAMES or state.is_over:
        return None
    player = state.to_move
    if state.phase is Phase.TO_PLAY and player is not None:
        player = None if state.rules.doubles.rolls_again else player.other
    elif state.phase is Phase.DOUBLED:
        player = None
    return RollTurn(state.games, _rolls_made(state) + 1, player)


def _rolls_made(state: MatchState) -> int:
    """How many rolls of the game in play are recorded."""
    made, at = 0, state
    while at.previous is not None and not isinstance(at.last_event, GameStart):
        made += isinstance(at.last_event, DiceRolled | OpeningRolled)
        at = at.previous
    return made


def is_opening(state: MatchState) -> bool:
    """Whether the next roll is the opening roll."""
    return awaits_opening_roll(state, state.rules)
