"""Which side each checker belongs to, by the two colors of the set.

The net tells light from dark point by point. If one end of the board is in shadow, or red meets
green of the same lightness, comparing the points' colors with each other is more reliable. The
colors also reveal a point that holds both sides: a forgotten hit, or a misplaced checker.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, log_expit

from calibration.grid import Grid
from calibration.known_position import USUAL_DIAMETER, column
from engine.arrays import Floats, Floats32, Image, Ints
from engine.evidence.observation import FIRST_LAYER
from engine.position import CHECKERS

MIN_DISTANCE_RATIO: Final = 2.5
"""How many times nearer a checker must be to one of the set's colors than to the other."""
MAX_OWN_SIDE_DISTANCE: Final = 6.0
"""Maximum distance of a checker's color from the nearest of its side, in Lab with the lightness
scaled: on real boards nine in ten are within it. Anything unlike either side is not a checker but
the board beside a row, or the sides are confused."""
TRUSTED_SIDE_PROBABILITY: Final = 0.98
"""Probability that a point belongs to one side from which the net is trusted."""
CORE_SHARE: Final = 0.25
"""Fraction of a checker's diameter around its center from which the color is taken."""
LIGHTNESS_WEIGHT: Final = 0.5
"""Weight of a step in lightness relative to one in hue: shadows change the former."""
COLOUR_NOISE: Final = 6.0
"""Spread of one side's colors, in Lab, added to the measured one: sides closer than this are not
distinguished. Chosen on drawn boards from 3 to 10, which matters little, as for the next."""
COLOUR_EVIDENCE_WEIGHT: Final = 0.6
"""Weight of each color relative to its weight if points erred independently: a lamp changes
many."""
MAX_SIDE_LOG_ODDS: Final = 6.0
"""Maximum log-odds from either the net's reading of a point or the point's color."""
LAMP_SPREAD: Final = 15.0
"""Spread, in Lab, of the difference between the sides under one lamp, given another lamp's."""
EM_ITERATIONS: Final = 8
DARK_COUNTS, LIGHT_COUNTS = slice(0, CHECKERS), slice(CHECKERS + 1, None)
"""Slices of rows of signed counts."""


def mixed_points(picture: Image, grid: Grid, chances: Floats) -> dict[int, tuple[int, int]]:
    """The number of light and dark checkers on each of the 24 cells that holds both.

    `picture`: (h, w, 3) uint8 BGR as rectified by `grid`; `chances`: (26, 31) of signed counts,
    from the net. Tall stacks, which hide their lower layers, are left out.
    """
    counts = chances[:24].argmax(axis=1) - CHECKERS
    light_share, dark_share = (chances[:, p].sum(axis=1) for p in (LIGHT_COUNTS, DARK_COUNTS))
    discs = {
        int(cell): disc_colours(picture, grid, int(cell) + 1, abs(int(counts[cell])))
        for cell in np.flatnonzero(counts)
    }
    found = {}
    for cell, colours in discs.items():
        settled = max(light_share[cell], dark_share[cell]) > TRUSTED_SIDE_PROBABILITY
        if not settled and len(colours) == abs(counts[cell]) <= FIRST_LAYER:
            others = {other: discs[other] for other in discs if other != cell}
            to_light = _distances(colours, [others[other] for other in others if counts[other] > 0])
            to_dark = _distances(colours, [others[other] for other in others if counts[other] < 0])
            is_light = MIN_DISTANCE_RATIO * to_light < to_dark
            is_dark = MIN_DISTANCE_RATIO * to_dark < to_light
            known = (np.minimum(to_light, to_dark) < MAX_OWN_SIDE_DISTANCE).all()
            if known and (is_light | is_dark).all() and is_light.any() and is_dark.any():
                found[cell] = (int(is_light.sum()), int(is_dark.sum()))
    return found


def _distances(colours: Floats, groups: list[Floats]) -> Floats:
    """(N,) from each color to the nearest of one side's, which vary over the board."""
    seen = np.concatenate([np.full((1, 3), np.inf), *groups])
    return np.asarray(np.linalg.norm(colours[:, None] - seen[None], axis=2).min(axis=1))


