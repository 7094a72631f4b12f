"""What the referee knows during play: the match so far and the evidence of the current turn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from engine.events.match import DiceRolled, Doubled, Event
from engine.evidence.cube_track import CubeAtRest, CubeHistory
from engine.evidence.likelihood import BoardMemory, errors_learnt, with_floor
from engine.evidence.observation import Observation, cell_counts
from engine.evidence.reading_errors import NONE_LEARNT, ReadingErrors
from engine.evidence.still_period import StillPeriod
from engine.evidence.whole_board import contradicting_position
from engine.match.corrections import TurnCorrections
from engine.match.fold import apply_event
from engine.match.phase import BETWEEN_GAMES, Phase
from engine.match.state import MatchState
from engine.position import Position
from engine.referee.doubling import turned_cube
from engine.referee.forced import is_settled
from engine.referee.game_end import is_swept
from engine.rules import Rules
from engine.timestamp import Timestamp
from engine.turns.evidence import TurnEvidence
from engine.turns.hypotheses import TurnHypothesis
from engine.turns.leftover import may_show_leftover_moved
from engine.turns.opening import awaits_opening_roll
from engine.turns.position_check import shows_position
from engine.turns.throw import Throw
from engine.turns.zones import RollZone


@dataclass(frozen=True, slots=True)
class Decision:
    """What a referee decided to record, of what may have happened."""

    p: float
    """The probability of the likeliest."""
    rivals: tuple[TurnHypothesis, ...] = ()
    """What else may be recorded instead, by weight."""


@dataclass(slots=True, kw_only=True, eq=False)
class RefereeState:
    """`state` is the fold of all emitted events; the rest is evidence."""

    base_rules: Rules
    """The rules of every game; `rules` also know what this one has shown."""
    state: MatchState
    zone: RollZone
    start: Position | None = None
    """The start of the next game; None for the variant's starting position."""
    is_manual: bool = False
    """Whether there is no camera and everything is entered by hand."""
    evidence: TurnEvidence
    """The evidence of the turn in progress, without `period`."""
    period: StillPeriod | None = None
    """The newest still period, while it lasts."""
    unowned_voids: tuple[Throw, ...] = ()
    """Void throws by a player who was not known at the time."""
    cube: CubeHistory = field(default_factory=CubeHistory)
    swept_observations: int = 0
    """Observations so far of a board that was swept in mid-game."""
    corrections: TurnCorrections = field(default_factory=TurnCorrections)
    """Manual corrections of certain turns."""
    entered_roll: tuple[int, tuple[int, int]] = 0, (0, 0)
    """The turn whose roll was last entered or reported, and its dice, larger first."""
    memory: BoardMemory | None = None
    errors: ReadingErrors = NONE_LEARNT
    """How often the board has been misread so far."""
    log_weight: float = 0.0
    """The log-probability of the observations, given that everything happened as recorded."""
    decision: Decision | None = None
    """What was decided of the turn that the newest observation ended; None if it ended none."""
    choice: int = 0
    """What is recorded of such a turn: 0 for the best hypothesis, n for its n-th rival."""

    @property
    def rules(self) -> Rules:
        """The rules of the turn in progress."""
        return self.state.in_turn(self.base_rules)

    @property
    def full_evidence(self) -> TurnEvidence:
        """The evidence of the turn in progress, with `period`."""
        return self.evidence if self.period is None else self.evidence.with_period(self.period)[0]

    @property
    def turn(self) -> int:
        """The number of the turn in progress, from 1."""
        return len(self.state.turns) + 1

    @property
    def rolled_turn(self) -> int:
        """The number of the next turn with a roll: moves left over are a turn before it."""
        return self.turn + bool(self.state.leftover)

    @property
    def future_key(self) -> tuple[object, ...]:
        """Equal for two referees of the same observations that will record the same from now on."""
        state = self.state
        return (
            state.phase, state.position, state.to_move, state.roll, state.cube, state.score,
            state.games, state.roll_counts, state.is_crawford, state.unresolved_games,
            state.places_in_doubt, state.recent_positions[-1:], state.leftover,
            state.previous_turn_end_declared, state.turn_end_declared, state.owes_clock_press,
            self.evidence.future_key, self.swept_observations, self.unowned_voids,
        )  # fmt: skip

    def add_observation(self, seen: Observation) -> StillPeriod:
        """The newest still period, including `seen`."""
        latest = StillPeriod.of(seen)
        if self.period is not None and self.period.continues_with(latest):
            self.period = self.period + latest
        else:
            self.close_period()
            self.period = latest
        return self.period

    def close_period(self, until: float | None = None) -> None:
        """End the newest still period: what it showed becomes part of the turn's evidence.

        until: when a hand ended it, in seconds; None if nobody saw when it ended.
        """
        period, self.period = self.period, None
        if period is None:
            return
        period = period if until is None else replace(period, until=until)
        self.cube = self.cube.with_track(period.cube, self.state.cube)
        if self.is_swept(period):
            self.swept_observations += period.observation_count
            return
        self.swept_observations = 0
        self.evidence, _ = self.evidence.with_period(period)
        self._glimpse_double(period)

    def is_swept(self, period: StillPeriod) -> bool:
        """Whether the board is empty in mid-game, or set up for the next game."""
        if self.state.phase in BETWEEN_GAMES:
            return False
        is_doubled = self.glimpsed_double(period.timestamp) is not None
        return is_swept(period, self.state, self.rules, is_doubled=is_doubled)

    def glimpsed_double(self, when: Timestamp) -> Doubled | None:
        """A double of which the offered cube was seen, but not for long enough to be recorded."""
        if self.state.phase is not Phase.TO_ROLL:
            return None
        turned = turned_cube(self.state, self.cube.glimpsed, self.rules, when)
        return turned if isinstance(turned, Doubled) else None

    def _glimpse_double(self, period: StillPeriod) -> None:
        """Remember a cube offered beside the recorded position; a throw ends what it may mean."""
        position, cube = self.state.position, self.state.cube
        if self.evidence.throw is not None:
            self.cube = replace(self.cube, glimpsed=None)
            return
        if self.state.phase is not Phase.TO_ROLL or position is None:
            return
        with_it = self.cube.with_glimpse(period.cube, cube)
        if with_it is not self.cube and shows_position(period, position, self.rules):
            self.cube = with_it

    def emit(self, event: Event) -> Event:
        """Make `event` part of the record and return it."""
        self.state = apply_event(self.state, event)
        if isinstance(event, DiceRolled):
            zone, early = self._turn_zone(), self.evidence.voids_early
            voids_early = early and zone.voids_early
            self.evidence = replace(self.evidence, zone=zone, voids_early=voids_early)
        return event

    def _turn_zone(self) -> RollZone:
        """Which throws count in the turn in progress."""
        return replace(
            self.zone,
            is_clocked=self.state.previous_turn_end_declared,
            is_settled=is_settled(self.state, self.rules),
        )

    def emit_all(self, events: Iterable[Event]) -> Iterator[Event]:
        """Emit `events`, all computed before the first becomes part of the record."""
        for event in tuple(events):
            yield self.emit(event)

    def remember_board(self, period: StillPeriod | None) -> None:
        """Remember how the recorded position was read: the same misreadings will recur."""
        if period is None or self.state.position is None:
            return
        frame, cells = period.reference_frame, cell_counts(self.state.position)
        if may_show_leftover_moved(self.state, period, self.errors.misread_share, self.rules):
            self.memory = replace(BoardMemory.of(period.table, cells), may_show_more=True)
            return
        settled = None if frame is None else self.state.position_at(frame)
        compared = None if settled is None else cell_counts(settled)
        self.errors = errors_learnt(self.errors, period, cells, self.memory, compared)
        table = with_floor(period.table, self.errors.misread_share)
        found = contradicting_position(table, self.state.position)
        self.memory = replace(BoardMemory.of(period.table, cells), contradiction=found)

    def begin_turn(self, evidence: TurnEvidence) -> None:
        """Continue with `evidence`, completed by what is known about the turn in progress."""
        (turn, entered), corrected = self.entered_roll, self.corrections.rolls
        is_entered = turn == self.turn
        self.evidence = replace(
            evidence,
            zone=self._turn_zone(),
            may_be_opening=awaits_opening_roll(self.state, self.rules),
            roller=self.state.to_move,
            known_roll=entered if is_entered else corrected.get(self.rolled_turn),
            corrected_rolls={} if is_entered else self._corrected_from_here(),
            memory=self.memory,
            errors=self.errors,
        )

    def _corrected_from_here(self) -> dict[int, tuple[int, int]]:
        """The corrected rolls from the turn in progress on, by how many turns come before each."""
        rolls = self.corrections.rolls.items()
        return {number - self.turn: dice for number, dice in rolls if number >= self.turn}

    def replay_throw(self, evidence: TurnEvidence) -> None:
        """Continue after a play was put back: the dice on the board are played again."""
        self.memory = None
        self.begin_turn(TurnEvidence(old_dice=evidence.lying_dice, is_replay=True))

    @property
    def lacks_cube(self) -> bool:
        """Whether the cube may be turned, but has not been seen for turns, or not at all."""
        state, cube = self.state, self.cube
        if self.period is not None:
            cube = cube.with_track(self.period.cube, state.cube)
        is_used = state.rules.has_cube and not state.is_crawford and bool(state.turns)
        return is_used and cube.is_lost

    def confirmed_cube(self, period: StillPeriod) -> CubeAtRest | None:
        """Where the cube is and what it shows, once confirmed."""
        return self.cube.with_track(period.cube, self.state.cube).confirmed
