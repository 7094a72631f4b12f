"""Counts the checkers of a set whose colors were learned: log-likelihoods of every count.

A strip is explained by discs of one color at least a diameter apart; the best arrangement for each
number of discs is found exactly, by dynamic programming, and its log-likelihood ratio against the
empty strip is the evidence for that number.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

import cv2
import numba
import numpy as np

from calibration.appearance import Appearance, Colours
from calibration.grid import Grid
from calibration.layout import Layout
from calibration.strips import STRIP_WIDTH, bar_strip, point_strip, strip_origin
from engine import Side
from engine.arrays import Floats, Floats32, Ints, Mask
from engine.evidence.observation import CELLS, COUNTS, DARK_BAR, FIRST_LAYER, LIGHT_BAR
from engine.position import CHECKERS

IMPOSSIBLE: Final = -1e3
INDEPENDENT_PIXELS: Final = 8.0
"""Number of a disc's pixels that err independently; its other 500 follow them."""
MIN_SPACING: Final = 0.94
"""Diameters between two centers in a column: discs cannot overlap; offset sideways by a third of a
diameter, they are 0.94 apart."""
GAP_COST: Final = 0.25
"""Log-likelihood lost per pixel of felt in a column: players close gaps."""
CENTER_MARGIN: Final = STRIP_WIDTH // 2 - 8
"""A center is within 8 pixels (0.3 point widths) of the center line."""
SECOND_LAYER_COST: Final = 1.5
"""Log-likelihood lost by the first hidden checker."""
HIDDEN_CHECKER_COST: Final = 0.7
"""The same for each further one."""
EARLY_STACK_COST: Final = 7.0
"""The same for a second layer on a row that is not full."""
MIN_BAR_WIDTH: Final = 0.3
"""Point widths of a bar on which checkers are distinguishable from their neighbors."""
LINE_BAR_LOG_LIKELIHOOD: Final = -1.0
"""Log-likelihood of each checker on a narrower bar, where colors are no evidence."""
SIDES_SHARE: Final = 0.15
"""Fraction of a strip that the checkers' own sides, shadows and a set's outlines cover."""
HIDDEN_SHARE: Final = 0.3
"""Fraction of a strip's pixels under a hand, beyond those, from which it is no longer evidence."""
UNREADABLE_SHARE: Final = 0.5
"""Fraction of the evidence on points at which, if it is lost, a reading is worthless."""
GAP_REACH: Final = 2.0
"""Side, in diameters, of a square that does not show checkers' colors alone, however closely they
lie: there are gaps between round ones ..."""
MIN_GAPS: Final = 0.02
"""... of at least this fraction of it. A sheet of paper of such a color leaves none."""
FELT_STEP: Final = 28.0
"""Color distance from the learned board, apart from what the lamp changes everywhere, within which
a pixel shows it."""


_shown, _all = np.arange(1, CHECKERS + 1)[:, None], np.arange(1, CHECKERS + 1)[None]
_BENEATH: Final[Floats] = np.where(
    _all > _shown,
    -SECOND_LAYER_COST
    - HIDDEN_CHECKER_COST * (_all - _shown)
    - np.where(_shown < FIRST_LAYER, EARLY_STACK_COST, 0.0),
    IMPOSSIBLE,
)
"""(15, 15) log-likelihood lost, by how many are visible and how many there are."""


