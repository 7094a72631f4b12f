"""The referee: observations and manual entries in, events out; it does no input or output itself.

A turn: a throw comes to rest, checkers move, the dice are picked up (or the next throw lies there)
and the play is final. Who throws follows from the turns, never from the color of the dice.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import replace

from engine.errors import NotNow
from engine.events.cup import CupDecided
from engine.events.match import (
    DiceRolled,
    Event,
    GameStart,
    OpeningRolled,
    PlayMade,
    PlayRejected,
    PlaySource,
    TurnEnded,
)
from engine.events.record import PositionSet, Unseen
from engine.evidence.observation import Observation
from engine.evidence.still_period import Motion
from engine.match.corrections import TurnCorrections, as_corrected
from engine.match.state import MatchState
from engine.message import msg
from engine.play import Play
from engine.position import Position
from engine.referee.finish_turn import (
    choose,
    corrected_leftover,
    finish_last_turn,
    judge_finished,
    open_turn_weight,
    record_turn,
)
from engine.referee.manual import is_forced_pass, manual_events, manual_play_events
from engine.referee.observe import process_observation
from engine.referee.set_up_errors import set_up_error
from engine.referee.state import Decision, RefereeState
from engine.referee.turn_end import (
    find_pending_play,
    is_ended_by_player,
    is_late_end,
    turn_end_events,
)
from engine.rules import Rules
from engine.ruleset import USUAL, RuleSet
from engine.timestamp import Timestamp
from engine.turns.evidence import TurnEvidence
from engine.turns.zones import RollZone, Zone


class Referee:
    """Turns observations into events.

    Its public state is `state`, the fold of all events that it has returned; otherwise it keeps
    only evidence of the turn in progress. The same object runs live and offline.
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
        """Wait for `start`, by default the starting position.

        is_manual: whether there is no camera and everything is entered by hand; then a turn without
        a possible move is passed without an entry.

        light_throws_right: whether light's right hand is the half with x > 0.5 of the field; if
        None, the half of a throw is not judged, only that both dice lie in one; throw_zone: the
        location of the baffle box, if one is used and known.
        """
        self.rules = rules
        zone = RollZone(rule_set, light_throws_right, throw_zone)
        state = MatchState(
            variant=rules.name,
            light=light,
            dark=dark,
            length=length,
            rule_set=rule_set,
            cube_rules=rule_set.cube,
        )
        self._ref = RefereeState(
            base_rules=rules,
            state=state,
            zone=zone,
            start=start,
            is_manual=is_manual,
            evidence=TurnEvidence(zone=zone),
        )

    @classmethod
    def resume(
        cls,
        rules: Rules,
        state: MatchState,
        *,
        start: Position | None = None,
        light_throws_right: bool | None = None,
        throw_zone: Zone | None = None,
        is_manual: bool = False,
    ) -> Referee:
        """A referee that continues a folded record under its rule set.

        start: the position of the first game, if that has not begun.
        """
        referee = cls(
            rules,
            start=start,
            light_throws_right=light_throws_right,
            throw_zone=throw_zone,
            rule_set=state.rule_set,
            is_manual=is_manual,
        )
        referee._ref.state = state
        referee._ref.begin_turn(TurnEvidence())
        return referee

    @property
    def state(self) -> MatchState:
        """The fold of all events so far."""
        return self._ref.state

    @property
    def is_manual(self) -> bool:
        """Whether there is no camera and everything is entered by hand."""
        return self._ref.is_manual

    @property
    def log_weight(self) -> float:
        """The log-probability of the observations, given that everything happened as recorded."""
        return self._ref.log_weight

    @property
    def decision(self) -> Decision | None:
        """What was decided of the turn that the newest observation ended; None if it ended none."""
        return self._ref.decision

    def set_corrections(self, corrections: TurnCorrections) -> None:
        """Judge certain turns from now on as corrected by hand."""
        self._ref.corrections = corrections
        self._ref.begin_turn(self._ref.evidence)

    def fork(self) -> Referee:
        """A copy that develops independently from here."""
        twin: Referee = copy(self)
        twin._ref = copy(self._ref)
        return twin

    def observe(self, seen: Observation | Motion, choice: int = 0) -> list[Event]:
        """Process an observation or motion over the board; return what became certain.

        choice: if it ends a turn, 0 records the best hypothesis, n its n-th rival instead.
        """
        self._ref.decision, self._ref.choice = None, choice
        if isinstance(seen, Motion):
            self._ref.close_period(seen.seconds)
            return []
        period = self._ref.add_observation(seen)
        events = list(process_observation(self._ref, period))
        expected = self._ref.start or self.rules.opening()
        error = set_up_error(self._ref.state, period, expected, self.rules)
        return events if error is None else [*events, self._ref.emit(error)]

    @property
    def lacks_cube(self) -> bool:
        """Whether the cube may be turned, but has not been seen for turns, or not at all."""
        return self._ref.lacks_cube

    def pending_play(self) -> PlayMade | None:
        """The legal play that the newest observation shows, while its turn may still continue."""
        if self._ref.period is None:
            return None
        return find_pending_play(
            self._ref.state, self._ref.evidence, self._ref.period, self._ref.rules
        )

    def enter(self, event: Event) -> list[Event]:
        """Process a manual entry: rolls, plays, the cube, a resignation, an answer.

        Raises `NotNow`, `IllegalCube`, `InvalidNotation` or `IllegalPlay` if it is impossible; then
        nothing has changed.
        """
        # A copy processes it, so that no event stands if what follows from it cannot be found.
        ref = copy(self._ref)
        events = list(_enter(ref, event))
        self._ref = ref
        return events

    def finish(self, time: float, frame: int, choice: int = 0) -> list[Event]:
        """Record the last play of a finished video, if it was seen completely."""
        self._ref.close_period()
        self._ref.decision, self._ref.choice = None, choice
        return list(finish_last_turn(self._ref, Timestamp(time, frame)))

    def record(self, event: Event) -> None:
        """Add an event found elsewhere; it does not change the turn in progress."""
        self._ref.emit(event)

    @property
    def open_turn_weight(self) -> float:
        """The log-probability of the observations since the last recorded turn."""
        return open_turn_weight(self._ref)

    @property
    def future_key(self) -> tuple[object, ...]:
        """Equal for two referees of the same observations that will record the same from now on."""
        return self._ref.future_key


