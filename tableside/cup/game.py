"""A cup in a match in play: its rolls are the match's rolls."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from queue import Empty
from typing import Any, Final, TypeVar

from engine import DieSeen, EngineError, Event, MatchState, NotNow, Phase
from engine.events.cup import CupSealed, CupSetAside, CupTakenUp, SetAsideBy, UnusedReason
from engine.message import Sentence, join, message_of, msg
from engine.timestamp import Timestamp
from hardware.client import CupState
from hardware.connection import CupConnection
from hardware.errors import CupOutOfStep, HardwareError
from hardware.match import (
    LeftMatch,
    commit,
    end_left_match,
    reveal,
    seal,
    seed_of_revealed,
)
from hardware.messages import (
    Committed,
    CupPoured,
    MatchBroken,
    Revealed,
    RollMade,
    UnsolicitedMessage,
)
from hardware.protocol_constants import Capability, RollKind, RollPurpose
from hardware.roll_ledger import RollLedger
from tableside.cup.disagreement import (
    ASIDE_ALREADY,
    NO_ROLL_NOW,
    NO_SEED,
    NO_WORDS_NOW,
    NOT_ASIDE,
    NOT_READY,
    NOT_THERE,
    decision,
    disagreement,
    shown_disagreement,
    unplaced,
)
from tableside.cup.history import CupHistory, CupStage
from tableside.cup.left_matches import LeftMatches
from tableside.cup.match_events import (
    NO_WORDS,
    Words,
    committed_event,
    ledger_of,
    revealed_event,
    rolled_event,
    sealed_event,
)
from tableside.cup.roll_turn import RollTurn, is_opening
from tableside.cup.throws import CupThrows, recorded_turn
from tableside.cup.verify import KIND_NAMES
from tableside.errors import StoreError
from webui.contracts.desk import CupWords, DeskCommand
from webui.contracts.state import CupShown

ASIDE_WHY: Final = {
    "dice": msg("there are real dice on the board: they count from the next turn on"),
    "hand": msg("rolls are entered or seen until the cup is used again"),
}
THROWN_IN_PAUSE: Final = msg("a throw does not count while play is paused: roll again afterwards")
LIT_SECONDS: Final = 8.0
"""Seconds for which a cup blinks to identify itself."""
WHITE, GREEN, DARK = 7, 2, 0
RETRY_PAUSE: Final = 0.25
"""Seconds before a failed call is repeated."""

T = TypeVar("T")


class CupInMatch:
    """Keeps the cup armed, and turns its throws into the match's rolls.

    How far the cup's match is, whether the cup is set aside and what it rolled are read from the
    record; only what is in progress is kept here.
    """

    def __init__(
        self,
        cup: CupConnection,
        recorded: Iterable[Event],
        words: Words | None = None,
        left: LeftMatches | None = None,
        *,
        yields: bool = False,
        is_manual: bool = False,
    ) -> None:
        """It `yields` to real dice: the first dice on the board that are not its own set it aside.

        words: the players' words, if they need not be entered. left: where the seed of a match that
        was left at the cup belongs; if it is not known there, it is recorded here. is_manual:
        whether plays are entered by hand, so that no throw ends a turn.
        """
        self._cup, self._words, self._left = cup, words, left
        self._history = CupHistory(recorded)
        self._yields = yields
        self._throws = CupThrows(is_manual=is_manual, throws_alone=yields)
        self._call: tuple[Future[Any], Callable[[Any, Timestamp], list[Event]]] | None = None
        """A slow call to the cup, made in its own thread, and the function that receives its
        result; one at a time."""
        self._call_error: Sentence = ""
        self._lit_until: float | None = None
        self._ledger = self._recorded_ledger()
        self._is_sealed = self._ledger is not None
        """Whether the cup is known to be in the ledger's match."""
        self._is_free = False
        """Whether no seed is lost if the cup commits to another one."""
        self._is_elsewhere = False
        """Whether the cup was found in another match than the newest, which has no roll yet."""
        if self._ledger is not None:
            cup.resume(self._ledger)

    def _recorded_ledger(self) -> RollLedger | None:
        """The match that the record has at the cup, if it is still in play.

        If it has no roll yet, the cup may not have received its nonces: `_prepare` seals it again.
        """
        match = self._history.newest
        return ledger_of(match) if match is not None and match.rolls else None

    def step(self, state: MatchState, dice: Iterable[DieSeen], now: Timestamp) -> list[Event]:
        """See `MatchRoller`; afterwards the cup is prepared for what comes next.

        In a pause it is not armed, so that a shake makes no roll that could be used or left. A roll
        that it makes before it learns of the pause counts afterwards. Its answers, such as a seed
        that the referee has it reveal, are recorded at once.
        """
        self._throws.follow(state)
        if state.is_paused:
            self._cup.keep_armed(None)
            return self._events_of_cup(now, is_paused=True)
        return (
            self._events_of_cup(now)
            or self._events_of_throws(state, now)
            or self._events_of_dice(state, dice, now)
            or self._prepare(state, now)
        )

    def refuse(self, event: Event, error: EngineError) -> None:
        """Drop the throw behind `event`, which came from a step and could not be recorded."""
        self._throws.refuse(event, message_of(error))

    def execute(
        self, command: DeskCommand | CupWords, state: MatchState, now: Timestamp
    ) -> list[Event]:
        """Execute the referee's command and return the events to record; raises `NotNow`."""
        match command:
            case CupWords():
                return self._seal((command.light, command.dark), now)
            case DeskCommand.CUP_STANDS | DeskCommand.DICE_STAND:
                return [decision(state, is_cups=command is DeskCommand.CUP_STANDS, now=now)]
            case DeskCommand.CUP_ASIDE:
                return self._set_aside("hand", now)
            case DeskCommand.CUP_BACK:
                if not self._is_aside:
                    raise NotNow(NOT_ASIDE)
                return self._noted(CupTakenUp(**now._asdict()))
            case DeskCommand.CUP_ROLL:
                self._roll_now(state)
            case DeskCommand.CUP_IDENTIFY:
                self._light_up(now)
            case DeskCommand.CUP_REVEAL:
                self._reveal_now()
        return []

    def shown(self, state: MatchState, *, names_port: bool = False) -> CupShown:
        """See `MatchRoller`."""
        view, history = self._cup.view, self._history
        fault, failed = view.why, self._call_error
        if not names_port:
            fault, failed = unplaced(view.state.value, fault, NOT_THERE), ""
        shown, why = view.state.value, fault or failed or self._throws.why
        if history.aside is not None:
            shown, why = "aside", ASIDE_WHY[history.aside.by]
            if self._throws.why:
                why = join([why, self._throws.why])
        elif self._is_ready and history.stage is CupStage.COMMITTED and self._words is None:
            shown = "words"
        elif self._is_ready and history.stage is CupStage.SEALED and not self._can_roll:
            shown = "busy"
        elif history.stage is CupStage.REVEALED and state.is_over:
            shown, why = "revealed", msg("`tableside cup verify` proves the rolls")
        newest = history.newest
        return CupShown(
            state=shown,
            why=why,
            stage=history.stage.value,
            commitment="" if newest is None else newest.fingerprint,
            # Each player can check their own words until the first roll is made.
            words=None if newest is None or newest.rolls else newest.words,
            disagrees=shown_disagreement(state),
            kind="cup",
            charges=[],
        )

    @property
    def _is_aside(self) -> bool:
        return self._history.aside is not None

    @property
    def _is_ready(self) -> bool:
        return self._cup.view.state in (CupState.READY, CupState.ROLLING)

    @property
    def _can_roll(self) -> bool:
        """Whether the cup is sealed, and not busy with a call: it would roll now."""
        return self._is_ready and self._is_sealed and self._call is None

    @property
    def _known_rolls(self) -> int | None:
        """The number of the newest roll that has come from the cup."""
        return None if self._ledger is None else self._ledger.number

    def _noted(self, event: Event) -> list[Event]:
        """Note an event, so that it counts here from now on."""
        self._history.add(event)
        return [event]

    # The referee's commands

    def _seal(self, words: Words, now: Timestamp) -> list[Event]:
        """Bind the words in; the cup receives them in `_prepare`, once they are recorded."""
        newest = self._history.newest
        if newest is None or self._history.stage is not CupStage.COMMITTED:
            raise NotNow(NO_WORDS_NOW)
        sealed: CupSealed = sealed_event(newest.committed, words, now)
        return self._noted(sealed)

    def _set_aside(self, by: SetAsideBy, now: Timestamp) -> list[Event]:
        if self._is_aside:
            raise NotNow(ASIDE_ALREADY)
        self._throws.set_aside()
        self._cup.keep_armed(None)
        return self._noted(CupSetAside(**now._asdict(), by=by))

    def _roll_now(self, state: MatchState) -> None:
        if self._is_aside or not self._can_roll:
            raise NotNow(NOT_READY)
        self._throws.follow(state)
        is_wanted = self._throws.is_awaited(state) and not self._throws.is_made
        if not is_wanted or state.phase is Phase.TO_PLAY:
            raise NotNow(NO_ROLL_NOW)
        self._cup.roll_now(_next_purpose(state), self._throws.due, self._known_rolls)

    def _light_up(self, now: Timestamp) -> None:
        identity = self._cup.view.identity
        if not self._is_ready or identity is None:
            raise NotNow(NOT_THERE)
        if Capability.LAMP not in identity.can:
            raise NotNow(msg("this cup has no light"))
        self._cup.light(WHITE, is_blinking=True)
        self._lit_until = now.time + LIT_SECONDS

    def _reveal_now(self) -> None:
        if self._ledger is None or not self._is_ready:
            raise NotNow(NO_SEED)
        if self._call is not None:
            raise NotNow(msg("the cup is busy: try again"))
        self._reveal(self._ledger)

    # What has happened

    def _events_of_cup(self, now: Timestamp, *, is_paused: bool = False) -> list[Event]:
        """What the cup has sent, then the result of a call, which came later."""
        is_done = self._call is not None and self._call[0].done()
        events = self._events_of_notices(now, is_paused=is_paused)
        if is_done:
            events += self._events_of_call(now)
        if self._history.stage is not CupStage.SEALED:
            self._ledger, self._is_sealed = None, False
        return events

    def _events_of_notices(self, now: Timestamp, *, is_paused: bool) -> list[Event]:
        events: list[Event] = []
        while True:
            try:
                notice = self._cup.notices.get_nowait()
            except Empty:
                return events
            match notice:
                case RollMade() if self._ledger is not None:
                    unused = self._why_unused(notice)
                    thrown, self._ledger = rolled_event(notice, self._ledger, now, unused)
                    self._throws.add(thrown, recorded_turn(thrown))
                    events += self._noted(thrown)
                case MatchBroken() if self._ledger is not None:
                    self._find_seed(self._ledger)
                case UnsolicitedMessage(message=CupPoured()) if is_paused:
                    self._throws.refused = THROWN_IN_PAUSE
                case UnsolicitedMessage(message=CupPoured()) if (
                    self._history.stage is CupStage.COMMITTED
                ):
                    # If players throw before they enter any words, the match has none.
                    events += self._seal(self._words or NO_WORDS, now)

    def _why_unused(self, made: RollMade) -> UnusedReason | None:
        """Why a roll becomes none of the match; None if it was made for one that is still due."""
        if self._is_aside:
            return "aside"
        if not made.is_asked or not isinstance(made.turn, RollTurn):
            return "unasked"
        is_late = self._throws.is_late(made.turn, KIND_NAMES[made.roll.what.kind])
        return "late" if is_late else None

    def _events_of_call(self, now: Timestamp) -> list[Event]:
        assert self._call is not None  # noqa: S101 (it is done)
        (call, finish), self._call = self._call, None
        try:
            result = call.result()
        except (HardwareError, StoreError) as error:
            self._call_error, self._is_free = message_of(error), False
            if not self._is_sealed:
                self._ledger = None
            return []
        self._call_error = ""
        return finish(result, now)

    def _events_of_throws(self, state: MatchState, now: Timestamp) -> list[Event]:
        if self._is_aside or state.is_over:
            return []
        event = self._throws.next_event(state, now)
        return [] if event is None else [event]

    def _events_of_dice(
        self, state: MatchState, dice: Iterable[DieSeen], now: Timestamp
    ) -> list[Event]:
        """The event that the dice on the board are not the cup's, for the referee to decide."""
        two = None if self._is_aside else disagreement(state, dice, now)
        if two is None:
            return []
        return [*self._noted(two), *(self._set_aside("dice", now) if self._yields else ())]

    # What comes next

    def _prepare(self, state: MatchState, now: Timestamp) -> list[Event]:
        """Prepare the cup for what comes next: a match, its seal, a throw or its end."""
        self._restore_lamp(now)
        stage = self._history.stage
        if state.is_over:
            self._cup.keep_armed(None)
            if self._ledger is not None and self._is_sealed:
                self._reveal(self._ledger)
        elif self._call is not None or self._is_aside:
            self._cup.keep_armed(None)
        elif self._is_elsewhere or stage in (CupStage.NONE, CupStage.REVEALED):
            # A revealed seed makes no more rolls.
            if self._is_free:
                self._start(lambda: commit(self._cup), self._committed)
            else:
                self._start(self._end_left_match, self._freed)
        elif stage is CupStage.COMMITTED:
            return [] if self._words is None else self._seal(self._words, now)
        elif not self._is_sealed:
            self._seal_cup()
        elif self._throws.is_awaited(state) and not self._throws.is_made:
            self._cup.keep_armed(_next_purpose(state), self._throws.due, self._known_rolls)
        else:
            self._cup.keep_armed(None)
        return []

    def _restore_lamp(self, now: Timestamp) -> None:
        if self._lit_until is not None and now.time >= self._lit_until:
            self._lit_until = None
            is_armed = self._cup.requested is not None
            self._cup.light(GREEN if is_armed else DARK, is_blinking=is_armed)

    def _seal_cup(self) -> None:
        """Send the nonces to the cup; if it is in another match, a new one begins."""
        newest = self._history.newest
        ledger = None if newest is None else ledger_of(newest)
        if ledger is None:
            return
        self._ledger = ledger  # set before sealing: rolls that the cup made earlier arrive at once

        def is_sealed() -> bool:
            try:
                seal(self._cup, ledger)
            except CupOutOfStep:  # none of the recorded rolls was made with it
                return False
            return True

        def sealed(is_done: bool, _now: Timestamp) -> list[Event]:
            self._is_sealed, self._is_elsewhere = is_done, not is_done
            if not is_done:
                self._ledger = None
            return []

        self._start(is_sealed, sealed)

    def _end_left_match(self) -> LeftMatch | None:
        """The match that was left at the cup, unless its seed is where it belongs by now."""
        known = self._left
        left = end_left_match(self._cup, (lambda *_: None) if known is None else known.ledger)
        if left is not None and known is not None and known.record(left) is not None:
            return None
        return left

    def _freed(self, left: LeftMatch | None, now: Timestamp) -> list[Event]:
        self._is_free = True
        if left is None:
            return []
        is_own = self._history.lacks_seed(left.unit.hex(), left.revealed.match)
        if not (left.was_open or is_own):  # it was revealed when it was over, as it should be
            return []
        return self._noted(revealed_event(left.revealed, left.unit, now))

    def _committed(self, bound: tuple[Committed, bytes], now: Timestamp) -> list[Event]:
        self._is_free = self._is_elsewhere = False
        return self._noted(committed_event(*bound, now))

    def _reveal(self, ledger: RollLedger) -> None:
        def revealed(seed: Revealed, now: Timestamp) -> list[Event]:
            return self._noted(revealed_event(seed, ledger.unit, now))

        self._start(lambda: reveal(self._cup, ledger.match), revealed)

    def _find_seed(self, ledger: RollLedger) -> None:
        """Record the seed if the cup revealed it just before the program ended."""

        def found(seed: Revealed | None, now: Timestamp) -> list[Event]:
            return [] if seed is None else self._noted(revealed_event(seed, ledger.unit, now))

        self._start(lambda: seed_of_revealed(self._cup, ledger), found)

    def _start(self, call: Callable[[], T], finish: Callable[[T, Timestamp], list[Event]]) -> None:
        """Run the call in a thread, unless one is already running; then `finish` its result."""
        if self._call is not None:
            return
        done: Future[T] = Future()
        self._call = done, finish

        def run() -> None:
            try:
                done.set_result(call())
            except Exception as error:  # noqa: BLE001 (raised again where the call ends)
                time.sleep(RETRY_PAUSE)
                done.set_exception(error)

        threading.Thread(target=run, name="cup-call", daemon=True).start()


def _next_purpose(state: MatchState) -> RollPurpose:
    return RollPurpose(RollKind.OPENING if is_opening(state) else RollKind.TWO)
