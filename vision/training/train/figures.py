"""The figures by which a net is judged on kept-back samples: their names and values."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

Figures = dict[str, float | None]
"""Values by name, with their unit in the name; None where no sample asked for one."""


def mean(values: ArrayLike) -> float | None:
    """The mean of these values, or None if there are none."""
    array = np.asarray(values, float)
    return float(array.mean()) if array.size else None


def percent(hits: ArrayLike) -> float | None:
    """The percentage of these that are true, or None if there are none."""
    return mean(100 * np.asarray(hits, float))


def quantile(values: ArrayLike, q: float) -> float | None:
    """A quantile of these values, or None if there are none."""
    array = np.asarray(values, float)
    return float(np.quantile(array, q)) if array.size else None
