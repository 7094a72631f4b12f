"""How a hand is held: where its joints are, and how it is turned.

In a hand's own axes, in centimeters: X to the thumb, Y ahead along the fingers, Z out of its back,
the wrist at the origin.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from engine.arrays import Floats, Rng
from vision.training.scenes.builder import rotation


class FingerShape(NamedTuple):
    """Where a finger begins, and its three phalanges, in centimeters."""

    knuckle: tuple[float, float, float]
    lengths: tuple[float, float, float]
    radii: tuple[float, float, float]
    apart: float
    """How far it turns aside when the fingers are spread."""


FINGERS: Final = (
    FingerShape((2.8, 9.2, 0.0), (4.4, 2.6, 1.9), (0.96, 0.86, 0.76), 1.0),
    FingerShape((0.9, 9.6, 0.2), (4.9, 3.0, 2.0), (1.0, 0.88, 0.78), 0.2),
    FingerShape((-1.0, 9.1, 0.1), (4.5, 2.8, 2.0), (0.94, 0.84, 0.74), -0.5),
    FingerShape((-2.7, 8.2, -0.2), (3.4, 2.0, 1.8), (0.82, 0.72, 0.64), -1.4),
)
"""Index to little finger."""
THUMB: Final = FingerShape((2.3, 1.8, -0.8), (4.4, 3.4, 2.5), (1.4, 1.1, 0.95), 0.0)
CURLED: Final = (62.0, 82.0, 42.0)


class HandPose(NamedTuple):
    """How a hand is held; angles in degrees."""

    share: float
    bends: tuple[tuple[float, float, float], ...]
    """The bends of each finger's joints; the last is for the remaining fingers."""
    spread: float
    pitch: tuple[float, float]
    """Bounds of the angle by which it points down."""
    roll: tuple[float, float]
    """Bounds of the angle by which the thumb is raised."""
    thumb: tuple[float, float, float]
    """Where the thumb's tip is; for a pinch relative to the index finger's."""


FLAT: Final = HandPose(0.16, ((8, 12, 6),), 7, (0, 15), (-15, 15), (8.2, 7.5, -1.8))
REACH: Final = HandPose(0.24, ((28, 30, 15),), 4, (8, 35), (-25, 30), (5.0, 9.0, -3.6))
PINCH: Final = HandPose(
    0.28, ((46, 42, 18), (50, 46, 20), (58, 56, 25), (60, 60, 30)), 3, (15, 50), (-20, 45),
    (0.4, -0.85, -0.35),
)  # fmt: skip
POINT: Final = HandPose(0.08, ((12, 8, 4), CURLED), 3, (10, 35), (-20, 30), (1.5, 7.6, -3.6))
SLIDE: Final = HandPose(
    0.1, ((30, 14, 8), (32, 16, 8), CURLED), 5, (12, 35), (-15, 15), (2.5, 7.5, -3.8)
)
FIST: Final = HandPose(0.07, ((72, 90, 45),), 2, (0, 30), (-20, 60), (1.2, 8.0, -3.8))
CUP: Final = HandPose(0.07, ((32, 46, 32),), 3, (-10, 20), (-20, 100), (3.2, 8.2, -7.5))
POSES: Final = (FLAT, REACH, PINCH, POINT, SLIDE, FIST, CUP)


def random_axes(rng: Rng, pose: HandPose, out: Floats, side: int) -> Floats:
    """(3, 3) whose columns are the hand's axes; of a left hand, X is mirrored."""
    yaw = np.arctan2(-out[1], -out[0]) - np.pi / 2 + rng.normal(0, 0.2)
    pitch, roll = np.radians(rng.uniform(*pose.pitch)), np.radians(rng.uniform(*pose.roll))
    turn = rotation(0, 0, yaw) @ rotation(-pitch, 0, 0) @ rotation(0, -roll * side, 0)
    return np.asarray(turn * (side, 1, 1))


def joints_of(rng: Rng, pose: HandPose, gap: float) -> tuple[list[Floats], Floats]:
    """(4, 3) places of each finger's joints and tip, and of the thumb's, in the hand's axes."""
    firm = rng.uniform(0.75, 1.25)
    fingers = []
    for index, shape in enumerate(FINGERS):
        bends = np.array(pose.bends[min(index, len(pose.bends) - 1)]) * firm + rng.normal(0, 5, 3)
        down = np.radians(np.cumsum(np.maximum(bends, -8)))
        aside = np.radians(shape.apart * pose.spread * rng.uniform(0, 1.6) + rng.normal(0, 2))
        ways = np.stack([np.sin(aside) * np.cos(down), np.cos(aside) * np.cos(down), -np.sin(down)])
        steps = ways.T * np.array(shape.lengths)[:, None]
        fingers.append(np.cumsum([shape.knuckle, *steps], axis=0))
    goal = np.array(pose.thumb) + rng.normal(0, 0.5, 3) * (pose is not PINCH)
    if pose is PINCH:
        goal = fingers[0][-1] + goal / np.linalg.norm(goal) * gap
    return fingers, _reaching(THUMB, goal)


def _reaching(shape: FingerShape, goal: Floats) -> Floats:
    """(4, 3) places of a chain's joints whose last one is near `goal` (FABRIK, Aristidou 2011)."""
    base, lengths = np.array(shape.knuckle), shape.lengths
    joints = base + np.outer(np.append(0, np.cumsum(lengths)), (0.8, 0.6, 0.0))
    for _ in range(6):
        for order, end in ((range(2, -1, -1), goal), (range(1, 4), base)):
            joints[3 if end is goal else 0] = end
            for k in order:
                fixed = joints[k + 1] if end is goal else joints[k - 1]
                way = joints[k] - fixed
                length = lengths[k if end is goal else k - 1]
                joints[k] = fixed + way / np.linalg.norm(way) * length
    return joints
