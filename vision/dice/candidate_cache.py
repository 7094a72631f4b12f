"""`CandidateCache`: dice and cubes picture after picture, looked for only where one has changed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from calibration.pose import Pose
from engine.arrays import Floats, Image, Mask
from vision.dice.candidates import DieCandidate, candidates_in, distinct, search_plane
from vision.dice.size import DieSize
from vision.dice.views import PLANE_MULTIPLE, Box, DicePlane
from vision.picture_diff import changed_pixels, denoise

STABLE_PROBABILITY: Final = 0.95
"""Probability of what a spot is below which it is looked at again: noise may decide there."""
MIN_RECHECK_PROBABILITY: Final = 0.2
"""Probability of being a die from which it is so looked at again; most marks are just nothing."""
CHANGE_MARGIN: Final = 12
"""Plane pixels around a change in which what lies there may look otherwise: a die's side."""
CONTEXT_MARGIN: Final = 32
"""... and those around them that the finder sees as well."""
WHOLE_PLANE_SHARE: Final = 0.5
"""Share of the plane from which on all of it is looked at."""


@dataclass(frozen=True, slots=True, eq=False)
class _ReadPicture:
    """What was looked at, and in which picture."""

    pose: Pose
    plane: DicePlane
    picture: Image
    """(h, w, 3) the plane, smoothed, each part as it was when it was looked at last."""
    spots: tuple[DieCandidate, ...] = ()

    @property
    def pixels(self) -> Floats:
        """(N, 2) where the spots are on the plane."""
        places = np.array([spot.place for spot in self.spots], float).reshape(-1, 2)
        if self.pose.mirrored:
            places[:, 0] = 1 - places[:, 0]
        return self.plane.to_pixels(places)

    def doubts(self) -> Mask:
        """(h, w) the middles of those that may be dice, but not surely of that value."""
        mask = np.zeros(self.picture.shape[:2], bool)
        for spot, (x, y) in zip(self.spots, np.rint(self.pixels).astype(int), strict=True):
            mask[y, x] |= (
                spot.kinds.max() < STABLE_PROBABILITY and spot.die > MIN_RECHECK_PROBABILITY
            )
        return mask


class CandidateCache:
    """What `find_spots` gives, for the pictures of one board in their order."""

    def __init__(self, size: DieSize | None = None) -> None:
        self._size = size or DieSize()
        self._known: _ReadPicture | None = None

    def find(self, image: Image, pose: Pose, margin: float) -> tuple[DieCandidate, ...]:
        """What may be dice or the cube in a (H, W, 3) BGR picture of the pose's size."""
        plane = search_plane(pose, margin)
        picture = plane.rectify(image)
        clean, known = denoise(picture), self._known
        height, width = clean.shape[:2]
        box: Box | None = Box(0, 0, width, height)
        if known is None or known.pose != pose or known.plane is not plane:
            known = _ReadPicture(pose, plane, clean)
        else:
            box = _box(changed_pixels(known.picture, clean) | known.doubts(), clean)
        if box is not None:
            context = box.grown(CONTEXT_MARGIN, clean, PLANE_MULTIPLE)
            here = candidates_in(box, context, image, picture, plane, pose, self._size)
            known = _renewed(known, here, box, clean)
        self._known = known
        return known.spots


def _box(changed: Mask, picture: Image) -> Box | None:
    """Where to look again; None: nowhere."""
    box = Box.around(changed)
    if box is None:
        return None
    height, width = picture.shape[:2]
    box = box.grown(CHANGE_MARGIN, picture)
    return box if box.area < WHOLE_PLANE_SHARE * height * width else Box(0, 0, width, height)


def _renewed(
    known: _ReadPicture, here: list[DieCandidate], box: Box, picture: Image
) -> _ReadPicture:
    """What is known once the spots in `box` were looked at anew."""
    there = [
        spot for spot, is_in in zip(known.spots, box.holds(known.pixels), strict=True) if not is_in
    ]
    pasted = known.picture.copy()
    pasted[box.part] = picture[box.part]
    return replace(known, picture=pasted, spots=distinct((*here, *there), known.pose))