def _enter(ref: RefereeState, event: Event) -> Iterator[Event]:
    ref.decision, ref.choice = None, 0
    if isinstance(event, TurnEnded):
        yield from _end_turn_by_hand(ref, event)
        return
    event = as_corrected(event, ref.state, ref.corrections, ref.rules)
    yield from ref.emit_all(list(manual_events(ref.state, event, ref.rules)))
    _apply_manual_event(ref, event)
    when = Timestamp(event.time, event.frame)
    if ref.is_manual:
        yield from _pass_if_forced(ref, when)
    else:
        yield from corrected_leftover(ref, when)


def _apply_manual_event(ref: RefereeState, event: Event) -> None:
    match event:
        case PlayRejected():
            ref.replay_throw(ref.evidence)
        case PositionSet() | GameStart():
            ref.start, ref.memory = None, None
            ref.swept_observations, ref.unowned_voids = 0, ()
            ref.cube = ref.cube.for_next_game()
            ref.begin_turn(TurnEvidence())
        case Unseen():
            ref.evidence = replace(ref.evidence, has_gap=True)
        case PlayMade():
            ref.memory = None
            ref.begin_turn(ref.full_evidence.next(is_certain=True))
        case DiceRolled() | OpeningRolled() | CupDecided():
            # Whatever dice are on the board, the turn is played with the entered roll.
            high, low = ref.state.roll or (None, None)
            if high is not None and low is not None:
                ref.entered_roll = ref.turn, (max(high, low), min(high, low))
            ref.begin_turn(ref.evidence)


def _pass_if_forced(ref: RefereeState, when: Timestamp) -> Iterator[Event]:
    """Pass without an entry if no move is possible."""
    player = ref.state.to_move
    if player is not None and is_forced_pass(ref.state, ref.rules):
        play = ref.corrections.plays.get(ref.turn, Play())
        by: PlaySource = "hand" if play.moves else "rules"
        events = manual_play_events(ref.state, player, str(play), ref.rules, when, by)
        yield from ref.emit_all(events)


def _end_turn_by_hand(ref: RefereeState, event: TurnEnded) -> Iterator[Event]:
    """Judge what was played now, or as soon as no hand is over the board."""
    if ref.is_manual:
        raise NotNow(msg("there is no camera: a turn ends when its play is entered"))
    evidence, is_late = ref.full_evidence, is_late_end(ref.state, event)
    yield from ref.emit_all(turn_end_events(ref.state, evidence, event))
    if is_late:
        return
    ref.evidence = replace(ref.evidence, is_ended=True)
    evidence = replace(evidence, is_ended=True)
    if ref.period is not None and evidence.has_evidence:
        hypothesis = judge_finished(ref, evidence)
        if is_ended_by_player(evidence, hypothesis, ref.rules):
            when = Timestamp(event.time, event.frame)
            yield from record_turn(ref, choose(ref, hypothesis), evidence, when)
