"""The checkers of a scene: a random position, and how its players place checkers."""

from __future__ import annotations

from typing import Final

import numpy as np

from calibration.layout import Layout
from engine.arrays import Floats, Rng
from engine.position import CHECKERS
from vision.training.render import raycast as rc
from vision.training.scenes import painting
from vision.training.scenes.builder import SceneBuilder
from vision.training.scenes.materials import (
    SetColours,
    colour_difference,
    lightness,
    material_row,
)

ROW_LENGTHS, ROW_SHARES = (4, 5, 6, 7), (0.08, 0.72, 0.14, 0.06)
"""How many checkers fit in a first layer, and how often."""
MIDDLE_OF_BAR_SHARE: Final = 0.5
"""Fraction of bars with one color that are filled from across the middle."""
APART_ON_BAR_SHARE: Final = 0.5
"""Fraction of colors whose checkers on the bar lie apart, at random distances."""
HEAPED_ON_BAR_SHARE: Final = 0.06
"""Fraction of colors whose checkers on the bar lie on each other, in heaps of up to three."""
ONE_ROW_SHARE: Final = 0.25
"""Fraction of bars with few checkers whose second color begins where the first one ends."""
MAX_IN_ROW: Final = 4
"""Checkers of one color on the bar before others lie on them."""
TWO_GROUPS_SHARE: Final = 0.15
"""Fraction of points with checkers in two groups with a gap between them."""
SPACED_SHARE: Final = 0.4
"""Fraction of points whose checkers do not touch each other."""
MAX_MEAN_SPACE: Final = 0.25
"""Diameters between two of those, on average at most."""
OFF_RAIL_SHARE: Final = 0.03
"""Fraction of points whose first checker is far from the rail."""
WIDE_GAP_SHARE: Final = 0.3
"""Fraction of the gaps between two groups that are wide."""
MAX_GAP: Final = 2.5
"""In diameters, from the rail or between two groups."""
CROWDED_SHARES: Final = (0.2, 0.14, 0.14, 0.12, 0.1, 0.1, 0.07, 0.04, 0.02, *[0.01] * 7)
"""How often there are 0..15 checkers on a point of a crowded board."""
MIXED_SHARE: Final = 0.05
"""Fraction of sides some of whose checkers are from another set."""
SPREADS: Final = (0.03, 0.03, 0.03, 0.08)
"""Standard deviations of the lightness of a set's checkers."""
OPENING: Final = {1: -2, 6: 5, 8: 3, 12: -5, 13: 5, 17: -3, 19: -5, 24: 2}


class CheckerSet:
    """The checkers of a set and how players place them."""

    def __init__(self, rng: Rng, layout: Layout, aspect: float, *, thin: bool) -> None:
        self.layout, self.aspect = layout, aspect
        pitch = layout.point_width
        self.radius = pitch * (rng.uniform(0.84, 0.99) if rng.random() < 0.7
                               else rng.uniform(0.68, 0.84)) / 2  # fmt: skip
        self.thick = rng.uniform(0.0015, 0.006) if thin else rng.uniform(0.011, 0.023)
        self.bevel = rng.choice([0.0, rng.uniform(0.0, 0.25)]) * self.radius + 1e-4
        self.sloppy = rng.choice([0.02, 0.06, 0.15]) * rng.uniform(0.5, 1.5)
        self.gap = rng.choice([0.0, rng.uniform(0, 0.12)])
        most = int(aspect / 2 / (2 * self.radius) * 0.99)
        self.row = int(np.clip(rng.choice(ROW_LENGTHS, p=ROW_SHARES), 3, max(3, most)))
        self.bridged = rng.random() < 0.25

    def places(self, rng: Rng, point: int, count: int) -> list[tuple[float, float, int]]:
        """x, y and layer of each checker on a point, in world coordinates."""
        x = self.layout.point_x(point)
        away = 1 if point <= 12 else -1
        rail = 0.0 if point <= 12 else self.aspect
        free = max(0.0, self.layout.point_width / 2 - self.radius)
        start = abs(rng.normal(0, self.sloppy * 0.3)) if rng.random() < 0.9 else rng.uniform(0, 0.8)
        if rng.random() < OFF_RAIL_SHARE:
            start = rng.uniform(0.8, MAX_GAP)
        room = self.aspect / 2 / (2 * self.radius)
        row = self.row
        used = min(count, row)
        gap = min(self.gap, max(0.0, (room - start - used) / max(1, used)))
        start = min(start, max(0.0, room - used))
        apart, spare = 0, max(0.0, room - start - used * (1 + gap))
        if used > 1 and rng.random() < TWO_GROUPS_SHARE:
            apart = int(rng.integers(1, used))
        loose = rng.uniform(0, MAX_MEAN_SPACE) if rng.random() < SPACED_SHARE else 0.0
        base = []
        y = start
        for slot in range(used):
            if slot and slot == apart:
                y += min(
                    spare, rng.uniform(0.15, MAX_GAP if rng.random() < WIDE_GAP_SHARE else 1.2)
                )
            elif slot and loose:
                wider = min(spare, rng.exponential(loose))
                y, spare = y + wider, spare - wider
            jitter = float(np.clip(rng.normal(0, self.sloppy), -0.3, 0.3)) * 2 * self.radius
            side = float(np.clip(jitter, -free - 0.03 * self.radius, free + 0.03 * self.radius))
            if rng.random() < 0.02:
                side = jitter
            base.append((x + side, rail + away * 2 * self.radius * (y + 0.5)))
            y += 1 + gap + abs(rng.normal(0, self.sloppy * 0.25)) * (gap > 0)
        placed = [(x, y, 0) for x, y in base]
        for extra in range(used, count):
            layer, slot = divmod(extra, row)
            bx, by = base[slot]
            if self.bridged and layer % 2 and slot + 1 < len(base):
                bx, by = (bx + base[slot + 1][0]) / 2, (by + base[slot + 1][1]) / 2
            wobble = rng.normal(0, 0.05 + self.sloppy * 0.3, 2).clip(-0.25, 0.25) * self.radius
            placed.append((bx + wobble[0], by + wobble[1], layer))
        return placed


