"""`TurnEvidence`: the evidence of the turn in progress, and when a new throw has come.

It keeps a stretch for each part of a turn: before the throw, while its dice lie, and after they
were lifted; the position after the turn shows in the last two.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import log
from typing import Final

from engine.evidence.likelihood import BoardMemory, PositionEvidence, PositionView, Scores
from engine.evidence.observation import cell_counts
from engine.evidence.still_period import DieTrack, StillPeriod
from engine.position import Position, Side
from engine.turns.throw import Throw, is_throw, own_pair, throw_of
from engine.turns.zones import RollZone

OPEN_VIEW: Final = 0.8
"""From this quality on, dice that are not seen are not there."""
LEAST_VOID: Final = 0.003
MOST_VOID: Final = 0.9
"""Bounds of the prior that a throw will not count, whatever its dice look like."""
GONE_STRETCHES: Final = 2
"""Open stretches without any of the dice that lay there, from which on they are gone."""
ROLLS_ON: Final = 0.75
"""Seconds in which dice that were seen once, and not read surely, may still have rolled on."""
SURE_ROLL: Final = 0.95
"""A throw is announced before its play when it is read this surely."""
MOST_LOTS: Final = 3
"""Dice among which lots may lie: one of each player, and one that was left there."""
UNTOLD: Final = RollZone()

StoodAt = Callable[[int], Position | None]
"""What stood at a frame by the record; None where that is not known."""


@dataclass(frozen=True, slots=True, eq=False)
class TurnEvidence:
    """What was seen since the last turn ended."""

    lying: tuple[DieTrack, ...] = ()
    """Dice of earlier throws: while they lie there they are no throw."""
    unseen: int = 0
    """Open stretches since that show none of them."""
    blank: StillPeriod | None = None
    """The last stretch before any throw."""
    throw: Throw | None = None
    shown: StillPeriod | None = None
    """The first stretch in which the throw's dice lay: what stood before its play, mostly."""
    held: StillPeriod | None = None
    """The last stretch in which the throw's dice lay."""
    lifted: StillPeriod | None = None
    """The last stretch after they were lifted."""
    is_replay: bool = False
    """An earlier play of this throw was rejected; its dice may be lifted already."""
    ground: RollZone = UNTOLD
    is_first: bool = False
    """Whether nobody has begun yet, so that the throw may draw lots."""
    early: tuple[DieTrack, ...] = ()
    """Dice that the opponent threw before this turn has ended."""
    voids_early: bool = False
    """Whether those do not count."""
    roller: Side | None = None
    """Whose turn it is, where that is known."""
    told_roll: tuple[int, int] | None = None
    """What somebody says that was rolled, the larger first."""
    memory: BoardMemory | None = None
    """How the board was read when the last turn ended."""
    is_ended: bool = False
    """Whether the player has said that his turn is over."""

    def with_stretch(self, stretch: StillPeriod) -> tuple[TurnEvidence, bool]:
        """The evidence with `stretch` added, or unchanged and True if it shows a new throw."""
        turn, is_new = self._followed_by(stretch)
        return (turn if is_new else _without_gone(turn, stretch)), is_new

    def _followed_by(self, stretch: StillPeriod) -> tuple[TurnEvidence, bool]:
        """As `with_stretch`, in which dice that lay there before lie there for ever."""
        dice = self._thrown(stretch.dice)
        if self.throw is None or self._rolled_on(stretch, dice):
            return self._with_first(stretch, dice), False
        fresh = self.throw.without(dice)
        if len(fresh) >= 2 and is_throw(fresh, self.ground):
            return self, True
        if self.throw.is_still_there(dice):
            throw = self.throw.with_tracks(dice)
            return replace(self, throw=throw, held=stretch, lifted=None), False
        if self.lifted is not None and is_throw(dice, self.ground):
            return self, True
        if stretch.quality >= OPEN_VIEW:
            return replace(self, lifted=stretch), False
        return self, False

    def _rolled_on(self, stretch: StillPeriod, dice: tuple[DieTrack, ...]) -> bool:
        """Whether the throw was only glimpsed before its dice came to rest, as `stretch` has it."""
        throw, shown = self.throw, self.shown
        if throw is None or shown is None or shown is not self.held:
            return False
        is_glimpse = all(track.observation_count == 1 for track in throw.tracks)
        is_soon = stretch.seconds - shown.last_seconds < ROLLS_ON
        if not (is_glimpse and is_soon and is_throw(dice, self.ground)):
            return False
        is_clear = len(throw.tracks) > 1 and throw.rolls().max() >= log(SURE_ROLL)
        return not is_clear and not throw.is_still_there(dice)

    def _with_first(self, stretch: StillPeriod, dice: tuple[DieTrack, ...]) -> TurnEvidence:
        if is_throw(dice, self.ground):
            # Lots lie in both halves: there a third die says nothing of pairs.
            is_lots = self.is_first and len(dice) <= MOST_LOTS
            own, others = (dice, ()) if is_lots else own_pair(dice, self.roller, self.ground)
            throw = replace(
                throw_of(own, stretch.seconds, stretch.frame),
                is_first=self.is_first,
                told=self.told_roll,
                is_early=self.voids_early
                and any(die.is_at(old) for die in dice for old in self.early),
            )
            begun = replace(self, throw=throw, shown=stretch, held=stretch)
            return begun.with_early(others)
        return replace(self, blank=stretch) if stretch.quality >= OPEN_VIEW else self

    def with_early(self, dice: tuple[DieTrack, ...]) -> TurnEvidence:
        """The evidence with `dice` as those that the opponent threw too early."""
        return replace(self, early=dice, voids_early=self.ground.voids_early)

    def _thrown(self, dice: tuple[DieTrack, ...]) -> tuple[DieTrack, ...]:
        """The dice without those that lay there before, unless a throw would lack one.

        Lots that are drawn again may come one by one: there the one that still lies is no throw.
        """
        fresh = tuple(die for die in dice if not self._lay_there(die))
        return dice if len(fresh) == 1 and len(dice) == 2 and not self.is_first else fresh

    def _lay_there(self, die: DieTrack) -> bool:
        """Also dice thrown too early, while the turn before them goes on."""
        old_dice = self.lying if self.throw is None else (*self.lying, *self.early)
        return any(die.is_at(old) and die.value == old.value for old in old_dice)

    @property
    def outlook(self) -> tuple[object, ...]:
        """What tells this evidence from another turn's, where both come of the same looks."""
        looks = (self.blank, self.held, self.lifted)
        frames = tuple(None if one is None else (one.frame, one.last_frame) for one in looks)
        thrown = None if self.throw is None else (self.throw.frame, self.throw.is_first)
        lying = tuple(track.board for track in (*self.lying, *self.early))
        told = (self.is_replay, self.is_first, self.is_ended, self.roller, self.voids_early)
        return *frames, thrown, lying, *told

    def early_throw(self, stretch: StillPeriod) -> Throw | None:
        """The new throw of `stretch`, if it came before this turn had ended."""
        thrown = self._thrown(stretch.dice)
        if self.throw is None or self.is_ended:
            return None
        if not self.ground.is_early(self.throw.lies_again(thrown), len(self.throw.tracks)):
            return None
        fresh = thrown if self.lifted is not None else self.throw.without(thrown)
        return throw_of(fresh, stretch.seconds, stretch.frame)

    @property
    def has_look(self) -> bool:
        """Whether there is anything to rule on."""
        return self.throw is not None or self.blank is not None

    def sight(
        self,
        arrival: StillPeriod | None = None,
        stood_at: StoodAt = lambda _: None,
    ) -> PositionEvidence:
        """What shows the position after the turn; `arrival` is the first look at a new throw.

        stood_at: what stood at a frame by the record, for the comparison of pictures.

        After the lift nobody may move; before it the play may be unfinished, and behind the new
        throw the next play may have begun: these are glimpses.
        """
        main = self.lifted or arrival or self.held or self.blank
        assert main is not None, "there is no turn without a look"  # noqa: S101
        beside = (self.held, arrival, None if self.throw else self.blank)
        others = [stretch for stretch in beside if stretch is not None and stretch is not main]
        glimpses = tuple(self.view(stretch, stood_at) for stretch in others)
        return PositionEvidence(self.view(main, stood_at), glimpses)

    def view(self, stretch: StillPeriod, stood_at: StoodAt) -> PositionView:
        """What a stretch says, given what is known of its past; `stood_at` as in `sight`."""
        stood = None if stretch.reference_frame is None else stood_at(stretch.reference_frame)
        view = PositionView.of(stretch, None if stood is None else cell_counts(stood))
        return view if self.memory is None else view.with_memory(self.memory)

    @property
    def newest(self) -> StillPeriod | None:
        """The latest of what was seen of the turn."""
        return self.lifted or self.held or self.blank

    def void_prior(self, roller: Side | None, following: StillPeriod | None = None) -> float:
        """The log-probability, before the board is looked at, that the throw does not count.

        following: the first look at the next throw; where it lies tells whose it is, and a
        throw of the same side again means that this one did not count.
        """
        if self.is_ended:
            return log(LEAST_VOID)  # nobody ends a turn that he has to throw for again
        if self.throw is None:
            return log(0.5)
        worst = max(self.throw.faults(roller, self.ground).values())
        # Squared: a die that looks 90 % flat is one of the many that lie flat, not of the few.
        void = min(max(worst**2, LEAST_VOID), MOST_VOID)
        if following is not None and roller is not None:
            odds = self._next_throw(following).odds_of(roller, self.ground)
            void = void * odds / (void * odds + 1 - void)
        return log(void)

    def _next_throw(self, stretch: StillPeriod) -> Throw:
        dice = self._thrown(stretch.dice)
        fresh = dice if self.throw is None else self.throw.without(dice)
        return throw_of(fresh, stretch.seconds, stretch.frame)

    def rolls(self) -> Scores:
        """(21,) log-probabilities of the rolls; those of true dice while no throw was seen."""
        return (self.throw or Throw((), 0.0, 0, told=self.told_roll)).rolls()

    def next(self) -> TurnEvidence:
        """The evidence of the turn that follows: nothing but the dice that may still lie."""
        lying = self.throw.tracks if self.throw else self.lying
        return TurnEvidence(
            lying=lying, ground=self.ground, early=self.early, voids_early=self.voids_early
        )


def _without_gone(turn: TurnEvidence, stretch: StillPeriod) -> TurnEvidence:
    """The evidence without the dice that lay there, when nobody sees them any more.

    They were picked up: the same player may throw the same once more, to the same place.
    """
    if not turn.lying or stretch.quality < OPEN_VIEW:
        return turn
    if any(die.is_at(old) and die.value == old.value for die in stretch.dice for old in turn.lying):
        return replace(turn, unseen=0)
    if turn.unseen + 1 < GONE_STRETCHES:
        return replace(turn, unseen=turn.unseen + 1)
    return replace(turn, lying=(), unseen=0)
