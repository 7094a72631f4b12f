"""Find the dice of one still picture and read them: places, then hypotheses, then evidence.

Candidates come in (`die_candidates`), every one is explained as a die of each value at the best
place, turn and size (`die_kernels`), and `DieSeen` with probabilities goes out. A trained net
would stand in the place of `_read`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from calibration.layout import Layout
from calibration.pose import Pose
from engine.evidence import DieSeen
from vision.die_candidates import Plane, changed_spots, make_plane, pip_spots
from vision.die_kernels import search
from vision.die_rest import Surroundings
from vision.die_template import CROP, SCALE, SIDE, Crops, Faces, Maps, cut, make_faces, measure
from vision.die_weights import COARSE, FINE

Floats = NDArray[np.float64]
Image = NDArray[np.uint8]

LIKELY: Final = -1.7
"""Log-odds by the scores from which a die is told: half of those at the limit are dice."""
# The scores were fitted with 60 candidates a picture; their odds among what is told, and how
# much their differences mean, were fitted on the same odd stills (offset 3.2, slope 2.3, factor
# 0.6) and are held on the doubtful side of that, for other sets than the rendered ones.
_PRIOR: Final = 2.0
_COOLED: Final = 0.6
_SPOTS: Final = 60  # candidates of a whole picture: 93 % of the dice are among them
_CHANGES: Final = 12  # candidates where the empty board is known: two dice, a hand, some shadows
_KEPT: Final = 20  # of which this many are looked at closely
_HOPELESS: Final = -6.0  # log-odds at the first look: 1 % of the dice found have less
_SEEN: Final = 0.95  # of a side is seen flat, edges are rounded: 0.85-1.05
_HELPERS: Final = 3  # values whose best places start the next look
_APART: Final = 0.75  # sides between two dice: closer, they are one seen twice
_NO_CHECKERS: Final = np.zeros((0, 3))


@dataclass(frozen=True, slots=True, eq=False)
class _Reading:
    """The best hypotheses of one candidate."""

    scores: Floats
    """(6,) log-odds of a die of each value against none."""
    centers: Floats
    """(6, 2) image pixels of the upper face's middle."""
    side: float
    """Of the upper face, image pixels."""

    @property
    def best(self) -> int:
        return int(np.argmax(self.scores))

    @property
    def odds(self) -> float:
        """Log-odds of a die against none, by the scores: of all values together."""
        return float(np.logaddexp.reduce(self.scores))

    @property
    def faces(self) -> Floats:
        """(6,) probability of each value; what may be no die at all is spread evenly."""
        cooled = np.exp(_COOLED * (self.scores - self.scores.max()))
        real = 1 / (1 + np.exp(-(self.odds + _PRIOR)))
        return np.asarray(real * cooled / cooled.sum() + (1 - real) / 6)


def find_dice(
    image: Image,
    pose: Pose,
    layout: Layout,
    checkers: Floats | None = None,
    background: Image | None = None,
) -> tuple[DieSeen, ...]:
    """The dice that can be seen, the surest first.

    `image`: (H, W, 3) uint8 BGR of the pose's size; `checkers`: (N, 3) field x, field y and
    radius in field widths of those that are known; `background`: the same board without
    these dice, which makes the search short.
    """
    plane = _plane(pose)
    if background is None:
        spots = pip_spots(plane, image, _SPOTS)
    else:
        spots = changed_spots(plane, image, background, _CHANGES)
    around = Surroundings(pose, layout, _NO_CHECKERS if checkers is None else checkers)
    found = [reading for reading in _read(image, pose, spots) if reading.odds > LIKELY]
    return tuple(_seen(reading, around) for reading in _alone(found))


@lru_cache(maxsize=4)
def _plane(pose: Pose) -> Plane:
    return make_plane(pose)


@lru_cache(maxsize=1)
def _faces() -> Faces:
    return make_faces()


def _offsets(reach: int, step: float, turns: int, turn: float, sizes: int, size: float) -> Floats:
    """(M, 4) all combinations: pixels, pixels, degrees, pixels; each -n..n steps."""
    moves = np.arange(-reach, reach + 1) * step
    angles = np.radians(np.arange(-turns, turns + 1) * turn)
    grid = np.meshgrid(moves, moves, angles, np.arange(-sizes, sizes + 1) * size)
    return np.stack([axis.ravel() for axis in grid], axis=1)


