"""`SearchResult`: what a search returns, as arrays."""

from __future__ import annotations

from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

Leftover = NDArray[np.int8]
"""(N, 6): how often each number 1..6 is passed on to the opponent."""
Rows = tuple[NDArray[np.int8], NDArray[np.int64], Leftover | None]
"""The results of one board, the packed plays, and what each leaves; see `SearchResult`."""
_Cell = TypeVar("_Cell", bound=np.generic)


class SearchResult(NamedTuple):
    """The results of P boards, one list after the other."""

    results: NDArray[np.int8]
    """(N, 2, 26): the mover's side vector after the play, then the opponent's."""
    moves: NDArray[np.int64]
    """(N,) packed plays, see engine/rules/_kernels.py; 0 is a forced pass. (N, 6) where a double
    goes on with higher numbers: one packed play for each, in their order."""
    offsets: NDArray[np.int64]
    """(P + 1,): board i has `results[offsets[i]:offsets[i + 1]]`, at least one row."""
    leftover: Leftover | None = None
    """What each play leaves to the opponent; None in games that leave nothing."""


def twice(rows: NDArray[_Cell]) -> NDArray[_Cell]:
    """The rows and room for as many more."""
    return np.concatenate([rows, np.empty_like(rows)])
