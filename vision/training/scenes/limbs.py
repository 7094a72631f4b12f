"""The parts of hands and arms: capsules and bands."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.arrays import Floats
from vision.training.render import raycast as rc
from vision.training.scenes.builder import SceneBuilder
from vision.training.scenes.materials import from_srgb, material_row


@dataclass(frozen=True, slots=True, eq=False)
class HandFrame:
    """Adds parts given in a hand's own axes to a scene."""

    build: SceneBuilder
    axes: Floats
    """(3, 3) whose columns are the hand's axes in the world."""
    wrist: Floats
    """(3,) in the world."""
    unit: float
    """Field widths per centimeter of this hand."""

    def place(self, own: Floats) -> Floats:
        """(..., 3) world of places in the hand's axes."""
        return np.asarray(self.wrist + own @ self.axes.T * self.unit)

    def limb(self, one: Floats, two: Floats, radius: float, paint: int) -> None:
        """Add a capsule between two places."""
        add_limb(self.build, self.place(one), self.place(two), radius * self.unit, paint)


def add_limb(build: SceneBuilder, one: Floats, two: Floats, radius: float, paint: int) -> None:
    """Add a capsule between two world places."""
    half = np.array([radius, radius, np.linalg.norm(two - one) / 2])
    build.add(rc.CAPSULE, (one + two) / 2, half, paint, _along(two - one))


def add_band(build: SceneBuilder, one: Floats, two: Floats, radius: float, paint: int) -> None:
    """Add a cylinder between two world places."""
    half = np.array([radius, radius, np.linalg.norm(two - one) / 2])
    build.add(rc.CYLINDER, (one + two) / 2, half, paint, _along(two - one))


def _along(axis: Floats) -> Floats:
    """(3, 3) rotation from the world's axes to some whose Z is along `axis`."""
    ahead = axis / np.linalg.norm(axis)
    side = np.cross(ahead, (0.0, 0.3, 1.0) if abs(ahead[0]) < 0.9 else (0.0, 1.0, 0.3))
    side /= np.linalg.norm(side)
    return np.stack([side, np.cross(ahead, side), ahead])


def put_metal(build: SceneBuilder) -> int:
    """Add the material of rings and watches."""
    rng = build.rng
    colour = from_srgb(rng.uniform(0.5, 0.9) * np.array([rng.uniform(0.3, 1), 0.85, 1.0]))
    return build.paint(material_row(rc.PLAIN, colour, rng, GLOSS=0.9, SHINE=30))