def side_colours_lab(picture: Image, grid: Grid, counts: Ints) -> Floats | None:
    """(2, 3) Lab colors of light's and dark's checkers in a picture of 24 known signed `counts`.

    None if a side has none on the 24 points.
    """
    held = [np.flatnonzero(counts * sign > 0) for sign in (1, -1)]
    if not all(len(side) for side in held):
        return None
    return np.stack([np.median(_colours(picture, grid, counts, side), axis=0) for side in held])


def side_colours_bgr(picture: Image, grid: Grid, counts: Ints) -> Floats | None:
    """(2, 3) BGR of light's and dark's checkers, as found by `side_colours_lab`."""
    sides = [[_cores(picture, grid, int(cell) + 1, abs(int(counts[cell])))
              for cell in np.flatnonzero(counts * sign > 0)] for sign in (1, -1)]  # fmt: skip
    held = [np.concatenate([np.zeros((0, 3)), *side]) for side in sides]
    if not all(len(side) for side in held):
        return None
    return np.stack([np.median(side, axis=0) for side in held])


def refine_with_colours(
    picture: Image, grid: Grid, chances: Floats, known: Floats | None = None
) -> Floats:
    """(26, 31) probabilities of signed counts in which points of one color are one side's.

    `picture`: (h, w, 3) uint8 BGR as rectified by `grid`; `known`: the set's colors, perhaps
    under another lamp, as from `side_colours_lab`. The net's evidence of each point's owner and
    that of its color are weighed; the latter is weak if the sides' colors hardly differ.
    """
    counts = chances[:24].argmax(axis=1) - CHECKERS
    held = np.flatnonzero(counts)
    if len(held) < 3:
        return chances
    colours = _colours(picture, grid, counts, held)
    light, dark = (chances[held, part].sum(axis=1) for part in (LIGHT_COUNTS, DARK_COUNTS))
    votes = np.log((light + 1e-6) / (dark + 1e-6)).clip(-MAX_SIDE_LOG_ODDS, MAX_SIDE_LOG_ODDS)
    by_colour = _likeliest(colours, votes, known).odds.clip(-MAX_SIDE_LOG_ODDS, MAX_SIDE_LOG_ODDS)
    out = chances.copy()
    for cell, odds in zip(held, votes + by_colour, strict=True):
        out[cell] = _shared(chances[cell], float(odds))
    return out


class _Clustering(NamedTuple):
    """Points split into light's and dark's."""

    odds: Floats
    """(N,) log-odds of each point being light's, by its color."""
    means: Floats
    """(2, 3) colors of light and of dark."""
    likelihood: float
    """Log-likelihood of the colors, for comparison with other clusterings of the same points."""

    def likelihood_in(self, known: Floats) -> float:
        """The same, given known (2, 3) colors of the set, perhaps under another lamp."""
        strange = (self.means[0] - self.means[1]) - (known[0] - known[1])
        return self.likelihood - float(strange @ strange) / (2 * LAMP_SPREAD**2)


def _likeliest(colours: Floats, votes: Floats, known: Floats | None) -> _Clustering:
    """The likeliest of the clusterings that start from the votes and from two unlike colors.

    For reds and greens of one lightness, the votes alone may lead to a wrong optimum.
    """
    far = np.linalg.norm(colours[:, None] - colours[None], axis=2)
    one, two = np.unravel_index(far.argmax(), far.shape)
    unlike = np.where(far[one] > far[two], MAX_SIDE_LOG_ODDS, -MAX_SIDE_LOG_ODDS)
    clusterings = [_cluster(colours, votes, start) for start in (votes, unlike, -unlike)]
    if known is None:
        return max(clusterings, key=lambda clustering: clustering.likelihood)
    return max(clusterings, key=lambda clustering: clustering.likelihood_in(known))


