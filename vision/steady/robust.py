"""Residuals of a fit to a picture that contains new things: hands, moved checkers, glints."""

from __future__ import annotations

from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats

SOFT: Final = 2.0
"""Residual, in robust scales, at which the weight has fallen to a quarter."""


def median(values: NDArray[Any]) -> float:
    """The median, for an even count the upper one, at a third of NumPy's cost."""
    middle = values.size // 2
    return float(np.partition(values, middle)[middle])


def robust_scale(residuals: NDArray[Any], floor: float) -> float:
    """Their standard deviation estimated from the median, at least `floor`, in the same unit."""
    return 1.4826 * median(np.abs(residuals)) + floor


def root_weights(residuals: NDArray[Any], scale: float) -> NDArray[Any]:
    """(N,) 0..1, the square roots of the weights."""
    return np.asarray(1 / _spread(residuals, scale))


def weights(residuals: NDArray[Any], scale: float) -> NDArray[Any]:
    """(N,) 0..1, lower the farther a residual is from 0."""
    return np.asarray(1 / _spread(residuals, scale) ** 2)


def solved(normal: Floats, right: Floats) -> Floats:
    """(N,) solution of the (N, N) normal equations, which are positive definite.

    For so few unknowns OpenCV takes a third of NumPy's time.
    """
    return np.asarray(cv2.solve(normal, right, flags=cv2.DECOMP_CHOLESKY)[1], np.float64)[:, 0]


def _spread(residuals: NDArray[Any], scale: float) -> NDArray[Any]:
    return np.asarray(1 + (residuals / (SOFT * scale)) ** 2)
