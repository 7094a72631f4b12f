"""Whether several dice, players, cups or sessions give the same faces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Ints
from engine.fairness.evalues import PRIORS
from engine.fairness.faces import SEED, Test
from engine.fairness.rolls import FACES
from engine.fairness.sequence import LEAST_EXPECTED

RESAMPLES: Final = 5_000


@dataclass(frozen=True, slots=True, eq=False)
class GroupComparison:
    """Several groups of rolls held against each other."""

    what: str
    """`dice`, `players`, `cups`, `sessions`, `throws` (those that count and those that do not)."""
    names: tuple[str, ...]
    counts: Ints
    """(k, 6)"""
    same: Test
    """X2 of homogeneity, 5 (k - 1) degrees of freedom."""
    e: float
    """An e-value of the same at any time; below 1 it says nothing."""


def compare(what: str, names: tuple[str, ...], counts: Ints) -> GroupComparison:
    """The comparison of (k, 6) counts; groups without rolls are left out."""
    seen = counts.sum(axis=1) > 0
    kept = tuple(name for name, is_seen in zip(names, seen, strict=True) if is_seen)
    counts = counts[seen]
    return GroupComparison(what, kept, counts, homogeneity(counts), same_e_value(counts))


def homogeneity(counts: Ints) -> Test:
    """Whether the rows of (k, 6) counts come of the same chances."""
    from scipy.stats import chi2

    if len(counts) < 2:
        return Test(0.0, 0, 1.0)
    faces = counts[:, counts.sum(axis=0) > 0]
    df = (len(faces) - 1) * (faces.shape[1] - 1)
    if df == 0:
        return Test(0.0, 0, 1.0)
    value, least = _statistic(faces)
    if least >= LEAST_EXPECTED:
        return Test(value, df, float(chi2.sf(value, df)))
    from scipy.stats import random_table

    drawn = random_table(faces.sum(axis=1), faces.sum(axis=0)).rvs(
        RESAMPLES, random_state=np.random.default_rng(SEED)
    )
    above = sum(_statistic(one.astype(np.int64))[0] >= value - 1e-9 for one in drawn)
    return Test(value, df, (1 + above) / (1 + RESAMPLES), "draws")


def _statistic(counts: Ints) -> tuple[float, float]:
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
    return float(((counts - expected) ** 2 / expected).sum()), float(expected.min())


def same_e_value(counts: Ints) -> float:
    """How much better own chances for each group foretell it than the best common ones.

    Universal inference (Wasserman, Ramdas, Balakrishnan 2020): the common chances are chosen
    afterwards, so that this is an e-value whatever they are, at any time.
    """
    from scipy.special import gammaln, logsumexp, xlogy

    if len(counts) < 2:
        return 1.0
    a = PRIORS[:, None, None]
    total = counts.sum(axis=1)[None, :]
    own = gammaln(6 * PRIORS)[:, None] - 6 * gammaln(PRIORS)[:, None]
    own = own + gammaln(a + counts[None]).sum(axis=2) - gammaln(6 * PRIORS[:, None] + total)
    pooled = counts.sum(axis=0)
    common = float(xlogy(pooled, pooled / pooled.sum()).sum())
    mixture = float(logsumexp(own.sum(axis=1))) - np.log(len(PRIORS))
    return float(np.exp(min(mixture - common, 700.0)))


def grouped(codes: NDArray[np.int32], faces: NDArray[np.int8], groups: int) -> Ints:
    """(G, 6) counts of faces 0..5 by group."""
    cells = np.bincount(codes.astype(np.int64) * FACES + faces, minlength=groups * FACES)
    return cells.reshape(groups, FACES).astype(np.int64)