# A square is the same after 90 degrees: steps of 11.25 from -45 to 45 are all turns. Each finer
# look spans the step of the one before.
_GRID: Final = _offsets(4, 2.0, 4, 11.25, 1, 0.9)
_FIRST: Final = _GRID[_GRID[:, 3] != 0]
_LOOKS: Final = (_offsets(1, 1.0, 1, 3.75, 1, 0.9), _offsets(1, 0.5, 1, 1.875, 1, 0.45))


def _read(image: Image, pose: Pose, spots: Floats) -> list[_Reading]:
    """Every promising spot as a die of each value, the most probable first."""
    if not len(spots):
        return []
    crops = cut(image, pose, spots)
    maps = measure(crops)
    middle = (CROP - 1) / 2
    starts = np.tile([0, middle, middle, 0, _SEEN * SCALE], (len(spots), 1))
    starts[:, 0] = np.arange(len(spots))
    scores, places = _search(maps, starts, _FIRST, COARSE, exact=False)
    kept = _distinct(crops, scores, places)
    if not kept:
        return []
    scores, places = scores[kept], places[kept]
    for look in _LOOKS:
        scores, places = _closer(maps, kept, scores, places, look)
    readings = [_reading(crops, *each) for each in zip(kept, scores, places, strict=True)]
    return sorted(readings, key=lambda reading: -float(reading.scores.max()))


def _search(
    maps: Maps, starts: Floats, offsets: Floats, weights: Floats, *, exact: bool
) -> tuple[Floats, Floats]:
    faces = _faces()
    scores, places, _ = search(
        maps, starts, offsets, faces.lattice, faces.patterns, faces.swings, weights, exact
    )
    return scores, places


def _closer(
    maps: Maps, crops: list[int], scores: Floats, places: Floats, look: Floats
) -> tuple[Floats, Floats]:
    """Each value's best around the best places of the three likeliest: they help one another."""
    rows, values = np.arange(len(crops))[:, None], np.arange(6)[None]
    likely = np.argsort(-scores, axis=1)[:, :_HELPERS]
    starts = np.column_stack([np.repeat(crops, _HELPERS), places[rows, likely].reshape(-1, 4)])
    scores, places = _search(maps, starts, look, FINE, exact=True)
    scores, places = scores.reshape(-1, _HELPERS, 6), places.reshape(-1, _HELPERS, 6, 4)
    best = scores.argmax(axis=1)
    return scores[rows, best, values], places[rows, best, values]


def _distinct(crops: Crops, scores: Floats, places: Floats) -> list[int]:
    """The crops that are looked at closely: the best, no two at the same place."""
    kept: list[int] = []
    centers: list[Floats] = []
    best = scores.max(axis=1)
    for crop in np.argsort(-best)[: int(np.sum(best > _HOPELESS))]:
        center = crops.to_image(crop, places[crop, scores[crop].argmax()])
        if all(np.linalg.norm(center - other) > crops.sides[crop] / 2 for other in centers):
            kept.append(int(crop))
            centers.append(center)
        if len(kept) == _KEPT:
            break
    return kept


def _reading(crops: Crops, crop: int, scores: Floats, places: Floats) -> _Reading:
    return _Reading(scores, crops.to_image(crop, places), float(crops.sides[crop]))


def _alone(readings: list[_Reading]) -> list[_Reading]:
    """Free of those that a surer one overlaps."""
    kept: list[_Reading] = []
    for reading in readings:
        center = reading.centers[reading.best]
        gaps = [np.linalg.norm(center - other.centers[other.best]) for other in kept]
        if all(gap > _APART * reading.side for gap in gaps):
            kept.append(reading)
    return kept


def _seen(reading: _Reading, around: Surroundings) -> DieSeen:
    center = reading.centers[reading.best]
    x, y = (float(part) for part in around.pose.locate(center[None], SIDE)[0])
    return DieSeen(
        faces=tuple(float(chance) for chance in reading.faces),
        center=(float(center[0]), float(center[1])),
        board=(x, y),
        flat=around.flatness((x, y)),
        surface=around.surface((x, y)),
    )
