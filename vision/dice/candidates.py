"""Find what may be dice or the doubling cube, and look at each closely.

A trained net marks them on the flat board, `vision/dice/classify.py` tells what each is and reads
the dice, at the size that `vision/dice/size.py` has measured.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from calibration.layout import USUAL_DIE_SIDE
from calibration.pose import Pose
from engine.arrays import Floats, Image
from vision.board.heatmaps import Heat, peaks_and_shoulders, sigmoid
from vision.dice.classify import (
    CUBE_CLASSES,
    FACE_CLASSES,
    SURE_BACKGROUND,
    classify_crops,
    read_dice,
    refine_centers,
)
from vision.dice.size import DieSize
from vision.dice.views import Box, DicePlane, dice_plane
from vision.nets import as_tensor, load_net

FINDER_DIE_PIXELS: Final = 10.5
"""Pixels of a die's side where they are sought."""
STILL_MARGIN: Final = 0.3
"""Field widths around the field where they are sought in a still: the frame and some table."""
MIN_HEAT: Final = 0.2
"""Least heat of a mark that is looked at."""
MAX_CANDIDATES: Final = 20
"""Marks that are looked at, the warmest first."""
MERGE_DISTANCE: Final = 0.7
"""Die sides closer than which two marks are one."""
POSSIBLE_PROBABILITY: Final = 0.5
"""Probability up to which it is in doubt whether a die lies at the mark itself."""
CENTERING_STEPS: Final = 3
"""Times that the middle of a die is looked for from where the last one was found: each goes as far
as the net learnt."""
MIN_RECENTRED_PROBABILITY: Final = 0.75
"""Probability of being a die from which it lies there; chosen on drawn scenes."""
MIN_READ_PROBABILITY: Final = 0.03
"""Probability of being a die from which it is read as one."""
DICE_PER_THROW: Final = 2
"""Dice in a throw: the size is learnt from the likeliest ones, for what else may be a die is mostly
none."""
MIN_RESIZED_PROBABILITY: Final = 0.9
"""Probability of being a die from which one is that shows at the dice's own size alone."""


@dataclass(frozen=True, slots=True, eq=False)
class DieCandidate:
    """One thing that was looked at."""

    place: tuple[float, float]
    """Field coordinates of its middle, at the height of a usual die's upper face."""
    kinds: Floats
    """(13,) probabilities: neither, faces 1..6, cubes showing 2, 4, 8, 16, 32, 64."""
    flat: float
    """Log-odds of lying flat, by its looks alone."""
    side: float = USUAL_DIE_SIDE
    """Of the dice in use, field widths."""

    @property
    def die(self) -> float:
        """Probability of being a die."""
        return float(self.kinds[FACE_CLASSES].sum())

    @property
    def cube(self) -> float:
        """Probability of being a doubling cube."""
        return float(self.kinds[CUBE_CLASSES].sum())


def find_candidates(
    image: Image, pose: Pose, margin: float = STILL_MARGIN
) -> tuple[DieCandidate, ...]:
    """What was looked at in a (H, W, 3) uint8 BGR picture of the pose's size; the surest first."""
    plane = search_plane(pose, margin)
    picture = plane.rectify(image)
    height, width = picture.shape[:2]
    whole = Box(0, 0, width, height)
    return distinct(candidates_in(whole, whole, image, picture, plane, pose, DieSize()), pose)


def search_plane(pose: Pose, margin: float) -> DicePlane:
    """The flat board in which spots are sought; not mirrored, for a cube's numbers are not."""
    return dice_plane(replace(pose, mirrored=False), FINDER_DIE_PIXELS, margin)


