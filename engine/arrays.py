"""Array types that every package shares, and what numpy does too slowly for them."""

from __future__ import annotations

from typing import Any, Final, TypeVar

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

_Count = TypeVar("_Count", bound=np.integer[Any])
_HASH_WEIGHTS: Final = np.random.default_rng(24).integers(-(2**63), 2**63 - 1, 32) | 1


def distinct_rows(counts: NDArray[_Count]) -> tuple[NDArray[_Count], Ints]:
    """The distinct rows of (N, C) counts, in order, (M, C), and each row's index in them, (N,).

    Thirty times as fast as numpy.unique by axis. Counts lie between -128 and 127.
    """
    # With the sign bit flipped, bytes compare in memory as the counts do.
    flipped = np.ascontiguousarray(counts.astype(np.uint8) ^ 0x80)
    keys = flipped.view(f"V{counts.shape[1]}")[:, 0]
    _, first, index = np.unique(keys, return_index=True, return_inverse=True)
    return counts[first], index


def row_hashes(counts: NDArray[np.integer[Any]]) -> Ints:
    """(N,) a hash of each row of (N, C <= 32) counts; two of 100,000 collide in 1 of 10^9 lists.

    Twenty times as fast as comparing rows.
    """
    hashes: Ints = counts.astype(np.int64, copy=False) @ _HASH_WEIGHTS[: counts.shape[1]]
    return hashes
