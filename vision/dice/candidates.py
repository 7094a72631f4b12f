"""Candidates for dice and the doubling cube: found on the flat board, classified close up.

The `dice_finder` net marks places on the flat board; `vision/dice/classify.py` classifies them and
reads the dice, at the size measured by `vision/dice/size.py`; `vision/dice/cubes.py` reads cubes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import exp
from typing import Final

import numpy as np

from calibration.layout import USUAL_DIE_SIDE
from calibration.pose import Pose
from engine.arrays import Floats, Floats32, Image
from vision.board.heatmaps import STRIDE, peaks_and_shoulders, sigmoid
from vision.dice.classify import (
    CLEAR_BACKGROUND_PROBABILITY,
    CUBE_CLASSES,
    FACE_CLASSES,
    classify_crops,
    read_dice,
    refine_centers,
)
from vision.dice.cubes import read_cubes
from vision.dice.size import DieSize
from vision.dice.views import Box, DicePlane, dice_plane
from vision.nets import as_tensor, load_net

FINDER_DIE_PIXELS: Final = 10.5
"""Pixels of a die's side in the finder's picture."""
STILL_MARGIN: Final = 0.3
"""Field widths around the field that are searched in a still: the frame and some of the table."""
MIN_HEAT: Final = 0.2
"""Minimum heat of a peak that becomes a candidate."""
BAR_LOG_ODDS: Final = 1.0
"""Added to the log-odds of a cube along the middle of the board; chosen on drawn scenes."""
HALF_BAR: Final = 0.06
"""Field widths on either side of the middle where cubes lie more often."""
MAX_DIE_CANDIDATES: Final = 24
"""Maximum number per picture, hottest first."""
MERGE_DISTANCE: Final = 0.7
"""Die sides within which two candidates are one."""
POSSIBLE_PROBABILITY: Final = 0.5
"""Probability of being a die; at or below it, a peak leaves a candidate uncertain."""
CENTERED_BACKGROUND: Final = 0.1
"""Probability of being neither die nor cube up to which a peak is at the center of one ..."""
HOT_PEAK: Final = 0.35
"""... and the heat from which one may be near even if the net is sure that none is at the peak."""
CENTERING_STEPS: Final = 3
"""Number of times that a die's center is refined, each time from the previous one."""
MIN_RECENTRED_PROBABILITY: Final = 0.75
"""Probability of being a die from which the refined center is used; chosen on drawn scenes."""
MIN_READ_PROBABILITY: Final = 0.03
"""Probability of being a die from which a candidate is read as one."""
DICE_PER_THROW: Final = 2
"""The size is measured on the likeliest two: other candidates are usually not dice."""
MIN_RESIZED_PROBABILITY: Final = 0.9
"""Probability of being a die, for a candidate that is one only at the dice's own size."""


@dataclass(frozen=True, slots=True, eq=False)
class DieCandidate:
    """A classified place that may show a die or a cube."""

    place: tuple[float, float]
    """Field coordinates of its center, at the height of a typical die's upper face."""
    class_probabilities: Floats
    """(13,) probabilities: neither, faces 1..6, cubes showing 2, 4, 8, 16, 32, 64."""
    flat_log_odds: float
    """Log-odds of lying flat, by its appearance alone."""
    side: float = USUAL_DIE_SIDE
    """Side of the dice in use, in field widths."""

    @property
    def die_probability(self) -> float:
        """Probability of being a die."""
        return float(self.class_probabilities[FACE_CLASSES].sum())

    def cube_probability(self, log_odds: float = 0.0) -> float:
        """Probability of being a doubling cube; `log_odds` are added against background."""
        background = float(self.class_probabilities[0])
        cube = float(self.class_probabilities[CUBE_CLASSES].sum())
        return cube / (1 - background + background * exp(-log_odds))


def find_candidates(
    image: Image, pose: Pose, margin: float = STILL_MARGIN
) -> tuple[DieCandidate, ...]:
    """The candidates in an (H, W, 3) uint8 BGR picture of the pose's size, most certain first.

    `margin`: field widths around the field that are searched as well.
    """
    plane = search_plane(pose, margin)
    picture = plane.rectify(image)
    height, width = picture.shape[:2]
    whole = Box(0, 0, width, height)
    return distinct(candidates_in(whole, whole, image, picture, plane, pose, DieSize()), pose)


def search_plane(pose: Pose, margin: float) -> DicePlane:
    """The plane that is searched; never mirrored, because a cube's numbers are not."""
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
    """The candidates in a box of the plane; the finder sees the larger box `context`.

    `image`: (H, W, 3) of the pose's size; `picture`: (h, w, 3), the same on the plane; both BGR.
    `size` is updated with the dice found here, and they are read at that size.
    """
    searched = np.ascontiguousarray(picture[context.part])
    logits = load_net("dice_finder")(as_tensor(searched))[0]
    heats, peaks = heatmap_peaks(sigmoid(_favouring_bar(logits, plane, context.left)))
    pixels = np.add(peaks, (context.left, context.top))
    inside = box.holds(pixels)
    places = plane.to_field(pixels[inside])
    if not len(places):
        return []
    places, classes = _classify_at_centers(image, plane.pose, places, heats[inside])
    classes, flat = _read_at_size(image, plane.pose, places, classes, size)
    return [
        DieCandidate(
            (1 - float(x) if pose.mirrored else float(x), float(y)), own, float(odds), size.side
        )
        for (x, y), own, odds in zip(places, classes, flat, strict=True)
    ]


