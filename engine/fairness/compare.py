"""Whether several dice, players, cups or sessions have the same distribution of faces."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats, Ints
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


@dataclass(frozen=True, slots=True, eq=False)
class SameDice:
    """The comparison of players given the dice, summed over all dice that several of them rolled.

    Players whose dice differ are not compared: what one die shows more often than another says
    nothing about who rolled it.
    """

    dice: int
    """Number of dice that more than one player rolled."""
    same: Test
    """X2 of homogeneity, summed over these dice."""
    e: float
    """The product of their anytime-valid e-values against homogeneity; 1 if there are none."""


def same_dice(tables: Ints) -> SameDice:
    """The comparison of (D, k, 6) counts of D dice by k players."""
    shared = [table for table in tables if (table.sum(axis=1) > 0).sum() > 1]
    tests = [homogeneity(table[table.any(axis=1)]) for table in shared]
    e = exp(min(sum(map(homogeneity_log_e, shared)), MAX_LOG_E))
    if len(tests) == 1:
        return SameDice(1, tests[0], e)
    value, df = sum(test.value for test in tests), sum(test.df for test in tests)
    return SameDice(len(tests), Test(value, df, _chi_square_p(value, df)), e)


def _chi_square_p(value: float, df: int) -> float:
    from scipy.stats import chi2

    return float(chi2.sf(value, df)) if df else 1.0


def compare(what: str, names: tuple[str, ...], counts: Ints) -> GroupComparison:
    """The comparison of (k, 6) counts; groups without rolls are left out."""
    seen = counts.sum(axis=1) > 0
    kept = tuple(name for name, is_seen in zip(names, seen, strict=True) if is_seen)
    counts = counts[seen]
    e = exp(min(homogeneity_log_e(counts), MAX_LOG_E))
    return GroupComparison(what, kept, counts, homogeneity(counts), e)


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
        return int((independence(tables.astype(np.int64))[0] >= value).sum())

    return table_test(independence(faces), df, exceedances, resamples=RESAMPLES, method="draws")


def homogeneity_log_e(counts: Ints, chances: Floats | None = None) -> float:
    """The log likelihood ratio of separate chances for each group to the best common ones.

    Universal inference (Wasserman, Ramdas, Balakrishnan 2020): the common chances are fitted
    afterward, so this is a log e-value whatever they are, at any time. Groups without rolls add
    nothing. chances: (6,) around which the priors are; by default equal.
    """
    return float(homogeneity_log_es(counts, chances)) if len(counts) > 1 else 0.0


def homogeneity_log_es(counts: Ints, chances: Floats | None = None) -> Floats:
    """(...,) `homogeneity_log_e` of each table of (..., k, 6) counts, where k > 1."""
    from scipy.special import gammaln, logsumexp, xlogy

    weights = FACES * (np.full(FACES, 1 / FACES) if chances is None else chances)
    priors = DIRICHLET_PRIORS[:, None] * weights
    whole, total = priors.sum(axis=1)[:, None], counts.sum(axis=-1)[..., None, :]
    own = gammaln(whole) - gammaln(priors).sum(axis=1)[:, None]
    own = own + gammaln(priors[:, None] + counts[..., None, :, :]).sum(axis=-1)
    own -= gammaln(whole + total)
    pooled = counts.sum(axis=-2)
    shares = pooled / np.maximum(pooled.sum(axis=-1, keepdims=True), 1)
    common = xlogy(pooled, shares).sum(axis=-1)
    mixture = logsumexp(own.sum(axis=-1), axis=-1) - np.log(len(DIRICHLET_PRIORS))
    result: Floats = mixture - common
    return result


def counts_by_group(codes: NDArray[np.int32], faces: NDArray[np.int8], groups: int) -> Ints:
    """(G, 6) counts of faces 0..5 by group."""
    cells = np.bincount(codes.astype(np.int64) * FACES + faces, minlength=groups * FACES)
    return cells.reshape(groups, FACES).astype(np.int64)
