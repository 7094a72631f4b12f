"""Find what may be dice or the doubling cube, and look at each closely: four trained nets.

The first marks them on the flat board, the second says of a close view cut from the camera's own
pixels what it is, the third where a die's middle lies, the fourth which face of it is up there.
`vision/training/` made them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_softmax, softmax

from calibration.pose import Pose
from vision.dice_plane import Box, DicePlane, dice_plane
from vision.die_crop import SIDE_PX, Tensor, cut_crops, quarter_turned
from vision.die_rest import SIDE
from vision.heat import Heat, heat_of_logits, peaks
from vision.nets import Run, as_tensor, load_net

Floats = NDArray[np.float64]
Image = NDArray[np.uint8]

FINDER_SIDE: Final = 10.5
"""Pixels of a die's side where they are sought."""
BESIDE: Final = 0.3
"""Field widths around the field where they are sought in a still: the frame and some table."""
FAINT: Final = 0.2
"""Least heat of a mark that is looked at."""
MOST: Final = 20
"""Marks that are looked at, the warmest first."""
APART: Final = 0.7
"""Die sides closer than which two marks are one."""
RARITY: Final = 3.0
"""Log-odds: of what is marked on a board, far more is nothing than in the crops of training."""
NOTHING: Final = 0.98
"""Probability of being neither from which a second look is spared."""
PERHAPS: Final = 0.5
"""... and up to which what is at the mark itself is told."""
AROUND: Final = 0.4 * np.array([(0, 1), (0, -1), (1, 0), (-1, 0)])
"""Die sides from a mark to where else what it marks may lie."""
CLEARLY: Final = 0.9
"""Probability of being a die from which it lies there."""
LIKELY: Final = 0.1
"""Probability of being a die from which its face is looked at once more."""
FACES_WEIGHT: Final = 0.7
"""What the face net counts there, beside the die net: chosen on crops drawn for training."""
SHARPNESS: Final = 1.2
"""Power by which both together are made surer, as they are right more often than each says: of
1,553 faces at 0.98 and more one was wrong where ten might be. Chosen there too."""
LEAST: Final = 1e-9
ASIDE: Final = 1
"""Pixels of a close view by which further looks lie aside, down and right as they are turned."""
KINDS: Final = 13
FACES: Final = slice(1, 7)
CUBES: Final = slice(7, 13)
CUBE_NUMBERS: Final = (2, 4, 8, 16, 32, 64)


@dataclass(frozen=True, slots=True, eq=False)
class Spot:
    """One thing that was looked at."""

    place: tuple[float, float]
    """Field coordinates of its middle, at the height of a die's upper face."""
    kinds: Floats
    """(13,) probabilities: neither, faces 1..6, cubes showing 2, 4, 8, 16, 32, 64."""
    flat: float
    """Log-odds of lying flat, by its looks alone."""

    @property
    def die(self) -> float:
        """Probability of being a die."""
        return float(self.kinds[FACES].sum())

    @property
    def cube(self) -> float:
        """Probability of being a doubling cube."""
        return float(self.kinds[CUBES].sum())


def find_spots(image: Image, pose: Pose, margin: float = BESIDE) -> tuple[Spot, ...]:
    """What was looked at in a (H, W, 3) uint8 BGR picture of the pose's size; the surest first."""
    plane = plane_of(pose, margin)
    picture = plane.rectify(image)
    height, width = picture.shape[:2]
    whole = Box(0, 0, width, height)
    return distinct(spots_in(whole, whole, image, picture, plane, pose), pose)


def plane_of(pose: Pose, margin: float) -> DicePlane:
    """The flat board in which spots are sought; not mirrored, for a cube's numbers are not."""
    return dice_plane(replace(pose, mirrored=False), FINDER_SIDE, margin)


def spots_in(
    box: Box, context: Box, image: Image, picture: Image, plane: DicePlane, pose: Pose
) -> list[Spot]:
    """What was looked at in a box of the plane, of which the finder sees a larger one.

    `image`: (H, W, 3) of the pose's size; `picture`: (h, w, 3), the same on the plane; both BGR.
    """
    sought = np.ascontiguousarray(picture[context.part])
    heat = heat_of_logits(load_net("dice_finder")(as_tensor(sought))[0])
    pixels = np.add(marks_of(heat), (context.left, context.top))
    places = plane.to_field(pixels[box.holds(pixels)])
    if not len(places):
        return []
    places, kinds, flat = _looked_beside(image, plane.pose, places)
    return [
        Spot((1 - float(x) if pose.mirrored else float(x), float(y)), kind, float(look))
        for (x, y), kind, look in zip(places, kinds, flat, strict=True)
    ]


