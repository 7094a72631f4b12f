"""The true colors of a set, from the picture in its profile."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calibration.appearance import disc_mask
from calibration.grid import PADDING
from calibration.profile import Profile
from calibration.strips import point_strip, strip_length
from engine import Side
from webui.contracts.state import Colours

Pixels = NDArray[np.uint8]


def set_colours(profile: Profile) -> Colours:
    """The median colors of each side's checkers, the points, the felt and the frame.

    None for a side without checkers in the picture.
    """
    picture = profile.picture
    free = ~_covered(profile)
    odd, even = ([p for p in range(1, 25) if p % 2 == rest] for rest in (1, 0))
    return Colours(
        light=_of_checkers(profile, Side.LIGHT),
        dark=_of_checkers(profile, Side.DARK),
        field=_hex(_between_the_tips(profile)),
        points=[_hex(_on_points(profile, free, points)) for points in (odd, even)],
        frame=_hex(
            np.concatenate([picture[: PADDING // 2], picture[-PADDING // 2 :]]).reshape(-1, 3)
        ),
    )


def _hex(pixels: Pixels) -> str:
    blue, green, red = np.median(pixels, axis=0).astype(int)
    return f"#{red:02x}{green:02x}{blue:02x}"


def _covered(profile: Profile) -> NDArray[np.bool_]:
    centers = np.concatenate(list(profile.centers.values()))
    return disc_mask(profile.picture.shape[:2], centers, 0.6 * profile.diameter)


def _of_checkers(profile: Profile, side: Side) -> str | None:
    centers = profile.centers[side]
    mask = disc_mask(profile.picture.shape[:2], centers, 0.35 * profile.diameter)
    return _hex(profile.picture[mask]) if mask.any() else None


def _on_points(profile: Profile, free: NDArray[np.bool_], points: list[int]) -> Pixels:
    """Pixels of empty points near the rail, where the points are wide."""
    pixels = []
    rows = slice(strip_length(profile.grid) // 20, strip_length(profile.grid) // 2)
    for point in points:
        strip = point_strip(profile.picture, profile.grid, point)[rows, 17:-17]
        open_there = point_strip(free, profile.grid, point)[rows, 17:-17]
        pixels.append(strip[open_there])
    return np.concatenate(pixels)


def _between_the_tips(profile: Profile) -> Pixels:
    """Pixels of the felt between the tips of the points, in the middle of each half."""
    height, width = profile.picture.shape[:2]
    rows = slice(height // 2 - 10, height // 2 + 10)
    halves = [
        profile.picture[rows, left : left + width // 6] for left in (width // 6, width * 2 // 3)
    ]
    return np.concatenate(halves).reshape(-1, 3)
