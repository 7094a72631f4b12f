"""The wood of a board: frame, trays, bar and hinges; or a sheet of paper or cloth."""

from __future__ import annotations

from typing import Final

import numpy as np

from calibration.layout import Layout
from vision.training.render import raycast as rc
from vision.training.scenes.builder import SceneBuilder
from vision.training.scenes.fittings import BarPlace, fit_bar, fit_frame, print_on_bar
from vision.training.scenes.materials import SetColours, material_row, random_material

MIN_RAISED_BAR: Final = 0.03
"""Minimum width of a case's bar that rises above the field; others are a mere line."""
MIN_PRINTED_BAR: Final = 0.02
PRINTED_BAR_SHARE: Final = 0.12
"""Fraction of sheets of at least that bar with a print on it."""


def make_sheet(
    build: SceneBuilder, layout: Layout, aspect: float, colours: SetColours
) -> tuple[float, float, rc.Bounds]:
    """Add a margin and a flat bar; return the heights of frame and bar, and the inside's bounds."""
    rng = build.rng
    paper = build.paint(random_material(rng, wooden=False))
    if rng.random() < 0.4:  # printed edge to edge, on the field's own material
        paper = build.paint(material_row(rc.PLAIN, colours.felt, rng, AMOUNT=0.1))
    thick, margin = rng.uniform(0.0005, 0.003), rng.choice([0.002, rng.uniform(0.01, 0.12)])
    for low, high in (
        ((-margin, -margin), (1 + margin, 0.0)),
        ((-margin, aspect), (1 + margin, aspect + margin)),
        ((-margin, 0.0), (0.0, aspect)),
        ((1.0, 0.0), (1 + margin, aspect)),
    ):
        build.box((*low, -0.03), (*high, thick), paper)
    bar = paper if rng.random() < 0.5 else build.paint(random_material(rng))
    build.box((0.5 - layout.bar / 2, 0, -0.03), (0.5 + layout.bar / 2, aspect, thick), bar)
    if layout.bar > MIN_PRINTED_BAR and rng.random() < PRINTED_BAR_SHARE:
        print_on_bar(build, BarPlace(layout.bar / 2, aspect, thick, bar, colours))
    return thick, thick, (0.0, 0.0, 1.0, aspect)


def make_case(
    build: SceneBuilder, layout: Layout, aspect: float, colours: SetColours
) -> tuple[float, float, rc.Bounds]:
    """Add frame, bar and trays; return the heights of frame and bar, and the inside's bounds."""
    rng = build.rng
    wood = build.paint(random_material(rng, wooden=None if rng.random() < 0.4 else True))
    high = rng.uniform(0.012, 0.05)
    thick = rng.uniform(0.02, 0.09)
    trays = rng.choice(3, p=[0.3, 0.15, 0.55])  # none, one side, both
    left = rng.uniform(0.07, 0.15) if trays == 2 else 0.0
    right = rng.uniform(0.07, 0.15) if trays >= 1 else 0.0
    inner = rng.uniform(0.012, 0.035)
    x0, x1 = (-left - inner if left else 0.0), (1 + right + inner if right else 1.0)
    build.box((x0 - thick, -thick, -0.03), (x1 + thick, 0, high), wood)
    build.box((x0 - thick, aspect, -0.03), (x1 + thick, aspect + thick, high), wood)
    build.box((x0 - thick, 0, -0.03), (x0, aspect, high), wood)
    build.box((x1, 0, -0.03), (x1 + thick, aspect, high), wood)
    divider = high * rng.uniform(0.5, 1.0)
    for has, near, far in ((left, -inner, 0.0), (right, 1.0, 1 + inner)):
        if has:
            build.box((near, 0, -0.03), (far, aspect, divider), wood)
            if rng.random() < 0.7:
                middle, wide = aspect * rng.uniform(0.4, 0.6), rng.uniform(0.01, 0.08)
                one, two = (x0, near) if near < 0 else (far, x1)
                build.box((one, middle, -0.03), (two, middle + wide, divider), wood)
    bar_high = high * rng.choice([0.05, 0.5, 0.9, 1.0]) * rng.uniform(0.8, 1.0)
    if layout.bar < MIN_RAISED_BAR:
        bar_high = rng.uniform(0.0003, 0.004)
    bar = wood if rng.random() < 0.6 else build.paint(random_material(rng))
    if rng.random() < 0.15:  # a checker there is visible only by its rim
        shade = (colours.light if rng.random() < 0.4 else colours.dark) * rng.uniform(0.6, 1.3)
        bar = build.paint(material_row(rc.PLAIN, np.clip(shade, 0, 1), rng, GLOSS=0.1))
    elif rng.random() < 0.06:
        bar = build.paint(material_row(rc.PLAIN, colours.felt, rng, AMOUNT=0.1))
    near, far = 0.5 - layout.bar / 2, 0.5 + layout.bar / 2
    gap = rng.choice([0, rng.uniform(0.002, 0.008)])
    build.box((near, 0, -0.03), (0.5 - gap / 2, aspect, bar_high), bar)
    build.box((0.5 + gap / 2, 0, -0.03), (far, aspect, bar_high), bar)
    fit_bar(build, BarPlace(layout.bar / 2, aspect, bar_high, bar, colours))
    fit_frame(build, (x0, 0.0, x1, aspect), thick, high)
    return high, bar_high, (x0, 0.0, x1, aspect)
