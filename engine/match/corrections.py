"""Manual corrections: another play or roll in a turn, another position, or undoing the last one.

A correction does not change the record: the game is judged again from its start, based on what was
seen then and knowing the correction (engine/referee/replay.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from engine.dice import Roll
from engine.errors import IllegalPlay, NotNow, TooManyPlays
from engine.events.cup import CupDecided
from engine.events.match import (
    DEVICE_ROLLS,
    CubeEvent,
    DiceRolled,
    Event,
    GameStart,
    OpeningRolled,
    PlayAccepted,
    PlayMade,
    PlayRejected,
    Resigned,
    TurnEnded,
)
from engine.events.record import PositionSet
from engine.match.leftover import refuse_leftover_play
from engine.match.state import MatchState, Turn
from engine.message import Message, msg
from engine.play import Play
from engine.rules import Rules
from engine.rules.legal import apply_play, find_leftover_play


@dataclass(frozen=True, slots=True)
class PlayChosen:
    """The play made in a turn; whether it is legal is judged as for any play."""

    turn: int
    """1 for the first turn of the match; rejected turns count."""
    play: str

    @property
    def message(self) -> Message:
        """The correction as a sentence."""
        return msg("turn {turn} was {play}", turn=self.turn, play=self.play)


@dataclass(frozen=True, slots=True)
class RollFixed:
    """The roll of a turn."""

    turn: int
    dice: tuple[int, int]

    @property
    def message(self) -> Message:
        """The correction as a sentence."""
        high, low = self.dice
        return msg("the roll of turn {turn} was {high}-{low}", turn=self.turn, high=high, low=low)


@dataclass(frozen=True, slots=True)
class CorrectionUndone:
    """An earlier command is no longer in effect."""

    number: int
    """The index of the command among all manual commands, from 0."""

    @property
    def message(self) -> Message:
        """The correction as a sentence."""
        return msg("the last entry was undone")


Correction = PlayChosen | RollFixed
ManualCommand = Correction | CorrectionUndone | Event
"""Everything that can be entered by hand; an event is a players' declaration or a position."""


@dataclass(frozen=True, slots=True)
class TurnCorrections:
    """The corrections of turns in effect, by turn."""

    plays: dict[int, Play] = field(default_factory=dict)
    rolls: dict[int, tuple[int, int]] = field(default_factory=dict)


UNDOABLE: Final = (
    PlayChosen, RollFixed, PositionSet, PlayMade, DiceRolled, OpeningRolled, CupDecided,
)  # fmt: skip
"""What can be undone at any time."""
UNDOABLE_UNTIL_PLAY: Final = (
    CubeEvent, Resigned, PlayAccepted, PlayRejected, TurnEnded, GameStart,
)  # fmt: skip
"""What can be undone until a play follows."""


def corrections_of(commands: Iterable[ManualCommand]) -> TurnCorrections:
    """The corrections of turns among the commands; if several concern one turn, the last holds."""
    corrections = TurnCorrections()
    for command in commands:
        match command:
            case PlayChosen(turn=turn, play=play):
                corrections.plays[turn] = Play.parse(play)
            case RollFixed(turn=turn, dice=dice):
                corrections.rolls[turn] = (max(dice), min(dice))
            case _:
                pass
    return corrections


def as_corrected(
    event: Event, state: MatchState, corrections: TurnCorrections, rules: Rules
) -> Event:
    """A manual roll or play of the turn in progress, as corrected since.

    Correcting the numbers of the opening roll does not change who won it.
    """
    turn = len(state.turns) + 1
    play, dice = corrections.plays.get(turn), corrections.rolls.get(turn)
    match event:
        case PlayMade() if play is not None and _can_be_made(play, state, event, rules):
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


def _can_be_made(play: Play, state: MatchState, event: PlayMade, rules: Rules) -> bool:
    if state.position is None:
        return False
    try:
        apply_play(state.position, event.player, play, rules)
    except IllegalPlay:
        return False
    return True


def in_effect(commands: Sequence[ManualCommand]) -> tuple[bool, ...]:
    """Which commands are in effect: those not undone, without `CorrectionUndone` itself."""
    undone = {command.number for command in commands if isinstance(command, CorrectionUndone)}
    return tuple(
        not isinstance(command, CorrectionUndone) and number not in undone
        for number, command in enumerate(commands)
    )


def last_correction(
    commands: Sequence[ManualCommand], open_from: int = 0, *, is_first_game: bool = False
) -> int:
    """The number of the last command that can be undone; raises `NotNow` if there is none.

    open_from: the first command that no play has followed. Players' decisions before it cannot be
    undone, because everything seen since relies on them; neither can a cup's rolls, nor the start
    of the match.
    """
    holds = in_effect(commands)
    for number in reversed(range(len(commands))):
        command = commands[number]
        is_open = number >= open_from and isinstance(command, UNDOABLE_UNTIL_PLAY)
        if isinstance(command, GameStart) and (is_first_game or command.is_joined):
            continue
        is_undoable = is_open or isinstance(command, UNDOABLE)
        if holds[number] and is_undoable and getattr(command, "by", "") not in DEVICE_ROLLS:
            return number
    raise NotNow(msg("there is nothing to undo"))


def check_correction(state: MatchState, correction: Correction, rules: Rules) -> None:
    """Raise `NotNow`, `InvalidNotation`, `IllegalPlay` or `InvalidRoll` if it is impossible."""
    if not 1 <= correction.turn <= len(state.turns):
        raise NotNow(
            msg(
                "there is no turn {turn}: the match has {turns}",
                turn=correction.turn,
                turns=len(state.turns),
            )
        )
    turn = state.turns[correction.turn - 1]
    match correction:
        case PlayChosen(play=play):
            _check_play(turn, Play.parse(play), rules)
        case RollFixed() if turn.leftover:
            raise NotNow(
                msg("turn {turn} has no roll: it moved what was left over", turn=correction.turn)
            )
        case RollFixed(dice=dice):
            Roll(*dice)


def _check_play(turn: Turn, play: Play, rules: Rules) -> None:
    before, player = turn.before, turn.event.player
    after = apply_play(before, player, play, rules)
    if not turn.leftover:
        return
    try:
        found = find_leftover_play(before, player, turn.leftover, after, rules)
    except TooManyPlays:
        return
    if found is None:
        refuse_leftover_play(play, turn.leftover)
