"""Hands over a board or beside it, of capsules, with rings and nails, and what they hold.

Parts are given in a hand's own axes; see `hand_poses.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from engine.arrays import Floats
from vision.training.render import raycast as rc
from vision.training.scenes.arms import put_arm
from vision.training.scenes.builder import SceneBuilder
from vision.training.scenes.checkers import CheckerPlacer
from vision.training.scenes.hand_poses import (
    CUP,
    FINGERS,
    PINCH,
    POSES,
    THUMB,
    joints_of,
    random_axes,
)
from vision.training.scenes.limbs import HandFrame, add_band, put_metal
from vision.training.scenes.materials import (
    CLOUD,
    from_srgb,
    material_row,
    random_colour,
    random_material,
)

HANDS_SHARE: Final = 0.3
"""Fraction of scenes with a hand, ..."""
EDGE_SHARE: Final = 0.33
"""... of which this fraction is only at the rails or the trays, ..."""
TWO_HANDS_SHARE: Final = 0.25
"""... and this fraction has a second one."""
AT_CHECKER_SHARE: Final = 0.6
"""Fraction of the hands over the field that reach for a checker."""
SMALL_SET_SHARE: Final = 0.1
"""Fraction of the hands over a travel set."""
PALM_RADII: Final = (1.4, 1.25)
"""Of the palm's parts at the wrist and at the knuckles."""
CUP_RADIUS, CUP_LENGTH = 3.4, 9.5
SKIN_TONES: Final = np.array([
    (38, 45, 62), (46, 62, 96), (62, 92, 140), (95, 132, 185), (142, 176, 222), (186, 208, 242),
]) / 255  # fmt: skip
"""BGR in sRGB, from the darkest to the palest."""


def put_hands(build: SceneBuilder, placer: CheckerPlacer, bounds: rc.Bounds) -> None:
    """Add hands to some of the scenes.

    `bounds`: of the board's inside. A checker or die in the fingers is none of the position's.
    """
    rng = build.rng
    if rng.random() > HANDS_SHARE:
        return
    at_edge = rng.random() < EDGE_SHARE
    unit = 1 / (rng.uniform(22, 34) if rng.random() < SMALL_SET_SHARE else rng.uniform(34, 52))
    for _ in range(2 if rng.random() < TWO_HANDS_SHARE else 1):
        _put_hand(build, placer, bounds, unit * rng.uniform(0.88, 1.1), at_edge=at_edge)


def _put_hand(
    build: SceneBuilder, placer: CheckerPlacer, bounds: rc.Bounds, unit: float, *, at_edge: bool
) -> None:
    rng, aspect = build.rng, placer.checkers.aspect
    target, out = (_edge_target if at_edge else _field_target)(build, aspect, bounds)
    shares = np.array([pose.share for pose in POSES])
    pose = POSES[rng.choice(len(POSES), p=shares / shares.sum())]
    held = _held_size(build, placer, unit) if pose is PINCH else None
    gap = (0.3 if held is None else held.gap / unit) + FINGERS[0].radii[2] + THUMB.radii[2]
    fingers, thumb = joints_of(rng, pose, gap)
    side = rng.choice([-1, 1])
    axes = random_axes(rng, pose, out, side)
    every = np.concatenate([*fingers, thumb])
    lowest = float((every @ axes[2]).min()) - 0.8
    over = rng.uniform(1.5, 8) if pose in {PINCH, CUP} else rng.choice([0.0, rng.uniform(0, 9)])
    tip = axes @ fingers[0][-1] * unit
    wrist = np.append(target[:2] - tip[:2], target[2] + (over - lowest) * unit)
    hand = HandFrame(build, axes, wrist, unit)
    skin = put_skin(hand, fingers, thumb, rng.uniform(0.85, 1.15))
    put_arm(hand, out, skin)
    if pose is CUP:
        _put_cup(hand)
    if held is not None:
        _put_held(hand, placer, held, fingers[0], thumb)


