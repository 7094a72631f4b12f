"""Two dice with Bluetooth in a match without a camera: what they say is the match's rolls."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from queue import Empty
from typing import Final

from engine import DieSeen, EngineError, Event, MatchState, NotNow, Phase
from engine.events.cup import BluetoothRolled, CupSetAside, CupTakenUp
from engine.events.match import DiceVoid, VoidReason
from engine.message import Sentence, join, message_of, msg
from engine.rules import Rules
from engine.timestamp import Timestamp
from engine.turns.opening import awaits_opening_roll
from hardware.bluetooth.dice_connection import DiceConnection
from hardware.bluetooth.pair import DiceThrow
from hardware.bluetooth.radio import BleakRadio
from hardware.bluetooth.virtual_die import virtual_radio
from tableside.cup.disagreement import (
    ASIDE_ALREADY,
    DICE_NOT_READY,
    NO_ROLL_NOW,
    NOT_ASIDE,
    NOT_OF_DICE,
    unplaced,
)
from tableside.cup.history import CupHistory
from tableside.cup.throws import CupThrows
from webui.contracts.desk import CupWords, DeskCommand
from webui.contracts.state import CupShown, DieCharge

BOTH_AGAIN: Final = msg("throw both again")


def open_dice(
    stack: ExitStack, wanted: tuple[str, ...], *, is_virtual: bool
) -> tuple[DiceConnection, Callable[[], None] | None]:
    """The dice until `stack` is left, and what throws them if they are virtual.

    Raises `NoRadio` if `bleak` is missing.
    """
    if not is_virtual:
        return stack.enter_context(DiceConnection(BleakRadio(), wanted)), None
    radio = virtual_radio(random.SystemRandom())
    return stack.enter_context(DiceConnection(radio, wanted, find_s=0.1)), radio.throw


class DiceInMatch:
    """Turns the throws of two dice into the match's rolls.

    A throw counts only if it is awaited when both dice lie still: one made before the play before
    it is entered would bind a player who could still double.
    """

    def __init__(
        self,
        dice: DiceConnection,
        rules: Rules,
        recorded: Iterable[Event],
        throw: Callable[[], None] | None = None,
    ) -> None:
        """throw: throws the dice if they are virtual."""
        recorded = tuple(recorded)
        self._dice, self._rules, self._throw = dice, rules, throw
        self._history = CupHistory(recorded)
        self._throws = CupThrows(is_manual=True, throws_alone=False)
        self._number = sum(isinstance(event, BluetoothRolled) for event in recorded)
        self._why: Sentence = ""
        """Why the newest throw is not a roll."""

    def step(self, state: MatchState, _dice: Iterable[DieSeen], now: Timestamp) -> list[Event]:
        """See `MatchRoller`."""
        self._throws.follow(state)
        is_used = self._history.aside is None and not state.is_over
        event = self._throws.next_event(state, now) if is_used and not state.is_paused else None
        if event is not None:
            return [event]
        events_of = self._events_in_pause if state.is_paused else self._events_of
        while (throw := self._take()) is not None:
            if is_used and (events := events_of(throw, state, now)):
                return events
        return []

    def refuse(self, event: Event, error: EngineError) -> None:
        """See `MatchRoller`."""
        self._throws.refuse(event, message_of(error))

    def execute(
        self, command: DeskCommand | CupWords, state: MatchState, now: Timestamp
    ) -> list[Event]:
        """See `MatchRoller`."""
        is_aside = self._history.aside is not None
        match command:
            case DeskCommand.CUP_ASIDE if is_aside:
                raise NotNow(ASIDE_ALREADY)
            case DeskCommand.CUP_ASIDE:
                self._throws.set_aside()
                return self._noted(CupSetAside(**now._asdict()))
            case DeskCommand.CUP_BACK if is_aside:
                return self._noted(CupTakenUp(**now._asdict()))
            case DeskCommand.CUP_BACK:
                raise NotNow(NOT_ASIDE)
            case DeskCommand.CUP_ROLL if self._throw is not None and not is_aside:
                if not self._throws.is_awaited(state):
                    raise NotNow(NO_ROLL_NOW)
                self._throw()
                return []
        raise NotNow(NOT_OF_DICE)

    def shown(self, state: MatchState, *, names_port: bool = False) -> CupShown:
        """See `MatchRoller`."""
        view, aside = self._dice.view, self._history.aside
        fault = view.why if names_port else unplaced(view.state.value, view.why, DICE_NOT_READY)
        shown, why = view.state.value, fault or self._why or self._throws.why
        if aside is not None:
            shown, why = "aside", msg("rolls are entered until the dice are used again")
        elif view.charges and self._awaits_opening(state):
            light, dark = (one.name for one in view.charges)
            whose = msg("light: {light}, dark: {dark}", light=light, dark=dark)
            why = join([why, whose]) if why else whose
        charges = [
            DieCharge(name=one.name, percent=one.percent, is_low=one.is_low) for one in view.charges
        ]
        return CupShown(
            state=shown,
            why=why,
            stage="none",
            commitment="",
            words=None,
            disagrees=None,
            kind="dice" if self._throw is None else "virtual_dice",
            charges=charges,
        )

    def _noted(self, event: Event) -> list[Event]:
        self._history.add(event)
        return [event]

    def _awaits_opening(self, state: MatchState) -> bool:
        return state.phase is Phase.TO_ROLL and awaits_opening_roll(state, self._rules)

    def _take(self) -> DiceThrow | None:
        """The oldest throw that the dice have made since; None if there is none."""
        try:
            return self._dice.throws.get_nowait()
        except Empty:
            return None

    def _events_in_pause(self, throw: DiceThrow, state: MatchState, now: Timestamp) -> list[Event]:
        """The event of a throw that does not count; none if the player to roll has no turn yet."""
        first, second = sorted(throw.faces, reverse=True)
        self._why = msg(
            "{first}-{second} does not count, since play is paused: roll again afterwards",
            first=first,
            second=second,
        )
        return self._void("paused", throw, state, now)

    def _events_of(self, throw: DiceThrow, state: MatchState, now: Timestamp) -> list[Event]:
        """The events of a throw; none if it is not awaited."""
        if not self._throws.is_awaited(state):
            first, second = sorted(throw.faces, reverse=True)
            self._why = msg(
                "{first}-{second} does not count: roll again when it is your turn",
                first=first,
                second=second,
            )
            return []
        is_opening = self._awaits_opening(state)
        if throw.cocked:
            self._why = join([self._dice.cocked(throw), BOTH_AGAIN])
            return self._void("cocked", throw, state, now)
        if not throw.is_together and not is_opening:
            self._why = join([msg("the dice were not thrown together"), BOTH_AGAIN])
            return self._void("apart", throw, state, now)
        self._why = ""
        self._number += 1
        rolled = BluetoothRolled(
            **now._asdict(),
            number=self._number,
            kind="opening" if is_opening else "two",
            names=throw.names,
            dice=throw.faces,
        )
        self._throws.add(rolled)
        return self._noted(rolled)

    def _void(
        self, reason: VoidReason, throw: DiceThrow, state: MatchState, now: Timestamp
    ) -> list[Event]:
        """The event of a void throw; in an opening roll it is nobody's, and not recorded."""
        if state.to_move is None or state.phase is not Phase.TO_ROLL:
            return []
        first, second = (
            None if name == throw.cocked else face
            for name, face in zip(throw.names, throw.faces, strict=True)
        )
        return [
            DiceVoid(**now._asdict(), player=state.to_move, reason=reason, dice=(first, second))
        ]
