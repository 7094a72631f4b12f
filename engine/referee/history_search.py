"""Several referees judge the same observations, each with another history; the likeliest counts.

A beam search over whole histories: where a turn may have gone in more ways than one, a referee
follows each, and what is seen later decides between them. So a later position repairs an earlier
doubt. Mostly there is one history, and it costs what one referee costs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from math import exp, inf
from typing import Final

import numpy as np

from engine.errors import EngineError
from engine.events.match import Event, PlayMade
from engine.events.record import Confirmed
from engine.evidence.observation import Observation
from engine.evidence.still_period import Motion
from engine.inference.verdict import SURE
from engine.match.amendments import continuation
from engine.match.state import PLAY_UNCERTAIN, MatchState, Turn
from engine.referee.referee import Referee
from engine.timestamp import Timestamp

WIDTH: Final = 12
"""Histories that are followed at once, at most."""
FORGOTTEN: Final = 10.0
"""Nats by which a history may be less probable than the best and still be followed."""
OVERTAKEN: Final = 2.0
"""Nats by which another history must be more probable before it is told instead."""
CONFIRMED: Final = SURE
"""Probability from which on a play that was to be reviewed is no longer."""


@dataclass(eq=False)
class HistoryBranch:
    """One history and its referee."""

    referee: Referee
    left: dict[int, float] = field(default_factory=dict)
    """By turn, counted from 0: the probability of ways that nobody follows."""
    turn_weight: float = 0.0
    """That of the turn in progress, where another history has told it already."""

    @property
    def state(self) -> MatchState:
        """The match by this history."""
        return self.referee.state

    @property
    def weight(self) -> float:
        """The log-probability of what was seen by this history."""
        return self.referee.log_weight + self.turn_weight

    def fork(self) -> HistoryBranch:
        """Another one that goes its own way from here."""
        return HistoryBranch(self.referee.fork(), dict(self.left), self.turn_weight)

    def agrees(self, other: HistoryBranch, turn: int) -> bool:
        """Whether both tell the same of a turn."""
        mine, theirs = self.state.turns, other.state.turns
        return turn < len(mine) and turn < len(theirs) and _told(mine[turn]) == _told(theirs[turn])


def _told(turn: Turn) -> tuple[object, ...]:
    return turn.event.player, turn.event.position, turn.event.legal, turn.before, turn.rejected


Step = Callable[[Referee, int], object]
"""Gives a referee something to see; the number is its `choice`."""


class HistorySearch:
    """What `Referee` is, and it takes back what turns out wrong: `Corrected`, `Confirmed`."""

    def __init__(self, referee: Referee) -> None:
        self._branches = [HistoryBranch(referee)]
        self._state = referee.state
        """What was told: a state of one of the branches."""

    @property
    def state(self) -> MatchState:
        """Everything that the events so far say."""
        return self._state

    @property
    def histories(self) -> int:
        """How many are followed."""
        return len(self._branches)

    def observe(self, seen: Observation | Motion) -> list[Event]:
        """Take in one quiet look, or that a hand is over the board; give what became certain."""
        self._step(lambda referee, choice: referee.observe(seen, choice))
        return self._tell(Timestamp(seen.seconds, seen.frame), OVERTAKEN)

    def pending_play(self) -> PlayMade | None:
        """The play that lies there by the history that is told, see `Referee.pending_play`."""
        told = (one.referee for one in self._branches if one.state is self._state)
        return next((referee.pending_play() for referee in told), None)

    def enter(self, event: Event) -> list[Event]:
        """Take in what the players say by hand, see `Referee.enter`.

        `NotNow` or `IllegalCube` says why it cannot be; other histories in which it cannot be
        are given up.
        """
        leader = self._leader(inf)  # what is answered is what was told
        leader.referee.enter(event)
        others = (one for one in self._branches if one is not leader)
        self._branches = [leader, *(one for one in others if try_enter(one.referee, event))]
        return self._tell(Timestamp(event.time, event.frame), OVERTAKEN)

    def finish(self, time: float, frame: int) -> list[Event]:
        """The video is over: record the last play if it was seen whole."""
        self._step(lambda referee, choice: referee.finish(time, frame, choice))
        return self._tell(Timestamp(time, frame), 0.0)

    def _step(self, step: Step) -> None:
        """Every history goes on, in each way that what was seen leaves open."""
        behind: list[HistoryBranch] = []
        ahead: list[HistoryBranch] = []
        for branch in self._branches:
            before = branch.fork()
            step(branch.referee, 0)
            if branch.referee.decided is None:
                behind.append(branch)
            else:
                ahead.extend(_ways_on(branch, before, step))
        if ahead:
            # Nobody is likelier for not having said yet what he makes of the same looks.
            for branch in behind:
                branch.turn_weight = branch.referee.turn_weight
        self._branches = _likeliest(_merged([*behind, *ahead]))

    def _tell(self, when: Timestamp, margin: float) -> list[Event]:
        leader = self._leader(margin)
        self._confirm(leader, when)
        events = continuation(self._state, leader.state, when)
        self._state = leader.state
        return events

    def _leader(self, margin: float) -> HistoryBranch:
        """The likeliest history, or the one told so far where that is hardly less probable."""
        best = max(self._branches, key=lambda one: one.weight)
        told = (one for one in self._branches if _leads_on(one.state, self._state))
        faithful = max(told, key=lambda one: one.weight, default=None)
        if faithful is None:
            return best
        behind = best.weight - faithful.weight
        return faithful if behind <= margin else best

    def _confirm(self, leader: HistoryBranch, when: Timestamp) -> None:
        """Plays whose doubt is over by what came after them."""
        state = leader.state
        for turn in _doubted(state):
            p = self.probability(leader, turn)
            if p >= CONFIRMED:
                event = Confirmed(time=when.time, frame=when.frame, turn=turn + 1, confidence=p)
                for branch in self._branches:
                    if branch.agrees(leader, turn):
                        branch.referee.record(event)

    def probability(self, leader: HistoryBranch, turn: int) -> float:
        """That a history's turn, counted from 0, is true, by all that was seen since."""
        weights = np.array([branch.weight for branch in self._branches])
        weights = np.exp(weights - weights.max())
        agree = np.array([branch.agrees(leader, turn) for branch in self._branches])
        return float(weights[agree].sum() / weights.sum()) * (1 - leader.left.get(turn, 0.0))