def _field_target(build: SceneBuilder, aspect: float, _: rc.Bounds) -> tuple[Floats, Floats]:
    """Where the index finger's tip is, and the direction to the player's shoulder."""
    rng = build.rng
    target = np.array([rng.uniform(0, 1), aspect * rng.uniform(0.03, 0.97), 0.0])
    tops = [o[1:4] + np.array([0, 0, o[6]]) for o in build.objects
            if o[0] == rc.CYLINDER and 0 < o[1] < 1 and 0 < o[2] < aspect]  # fmt: skip
    if tops and rng.random() < AT_CHECKER_SHARE:
        target = tops[rng.integers(len(tops))]
    along, far = rng.uniform(-0.1, 1.1), rng.uniform(0.5, 0.9)
    shoulders = [(along, -far), (along, aspect + far), (-far, along * aspect),
                 (1 + far, along * aspect)]  # fmt: skip
    shoulder = np.array(shoulders[rng.choice(4, p=(0.36, 0.36, 0.14, 0.14))])
    out = shoulder - target[:2]
    return target, np.append(out / np.linalg.norm(out), 0.0)


def _edge_target(build: SceneBuilder, aspect: float, bounds: rc.Bounds) -> tuple[Floats, Floats]:
    """The same for a hand that lies on the rail or the table, or is at a tray."""
    rng = build.rng
    along, away = rng.uniform(-0.1, 1.1), rng.uniform(0.0, 0.12)
    sides = [(along, -away, -90), (along, aspect + away, 90),
             (bounds[0] - away + 0.06, along * aspect, 180),
             (bounds[2] + away - 0.06, along * aspect, 0)]  # fmt: skip
    x, y, way = sides[rng.choice(4, p=(0.3, 0.3, 0.2, 0.2))]
    x = min(x, -0.01) if way == 180 else max(x, 1.01) if way == 0 else x
    angle = np.radians(way) + rng.normal(0, 0.35)
    return np.array([x, y, rng.uniform(0, 0.05)]), np.array([np.cos(angle), np.sin(angle), 0.0])


def put_skin(hand: HandFrame, fingers: Sequence[Floats], thumb: Floats, girth: float) -> int:
    """Add palm, fingers and nails; returns the skin's material."""
    build, rng = hand.build, hand.build.rng
    tone = rng.uniform(0, len(SKIN_TONES) - 1)
    base = np.array([np.interp(tone, np.arange(len(SKIN_TONES)), c) for c in SKIN_TONES.T])
    colour = from_srgb(base * rng.normal(1, 0.04, 3) * rng.uniform(0.92, 1.06))
    gloss, scale = rng.choice([0.02, 0.05, 0.12]), rng.uniform(4, 14)
    skin = build.paint(material_row(rc.PLAIN, colour, rng, AMOUNT=rng.uniform(0.2, 0.7),
                                    NOISE=CLOUD, SCALE=scale, GLOSS=gloss, SHINE=12))  # fmt: skip
    ruddy = np.clip(colour * (0.85, 0.88, 1.08), 0, 1)
    tips = build.paint(material_row(rc.PLAIN, ruddy, rng, NOISE=CLOUD, GLOSS=gloss, SHINE=12))
    nail_colour = np.clip(colour * (1.1, 1.1, 1.15) + 0.03, 0, 1)
    if rng.random() < 0.2:
        nail_colour = random_colour(rng)
    nail = build.paint(material_row(rc.PLAIN, nail_colour, rng, AMOUNT=0.05, GLOSS=0.3,
                                    SHINE=40, BEVEL=0.001))  # fmt: skip
    for shape, joints in zip((*FINGERS, THUMB), (*fingers, thumb), strict=True):
        for k, radius in enumerate(shape.radii):
            hand.limb(joints[k], joints[k + 1], radius * girth, tips if k == 2 else skin)
        _put_nail(hand, joints, shape.radii[2] * girth, nail)
    knuckles = np.array([shape.knuckle for shape in FINGERS])
    for share in np.linspace(0, 3, 9):  # between the bones too, so that the back is even
        at = np.array([np.interp(share, range(4), c) for c in knuckles.T]) - (0, 0.3, 0.35)
        root = np.array([0.45 * at[0], 0.6, -0.2])
        middle = (root + at) / 2 + (0, 0, 0.1)
        hand.limb(root, middle, PALM_RADII[0] * girth, skin)
        hand.limb(middle, at, PALM_RADII[1] * girth, skin)
    hand.limb(np.array([-1.6, 1.4, -0.8]), np.array([-2.2, 5.4, -0.8]), 1.2 * girth, skin)
    hand.limb(thumb[1] * 0.8, np.array([1.6, 6.8, -0.6]), 0.9 * girth, skin)  # the web
    if rng.random() < 0.3:
        _put_ring(hand, fingers[int(rng.choice([0, 1, 2, 2, 2, 3]))], girth)
    return skin