def candidates_in(
    box: Box,
    context: Box,
    image: Image,
    picture: Image,
    plane: DicePlane,
    pose: Pose,
    size: DieSize,
) -> list[DieCandidate]:
    """What was looked at in a box of the plane, of which the finder sees a larger one.

    `image`: (H, W, 3) of the pose's size; `picture`: (h, w, 3), the same on the plane; both BGR.
    `size` is measured of the dice here, and they are read at it.
    """
    sought = np.ascontiguousarray(picture[context.part])
    heat = sigmoid(load_net("dice_finder")(as_tensor(sought))[0])
    pixels = np.add(heatmap_peaks(heat), (context.left, context.top))
    places = plane.to_field(pixels[box.holds(pixels)])
    if not len(places):
        return []
    places, kinds = _looked_beside(image, plane.pose, places)
    kinds, flat = _read_at_size(image, plane.pose, places, kinds, size)
    return [
        DieCandidate(
            (1 - float(x) if pose.mirrored else float(x), float(y)), kind, float(look), size.side
        )
        for (x, y), kind, look in zip(places, kinds, flat, strict=True)
    ]


def _read_at_size(
    image: Image, seen: Pose, places: Floats, looked_at: Floats, size: DieSize
) -> tuple[Floats, Floats]:
    """(N, 13) probabilities, what may be dice read at the dice's size; (N,) log-odds of lying flat.

    looked_at: (N, 13) as they show at the usual size.

    What passes for a die at that size alone has to do so clearly.
    """
    kinds, flat = looked_at.copy(), np.zeros(len(looked_at))
    chances = looked_at[:, FACE_CLASSES].sum(axis=1)
    likely = np.flatnonzero(chances > MIN_READ_PROBABILITY)
    if not len(likely):
        return kinds, flat
    thrown = likely[np.argsort(-chances[likely])][:DICE_PER_THROW]
    size.measure(image, seen, places[thrown])
    side = size.side
    at_height = seen.locate(seen.project(places[likely], USUAL_DIE_SIDE), side)
    if not size.is_usual:
        told = classify_crops(image, seen, at_height, side)
        is_one = (chances[likely] > POSSIBLE_PROBABILITY) | (
            told[:, FACE_CLASSES].sum(axis=1) > MIN_RESIZED_PROBABILITY
        )
        kinds[likely[is_one]] = told[is_one]
    size.keep(kinds[thrown, FACE_CLASSES].sum(axis=1))
    kinds[likely, FACE_CLASSES], flat[likely] = read_dice(
        image, seen, at_height, kinds[likely, FACE_CLASSES], side
    )
    return kinds, flat


def _looked_beside(image: Image, seen: Pose, marked: Floats) -> tuple[Floats, Floats]:
    """(N, 2) places of what was marked and (N, 13) probabilities, as `classify_crops` tells them.

    On a die seen from the side the mark may lie on a side face, half a die from the upper one:
    what is perhaps something is looked at where its middle would be if it were a die.
    """
    kinds, places = classify_crops(image, seen, marked), marked.copy()
    doubtful = np.flatnonzero(
        (kinds[:, 0] > POSSIBLE_PROBABILITY) & (kinds[:, 0] < SURE_BACKGROUND)
    )
    if not len(doubtful):
        return places, kinds
    middles = marked[doubtful]
    for _ in range(CENTERING_STEPS):
        middles = refine_centers(image, seen, middles)
    told = classify_crops(image, seen, middles)
    is_one = told[:, FACE_CLASSES].sum(axis=1) > MIN_RECENTRED_PROBABILITY
    places[doubtful[is_one]], kinds[doubtful[is_one]] = middles[is_one], told[is_one]
    return places, kinds


def heatmap_peaks(heat: Heat, faint: float = MIN_HEAT) -> Floats:
    """(N, 2) plane pixels of the warmest marks of either kind."""
    found = [mark for layer in heat for mark in peaks_and_shoulders(layer, faint)]
    found.sort(key=lambda mark: -mark[0])
    return np.array([pixel for _, pixel in found[:MAX_CANDIDATES]]).reshape(-1, 2)


def distinct(spots: Iterable[DieCandidate], pose: Pose) -> tuple[DieCandidate, ...]:
    """The spots, the surest first, without those that are another, surer one seen again."""
    kept: list[DieCandidate] = []
    for spot in sorted(spots, key=lambda one: one.kinds[0]):
        away = (np.subtract(spot.place, other.place) * (1, pose.aspect) for other in kept)
        if all(np.hypot(*step) > MERGE_DISTANCE * USUAL_DIE_SIDE for step in away):
            kept.append(spot)
    return tuple(kept)
