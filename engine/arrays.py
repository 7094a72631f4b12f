"""Array types that every package shares; docstrings give shapes and units."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Floats32 = NDArray[np.float32]
Ints = NDArray[np.int64]
Ints8 = NDArray[np.int8]
Boards = NDArray[np.int8]
"""(..., 26) or (..., 52) counts of checkers."""
Mask = NDArray[np.bool_]
Image = NDArray[np.uint8]
"""(H, W, 3) BGR or (H, W) grayscale."""
Rng = np.random.Generator
