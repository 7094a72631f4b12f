"""What the referee knows during play: the match so far and the evidence of the current turn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from engine.events.match import Event
from engine.evidence.cube_track import CubeAtRest, CubeHistory
from engine.evidence.likelihood import BoardMemory
from engine.evidence.observation import cell_counts
from engine.evidence.still_period import StillPeriod
from engine.match.corrections import TurnCorrections
from engine.match.phase import BETWEEN_GAMES
from engine.match.state import MatchState
from engine.position import Position
from engine.referee.game_end import is_swept
from engine.rules import Rules
from engine.turns.evidence import TurnEvidence
from engine.turns.hypotheses import TurnHypothesis
from engine.turns.opening import awaits_lots
from engine.turns.throw import Throw
from engine.turns.zones import RollZone


@dataclass(slots=True, kw_only=True, eq=False)
class RefereeState:
    """The state is the fold of all events that were told; the rest is evidence only."""

    rules: Rules
    state: MatchState
    ground: RollZone
    start: Position | None = None
    """Where the next game starts; None: in the opening position."""
    is_manual: bool = False
    """Whether nobody watches, and all is told by hand."""
    past: TurnEvidence
    """What was seen of the turn in progress, the newest stretch apart."""
    current: StillPeriod | None = None
    """The newest quiet looks, while they go on."""
    unowned: tuple[Throw, ...] = ()
    """Void throws of a player who was not known then."""
    cube: CubeHistory = field(default_factory=CubeHistory)
    swept: int = 0
    """Looks so far at a board that is swept, in mid-game."""
    orders: TurnCorrections = field(default_factory=TurnCorrections)
    """What somebody says of certain turns."""
    rolled: tuple[int, tuple[int, int]] = 0, (0, 0)
    """The turn whose roll was told newest, and its dice, the larger first."""
    memory: BoardMemory | None = None
    log_weight: float = 0.0
    """The log-probability of what was seen, if all happened as it was told."""
    decided: TurnHypothesis | None = None
    """The ruling on the turn that the newest look ended, with its rivals."""
    choice: int = 0
    """What is told of such a turn: 0 what is ruled, n the n-th rival instead."""

    @property
    def seen(self) -> TurnEvidence:
        """What was seen of the turn in progress, the newest looks too."""
        return self.past if self.current is None else self.past.with_stretch(self.current)[0]

    @property
    def turn(self) -> int:
        """The number of the turn in progress, from 1."""
        return len(self.state.turns) + 1

    @property
    def future_key(self) -> tuple[object, ...]:
        """Two referees of the same looks that agree in this will tell the same from now on."""
        state = self.state
        return (
            *(state.phase, state.position, state.to_move, state.roll, state.cube, state.score),
            *(
                state.games,
                state.roll_counts,
                state.is_crawford,
                state.unresolved_games,
                state.recent_positions[-1:],
            ),
            *(
                state.leftover,
                state.previous_turn_end_declared,
                state.turn_end_declared,
                state.owes_clock_press,
            ),
            *(self.past.outlook, self.swept, self.unowned),
        )

    def close_stretch(self) -> None:
        """No look continues the newest ones; what they showed is part of the turn's evidence."""
        stretch, self.current = self.current, None
        if stretch is None:
            return
        self.cube = self.cube.with_track(stretch.cube, self.state.cube)
        if self.state.phase not in BETWEEN_GAMES and is_swept(stretch, self.state, self.rules):
            self.swept += stretch.observation_count
            return
        self.swept = 0
        self.past, _ = self.past.with_stretch(stretch)

    def emit(self, event: Event) -> Event:
        """`event`, now part of what happened."""
        self.state = self.state.after(event)
        return event

    def emit_all(self, events: Iterable[Event]) -> Iterator[Event]:
        """The same of several, all told before the first of them counts."""
        for event in tuple(events):
            yield self.emit(event)

    def remember(self, stretch: StillPeriod | None) -> None:
        """What was misread of the position that stands will be misread again."""
        if stretch is not None and self.state.position is not None:
            self.memory = BoardMemory.of(stretch.table, cell_counts(self.state.position))

    def go_on(self, seen: TurnEvidence) -> None:
        """What was seen is told; from here on `seen` is the evidence."""
        lots = awaits_lots(self.state, self.rules)
        roller = self.state.to_move
        turn, rolled = self.rolled
        told = rolled if turn == self.turn else self.orders.rolls.get(self.turn)
        self.past = replace(
            seen,
            ground=replace(self.ground, is_clocked=self.state.previous_turn_end_declared),
            is_first=lots,
            roller=roller,
            told_roll=told,
            memory=self.memory,
        )

    def replay(self, seen: TurnEvidence) -> None:
        """The play was put back: the dice that lie there are played again."""
        self.memory = None
        lying = (*seen.lying, *(seen.throw.tracks if seen.throw else ()))
        self.go_on(TurnEvidence(lying=lying, is_replay=True))

    def stands(self, stretch: StillPeriod) -> CubeAtRest | None:
        """Where the cube stands, once that is settled."""
        return self.cube.with_track(stretch.cube, self.state.cube).confirmed
