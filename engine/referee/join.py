"""Joins a game midway: the orientation of its board becomes clear as play continues.

The position is known except for its numbering, and dice on the board may already have been played.
A `HistorySearch` follows each possibility, and the plays decide between them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from math import inf, log
from typing import Final

from engine.arrays import Ints
from engine.errors import NotNow
from engine.events.match import Event, GameStart
from engine.events.record import Unseen
from engine.evidence.likelihood import position_of
from engine.evidence.observation import Observation
from engine.evidence.orientation import ORIENTATIONS, Orientation
from engine.evidence.still_period import DieTrack, Motion, StillPeriod
from engine.match.phase import BETWEEN_GAMES
from engine.message import msg
from engine.position import BAR, OFF, Position, Side, SideVector
from engine.referee.history_search import HistorySearch
from engine.referee.referee import Referee
from engine.rules import Rules
from engine.timestamp import Timestamp
from engine.turns.evidence import OPEN_QUALITY
from engine.turns.position_check import shows_position

MIN_TURNS: Final = 2
"""Plays that must have been seen before an orientation is trusted."""
MAX_TURNS: Final = 4
"""Plays after which the likeliest orientation is accepted."""
MIN_MARGIN: Final = 6.0
"""Nats by which it must lead every other before that."""
SAID_MARGIN: Final = 2.0
"""Nats by which the plays must support, or contradict, an orientation that a person has chosen: one
fully seen play counts several times as much."""
MAX_MARGIN: Final = 12.0
"""Nats by which a hypothesis may be less probable than the best and still be followed."""
MIN_TURN_WEIGHT: Final = -14.0
"""Mean log-probability of a turn below which no numbering explains the observations."""
FRESH_DICE_LOG_P: Final = -1.0
"""Log-odds that dice on the board at the start are still to be played, rather than already played:
if nothing was played with them, there is no other evidence."""
HIT_LOG_P: Final = log(0.3)
"""Log-probability of each hit needed to reach a position from the starting position."""

RefereeAt = Callable[[Orientation], Referee]
"""A referee for a board with this orientation, before any game."""


@dataclass(eq=False)
class JoinHypothesis:
    """One orientation of the board, and what was played under it."""

    orientation: Orientation
    begun: GameStart
    """The event of the start, in its numbering."""
    search: HistorySearch
    log_prior: float
    spent_dice: tuple[DieTrack, ...] = ()
    """Dice on the board at the start, in its numbering, that belong to a play already made."""
    entries: list[Observation | Motion | Event] = field(default_factory=list)
    """Everything that it has processed, in its numbering."""
    is_gap_entered: bool = False
    """Whether `entries` include the unseen stretch before the first turn seen."""

    @property
    def start(self) -> Position:
        """The position in which the game was joined."""
        return self.begun.position

    @property
    def log_weight(self) -> float:
        """The log-probability of all observations under this hypothesis."""
        return self.log_prior + self.search.log_weight

    @property
    def turn_count(self) -> int:
        """The number of plays that it has recorded."""
        return len(self.search.state.turns)

    def observe(self, assumed: Observation | Motion) -> None:
        """Process what was seen, in the assumed numbering."""
        seen = assumed if isinstance(assumed, Motion) else self._seen(assumed)
        was_moving = bool(self.entries) and isinstance(self.entries[-1], Motion)
        if not (was_moving and isinstance(seen, Motion)):  # motion is reported with every frame
            self.entries.append(seen)
        self.search.observe(seen)

    def enter_gap(self, since: float, now: Timestamp) -> None:
        """Enter once, at the start of a fully seen turn, that nothing was seen since `since`."""
        if self.is_gap_entered or self.spent_dice:
            return
        self.is_gap_entered = True
        start, end = round(since, 3), round(now.time, 3)
        self.enter(Unseen(**now._asdict(), start=start, end=end, reason="joined"))

    def enter(self, event: Event) -> None:
        """Process an event outside any turn, such as `Unseen`."""
        self.entries.append(event)
        self.search.enter(event)

    def _seen(self, assumed: Observation) -> Observation:
        """The observation under this hypothesis, without the spent dice."""
        seen = self.orientation.observation(assumed)
        if not self.spent_dice:
            return seen
        tracks = [(die, DieTrack.of(die)) for die in seen.dice]
        lying = [spent for spent in self.spent_dice if any(t.is_same(spent) for _, t in tracks)]
        if seen.quality >= OPEN_QUALITY:
            self.spent_dice = tuple(lying)
        fresh = tuple(die for die, track in tracks if not any(track.is_same(s) for s in lying))
        return replace(seen, dice=fresh)


class JoinSearch:
    """Follows every numbering of a position until one is decided."""

    def __init__(
        self,
        referee_at: RefereeAt,
        rules: Rules,
        assumed_cells: Ints,
        when: Timestamp,
        since: float,
    ) -> None:
        """assumed_cells: (28,) signed counts at `when`, numbered by the grid's orientation.

        since: when the source began, in seconds of the source.
        """
        self._referee_at, self._rules, self._when, self._since = referee_at, rules, when, since
        starts = {one: position_of(one.cells(assumed_cells), rules.course) for one in ORIENTATIONS}
        self._hypotheses = [self._hypothesis(one, start) for one, start in starts.items()]
        self._has_observed = False
        self._margin = 0.0
        """Nats by which the best hypothesis leads every other orientation."""
        self._said: Orientation | None = None
        self.is_contradicted = False
        """Whether the plays contradict the orientation that a person has chosen."""
        self.is_refuted = False
        """Whether no numbering explains the observations, or another game began."""

    @property
    def best(self) -> JoinHypothesis:
        """The likeliest hypothesis so far."""
        return self._hypotheses[0]

    @property
    def is_chosen(self) -> bool:
        """Whether a person has chosen the board's orientation, and no play contradicts it."""
        return self._said is not None

    @property
    def open_starts(self) -> dict[Orientation, Position]:
        """Where the game may have been joined, by each orientation not ruled out yet."""
        starts = {one.orientation: one.start for one in self._hypotheses}
        return {way: starts[way] for way in ORIENTATIONS if way in starts}

    def choose(self, way: Orientation) -> None:
        """Choose the orientation: the next play decides for it, if it supports that.

        The others are still followed: a wrong choice must accuse nobody. Raises `NotNow` if the
        plays rule the orientation out.
        """
        if way not in self.open_starts:
            raise NotNow(msg("the plays seen so far rule this out"))
        self._said, self.is_contradicted = way, False

    def observe(self, assumed: Observation | Motion) -> JoinHypothesis | None:
        """Process what was seen, in the assumed numbering; return the hypothesis if decided."""
        if isinstance(assumed, Motion):
            for one in self._hypotheses:
                one.observe(assumed)
            return None
        if not self._has_observed:
            self._has_observed = True
            self._hypotheses += [*self._with_spent_dice(assumed)]
        turns = self.best.turn_count
        for one in self._hypotheses:
            one.observe(assumed)
            one.enter_gap(self._since, Timestamp(assumed.seconds, assumed.frame))
        self._rank()
        self.is_refuted = self._shows_opening(assumed) or _is_refuted(self.best)
        if self.is_refuted or self.best.turn_count in {0, turns}:
            return None
        return self.best if self._is_decided() else None

    def _is_decided(self) -> bool:
        """Whether the newest play decides; it may contradict the choice."""
        if self._said is not None and self._margin >= SAID_MARGIN:
            if self.best.orientation == self._said:
                return True
            self._said, self.is_contradicted = None, True
        is_clear = self.best.turn_count >= MIN_TURNS and self._margin >= MIN_MARGIN
        return is_clear or self.best.turn_count >= MAX_TURNS

    def _rank(self) -> None:
        """Order the hypotheses by weight, without those that are hopeless."""
        weighed = sorted(
            ((one.log_weight, n, one) for n, one in enumerate(self._hypotheses)), reverse=True
        )
        best = weighed[0][0]
        self._hypotheses = [one for weight, _, one in weighed if weight > best - MAX_MARGIN]
        way = self.best.orientation
        others = [weight for weight, _, one in weighed if one.orientation != way]
        self._margin = best - max(others, default=-inf)

    def enter(self, event: Event) -> None:
        """Process an event outside any turn, such as `Unseen`."""
        for one in self._hypotheses:
            one.enter(event)

    def _hypothesis(
        self, orientation: Orientation, start: Position, spent: tuple[DieTrack, ...] = ()
    ) -> JoinHypothesis:
        referee = self._referee_at(orientation)
        begun = GameStart(**self._when._asdict(), position=start, is_joined=True)
        referee.enter(begun)
        log_prior = HIT_LOG_P * sum(min_hits(start.of(s), self._rules.start) for s in Side)
        return JoinHypothesis(orientation, begun, HistorySearch(referee), log_prior, spent)

    def _with_spent_dice(self, first: Observation) -> Iterator[JoinHypothesis]:
        """The hypotheses again, with the dice of the first observation as already played."""
        if not first.dice:
            return
        for one in self._hypotheses:
            one.log_prior += FRESH_DICE_LOG_P
            spent = tuple(DieTrack.of(die) for die in one.orientation.observation(first).dice)
            yield self._hypothesis(one.orientation, one.start, spent)

    def _shows_opening(self, assumed: Observation) -> bool:
        opening = self._rules.opening()
        return any(
            one.start != opening
            and shows_position(
                StillPeriod.of(one.orientation.observation(assumed)), opening, self._rules
            )
            for one in self._hypotheses
        )


def _is_refuted(best: JoinHypothesis) -> bool:
    """Whether the game ended before it was decided, or no numbering explains it."""
    if best.search.state.phase in BETWEEN_GAMES:
        return True
    return best.turn_count >= MAX_TURNS and best.log_weight < MIN_TURN_WEIGHT * best.turn_count


def min_hits(now: SideVector, opening: SideVector) -> int:
    """The minimum number of hits on a side for it to stand as `now`: forward it moves by itself."""
    mine, began = (_places(vector) for vector in (now, opening))
    for hits in range(len(began) + 1):
        sent_back = [BAR] * hits + began[: len(began) - hits]
        if all(place <= from_ for place, from_ in zip(mine, sent_back, strict=True)):
            return hits
    return len(began)


def _places(vector: SideVector) -> list[int]:
    """The place of each checker, rearmost first."""
    return [place for place in range(BAR, OFF - 1, -1) for _ in range(vector[place])]
