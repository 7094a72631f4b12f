"""The possible orientations of the board in a game joined midway, as the page shows them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from calibration.pose import Pose
from engine import Position
from engine.evidence.orientation import Orientation
from webui.contracts.state import Numbering, board_of


def numberings(starts: Mapping[Orientation, Position], pose: Pose) -> list[Numbering]:
    """One numbering for each orientation, drawn as the camera sees the board.

    starts: the position under each orientation, which is relative to the numbering of `pose`.
    """
    below, above = pose.project(np.array([(0.5, 0.0), (0.5, 1.0)]))
    is_upright = below[1] >= above[1]
    return [
        Numbering(
            turned=way.is_turned,
            mirrored=way.is_mirrored,
            position=board_of(start),
            light_home="left" if pose.mirrored != way.is_mirrored else "right",
            light_sits="bottom" if is_upright != way.is_turned else "top",
        )
        for way, start in starts.items()
    ]
