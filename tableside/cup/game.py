"""`CupInMatch`: a cup in a match that is being played; its rolls are the rolls.

Everything is told to the session by the thread that the session belongs to, in `step` and `obey`.
How far the cup's match is, whether it is set aside and what it rolled is read from the record; only
the line to the cup, and a throw that waits for its turn, are kept here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from queue import Empty
from typing import Final

from engine import DieSeen, Event, MatchState, NotNow, Phase
from engine.events.cup import CupSetAside, CupTakenUp
from engine.rules import Rules
from engine.timestamp import Timestamp
from engine.turns.opening import awaits_lots
from hardware.client import CupState
from hardware.connection import CupConnection
from hardware.errors import CupOutOfStep, HardwareError
from hardware.messages import CupPoured
from hardware.notices import RollMade, UnsolicitedMessage
from hardware.protocol_constants import Capability, RollKind, RollPurpose
from hardware.roll_ledger import RollLedger
from tableside.cup.disagreement import Tell, decide, look_at_dice, shown_disagreement
from tableside.cup.history import CupHistory, CupStage
from tableside.cup.protocol_match import NO_WORDS, CupMatchEvents, Words, ledger_of
from tableside.cup.refusals import (
    ASIDE_ALREADY,
    NO_ROLL_NOW,
    NO_SEED,
    NO_WORDS_NOW,
    NOT_ASIDE,
    NOT_READY,
    NOT_THERE,
)
from tableside.cup.throws import CupThrows
from tableside.cup.worker import CupWorker
from webui.contracts.desk import CupWords, DeskCommand
from webui.contracts.state import CupShown

ASIDE: Final = "aside"
ASIDE_WHY: Final = {
    "dice": "real dice lie on the board, and count from the next turn on",
    "hand": "rolls are told or seen until it is taken up again",
}
WORDS: Final = "words"
"""The state of a cup that waits for the players' words."""
REVEALED: Final = "revealed"
LIT_SECONDS: Final = 8.0
"""How long a cup blinks that is asked for."""
WHITE, GREEN, DARK = 7, 2, 0


