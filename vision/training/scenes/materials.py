"""Random colors, textures and materials of sets, boards, tables and dice; linear BGR, 0..1.

Everything is synthetic: no picture of anything real, or rendered elsewhere, is used.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final

import cv2
import numpy as np

from engine.arrays import Floats, Floats32, Rng
from vision.training.render import raycast as rc

SMOOTH, FIBRE, GRAIN, CLOUD, SPECKLE, WEAVE, CLOTH = range(7)
TONAL_SHARE: Final = 0.13
"""Fraction of sets of one tone throughout, such as brown on tan on brown."""
PALE_SHARE: Final = 0.07
"""Fraction of sets whose light checkers, points and field are all pale wood or cream."""
CLOTH_SHARE: Final = 0.1
"""Fraction of tables under a patterned cloth."""


def random_colour(rng: Rng, saturation: float = 1.0, value: tuple[float, float] = (0.06, 1.0)
           ) -> Floats:  # fmt: skip
    """A color of any hue, with saturation and value within bounds."""
    hue, sat = rng.uniform(0, 180), 255 * saturation * rng.random() ** 0.8
    return from_hsv(hue, sat, 255 * rng.uniform(*value))


def from_hsv(hue: float, saturation: float, value: float) -> Floats:
    """Linear light from OpenCV's 8-bit HSV."""
    hsv = np.array([[[hue, saturation, value]]], np.uint8)
    return from_srgb(cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR)[0, 0] / 255.0)


def from_srgb(srgb: Floats) -> Floats:
    """Linear light from sRGB values 0..1."""
    return np.asarray(np.power(np.clip(srgb, 0, 1), 2.2), float)


def random_wood_colour(rng: Rng) -> Floats:
    """A brown between maple and wenge."""
    hue, value = rng.uniform(6, 22), rng.uniform(0.12, 0.85)
    return from_hsv(hue, rng.uniform(70, 190), 255 * value)


def lightness(of: Floats) -> float:
    """Perceived lightness 0..100 of a linear BGR colour."""
    luminance = float(np.array([0.0722, 0.7152, 0.2126]) @ of)
    return 116 * max(luminance, 1e-4) ** (1 / 3) - 16


def colour_difference(one: Floats, other: Floats) -> float:
    """Distance of two linear BGR colors in Lab (CIE76)."""
    pair = np.clip(np.stack([one, other])[None] ** (1 / 2.2), 0, 1).astype(np.float32)
    lab = cv2.cvtColor(pair, cv2.COLOR_BGR2LAB)[0]
    return float(np.linalg.norm(lab[0] - lab[1]))


def make_noises(rng: Rng) -> Floats32:
    """(7, 256, 256) 0..1 tiling textures: smooth, fibre, grain, cloud, speckle, weave, cloth."""
    smooth = _fractal(rng, (1, 1), 2.2)
    fibre = _fractal(rng, (1, 1), 0.6)
    grain = _grain(rng)
    cloud = _fractal(rng, (1, 1), 1.6)
    speckle = np.asarray(_fractal(rng, (1, 1), 0.9) > rng.uniform(0.5, 0.7), np.float32)
    step = int(rng.choice([4, 8, 16]))
    y, x = np.mgrid[:256, :256]
    weave = 0.5 + 0.25 * np.sign(np.sin(2 * np.pi * x / step) * np.sin(2 * np.pi * y / step))
    weave = weave + 0.25 * (fibre - 0.5)
    return np.stack([smooth, fibre, grain, cloud, cv2.GaussianBlur(speckle, (3, 3), 0.6), weave,
                     _cloth(rng)]).astype(np.float32)  # fmt: skip


def _fractal(rng: Rng, stretch: tuple[float, float], slope: float) -> Floats32:
    """Noise with a power spectrum f^-slope, 0..1, tiling."""
    amplitude = _amplitude(stretch, slope)
    spectrum = amplitude * np.exp(2j * np.pi * rng.random(amplitude.shape))
    field = np.fft.irfft2(spectrum, (256, 256))
    field = field / (4 * field.std()) + 0.5
    return np.clip(field, 0, 1).astype(np.float32)


@cache
def _amplitude(stretch: tuple[float, float], slope: float) -> Floats:
    """(256, 129) amplitudes of the spectrum of such noise."""
    fy, fx = np.fft.fftfreq(256)[:, None] * stretch[1], np.fft.rfftfreq(256)[None] * stretch[0]
    size = np.hypot(fx, fy)
    size[0, 0] = 1
    amplitude = size**-slope
    amplitude[0, 0] = 0
    return np.asarray(amplitude)


