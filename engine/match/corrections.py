"""What is put right by hand: another play, another roll, the position, or the last of these undone.

A correction is a word about a turn, not a change of the record: everything from the start of its
game on is judged again from what was seen then, with the word known (engine/referee/replay.py).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Final

from engine.dice import Roll
from engine.errors import IllegalPlay, NotNow
from engine.events.cup import CupDecided
from engine.events.match import (
    Beavered,
    DiceRolled,
    Doubled,
    DoubleDropped,
    DoubleTaken,
    Event,
    OpeningRolled,
    PlayAccepted,
    PlayMade,
    PlayRejected,
    Raccooned,
    Resigned,
    TurnEnded,
)
from engine.events.record import PositionSet
from engine.match.state import MatchState
from engine.message import Message, msg
from engine.play import Play
from engine.rules import Rules
from engine.rules.legal import apply_play


@dataclass(frozen=True, slots=True)
class PlayChosen:
    """What was played in a turn; whether a rule allows it is judged like any play."""

    turn: int
    """1 for the first turn of the match, rejected ones counted."""
    play: str

    @property
    def message(self) -> Message:
        """The correction as a sentence."""
        return msg("turn {turn} was {play}", turn=self.turn, play=self.play)


@dataclass(frozen=True, slots=True)
class RollFixed:
    """What was rolled in a turn."""

    turn: int
    dice: tuple[int, int]

    @property
    def message(self) -> Message:
        """The correction as a sentence."""
        high, low = self.dice
        return msg("turn {turn} was rolled {high}-{low}", turn=self.turn, high=high, low=low)


@dataclass(frozen=True, slots=True)
class CorrectionUndone:
    """A word spoken earlier does not hold any more."""

    number: int
    """Which of all that was said, 0 for the first."""

    @property
    def message(self) -> Message:
        """The correction as a sentence."""
        return msg("the last correction was undone")


Correction = PlayChosen | RollFixed
ManualCommand = Correction | CorrectionUndone | Event
"""All that can be said by hand; an event is what the players themselves said, or a position."""


@dataclass(frozen=True, slots=True)
class TurnCorrections:
    """The words about turns that hold."""

    plays: dict[int, Play] = field(default_factory=dict)
    rolls: dict[int, tuple[int, int]] = field(default_factory=dict)


UNDOABLE: Final = (
    PlayChosen, RollFixed, PositionSet, PlayMade, DiceRolled, OpeningRolled, CupDecided,
)  # fmt: skip
"""What can be undone."""
UNDOABLE_UNTIL_PLAY: Final = (
    Doubled, Beavered, Raccooned, DoubleTaken, DoubleDropped, Resigned, PlayAccepted, PlayRejected,
    TurnEnded,
)  # fmt: skip
"""What can be undone until play has gone on from it."""


def corrections_of(words: Iterable[ManualCommand]) -> TurnCorrections:
    """Of several words about one turn the last holds."""
    orders = TurnCorrections()
    for word in words:
        match word:
            case PlayChosen(turn=turn, play=play):
                orders.plays[turn] = Play.parse(play)
            case RollFixed(turn=turn, dice=dice):
                orders.rolls[turn] = (max(dice), min(dice))
            case _:
                pass
    return orders


def as_corrected(event: Event, state: MatchState, orders: TurnCorrections, rules: Rules) -> Event:
    """A roll or a play that was told, as it was put right since: its turn is the one in progress.

    Who won the lots is not changed by the numbers.
    """
    turn = len(state.turns) + 1
    play, dice = orders.plays.get(turn), orders.rolls.get(turn)
    match event:
        case PlayMade() if play is not None and _can_be(play, state, event, rules):
            return replace(event, play=str(play))
        case DiceRolled() if dice is not None:
            return replace(event, dice=dice)
        case OpeningRolled(light=int(light), dark=int(dark)) if dice is not None:
            if light == dark or dice[0] == dice[1] or rules.starter_rolls_again:
                return event
            first, second = dice if light > dark else dice[::-1]
            return replace(event, light=first, dark=second)
        case _:
            return event


def _can_be(play: Play, state: MatchState, event: PlayMade, rules: Rules) -> bool:
    if state.position is None:
        return False
    try:
        apply_play(state.position, event.player, play, rules)
    except IllegalPlay:
        return False
    return True


def in_effect(words: tuple[ManualCommand, ...]) -> tuple[bool, ...]:
    """Which of the words hold: those not undone, and no `CorrectionUndone` itself."""
    undone = {word.number for word in words if isinstance(word, CorrectionUndone)}
    return tuple(
        not isinstance(word, CorrectionUndone) and number not in undone
        for number, word in enumerate(words)
    )


def last_correction(words: tuple[ManualCommand, ...], open_from: int = 0) -> int:
    """The newest word that can be undone; `NotNow` if there is none.

    open_from: the first word that no play has gone on from. A decision of the players before it
    stands: all that was seen since was played by it. What a cup rolled cannot be undone.
    """
    numbered = zip(words, in_effect(words), strict=True)
    found = [
        number
        for number, (word, holds) in enumerate(numbered)
        if holds
        and isinstance(word, (*UNDOABLE, *UNDOABLE_UNTIL_PLAY) if number >= open_from else UNDOABLE)
        and getattr(word, "by", "") != "cup"
    ]
    if not found:
        raise NotNow(msg("there is no correction to undo"))
    return found[-1]


def check_correction(state: MatchState, order: Correction, rules: Rules) -> None:
    """`NotNow`, `InvalidNotation`, `IllegalPlay` or `InvalidRoll` say why it cannot be."""
    if not 1 <= order.turn <= len(state.turns):
        raise NotNow(
            msg(
                "there is no turn {turn}: the match has {turns}",
                turn=order.turn,
                turns=len(state.turns),
            )
        )
    turn = state.turns[order.turn - 1]
    match order:
        case PlayChosen(play=play):
            apply_play(turn.before, turn.event.player, Play.parse(play), rules)
        case RollFixed(dice=dice):
            Roll(*dice)
