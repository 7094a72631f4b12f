"""`Referee`: quiet looks in, events out. Sans-I/O; live and offline run the same object.

A turn: a throw comes to rest, checkers move, the dice are lifted (or the next throw lies there)
and the play is final. Who throws follows from the turns, never from the colour of the dice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import copy
from dataclasses import replace
from typing import Final

from engine.closing import SEVERAL, broken_off, end_events, is_swept
from engine.corrections import Orders, as_ordered
from engine.cube_looks import CubeStands, CubeWatch
from engine.cup_events import CupDecided
from engine.disputes import answer_to
from engine.doubling import taken_cube, turned_cube
from engine.errors import IllegalPlay, NotNow
from engine.events import (
    Dice,
    DiceRolled,
    Event,
    GameStart,
    IllegalMade,
    OpeningRolled,
    PlayMade,
    PlayRejected,
    TurnEnded,
)
from engine.evidence import Observation, cell_counts
from engine.ground import Ground, Zone
from engine.inference import Illegal, NothingYet, Unsure
from engine.looks import Busy, Stretch, When
from engine.match import MatchState
from engine.opening import (
    awaits_lots,
    before_guess,
    is_open_lots,
    of_the_other,
    start_event,
)
from engine.pending import find_pending_play
from engine.phase import BETWEEN_GAMES, Phase
from engine.play import Play
from engine.position import Position, Side
from engine.record_events import PositionSet
from engine.recording import told_throw, turn_events, void_event
from engine.rules import Rules
from engine.ruleset import USUAL, RuleSet
from engine.ruling import Ruling, ordered_ruling, rule_turn
from engine.scoring import Memory
from engine.set_up import resumed, set_up_error
from engine.standing import shows_position
from engine.take_back import taken_back
from engine.telling import told_events
from engine.throw import Throw, is_throw
from engine.told_turn import is_forced_pass, played_events
from engine.turn import TurnSeen
from engine.turn_end import (
    is_ended,
    is_final,
    is_left_mixed_up,
    is_set_up,
    moves_something,
    premature_beside,
    premature_event,
    rule_end,
    ruling_at,
    told_end,
    unseen_ruling,
)

UNDECIDED: Final = (*BETWEEN_GAMES, Phase.DISPUTED, Phase.DOUBLED)
"""Phases in which no turn is in progress."""


class Referee:
    """Turns what was seen into what happened.

    Its public state is `state`, the fold of all events that it gave; what else it keeps is only
    evidence of the turn in progress.
    """

    def __init__(
        self,
        rules: Rules,
        *,
        light: str = "Light",
        dark: str = "Dark",
        length: int = 0,
        start: Position | None = None,
        light_throws_right: bool | None = None,
        throw_zone: Zone | None = None,
        rule_set: RuleSet = USUAL,
        is_told: bool = False,
    ) -> None:
        """Wait for `start`, the opening position by default.

        is_told: whether nobody watches and all is told by hand; then a turn in which nothing can
        be moved is told by the rules.

        light_throws_right: whether light's right hand is the half with x > 0.5 of the field;
        None: the half of a throw is not judged, only that both dice lie in one; throw_zone: where
        the baffle box stands, where one is used and that is known.
        """
        self.rules = rules
        self._state = MatchState(
            variant=rules.name,
            light=light,
            dark=dark,
            length=length,
            rule_set=rule_set,
            cube_rules=rule_set.cube,
        )
        self._start = start
        self._ground = Ground(rule_set, light_throws_right, throw_zone)
        self._past = TurnSeen(ground=self._ground)
        self._current: Stretch | None = None
        self._unowned: tuple[Throw, ...] = ()
        self._cube = CubeWatch()
        self._swept = 0
        self.log_weight = 0.0
        """The log-probability of what was seen, if all happened as it was told."""
        self.decided: Ruling | None = None
        """The ruling on the turn that the newest look ended, with its rivals."""
        self._choice = 0
        self._orders = Orders()
        self._rolled = 0, (0, 0)
        """The turn whose roll was told newest, and its dice, the larger first."""
        self._memory: Memory | None = None
        self._is_told = is_told

    @classmethod
    def resume(
        cls,
        rules: Rules,
        state: MatchState,
        *,
        light_throws_right: bool | None = None,
        throw_zone: Zone | None = None,
        is_told: bool = False,
    ) -> Referee:
        """A referee that goes on from a folded record, by the rule set that stands in it."""
        referee = cls(
            rules,
            light_throws_right=light_throws_right,
            throw_zone=throw_zone,
            rule_set=state.rule_set,
            is_told=is_told,
        )
        referee._state = state
        referee._go_on(TurnSeen())
        return referee

    @property
    def state(self) -> MatchState:
        """Everything that the events so far say."""
        return self._state

    @property
    def position(self) -> Position | None:
        """The position on the board before the turn in progress."""
        return self._state.position

    @property
    def to_move(self) -> Side | None:
        """Who rolls or plays; None while nobody knows."""
        return self._state.to_move

    @property
    def roll(self) -> Dice | None:
        """The roll being played."""
        return self._state.roll

    @property
    def phase(self) -> Phase:
        """What happens next."""
        return self._state.phase

    @property
    def message(self) -> str:
        """The phase in words for the players."""
        return self._state.message

    def heed(self, orders: Orders) -> None:
        """Know from now on what somebody says of certain turns."""
        self._orders = orders
        self._go_on(self._past)

    def fork(self) -> Referee:
        """Another one that knows the same and goes its own way from here."""
        return copy(self)

    def see(self, seen: Observation | Busy, choice: int = 0) -> list[Event]:
        """Take in one quiet look, or that a hand is over the board; give what became certain.

        choice: of a turn that ends with it, 0 tells what is ruled, n its n-th rival instead.
        """
        self.decided, self._choice = None, choice
        if isinstance(seen, Busy):
            self._close_stretch()
            return []
        look = Stretch.of(seen)
        if self._current is None or not self._current.continues_with(look):
            self._close_stretch()
            self._current = look
        else:
            self._current = self._current + look
        events = list(self._decide(self._current))
        wanted = self._start or self.rules.opening()
        wrong = set_up_error(self._state, self._current, wanted, self.rules)
        return events if wrong is None else [*events, self._emit(wrong)]

    def pending_play(self) -> PlayMade | None:
        """The legal play that the newest look shows, while nothing says that the turn is over."""
        if self._current is None:
            return None
        return find_pending_play(self._state, self._past, self._current, self.rules)

    @property
    def is_told(self) -> bool:
        """Whether nobody watches, and all is told by hand."""
        return self._is_told

    def told(self, event: Event) -> list[Event]:
        """Take in what is said by hand: rolls, plays, the cube, a resignation, an answer.

        `NotNow`, `IllegalCube`, `InvalidNotation` or `IllegalPlay` says why that cannot be; then
        nothing has changed.
        """
        self.decided, self._choice = None, 0
        if isinstance(event, TurnEnded):
            return list(self._end_as_told(event))
        event = as_ordered(event, self._state, self._orders, self.rules)
        events = list(told_events(self._state, event, self.rules))
        for one in events:
            self._emit(one)
        self._heed_told(event)
        if self._is_told:
            events += self._passed(When(event.time, event.frame))
        return events

    def _heed_told(self, event: Event) -> None:
        """What was seen counts for what is in progress now that `event` was told."""
        match event:
            case PlayRejected():
                self._replay(self._past)
            case PositionSet() | GameStart():
                self._start, self._memory, self._swept, self._unowned = None, None, 0, ()
                self._go_on(TurnSeen())
            case PlayMade():
                look, self._memory = self._current, None
                seen = self._past if look is None else self._past.with_stretch(look)[0]
                self._go_on(seen.next())
            case DiceRolled() | OpeningRolled() | CupDecided():
                self._know_roll()

    def _passed(self, when: When) -> Iterator[Event]:
        """Where nothing can be moved, nobody has to say so."""
        if is_forced_pass(self._state, self.rules) and self._state.to_move is not None:
            play = self._orders.plays.get(self._turn, Play())
            player, by = self._state.to_move, "hand" if play.moves else "rules"
            yield from self._emit_all(
                played_events(self._state, player, str(play), self.rules, when, by)
            )

    def _know_roll(self) -> None:
        """The roll was told as it was made: whatever dice lie there, the turn is played with it."""
        high, low = self.roll or (None, None)
        if high is not None and low is not None:
            self._rolled = self._turn, (max(high, low), min(high, low))
        self._go_on(self._past)

    def _end_as_told(self, event: TurnEnded) -> Iterator[Event]:
        """What was played is ruled on now, or as soon as no hand is over the board."""
        if self._is_told:
            raise NotNow("nobody watches: a turn ends when its play is told")
        look = self._current
        seen = self._past if look is None else self._past.with_stretch(look)[0]
        yield from self._emit_all(told_end(self._state, seen, event))
        self._past = replace(self._past, is_ended=True)
        if look is not None and seen.has_look:
            seen = replace(seen, is_ended=True)
            ruling = self._ruled(seen)
            if is_ended(seen, ruling, self.rules):
                when = When(event.time, event.frame)
                yield from self._record(self._chosen(ruling), seen, when)

    def finish(self, time: float, frame: int, choice: int = 0) -> list[Event]:
        """The video is over: record the last play if it was seen whole; `choice` as in `see`."""
        self._close_stretch()
        self.decided, self._choice = None, choice
        seen, when = self._past, When(time, frame)
        if self.phase in UNDECIDED or not seen.has_look:
            return []
        ruling = self._ruled(seen)
        if isinstance(ruling.verdict, NothingYet):
            dropped = seen.throw is not None and seen.lifted is not None and not seen.is_replay
            return list(self._void(seen.throw, when)) if dropped and seen.throw else []
        if is_left_mixed_up(ruling, self.rules):
            return list(self._emit_all(broken_off(self._state, self.rules, when)))
        if is_set_up(ruling, self.rules) or (
            isinstance(ruling.verdict, Unsure) and not seen.lifted
        ):
            return []
        return list(self._record(self._chosen(ruling), seen, when))

    def take(self, event: Event) -> None:
        """Take in what is known of the match from elsewhere; it changes no turn in progress."""
        self._emit(event)

    @property
    def turn_weight(self) -> float:
        """The log-probability of what was seen since the last turn was told."""
        look = self._current
        seen = self._past if look is None else self._past.with_stretch(look)[0]
        if self.phase in UNDECIDED or not seen.has_look:
            return 0.0
        ruling = self._ruled(seen)
        return min(ruling.weight - ruling.owed, 0.0)

    @property
    def outlook(self) -> tuple[object, ...]:
        """Two referees of the same looks that agree in this will tell the same from now on."""
        state = self._state
        return (
            *(state.phase, state.position, state.to_move, state.roll, state.cube, state.score),
            *(state.games, state.rolls, state.is_crawford, state.asked, state.placed[-1:]),
            *(self._past.outlook, self._swept, self._unowned),
        )

    def _close_stretch(self) -> None:
        stretch, self._current = self._current, None
        if stretch is None:
            return
        self._cube = self._cube.with_track(stretch.cube)
        if self.phase not in BETWEEN_GAMES and is_swept(stretch, self._state, self.rules):
            self._swept += stretch.looks
            return
        self._swept = 0
        self._past, _ = self._past.with_stretch(stretch)

    def _emit(self, event: Event) -> Event:
        self._state = self._state.after(event)
        return event

    def _emit_all(self, events: Iterable[Event]) -> Iterator[Event]:
        for event in tuple(events):
            yield self._emit(event)

    def _remember(self, stretch: Stretch | None) -> None:
        """What was misread of the position that stands will be misread again."""
        if stretch is not None and self.position is not None:
            self._memory = Memory.of(stretch.table, cell_counts(self.position))

    def _go_on(self, seen: TurnSeen) -> None:
        """What was seen is told; from here on `seen` is the evidence."""
        lots = awaits_lots(self._state, self.rules)
        roller = self._state.to_move
        turn, rolled = self._rolled
        told = rolled if turn == self._turn else self._orders.rolls.get(self._turn)
        self._past = replace(
            seen,
            ground=self._ground,
            is_first=lots,
            roller=roller,
            told_roll=told,
            memory=self._memory,
        )

    def _replay(self, seen: TurnSeen) -> None:
        self._memory = None
        lying = (*seen.lying, *(seen.throw.tracks if seen.throw else ()))
        self._go_on(TurnSeen(lying=lying, is_replay=True))

    def _decide(self, stretch: Stretch) -> Iterator[Event]:
        if self.phase not in BETWEEN_GAMES and is_swept(stretch, self._state, self.rules):
            if self._swept + stretch.looks < SEVERAL:
                return
            yield from self._emit_all(broken_off(self._state, self.rules, stretch.when))
        if self.phase in BETWEEN_GAMES:
            yield from self._await_start(stretch)
        if self.phase is Phase.DOUBLED:
            yield from self._await_answer(stretch)
        # Twice: the look that ends a turn with an illegal play may show its acceptance too.
        for _ in range(2):
            if self.phase is Phase.DISPUTED:
                yield from self._settle_dispute(stretch)
            if self.phase in (Phase.TO_ROLL, Phase.TO_PLAY):
                yield from self._follow(stretch)
            if self.phase is not Phase.DISPUTED:
                return

    def _await_start(self, stretch: Stretch) -> Iterator[Event]:
        again = resumed(self._state, stretch, self.rules)
        if again is not None:
            self._swept = 0
            yield self._emit(again)
            self._go_on(TurnSeen())
            return
        wanted = self._start or self.rules.opening()
        if self._state.winner is not None:
            return
        is_thrown = is_throw(stretch.dice, self._ground)
        if not shows_position(stretch, wanted, self.rules, is_thrown=is_thrown):
            return
        self._start = None
        self._swept = 0
        self._unowned = ()
        yield self._emit(
            start_event(self._state, self.rules, self._ground.rule_set, wanted, stretch.when)
        )
        self._remember(stretch)
        self._go_on(TurnSeen())

    def _await_answer(self, stretch: Stretch) -> Iterator[Event]:
        """The cube waits: it is turned back, or play goes on and it was taken."""
        again = turned_cube(self._state, self._stands(stretch), self.rules, stretch.when)
        if again is not None:
            yield self._emit(again)
        seen, _ = self._past.with_stretch(stretch)
        taken = taken_cube(self._state, seen.throw, stretch.when)
        if taken is not None:
            yield self._emit(taken)

    def _stands(self, stretch: Stretch) -> CubeStands | None:
        return self._cube.with_track(stretch.cube).settled

    def _settle_dispute(self, stretch: Stretch) -> Iterator[Event]:
        """An illegal play stands until the opponent goes on, or the checkers go back."""
        stands = self._stands(stretch)
        answer = answer_to(self._state, self._past, stretch, stands, self.rules)
        if answer.event is not None:
            yield self._emit(answer.event)
        if isinstance(answer.event, PlayRejected):
            self._replay(self._past.with_stretch(stretch)[0])
        elif answer.is_void:
            self._go_on(self._past.next())

    def _follow(self, stretch: Stretch) -> Iterator[Event]:
        back = taken_back(self._state, self._past, stretch, self.rules)
        if back is not None:
            yield self._emit(back)
            self._replay(self._past)
            return
        seen, arrived = self._past.with_stretch(stretch)
        if arrived:
            yield from self._arrive(stretch)
        elif self._past.throw is None and seen.throw is not None:
            unseen = unseen_ruling(self._state, self._past, stretch, self.rules)
            if unseen is not None:
                yield from self._record(
                    self._chosen(self._ordered(self._past) or unseen), self._past, stretch.when
                )
        elif (seen.is_ended and seen.has_look) or (seen.lifted is not None and not seen.is_replay):
            ruling = self._ruled(seen)
            over = is_ended(seen, ruling, self.rules) or is_final(
                self._state, ruling, self._stands(stretch), self.rules, stretch.when
            )
            if over:
                yield from self._record(self._chosen(ruling), seen, stretch.when)
                return
        if self.phase is Phase.TO_ROLL:
            yield from self._await_roll(stretch)

    def _await_roll(self, stretch: Stretch) -> Iterator[Event]:
        """Before a roll the cube may be offered; a roll is told as soon as it is clear."""
        seen, _ = self._past.with_stretch(stretch)
        if seen.throw is None:
            offered = turned_cube(self._state, self._stands(stretch), self.rules, stretch.when)
            if offered is not None:
                yield self._emit(offered)
            return
        told = told_throw(self._state, seen, stretch.when)
        if told is not None:
            if isinstance(told, DiceRolled):
                yield from self._claim(told.player)
            yield self._emit(told)
            early = premature_beside(self._state, seen, stretch.when)
            if early is not None:
                yield self._emit(early)
        is_lost = self.rules.starter_rolls_again and is_open_lots(seen.throw, self._ground)
        is_lots = isinstance(told, OpeningRolled) and self.phase is Phase.TO_ROLL
        if is_lots or is_lost:
            self._go_on(seen.next())  # lots only: what is played is thrown afresh

    def _arrive(self, stretch: Stretch) -> Iterator[Event]:
        """A new throw lies there: the turn is over, unless that came too early."""
        early = self._past.early_throw(stretch)
        if early is not None:
            told = premature_event(self._state, self._past, early, stretch.when)
            if told is not None:
                yield self._emit(told)
            verdict = rule_turn(self._state, self._past, self.rules).verdict
            if isinstance(verdict, NothingYet | Illegal):
                # Whoever is on turn has not finished: he may, and knows what comes next.
                self._past = replace(self._past, early=early.tracks)
                return
        yield from self._end_turn(self._past, stretch)
        if early is not None:
            self._past = replace(self._past, early=early.tracks)

    def _end_turn(self, seen: TurnSeen, arrival: Stretch) -> Iterator[Event]:
        """Whatever is pending is decided now."""
        told = self._ordered(seen)
        ruling = told or ruling_at(self._state, seen, arrival, self.rules)
        ruling = self._chosen(ruling, is_over=True)
        if not isinstance(ruling.verdict, NothingYet):
            yield from self._record(ruling, seen, arrival.when)
        elif seen.throw is not None:
            yield from self._void(seen.throw, arrival.when)
            self._go_on(seen.next())

    def _ruled(self, seen: TurnSeen) -> Ruling:
        return self._ordered(seen) or rule_end(self._state, seen, self.rules)

    def _ordered(self, seen: TurnSeen) -> Ruling | None:
        """What somebody says that was played, if that can be in this history."""
        play = self._orders.plays.get(self._turn)
        if play is None:
            return None
        try:
            return ordered_ruling(self._state, seen, play, self.rules)
        except IllegalPlay:
            return None

    @property
    def _turn(self) -> int:
        """The number of the turn in progress, from 1."""
        return len(self._state.turns) + 1

    def _chosen(self, ruling: Ruling, *, is_over: bool = False) -> Ruling:
        """The ruling, or the rival that is to be told instead of it.

        is_over: whether the turn has ended also where nothing was played.
        """
        chosen = ruling
        if self.decided is None:
            rivals = tuple(one for one in ruling.rivals if is_over or moves_something(one))
            self.decided = replace(ruling, rivals=rivals)
            chosen = (ruling, *rivals)[self._choice]
        self.log_weight += chosen.weight - chosen.owed
        return chosen

    def _void(self, throw: Throw, when: When) -> Iterator[Event]:
        side = self._state.to_move or throw.roller
        if side is None and not throw.draws_lots:
            self._unowned = (*self._unowned, throw)
        elif side is not None:
            void = void_event(throw, side, self._ground, when)
            if void is not None:
                yield self._emit(void)

    def _claim(self, side: Side) -> Iterator[Event]:
        """The void throws so far, now that it is known whose they were."""
        unowned, self._unowned = self._unowned, ()
        for throw in unowned:
            void = void_event(throw, side, self._ground, When(throw.seconds, throw.frame))
            if void is not None:
                yield self._emit(void)

    def _record(self, ruling: Ruling, seen: TurnSeen, when: When) -> Iterator[Event]:
        """The play, and all that belongs to it: earlier voids, its roll, the end of the game."""
        begun = before_guess(self._state)
        if begun is not None and ruling.history.side is not self._state.to_move:
            yield from self._emit_all(of_the_other(self._state, begun, when))
        unowned, self._unowned = self._unowned, ()
        *before, made = turn_events(self._state, ruling, seen, unowned, when)
        yield from self._emit_all((*before, made))
        self._remember(seen.newest)
        self._go_on(seen.next())
        if not isinstance(made, IllegalMade):
            yield from self._emit_all(end_events(self._state, self.rules, when))
