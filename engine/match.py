"""`MatchState`: what the record says at this moment. A fold over the events, nothing else.

The page shows exactly this, and a `Referee` is resumed from exactly this.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum

from engine.events import (
    Dice,
    DiceRolled,
    DiceVoid,
    Event,
    GameEnd,
    GameStart,
    IllegalMade,
    PlayAccepted,
    PlayMade,
    PlayRejected,
)
from engine.position import Position, Side


class Phase(Enum):
    """What happens next."""

    WAITING = "waiting"
    """No game has begun: the start position is awaited."""
    TO_ROLL = "to_roll"
    TO_PLAY = "to_play"
    DISPUTED = "disputed"
    """An illegal play stands until the opponent rolls or asks for another."""
    OVER = "over"
    """A game has ended; the next begins when the start position stands."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn as it is recorded."""

    game: int
    """1 for the first game of the match."""
    before: Position
    made: PlayMade
    rejected: bool = False

    @property
    def needs_review(self) -> bool:
        """Whether somebody should look at it."""
        return self.made.review and not self.rejected


@dataclass(frozen=True, slots=True)
class MatchState:
    """The match after some events; `after` gives the next state and changes nothing."""

    phase: Phase = Phase.WAITING
    variant: str = "short"
    light: str = "Light"
    dark: str = "Dark"
    length: int = 0
    score: tuple[int, int] = (0, 0)
    """Light's and dark's points."""
    games: int = 0
    """Games begun."""
    position: Position | None = None
    to_move: Side | None = None
    """None: nobody yet (no game, or the starter is not known)."""
    roll: Dice | None = None
    """The dice that lie on the board and count."""
    turns: tuple[Turn, ...] = ()
    """Every turn of the match, rejected ones too, oldest first."""
    last: Event | None = None

    def after(self, event: Event) -> MatchState:
        """The state when `event` has happened too; unknown events only become `last`."""
        return replace(self._changed(event), last=event)

    def _changed(self, event: Event) -> MatchState:
        changed = self
        match event:
            case GameStart():
                changed = self._started(event)
            case DiceRolled():
                changed = replace(self, phase=Phase.TO_PLAY, to_move=event.player, roll=event.dice)
            case DiceVoid():
                changed = replace(self, phase=Phase.TO_ROLL, to_move=event.player, roll=None)
            case PlayMade():
                changed = self._played(event)
            case PlayRejected():
                changed = self._rejected()
            case PlayAccepted():
                changed = replace(self, phase=Phase.TO_ROLL)
            case GameEnd():
                changed = self._ended(event)
        return changed

    def _started(self, event: GameStart) -> MatchState:
        return replace(
            self,
            phase=Phase.TO_ROLL,
            variant=event.variant,
            light=event.light,
            dark=event.dark,
            length=event.length,
            score=event.score,
            games=self.games + 1,
            position=event.position,
            to_move=None,
            roll=None,
        )

    def _played(self, event: PlayMade) -> MatchState:
        before = event.position if self.position is None else self.position
        return replace(
            self,
            phase=Phase.DISPUTED if isinstance(event, IllegalMade) else Phase.TO_ROLL,
            position=event.position,
            to_move=event.player.other,
            roll=None,
            turns=(*self.turns, Turn(self.games, before, event)),
        )

    def _rejected(self) -> MatchState:
        if not self.turns:
            return self
        *earlier, turn = self.turns
        return replace(
            self,
            phase=Phase.TO_PLAY,
            position=turn.before,
            to_move=turn.made.player,
            roll=turn.made.dice,
            turns=(*earlier, replace(turn, rejected=True)),
        )

    def _ended(self, event: GameEnd) -> MatchState:
        light, dark = self.score
        if event.winner is Side.LIGHT:
            light += event.points
        else:
            dark += event.points
        return replace(self, phase=Phase.OVER, score=(light, dark), to_move=None, roll=None)

    @property
    def standing(self) -> tuple[Turn, ...]:
        """The turns that stand: all but the rejected ones."""
        return tuple(turn for turn in self.turns if not turn.rejected)

    @property
    def review(self) -> tuple[Turn, ...]:
        """The turns that somebody should look at."""
        return tuple(turn for turn in self.turns if turn.needs_review)

    @property
    def pips(self) -> tuple[int, int] | None:
        """Light's and dark's pip counts."""
        if self.position is None:
            return None
        return self.position.pips(Side.LIGHT), self.position.pips(Side.DARK)

    @property
    def message(self) -> str:
        """What happens next, in words for the players."""
        name = self.name(self.to_move) if self.to_move else "either player"
        match self.phase:
            case Phase.WAITING:
                return "waiting for the start position"
            case Phase.OVER:
                return "the game is over; the next begins when the start position stands"
            case Phase.TO_ROLL:
                return f"{name} to roll"
            case Phase.TO_PLAY:
                dice = "-".join("?" if die is None else str(die) for die in self.roll or ())
                return f"{name} to play {dice}"
            case Phase.DISPUTED:
                return f"that was no legal play: {name} rolls, or asks for another"

    def name(self, side: Side) -> str:
        """The name of the player of `side`."""
        return self.light if side is Side.LIGHT else self.dark


def fold(events: Iterable[Event], start: MatchState | None = None) -> MatchState:
    """The state after all `events`, in their order."""
    state = MatchState() if start is None else start
    for event in events:
        state = state.after(event)
    return state