class CupInMatch:
    """Keeps the cup armed, and turns its throws into the match's rolls."""

    def __init__(
        self,
        cup: CupConnection,
        rules: Rules,
        recorded: Iterable[Event],
        words: Words | None = None,
        *,
        yields: bool = False,
        is_told: bool = False,
    ) -> None:
        """It `yields` to real dice: the first that lie there and are not its own set it aside.

        words: the players', where they are not to be asked for. is_told: whether plays are told by
        hand, so that no throw ends a turn.
        """
        self._cup, self._rules, self._words = cup, rules, words
        self._record = CupHistory(recorded)
        self._yields = yields
        self._when = Timestamp(0.0, 0)
        self._errands = CupWorker()
        self._throws = CupThrows(is_told=is_told, is_unasked=yields)
        self._known: MatchState | None = None
        """The match at the last step."""
        self._lit_until: float | None = None
        self._ledger = self._resumed()

    def _resumed(self) -> RollLedger | None:
        """The match that the record has at the cup, if it goes on.

        One without a roll may not have heard what it was sealed with: `_prepare` says it again.
        """
        match = self._record.newest
        ledger = ledger_of(match) if match is not None and match.rolls else None
        if ledger is not None:
            self._cup.resume(ledger)
        return ledger

    def step(
        self,
        tell: Tell,
        match: Callable[[], MatchState],
        dice: Iterable[DieSeen],
        when: Timestamp,
    ) -> list[Event]:
        """What the cup said since the last step, recorded; `match` gives the state by then."""
        self._when = when
        tell = self._taking(tell)
        events = self._listen(tell)
        self._catch_up(match())
        if not self._is_aside and not match().is_over:
            events += self._throws.play(tell, match(), when)
        events += self._look(tell, match(), tuple(dice))
        self._known = match()
        self._prepare(tell, match())
        return events

    def obey(
        self,
        said: DeskCommand | CupWords,
        tell: Tell,
        match: Callable[[], MatchState],
        when: Timestamp,
    ) -> list[Event]:
        """What the referee says of the cup, recorded; `NotNow` if it cannot be."""
        self._when = when
        events = self._obeyed(said, self._taking(tell), match())
        self._known = match()
        return events

    def _obeyed(self, said: DeskCommand | CupWords, tell: Tell, state: MatchState) -> list[Event]:
        when = self._when
        match said:
            case CupWords():
                return self._seal(tell, (said.light, said.dark))
            case DeskCommand.CUP_STANDS | DeskCommand.DICE_STAND:
                return decide(tell, state, is_cups=said is DeskCommand.CUP_STANDS, when=when)
            case DeskCommand.CUP_ROLL:
                self._roll_now(state)
            case DeskCommand.CUP_ASIDE:
                return self._set_aside(tell, "hand")
            case DeskCommand.CUP_BACK:
                return self._take_up(tell)
            case DeskCommand.CUP_IDENTIFY:
                self._light_up()
            case DeskCommand.CUP_REVEAL:
                self._reveal_now()
        return []

    def _taking(self, tell: Tell) -> Tell:
        """What is told is taken into account here as well."""

        def told(event: Event) -> list[Event]:
            events = tell(event)
            for one in events:
                self._record.take(one)
            return events

        return told

    @property
    def _is_aside(self) -> bool:
        return self._record.aside is not None

    @property
    def _is_ready(self) -> bool:
        return self._cup.view.state in (CupState.READY, CupState.ROLLING)

    # What the referee says

    def _seal(self, tell: Tell, words: Words) -> list[Event]:
        """The words are bound in; the cup is told in `_prepare`."""
        newest = self._record.newest
        if newest is None or self._record.stage is not CupStage.COMMITTED:
            raise NotNow(NO_WORDS_NOW)
        events: list[Event] = []
        CupMatchEvents(lambda event: events.extend(tell(event)), self._now).seal(
            newest.committed, words
        )
        return events

    def _roll_now(self, state: MatchState) -> None:
        if self._is_aside or not self._is_ready or self._ledger is None or self._errands.is_busy:
            raise NotNow(NOT_READY)
        if self._throws or not self._throws.is_awaited(state) or state.phase is Phase.TO_PLAY:
            raise NotNow(NO_ROLL_NOW)
        self._cup.roll_now(RollPurpose(self._kind(state)))

    def _set_aside(self, tell: Tell, by: str) -> list[Event]:
        if self._is_aside:
            raise NotNow(ASIDE_ALREADY)
        self._throws.forget()
        self._cup.keep_armed(None)
        return tell(CupSetAside(time=self._when.time, frame=self._when.frame, by=by))

    def _take_up(self, tell: Tell) -> list[Event]:
        if not self._is_aside:
            raise NotNow(NOT_ASIDE)
        return tell(CupTakenUp(time=self._when.time, frame=self._when.frame))

    def _light_up(self) -> None:
        identity = self._cup.view.identity
        if not self._is_ready or identity is None:
            raise NotNow(NOT_THERE)
        if Capability.LAMP not in identity.can:
            raise NotNow("this cup has no lamp")
        self._cup.light(WHITE, is_blinking=True)
        self._lit_until = self._when.time + LIT_SECONDS

    def _reveal_now(self) -> None:
        if self._record.stage is not CupStage.SEALED or self._ledger is None or not self._is_ready:
            raise NotNow(NO_SEED)
        if self._errands.is_busy:
            raise NotNow("the cup is busy: try again")
        self._reveal(self._ledger)

    # What comes next

    def _catch_up(self, state: MatchState) -> None:
        """What was judged again, or a restart, may have left throws without their turn."""
        known = self._known
        if (
            known is None
            or state.event_count < known.event_count
            or state.at(known.event_count) is not known
        ):
            self._throws.read(state)

    def _prepare(self, tell: Tell, state: MatchState) -> None:
        """The cup is ready for what comes next: a match, its seal, a throw or the end."""
        self._put_out()
        stage = self._record.stage
        if state.is_over:
            self._cup.keep_armed(None)
            if stage is CupStage.SEALED and self._ledger is not None:
                self._reveal(self._ledger)
        elif self._errands.is_busy or self._is_aside:
            self._cup.keep_armed(None)
        elif stage in (
            CupStage.NONE,
            CupStage.REVEALED,
        ):  # of a seed that is told nothing is rolled
            self._errands.send(lambda: self._telling().commit(self._cup))
        elif stage is CupStage.COMMITTED:
            if self._words is not None:
                self._seal(tell, self._words)
        elif self._ledger is None:
            self._begin()
        elif self._is_ready:
            is_wanted = self._throws.is_awaited(state) and not self._throws
            self._cup.keep_armed(RollPurpose(self._kind(state)) if is_wanted else None)

    def _put_out(self) -> None:
        if self._lit_until is not None and self._when.time >= self._lit_until:
            self._lit_until = None
            is_armed = self._cup.asked_for is not None
            self._cup.light(GREEN if is_armed else DARK, is_blinking=is_armed)

    def _kind(self, state: MatchState) -> RollKind:
        return RollKind.OPENING if awaits_lots(state, self._rules) else RollKind.TWO

    def shown(self) -> CupShown:
        """How the cup is, for the page."""
        view, record = self._cup.view, self._record
        state, why = view.state.value, view.why or self._errands.why or self._throws.refused
        if record.aside is not None:
            state, why = ASIDE, ASIDE_WHY[record.aside.by]
        elif self._is_ready and record.stage is CupStage.COMMITTED and self._words is None:
            state = WORDS
        elif record.stage is CupStage.REVEALED and self._known is not None and self._known.is_over:
            state, why = REVEALED, "`tableside cup verify` proves the rolls"
        newest = record.newest
        return CupShown(
            state=state,
            why=why,
            stage=record.stage.value,
            commitment="" if newest is None else newest.committed.commitment,
            words=None if newest is None else newest.fresh_words,
            disagrees=shown_disagreement(self._known),
        )

    # What the cup says

    def _listen(self, tell: Tell) -> list[Event]:
        events: list[Event] = []

        def told(event: Event) -> None:
            # What the cup said before it comes before it.
            events.extend(self._heard(tell))
            events.extend(tell(event))
            if self._record.stage is not CupStage.SEALED:
                self._ledger = None

        self._errands.hear(told)
        return events + self._heard(tell)

    def _heard(self, tell: Tell) -> list[Event]:
        events: list[Event] = []
        telling = CupMatchEvents(lambda event: events.extend(tell(event)), self._now)
        while True:
            try:
                notice = self._cup.notices.get_nowait()
            except Empty:
                return events
            match notice:
                case RollMade() if self._ledger is not None:
                    thrown, self._ledger = telling.rolled(notice, self._ledger)
                    self._throws.add(thrown)
                case UnsolicitedMessage(message=CupPoured()) if (
                    self._record.stage is CupStage.COMMITTED
                ):
                    # Who throws before any word was said goes without.
                    events += self._seal(tell, self._words or NO_WORDS)

    def _look(self, tell: Tell, state: MatchState, dice: tuple[DieSeen, ...]) -> list[Event]:
        """Dice that lie there and are not the cup's are told, for the referee."""
        told = [] if self._is_aside else look_at_dice(tell, state, dice, self._when)
        if told and self._yields:
            told += self._set_aside(tell, "dice")
        return told

    # Beside

    def _begin(self) -> None:
        """The cup hears what it is sealed with; one that is at another match begins a new one."""
        newest = self._record.newest
        ledger = None if newest is None else ledger_of(newest)
        if ledger is None:
            return

        def begin() -> None:
            # Before it is sealed: a roll that it made earlier is told at once.
            self._ledger = ledger
            try:
                self._cup.seal(ledger)
            except CupOutOfStep:  # nothing that is recorded was rolled with it
                self._telling().commit(self._cup)
            except HardwareError:
                self._ledger = None
                raise

        self._errands.send(begin)

    def _reveal(self, ledger: RollLedger) -> None:
        self._errands.send(lambda: self._telling().reveal(self._cup, ledger))

    def _telling(self) -> CupMatchEvents:
        return CupMatchEvents(self._errands.keep, self._now)

    def _now(self) -> Timestamp:
        return self._when