def _grain(rng: Rng) -> Floats32:
    bent = _fractal(rng, (1, 6), 2.0) * rng.uniform(2, 10)
    rings = 0.5 + 0.5 * np.sin(2 * np.pi * (np.mgrid[:256, :256][1] / 256 * rng.integers(2, 9)
                                            + bent))  # fmt: skip
    fine = _fractal(rng, (1, 12), 0.8)
    return np.asarray(np.clip(0.6 * rings + 0.6 * (fine - 0.5) + 0.2, 0, 1), np.float32)


def material_row(kind: float, first: Floats, rng: Rng, **columns: float) -> Floats:
    """A row of `RenderWorld.materials` of one color; `columns` by their names in `raycast`."""
    row = np.zeros(rc.MATERIAL_COLUMNS)
    row[rc.KIND] = kind
    row[rc.FIRST : rc.FIRST + 3] = first
    row[rc.SECOND : rc.SECOND + 3] = first * rng.uniform(0.5, 0.9)
    row[rc.NOISE], row[rc.SCALE], row[rc.AMOUNT] = SMOOTH, 3, 0.3
    row[rc.GLOSS], row[rc.SHINE], row[rc.BEND] = 0.0, 10, 1
    for name, value in columns.items():
        row[getattr(rc, name)] = value
    return row


def _cloth(rng: Rng) -> Floats32:
    """Stripes, gingham, tartan, dots or flowers."""
    y, x = np.mgrid[:256, :256] * (2 * np.pi / 256 * int(rng.integers(1, 7)))
    kind = int(rng.integers(5))
    if kind == 0:
        made = np.sin(x) > rng.uniform(-0.7, 0.7)
    elif kind == 1:
        made = ((np.sin(x) > 0) * 0.5 + (np.sin(y) > 0) * 0.5).astype(float)
    elif kind == 2:
        bands = [np.sin(way) + 0.6 * np.sin(3 * way + 1) > 0.5 for way in (x, y)]
        made = 0.6 * bands[0] + 0.4 * bands[1]
    elif kind == 3:
        made = np.cos(x) + np.cos(y) > rng.uniform(0.2, 1.6)
    else:
        way, far = np.arctan2(np.sin(y), np.sin(x)), np.hypot(np.sin(x / 2), np.sin(y / 2))
        made = far < 0.3 + 0.25 * np.cos(int(rng.integers(3, 8)) * way)
    soft = cv2.GaussianBlur(np.asarray(made, np.float32), (0, 0), rng.uniform(0.5, 1.5))
    return np.asarray(soft, np.float32)


def random_table(rng: Rng) -> Floats:
    """The table's material: as of anything else, or a patterned cloth."""
    row = random_material(rng)
    if rng.random() < CLOTH_SHARE:
        row[rc.FIRST : rc.FIRST + 3] = random_colour(rng, 0.9, (0.1, 1.0))
        row[rc.SECOND : rc.SECOND + 3] = random_colour(rng, 0.9, (0.1, 1.0))
        row[rc.NOISE], row[rc.SCALE], row[rc.AMOUNT] = CLOTH, rng.uniform(0.7, 4), 1.0
        row[rc.GLOSS] = 0.0
    return row


def random_material(rng: Rng, *, wooden: bool | None = None) -> Floats:
    """A plain material: wood, leather, cloth, lacquer."""
    if wooden if wooden is not None else rng.random() < 0.5:
        base = random_wood_colour(rng)
        row = material_row(rc.PLAIN, base, rng, NOISE=GRAIN, SCALE=rng.uniform(0.6, 3),
                       AMOUNT=rng.uniform(0.3, 1.2))  # fmt: skip
    else:
        base = random_colour(rng, 0.8, (0.04, 0.95))
        row = material_row(rc.PLAIN, base, rng, NOISE=float(rng.integers(6)),
                       SCALE=rng.uniform(1, 14), AMOUNT=rng.uniform(0, 0.8))  # fmt: skip
    row[rc.SECOND : rc.SECOND + 3] = base * rng.uniform(0.45, 0.95)
    row[rc.GLOSS] = rng.choice([0, 0, 0.05, 0.3]) * rng.random()
    row[rc.SHINE] = 2 ** rng.uniform(2, 6)
    row[rc.BEVEL] = rng.uniform(0.001, 0.006)
    return row


@dataclass(frozen=True, slots=True, eq=False)
class SetColours:
    """The colors of one set."""

    light: Floats
    dark: Floats
    points: tuple[Floats, Floats]
    felt: Floats

    @property
    def board(self) -> tuple[Floats, ...]:
        """The colors of the surfaces under what is on the board."""
        return self.felt, *self.points


