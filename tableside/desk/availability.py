"""Which commands can be executed now, and why the others cannot."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from engine import EngineError, Event, MatchState, Phase
from engine.message import Sentence, message_of, msg
from engine.referee.manual import (
    ACCEPTED_BY_DOUBLE,
    ACCEPTED_BY_ROLL,
    manual_events,
    roll_to_play,
)
from engine.rules import Rules
from engine.timestamp import Timestamp
from engine.turns.opening import awaits_opening_roll
from tableside.cup.disagreement import (
    ASIDE_ALREADY,
    DICE_NOT_READY,
    NO_CUP,
    NO_DISAGREEMENT,
    NO_ROLL_NOW,
    NO_SEED,
    NOT_ASIDE,
    NOT_OF_DICE,
    NOT_READY,
    NOT_THERE,
)
from tableside.desk.command_events import command_event, roll_event
from webui.contracts.desk import CUP_COMMANDS, DeskCommand, ManualEntryStatus, SeatCommand
from webui.contracts.state import CupShown

ONE_MATCH: Final = msg("only one match is played here")
MATCH_OVER: Final = msg("the match is over")
NOT_OVER: Final = msg("a match is in progress: end it first")
PRESENT: Final = ("words", "busy", "revealed", "aside")
"""States in which a cup cannot roll but may be connected."""
IS_PAUSED: Final = msg("play is paused")
NOT_IN_PAUSE: Final = (DeskCommand.CUP_ROLL, DeskCommand.CLOCK)
"""Commands that would have a player throw, or a clock run."""
MATCH_START: Final = Timestamp(0.0, 0)
"""The time of events that are only tried out."""
IN_PLAY: Final = (Phase.TO_ROLL, Phase.TO_PLAY, Phase.DISPUTED)


@dataclass(frozen=True, slots=True)
class DeskContext:
    """The match at one moment, as the desk sees it."""

    state: MatchState
    rules: Rules
    can_undo: bool = False
    begins_matches: bool = False
    """Whether another match may follow at this board."""
    is_manual: bool = False
    """Whether there is no camera."""
    cup: CupShown | None = None
    """None if no cup is used."""


def why_not_begin(context: DeskContext) -> Sentence:
    """Why no other match can begin now; empty if one can."""
    if not context.begins_matches:
        return ONE_MATCH
    return "" if context.state.is_over else NOT_OVER


def manual_entry(context: DeskContext) -> ManualEntryStatus:
    """What can be entered for the turn in progress, and why the rest cannot."""
    state = context.state
    roll, has_leftover = roll_to_play(state), state.leftover and state.to_move is not None
    return {
        "lots": awaits_opening_roll(state, context.rules) and state.phase is Phase.TO_ROLL,
        "dice": None if roll is None else [roll.high, roll.low],
        "roll": _why_no_roll(context),
        "play": "" if roll is not None or has_leftover else msg("nobody has rolled yet"),
    }


def _why_no_roll(context: DeskContext) -> Sentence:
    if context.state.was_closed:
        return MATCH_OVER
    return _refusal(context, lambda: roll_event(context.state, (2, 1), context.rules, MATCH_START))


def _refusal(context: DeskContext, event: Callable[[], Event]) -> Sentence:
    """Why the event cannot be made or recorded now; empty if it can."""
    try:
        next(manual_events(context.state, event(), context.rules))
    except EngineError as refusal:
        return message_of(refusal)
    return ""


def why_not(command: DeskCommand, context: DeskContext) -> Sentence:
    """Why a command would be refused now; empty if it would be executed."""
    if context.state.was_closed:
        return MATCH_OVER
    if command in NOT_IN_PAUSE and context.state.is_paused:
        return IS_PAUSED
    if command in CUP_COMMANDS:
        return _why_not_cup(command, context)
    if command in (DeskCommand.PAUSE, DeskCommand.GO_ON, DeskCommand.UNDO):
        return _why_not_program(command, context)
    if command is DeskCommand.END_TURN:
        return _why_not_end(context)
    return _refusal(context, lambda: command_event(command, context.state, MATCH_START))


def why_not_player(said: SeatCommand, state: MatchState) -> Sentence:
    """Why a player may not say that now, whether or not the match could take it; empty if allowed.

    Where illegal plays are not announced, players must not learn of one by trying what would answer
    it, so it is left to the referee, whatever lies on the board.
    """
    rules, word = state.rule_set, said.word
    if word is DeskCommand.CALL_REFEREE:
        return ""
    answers = {
        DeskCommand.ACCEPT: True,
        DeskCommand.REJECT: True,
        DeskCommand.DOUBLE: rules.acceptance_event not in ACCEPTED_BY_DOUBLE,
        DeskCommand.CUP_ROLL: rules.acceptance_event not in ACCEPTED_BY_ROLL,
    }
    if answers.get(word, False) and not rules.announces_to_players:
        return msg("under these rules only the referee does that")
    if state.to_move is state.side_now(said.player).other:
        return msg("it is the opponent's turn to answer or act")
    return ""


def _why_not_end(context: DeskContext) -> Sentence:
    state = context.state
    if context.is_manual:
        return msg("a turn ends when its play is entered")
    is_played = state.phase in IN_PLAY and state.to_move is not None
    return "" if is_played else msg("no turn is in progress")


def _why_not_cup(command: DeskCommand, context: DeskContext) -> Sentence:
    cup = context.cup
    if cup is None:
        return NO_CUP
    if cup["kind"] != "cup":
        return _why_not_dice(command, cup, context.state)
    is_aside, is_ready = cup["state"] == "aside", cup["state"] in ("ready", "rolling")
    state, is_sealed = context.state, cup["stage"] == "sealed"
    why = {
        DeskCommand.CUP_STANDS: "" if cup["disagrees"] else NO_DISAGREEMENT,
        DeskCommand.DICE_STAND: "" if cup["disagrees"] else NO_DISAGREEMENT,
        DeskCommand.CUP_ASIDE: ASIDE_ALREADY if is_aside else "",
        DeskCommand.CUP_BACK: "" if is_aside else NOT_ASIDE,
        DeskCommand.CUP_ROLL: "" if _awaits_roll(state) else NO_ROLL_NOW,
        DeskCommand.CUP_IDENTIFY: "" if is_ready or cup["state"] in PRESENT else NOT_THERE,
        DeskCommand.CUP_REVEAL: "" if is_sealed and (is_ready or is_aside) else NO_SEED,
    }
    is_rolling = is_ready and is_sealed
    return why[command] if is_rolling or command is not DeskCommand.CUP_ROLL else NOT_READY


def _why_not_dice(command: DeskCommand, dice: CupShown, state: MatchState) -> Sentence:
    is_aside = dice["state"] == "aside"
    if command is DeskCommand.CUP_ASIDE:
        return ASIDE_ALREADY if is_aside else ""
    if command is DeskCommand.CUP_BACK:
        return "" if is_aside else NOT_ASIDE
    if command is DeskCommand.CUP_ROLL and dice["kind"] == "virtual_dice":
        if is_aside or dice["state"] != "ready":
            return DICE_NOT_READY
        return "" if _awaits_roll(state) else NO_ROLL_NOW
    return NOT_OF_DICE


def _awaits_roll(state: MatchState) -> bool:
    answers = state.phase is Phase.DISPUTED and state.rule_set.acceptance_event in ACCEPTED_BY_ROLL
    return state.phase is Phase.TO_ROLL or answers


def _why_not_program(command: DeskCommand, context: DeskContext) -> Sentence:
    if command is DeskCommand.UNDO:
        return "" if context.can_undo else msg("there is nothing to undo")
    if command is DeskCommand.PAUSE:
        return msg("already paused") if context.state.is_paused else ""
    return "" if context.state.is_paused else msg("not paused")
