"""Colours of CIE Lab (D65): as light that adds up, as `#rrggbb`, and in a word."""

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
BLACK, GREY, WHITE = 25, 45, 60
"""Lightness up to which a colour without a hue is black, dark grey, or grey."""
PALE: Final = 14.0
"""Chroma below which a colour has no hue: lamps alone give white dice up to 12."""
VIVID: Final = 30.0
"""... and from which a light yellow is no ivory."""
BROWN: Final = 50
"""Lightness below which what would be orange or yellow is brown."""
HUES: Final = (
    (15, "pink"), (45, "red"), (75, "orange"), (105, "yellow"), (175, "green"), (235, "turquoise"),
    (295, "blue"), (330, "purple"), (360, "pink"),
)  # fmt: skip
"""Degrees in the plane of a and b up to which a hue is called so."""


def linear_of(colour: Colour) -> Floats:
    """(3,) CIE XYZ over white: lights that fall together add up in it."""
    light, a, b = colour
    y = (light + 16) / 116
    roots = np.array((y + a / 500, y, y - b / 200))
    return np.where(roots > _EDGE, roots**3, 3 * _EDGE**2 * (roots - 4 / 29))


def lab_of(linear: Floats) -> Floats:
    """(N, 3) Lab of (N, 3) XYZ over white."""
    roots = np.where(
        linear > _EDGE**3, np.cbrt(linear), np.maximum(linear, 0) / (3 * _EDGE**2) + 4 / 29
    )
    x, y, z = roots.T
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=1)


def hex_of(colour: Colour) -> str:
    """`#rrggbb` in sRGB, the nearest that it can show."""
    linear = np.clip(_RGB_OF_XYZ @ linear_of(colour), 0, 1)
    bent = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    return "#" + "".join(f"{round(255 * float(part)):02x}" for part in bent)


def colour_name(colour: Colour) -> str:
    """What people would call it, as far as a lamp leaves that to be seen."""
    light, a, b = colour
    chroma, hue = hypot(a, b), degrees(atan2(b, a)) % 360
    if chroma < PALE * min(1.0, max(0.4, light / 40)):  # what is dark has less of any hue
        words = ((BLACK, "black"), (GREY, "dark grey"), (WHITE, "grey"), (np.inf, "white"))
        return next(word for limit, word in words if light < limit)
    word = next(word for limit, word in HUES if hue <= limit)
    if word in ("orange", "yellow"):
        if light < BROWN:
            return "brown"
        if chroma < VIVID and light >= WHITE:
            return "ivory"
    return "pink" if word == "red" and light >= WHITE and chroma < VIVID else word