def random_position(
    rng: Rng, *, bears_off: bool = False, heads: bool = False, crowded: bool = False
) -> tuple[list[int], tuple[int, int]]:
    """24 signed counts and the bar; at most 15 a side.

    `bears_off`: both sides do; `heads`: both have a stack of ten or more; `crowded`: most points
    hold checkers, more in total than a set has.
    """
    kind = rng.random()
    if crowded:
        counts = rng.choice(CHECKERS + 1, 24, p=CROWDED_SHARES) * rng.choice([-1, 1], 24)
        return [int(count) for count in counts], (0, 0)
    if bears_off:
        return _bearing_off(rng, 14)
    if heads or 0.26 <= kind < 0.32:
        return _heads(rng), (0, 0)
    if kind < 0.08:
        points = [0] * 24
        for point, count in OPENING.items():
            points[point - 1] = count
        return (points if rng.random() < 0.5 else [-count for count in points]), (0, 0)
    return _bearing_off(rng, 11) if kind < 0.26 else _scattered(rng)


def _scattered(rng: Rng) -> tuple[list[int], tuple[int, int]]:
    points, bar = [0] * 24, [0, 0]
    for side, sign in enumerate((1, -1)):
        left = 15
        if rng.random() < 0.3:
            left -= int(rng.integers(0, 15))
        if rng.random() < 0.2:
            bar[side] = int(min(left, rng.choice([1, 1, 1, 2, 2, 3, 4])))
            left -= bar[side]
        tall = rng.random() < 0.4
        while left > 0:
            free = [p for p in range(24) if points[p] * sign >= 0]
            if not free:
                break
            if tall:
                count = int(rng.integers(5, 16) if rng.random() < 0.4 else rng.integers(5, 10))
                tall = rng.random() < 0.3
            else:
                count = int(
                    rng.choice([1, 2, 3, 4, 5, 6, 7], p=[0.25, 0.27, 0.2, 0.12, 0.1, 0.04, 0.02])
                )
            point = int(rng.choice(free))
            count = min(count, left, 15 - abs(points[point]))
            points[point] += sign * count
            left -= count
    return points, (bar[0], bar[1])


def _bearing_off(rng: Rng, most: int) -> tuple[list[int], tuple[int, int]]:
    """Each side in one quarter, up to `most` borne off; sometimes one of them has been hit."""
    points, bar = [0] * 24, [0, 0]
    for side, quarter in enumerate(rng.permutation(4)[:2]):
        left = 15 - int(rng.integers(0, most + 1) if rng.random() < 0.6 else 0)
        if rng.random() < 0.12:
            bar[side], left = 1, left - 1
        shares = rng.dirichlet(np.full(6, rng.choice([0.6, 1.5, 4.0])))
        counts = rng.multinomial(left, shares)
        for place, count in enumerate(counts):
            points[6 * quarter + place] = int(count) * (1 if side == 0 else -1)
    return points, (bar[0], bar[1])


def _heads(rng: Rng) -> list[int]:
    """A stack of ten to fifteen per side, the rest ahead in ones and twos."""
    points = [0] * 24
    for sign in (1, -1):
        free = [p for p in range(24) if not points[p]]
        head, left = int(rng.choice(free)), int(rng.choice([0, 0, 1, 2, 3, 4, 5]))
        points[head] = sign * (15 - left)
        while left:
            count = min(left, int(rng.integers(1, 3)))
            points[int(rng.choice([p for p in range(24) if not points[p]]))] = sign * count
            left -= count
    return points


