"""The reading of one image as the JSON of `tableside read`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from calibration.grid import Grid
from engine import CubePlace, DieSeen, Surface
from engine.evidence.observation import DARK_BAR, DARK_OFF, LIGHT_BAR, LIGHT_OFF
from engine.position import CHECKERS
from vision.checkers.disc_model import DiscCounts
from vision.reading.single_image import ImageReading

LEAST_SHOWN: Final = 0.01
"""Probability from which a count is listed in a distribution."""
CERTAIN: Final = 0.9
"""Confidence below which a point lists its other possible counts, and a tray is null."""


def image_json(still: ImageReading) -> dict[str, Any]:
    """What an image shows, as `tableside read --json` prints it."""
    return {
        "board": {"field": _pixels(still.grid.pose.corners())},
        "points": _points_json(still),
        "bar": _bar_json(still.counted),
        "off": borne_off(still),
        "dice": [_die_json(die, still.grid) for die in still.dice],
        "cube": _cube_json(still),
        "occluded": still.is_occluded,
        "timing_ms": timing_json(still.timing_ms),
    }


def borne_off(still: ImageReading) -> dict[str, int | None]:
    """How many light and dark have borne off; null if neither board nor trays show it."""
    rows = {"light": still.chances[LIGHT_OFF], "dark": still.chances[DARK_OFF]}
    return {
        side: abs(int(row.argmax()) - CHECKERS) if row.max() > CERTAIN else None
        for side, row in rows.items()
    }


def timing_json(times: Mapping[str, float]) -> dict[str, float]:
    """Milliseconds of each stage, rounded, with their total."""
    total = sum(times.values())
    return {name: round(spent, 1) for name, spent in (*times.items(), ("total", total))}


def _points_json(still: ImageReading) -> list[dict[str, Any]]:
    """The 24 points; `number` is null if the image alone does not determine it."""
    grid, counted, chances = still.grid, still.counted, still.chances
    bases = _pixels(grid.pose.project(np.array([grid.layout.base(p) for p in range(1, 25)])))
    points = []
    for cell, base in enumerate(bases):
        count, sure = int(counted.most_likely[cell]), float(still.confidence[cell])
        light, dark = max(0, count), max(0, -count)
        if cell in counted.mixed:  # both colors on one point, as after a forgotten hit
            (light, dark), sure = counted.mixed[cell], min(sure, CERTAIN)
        point: dict[str, Any] = {
            "number": cell + 1 if still.is_numbered else None,
            "base": base,
            "light": light,
            "dark": dark,
            "confidence": round(sure, 4),
        }
        if still.hidden[cell]:
            point["hidden"] = True
        if sure < CERTAIN:
            point["distribution"] = {
                str(index - CHECKERS): round(float(chance), 4)
                for index, chance in enumerate(chances[cell])
                if chance >= LEAST_SHOWN
            }
        points.append(point)
    return points


def _bar_json(counted: DiscCounts) -> dict[str, int]:
    return {
        "light": int(max(0, counted.most_likely[LIGHT_BAR])),
        "dark": int(max(0, -counted.most_likely[DARK_BAR])),
    }


def _die_json(die: DieSeen, grid: Grid) -> dict[str, Any]:
    """A die, and the half of the board that it is in as the image shows it."""
    return {
        "value": die.value,
        "flat": bool(die.flat >= 0.5),
        "surface": die.surface.value,
        "half": _half_of(die, grid) if die.surface in (Surface.BOARD, Surface.CHECKER) else None,
        "center": _pixels([die.center])[0],
        "confidence": round(float(die.confidence), 4),
    }


def _cube_json(still: ImageReading) -> dict[str, Any] | None:
    """The cube; its owner only if the numbering distinguishes light's rail from dark's."""
    cube = still.cube
    if cube is None:
        return None
    is_owned = cube.place in (CubePlace.LIGHT, CubePlace.DARK)
    return {
        "value": cube.value,
        "place": None if is_owned and not still.is_numbered else cube.place.value,
        "center": _pixels([cube.center])[0],
        "confidence": round(cube.confidence, 4),
    }


def _half_of(die: DieSeen, grid: Grid) -> str | None:
    """`left`, `right`, `top` or `bottom` of the bar in the image; None beside the field."""
    x, y = die.board
    if not (0 <= x <= 1 and 0 <= y <= 1):
        return None
    ends = grid.pose.project(np.array([(0.5, 0.0), (0.5, 1.0)]))
    along = ends[1] - ends[0]
    off = np.array(die.center) - ends.mean(axis=0)
    if abs(along[1]) >= abs(along[0]):
        return "left" if off[0] < along[0] / along[1] * off[1] else "right"
    return "top" if off[1] < along[1] / along[0] * off[0] else "bottom"


def _pixels(places: Any) -> list[list[float]]:
    return [[round(float(x), 1), round(float(y), 1)] for x, y in places]
