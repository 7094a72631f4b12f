"""How the pixels of points on the felt change with the camera, compiled: one pass over all points.

Apart from `calibration.pose`, because the page's process needs a pose, and numba takes half a
second to load.
"""

from __future__ import annotations

from typing import Any

import cv2
import numba
import numpy as np

from calibration.pose import MIN_DEPTH, Pose
from engine.arrays import Floats


def linearised(pose: Pose, places: Floats, along: Floats) -> tuple[Floats, Floats, Floats]:
    """(N,) pixels of (2, N) field coordinates on the felt, projected onto (2, N) `along`.

    Also their derivatives: (9, N) by the log focal length, `radial`, `rotation`, `translation`
    and the log aspect, and (2, N) by the place itself.
    """
    turn, turns = cv2.Rodrigues(np.array(pose.rotation, float))
    seen, slopes, by_place = _seen_along(
        np.asarray(places, float),
        np.asarray(along, float),
        np.asarray(turn),
        np.asarray(turns),
        np.array(pose.translation),
        (pose.focal, pose.radial, pose.aspect, -1.0 if pose.mirrored else 1.0),
    )
    return seen + pose.center @ along, slopes, by_place


@numba.njit(cache=True)
def _seen_along(
    places: Any, along: Any, turn: Any, turns: Any, shift: Any, numbers: tuple[float, ...]
) -> Any:
    """`linearised` without the principal point, place by place.

    turn: (3, 3) rotation; turns: (3, 9) its derivatives; shift: (3,) translation; numbers: focal
    length, radial coefficient, aspect, and -1 if the field is mirrored.
    """
    focal, radial, aspect, across = numbers
    count = places.shape[1]
    seen, slopes, by_place = np.empty(count), np.empty((9, count)), np.empty((2, count))
    for n in range(count):
        world_x = places[0, n] if across > 0 else 1 - places[0, n]
        world_y = places[1, n] * aspect
        depth = turn[2, 0] * world_x + turn[2, 1] * world_y + shift[2]
        is_behind = depth <= MIN_DEPTH
        depth = max(depth, MIN_DEPTH)
        x = (turn[0, 0] * world_x + turn[0, 1] * world_y + shift[0]) / depth
        y = (turn[1, 0] * world_x + turn[1, 1] * world_y + shift[1]) / depth
        out = x * x + y * y
        bend = 1 + radial * out
        reach = along[0, n] * x + along[1, n] * y
        slope = focal / depth
        by_x = slope * (along[0, n] * bend + 2 * radial * x * reach)
        by_y = slope * (along[1, n] * bend + 2 * radial * y * reach)
        by_depth = 0.0 if is_behind else -by_x * x - by_y * y
        seen[n] = focal * reach * bend
        slopes[0, n], slopes[1, n] = seen[n], focal * reach * out
        for axis in range(3):
            way = turns[axis]
            slopes[2 + axis, n] = (
                by_x * (way[0] * world_x + way[1] * world_y)
                + by_y * (way[3] * world_x + way[4] * world_y)
                + by_depth * (way[6] * world_x + way[7] * world_y)
            )
        slopes[5, n], slopes[6, n], slopes[7, n] = by_x, by_y, by_depth
        by_world_y = turn[0, 1] * by_x + turn[1, 1] * by_y + turn[2, 1] * by_depth
        slopes[8, n] = by_world_y * world_y
        by_place[0, n] = across * (turn[0, 0] * by_x + turn[1, 0] * by_y + turn[2, 0] * by_depth)
        by_place[1, n] = aspect * by_world_y
    return seen, slopes, by_place
