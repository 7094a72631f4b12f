"""The one place where a referee's command takes effect on a running match."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from engine import Event, NotNow
from engine.events.clock import ClockTurned
from engine.events.match import TurnEnded
from engine.events.record import MatchContinued, MatchPaused
from engine.match.corrections import PlayChosen, RollFixed
from engine.match.phase import BETWEEN_GAMES
from engine.message import join, msg
from engine.referee import ReplaySteps
from engine.rules import Rules
from engine.ruleset import TurnEndRule
from engine.timestamp import Timestamp
from tableside.cup.disagreement import NO_CUP
from tableside.cup.roller import MatchRoller
from tableside.desk.availability import IS_PAUSED, MATCH_OVER, NOT_IN_PAUSE, why_not_player
from tableside.desk.command_events import (
    EnteredValue,
    clock_pressed,
    clock_stopped,
    command_event,
    entered_event,
    referee_called,
)
from tableside.match.session import Session
from webui.contracts.desk import (
    CUP_COMMANDS,
    Command,
    CupWords,
    DeskCommand,
    NextMatch,
    OrientationChosen,
    ResumeMatch,
    SeatCommand,
)

NEXT_AT_DESK: Final = msg("start the next one at the desk")
CLOSED: Final = join([MATCH_OVER, NEXT_AT_DESK])


class CommandExecutor:
    """Turns commands into recorded events of one match."""

    def __init__(
        self,
        session: Session,
        rules: Rules,
        cup: MatchRoller | None,
        now: Callable[[], Timestamp],
        begin_next: Callable[[NextMatch | ResumeMatch], object],
    ) -> None:
        """`begin_next` begins another match; raises `NotNow` or `EngineError` if it cannot."""
        self.session, self.cup = session, cup
        self._rules, self._now, self._begin_next = rules, now, begin_next
        self._procedures = {
            DeskCommand.PAUSE: self._pause,
            DeskCommand.GO_ON: self._go_on,
            DeskCommand.CLOCK: self._press_clock,
            DeskCommand.END_TURN: self._end_turn,
            DeskCommand.END_MATCH: self._end_match,
        }
        """Commands that do more than enter one event."""

    def execute(self, command: Command) -> ReplaySteps:
        """Execute the command step by step and return the recorded events.

        Raises `EngineError` if it cannot be executed: then nothing has changed.
        """
        session, when = self.session, self._now()
        if isinstance(command, NextMatch | ResumeMatch):
            self._begin_next(command)
            return []
        if session.state.was_closed:
            raise NotNow(CLOSED)
        if isinstance(command, SeatCommand):
            if why := why_not_player(command, session.state):
                raise NotNow(why)
            if command.word is DeskCommand.CALL_REFEREE:
                player = session.state.side_now(command.player)
                return session.enter(referee_called(session.state, when, player))
            command = command.word
        if command is DeskCommand.UNDO:
            return (yield from session.undo(when))
        if isinstance(command, PlayChosen | RollFixed):
            return (yield from session.correct(command, when))
        if isinstance(command, OrientationChosen):
            session.choose_orientation(command.way)
            return []
        return self._execute_at_once(command, when)

    def _execute_at_once(
        self, command: DeskCommand | CupWords | EnteredValue, when: Timestamp
    ) -> list[Event]:
        if command in NOT_IN_PAUSE and self.session.state.is_paused:
            raise NotNow(IS_PAUSED)
        if isinstance(command, CupWords) or command in CUP_COMMANDS:
            return self._execute_at_cup(command, when)
        if not isinstance(command, DeskCommand):
            event = entered_event(command, self.session.state, self._rules, when)
        elif command in self._procedures:
            return self._procedures[command](when)
        else:
            event = command_event(command, self.session.state, when)
        return self.session.enter(event)

    def stop_clock(self, when: Timestamp) -> list[Event]:
        """Stop a running clock for both players."""
        clock = self.session.state.clock
        if clock is None or clock.runs is None:
            return []
        return self.session.enter(clock_stopped(self.session.state, when))

    def _pause(self, when: Timestamp) -> list[Event]:
        """Pause: until `_go_on`, no frame is judged and no clock runs.

        The next observation is compared with the last before the pause, so that a board changed in
        the meantime counts as touched.
        """
        if self.session.state.is_paused:
            return []
        clock = self.session.state.clock
        runs = None if clock is None else clock.runs
        paused = self.session.enter(MatchPaused(**when._asdict(), clock=runs))
        return paused + self.stop_clock(when)

    def _go_on(self, when: Timestamp) -> list[Event]:
        """Restart the clock, unless the game is over or the clock was set in the meantime."""
        state = self.session.state
        if state.pause is None:
            return []
        events, player = self.session.enter(MatchContinued(**when._asdict())), state.pause.clock
        if player is None or state.clock is None or state.phase in BETWEEN_GAMES:
            return events
        if state.clock.runs is not None or state.clock.turn is not player:
            return events
        return events + self.session.enter(ClockTurned(**when._asdict(), runs=player))

    def _press_clock(self, when: Timestamp) -> list[Event]:
        """Press the clock; this ends the turn if the rules say so."""
        state, session = self.session.state, self.session
        events = session.enter(clock_pressed(state, when))
        ends_turn = state.rule_set.turn_end is TurnEndRule.CLOCK
        if not ends_turn or state.clock is None or state.clock.runs is None:
            return events
        ended = TurnEnded(**when._asdict(), player=state.clock.runs)
        try:
            return events + session.enter(ended)
        except NotNow:
            # The players run the clock: an unseen roll does not stop it.
            return events

    def _end_turn(self, when: Timestamp) -> list[Event]:
        """End the turn and the player's time."""
        session = self.session
        ended = command_event(DeskCommand.END_TURN, session.state, when)
        events = session.enter(ended)
        clock = session.state.clock
        if clock is not None and isinstance(ended, TurnEnded) and clock.runs is ended.player:
            events += session.enter(clock_pressed(session.state, when))
        return events

    def _end_match(self, when: Timestamp) -> list[Event]:
        """End the match as it stands, once what is pending of it has been recorded."""
        session, pending = self.session, self.session.finish(when.time, when.frame)
        return pending + session.enter(command_event(DeskCommand.END_MATCH, session.state, when))

    def _execute_at_cup(self, command: DeskCommand | CupWords, when: Timestamp) -> list[Event]:
        if self.cup is None:
            raise NotNow(NO_CUP)
        events = self.cup.execute(command, self.session.state, when)
        return [recorded for event in events for recorded in self.session.enter(event)]
