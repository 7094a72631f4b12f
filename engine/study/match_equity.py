"""Match equity: what a score is worth, and what follows for the cube.

The figures are those of the table in `kazaross.py`, which eXtreme Gammon and GNU Backgammon use by
default. Chances are of winning the match, 0 to 1.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

from engine.errors import InvalidScore
from engine.study.kazaross import AFTER_CRAWFORD, BEFORE_CRAWFORD, MOST_AWAY

MONEY_TAKE_POINT = 0.25
MONEY_GAMMON_VALUE = 0.5


class CrawfordPhase(Enum):
    """Where a match is with regard to the Crawford game."""

    BEFORE_CRAWFORD = "before"
    CRAWFORD = "crawford"
    AFTER_CRAWFORD = "after"


@dataclass(frozen=True, slots=True)
class AwayScore:
    """A score as the points that each player needs, at the beginning of a game."""

    own: int
    other: int
    phase: CrawfordPhase = CrawfordPhase.BEFORE_CRAWFORD

    def __post_init__(self) -> None:
        if not (1 <= self.own <= MOST_AWAY and 1 <= self.other <= MOST_AWAY):
            raise InvalidScore(f"a player needs 1 to {MOST_AWAY} points")
        is_both = self.own == self.other == 1 and self.phase is CrawfordPhase.CRAWFORD
        is_early = self.phase is CrawfordPhase.BEFORE_CRAWFORD
        if is_both or (1 in (self.own, self.other)) is is_early:
            raise InvalidScore("the Crawford game is the first with a player at one point")

    @property
    def reversed(self) -> AwayScore:
        """As the other player sees it."""
        return replace(self, own=self.other, other=self.own)

    def equity(self) -> float:
        """The player's chances before the game is played."""
        if self.phase is not CrawfordPhase.AFTER_CRAWFORD:
            return BEFORE_CRAWFORD[self.own - 1][self.other - 1]
        if self.other == 1:
            return AFTER_CRAWFORD[self.own - 1]
        return 1 - AFTER_CRAWFORD[self.other - 1]

    def equity_after(self, points: int) -> float:
        """The player's chances after winning (or, if negative, losing) so many points."""
        own, other = self.own - max(0, points), self.other - max(0, -points)
        if own <= 0 or other <= 0:
            return float(own <= 0)
        if self.phase is not CrawfordPhase.BEFORE_CRAWFORD:
            return AwayScore(own, other, CrawfordPhase.AFTER_CRAWFORD).equity()
        phase = CrawfordPhase.CRAWFORD if 1 in (own, other) else CrawfordPhase.BEFORE_CRAWFORD
        return AwayScore(own, other, phase).equity()


def take_point(score: AwayScore | None, cube: int = 1) -> float:
    """The least chances of winning the game with which the player takes a double.

    `cube` is its value before the double; `score` is None for money. No gammons are counted, and a
    redouble only where it costs nothing, because to lose the doubled game is to lose the match:
    elsewhere, with a cube that can still be used, a little less is enough.
    """
    if score is None:
        return MONEY_TAKE_POINT
    redoubles_at_once = score.other <= 2 * cube < score.own
    stake = 4 * cube if redoubles_at_once else 2 * cube
    dropped, lost = score.equity_after(-cube), score.equity_after(-stake)
    return (dropped - lost) / (score.equity_after(stake) - lost)


def gammon_value(score: AwayScore | None, cube: int = 1) -> float:
    """What a gammon adds to a win, in units of the difference between winning and losing.

    For money a half: one point more, of the two between winning and losing.
    """
    if score is None:
        return MONEY_GAMMON_VALUE
    won, lost = score.equity_after(cube), score.equity_after(-cube)
    return (score.equity_after(2 * cube) - won) / (won - lost)
