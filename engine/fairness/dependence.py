"""E-values against rolls that depend on each other: a throw on the one before, a die on its twin.

Both are functions of counts and valid whenever they are computed.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from engine.arrays import Floats, Ints
from engine.fairness.bounds import BETA_PRIORS
from engine.fairness.compare import homogeneity_log_e
from engine.fairness.rolls import FACES, DiceLog

DOUBLES: Final = 1 / 6
"""The share of doubles, if at least one die of a throw is unbiased and the dice are independent."""
DEPENDENCE_E_VALUE: Final = 1000.0
"""From which dependence is reported, times the number of such e-values in the report. It is as high
as for an alarm, because such a finding may be held against people."""


def order_log_e(log: DiceLog) -> float:
    """Log e-value against throws that do not depend on the previous one, whatever their faces.

    The face of a die, or the larger face of look-alike dice, is compared between throws that
    follow a 1, a 2, ...: the larger one is known, whichever of the dice shows it.
    """
    starts = np.flatnonzero(np.r_[True, np.diff(log.throw) != 0][: len(log)])
    if not len(starts):
        return 0.0
    sizes = np.diff(np.r_[starts, len(log)])
    dice = int(np.bincount(sizes).argmax())
    larger = np.maximum.reduceat(log.faces, starts)[sizes == dice].astype(np.int64)
    cells = np.bincount(larger[:-1] * FACES + larger[1:], minlength=FACES**2)
    below = np.arange(FACES + 1) ** dice
    chances = np.diff(below) / FACES**dice
    return homogeneity_log_e(cells.reshape(FACES, FACES), chances)


def doubles_log_e(doubles: int, throws: int) -> float:
    """Log e-value against doubles in one throw of six: a mixture of Beta(k, 5k) around that."""
    return float(doubles_log_es(np.array(doubles), np.array(throws)))


def doubles_log_es(doubles: Ints, throws: Ints) -> Floats:
    """(...,) `doubles_log_e` of each of (...,) numbers of doubles and throws."""
    from scipy.special import betaln, logsumexp

    others = throws - doubles
    mixture = betaln(BETA_PRIORS + doubles[..., None], 5 * BETA_PRIORS + others[..., None])
    mixture -= betaln(BETA_PRIORS, 5 * BETA_PRIORS)
    fair = doubles * np.log(DOUBLES) + others * np.log(1 - DOUBLES)
    result: Floats = logsumexp(mixture, axis=-1) - np.log(len(BETA_PRIORS)) - fair
    return result
