"""`Chronicle`: several referees of the same looks, each with another history; the likeliest tells.

A beam search over whole histories: where a turn may have gone in more ways than one, a referee
follows each, and what is seen later decides between them. So a later position repairs an earlier
doubt. Mostly there is one history, and it costs what one referee costs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from math import exp
from typing import Final

import numpy as np

from engine.errors import EngineError
from engine.events import Confirmed, Event, PlayMade
from engine.evidence import Observation
from engine.inference import SURE
from engine.looks import Busy, When
from engine.match import PLAY_DOUBT, MatchState, Turn
from engine.phase import Phase
from engine.referee import Referee
from engine.standing_events import continuation

WIDTH: Final = 12
"""Histories that are followed at once, at most."""
FORGOTTEN: Final = 10.0
"""Nats by which a history may be less probable than the best and still be followed."""
OVERTAKEN: Final = 2.0
"""Nats by which another history must be more probable before it is told instead."""
CONFIRMED: Final = SURE
"""Probability from which on a play that was to be reviewed is no longer."""


@dataclass(eq=False)
class Branch:
    """One history and its referee."""

    referee: Referee
    left: dict[int, float] = field(default_factory=dict)
    """By turn, counted from 0: the probability of ways that nobody follows."""
    owed: float = 0.0
    """What the turn in progress costs, where another history has told it already."""

    @property
    def state(self) -> MatchState:
        """The match by this history."""
        return self.referee.state

    @property
    def weight(self) -> float:
        """The log-probability of what was seen by this history."""
        return self.referee.log_weight + self.owed

    def fork(self) -> Branch:
        """Another one that goes its own way from here."""
        return Branch(self.referee.fork(), dict(self.left), self.owed)

    def agrees(self, other: Branch, turn: int) -> bool:
        """Whether both tell the same of a turn."""
        mine, theirs = self.state.turns, other.state.turns
        return turn < len(mine) and turn < len(theirs) and _told(mine[turn]) == _told(theirs[turn])


def _told(turn: Turn) -> tuple[object, ...]:
    return turn.made.player, turn.made.position, turn.made.legal, turn.before, turn.rejected


Step = Callable[[Referee, int], object]
"""Gives a referee something to see; the number is its `choice`."""


class Chronicle:
    """What `Referee` is, and it takes back what turns out wrong: `Corrected`, `Confirmed`."""

    def __init__(self, referee: Referee) -> None:
        self._branches = [Branch(referee)]
        self._state = referee.state
        """What was told: a state of one of the branches."""

    @property
    def state(self) -> MatchState:
        """Everything that the events so far say."""
        return self._state

    @property
    def phase(self) -> Phase:
        """What happens next."""
        return self._state.phase

    @property
    def message(self) -> str:
        """The phase in words for the players."""
        return self._state.message

    @property
    def histories(self) -> int:
        """How many are followed."""
        return len(self._branches)

    def see(self, seen: Observation | Busy) -> list[Event]:
        """Take in one quiet look, or that a hand is over the board; give what became certain."""
        self._step(lambda referee, choice: referee.see(seen, choice))
        return self._tell(When(seen.seconds, seen.frame), OVERTAKEN)

    def pending_play(self) -> PlayMade | None:
        """The play that lies there by the history that is told, see `Referee.pending_play`."""
        told = (one.referee for one in self._branches if one.state is self._state)
        return next((referee.pending_play() for referee in told), None)

    def told(self, event: Event) -> list[Event]:
        """Take in what the players say by hand, see `Referee.told`.

        `NotNow` or `IllegalCube` says why it cannot be; other histories in which it cannot be
        are given up.
        """
        leader = self._leader(0.0)
        leader.referee.told(event)
        self._branches = [leader, *(one for one in self._others(leader) if _heard(one, event))]
        return self._tell(When(event.time, event.frame), OVERTAKEN)

    def finish(self, time: float, frame: int) -> list[Event]:
        """The video is over: record the last play if it was seen whole."""
        self._step(lambda referee, choice: referee.finish(time, frame, choice))
        return self._tell(When(time, frame), 0.0)

    def _step(self, step: Step) -> None:
        """Every history goes on, in each way that what was seen leaves open."""
        branches: list[Branch] = []
        behind: list[Branch] = []
        for branch in self._branches:
            before = branch.fork()
            step(branch.referee, 0)
            decided = branch.referee.decided
            if decided is None:
                branches.append(branch)
                behind.append(branch)
                continue
            followed = [branch]
            p = decided.p
            for choice, rival in enumerate(decided.rivals, start=1):
                followed.append(before.fork())
                step(followed[-1].referee, choice)
                p += rival.p
            for one in followed:
                one.owed = 0.0
                turns = range(len(before.state.turns), len(one.state.turns))
                one.left.update(dict.fromkeys(turns, max(0.0, 1.0 - p)))
            branches.extend(followed)
        if len(behind) < len(branches):
            # Nobody is ahead for not having said yet what he makes of the same looks.
            for branch in behind:
                branch.owed = branch.referee.pending
        self._branches = self._pruned(_merged(branches))

    def _pruned(self, branches: list[Branch]) -> list[Branch]:
        """The likeliest histories; what was told last is kept while it is not refuted."""
        branches.sort(key=lambda one: -one.weight)
        best = branches[0].weight
        kept = [one for one in branches[:WIDTH] if one.weight > best - FORGOTTEN]
        for one in kept:
            one.referee.log_weight -= best
        return kept

    def _tell(self, when: When, margin: float) -> list[Event]:
        leader = self._leader(margin)
        self._confirm(leader, when)
        events = continuation(self._state, leader.state, when)
        self._state = leader.state
        return events

    def _leader(self, margin: float) -> Branch:
        """The likeliest history, or the one told so far where that is hardly less probable."""
        best = max(self._branches, key=lambda one: one.weight)
        told = (one for one in self._branches if _leads_on(one.state, self._state))
        faithful = max(told, key=lambda one: one.weight, default=None)
        if faithful is None:
            return best
        behind = best.weight - faithful.weight
        return faithful if behind <= margin else best

    def _others(self, leader: Branch) -> Iterator[Branch]:
        return (one for one in self._branches if one is not leader)

    def _confirm(self, leader: Branch, when: When) -> None:
        """Plays whose doubt is over by what came after them."""
        state = leader.state
        for turn, made in _doubted(state):
            p = self.probability(leader, turn)
            if p >= CONFIRMED:
                event = Confirmed(time=when.time, frame=when.frame, turn=turn + 1, confidence=p)
                for branch in self._branches:
                    if branch.agrees(leader, turn) and made.review:
                        branch.referee.take(event)

    def probability(self, leader: Branch, turn: int) -> float:
        """That a history's turn, counted from 0, is true, by all that was seen since."""
        weights = np.exp([branch.weight for branch in self._branches])
        agree = np.array([branch.agrees(leader, turn) for branch in self._branches])
        return float(weights[agree].sum() / weights.sum()) * (1 - leader.left.get(turn, 0.0))


def _leads_on(state: MatchState, told: MatchState) -> bool:
    """Whether a history goes on from what was told."""
    return state.told >= told.told and state.at(told.told) is told


def _doubted(state: MatchState) -> Iterator[tuple[int, PlayMade]]:
    """The plays in doubt that another play has followed; nobody is accused by what came later."""
    for index, turn in enumerate(state.turns[:-1]):
        made = turn.made
        if PLAY_DOUBT in made.doubts and made.legal and not turn.rejected:
            yield index, turn.made


def _heard(branch: Branch, event: Event) -> bool:
    try:
        branch.referee.told(event)
    except EngineError:
        return False
    return True


def _merged(branches: list[Branch]) -> list[Branch]:
    """One of all that have the same future: the likeliest, which knows how likely others were."""
    kept: dict[tuple[object, ...], Branch] = {}
    for branch in sorted(branches, key=lambda one: -one.weight):
        key = branch.referee.outlook
        better = kept.setdefault(key, branch)
        if better is not branch:
            _absorb(better, branch)
    return list(kept.values())


def _absorb(better: Branch, other: Branch) -> None:
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
