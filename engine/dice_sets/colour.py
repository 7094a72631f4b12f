"""Colors in CIE Lab (D65): as linear light, as `#rrggbb`, and by name."""

from __future__ import annotations

from math import atan2, degrees, hypot
from typing import Final

import numpy as np

from engine.arrays import Floats
from engine.evidence.observation import Colour

_EDGE: Final = 6 / 29
_RGB_OF_XYZ: Final = np.array(
    [[3.08010, -1.53714, -0.54285], [-0.92106, 1.87601, 0.04524], [0.05288, -0.20403, 1.15118]]
)
"""Linear sRGB of XYZ over D65 white (IEC 61966-2-1)."""
MAX_GREY: Final = 60
GREYS: Final = ((25, "black"), (45, "dark grey"), (MAX_GREY, "grey"), (np.inf, "white"))
"""The names of colors without a hue, each with the lightness up to which it applies."""
MIN_CHROMA: Final = 14.0
"""Chroma below which a color has no hue: lamps alone give white dice up to 12."""
MAX_IVORY_CHROMA: Final = 30.0
"""... and up to which a light yellow is ivory, a light red pink."""
MAX_BROWN: Final = 50
"""Lightness below which orange or yellow is called brown."""
HUES: Final = (
    (15, "pink"), (45, "red"), (75, "orange"), (105, "yellow"), (175, "green"), (235, "turquoise"),
    (295, "blue"), (330, "purple"), (360, "pink"),
)  # fmt: skip
"""The names of hues, each with the angle in degrees in the a-b plane up to which it applies."""


def linear_of(colour: Colour) -> Floats:
    """(3,) CIE XYZ relative to white, in which lights are additive."""
    light, a, b = colour
    y = (light + 16) / 116
    roots = np.array((y + a / 500, y, y - b / 200))
    return np.where(roots > _EDGE, roots**3, 3 * _EDGE**2 * (roots - 4 / 29))


def lab_of(linear: Floats) -> Floats:
    """(N, 3) Lab of (N, 3) XYZ relative to white."""
    roots = np.where(
        linear > _EDGE**3, np.cbrt(linear), np.maximum(linear, 0) / (3 * _EDGE**2) + 4 / 29
    )
    x, y, z = roots.T
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=1)


def hex_of(colour: Colour) -> str:
    """`#rrggbb`, the nearest sRGB color."""
    linear = np.clip(_RGB_OF_XYZ @ linear_of(colour), 0, 1)
    encoded = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    return "#" + "".join(f"{round(255 * float(part)):02x}" for part in encoded)


def colour_name(colour: Colour) -> str:
    """The common name of a color under household lamps."""
    light, a, b = colour
    chroma, hue = hypot(a, b), degrees(atan2(b, a)) % 360
    if chroma < MIN_CHROMA * min(1.0, max(0.4, light / 40)):  # dark colors have less chroma
        return next(name for limit, name in GREYS if light < limit)
    name = next(name for limit, name in HUES if hue <= limit)
    is_pale = light >= MAX_GREY and chroma < MAX_IVORY_CHROMA
    if name in ("orange", "yellow"):
        if light < MAX_BROWN:
            return "brown"
        return "ivory" if is_pale else name
    return "pink" if name == "red" and is_pale else name
