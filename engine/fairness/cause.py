"""What would explain uneven faces: axes of different lengths, or a center of mass off the middle.

Six shares are three shares of axes (pairs of opposite faces) and, within each axis, the share of
one face: a Dirichlet prior factors the same way, so each part has an e-value of its own. Lengths
are a translation of shares, by experiments with dice whose shape was known.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from engine.arrays import Floats
from engine.fairness.bounds import proportion_bounds
from engine.fairness.evalues import DIRICHLET_PRIORS
from engine.fairness.faces import AXES
from engine.fairness.reading import FaceTally

LENGTH_GAINS: Final = (3.0, 6.0)
"""By how much the log ratio of a face of one axis to a face of another falls, at least and at most,
for each unit by which its axis is longer. Casino dice shortened by 3 % showed those faces 6 % more
often, so the others 3 % less (http://www.dicephysics.info): 3. Steel cuboids with ratios of 0.75 to
1.23 (The Mathematical Gazette 97.16, 2013, table 1): 3 to 7. It depends on the surface."""


@dataclass(frozen=True, slots=True, eq=False)
class Cause:
    """The parts of the deviation of six faces, with bounds that hold at any time."""

    axes: Floats
    """(3,) share of each axis: 1-6, 2-5, 3-4; a third each if the lengths are equal."""
    axes_bounds: Floats
    """(3, 2)"""
    heads: Floats
    """(3,) share of the higher face within its axis; one half if the mass is centered."""
    heads_bounds: Floats
    """(3, 2); these and those of the axes all hold with 95 % confidence."""
    log_e_axes: float
    """Log e-value against equal axes, whatever happens within them."""
    log_e_mass: float
    """Log e-value against equal opposite faces, whatever the axes are."""

    @property
    def oddest_axis(self) -> int:
        """The index of the axis whose share is furthest from a third."""
        return int(np.argmax(np.abs(self.axes - 1 / 3)))

    @property
    def oddest_head(self) -> int:
        """The index of the axis whose two faces differ most, weighted by its rolls."""
        return int(np.argmax(np.abs(self.heads - 1 / 2) * np.sqrt(self.axes)))

    def relative_length(self, axis: int) -> tuple[float, float]:
        """By which fraction an axis is longer than the mean of the others: the least and the most.

        Negative if it is shorter. That is the range of `LENGTH_GAINS`; the axis's share itself is
        uncertain by `axes_bounds`.
        """
        share = float(np.clip(self.axes[axis], 1e-6, 1 - 1e-6))
        ratio = -np.log(2 * share / (1 - share))
        few, many = sorted((ratio / gain for gain in LENGTH_GAINS), key=abs)
        return float(few), float(many)


def cause_of(tally: FaceTally) -> Cause:
    """The parts of the deviation; uncertain readings count as `FaceTally.effective_rolls`."""
    counts = tally.counts if tally.is_certain else tally.effective_rolls * tally.shares
    pairs = np.array([[counts[low], counts[high]] for low, high in AXES], np.float64)
    totals, total = pairs.sum(axis=1), float(pairs.sum())
    return Cause(
        axes=totals / total if total else np.full(3, 1 / 3),
        axes_bounds=np.array([proportion_bounds(one, total, 1 / 3) for one in totals]),
        heads=np.divide(pairs[:, 1], totals, out=np.full(3, 0.5), where=totals > 0),
        heads_bounds=np.array([proportion_bounds(row[1], row.sum(), 1 / 2) for row in pairs]),
        log_e_axes=_log_mixture(totals[None, :], 2),
        log_e_mass=_log_mixture(pairs, 1),
    )


def _log_mixture(tables: Floats, faces: int) -> float:
    """Log e-value of the rows of counts against even cells, each Dirichlet(faces * a, ...)."""
    from scipy.special import gammaln, logsumexp

    cells = tables.shape[1]
    a = faces * DIRICHLET_PRIORS[:, None]
    rows = gammaln(cells * a) - cells * gammaln(a) - gammaln(cells * a + tables.sum(axis=1))
    rows = rows + gammaln(a[:, :, None] + tables[None]).sum(axis=2)
    logs = rows.sum(axis=1) + tables.sum() * np.log(cells)
    return float(logsumexp(logs) - np.log(len(logs)))