def _put_nail(hand: HandFrame, joints: Floats, radius: float, paint: int) -> None:
    ahead = joints[3] - joints[2]
    ahead /= np.linalg.norm(ahead)
    bent = joints[2] - joints[1]  # the back is where the joint before bends away from
    back = bent - ahead * (bent @ ahead) + (0, 0, 0.3) - ahead * (0.3 * ahead[2])
    back /= np.linalg.norm(back)
    own = np.stack([np.cross(ahead, back), ahead, back]) @ hand.axes.T
    if np.linalg.det(own) < 0:
        own[0] *= -1
    half = np.array([0.55, 0.68, 0.1]) * radius * hand.unit
    at = hand.place(joints[3] + back * radius * 0.93 + ahead * radius * 0.15)
    hand.build.add(rc.BOX, at, half, paint, own)


def _put_ring(hand: HandFrame, joints: Floats, girth: float) -> None:
    metal = put_metal(hand.build)
    middle = joints[0] + (joints[1] - joints[0]) * hand.build.rng.uniform(0.45, 0.6)
    way = (joints[1] - joints[0]) / np.linalg.norm(joints[1] - joints[0]) * 0.22
    add_band(hand.build, hand.place(middle - way), hand.place(middle + way),
             1.07 * girth * hand.unit, metal)  # fmt: skip


def _put_cup(hand: HandFrame) -> None:
    build = hand.build
    leather = build.paint(random_material(build.rng))
    dark = build.paint(material_row(rc.PLAIN, np.full(3, 0.01), build.rng))
    middle = np.array([0.0, 9.6, -CUP_RADIUS - 1.2])
    for end, radius, paint in ((0.5, 1.0, leather), (0.51, 0.88, dark)):
        one, two = middle.copy(), middle.copy()
        one[0], two[0] = -CUP_LENGTH / 2, CUP_LENGTH * end
        add_band(build, hand.place(one), hand.place(two), CUP_RADIUS * radius * hand.unit, paint)


class HeldThing(NamedTuple):
    """A checker or a die between the index finger and the thumb."""

    gap: float
    """Between the fingers, in field widths."""
    die: Floats | None
    """An object like it; None for a checker."""
    by_rim: bool = False
    """Whether the fingers are at opposite ends of a checker's rim."""


def _held_size(build: SceneBuilder, placer: CheckerPlacer, unit: float) -> HeldThing | None:
    """What the fingers hold, if anything; a checker that is too wide is held by its faces."""
    rng = build.rng
    dice = [o for o in build.objects if build.materials[int(o[rc.MATERIAL])][rc.KIND] == rc.DIE]
    kind = rng.random()
    if kind < 0.2 and dice:
        die = dice[rng.integers(len(dice))]
        return HeldThing(2 * die[rc.HALF], die)
    if kind < 0.7:
        wide = 2 * placer.checkers.radius
        by_rim = bool(rng.random() < 0.6 and wide < 4.5 * unit)
        return HeldThing(wide if by_rim else placer.checkers.thick, None, by_rim)
    return None


def _put_held(
    hand: HandFrame, placer: CheckerPlacer, held: HeldThing, index: Floats, thumb: Floats
) -> None:
    rng = hand.build.rng
    across = hand.axes @ (index[-1] - thumb[-1])
    across /= np.linalg.norm(across)
    middle = hand.place((index[-1] + thumb[-1]) / 2)
    other = np.cross(across, hand.axes[:, 0])
    other /= np.linalg.norm(other)
    turn = np.stack([across, other, np.cross(across, other)])
    if held.die is not None:
        hand.build.add(rc.BOX, middle, held.die[rc.HALF : rc.HALF + 3],
                       int(held.die[rc.MATERIAL]), turn, cut=held.die[rc.BOUND])  # fmt: skip
        return
    if not held.by_rim:  # the faces between the fingers, most of it ahead of them
        turn = turn[[1, 2, 0]]
        reach = placer.checkers.radius * rng.uniform(0.2, 0.7)
        middle = middle + turn[0] * np.sign(turn[0] @ hand.axes[:, 1]) * reach
    x, y, z = (float(c) for c in middle)
    placer.put(x, y, z, int(rng.integers(2)), turn)
