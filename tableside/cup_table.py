"""`CupAtTable`: a cup in a match that is being played; its rolls are the rolls.

Everything is told to the session by the thread that the session belongs to, in `step`; what takes a
cup's time is done by another thread, which only waits for its words to be recorded.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from typing import Final

from engine import DieSeen, EngineError, Event, MatchState, NotNow, Phase, Side
from engine.cup_events import CupRolled
from engine.events import DiceRolled, OpeningRolled, TurnEnded
from engine.looks import When
from engine.opening import awaits_lots
from engine.rules import Rules
from engine.telling import BY_ROLL
from hardware.cup import Cup
from hardware.cup_client import RollMade, State
from hardware.cup_protocol import Kind, What
from hardware.errors import HardwareError
from hardware.ledger import Ledger
from tableside.cup_doubt import CupDoubt, Tell
from tableside.cup_match import Telling, ledger_of
from tableside.cup_proof import cup_matches
from webui.desk import Word
from webui.table import CupShown

ASIDE: Final = "aside"
SET_ASIDE: Final = "real dice lie on the board, and count from the next turn on"
SET_ASIDE_BY_HAND: Final = "rolls are told or seen until it is taken up again"
REVEALED: Final = "its seed is told: `tableside cup verify` proves the rolls"
PATIENCE: Final = 10.0
"""Seconds that the thread beside waits for its words to be recorded."""


class CupAtTable:
    """Keeps the cup armed, and turns its throws into the match's rolls."""

    def __init__(
        self,
        cup: Cup,
        rules: Rules,
        recorded: Iterable[Event],
        words: tuple[str, str],
        *,
        yields: bool = False,
        is_told: bool = False,
    ) -> None:
        """It `yields` to real dice: the first that lie there and are not its own set it aside.

        is_told: whether plays are told by hand, so that no throw ends a turn.
        """
        self._cup, self._rules, self._words = cup, rules, words
        recorded = tuple(recorded)
        self._when = When(0.0, 0)
        self._said: SimpleQueue[tuple[Event, Future[None]]] = SimpleQueue()
        self._thrown: deque[CupRolled] = deque()
        self._ledger: Ledger | None = None
        self._beside: threading.Thread | None = None
        self._why = ""
        self._doubt = CupDoubt(recorded)
        self._yields, self._is_told = yields, is_told
        self._aside_why = ""
        """Why the cup is set aside; empty while it is not."""
        self._known: MatchState | None = None
        """The match at the last step."""
        self._ended = 0
        self._rolled: tuple[int, tuple[int, ...]] = -1, ()
        """The turn that the cup rolled last for, and the dice, the higher first."""
        self._go_on_from(recorded)

    def _go_on_from(self, recorded: tuple[Event, ...]) -> None:
        """The match that the record has at the cup, and a throw that nobody played yet."""
        matches = cup_matches(recorded)
        ledger = ledger_of(matches[-1]) if matches else None
        if ledger is None:
            return
        self._ledger = ledger
        self._cup.resume(ledger)
        for event in recorded:
            if isinstance(event, CupRolled):
                self._thrown = deque([event])
            elif isinstance(event, DiceRolled | OpeningRolled):
                self._thrown.clear()

    def step(
        self,
        tell: Tell,
        match: Callable[[], MatchState],
        dice: Iterable[DieSeen],
        when: When,
    ) -> list[Event]:
        """What the cup said since the last step, recorded; `match` gives the state by then."""
        self._when = when
        events = self._listen(tell)
        self._catch_up(match())
        if not self._aside_why and not match().is_over:
            events += self._play(tell, match())
        events += self._look(tell, match(), tuple(dice))
        self._known = match()
        self._prepare(match())
        return events

    def obey(self, word: Word, tell: Tell, state: MatchState, when: When) -> list[Event]:
        """What the referee says of the cup; `NotNow` if it cannot be."""
        self._when = when
        match word:
            case Word.CUP_STANDS | Word.DICE_STAND:
                is_cups = word is Word.CUP_STANDS
                return self._doubt.decide(tell, is_cups=is_cups, when=when)
            case Word.CUP_ROLL:
                self._roll_now(state)
            case Word.CUP_ASIDE:
                self._aside_why = SET_ASIDE_BY_HAND
                self._thrown.clear()
                self._cup.keep_armed(None)
            case Word.CUP_BACK:
                self._aside_why = ""
        return []

    def _roll_now(self, state: MatchState) -> None:
        is_ready = self._cup.view.state in (State.READY, State.ROLLING)
        if self._aside_why or not is_ready or self._ledger is None:
            raise NotNow("the cup is not ready to roll")
        if self._thrown or not self._is_awaited(state) or state.phase is Phase.TO_PLAY:
            raise NotNow("nobody rolls now")
        self._cup.roll_now(What(self._kind(state)))

    def _is_awaited(self, state: MatchState) -> bool:
        """Whether a throw may come now."""
        if state.phase is Phase.DISPUTED:
            # One that is thrown by itself would answer for the players.
            return not self._yields and state.rule_set.acceptance_event in BY_ROLL
        return state.phase is Phase.TO_ROLL or (state.phase is Phase.TO_PLAY and not self._is_told)

    def _catch_up(self, state: MatchState) -> None:
        """What was judged again may have left throws of the cup without their turn."""
        known = self._known
        if known is None or (state.told >= known.told and state.at(known.told) is known):
            return
        self._thrown.clear()
        while state.prior is not None and not isinstance(state.last, DiceRolled | OpeningRolled):
            if isinstance(state.last, CupRolled):
                self._thrown.appendleft(state.last)
            state = state.prior

    def _prepare(self, state: MatchState) -> None:
        """The cup is ready for what comes next: a match, a throw or the end."""
        if state.is_over:
            self._cup.keep_armed(None)
            if self._ledger is not None:
                self._reveal()
        elif self._why == REVEALED:  # its end was undone: of a seed that is told nothing is rolled
            self._ledger, self._why = None, ""
        elif self._ledger is None:
            self._begin()
        elif self._cup.view.state in (State.READY, State.ROLLING):
            is_wanted = self._is_awaited(state) and not self._thrown and not self._aside_why
            self._cup.keep_armed(What(self._kind(state)) if is_wanted else None)

    def _kind(self, state: MatchState) -> Kind:
        return Kind.OPENING if awaits_lots(state, self._rules) else Kind.TWO

    def shown(self) -> CupShown:
        """How the cup is, for the page."""
        view, two = self._cup.view, self._doubt.shown
        if self._aside_why:
            return CupShown(state=ASIDE, why=self._aside_why, disagrees=two)
        return CupShown(state=view.state.value, why=view.why or self._why, disagrees=two)

    # What the cup says

    def _listen(self, tell: Tell) -> list[Event]:
        events: list[Event] = []
        while True:
            try:
                event, done = self._said.get_nowait()
            except Empty:
                break
            if done.set_running_or_notify_cancel():
                events += tell(event)
                done.set_result(None)
        while True:
            try:
                notice = self._cup.notices.get_nowait()
            except Empty:
                return events
            if isinstance(notice, RollMade) and self._ledger is not None:
                telling = Telling(lambda one: events.extend(tell(one)), lambda: self._when)
                thrown, self._ledger = telling.rolled(notice, self._ledger)
                self._thrown.append(thrown)

    # What comes of it in the game

    def _play(self, tell: Tell, state: MatchState) -> list[Event]:
        """The oldest throw that waits becomes the roll, once the turn before it has ended."""
        if not self._thrown:
            return []
        thrown = self._thrown[0]
        try:
            if thrown.kind == "opening":
                events = tell(self._lots(thrown))
            elif state.to_move is None or not self._is_awaited(state):
                return []
            elif state.phase is Phase.DISPUTED and self._ended == thrown.number:
                return []  # it was thrown before anybody knew what it would let stand
            elif state.phase is Phase.TO_PLAY:
                return self._end(tell, state.to_move, thrown)
            else:
                events = tell(self._roll(thrown, state.to_move))
        except EngineError as refused:
            self._why = str(refused)
            self._thrown.popleft()
            return []
        self._thrown.popleft()
        self._why = ""
        self._rolled = len(state.turns), tuple(sorted(thrown.dice, reverse=True))
        return events

    def _end(self, tell: Tell, player: Side, thrown: CupRolled) -> list[Event]:
        """The next throw says that the turn is over; what was played is ruled on when it shows."""
        if self._ended == thrown.number:
            return []
        self._ended = thrown.number
        now = self._when
        return tell(TurnEnded(time=now.time, frame=now.frame, player=player, by="cup"))

    def _roll(self, thrown: CupRolled, player: Side) -> DiceRolled:
        high, low = sorted(thrown.dice, reverse=True)
        now = self._when
        return DiceRolled(time=now.time, frame=now.frame, player=player, dice=(high, low), by="cup")

    def _lots(self, thrown: CupRolled) -> OpeningRolled:
        now = self._when
        light, dark = thrown.dice
        return OpeningRolled(time=now.time, frame=now.frame, light=light, dark=dark, by="cup")

    def _look(self, tell: Tell, state: MatchState, dice: tuple[DieSeen, ...]) -> list[Event]:
        """Dice that lie there and are not the cup's are told, for the referee."""
        turn, rolled = self._rolled
        is_cups = turn == len(state.turns) and not self._aside_why
        told = self._doubt.look(tell, state, dice, rolled if is_cups else None, self._when)
        if told and self._yields:
            self._aside_why = SET_ASIDE
        return told

    # Beside

    def _begin(self) -> None:
        def begin() -> None:
            self._ledger = self._telling().begin(self._cup)

        self._aside(begin)

    def _reveal(self) -> None:
        ledger = self._ledger

        def reveal() -> None:
            if ledger is not None:
                self._telling().reveal(self._cup, ledger)
                self._why = REVEALED

        if self._why != REVEALED:
            self._aside(reveal)

    def _telling(self) -> Telling:
        return Telling(self._keep, lambda: self._when, self._words)

    def _keep(self, event: Event) -> None:
        """From the thread beside: on return the event is recorded."""
        done: Future[None] = Future()
        self._said.put((event, done))
        try:
            done.result(PATIENCE)
        except TimeoutError:
            if done.cancel():  # it is told again with what follows from it, or not at all
                raise
            done.result()

    def _aside(self, do: Callable[[], None]) -> None:
        """Done beside, one thing at a time; a step later again if the cup is not there."""
        if self._beside is not None and self._beside.is_alive():
            return

        def run() -> None:
            try:
                do()
            except (HardwareError, TimeoutError) as error:
                self._why = str(error)

        self._beside = threading.Thread(target=run, name="cup's match", daemon=True)
        self._beside.start()
