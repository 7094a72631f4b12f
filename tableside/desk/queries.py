"""What the desk shows of a match: its commands, its turns and their alternatives.

The state is an immutable value, so reading it needs no lock.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import cast

import engine
from engine import EngineError, Event, MatchState, NotNow, Play, Position, Roll, Side, Turn
from engine.events.match import IllegalMade
from engine.match.prompt import prompt_of
from engine.message import msg
from engine.referee.manual import check_to_play
from engine.rules import Rules
from engine.rules.legal import LegalPlay, list_few_leftover_plays, list_few_plays
from engine.ruleset_file import chosen_options
from tableside.desk.availability import (
    DeskContext,
    manual_entry,
    why_not,
    why_not_begin,
    why_not_player,
)
from tableside.review.review_items import event_of_turn, stills_of_turn
from tableside.review.steps import still_shown
from tableside.review.stills import StillKeeper
from tableside.site.page_state import cube_part
from webui.contracts.archive import StillShown
from webui.contracts.desk import (
    SEAT_COMMANDS,
    DeskCommand,
    DeskStatus,
    PlayableMove,
    SeatCommand,
    SeatStatus,
    SeatWord,
    TurnDetail,
    TurnSummary,
    TurnToPlay,
)
from webui.contracts.setup import ChosenOptions
from webui.contracts.state import Board, board_of


class DeskQueries(ABC):
    """The queries of a `webui.contracts.desk.Desk`."""

    @abstractmethod
    def context(self) -> DeskContext:
        """The match now; raises `NotNow` if none is being recorded."""

    @abstractmethod
    def evidence(self) -> tuple[Sequence[Event], StillKeeper]:
        """The events of the match and its stills; raises `NotNow` if none is being recorded."""

    def status(self) -> DeskStatus:
        """What can be entered now."""
        context = self.context()
        state = context.state
        refusals = {command: why_not(command, context) for command in DeskCommand}
        return {
            "paused": state.is_paused,
            "phase": state.phase.value,
            "message": prompt_of(state),
            "game": state.games,
            "asked": list(state.unresolved_games),
            "turns": len(state.turns),
            "to_move": None if state.to_move is None else state.to_move.value,
            "cube": cube_part(state),
            "players": {"light": state.light, "dark": state.dark},
            "variant": state.variant,
            "length": state.length,
            "begin": why_not_begin(context),
            "rule_set": state.rule_set.name,
            "options": cast(ChosenOptions, chosen_options(state.rule_set)),
            "by_hand": context.is_manual,
            "telling": manual_entry(context),
            "can": [command.value for command, why in refusals.items() if not why],
            "cannot": {command.value: why for command, why in refusals.items() if why},
        }

    def seat(self, player: Side) -> SeatStatus:
        """What `player` can say now."""
        context = self.context()
        refusals = {
            cast(SeatWord, word.value): why_not_player(SeatCommand(player, word), context.state)
            or why_not(word, context)
            for word in SEAT_COMMANDS
        }
        return {
            "player": player.value,
            "can": [word for word, why in refusals.items() if not why],
            "cannot": {word: why for word, why in refusals.items() if why},
        }

    def turn_to_play(self) -> TurnToPlay:
        """The turn in progress with its legal plays."""
        context = self.context()
        state = context.state
        if state.to_move is None or state.position is None:
            raise NotNow(msg("nobody has rolled yet"))
        if state.leftover:
            roll = Roll(state.leftover[0], state.leftover[0])
            listed = list_few_leftover_plays(
                state.position, state.to_move, state.leftover, context.rules
            )
        else:
            roll = check_to_play(state, state.to_move)
            rules = state.in_turn(context.rules)
            listed = list_few_plays(state.position, state.to_move, roll, rules)
        # A double that rises may have millions: then any move can be told, and is judged.
        found: Sequence[LegalPlay] = listed or ()
        return {
            "player": state.to_move.value,
            "dice": [roll.high, roll.low],
            "before": board_of(state.position),
            "plays": [_playable(one, made=None) for one in found],
        }

    def turns(self) -> list[TurnSummary]:
        """Every turn of the match."""
        state = self.context().state
        return [_summary(number, turn) for number, turn in enumerate(state.turns, start=1)]

    def turn(self, number: int) -> TurnDetail | None:
        """One turn with its alternatives; None if there is no such turn."""
        context = self.context()
        turn = _turn_of(context.state, number)
        if turn is None:
            return None
        made = turn.event
        before, rules = turn.before, context.state.in_turn(context.rules, number)
        return {
            **_summary(number, turn),
            "before": board_of(before),
            "after": board_of(made.position),
            "alternatives": [
                {
                    "play": one.play,
                    "confidence": one.confidence,
                    "position": _reached(turn, one.play, rules),
                }
                for one in made.alternatives
            ],
            "rolls": [
                {
                    "dice": [roll.high, roll.low],
                    "explains": not turn.leftover
                    and engine.is_legal(before, made.player, roll, made.position, rules),
                }
                for roll in engine.ALL_ROLLS
            ],
        }

    def stills(self, number: int) -> list[StillShown]:
        """The stills of a turn; none if there is no such turn."""
        events, stills = self.evidence()
        return [still_shown(shot, stills) for shot in stills_of_turn(events, stills, number)]

    def still(self, number: int, frame: int) -> bytes | None:
        """One of these stills as JPEG; None if it does not exist."""
        events, stills = self.evidence()
        shots = stills_of_turn(events, stills, number)
        shown = next((shot.still for shot in shots if shot.still.frame == frame), None)
        return None if shown is None else stills.jpeg(shown)

    def has_clip(self, number: int) -> bool:
        """Whether there is a clip of the end of a turn."""
        events, stills = self.evidence()
        made = event_of_turn(events, number)
        return made is not None and stills.has_clip(made)

    def clip(self, number: int) -> bytes | None:
        """The clip as MP4; None if there is none."""
        events, stills = self.evidence()
        made = event_of_turn(events, number)
        return None if made is None else stills.clip(made.frame)

    def legal_plays(self, number: int, dice: tuple[int, int] | None) -> list[PlayableMove] | None:
        """The legal plays of a turn with its roll or with `dice`; None if there is no such turn."""
        context = self.context()
        turn = _turn_of(context.state, number)
        if turn is None:
            return None
        if turn.leftover:
            left = list_few_leftover_plays(
                turn.before, turn.event.player, turn.leftover, context.rules
            )
            return [_playable(one, made=turn.event.position) for one in left or ()]
        high, low = dice or turn.event.dice or (None, None)
        if high is None or low is None:
            raise NotNow(
                msg(
                    "the roll of turn {number} was not read: give one with ?dice=3,1", number=number
                )
            )
        roll = Roll(high, low)
        rules = context.state.in_turn(context.rules, number)
        found = list_few_plays(turn.before, turn.event.player, roll, rules) or ()
        return [_playable(one, made=turn.event.position) for one in found]


def _playable(result: LegalPlay, made: Position | None) -> PlayableMove:
    return {
        "play": str(result.play),
        "position": board_of(result.position),
        "played": result.position == made,
    }


def _turn_of(state: MatchState, number: int) -> Turn | None:
    return state.turns[number - 1] if 1 <= number <= len(state.turns) else None


def _reached(turn: Turn, play: str, rules: Rules) -> Board | None:
    try:
        return board_of(engine.apply_play(turn.before, turn.event.player, Play.parse(play), rules))
    except EngineError:
        # An alternative to an illegal play may not be playable.
        return None


def _summary(number: int, turn: Turn) -> TurnSummary:
    made = turn.event
    return {
        "number": number,
        "game": turn.game,
        "player": made.player.value,
        "dice": None if made.dice is None else list(made.dice),
        "play": made.play,
        "legal": made.legal,
        "rule": made.broken_rule if isinstance(made, IllegalMade) else "",
        "confidence": made.confidence,
        "review": made.review,
        "doubts": list(made.uncertainties),
        "rejected": turn.rejected,
        "by": made.by,
        "time": made.time,
        "frame": made.frame,
    }
