"""Many tests at once: how many of those that look odd may be odd by chance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

RATE: Final = 0.05
"""Of the tests that are called odd, at most this share by chance, on average."""


def benjamini_hochberg(ps: Sequence[float]) -> list[float]:
    """Each p as it stands among the others: the rate of false discoveries if all to it are told."""
    from scipy.stats import false_discovery_control

    return [float(q) for q in false_discovery_control(list(ps))] if ps else []


def e_benjamini_hochberg(es: Sequence[float], rate: float = RATE) -> list[bool]:
    """Which e-values are discoveries at that rate, however they depend (Wang and Ramdas 2022)."""
    values = np.asarray(es, np.float64)
    order = np.argsort(-values, kind="stable")
    enough = values[order] >= len(values) / (rate * np.arange(1, len(values) + 1))
    count = int(np.flatnonzero(enough)[-1]) + 1 if enough.any() else 0
    found = np.zeros(len(values), np.bool_)
    found[order[:count]] = True
    return [bool(one) for one in found]
