"""What of a board is hidden by hands."""

from __future__ import annotations

from typing import Final

import numpy as np

from calibration.grid import CHECKER_THICKNESS
from calibration.layout import Layout
from calibration.pose import Pose
from engine.arrays import Floats
from vision.checkers.strips import STRIP_COUNT
from vision.training.render.raycast import RenderWorld, are_visible

ALONG: Final = (np.arange(12) + 0.5) / 12
ACROSS: Final = (-0.35, 0.0, 0.35)
"""Where a strip is tested, in its lengths and, from the middle, in its widths."""


def covered_shares(hands: RenderWorld, pose: Pose, layout: Layout) -> Floats:
    """(26,) fraction of each point and of the bar's near and far half that hands hide."""
    if not len(hands.objects):
        return np.zeros(STRIP_COUNT)
    along, across = (part.ravel() for part in np.meshgrid(ALONG, ACROSS))
    ends = [(layout.base(p), layout.tip(p), layout.point_width) for p in range(1, 25)]
    ends += [((0.5, y), (0.5, 0.5), layout.bar) for y in (0.0, 1.0)]
    places = np.array([
        (x + across * wide, y + along * (to - y), np.full(len(along), CHECKER_THICKNESS))
        for (x, y), (_, to), wide in ends
    ]).transpose(0, 2, 1) * (1, pose.aspect, 1)  # fmt: skip
    seen = are_visible(hands, pose, places.reshape(-1, 3), 0.0)
    return np.asarray(1 - seen.reshape(STRIP_COUNT, -1).mean(axis=1))
