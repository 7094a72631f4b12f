"""Find a board that is known again: where its profile has it, or wherever it stands now."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from calibration.appearance import perceptual
from calibration.profile import Profile
from vision.checkers import count_checkers
from vision.errors import OtherBoard
from vision.locate import edge_agreement, locate_board
from vision.reader import fits_size

Image = NDArray[np.uint8]

FITS: Final = 0.45
"""Edge agreement from which the profile's own pose is right: 0.66-0.85 on still clips, and under
0.3 when the camera was nudged by a sixth of a point."""
FOREIGN: Final = 0.35
"""Share of the points' pixels that are neither its felt nor its checkers from which it is another
board: up to 0.04 on the own one, 0.46-0.94 on others."""
CLEARER: Final = 0.05
"""How much of that share must speak for a half turn against the way that it stood."""


def find_again(profile: Profile, image: Image) -> Profile:
    """The profile as its board stands in a (H, W, 3) BGR picture.

    `BoardNotFound` if no board is there, `OtherBoard` if it is not the profile's.
    """
    known = fits_size(profile, image)
    if edge_agreement(image, known.pose, known.layout) >= FITS:
        found, foreign = known, foreign_share(known, image)
    else:
        ways = [(way, foreign_share(way, image)) for way in _ways(known, image)]
        found, foreign = _likelier(ways, known)
    if foreign > FOREIGN:
        raise OtherBoard(
            "this is not the board of the profile, or the light is another: "
            "calibrate again, or leave --profile out"
        )
    return found


def foreign_share(profile: Profile, image: Image) -> float:
    """Mean share of the points' pixels that are neither the profile's felt nor its checkers."""
    colours = perceptual(profile.grid.rectify(image))
    return float(count_checkers(colours, profile.grid, profile.appearance()).hidden[:24].mean())


def _ways(profile: Profile, image: Image) -> Iterator[Profile]:
    """The profile at the board that is found, either way round; a mirror image it cannot be."""
    located = locate_board(image)
    pose = replace(located.pose, mirrored=profile.pose.mirrored)
    for turned in (pose, pose.half_turned()):
        yield profile.seen_from(turned, located.layout)


def _likelier(ways: list[tuple[Profile, float]], known: Profile) -> tuple[Profile, float]:
    """The way that looks like the set; where both do, the one nearer to how it stood."""
    first, second = sorted(ways, key=lambda way: way[1])
    if second[1] - first[1] > CLEARER:
        return first
    return min(ways, key=lambda way: _shift(way[0], known))


def _shift(profile: Profile, known: Profile) -> float:
    return float(np.abs(profile.pose.corners() - known.pose.corners()).mean())
