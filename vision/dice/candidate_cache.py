"""Candidates for dice in consecutive pictures, searched only where a picture has changed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from calibration.pose import Pose
from engine.arrays import Floats, Image, Mask
from vision.dice.candidates import DieCandidate, candidates_in, distinct, search_plane
from vision.dice.classify import FACE_CLASSES
from vision.dice.size import DieSize
from vision.dice.views import PLANE_MULTIPLE, Box, DicePlane
from vision.picture_diff import changed_pixels, denoise
from vision.steady.sharpness import Sharpener

STABLE_PROBABILITY: Final = 0.95
"""Probability of the likeliest class below which a candidate is read again."""
MIN_RECHECK_PROBABILITY: Final = 0.2
"""Probability of being a die below which candidates are not read again."""
CHANGE_MARGIN: Final = 12
"""Plane pixels around a change that are searched as well: a die's side."""
CONTEXT_MARGIN: Final = 32
"""Plane pixels around those that the finder also sees."""
WHOLE_PLANE_SHARE: Final = 0.5
"""Fraction of the plane from which all of it is searched."""
SHARPENED_DOUBT: Final = 0.02
"""Probability that a face of which the nets are sure is a different one if a soft picture had to be
sharpened: merged pips stay merged."""


@dataclass(frozen=True, slots=True, eq=False)
class _ReadPicture:
    """The candidates of the plane, and the picture in which they were found."""

    pose: Pose
    plane: DicePlane
    picture: Image
    """(h, w, 3) the denoised plane, each part as it was when last searched."""
    candidates: tuple[DieCandidate, ...] = ()

    @property
    def pixels(self) -> Floats:
        """(N, 2) plane pixels of the candidates."""
        places = np.array([candidate.place for candidate in self.candidates], float).reshape(-1, 2)
        if self.pose.mirrored:
            places[:, 0] = 1 - places[:, 0]
        return self.plane.to_pixels(places)

    def uncertain(self) -> Mask:
        """(h, w) mask of the centers of possible dice whose class is not settled."""
        mask = np.zeros(self.picture.shape[:2], bool)
        pixels = np.rint(self.pixels).astype(int)
        for candidate, (x, y) in zip(self.candidates, pixels, strict=True):
            is_settled = candidate.class_probabilities.max() >= STABLE_PROBABILITY
            mask[y, x] |= not is_settled and candidate.die_probability > MIN_RECHECK_PROBABILITY
        return mask


class CandidateCache:
    """`find_candidates` for consecutive pictures of one board."""

    def __init__(self, size: DieSize | None = None) -> None:
        self._size = size or DieSize()
        self._sharpener = Sharpener()
        self._known: _ReadPicture | None = None

    def find(self, image: Image, pose: Pose, margin: float) -> tuple[DieCandidate, ...]:
        """The candidates in an (H, W, 3) BGR picture of the pose's size, most certain first."""
        plane = search_plane(pose, margin)
        picture = plane.rectify(image)
        clean, known = denoise(picture), self._known
        height, width = clean.shape[:2]
        box: Box | None = Box(0, 0, width, height)
        if known is None or known.pose != pose or known.plane is not plane:
            known = _ReadPicture(pose, plane, clean)
        else:
            box = _box(changed_pixels(known.picture, clean) | known.uncertain(), clean)
        if box is not None:
            context = box.grown(CONTEXT_MARGIN, clean, PLANE_MULTIPLE)
            sharp = self._sharpener.sharpen(image, pose, margin)
            is_soft = sharp is not image
            picture = plane.rectify(sharp) if is_soft else picture
            here = candidates_in(box, context, sharp, picture, plane, pose, self._size)
            here = [_doubted(one) for one in here] if is_soft else here
            known = _updated(known, here, box, clean)
        self._known = known
        return known.candidates


def _doubted(candidate: DieCandidate) -> DieCandidate:
    classes = candidate.class_probabilities.copy()
    faces = classes[FACE_CLASSES]
    classes[FACE_CLASSES] = (1 - SHARPENED_DOUBT) * faces + SHARPENED_DOUBT * faces.mean()
    return replace(candidate, class_probabilities=classes)


def _box(changed: Mask, picture: Image) -> Box | None:
    box = Box.around(changed)
    if box is None:
        return None
    height, width = picture.shape[:2]
    box = box.grown(CHANGE_MARGIN, picture)
    return box if box.area < WHOLE_PLANE_SHARE * height * width else Box(0, 0, width, height)


def _updated(
    known: _ReadPicture, here: list[DieCandidate], box: Box, picture: Image
) -> _ReadPicture:
    """The candidates after `box` was searched again and `here` was found in it."""
    there = [
        candidate
        for candidate, is_in in zip(known.candidates, box.holds(known.pixels), strict=True)
        if not is_in
    ]
    pasted = known.picture.copy()
    pasted[box.part] = picture[box.part]
    return replace(known, picture=pasted, candidates=distinct((*here, *there), known.pose))