def _favouring_bar(logits: Floats32, plane: DicePlane, left: int) -> Floats32:
    """The (2, h, w) log-odds of dice and of cubes, with those of cubes raised along the middle.

    `left`: the plane's column at which they begin.
    """
    columns = left + STRIDE * np.arange(logits.shape[2]) + (STRIDE - 1) / 2
    x = plane.to_field(np.column_stack([columns, np.zeros_like(columns)]))[:, 0]
    odds = np.where(np.abs(x - 0.5) < HALF_BAR, np.float32(BAR_LOG_ODDS), np.float32(0))
    return np.stack([logits[0], logits[1] + odds])


def _read_at_size(
    image: Image, pose: Pose, places: Floats, at_usual_size: Floats, size: DieSize
) -> tuple[Floats, Floats]:
    """(N, 13) class probabilities with dice read at their own size; (N,) log-odds of lying flat.

    `at_usual_size`: (N, 13) class probabilities at the usual size.
    """
    classes, flat = at_usual_size.copy(), np.zeros(len(at_usual_size))
    chances = at_usual_size[:, FACE_CLASSES].sum(axis=1)
    likely = np.flatnonzero(chances > MIN_READ_PROBABILITY)
    if not len(likely):
        return classes, flat
    likeliest = likely[np.argsort(-chances[likely])][:DICE_PER_THROW]
    size.measure(image, pose, places[likeliest])
    side = size.side
    at_height = pose.locate(pose.project(places[likely], USUAL_DIE_SIDE), side)
    if not size.is_usual:
        resized = classify_crops(image, pose, at_height, side)
        is_die = (chances[likely] > POSSIBLE_PROBABILITY) | (
            resized[:, FACE_CLASSES].sum(axis=1) > MIN_RESIZED_PROBABILITY
        )
        classes[likely[is_die]] = resized[is_die]
    # At a size that something else has suggested, no die may be certain.
    at_size = classes[likeliest, FACE_CLASSES].sum(axis=1)
    size.confirm(np.maximum(chances[likeliest], at_size))
    classes[likely, FACE_CLASSES], flat[likely] = read_dice(
        image, pose, at_height, classes[likely, FACE_CLASSES], side
    )
    return classes, flat


def _classify_at_centers(
    image: Image, pose: Pose, peaks: Floats, heats: Floats
) -> tuple[Floats, Floats]:
    """(N, 2) places and (N, 13) class probabilities of the candidates at (N, 2) peaks.

    For a die seen obliquely the peak may be on a side face, half a die from the upper one:
    uncertain candidates are classified again at centers refined from the peak and from behind it.
    """
    classes, places = classify_crops(image, pose, peaks), peaks.copy()
    classes = read_cubes(image, pose, peaks, classes)
    may_be_off = (classes[:, 0] < CLEAR_BACKGROUND_PROBABILITY) | (heats > HOT_PEAK)
    uncertain = np.flatnonzero((classes[:, 0] > CENTERED_BACKGROUND) & may_be_off)
    if not len(uncertain):
        return places, classes
    hot = uncertain[heats[uncertain] > HOT_PEAK]
    centers = np.concatenate([peaks[uncertain], _behind_side_faces(pose, peaks[hot])])
    for _ in range(CENTERING_STEPS):
        centers = refine_centers(image, pose, centers)
    recentred = classify_crops(image, pose, centers)
    for index, center, found in zip((*uncertain, *hot), centers, recentred, strict=True):
        is_likelier = found[FACE_CLASSES].sum() > classes[index, FACE_CLASSES].sum()
        if is_likelier and found[FACE_CLASSES].sum() > MIN_RECENTRED_PROBABILITY:
            places[index], classes[index] = center, found
    return places, classes


def _behind_side_faces(pose: Pose, places: Floats) -> Floats:
    """(N, 2) centers of the upper faces of dice whose side faces' middles are seen at `places`."""
    half = USUAL_DIE_SIDE / 2
    middles = pose.locate(pose.project(places, USUAL_DIE_SIDE), half)
    away = pose.locate(pose.project(middles, USUAL_DIE_SIDE), half) - middles
    size = np.hypot(away[:, 0], away[:, 1] * pose.aspect)
    return np.asarray(middles + half * away / size[:, None])


def heatmap_peaks(heat: Floats32, threshold: float = MIN_HEAT) -> tuple[Floats, Floats]:
    """(N,) heats and (N, 2) plane pixels of the hottest peaks of (2, h, w) maps: dice, cubes."""
    found = [peak for layer in heat for peak in peaks_and_shoulders(layer, threshold)]
    found.sort(key=lambda peak: -peak[0])
    hottest = found[:MAX_DIE_CANDIDATES]
    heats, pixels = [heat for heat, _ in hottest], [pixel for _, pixel in hottest]
    return np.array(heats), np.array(pixels).reshape(-1, 2)


def distinct(candidates: Iterable[DieCandidate], pose: Pose) -> tuple[DieCandidate, ...]:
    """The candidates without near duplicates, most certain first (non-maximum suppression)."""
    kept: list[DieCandidate] = []
    for candidate in sorted(candidates, key=lambda one: one.class_probabilities[0]):
        away = (np.subtract(candidate.place, other.place) * (1, pose.aspect) for other in kept)
        if all(np.hypot(*step) > MERGE_DISTANCE * candidate.side for step in away):
            kept.append(candidate)
    return tuple(kept)
