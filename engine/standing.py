"""Whether a certain position stands on the board: the start of a game, a play taken back."""

from __future__ import annotations

from typing import Final

import numpy as np

from engine.dice import ALL_ROLLS
from engine.events import Dice
from engine.evidence import cell_counts
from engine.looks import Stretch
from engine.outcomes import find_outcomes
from engine.position import Position, Side
from engine.rules import Rules
from engine.scoring import View

MISFIT: Final = -22.0
"""Nats that the start position may fit worse than the best reading: three misread cells."""
AHEAD: Final = -3.0
"""Nats by which it must beat every position one play later; most games are seen from the start."""
POINTS_SEEN: Final = 20
"""Of 24: an empty or hidden view shows no position at all."""
TAKEN_BACK: Final = 6.0
"""Nats by which a view must prefer another position over the illegal one that stands."""


def shows_position(stretch: Stretch, position: Position, rules: Rules) -> bool:
    """Whether `position` stands there, and not the one after a first play from it."""
    if int((stretch.seen[:24] > 0).sum()) < POINTS_SEEN:
        return False
    view, cells = View.of(stretch), cell_counts(position)
    fit = float(view.score(cells[None], cells)[0])
    outcomes = [find_outcomes(position, side, rules) for side in Side]
    moved = [o.cells[(o.cells != cells).any(axis=1)] for o in outcomes]
    rival = max((float(view.score(m, cells).max()) for m in moved if len(m)), default=-np.inf)
    return fit - view.best > MISFIT and fit > rival + AHEAD


def shows_replay(
    stretch: Stretch, stands: Position, before: Position, side: Side, dice: Dice | None,
    rules: Rules,
) -> bool:  # fmt: skip
    """Whether `before`, or a legal play of `dice` from it, shows instead of `stands`."""
    view = View.of(stretch)
    outcomes = find_outcomes(before, side, rules)
    known = np.array([dice in (None, (roll.high, roll.low)) for roll in ALL_ROLLS])
    legal = outcomes.cells[known[outcomes.rolls]]
    rivals = np.vstack([outcomes.before[None], legal])
    there = float(view.score(cell_counts(stands)[None], outcomes.before)[0])
    return float(view.score(rivals, outcomes.before).max()) > there + TAKEN_BACK