def _leads_on(state: MatchState, told: MatchState) -> bool:
    """Whether a history goes on from what was told."""
    return state.event_count >= told.event_count and state.at(told.event_count) is told


def _doubted(state: MatchState) -> Iterator[int]:
    """Turns in doubt that another has followed, from 0; nobody is accused by what came later."""
    for index, turn in enumerate(state.turns[:-1]):
        if PLAY_UNCERTAIN in turn.event.doubts and turn.event.legal and not turn.rejected:
            yield index


def _ways_on(branch: HistoryBranch, before: HistoryBranch, step: Step) -> Iterator[HistoryBranch]:
    """The branch, which has decided a turn, and one for each rival of what it decided."""
    decided = branch.referee.decided
    assert decided is not None  # noqa: S101
    followed = [branch, *(before.fork() for _ in decided.rivals)]
    for choice, one in enumerate(followed[1:], start=1):
        step(one.referee, choice)
    p = decided.p + sum(rival.p for rival in decided.rivals)
    for one in followed:
        one.turn_weight = 0.0
        turns = range(len(before.state.turns), len(one.state.turns))
        one.left.update(dict.fromkeys(turns, max(0.0, 1.0 - p)))
        yield one


def _likeliest(branches: list[HistoryBranch]) -> list[HistoryBranch]:
    """Those that are worth following, what was told among them or not."""
    ranked = sorted(branches, key=lambda one: -one.weight)
    return [one for one in ranked[:WIDTH] if one.weight > ranked[0].weight - FORGOTTEN]


def try_enter(judge: Referee | HistorySearch, event: Event) -> bool:
    """Enter an event by hand; whether it can be."""
    try:
        judge.enter(event)
    except EngineError:
        return False
    return True


def _merged(branches: list[HistoryBranch]) -> list[HistoryBranch]:
    """One of all that have the same future: the likeliest, which knows how likely others were."""
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
    for turn in range(_parting(better.state, other.state), len(better.state.turns)):
        if not better.agrees(other, turn):
            left = better.left.get(turn, 0.0)
            better.left[turn] = 1 - (1 - left) * (1 - share)


def _parting(one: MatchState, other: MatchState) -> int:
    """The first turn at which two histories differ."""
    pairs = zip(one.turns, other.turns, strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a is not b), len(one.turns))
