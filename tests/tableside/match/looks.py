"""What a filmed board looks like, and from where: usual ones, and tables that nobody has seen."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np

from calibration.layout import Layout
from calibration.pose import Pose
from engine.arrays import Floats
from tests.vision.drawn_dice import camera

Colour = tuple[int, int, int]
"""BGR."""
Set = tuple[Colour, Colour, Colour, Colour, Colour]
"""Light's and dark's checkers, the felt, and both colors of points."""
DieColours = tuple[Colour, Colour]
"""A die and its pips."""

SETS: tuple[Set, ...] = (
    ((225, 235, 240), (40, 40, 45), (60, 110, 40), (60, 60, 160), (190, 215, 225)),
    ((200, 225, 240), (50, 60, 110), (90, 70, 50), (60, 80, 130), (170, 200, 215)),
    ((150, 195, 225), (35, 45, 70), (110, 150, 185), (60, 85, 120), (60, 60, 60)),
)
DICE: tuple[DieColours, ...] = (
    ((236, 240, 242), (25, 25, 25)),
    ((200, 225, 235), (30, 30, 60)),
    ((40, 30, 110), (240, 240, 240)),
)
"""What is tested here is the game, not odd dice."""
TILTS = (15.0, 28.0, 5.0)
LAYOUT = Layout(0.07, 0.42, 0.9)
LAMP = np.array([0.8, 1.4, 1.8])

OTHER_SETS: tuple[Set, ...] = (
    ((205, 230, 238), (25, 20, 120), (50, 80, 30), (120, 200, 225), (35, 60, 110)),
    ((245, 245, 245), (22, 20, 20), (120, 60, 35), (235, 230, 230), (70, 30, 20)),
    ((150, 190, 215), (35, 55, 85), (80, 115, 150), (135, 175, 205), (55, 90, 120)),
    ((230, 235, 240), (30, 25, 170), (28, 25, 25), (30, 25, 150), (215, 220, 225)),
    ((190, 225, 235), (60, 85, 25), (125, 120, 120), (75, 70, 70), (200, 200, 200)),
    ((140, 190, 222), (38, 60, 95), (100, 150, 190), (60, 95, 140), (145, 190, 225)),
    ((90, 220, 250), (150, 60, 30), (80, 110, 45), (215, 220, 220), (45, 40, 150)),
    ((235, 232, 230), (100, 95, 90), (40, 25, 110), (180, 190, 200), (60, 20, 60)),
)
OTHER_DICE: tuple[DieColours, ...] = (
    *DICE,
    ((60, 60, 60), (240, 240, 240)),
    ((110, 60, 30), (230, 230, 230)),
    ((90, 150, 60), (245, 245, 245)),
)
SIZES = ((1280, 720), (960, 540), (640, 480), (1920, 1080))
SIZE_SHARES = (0.4, 0.25, 0.2, 0.15)
SURROUNDINGS = (0.16, 0.06)
"""Field widths beside the field, and beyond each player, that are in the picture with it."""


@dataclass(frozen=True)
class Look:
    """A set, its board, the lamp and the camera; all sizes in field widths."""

    set: Set
    dice: DieColours
    layout: Layout
    pose: Pose
    lamp: Floats
    """(3,) where it hangs."""


def usual_look(set_: int, tilt: int, dice: int) -> Look:
    """One of `SETS`, `TILTS` and `DICE`."""
    return Look(SETS[set_], DICE[dice], LAYOUT, camera(TILTS[tilt]), LAMP)


def other_look(seed: int) -> Look:
    """A table by chance: from any side, at any angle that is allowed, through any usual lens."""
    rng = np.random.default_rng(seed)
    return Look(
        OTHER_SETS[rng.integers(len(OTHER_SETS))],
        OTHER_DICE[rng.integers(len(OTHER_DICE))],
        Layout(*rng.uniform((0.055, 0.38, 0.8, 0.0), (0.1, 0.44, 1.0, 0.15)).tolist()),
        _other_pose(rng),
        rng.uniform((-0.3, -0.6, 1.3), (1.3, 1.6, 2.2)),
    )


def _other_pose(rng: np.random.Generator) -> Pose:
    size, aspect, distance = SIZES[rng.choice(4, p=SIZE_SHARES)], 0.84, rng.uniform(1.8, 3.2)
    side = rng.choice([0, 0, 90, 180, 270]) + rng.uniform(-20, 20)
    tilt, roll = rng.uniform(0, 48), rng.uniform(-8, 8)
    turn = _turned(0, 0, roll) @ _turned(180 - tilt, 0, 0) @ _turned(0, 0, side)
    shift = -turn @ np.array([0.5, aspect / 2, 0]) + np.array([0, 0, distance])
    beside, beyond = SURROUNDINGS
    shown = [[x, y, 0] for x in (-beside, 1 + beside) for y in (-beyond, aspect + beyond)]
    seen = np.array(shown) @ turn.T + shift
    places = seen[:, :2] / seen[:, 2:]
    low, high = places.min(axis=0), places.max(axis=0)
    focal = rng.uniform(0.55, 0.9) / ((high - low) / size).max()
    shift -= np.append((low + high) / 2 * distance, 0)  # the board is about in the middle
    x, y, z = cv2.Rodrigues(turn)[0].ravel().tolist()
    radial = rng.uniform(-0.06, 0.03)
    return Pose(size, float(focal), float(radial), (x, y, z), tuple(shift.tolist()), aspect)


def _turned(*degrees: float) -> Floats:
    return np.asarray(cv2.Rodrigues(np.array([math.radians(one) for one in degrees]))[0])