class CheckerPlacer:
    """Puts checkers of both colors into a scene."""

    def __init__(self, build: SceneBuilder, checkers: CheckerSet, colours: SetColours) -> None:
        rng = build.rng
        self.build, self.checkers, self.rng = build, checkers, rng
        gloss, shine = rng.choice([0.02, 0.2, 0.8, 1.6]) * rng.random(), 2 ** rng.uniform(3, 8)
        rough, self.spread = rng.uniform(0, 0.25), rng.choice(SPREADS)
        own = colours.light, colours.dark
        self.other_colours = _other_colour(rng, *own), _other_colour(rng, *own[::-1])
        """Of checkers that replace lost ones: light's and dark's."""
        self.other_shares = [
            rng.uniform(0.1, 0.6) if rng.random() < MIXED_SHARE else 0.0 for _ in own
        ]
        self.paints = []
        """Light's and dark's usual checkers, then the other ones."""
        tops = painting.LIGHT_TOP, painting.DARK_TOP, *painting.OTHER_TOPS
        for texture, base in zip(tops, (*own, *self.other_colours), strict=True):
            row = material_row(rc.CHECKER, base, rng, TEXTURE=texture, BEVEL=checkers.bevel,
                                 SCALE=5, AMOUNT=rough, GLOSS=gloss, SHINE=shine)  # fmt: skip
            row[rc.SECOND : rc.SECOND + 3] = base * rng.uniform(0.75, 0.98)
            self.paints.append(build.paint(row))
        self.half = np.array([checkers.radius, checkers.radius, checkers.thick / 2])

    def put(self, x: float, y: float, z: float, side: int, turn: Floats | None = None) -> None:
        """Add one checker centered at x, y, z; `side` 0 is light."""
        gain = float(np.clip(self.rng.normal(1, self.spread), 0.75, 1.25))
        paint = self.paints[side + 2 * (self.rng.random() < self.other_shares[side])]
        self.build.add(rc.CYLINDER, np.array([x, y, z]), self.half, paint, turn, gain)


def _other_colour(rng: Rng, own: Floats, opposite: Floats) -> Floats:
    """Another shade of `own` that cannot be taken for the opposite side's."""
    for _ in range(8):
        other = np.clip(own * np.exp(rng.normal(0, 0.35)) * rng.uniform(0.8, 1.25, 3), 0, 1)
        away = colour_difference(other, opposite)
        same_order = (lightness(other) > lightness(opposite)) == (
            lightness(own) > lightness(opposite)
        )
        if same_order and colour_difference(other, own) < 0.6 * away:
            return other
    return own


def put_on_points(placer: CheckerPlacer, points: list[int]) -> None:
    """Add the checkers of 24 signed counts."""
    for index, count in enumerate(points):
        for x, y, layer in placer.checkers.places(placer.rng, index + 1, abs(count)):
            placer.put(x, y, (layer + 0.5) * placer.checkers.thick, int(count < 0))


def put_on_bar(placer: CheckerPlacer, bar: tuple[int, int], bar_high: float) -> None:
    """Add checkers from the middle or one end of the bar, each color in its own half or one row.

    They touch, lie apart or on each other. A single color often lies across the middle.
    """
    rng, checkers, half = placer.rng, placer.checkers, placer.checkers.aspect / 2
    z = max(bar_high, 0.0) + checkers.thick / 2
    outward = rng.random() < 0.7
    start = rng.uniform(0.03, 0.2)
    if 0 in bar and rng.random() < MIDDLE_OF_BAR_SHARE:
        outward, start = True, -rng.uniform(0, rng.choice([1.8 * checkers.radius, 0.9 * half]))
    is_one_row = sum(bar) <= MAX_IN_ROW and rng.random() < ONE_ROW_SHARE
    swapped = rng.random() < 0.5
    for side, count in enumerate(bar):
        away = 1 if (side == 0 or is_one_row) == swapped else -1
        along = start + _along_bar(placer, count, half - start)
        for k in range(count):
            layer, slot = divmod(k, len(along))
            place = along[slot] + float(rng.normal(0, 0.02)) * checkers.radius * layer
            y = half + away * place if outward else (2 * half - place if away > 0 else place)
            x = 0.5 + float(rng.normal(0, 0.08)) * checkers.radius
            placer.put(x, y, z + layer * checkers.thick, side)
        if is_one_row and count:
            start = float(along[-1]) + checkers.radius


def _along_bar(placer: CheckerPlacer, count: int, room: float) -> Floats:
    """(n,) distances from the start of a row to the middles of the checkers that lie lowest."""
    rng, radius = placer.rng, placer.checkers.radius
    high = int(rng.integers(2, 4)) if rng.random() < HEAPED_ON_BAR_SHARE else 1
    slots = min(-(-count // high), MAX_IN_ROW)
    touching = radius * (2 * np.arange(slots) + 1) * rng.uniform(1, 1.05, slots)
    free = room - 2 * radius * slots
    if rng.random() >= APART_ON_BAR_SHARE or free <= 0:
        return np.asarray(touching)
    return np.asarray(touching + np.sort(rng.uniform(0, rng.uniform(0, free), slots)))
