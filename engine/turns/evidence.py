"""The evidence of the turn in progress, and when a new throw has arrived.

It keeps a still period for each part of a turn: before the throw, with its dice on the board, and
after they were picked up; the position after the turn shows in the last two.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from math import log
from typing import Final

from engine.arrays import Floats
from engine.evidence.likelihood import BoardMemory, PositionEvidence, PositionView
from engine.evidence.observation import cell_counts
from engine.evidence.reading_errors import NONE_LEARNT, ReadingErrors
from engine.evidence.still_period import DieTrack, StillPeriod
from engine.position import Position, Side
from engine.turns.throw import Throw, is_throw, own_pair, throw_of
from engine.turns.zones import RollZone

OPEN_QUALITY: Final = 0.8
"""Quality from which dice that are not seen are considered absent."""
MIN_VOID_PRIOR, MAX_VOID_PRIOR = 0.003, 0.9
"""Bounds of the prior that a throw will not count, whatever its dice look like."""
MAX_UNSEEN_PERIODS: Final = 2
"""Still periods with an open view that do not show an old die, after which it is considered
gone."""
MAX_ROLLING_SECONDS: Final = 1.5
"""Time in which dice seen only once, and not read with certainty, may still have rolled on: it
takes longer to look at a throw that does not count, pick it up and throw again."""
MIN_ROLL_POSTERIOR: Final = 0.95
"""Posterior from which a throw is recorded before its play."""
MAX_OPENING_DICE: Final = 3
"""Maximum number of dice for an opening roll: one of each player, and one left over."""

MIN_STOOD_SECONDS: Final = 2.0
"""Time without hands for checkers to count as left there: a hesitation is shorter."""

PositionAt = Callable[[int], Position | None]
"""The recorded position at a frame; None if it is not known."""


@dataclass(frozen=True, slots=True)
class OldDie:
    """A die that lay there before the turn began: while it does, it is not a throw."""

    track: DieTrack
    unseen_periods: int = 0
    """Still periods in a row with an open view that does not show it."""


@dataclass(frozen=True, slots=True, eq=False)
class TurnEvidence:
    """What has been observed since the last turn ended."""

    old_dice: tuple[OldDie, ...] = ()
    """Dice from earlier throws, and whatever else was read as one."""
    before_throw: StillPeriod | None = None
    """The last still period before any throw."""
    ahead: PositionView | None = None
    """What was seen once the dice of the opponent's double were picked up, if it left moves over:
    from then on these may be made."""
    throw: Throw | None = None
    first_with_dice: StillPeriod | None = None
    """The first still period with the throw's dice; usually it shows the board before the play."""
    last_with_dice: StillPeriod | None = None
    """The last still period with the throw's dice."""
    after_lift: StillPeriod | None = None
    """The last still period after they were picked up."""
    stood: StillPeriod | None = None
    """The last still period before the dice were picked up that was longer than a hesitation."""
    is_replay: bool = False
    """Whether an earlier play of this throw was rejected; its dice may already be picked up."""
    zone: RollZone = field(default_factory=RollZone)
    may_be_opening: bool = False
    """Whether the game has not begun, so that the throw may be the opening roll."""
    early_dice: tuple[DieTrack, ...] = ()
    """Dice that the opponent threw before this turn ended."""
    voids_early: bool = False
    """Whether those do not count."""
    roller: Side | None = None
    """Whose turn it is, if known."""
    known_roll: tuple[int, int] | None = None
    """The roll as entered or reported by a cup, larger first."""
    corrected_rolls: Mapping[int, tuple[int, int]] = field(default_factory=dict)
    """The rolls corrected by hand, by the number of plays between the record and each: those that
    passed unseen, and moves left over."""
    memory: BoardMemory | None = None
    """How the board was read when the last turn ended."""
    errors: ReadingErrors = NONE_LEARNT
    """How often the board has been misread so far."""
    is_ended: bool = False
    """Whether the player has declared the turn over."""
    is_going_on: bool = False
    """Whether it is judged before its end, so that no play yet says nothing about its throw."""
    has_gap: bool = False
    """Whether the board could not be judged for a while, so that turns may have passed unseen."""
    follows_gap: bool = False
    """Whether that was so before this turn, with no play beyond doubt since."""

    @property
    def may_miss_turns(self) -> bool:
        """Whether turns may have passed while the board could not be judged."""
        return self.has_gap or self.follows_gap

    @property
    def is_lifted(self) -> bool:
        """Whether the dice of a new throw have been picked up."""
        return self.after_lift is not None and not self.is_replay

    def with_period(self, period: StillPeriod) -> tuple[TurnEvidence, bool]:
        """The evidence with `period` added, or unchanged and True if it shows a new throw."""
        dice = self.fresh_dice(period.dice)
        if self.throw is None or self._rolled_on(period, dice):
            turn = self._with_first(period, dice)
        elif len(new := self.throw.without(dice)) >= 2 and is_throw(new, self.zone):
            return self, True
        elif self.throw.is_still_there(dice):
            throw = self.throw.with_tracks(dice)
            turn = replace(self, throw=throw, last_with_dice=period, after_lift=None)
        elif self.after_lift is not None and is_throw(dice, self.zone):
            return self, True
        else:
            turn = replace(self, after_lift=period) if period.quality >= OPEN_QUALITY else self
        if turn.newest is period is not turn.after_lift and period.duration >= MIN_STOOD_SECONDS:
            turn = replace(turn, stood=period)
        return _without_gone_dice(turn, period), False

    def _rolled_on(self, period: StillPeriod, dice: tuple[DieTrack, ...]) -> bool:
        """Whether `period` shows that the throw was only glimpsed before its dice came to rest."""
        throw, shown = self.throw, self.first_with_dice
        if throw is None or shown is None or shown is not self.last_with_dice:
            return False
        is_glimpse = all(track.observation_count == 1 for track in throw.tracks)
        is_soon = period.seconds - shown.last_seconds < MAX_ROLLING_SECONDS
        if not (is_glimpse and is_soon and is_throw(dice, self.zone)):
            return False
        is_clear = len(throw.tracks) > 1 and throw.rolls().max() >= log(MIN_ROLL_POSTERIOR)
        return not is_clear and not throw.is_still_there(dice)

    def _with_first(self, period: StillPeriod, dice: tuple[DieTrack, ...]) -> TurnEvidence:
        if not is_throw(dice, self.zone):
            return replace(self, before_throw=period) if period.quality >= OPEN_QUALITY else self
        # An opening roll is in both halves: there a third die does not tell the pairs apart.
        is_opening = self.may_be_opening and len(dice) <= MAX_OPENING_DICE
        own, others = (dice, ()) if is_opening else own_pair(dice, self.roller, self.zone)
        is_at_early = any(die.is_at(old) for die in dice for old in self.early_dice)
        throw = replace(
            throw_of(own, period.seconds, period.frame),
            may_be_opening=self.may_be_opening,
            known_roll=self.known_roll,
            is_early=self.voids_early and is_at_early,
        )
        begun = replace(self, throw=throw, first_with_dice=period, last_with_dice=period)
        return begun.with_early(others)

    def with_early(self, dice: tuple[DieTrack, ...]) -> TurnEvidence:
        """The evidence with `dice` as dice that the opponent threw too early."""
        return replace(self, early_dice=dice, voids_early=self.zone.voids_early)

    def fresh_dice(self, dice: tuple[DieTrack, ...]) -> tuple[DieTrack, ...]:
        """The dice without those that lay there before, unless a throw would lack one.

        The dice of an opening roll may come one by one: the one still lying there is not a throw.
        Nor is it one if the other is not read with certainty, as while a hand lifts it.
        """
        fresh = tuple(die for die in dice if not self._lay_there(die))
        is_pair = len(fresh) == 1 and len(dice) == 2 and is_throw(fresh, self.zone)
        return dice if is_pair and not self.may_be_opening else fresh

    def _lay_there(self, die: DieTrack) -> bool:
        """Whether the die lay there; true too of dice thrown before the previous turn had ended."""
        early_dice = () if self.throw is None else self.early_dice
        return any(die.is_same(old) for old in (*self._old_tracks, *early_dice))

    @property
    def _old_tracks(self) -> tuple[DieTrack, ...]:
        return tuple(old.track for old in self.old_dice)

    @property
    def lying_dice(self) -> tuple[OldDie, ...]:
        """The dice that may lie there when the turn ends: the throw's, and those from before."""
        thrown = self.throw.tracks if self.throw else ()
        older = (old for old in self.old_dice if not any(map(old.track.is_at, thrown)))
        return (*older, *map(OldDie, thrown))

    @property
    def future_key(self) -> tuple[object, ...]:
        """Equal for two turns of the same observations that have the same evidence."""
        periods = (self.before_throw, self.last_with_dice, self.after_lift, self.stood)
        frames = tuple(None if one is None else (one.frame, one.last_frame) for one in periods)
        thrown = None if self.throw is None else (self.throw.frame, self.throw.may_be_opening)
        lying = tuple(track.board for track in (*self._old_tracks, *self.early_dice))
        facts = (self.is_replay, self.may_be_opening, self.is_ended, self.roller, self.voids_early)
        gaps = self.has_gap, self.follows_gap
        return *frames, thrown, lying, *facts, *gaps, self.ahead is None

    @property
    def is_roll_reported(self) -> bool:
        """Whether the roll was entered or reported by a cup, not corrected later."""
        return self.known_roll is not None and not self.corrected_rolls

    def after_plays(self, number: int) -> TurnEvidence:
        """The evidence of a turn that so many unrecorded plays preceded, with its own roll."""
        if not self.corrected_rolls:
            return self
        known = self.corrected_rolls.get(number)
        throw = None if self.throw is None else replace(self.throw, known_roll=known)
        return replace(self, throw=throw, known_roll=known)

    def early_throw(self, period: StillPeriod) -> Throw | None:
        """The new throw in `period`, if it came before this turn had ended."""
        dice = self.fresh_dice(period.dice)
        if self.throw is None or self.is_ended:
            return None
        if not self.zone.is_early(self.throw.count_lying(dice), len(self.throw.tracks)):
            return None
        new = dice if self.after_lift is not None else self.throw.without(dice)
        return throw_of(new, period.seconds, period.frame)

    @property
    def has_evidence(self) -> bool:
        """Whether there is anything to judge."""
        return self.throw is not None or self.before_throw is not None

    def position_evidence(
        self,
        arrival: StillPeriod | None = None,
        position_at: PositionAt = lambda _: None,
    ) -> PositionEvidence:
        """What shows the position after the turn; `arrival` is the first view of a new throw.

        position_at: the recorded position at a frame, for the comparison of pictures.

        After the dice are picked up nobody may move; before that the play may be unfinished, and
        after the new throw the next play may have begun: these are glimpses.
        """
        main = self.after_lift or arrival or self.last_with_dice or self.before_throw
        assert main is not None, "there is no turn without an observation"  # noqa: S101
        beside = (self.last_with_dice, arrival, None if self.throw else self.before_throw)
        others = [period for period in beside if period is not None and period is not main]
        glimpses = tuple(self.view(period, position_at) for period in others)
        return PositionEvidence(self.view(main, position_at), glimpses)

    def view(self, period: StillPeriod, position_at: PositionAt) -> PositionView:
        """What a still period shows, given what is known of the past."""
        frame = period.reference_frame
        settled = None if frame is None else position_at(frame)
        cells = None if settled is None else cell_counts(settled)
        view = PositionView.of(period, cells, self.errors)
        return view if self.memory is None else view.with_memory(self.memory)

    @property
    def newest(self) -> StillPeriod | None:
        """The latest observations of the turn."""
        return self.after_lift or self.last_with_dice or self.before_throw

    def as_stood(self) -> TurnEvidence:
        """The evidence as it was when `stood` ended."""
        if self.throw is None:
            return replace(self, before_throw=self.stood)
        return replace(self, last_with_dice=self.stood, after_lift=None)

    def void_log_prior(self, roller: Side | None, following: StillPeriod | None = None) -> float:
        """The log-prior, before the position is considered, that the throw does not count.

        following: the first view of the next throw; where it lies shows whose it is, and another
        throw by the same side means that this one did not count.
        """
        if self.is_ended:
            return log(MIN_VOID_PRIOR)  # nobody ends a turn for which they must throw again
        if self.throw is None or self.is_going_on:
            return log(0.5)
        worst = max(self.throw.faults(roller, self.zone).values())
        # Squared: a die that looks 90 % flat is one of the many that are flat, not of the few that
        # are not.
        void = min(max(worst**2, MIN_VOID_PRIOR), MAX_VOID_PRIOR)
        if following is not None and roller is not None:
            new = self.throw.without(self.fresh_dice(following.dice))
            next_throw = throw_of(new, following.seconds, following.frame)
            odds = next_throw.odds_of(roller, self.zone)
            void = void * odds / (void * odds + 1 - void)
        return log(void)

    def rolls(self) -> Floats:
        """(21,) log-probabilities of the rolls; those of fair dice if no throw was seen."""
        return (self.throw or Throw((), 0.0, 0, known_roll=self.known_roll)).rolls()

    def next(self, *, is_certain: bool = False) -> TurnEvidence:
        """The evidence of the next turn: nothing but the dice that may still be on the board.

        is_certain: whether this turn ended with a play beyond doubt.
        """
        return TurnEvidence(
            old_dice=self.lying_dice,
            zone=self.zone,
            early_dice=self.early_dice,
            voids_early=self.voids_early,
            follows_gap=self.has_gap or (self.follows_gap and not is_certain),
        )

    def thrown_again(self, arrival: StillPeriod) -> TurnEvidence:
        """The evidence of the same turn if its throw was void and the next one is in `arrival`."""
        again = replace(
            self.next(),
            roller=self.roller,
            memory=self.memory,
            errors=self.errors,
            has_gap=self.has_gap,
            ahead=self.ahead,
        )
        return again.with_period(arrival)[0]


def _without_gone_dice(turn: TurnEvidence, period: StillPeriod) -> TurnEvidence:
    """The evidence without the old dice that are no longer seen.

    They were picked up: the same player may throw the same roll again, in the same place.
    """
    if not turn.old_dice or period.quality < OPEN_QUALITY:
        return turn
    seen_now = ((old, any(map(old.track.is_same, period.dice))) for old in turn.old_dice)
    counted = (
        replace(old, unseen_periods=0 if is_seen else old.unseen_periods + 1)
        for old, is_seen in seen_now
    )
    left = tuple(old for old in counted if old.unseen_periods < MAX_UNSEEN_PERIODS)
    return replace(turn, old_dice=left)
