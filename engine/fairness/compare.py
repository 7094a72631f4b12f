"""Whether several dice, players, cups or sessions have the same distribution of faces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Ints
from engine.fairness.contingency import independence, table_test
from engine.fairness.evalues import DIRICHLET_PRIORS, MAX_LOG_E
from engine.fairness.faces import RESAMPLING_SEED, Test
from engine.fairness.rolls import FACES

RESAMPLES: Final = 5_000


@dataclass(frozen=True, slots=True, eq=False)
class GroupComparison:
    """The comparison of several groups of rolls."""

    what: str
    """`dice`, `players`, `cups`, `sessions`, `throws` (those that count and the void ones)."""
    names: tuple[str, ...]
    counts: Ints
    """(k, 6)"""
    same: Test
    """X2 of homogeneity, 5 (k - 1) degrees of freedom."""
    e: float
    """The anytime-valid e-value against homogeneity; below 1 it says nothing."""


def compare(what: str, names: tuple[str, ...], counts: Ints) -> GroupComparison:
    """The comparison of (k, 6) counts; groups without rolls are left out."""
    seen = counts.sum(axis=1) > 0
    kept = tuple(name for name, is_seen in zip(names, seen, strict=True) if is_seen)
    counts = counts[seen]
    return GroupComparison(what, kept, counts, homogeneity(counts), homogeneity_e_value(counts))


def homogeneity(counts: Ints) -> Test:
    """The test of whether the rows of (k, 6) counts share their chances."""
    if len(counts) < 2:
        return Test(0.0, 0, 1.0)
    faces = counts[:, counts.sum(axis=0) > 0]
    df = (len(faces) - 1) * (faces.shape[1] - 1)
    if df == 0:
        return Test(0.0, 0, 1.0)

    def exceedances(value: float) -> int:
        from scipy.stats import random_table

        tables = random_table(faces.sum(axis=1), faces.sum(axis=0)).rvs(
            RESAMPLES, random_state=np.random.default_rng(RESAMPLING_SEED)
        )
        return sum(independence(table.astype(np.int64))[0] >= value for table in tables)

    return table_test(independence(faces), df, exceedances, resamples=RESAMPLES, method="draws")


def homogeneity_e_value(counts: Ints) -> float:
    """The likelihood ratio of separate chances for each group to the best common ones.

    Universal inference (Wasserman, Ramdas, Balakrishnan 2020): the common chances are fitted
    afterward, so this is an e-value whatever they are, at any time.
    """
    from scipy.special import gammaln, logsumexp, xlogy

    if len(counts) < 2:
        return 1.0
    priors = DIRICHLET_PRIORS[:, None]
    total = counts.sum(axis=1)[None, :]
    own = gammaln(6 * priors) - 6 * gammaln(priors)
    own = own + gammaln(priors[:, None] + counts[None]).sum(axis=2) - gammaln(6 * priors + total)
    pooled = counts.sum(axis=0)
    common = float(xlogy(pooled, pooled / pooled.sum()).sum())
    mixture = float(logsumexp(own.sum(axis=1))) - np.log(len(priors))
    return float(np.exp(min(mixture - common, MAX_LOG_E)))


def counts_by_group(codes: NDArray[np.int32], faces: NDArray[np.int8], groups: int) -> Ints:
    """(G, 6) counts of faces 0..5 by group."""
    cells = np.bincount(codes.astype(np.int64) * FACES + faces, minlength=groups * FACES)
    return cells.reshape(groups, FACES).astype(np.int64)
