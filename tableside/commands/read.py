"""`tableside read`: pictures in, what they show out."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np

from calibration.grid import Grid
from calibration.profile import Profile
from engine import CubePlace, DieSeen, Surface
from engine.arrays import Image
from engine.evidence.observation import DARK_BAR, DARK_OFF, LIGHT_BAR, LIGHT_OFF
from engine.position import CHECKERS
from vision.checkers.disc_model import DiscCounts
from vision.errors import VisionError
from vision.reading.overlay import draw_board
from vision.reading.single_image import ImageReading, StageTimes, read_still
from vision.sources.frame import read_image

TOLD: Final = 0.01
"""Probability from which a count is told in a distribution."""
UNLIKE: Final = "not numbered: it looks unlike the profile's board, or the light is another"
UNSURE: Final = 0.9
"""Confidence under which a point tells what else it might be, and a tray nothing."""


def run_read(args: Namespace) -> int:
    """Read every picture in order; 1 at the end if one could not be read, else 0."""
    profile = None if args.profile is None else Profile.load(args.profile)
    failed = False
    for path in args.images:
        answer = read_file(path, profile, args.overlay)
        failed = failed or not answer["ok"]
        if args.json:
            print(json.dumps(answer), flush=True)
        elif answer["ok"]:
            print(in_words(answer), flush=True)
        else:
            where = "" if str(path) in answer["error"] else f"{path}: "
            print(f"tableside: {where}{answer['error']}", file=sys.stderr)
    return int(failed)


def read_file(path: Path, profile: Profile | None, overlay: Path | None) -> dict[str, Any]:
    """What a picture shows, as the contract has it; `ok` is false where it cannot be told."""
    watches = StageTimes()
    try:
        image = read_image(path)
        still = read_still(image, profile, watches)
    except VisionError as error:
        return {
            "image": str(path),
            "ok": False,
            "error": str(error),
            "timing_ms": timing_json(watches.times),
        }
    if overlay is not None:
        picture = draw_board(image, still.grid, still.counted, still.dice)
        _save(overlay / f"{path.stem}.png", picture)
    answer = {"image": str(path), "ok": True, "error": None, **still_json(still)}
    if profile is not None and not still.is_numbered:
        answer["note"] = UNLIKE
    return answer


def still_json(still: ImageReading) -> dict[str, Any]:
    """What a still shows, as the contract has it."""
    return {
        "board": {"field": _pixels(still.grid.pose.corners())},
        "points": points_json(still),
        "bar": _bar(still.counted),
        "off": off_json(still),
        "dice": [die_json(die, still.grid) for die in still.dice],
        "cube": cube_json(still),
        "occluded": still.is_occluded,
        "timing_ms": timing_json(still.timing_ms),
    }


def off_json(still: ImageReading) -> dict[str, int | None]:
    """How many light and dark have borne off; null where neither board nor trays tell it."""
    told = {"light": still.chances[LIGHT_OFF], "dark": still.chances[DARK_OFF]}
    return {
        side: abs(int(row.argmax()) - CHECKERS) if row.max() > UNSURE else None
        for side, row in told.items()
    }


def timing_json(times: Mapping[str, float]) -> dict[str, float]:
    """Milliseconds of each stage, rounded, with their total."""
    total = sum(times.values())
    return {name: round(spent, 1) for name, spent in (*times.items(), ("total", total))}


def points_json(still: ImageReading) -> list[dict[str, Any]]:
    """The 24 points; `number` is null where the picture alone cannot tell it."""
    grid, counted, chances = still.grid, still.counted, still.chances
    bases = _pixels(grid.pose.project(np.array([grid.layout.base(p) for p in range(1, 25)])))
    points = []
    for cell, base in enumerate(bases):
        count, sure = int(counted.most_likely[cell]), float(chances[cell].max())
        light, dark = max(0, count), max(0, -count)
        if cell in counted.mixed:  # both colours on one point, as after a hit that was forgotten
            (light, dark), sure = counted.mixed[cell], min(sure, UNSURE)
        point: dict[str, Any] = {
            "number": cell + 1 if still.is_numbered else None,
            "base": base,
            "light": light,
            "dark": dark,
            "confidence": round(sure, 4),
        }
        if still.hidden[cell]:
            point["hidden"] = True
        if sure < UNSURE:
            point["distribution"] = {
                str(index - CHECKERS): round(float(chance), 4)
                for index, chance in enumerate(chances[cell])
                if chance >= TOLD
            }
        points.append(point)
    return points


def _bar(counted: DiscCounts) -> dict[str, int]:
    return {
        "light": int(max(0, counted.most_likely[LIGHT_BAR])),
        "dark": int(max(0, -counted.most_likely[DARK_BAR])),
    }


def die_json(die: DieSeen, grid: Grid) -> dict[str, Any]:
    """A die; its half is told as the picture shows it."""
    return {
        "value": die.value,
        "flat": bool(die.flat >= 0.5),
        "surface": die.surface.value,
        "half": half_of(die, grid) if die.surface in (Surface.BOARD, Surface.CHECKER) else None,
        "center": _pixels([die.center])[0],
        "confidence": round(float(die.confidence), 4),
    }


def cube_json(still: ImageReading) -> dict[str, Any] | None:
    """The cube; whose it is only where the numbering tells light's rail from dark's."""
    cube = still.cube
    if cube is None:
        return None
    is_somebodys = cube.place in (CubePlace.LIGHT, CubePlace.DARK)
    return {
        "value": cube.value,
        "place": None if is_somebodys and not still.is_numbered else cube.place.value,
        "center": _pixels([cube.center])[0],
        "confidence": round(cube.confidence, 4),
    }


def half_of(die: DieSeen, grid: Grid) -> str | None:
    """`left`, `right`, `top` or `bottom` of the bar in the picture; None beside the field."""
    x, y = die.board
    if not (0 <= x <= 1 and 0 <= y <= 1):
        return None
    ends = grid.pose.project(np.array([(0.5, 0.0), (0.5, 1.0)]))
    along = ends[1] - ends[0]
    off = np.array(die.center) - ends.mean(axis=0)
    if abs(along[1]) >= abs(along[0]):
        return "left" if off[0] < along[0] / along[1] * off[1] else "right"
    return "top" if off[1] < along[1] / along[0] * off[0] else "bottom"


def in_words(answer: dict[str, Any]) -> str:
    """One line for people: the points that are held, the bar, the dice."""
    points, is_numbered = answer["points"], answer["points"][0]["number"] is not None
    sides = {}
    for side in ("light", "dark"):
        held = [(index, point) for index, point in enumerate(points, start=1) if point[side]]
        numbers = f"{', '.join(f'{i}: {p[side]}' for i, p in held)}" if is_numbered else ""
        on_bar = f", {answer['bar'][side]} on the bar" if answer["bar"][side] else ""
        total = sum(point[side] for _, point in held)
        sides[side] = f"{side} {total} on {len(held)} points{numbers and f' ({numbers})'}{on_bar}"
    dice = " ".join(str(die["value"]) for die in answer["dice"]) or "none"
    doubtful = sum(point["confidence"] < UNSURE for point in points)
    unsure = f"; {doubtful} points not certain" if doubtful else ""
    note = f"; {answer['note']}" if "note" in answer else ""
    return f"{answer['image']}: {sides['light']}; {sides['dark']}; dice {dice}{unsure}{note}"


def _pixels(places: Any) -> list[list[float]]:
    return [[round(float(x), 1), round(float(y), 1)] for x, y in places]


def _save(path: Path, picture: Image) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(bytes(cv2.imencode(".png", picture)[1]))
