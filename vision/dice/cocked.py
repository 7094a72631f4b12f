"""Whether a die is cocked, and what it rests on.

A cocked die leans: its upper face is not parallel to the felt. The log-odds of lying flat are the
sum of the prior's and those of two observations that err independently: the appearance, judged by
the `lean` net on several close views, and what the die could lean on: a checker, a rail or the bar
within reach. The rules in `engine` decide from that probability and the `Surface` whether the die
counts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.special import expit

from calibration.layout import USUAL_DIE_SIDE, Layout
from calibration.pose import Pose
from engine.arrays import Floats, Floats32
from engine.evidence.observation import Surface
from vision.nets import load_net

PRIOR_LOG_ODDS: Final = 2.3
"""Log-odds of lying flat, beyond those that the net learned: four in ten of its training dice
leaned, but only one thrown die in fifteen does."""
APPEARANCE_WEIGHT: Final = 1.3
"""Factor on the net's log-odds, chosen on held-out drawn dice, four views each."""
MAX_LOG_ODDS: Final = 4.0
"""Bound on the sum: one in fifty may be wrong."""
TOUCHING_SHARES: Final = (0.15, 0.95)
"""Fraction of flat dice, and of leaning ones, with something within reach: 6 of 60 flat dice in
real photos had; what a die leans on may be hidden."""
CHECKER_REACH: Final = 0.97
"""Maximum distance, in die sides, from the middle of a leaning die's upper face to the rim of the
checker that it leans on."""
WALL_REACH: Final = 1.2
"""The same to a rail or to the bar, which stop its upper edge: half its width and all of its
height, seen from above at 55 degrees, and the error of the board's own edges."""
REACH_SIGMA: Final = 0.04
"""Die sides over which the probability of being within reach falls off."""
FRAME_WIDTH: Final = 0.05
"""Width of the frame beyond a rail, in field widths (2.4-3 cm of 58); trays count as table."""


def appearance_log_odds(views: Sequence[Floats32]) -> Floats:
    """(N,) log-odds of lying flat by the appearance of N dice, the mean over their close views.

    `views`: (N, 5, 48, 48) each, cut around the dice's centers (`vision.dice.views.cut_crops`).
    """
    means = np.mean([load_net("lean")(view)[:, 0] for view in views], axis=0)
    return np.asarray(means, np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Surroundings:
    """What may touch the dice on the board."""

    pose: Pose
    layout: Layout
    checkers: Floats
    """(N, 3) field x, field y, and radius in field widths; empty if nothing is known."""

    def surface(self, place: tuple[float, float]) -> Surface:
        """What is under the middle of a die at field coordinates `place`."""
        x, y = place
        beyond = max(-x, x - 1, -y * self.pose.aspect, (y - 1) * self.pose.aspect)
        if beyond > 0:
            return Surface.FRAME if beyond < FRAME_WIDTH else Surface.TABLE
        if np.any(self._gaps(place) < 0):
            return Surface.CHECKER
        return Surface.BAR if abs(x - 0.5) < self.layout.bar / 2 else Surface.BOARD

    def flat_probability(self, place: tuple[float, float], side: float, appearance: float) -> float:
        """Probability that the die at field coordinates `place` lies flat.

        `side`: of the die, in field widths; `appearance`: its `appearance_log_odds`.
        """
        log_odds = (
            APPEARANCE_WEIGHT * appearance + PRIOR_LOG_ODDS + self.contact_log_odds(place, side)
        )
        return float(expit(np.clip(log_odds, -MAX_LOG_ODDS, MAX_LOG_ODDS)))

    def contact_log_odds(self, place: tuple[float, float], side: float = USUAL_DIE_SIDE) -> float:
        """Log-likelihood ratio of a flat die against a leaning one, by what is within reach.

        `place`: of its middle, field coordinates; `side`: of the die, in field widths.
        """
        free = self._clear_probability(place, side) if self.surface(place) is Surface.BOARD else 1.0
        flat, leaning = (share * (1 - free) + (1 - share) * free for share in TOUCHING_SHARES)
        return math.log(flat / leaning)

    def _clear_probability(self, place: tuple[float, float], side: float) -> float:
        """Probability that nothing is within reach of a die whose middle is at `place`."""
        x, y = place
        aspect = self.pose.aspect
        bar = abs(abs(x - 0.5) - self.layout.bar / 2)
        rails = (x, 1 - x, y * aspect, (1 - y) * aspect)
        walls, gaps = min(*rails, bar), self._gaps(place).min(initial=np.inf)
        beyond = min(walls / side - WALL_REACH, gaps / side - CHECKER_REACH)
        return float(expit(beyond / REACH_SIGMA))

    def _gaps(self, place: tuple[float, float]) -> Floats:
        """(N,) field widths from `place` to the rim of each checker; below 0 on top of it."""
        apart = (self.checkers[:, :2] - place) * (1, self.pose.aspect)
        return np.asarray(np.linalg.norm(apart, axis=1) - self.checkers[:, 2])