def random_set_colours(rng: Rng) -> SetColours:
    """A set with two distinguishable colors, the lighter one light's, on any board."""
    kind = rng.random()
    if kind < TONAL_SHARE:
        return _tonal_set(rng)
    if kind < TONAL_SHARE + PALE_SHARE:
        return _pale_set(rng)
    while True:
        light, dark = _random_checker_colour(rng), _random_checker_colour(rng)
        if lightness(light) < lightness(dark):
            light, dark = dark, light
        if lightness(light) - lightness(dark) > 6 and colour_difference(light, dark) > 22:
            break
    while True:
        felt, one, two = (
            random_board_colour(rng),
            random_board_colour(rng),
            random_board_colour(rng),
        )
        if rng.random() < 0.25:  # a board of one tone, or checkers in the points' colors
            two = np.clip(felt * rng.uniform(0.5, 1.6), 0, 1)
        if rng.random() < 0.3:
            one = np.clip((light if rng.random() < 0.5 else dark) * rng.uniform(0.6, 1.3), 0, 1)
        visible = min(colour_difference(one, felt), colour_difference(two, felt))
        # A checker of the felt's own color is visible only by its rim and shadow: rarely.
        clear = min(colour_difference(c, b) for c in (light, dark) for b in (felt, one, two))
        if visible > 9 and (clear > 14 or rng.random() < 0.3):
            break
    return SetColours(light, dark, (one, two), felt)


def _tonal_set(rng: Rng) -> SetColours:
    while True:
        base = random_wood_colour(rng) if rng.random() < 0.5 else random_board_colour(rng)
        felt, one, two, light, dark = (
            np.clip(base * np.exp(rng.normal(0, 0.5)) * rng.uniform(0.85, 1.18, 3), 0, 1)
            for _ in range(5)
        )
        if lightness(light) < lightness(dark):
            light, dark = dark, light
        apart = lightness(light) - lightness(dark) > 6 and colour_difference(light, dark) > 15
        visible = min(colour_difference(one, felt), colour_difference(two, felt))
        clear = min(colour_difference(c, b) for c in (light, dark) for b in (felt, one, two))
        if apart and visible > 5 and clear > 3:
            break
    return SetColours(light, dark, (one, two), felt)


def _pale_set(rng: Rng) -> SetColours:
    """Pale checkers on pale points of a pale field; dark's are some brown, or any other color."""
    while True:
        hue, saturation, value = rng.uniform(8, 26), rng.uniform(10, 95), rng.uniform(165, 245)
        felt, one, two, light = (
            from_hsv(
                np.clip(hue + rng.normal(0, 2), 0, 179),
                np.clip(saturation + rng.normal(0, 20), 0, 255),
                np.clip(value + rng.normal(0, 22), 0, 255),
            )
            for _ in range(4)
        )
        dark = random_wood_colour(rng) if rng.random() < 0.6 else _random_checker_colour(rng)
        if rng.random() < 0.4:  # only every second point is pale
            two = random_wood_colour(rng)
        visible = min(colour_difference(one, felt), colour_difference(two, felt))
        clear = min(colour_difference(light, board) for board in (felt, one))
        if lightness(light) - lightness(dark) > 15 and visible > 3.5 and 2 < clear < 25:
            return SetColours(light, dark, (one, two), felt)


def _random_checker_colour(rng: Rng) -> Floats:
    kind = rng.random()
    if kind < 0.3:
        return from_srgb(rng.uniform(0.72, 0.98) * np.array([rng.uniform(0.75, 1), 0.96, 1.0]))
    if kind < 0.5:
        return from_srgb(rng.uniform(0.04, 0.25) * rng.uniform(0.8, 1.2, 3))
    return random_wood_colour(rng) if kind < 0.65 else random_colour(rng, 1.0, (0.15, 1.0))


def random_board_colour(rng: Rng) -> Floats:
    """A possible color of felt, leather or a painted point."""
    kind = rng.random()
    if kind < 0.25:
        return random_wood_colour(rng)
    if kind < 0.4:
        return from_srgb(rng.uniform(0.6, 0.95) * np.array([rng.uniform(0.7, 1), 0.95, 1.0]))
    if kind < 0.5:
        return from_srgb(rng.uniform(0.05, 0.3) * rng.uniform(0.85, 1.15, 3))
    return random_colour(rng, 1.0, (0.08, 0.95))
