"""A beam search over histories: referees judge the same observations, the likeliest is recorded.

If a turn may have gone more than one way, a referee follows each, and later observations decide
between them. So a later position resolves an earlier doubt. Usually there is one history, at the
cost of one referee.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from math import exp, inf
from typing import Final

import numpy as np

from engine.errors import EngineError
from engine.events.match import Event, PlayMade
from engine.events.record import Confirmed, PositionFound
from engine.evidence.observation import Observation
from engine.evidence.still_period import Motion
from engine.inference.verdict import MIN_PLAY_POSTERIOR
from engine.match.amendments import continuation
from engine.match.state import (
    PLAY_UNCERTAIN,
    POSITION_UNCERTAIN,
    RECORD_UNCERTAIN,
    MatchState,
    Turn,
)
from engine.referee.referee import Referee
from engine.timestamp import Timestamp

BEAM_WIDTH: Final = 12
"""Maximum number of histories followed at once."""
MAX_BEAM_MARGIN: Final = 10.0
"""Nats by which a history may be less probable than the best and still be followed."""
MIN_SWITCH_MARGIN: Final = 2.0
"""Nats by which another history must be more probable to be recorded instead."""


@dataclass(eq=False)
class HistoryBranch:
    """One history and its referee."""

    referee: Referee
    unfollowed: dict[int, float] = field(default_factory=dict)
    """By turn, from 0: the probability of alternatives outside the beam."""
    open_turn_weight: float = 0.0
    """The weight of the turn in progress, if another history has already recorded it."""

    @property
    def state(self) -> MatchState:
        """The match according to this history."""
        return self.referee.state

    @property
    def weight(self) -> float:
        """The log-probability of the observations under this history."""
        return self.referee.log_weight + self.open_turn_weight

    def fork(self) -> HistoryBranch:
        """A copy that develops independently from here."""
        return HistoryBranch(self.referee.fork(), dict(self.unfollowed), self.open_turn_weight)

    def agrees(self, other: HistoryBranch, turn: int) -> bool:
        """Whether both have the same play in a turn."""
        mine, theirs = self.state.turns, other.state.turns
        if turn >= min(len(mine), len(theirs)):
            return False
        return _play_of(mine[turn]) == _play_of(theirs[turn])


def _play_of(turn: Turn) -> tuple[object, ...]:
    made = turn.event
    return made.player, made.position, made.legal, turn.before, turn.rejected, bool(turn.leftover)


Step = Callable[[Referee, int], object]
"""Gives a referee something to observe; the number is its `choice`."""


class HistorySearch:
    """Like `Referee`, but corrects what turns out to be wrong.

    In addition to a referee's events, it emits `Corrected` and `Confirmed`.
    """

    def __init__(self, referee: Referee) -> None:
        self._branches = [HistoryBranch(referee)]
        self._state = referee.state
        """The state according to the recorded events: a branch's state, current or earlier."""

    @property
    def state(self) -> MatchState:
        """The fold of all events so far."""
        return self._state

    @property
    def history_count(self) -> int:
        """The number of histories being followed."""
        return len(self._branches)

    @property
    def log_weight(self) -> float:
        """The log-probability of all observations under the likeliest history."""
        referees = (branch.referee for branch in self._branches)
        return max(referee.log_weight + referee.open_turn_weight for referee in referees)

    @property
    def lacks_cube(self) -> bool:
        """Whether the cube may be turned, but is not seen; see `Referee.lacks_cube`."""
        return all(branch.referee.lacks_cube for branch in self._branches)

    def observe(self, seen: Observation | Motion) -> list[Event]:
        """Process an observation or motion over the board; return what became certain."""
        self._step(lambda referee, choice: referee.observe(seen, choice))
        return self._emit(Timestamp(seen.seconds, seen.frame), MIN_SWITCH_MARGIN)

    def pending_play(self) -> PlayMade | None:
        """The play on the board under the recorded history; see `Referee.pending_play`."""
        recorded = (one.referee for one in self._branches if one.state is self._state)
        return next((referee.pending_play() for referee in recorded), None)

    def enter(self, event: Event) -> list[Event]:
        """Process a manual entry; see `Referee.enter`.

        Raises `NotNow` or `IllegalCube` if it is impossible; other histories in which it is
        impossible are given up.
        """
        leader = self._leader(inf)  # the entry refers to the recorded history
        leader.referee.enter(event)
        others = (one for one in self._branches if one is not leader)
        self._branches = [leader, *(one for one in others if try_enter(one.referee, event))]
        return self._emit(Timestamp(event.time, event.frame), MIN_SWITCH_MARGIN)

    def finish(self, time: float, frame: int) -> list[Event]:
        """Record the last play of a finished video, if it was seen completely."""
        self._step(lambda referee, choice: referee.finish(time, frame, choice))
        return self._emit(Timestamp(time, frame), 0.0)

    def _step(self, step: Step) -> None:
        """Advance every history, in each way that the observations leave possible."""
        behind: list[HistoryBranch] = []
        ahead: list[HistoryBranch] = []
        for branch in self._branches:
            before = branch.fork()
            step(branch.referee, 0)
            if branch.referee.decision is None:
                behind.append(branch)
            else:
                ahead.extend(_split(branch, before, step))
        if ahead:
            # A history is not likelier for not having judged the same observations yet.
            for branch in behind:
                branch.open_turn_weight = branch.referee.open_turn_weight
        self._branches = _likeliest(_merged([*behind, *ahead]))

    def _emit(self, when: Timestamp, margin: float) -> list[Event]:
        leader = self._leader(margin)
        self._confirm(leader, when)
        events = continuation(self._state, leader.state, when)
        self._state = leader.state
        return events

    def _leader(self, margin: float) -> HistoryBranch:
        """The likeliest history, or the recorded one if that is hardly less probable."""
        best = max(self._branches, key=lambda one: one.weight)
        recorded = (one for one in self._branches if _continues(one.state, self._state))
        current = max(recorded, key=lambda one: one.weight, default=best)
        return current if best.weight - current.weight <= margin else best

    def _confirm(self, leader: HistoryBranch, when: Timestamp) -> None:
        for settled_turns in (_plays_in_doubt, _positions_borne_out):
            for turn in tuple(settled_turns(leader.state)):
                p = self.probability(leader, turn)
                if p < MIN_PLAY_POSTERIOR:
                    continue
                event = Confirmed(time=when.time, frame=when.frame, turn=turn + 1, confidence=p)
                for branch in self._branches:
                    if branch.agrees(leader, turn) and turn in settled_turns(branch.state):
                        branch.referee.record(event)

    def probability(self, leader: HistoryBranch, turn: int) -> float:
        """The probability that a history's turn, from 0, is right, given all later observations."""
        log_weights = np.array([branch.weight for branch in self._branches])
        weights = np.exp(log_weights - log_weights.max())
        agrees = np.array([branch.agrees(leader, turn) for branch in self._branches])
        in_beam = float(weights[agrees].sum() / weights.sum())
        return in_beam * (1 - leader.unfollowed.get(turn, 0.0))


