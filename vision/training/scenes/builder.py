"""Builds a scene object by object."""

from __future__ import annotations

from dataclasses import dataclass, field

import cv2
import numpy as np

from engine.arrays import Floats, Rng
from vision.training.render import raycast as rc


@dataclass(slots=True)
class SceneBuilder:
    """The objects and materials of a scene so far."""

    rng: Rng
    objects: list[Floats] = field(default_factory=list)
    materials: list[Floats] = field(default_factory=list)

    def paint(self, row: Floats) -> int:
        """Add a material and return its index."""
        self.materials.append(row)
        return len(self.materials) - 1

    def add(self, kind: float, centre: Floats, half: Floats, material: int,
            turn: Floats | None = None, gain: float = 1.0, cut: float | None = None,
            ) -> None:  # fmt: skip
        """Add an object; `turn` rotates the world's axes to its own, `cut` rounds a box's corners.

        `cut`: the radius of the ball within which the box is kept.
        """
        row = np.zeros(rc.OBJECT_COLUMNS)
        row[rc.TYPE] = kind
        row[rc.CENTRE : rc.CENTRE + 3], row[rc.HALF : rc.HALF + 3] = centre, half
        row[rc.TURN : rc.TURN + 9] = (np.eye(3) if turn is None else turn).ravel()
        row[rc.MATERIAL] = material
        row[rc.SHIFT : rc.SHIFT + 2] = self.rng.random(2)
        row[rc.GAIN] = gain
        row[rc.BOUND] = float(np.linalg.norm(half)) + (half[0] if kind == rc.CAPSULE else 0)
        row[rc.BOUND] = row[rc.BOUND] if cut is None else min(row[rc.BOUND], cut)
        self.objects.append(row)

    def box(self, low: tuple[float, float, float], high: tuple[float, float, float],
            material: int) -> None:  # fmt: skip
        """Add an upright box between two corners."""
        one, two = np.array(low), np.array(high)
        self.add(rc.BOX, (one + two) / 2, (two - one) / 2, material)


def rotation(x: float, y: float, z: float) -> Floats:
    """(3, 3) rotation about the axis (x, y, z) by its length in radians (Rodrigues)."""
    return np.asarray(cv2.Rodrigues(np.array([x, y, z], float))[0], np.float64)
