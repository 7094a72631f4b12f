"""What is put right by hand: another play, another roll, the position, or the last of these undone.

A correction is a word about a turn, not a change of the record: everything from the start of its
game on is judged again from what was seen then, with the word known (engine/hearing.py).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from engine.dice import Roll
from engine.errors import NotNow
from engine.events import Event, PositionSet
from engine.legal import apply_play
from engine.match import MatchState
from engine.play import Play
from engine.rules import Rules


@dataclass(frozen=True, slots=True)
class PlayChosen:
    """What was played in a turn; whether a rule allows it is judged like any play."""

    turn: int
    """1 for the first turn of the match, rejected ones counted."""
    play: str

    def __str__(self) -> str:
        return f"turn {self.turn} was {self.play}"


@dataclass(frozen=True, slots=True)
class RollFixed:
    """What was rolled in a turn."""

    turn: int
    dice: tuple[int, int]

    def __str__(self) -> str:
        return f"turn {self.turn} was rolled {self.dice[0]}-{self.dice[1]}"


@dataclass(frozen=True, slots=True)
class Undone:
    """A word spoken earlier does not hold any more."""

    number: int
    """Which of all that was said, 0 for the first."""

    def __str__(self) -> str:
        return "the last correction was undone"


Order = PlayChosen | RollFixed
Word = Order | Undone | Event
"""All that can be said by hand; an event is what the players themselves said, or a position."""


@dataclass(frozen=True, slots=True)
class Orders:
    """The words about turns that hold."""

    plays: dict[int, Play] = field(default_factory=dict)
    rolls: dict[int, tuple[int, int]] = field(default_factory=dict)


def orders_of(words: Iterable[Word]) -> Orders:
    """Of several words about one turn the last holds."""
    orders = Orders()
    for word in words:
        match word:
            case PlayChosen(turn=turn, play=play):
                orders.plays[turn] = Play.parse(play)
            case RollFixed(turn=turn, dice=dice):
                orders.rolls[turn] = (max(dice), min(dice))
            case _:
                pass
    return orders


def holding(words: tuple[Word, ...]) -> tuple[bool, ...]:
    """Which of the words hold: those not undone, and no `Undone` itself."""
    undone = {word.number for word in words if isinstance(word, Undone)}
    return tuple(
        not isinstance(word, Undone) and number not in undone for number, word in enumerate(words)
    )


def last_correction(words: tuple[Word, ...]) -> int:
    """The newest word that can be undone; `NotNow` if there is none."""
    kinds = (PlayChosen, RollFixed, PositionSet)
    numbered = zip(words, holding(words), strict=True)
    found = [n for n, (word, holds) in enumerate(numbered) if holds and isinstance(word, kinds)]
    if not found:
        raise NotNow("there is no correction to undo")
    return found[-1]


def check_order(state: MatchState, order: Order, rules: Rules) -> None:
    """`NotNow`, `InvalidNotation`, `IllegalPlay` or `InvalidRoll` say why it cannot be."""
    if not 1 <= order.turn <= len(state.turns):
        raise NotNow(f"there is no turn {order.turn}: the match has {len(state.turns)}")
    turn = state.turns[order.turn - 1]
    match order:
        case PlayChosen(play=play):
            apply_play(turn.before, turn.made.player, Play.parse(play), rules)
        case RollFixed(dice=dice):
            Roll(*dice)
