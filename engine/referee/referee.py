"""`Referee`: quiet looks in, events out. Sans-I/O; live and offline run the same object.

A turn: a throw comes to rest, checkers move, the dice are lifted (or the next throw lies there)
and the play is final. Who throws follows from the turns, never from the colour of the dice.
"""

from __future__ import annotations

from copy import copy

from engine.events.match import Dice, Event, PlayMade, TurnEnded
from engine.evidence.observation import Observation
from engine.evidence.still_period import Motion, StillPeriod
from engine.match.corrections import TurnCorrections, as_corrected
from engine.match.phase import Phase
from engine.match.state import MatchState
from engine.position import Position, Side
from engine.referee.apply_manual import end_as_told, heed, passed
from engine.referee.finish_turn import finish, turn_weight
from engine.referee.manual import told_events
from engine.referee.observe import follow
from engine.referee.set_up_errors import set_up_error
from engine.referee.state import RefereeState
from engine.referee.turn_end import find_pending_play
from engine.rules import Rules
from engine.ruleset import USUAL, RuleSet
from engine.timestamp import Timestamp
from engine.turns.evidence import TurnEvidence
from engine.turns.hypotheses import TurnHypothesis
from engine.turns.zones import RollZone, Zone


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
        is_manual: bool = False,
    ) -> None:
        """Wait for `start`, the opening position by default.

        is_manual: whether nobody watches and all is told by hand; then a turn in which nothing can
        be moved is told by the rules.

        light_throws_right: whether light's right hand is the half with x > 0.5 of the field;
        None: the half of a throw is not judged, only that both dice lie in one; throw_zone: where
        the baffle box stands, where one is used and that is known.
        """
        self.rules = rules
        ground = RollZone(rule_set, light_throws_right, throw_zone)
        state = MatchState(
            variant=rules.name,
            light=light,
            dark=dark,
            length=length,
            rule_set=rule_set,
            cube_rules=rule_set.cube,
        )
        self._notes = RefereeState(
            rules=rules,
            state=state,
            ground=ground,
            start=start,
            is_manual=is_manual,
            past=TurnEvidence(ground=ground),
        )

    @classmethod
    def resume(
        cls,
        rules: Rules,
        state: MatchState,
        *,
        light_throws_right: bool | None = None,
        throw_zone: Zone | None = None,
        is_manual: bool = False,
    ) -> Referee:
        """A referee that goes on from a folded record, by the rule set that stands in it."""
        referee = cls(
            rules,
            light_throws_right=light_throws_right,
            throw_zone=throw_zone,
            rule_set=state.rule_set,
            is_manual=is_manual,
        )
        referee._notes.state = state
        referee._notes.go_on(TurnEvidence())
        return referee

    @property
    def state(self) -> MatchState:
        """Everything that the events so far say."""
        return self._notes.state

    @property
    def position(self) -> Position | None:
        """The position on the board before the turn in progress."""
        return self._notes.state.position

    @property
    def to_move(self) -> Side | None:
        """Who rolls or plays; None while nobody knows."""
        return self._notes.state.to_move

    @property
    def roll(self) -> Dice | None:
        """The roll being played."""
        return self._notes.state.roll

    @property
    def phase(self) -> Phase:
        """What happens next."""
        return self._notes.state.phase

    @property
    def message(self) -> str:
        """The phase in words for the players."""
        return self._notes.state.message

    @property
    def log_weight(self) -> float:
        """The log-probability of what was seen, if all happened as it was told."""
        return self._notes.log_weight

    @property
    def decided(self) -> TurnHypothesis | None:
        """The ruling on the turn that the newest look ended, with its rivals."""
        return self._notes.decided

    def set_corrections(self, orders: TurnCorrections) -> None:
        """Know from now on what somebody says of certain turns."""
        self._notes.orders = orders
        self._notes.go_on(self._notes.past)

    def fork(self) -> Referee:
        """Another one that knows the same and goes its own way from here."""
        twin: Referee = copy(self)
        twin._notes = copy(self._notes)
        return twin

    def observe(self, seen: Observation | Motion, choice: int = 0) -> list[Event]:
        """Take in one quiet look, or that a hand is over the board; give what became certain.

        choice: of a turn that ends with it, 0 tells what is ruled, n its n-th rival instead.
        """
        self._notes.decided, self._notes.choice = None, choice
        if isinstance(seen, Motion):
            self._notes.close_stretch()
            return []
        look = StillPeriod.of(seen)
        if self._notes.current is None or not self._notes.current.continues_with(look):
            self._notes.close_stretch()
            self._notes.current = look
        else:
            self._notes.current = self._notes.current + look
        events = list(follow(self._notes, self._notes.current))
        wanted = self._notes.start or self.rules.opening()
        wrong = set_up_error(self._notes.state, self._notes.current, wanted, self.rules)
        return events if wrong is None else [*events, self._notes.emit(wrong)]

    def pending_play(self) -> PlayMade | None:
        """The legal play that the newest look shows, while nothing says that the turn is over."""
        if self._notes.current is None:
            return None
        return find_pending_play(
            self._notes.state, self._notes.past, self._notes.current, self.rules
        )

    @property
    def is_manual(self) -> bool:
        """Whether nobody watches, and all is told by hand."""
        return self._notes.is_manual

    def enter(self, event: Event) -> list[Event]:
        """Take in what is said by hand: rolls, plays, the cube, a resignation, an answer.

        `NotNow`, `IllegalCube`, `InvalidNotation` or `IllegalPlay` says why that cannot be; then
        nothing has changed.
        """
        self._notes.decided, self._notes.choice = None, 0
        if isinstance(event, TurnEnded):
            return list(end_as_told(self._notes, event))
        event = as_corrected(event, self._notes.state, self._notes.orders, self.rules)
        events = list(told_events(self._notes.state, event, self.rules))
        for one in events:
            self._notes.emit(one)
        heed(self._notes, event)
        if self._notes.is_manual:
            events += passed(self._notes, Timestamp(event.time, event.frame))
        return events

    def finish(self, time: float, frame: int, choice: int = 0) -> list[Event]:
        """The video is over: record the last play if it was seen whole."""
        self._notes.close_stretch()
        self._notes.decided, self._notes.choice = None, choice
        return list(finish(self._notes, Timestamp(time, frame)))

    def record(self, event: Event) -> None:
        """Take in what is known of the match from elsewhere; it changes no turn in progress."""
        self._notes.emit(event)

    @property
    def turn_weight(self) -> float:
        """The log-probability of what was seen since the last turn was told."""
        return turn_weight(self._notes)

    @property
    def future_key(self) -> tuple[object, ...]:
        """Two referees of the same looks that agree in this will tell the same from now on."""
        return self._notes.future_key
