"""Arms: bare, or in sleeves, some with a watch."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from engine.arrays import Floats
from vision.training.render import raycast as rc
from vision.training.scenes.builder import SceneBuilder, rotation
from vision.training.scenes.limbs import HandFrame, add_band, add_limb, put_metal
from vision.training.scenes.materials import random_colour, random_material


def put_arm(hand: HandFrame, out: Floats, skin: int) -> None:
    """Add forearm and upper arm, bare or in a sleeve, perhaps with a watch."""
    build, rng, unit = hand.build, hand.build.rng, hand.unit
    wrist = hand.place(np.array([0.0, 0.2, -0.3]))
    rise, bend = rng.uniform(0, 0.3), rng.normal(0, 0.3)
    elbow = wrist + (out * np.cos(rise) + (0, 0, np.sin(rise))) * 26 * unit
    beyond = rotation(0, 0, bend) @ out + (0, 0, rng.uniform(0, 0.25))
    bones = np.stack([wrist, elbow, elbow + beyond * 45 * unit])
    stout = rng.uniform(0.88, 1.15)
    radii = np.array([2.5, 3.7, 4.4]) * stout * unit

    def at(share: float) -> tuple[Floats, float]:
        place = np.array([np.interp(share, range(3), c) for c in bones.T])
        return place, float(np.interp(share, range(3), radii))

    bare = rng.choice([rng.uniform(0.02, 0.2), rng.uniform(0.2, 0.8), 1.4], p=(0.6, 0.2, 0.2))
    cuts = np.linspace(0, min(2.0, bare + 0.2), 6)
    for one, two in pairwise(cuts):
        add_limb(build, at(one)[0], at(two)[0], at((one + two) / 2)[1], skin)
    if bare > 0.25 and rng.random() < 0.35:
        _put_watch(hand, at(0.1)[0], out, 2.75 * stout)
    cloth, loose = _cloth(build), rng.uniform(0.2, 1.2) * unit
    place, radius = at(bare)
    cuff = cloth if rng.random() < 0.6 else _cloth(build)
    end, wide = at(bare + 0.18)[0], (radius + loose) * rng.uniform(1.0, 1.12)
    add_band(build, place, end, wide, cuff)
    inner = min(1.0, (wide * 1.1) / (26 * unit))  # its round end stays within the cuff
    cuts = np.linspace(bare + inner, 2.0, 7)
    for one, two in pairwise(cuts):
        folds = rng.uniform(0.93, 1.08)
        add_limb(build, at(one)[0], at(two)[0], (at(one)[1] + loose) * folds, cloth)


def _cloth(build: SceneBuilder) -> int:
    """The material of a sleeve: plain or with a pattern of two colors."""
    rng = build.rng
    row = random_material(rng, wooden=False)
    row[rc.GLOSS] = 0.0
    if rng.random() < 0.35:
        row[rc.SECOND : rc.SECOND + 3] = random_colour(rng)
        row[rc.AMOUNT], row[rc.SCALE] = rng.uniform(0.6, 2.5), rng.uniform(2, 12)
    return build.paint(row)


def _put_watch(hand: HandFrame, place: Floats, out: Floats, radius: float) -> None:
    build, rng, unit = hand.build, hand.build.rng, hand.unit
    strap = (
        put_metal(build) if rng.random() < 0.4 else build.paint(random_material(rng, wooden=False))
    )
    add_band(build, place - out * unit, place + out * unit, radius * 1.02 * unit, strap)
    back = hand.axes[:, 2] - out * (hand.axes[:, 2] @ out)
    back /= np.linalg.norm(back)
    dial = build.paint(random_material(rng, wooden=False))
    size = rng.uniform(1.4, 2.1) * unit
    for wide, high, paint in ((1.0, 0.3, put_metal(build)), (0.85, 0.36, dial)):
        middle = place + back * radius * unit
        add_band(build, middle - back * 0.3 * unit, middle + back * high * unit, size * wide, paint)
