"""What can be said of a match now, and of all else why it cannot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from engine import EngineError, MatchState, Phase
from engine.referee.manual import ACCEPTED_BY_ROLL, manual_events, roll_to_play
from engine.rules import Rules
from engine.timestamp import Timestamp
from engine.turns.opening import awaits_opening_roll
from tableside.cup.disagreement import (
    ASIDE_ALREADY,
    NO_CUP,
    NO_DISAGREEMENT,
    NO_ROLL_NOW,
    NO_SEED,
    NOT_ASIDE,
    NOT_READY,
    NOT_THERE,
)
from tableside.desk.command_events import roll_told, word_event
from webui.contracts.desk import CUP_COMMANDS, DeskCommand, ManualEntryStatus
from webui.contracts.state import CupShown

ONE_MATCH: Final = "one match only is watched here"
MATCH_OVER: Final = "the match is over"
NOT_OVER: Final = "a match is being played: end it first"
BLINKS: Final = ("words", "revealed", "aside")
"""States in which a cup that does not roll may be there all the same."""
IN_PLAY: Final = (Phase.TO_ROLL, Phase.TO_PLAY, Phase.DISPUTED)


@dataclass(frozen=True, slots=True)
class DeskContext:
    """What is read at one moment."""

    state: MatchState
    rules: Rules
    is_paused: bool = False
    can_undo: bool = False
    begins_matches: bool = False
    """Whether another match may follow at this board."""
    is_told: bool = False
    """Whether no camera watches."""
    cup: CupShown | None = None
    """None where no cup is used."""


def why_not_begin(known: DeskContext) -> str:
    """Why no other match can begin now; empty if one can."""
    if not known.begins_matches:
        return ONE_MATCH
    return "" if known.state.is_over else NOT_OVER


def telling_part(known: DeskContext) -> ManualEntryStatus:
    """What can be told of the turn in progress, and why not."""
    state = known.state
    roll = roll_to_play(state)
    return {
        "lots": awaits_opening_roll(state, known.rules) and state.phase is Phase.TO_ROLL,
        "dice": None if roll is None else [roll.high, roll.low],
        "roll": _why_no_roll(known),
        "play": "" if roll is not None or state.leftover else "nobody has rolled",
    }


def _why_no_roll(known: DeskContext) -> str:
    state = known.state
    if state.was_closed:
        return MATCH_OVER
    try:
        said = roll_told(state, (2, 1), known.rules, Timestamp(0.0, 0))
        next(manual_events(state, said, known.rules))
    except EngineError as refused:
        return str(refused)
    return ""


def why_not(word: DeskCommand, known: DeskContext) -> str:
    """Why a word would be refused now; empty if it would be taken."""
    state = known.state
    if state.was_closed:
        return MATCH_OVER
    if word in CUP_COMMANDS:
        return _why_not_cup(word, known)
    if word in (DeskCommand.PAUSE, DeskCommand.GO_ON, DeskCommand.UNDO):
        return _why_not_here(word, known)
    if word is DeskCommand.END_TURN:
        return _why_not_end(known)
    try:
        next(manual_events(state, word_event(word, state, Timestamp(0.0, 0)), known.rules))
    except EngineError as refused:
        return str(refused)
    return ""


def _why_not_end(known: DeskContext) -> str:
    """The same of the end of a turn."""
    state = known.state
    if known.is_told:
        return "a turn ends when its play is told"
    is_played = state.phase in IN_PLAY and state.to_move is not None
    return "" if is_played else "no turn is being played"


def _why_not_cup(word: DeskCommand, known: DeskContext) -> str:
    """The same of a word about the cup."""
    cup = known.cup
    if cup is None:
        return NO_CUP
    is_aside, is_ready = cup["state"] == "aside", cup["state"] in ("ready", "rolling")
    state, is_sealed = known.state, cup["stage"] == "sealed"
    answers = state.phase is Phase.DISPUTED and state.rule_set.acceptance_event in ACCEPTED_BY_ROLL
    is_awaited = state.phase is Phase.TO_ROLL or answers
    why = {
        DeskCommand.CUP_STANDS: "" if cup["disagrees"] else NO_DISAGREEMENT,
        DeskCommand.DICE_STAND: "" if cup["disagrees"] else NO_DISAGREEMENT,
        DeskCommand.CUP_ASIDE: ASIDE_ALREADY if is_aside else "",
        DeskCommand.CUP_BACK: "" if is_aside else NOT_ASIDE,
        DeskCommand.CUP_ROLL: "" if is_awaited else NO_ROLL_NOW,
        DeskCommand.CUP_IDENTIFY: "" if is_ready or cup["state"] in BLINKS else NOT_THERE,
        DeskCommand.CUP_REVEAL: "" if is_sealed and (is_ready or is_aside) else NO_SEED,
    }
    is_rolling = is_ready and is_sealed
    return why[word] if is_rolling or word is not DeskCommand.CUP_ROLL else NOT_READY


def _why_not_here(word: DeskCommand, known: DeskContext) -> str:
    """The same of a word that the players do not say."""
    if word is DeskCommand.UNDO:
        return "" if known.can_undo else "there is no correction to undo"
    if word is DeskCommand.PAUSE:
        return "it is paused already" if known.is_paused else ""
    return "" if known.is_paused else "it is not paused"