def _continues(state: MatchState, recorded: MatchState) -> bool:
    return state.event_count >= recorded.event_count and state.at(recorded.event_count) is recorded


def _plays_in_doubt(state: MatchState) -> Iterator[int]:
    """Turns in doubt, from 0, except the newest; later turns make no play illegal."""
    for index, turn in enumerate(state.turns[:-1]):
        if PLAY_UNCERTAIN in turn.event.uncertainties and turn.event.legal and not turn.rejected:
            yield index


def _positions_borne_out(state: MatchState) -> list[int]:
    """Turns, from 0, that rest on a doubt which the board, as seen after a later one, has ended.

    Only if no play between is in doubt itself: two that are wrong may lead to the right position.
    """
    borne_out: list[int] = []
    resting: list[int] = []
    rests_on_play = False
    for before, after in pairwise(_states_of_game(state)):
        event, is_ended = after.last_event, not after.places_in_doubt
        if isinstance(event, PlayMade) and not state.turns[len(before.turns)].rejected:
            turn = state.turns[len(before.turns)]
            known = turn.event.uncertainties
            if POSITION_UNCERTAIN in known:
                resting.append(len(before.turns))
            is_illegal = not (turn.event.legal or turn.is_settled)
            rests_on_play |= is_illegal or not {PLAY_UNCERTAIN, RECORD_UNCERTAIN}.isdisjoint(known)
            if is_ended and event.by == "sight" and not rests_on_play:
                borne_out += resting
        if is_ended or isinstance(event, PositionFound):
            resting, rests_on_play = [], False
    return borne_out


def _states_of_game(state: MatchState) -> list[MatchState]:
    """The states of the game in play, oldest first, if any of its turns rests on a doubt."""
    turns = state.current_game_turns
    if not any(POSITION_UNCERTAIN in turn.event.uncertainties for turn in turns):
        return []
    states = [state]
    while (previous := states[-1].previous) is not None and previous.games == state.games:
        states.append(previous)
    return states[::-1]


def _split(branch: HistoryBranch, before: HistoryBranch, step: Step) -> Iterator[HistoryBranch]:
    """The branch, which has decided a turn, and one for each rival of its decision."""
    decision = branch.referee.decision
    assert decision is not None  # noqa: S101
    followed = [branch, *(before.fork() for _ in decision.rivals)]
    for choice, one in enumerate(followed[1:], start=1):
        step(one.referee, choice)
    p = decision.p + sum(rival.p for rival in decision.rivals)
    for one in followed:
        one.open_turn_weight = 0.0
        turns = range(len(before.state.turns), len(one.state.turns))
        one.unfollowed.update(dict.fromkeys(turns, max(0.0, 1.0 - p)))
        yield one


def _likeliest(branches: list[HistoryBranch]) -> list[HistoryBranch]:
    ranked = sorted(branches, key=lambda one: -one.weight)
    return [one for one in ranked[:BEAM_WIDTH] if one.weight > ranked[0].weight - MAX_BEAM_MARGIN]


def try_enter(judge: Referee | HistorySearch, event: Event) -> bool:
    """Enter an event by hand; return whether that is possible."""
    try:
        judge.enter(event)
    except EngineError:
        return False
    return True


def _merged(branches: list[HistoryBranch]) -> list[HistoryBranch]:
    """Of those with the same future, the likeliest, which keeps the weight of the others."""
    kept: dict[tuple[object, ...], HistoryBranch] = {}
    for branch in sorted(branches, key=lambda one: -one.weight):
        key = branch.referee.future_key
        better = kept.setdefault(key, branch)
        if better is not branch:
            _absorb(better, branch)
    return list(kept.values())


def _absorb(better: HistoryBranch, other: HistoryBranch) -> None:
    odds = exp(other.weight - better.weight)
    share = odds / (1 + odds)
    for turn in range(_first_difference(better.state, other.state), len(better.state.turns)):
        if not better.agrees(other, turn):
            left = better.unfollowed.get(turn, 0.0)
            better.unfollowed[turn] = 1 - (1 - left) * (1 - share)


def _first_difference(one: MatchState, other: MatchState) -> int:
    pairs = zip(one.turns, other.turns, strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a is not b), len(one.turns))
