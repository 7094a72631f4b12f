"""Whether something covers part of a board that is where it was."""

from __future__ import annotations

from math import inf
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from calibration.pose import Pose
from engine.arrays import Floats32, Image, Mask
from engine.turns.evidence import OPEN_QUALITY
from vision.checkers.disc_model import DiscCounts
from vision.reading.motion import MotionState
from vision.steady.steadier import board_mask, small_size

BLOCK: Final = 16
"""Side in pixels of the parts that are compared: a checker is about as wide."""
MIN_DETAIL: Final = 6.0
"""Standard deviation of the gray levels from which a part shows anything."""
ALIKE: Final = 0.8
"""Correlation from which two parts show the same."""
MIN_SHARE: Final = 0.2
"""Fraction of the parts that must show the same: a few do by chance, since points repeat."""
COVERED_SHARE: Final = 0.33
"""Fraction of the parts that must not, for the board to be covered: hands hide up to 0.29."""
HIDDEN_SHARE: Final = 0.2
"""The same if neither board nor checkers were seen there either."""
PAPER_SHARE: Final = 0.08
"""Fraction of the points under something in a checker's color that is none ..."""
PAPER_UNLIKE: Final = 0.1
"""... from which fewer parts suffice."""
COVERED_SECONDS: Final = 1.0
"""How long it must be so: somebody who plays is faster."""
HIDDEN_SECONDS: Final = 60.0
"""How long what was counted may show that something hides the board: a lamp that makes it look like
neither board nor checkers may stay on."""
LOOK_SECONDS: Final = 0.3
"""Interval between two looks."""


class CoverWatch:
    """Notices that something still hides much of a board that is followed nevertheless.

    Two signs of it: the board no longer looks as it did when it was read, or, where it is counted,
    neither board nor checkers show.
    """

    def __init__(self, pose: Pose) -> None:
        """pose: where the board is in all that it is shown."""
        self._board = board_mask(pose, 0.0, small_size(pose))
        self.is_covered = False
        """Whether it has done so for `COVERED_SECONDS`."""
        self.is_hidden = False
        """Whether too little of the board showed when it was last counted."""
        self._is_comparable = True
        """Whether the board was last counted in a clear view, or with something over it."""
        self._hidden_since = inf
        """When something was first counted to hide it, since the newest clear view."""
        self._clear: Image | None = None
        """The newest view in which the board could be read."""
        self._since = self._next_at = inf

    def counted(self, view: Image, counted: DiscCounts, seconds: float) -> None:
        """Note the view in which the checkers were counted so."""
        if counted.readable_share >= OPEN_QUALITY:
            self.is_hidden, self._is_comparable, self._hidden_since = False, True, inf
            return
        is_paper = counted.covered[:24].mean() >= PAPER_SHARE
        least = PAPER_UNLIKE if is_paper else HIDDEN_SHARE
        self.is_hidden = self._is_comparable and self._unlike(view) >= least
        if self.is_hidden:
            self._begin(seconds)
            self._hidden_since = min(self._hidden_since, seconds)

    def read(self, view: Image, counted: DiscCounts, seconds: float) -> None:
        """Note the view of a count while there was no hand."""
        self.counted(view, counted, seconds)
        if counted.readable_share >= OPEN_QUALITY:
            self._clear, self._next_at = view, -inf
            self._end()
        elif not self.is_hidden:
            # In this light the colors are strange: once checkers move, no view is like the last.
            self._is_comparable = False

    def update(self, view: Image, state: MotionState, seconds: float) -> None:
        """Look at a small gray view, (h, w), if nothing moves in it but something may be there."""
        if state.is_moving:
            if self.is_hidden:  # by a hand that goes, perhaps
                self.is_hidden = False
                self._end()
        elif self.is_hidden and seconds - self._hidden_since > HIDDEN_SECONDS:
            self.is_hidden = self._is_comparable = False
            self._end()
        elif self.is_hidden:
            self._begin(seconds)
        elif self._clear is not None and seconds >= self._next_at:
            if not state.has_hand and self._since == inf:
                return
            self._next_at = seconds + LOOK_SECONDS
            if self._unlike(view) >= COVERED_SHARE:
                self._begin(seconds)
            else:
                self._end()

    def _unlike(self, view: Image) -> float:
        """Fraction of the parts that do not show what they did in a clear view; 0 before any."""
        if self._clear is None:
            return 0.0
        alike = _alike(self._clear, view, self._board)
        return 1 - float(alike.mean()) if alike.size else 0.0

    def _begin(self, seconds: float) -> None:
        self._since = min(self._since, seconds)
        self.is_covered = seconds - self._since >= COVERED_SECONDS

    def _end(self) -> None:
        self._since, self.is_covered = inf, False


def is_partly_there(before: Image, now: Image, board: Mask) -> bool:
    """Whether much of the board looks as it did before.

    before, now: (h, w) small gray pictures from one place; board: (h, w) mask of the field.
    """
    alike = _alike(before, now, board)
    return bool(alike.size) and bool(alike.mean() >= MIN_SHARE)


def _alike(before: Image, now: Image, board: Mask) -> Mask:
    """(N,) for each part of the board that showed something before, whether it shows the same."""
    inside = _parts(board).min(axis=1) > 0
    one, other = (_parts(picture)[inside] for picture in (before, now))
    one -= one.mean(axis=1, keepdims=True)
    other -= other.mean(axis=1, keepdims=True)
    shows = one.std(axis=1) > MIN_DETAIL
    spread = np.maximum(one.std(axis=1) * other.std(axis=1), 1.0)
    alike = (one * other).mean(axis=1) / spread > ALIKE
    return np.asarray(alike[shows])


def _parts(picture: NDArray[Any]) -> Floats32:
    """(N, BLOCK * BLOCK) pixels of each whole part of an (h, w) picture."""
    rows, columns = (side // BLOCK for side in picture.shape)
    whole = picture[: rows * BLOCK, : columns * BLOCK].astype(np.float32)
    parts = whole.reshape(rows, BLOCK, columns, BLOCK).swapaxes(1, 2)
    return np.ascontiguousarray(parts.reshape(-1, BLOCK * BLOCK))
