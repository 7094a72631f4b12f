"""Where and how dice count at this board, by the rule set and the camera's side.

Tournament rules require the roller's right half and reroll a die on a checker; house rules often
require only that both dice are in the same half.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from engine.events.match import VoidReason
from engine.evidence.observation import Surface
from engine.position import Side
from engine.ruleset import USUAL, DieOnCheckerRule, PrematureRule, RuleSet, TurnEndRule, ZoneRule

Point = tuple[float, float]
"""Field coordinates."""
Zone = tuple[Point, ...]
"""The corners of an area, in order."""
ONE_HALF: Final = frozenset({ZoneRule.OWN_RIGHT_HALF, ZoneRule.ANY_ONE_HALF})
ENDED_BY_LIFT: Final = frozenset({TurnEndRule.DICE_LIFTED_ONE, TurnEndRule.DICE_LIFTED_BOTH})
"""The ends of a turn that can be seen; a clock press or a spoken word cannot."""


@dataclass(frozen=True, slots=True)
class RollZone:
    """Which throws count."""

    rule_set: RuleSet = USUAL
    light_throws_right: bool | None = None
    """Whether light's right hand is the half with x > 0.5 of the field; if None, it is unknown, and
    the half of a throw is not judged, only that both dice lie in one."""
    throw_zone: Zone | None = None
    """The outline of the baffle box in which dice are thrown; None if not known."""
    is_clocked: bool = False
    """Whether the clock ended the previous turn, so that it is known to be in use."""
    is_settled: bool = False
    """Whether the play of this turn is forced, or there is no more contact."""

    def void_reason(self, surface: Surface, board: Point) -> VoidReason | None:
        """Why a die that lies on `surface` at `board`, in field coordinates, does not count.

        With a baffle box, dice count in it, wherever it is, and nowhere else; if its place is not
        known, they count on the field, and on the table as if that were the box.
        """
        rules = self.rule_set
        if rules.roll_zone is ZoneRule.BAFFLE and self.throw_zone is not None:
            return None if is_inside(board, self.throw_zone) else "off_board"
        if surface is Surface.CHECKER:
            return None if rules.die_on_checker is DieOnCheckerRule.VALID_IF_FLAT else "on_checker"
        beside = surface is Surface.TABLE and rules.roll_zone is not ZoneRule.BAFFLE
        return "off_board" if beside or surface in (Surface.BAR, Surface.FRAME) else None

    @property
    def asks_one_half(self) -> bool:
        """Whether both dice must be in one half."""
        return self.rule_set.roll_zone in ONE_HALF

    def own_half(self, side: Side | None) -> bool | None:
        """Whether `side` must throw into the half with x > 0.5; None for either, or unknown."""
        if side is None or self.rule_set.roll_zone is not ZoneRule.OWN_RIGHT_HALF:
            return None
        return self.right_half_of(side)

    def right_half_of(self, side: Side) -> bool | None:
        """Whether the right hand of `side` is the half with x > 0.5."""
        if self.light_throws_right is None:
            return None
        return self.light_throws_right is (side is Side.LIGHT)

    @property
    def voids_early(self) -> bool:
        """Whether a throw before the opponent's turn has ended is void, as far as is known."""
        is_known = self.rule_set.turn_end in ENDED_BY_LIFT or self.ends_by_clock
        return is_known and self.voids_premature

    @property
    def voids_premature(self) -> bool:
        """Whether what the opponent does before the end of this turn is void."""
        rule = self.rule_set.premature_roll
        return rule is PrematureRule.VOID or (
            rule is PrematureRule.VOID_UNLESS_FORCED and not self.is_settled
        )

    @property
    def ends_by_clock(self) -> bool:
        """Whether the clock alone ends this turn.

        A clock that was not pressed in the previous turn does not bind anyone: it may not be
        connected, or the person who enters it may forget it.
        """
        return self.rule_set.turn_end is TurnEndRule.CLOCK and self.is_clocked

    def is_early(self, lying: int, thrown: int) -> bool:
        """Whether a throw now comes while the previous turn is still in progress.

        `lying` of that turn's `thrown` dice have not been picked up.
        """
        end = self.rule_set.turn_end
        if end is TurnEndRule.CLOCK:
            return self.is_clocked
        return end in ENDED_BY_LIFT and (
            lying == thrown if end is TurnEndRule.DICE_LIFTED_ONE else lying > 0
        )


def is_inside(point: Point, zone: Zone) -> bool:
    """Whether a ray from `point` crosses the outline of `zone` an odd number of times."""
    x, y = point
    crossed = 0
    for (x1, y1), (x2, y2) in zip(zone, (*zone[1:], zone[0]), strict=True):
        if (y1 > y) != (y2 > y):
            crossed += x < x1 + (y - y1) * (x2 - x1) / (y2 - y1)
    return crossed % 2 == 1
