"""Find and read dice with the trained dice net: one pass over the rectified board.

The picture is laid flat at the height of a die's upper face and at 14 pixels a die, so that the
net sees every die at one size and square, whatever the camera. vision/training made the net.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.layout import Layout
from calibration.pose import Pose
from engine.evidence import DieSeen
from vision.die_rest import SIDE, Surroundings
from vision.nets import load_net

Floats = NDArray[np.float64]
Ratios = NDArray[np.float32]
Image = NDArray[np.uint8]
Map = NDArray[np.float32]

SIDE_PX: Final = 14  # of that die in the net's picture
STRIDE: Final = 4  # pixels between two answers of the net
MARGIN: Final = 0.14  # field widths around the field where dice are looked for
SURE_ENOUGH: Final = 0.3  # probability of being a die from which it is told
VOTERS: Final = 5.0  # pixels around a die's centre whose answers count together
APART: Final = 0.75 * SIDE_PX  # closer than this, two dice are one seen twice
TEMPERATURE: Final = 1.3  # see models/README.md
MOSTLY_FLAT: Final = 0.85  # log-odds of lying flat in the scenes of training
RARITY: Final = 2.0  # log-odds: a board has far fewer dice to the cell than the scenes of training


@dataclass(frozen=True, slots=True, eq=False)
class _Plane:
    """The map from the camera picture to the net's."""

    maps: tuple[Map, Map]
    scale: float
    """Net pixels per field width."""
    aspect: float

    def to_field(self, pixels: Floats) -> Floats:
        """(N, 2) field coordinates of (N, 2) net pixels."""
        x = (pixels[:, 0] + 0.5) / self.scale - MARGIN
        y = 1 + (MARGIN - (pixels[:, 1] + 0.5) / self.scale) / self.aspect
        return np.column_stack([x, y])


@lru_cache(maxsize=4)
def _plane(pose: Pose) -> _Plane:
    scale = SIDE_PX / SIDE
    size = [int(scale * (span + 2 * MARGIN)) // STRIDE * STRIDE for span in (1.0, pose.aspect)]
    plane = _Plane((np.zeros(0, np.float32),) * 2, scale, pose.aspect)
    outer = np.array([(-0.5, size[1] - 0.5), (size[0] - 0.5, -0.5)])
    maps = pose.plane_maps((size[0], size[1]), plane.to_field(outer), SIDE)
    return _Plane(maps, scale, pose.aspect)


def find_dice(
    image: Image,
    pose: Pose,
    layout: Layout,
    checkers: Floats | None = None,
) -> tuple[DieSeen, ...]:
    """The dice that can be seen, the surest first.

    `image`: (H, W, 3) uint8 BGR of the pose's size; `checkers`: (N, 3) field x, field y and
    radius in field widths of those that are known.
    """
    plane = _plane(pose)
    flat = cv2.remap(image, *plane.maps, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    tensor = np.ascontiguousarray(flat.transpose(2, 0, 1)[None], np.float32) / 255 - 0.5
    answer = load_net("dice")(tensor.astype(np.float32))[0]
    around = Surroundings(pose, layout, np.zeros((0, 3)) if checkers is None else checkers)
    return tuple(_seen(found, plane, around) for found in _dice(answer))


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    """One die in the net's picture."""

    center: Floats
    """(2,) net pixels of the middle of its upper face."""
    faces: Floats
    """(6,) probabilities; the doubt that it is a die at all is spread over them evenly."""
    flat: float
    """Log-odds of lying flat, by its looks alone."""


def _dice(answer: Ratios) -> list[_Found]:
    """The dice in the net's (10, h, w) answer, those with the most support first."""
    logits = answer[:7].copy()
    logits[0] += RARITY
    logits /= TEMPERATURE
    chances = np.exp(logits - logits.max(axis=0))
    chances /= chances.sum(axis=0)
    die = 1 - chances[0]
    rows, columns = np.nonzero(die > SURE_ENOUGH)
    middles = np.column_stack([columns, rows]) * STRIDE + (STRIDE - 1) / 2
    votes = middles + answer[7:9, rows, columns].T
    weights = die[rows, columns]
    found: list[_Found] = []
    left = np.ones(len(votes), bool)
    for best in np.argsort(-weights):
        if not left[best]:
            continue
        near = left & (np.linalg.norm(votes - votes[best], axis=1) < VOTERS)
        found.append(
            _pooled(answer, chances, rows[near], columns[near], votes[near], weights[near])
        )
        left &= np.linalg.norm(votes - votes[best], axis=1) >= APART
    return found


def _pooled(
    answer: Ratios,
    chances: Ratios,
    rows: NDArray[np.intp],
    columns: NDArray[np.intp],
    votes: Floats,
    weights: Ratios,
) -> _Found:
    share = weights / weights.sum()
    faces = chances[1:, rows, columns] @ share
    sure = 1 - (1 - float(weights.max())) ** 2  # seen by several cells, it is rarely none
    faces = sure * faces / faces.sum() + (1 - sure) / 6
    flat = float(answer[9, rows, columns] @ share) - MOSTLY_FLAT
    return _Found(votes.T @ share, np.asarray(faces, np.float64), flat)


def _seen(found: _Found, plane: _Plane, around: Surroundings) -> DieSeen:
    place = plane.to_field(found.center[None])
    pixel = around.pose.project(place, SIDE)[0]
    x, y = float(place[0, 0]), float(place[0, 1])
    free = around.flatness((x, y))
    flat = found.flat + np.log(free / (1 - free))  # its looks, and whether it can lean on anything
    return DieSeen(
        faces=tuple(float(chance) for chance in found.faces),
        center=(float(pixel[0]), float(pixel[1])),
        board=(x, y),
        flat=float(1 / (1 + np.exp(-flat))),
        surface=around.surface((x, y)),
    )
