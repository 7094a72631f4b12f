"""Slow twins of the kernels in engine/fairness/_kernels.py: one formula after another."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from scipy.special import gammaln, logsumexp

from engine.fairness.evalues import DIRICHLET_PRIORS


def log_e(counts):
    """The log e-value of counts of certain readings: closed forms, mixed."""
    counts = np.asarray(counts, float)
    axes = counts[:3] + counts[5:2:-1]
    n = counts.sum()
    parts = []
    for a in DIRICHLET_PRIORS:
        parts.append(_log_ratio(counts, a) + n * np.log(6))
        parts.append(_log_ratio(axes, 2 * a) + n * np.log(3))
    return float(logsumexp(parts) - np.log(len(parts)))


def _log_ratio(counts, a):
    """log B(a + c) / B(a)."""
    k = len(counts)
    before = k * gammaln(a) - gammaln(k * a)
    return gammaln(a + counts).sum() - gammaln(k * a + counts.sum()) - before


def log_path(faces):
    """The log e-value after each of `faces` (0..5)."""
    counts = np.zeros(6)
    path = []
    for face in faces:
        counts[face] += 1
        path.append(log_e(counts))
    return np.array(path)


def transition_table(faces, throws):
    """(6, 6) counts of every die of a throw with every die of the next."""
    table = np.zeros((6, 6), int)
    by_throw = {}
    for face, throw in zip(faces, throws, strict=True):
        by_throw.setdefault(throw, []).append(face)
    groups = list(by_throw.values())
    for before, after in pairwise(groups):
        for a in before:
            for b in after:
                table[a, b] += 1
    return table


def first_miss(faces, chances, limit, widths):
    """The first roll at which a face's bounds exclude its probability; 0: never."""
    counts = np.zeros(6)
    for n, face in enumerate(faces, start=1):
        counts[face] += 1
        for f in range(6):
            ones, others = counts[f], n - counts[f]
            mixture = [_log_beta(k + ones, 5 * k + others) - _log_beta(k, 5 * k) for k in widths]
            ratio = logsumexp(mixture) - np.log(len(widths))
            ratio -= ones * np.log(chances[f]) + others * np.log(1 - chances[f])
            if ratio >= np.log(limit):
                return n
    return 0


def _log_beta(a, b):
    return gammaln(a) + gammaln(b) - gammaln(a + b)