def _looked_beside(image: Image, seen: Pose, marked: Floats) -> tuple[Floats, Floats, Floats]:
    """(N, 2) places of what was marked, as `look_closely` tells it there.

    On a die seen from the side the mark may lie on a side face, half a die from the upper one:
    what is perhaps something and shows clearly as a die beside its mark lies there.
    """
    kinds, flat = look_closely(image, seen, marked)
    places = marked.copy()
    doubtful = np.flatnonzero((kinds[:, 0] > PERHAPS) & (kinds[:, 0] < NOTHING))
    tries = (marked[doubtful, None] + AROUND * SIDE / (1, seen.aspect)).reshape(-1, 2)
    if not len(tries):
        return places, kinds, flat
    told, look = look_closely(image, seen, tries)
    as_die = told[:, FACES].sum(axis=1).reshape(len(doubtful), len(AROUND))
    for row, spot in enumerate(doubtful):
        best = row * len(AROUND) + int(as_die[row].argmax())
        if as_die[row].max() > CLEARLY:
            places[spot], kinds[spot], flat[spot] = tries[best], told[best], look[best]
    return places, kinds, flat


def look_closely(image: Image, seen: Pose, marked: Floats) -> tuple[Floats, Floats]:
    """What lies at (N, 2) marked places, as the pose `seen` has them.

    (N, 13) probabilities of each kind and (N,) log-odds of lying flat.

    What may be a die or a cube is looked at from all four sides: speckles, glints and digits
    that pass for pips seldom do so every way round. Each further look lies a little aside, another
    way each, for marks err by as much. Only the face of a die is read at its own middle: cut out
    around what would be their middles, other things pass for dice more often.
    """
    net = load_net("die")
    crops = cut_crops(image, seen, marked)
    told = _told(net, crops)
    again = np.flatnonzero(softmax(told[:, :KINDS], axis=1)[:, 0] < NOTHING)
    looks = [_told(net, view) for view in _other_views(crops[again])]
    told[again] = np.mean([told[again], *looks], axis=0)
    kinds = np.asarray(softmax(told[:, :KINDS], axis=1))
    dice = np.flatnonzero(kinds[:, FACES].sum(axis=1) > LIKELY)
    if len(dice):
        centred = cut_crops(image, seen, _centred(crops[dice], marked[dice], seen))
        kinds[dice, FACES] = _second_opinion(kinds[dice, FACES], centred)
    return kinds, told[:, KINDS]


def _other_views(crops: Tensor) -> Iterator[Tensor]:
    """The (N, 5, 48, 48) crops turned by one, two and three quarters, a little aside."""
    for _ in range(3 if len(crops) else 0):
        crops = quarter_turned(crops)
        yield np.roll(crops, (ASIDE, ASIDE), (2, 3))


def _centred(crops: Tensor, places: Floats, seen: Pose) -> Floats:
    """(N, 2) places of the middles of the dice that (N, 5, 48, 48) crops show a little aside."""
    away = load_net("die_centre")(crops)
    return np.asarray(places + away * (1, -1 / seen.aspect) * SIDE / SIDE_PX)


def _second_opinion(faces: Floats, centred: Tensor) -> Floats:
    """(N, 6) probabilities of the faces, weighed with those that the face net gives.

    It learnt from dice alone, glints of lamps on them, and knows nothing of what is no die: what
    each row of `faces` sums to stays. `centred`: (N, 5, 48, 48), cut around the dice's middles.
    """
    sums = faces.sum(axis=1, keepdims=True)
    net = load_net("faces")
    views = (centred, *_other_views(centred))
    looks = [log_softmax(net(view).astype(np.float64), axis=1) for view in views]
    first = np.log(np.maximum(faces / sums, LEAST))
    both = (1 - FACES_WEIGHT) * first + FACES_WEIGHT * np.mean(looks, axis=0)
    return np.asarray(softmax(SHARPNESS * both, axis=1) * sums)


def _told(net: Run, crops: Tensor) -> Floats:
    """(N, 14) log-probabilities of each kind, and log-odds of lying flat."""
    answer = net(crops).astype(np.float64)
    answer[:, 0] += RARITY
    answer[:, :KINDS] = log_softmax(answer[:, :KINDS], axis=1)
    return answer


def marks_of(heat: Heat, faint: float = FAINT) -> Floats:
    """(N, 2) plane pixels of the warmest marks of either kind."""
    found = [mark for layer in heat for mark in peaks(layer, faint)]
    found.sort(key=lambda mark: -mark[0])
    return np.array([pixel for _, pixel in found[:MOST]]).reshape(-1, 2)


def distinct(spots: Iterable[Spot], pose: Pose) -> tuple[Spot, ...]:
    """The spots, the surest first, without those that are another, surer one seen again."""
    kept: list[Spot] = []
    for spot in sorted(spots, key=lambda one: one.kinds[0]):
        away = (np.subtract(spot.place, other.place) * (1, pose.aspect) for other in kept)
        if all(np.hypot(*step) > APART * SIDE for step in away):
            kept.append(spot)
    return tuple(kept)