def best_columns(gain: Floats, apart: int, most: int, slack: float) -> tuple[Floats, list[Ints]]:
    """Totals of the best 1..n centers at least `apart` rows from each other, and those rows.

    `gain`: (rows,) the contribution of a disc centered there; `slack` is lost per row by which the
    column is longer than its touching discs, counted from row 0. n ends at `most` or when no
    further disc fits.
    """
    totals, rows = _best(gain, apart, min(most, -(-len(gain) // apart)), slack)
    return totals, [rows[n, : n + 1] for n in range(len(totals))]


@numba.njit(cache=True)
def _best(gain: Any, apart: int, most: int, slack: float) -> Any:
    """Totals of the best 1..most discs, and a table with the n + 1 places of the best in row n."""
    length = len(gain)
    best = gain.copy()
    totals = np.empty(most)
    places = np.zeros((most, most), np.intp)
    came_from = np.zeros((most, length), np.intp)
    for count in range(most):
        end, top = 0, -np.inf
        for row in range(length):
            value = best[row] - slack * max(0.0, row - (count + 0.5) * apart)
            if value > top:
                end, top = row, value
        totals[count] = top
        for disc in range(count, -1, -1):
            places[count, disc] = end
            if disc:
                end = came_from[disc - 1, max(0, end - apart)]
        # The best end with one disc fewer, at or before each row, and its place.
        following = np.full(length, IMPOSSIBLE)
        reached, source = -np.inf, 0
        for row in range(length):
            if best[row] >= reached:
                reached, source = best[row], row
            came_from[count, row] = source
            if row + apart < length:
                following[row + apart] = reached + gain[row + apart]
        best = following
    return totals, places


@dataclass(frozen=True, slots=True, eq=False)
class DiscCounts:
    """The evidence in one picture and how the columns were explained."""

    counts: Floats32
    """(28, 31) log-likelihoods, in the order of `engine.evidence.observation`."""
    hidden: Floats32
    """(28,) fraction of each cell's pixels that are neither board nor checker, or, if more, that a
    hand hides by `vision.checkers.occlusion`."""
    columns: dict[tuple[int, Side], list[Floats]]
    """For each cell and side, the (n, 2) rectified centers of its best 1, 2, .. discs."""
    mixed: dict[int, tuple[int, int]] = field(default_factory=dict)
    """The number of light and dark checkers on each point that holds both, if that was checked."""
    doubt: float = 0.0
    """How much the checkers' net doubts the picture, see `vision.checkers.temperature`; 0 in a
    video."""
    covered: Floats32 = field(default_factory=lambda: np.zeros(CELLS, np.float32))
    """(28,) fraction of each cell's pixels under something in a checker's color that is none;
    `hidden` includes it."""

    board: Ints | None = None
    """(28,) signed counts of the likeliest board as a whole, if it was sought."""

    @property
    def readable_share(self) -> float:
        """How much of the evidence on the points counts, 0 to 1; see `UNREADABLE_SHARE`."""
        lost = 1 - open_share(self.hidden[:24] - SIDES_SHARE)
        return float(np.clip(1 - lost.mean() / UNREADABLE_SHARE, 0, 1))

    @property
    def chances(self) -> Floats:
        """(28, 31) probabilities of every count, cell by cell; uniform if nothing is visible."""
        raised = np.exp(self.counts - self.counts.max(axis=1, keepdims=True), dtype=np.float64)
        return np.asarray(raised / raised.sum(axis=1, keepdims=True))

    @property
    def most_likely(self) -> Ints:
        """(28,) the most probable signed counts, for display; inference needs all of them.

        Of the board as a whole if it was sought, else of each cell.
        """
        if self.board is not None:
            return self.board
        return np.asarray(self.counts.argmax(axis=1) - CHECKERS)

    def centers(self, cell: int, count: int) -> Floats:
        """(n, 2) rectified centers of the visible checkers for signed `count` in `cell`."""
        side = Side.LIGHT if count > 0 else Side.DARK
        arrangements = self.columns.get((cell, side), [])
        if not count or not arrangements:
            return np.zeros((0, 2))
        return arrangements[min(abs(count), len(arrangements)) - 1]


def checker_discs(counted: DiscCounts, grid: Grid, diameter: float) -> Floats:
    """(N, 3) field x, y and radius in field widths of the checkers most probably on points."""
    best = counted.most_likely
    found = [counted.centers(cell, int(best[cell])) for cell in range(24)]
    places = grid.to_field(np.concatenate(found))
    radius = diameter / 2 / grid.field_size[0]
    return np.column_stack([places, np.full(len(places), radius)])


def count_checkers(colours: Colours, grid: Grid, appearance: Appearance) -> DiscCounts:
    """The evidence in the (h, w, 3) perceptual colors of a rectified picture."""
    ratios, strange = appearance.evidence(colours)
    cover = _cover(colours, ratios, appearance)
    strange |= cover
    means = {side: _disc_means(ratios[side], appearance.diameter) for side in Side}
    counts = np.zeros((CELLS, COUNTS), np.float32)
    hidden, covered = np.zeros((2, CELLS), np.float32)
    columns: dict[tuple[int, Side], list[Floats]] = {}
    for cell in range(24):
        hidden[cell] = point_strip(strange, grid, cell + 1).mean()
        covered[cell] = point_strip(cover, grid, cell + 1).mean()
        for side in Side:
            strip = point_strip(means[side], grid, cell + 1)[:, CENTER_MARGIN:-CENTER_MARGIN]
            aside = strip.argmax(axis=1)
            best = strip[np.arange(len(strip)), aside]
            totals, rows = _point_columns(best, appearance.diameter)
            _enter(counts[cell], side, _with_hidden_layers(totals))
            middles = _middles(aside, grid, cell + 1)
            columns[cell, side] = [middles[each] for each in rows]
    for cell, side in ((LIGHT_BAR, Side.LIGHT), (DARK_BAR, Side.DARK)):
        hidden[cell] = bar_strip(strange, grid).mean()
        covered[cell] = bar_strip(cover, grid).mean()
        lane = bar_strip(means[side], grid) if has_bar(grid.layout) else None
        _enter(counts[cell], side, _bar_totals(lane, appearance.diameter))
        _enter(counts[cell], side.other, np.full(CHECKERS, IMPOSSIBLE))
    counts *= open_share(hidden - SIDES_SHARE)[:, None]
    return DiscCounts(counts, hidden, columns, covered=covered)


def has_bar(layout: Layout) -> bool:
    """Whether the bar is more than a line."""
    return layout.bar >= MIN_BAR_WIDTH * layout.point_width


def open_share(hidden: Floats32) -> Floats32:
    """(N,) 0..1: how much of the evidence counts in strips of which so much is hidden."""
    return np.asarray(np.clip(1 - hidden / HIDDEN_SHARE, 0, 1), np.float32)


def _cover(colours: Colours, ratios: dict[Side, Floats32], appearance: Appearance) -> Mask:
    """(h, w) mask of large areas in a checker's color, but without gaps between checkers."""
    square = (round(GAP_REACH * appearance.diameter),) * 2
    is_gap = (ratios[Side.LIGHT] < 0) & (ratios[Side.DARK] < 0)
    if not _gapless(is_gap, square).any():
        return np.zeros(is_gap.shape, np.bool_)
    step = colours - appearance.background
    lamp = np.median(step[::4, ::4].reshape(-1, 3), axis=0)  # felt in its light may look like one
    cover = _gapless(is_gap | (np.square(step - lamp).sum(axis=2) < FELT_STEP**2), square)
    # The squares without gaps, whole.
    return cv2.dilate(cover.astype(np.uint8), np.ones(square, np.uint8)).astype(np.bool_)


def _gapless(is_gap: Mask, square: tuple[int, int]) -> Mask:
    """(h, w) mask of the middles of squares without gaps."""
    return np.asarray(cv2.blur(is_gap.astype(np.float32), square) < MIN_GAPS)


def _enter(row: Floats32, side: Side, totals: Floats) -> None:
    """Write the log-likelihoods of 1..15 checkers of a side into a (31,) row of signed counts."""
    if side is Side.LIGHT:
        row[CHECKERS + 1 :] = totals
    else:
        row[:CHECKERS] = totals[::-1]


def _disc_means(ratios: Floats32, diameter: float) -> Floats32:
    """(h, w) mean ratio over the disc centered at each pixel."""
    reach = int(np.ceil(diameter / 2))
    y, x = np.mgrid[-reach : reach + 1, -reach : reach + 1]
    disc = (x * x + y * y <= (diameter / 2) ** 2).astype(np.float32)
    return np.asarray(
        cv2.filter2D(ratios, cv2.CV_32F, disc / disc.sum(), borderType=cv2.BORDER_REPLICATE)
    )


def _point_columns(best: Floats32, diameter: float) -> tuple[Floats, list[Ints]]:
    """The likeliest discs of a point, given the (rows,) best ratio in each row of its strip."""
    gain = INDEPENDENT_PIXELS * best.astype(np.float64)
    gain[np.arange(len(best)) < 0.3 * diameter] = IMPOSSIBLE  # a checker cannot be in the rail
    return best_columns(gain, round(MIN_SPACING * diameter), FIRST_LAYER + 1, GAP_COST)


def _middles(aside: Ints, grid: Grid, point: int) -> Floats:
    """(rows, 2) rectified pixels of the likeliest center in each row of a point's strip."""
    (left, first), step = strip_origin(grid, point)
    x = left + CENTER_MARGIN + aside
    return np.stack([x, first + step * np.arange(len(aside))], axis=1).astype(float)


def _with_hidden_layers(totals: Floats) -> Floats:
    """(15,) log-likelihoods of 1..15 checkers if only the first layer is visible."""
    alone = np.full(CHECKERS, IMPOSSIBLE)
    alone[: len(totals)] = totals
    stacked = totals[:, None] + _BENEATH[: len(totals)]
    return np.asarray(np.maximum(alone, stacked.max(axis=0)))


def _bar_totals(strip: Floats32 | None, diameter: float) -> Floats:
    """(15,) log-likelihoods of 1..15 checkers of one side on the bar; strip: None for a line."""
    if strip is None:
        return np.asarray(LINE_BAR_LOG_LIKELIHOOD * np.arange(1.0, CHECKERS + 1))
    inner = strip[:, CENTER_MARGIN:-CENTER_MARGIN].max(axis=1)
    gain = INDEPENDENT_PIXELS * inner.astype(np.float64)
    totals, _ = best_columns(gain, round(MIN_SPACING * diameter), CHECKERS, 0.0)
    return np.concatenate([totals, np.full(CHECKERS - len(totals), IMPOSSIBLE)])