def _cluster(colours: Floats, votes: Floats, start: Floats) -> _Clustering:
    """The clustering of (N, 3) colors, given each one's votes and log-odds to start from.

    Expectation-maximization (Dempster 1977) of two normal distributions with a common covariance,
    so that what varies with the light on both sides does not separate them.
    """
    odds = start
    for _ in range(EM_ITERATIONS):
        owners = expit(np.stack([odds, -odds]))
        means = owners @ colours / np.maximum(owners.sum(axis=1), 1e-6)[:, None]
        away = colours[None] - means[:, None]
        spread = np.einsum("kn,kni,knj->ij", owners, away, away) / len(colours)
        spread += COLOUR_NOISE**2 * np.eye(3)
        squares = np.einsum("kni,ij,knj->kn", away, np.linalg.inv(spread), away)
        by_colour = COLOUR_EVIDENCE_WEIGHT * (squares[1] - squares[0]) / 2
        odds = votes + by_colour
    logs = log_expit(np.stack([votes, -votes])) - COLOUR_EVIDENCE_WEIGHT * squares / 2
    volume = np.linalg.slogdet(spread)[1] / 2
    likelihood = np.logaddexp(*logs).sum() - COLOUR_EVIDENCE_WEIGHT * len(colours) * volume
    return _Clustering(by_colour, means, float(likelihood))


def _colours(picture: Image, grid: Grid, counts: Ints, held: Ints) -> Floats:
    """(N, 3) colors of the checkers on each of the cells `held`; 0 if none is visible."""
    discs = [disc_colours(picture, grid, int(cell) + 1, abs(int(counts[cell]))) for cell in held]
    colours = [np.median(each, axis=0) if len(each) else np.zeros(3) for each in discs]
    return np.array(colours).reshape(-1, 3)


def disc_colours(picture: Image, grid: Grid, point: int, count: int) -> Floats:
    """(N, 3) Lab colors of a point's checkers, rail first, lightness scaled; of the first layer."""
    seen = _cores(picture, grid, point, count)
    return lab_of(seen[None])[0].astype(np.float64) if len(seen) else seen


def lab_of(picture: NDArray[np.floating | np.uint8]) -> Floats32:
    """(h, w, 3) Lab of (h, w, 3) BGR in 0..255, lightness scaled."""
    lab = cv2.cvtColor(picture.astype(np.float32) / np.float32(255), cv2.COLOR_BGR2LAB)
    return np.asarray(lab * np.array((LIGHTNESS_WEIGHT, 1, 1), np.float32), np.float32)


def _cores(picture: Image, grid: Grid, point: int, count: int) -> Floats:
    """(N, 3) BGR at the centers of a point's checkers, rail first; of the first layer."""
    reach = round(CORE_SHARE * USUAL_DIAMETER)
    middles = np.rint(column(grid, point, min(count, FIRST_LAYER), USUAL_DIAMETER)).astype(int)
    far = np.array(picture.shape[1::-1]) - reach
    middles = middles[((middles >= reach) & (middles < far)).all(axis=1)]
    if not len(middles):
        return np.zeros((0, 3))
    span = np.arange(-reach, reach + 1)
    rows, columns = (middles[:, axis, None] + span for axis in (1, 0))
    cores = picture[rows[:, :, None], columns[:, None]].reshape(len(middles), -1, 3)
    return np.asarray(np.median(cores, axis=1), np.float64)


def _shared(row: Floats, odds: float) -> Floats:
    """The row with light and dark weighted by `odds`; the probability of empty is unchanged."""
    light, dark = row[LIGHT_COUNTS], row[DARK_COUNTS]
    held = float(light.sum() + dark.sum())
    shape = light + dark[::-1]  # the number of checkers does not depend on their owner
    share = 1 / (1 + np.exp(-odds))
    out = row.copy()
    out[LIGHT_COUNTS] = shape / max(shape.sum(), 1e-12) * held * share
    out[DARK_COUNTS] = (shape / max(shape.sum(), 1e-12) * held * (1 - share))[::-1]
    return out
