"""`tableside read`: pictures in, what they show out."""

from __future__ import annotations

import json
import sys
import time
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np

from calibration.appearance import perceptual
from calibration.grid import Grid
from calibration.profile import Profile
from engine import DieSeen, Surface
from engine.evidence import DARK_BAR, LIGHT_BAR
from engine.position import CHECKERS
from vision.blind import count_blind
from vision.checkers import HIDDEN_SHARE, SIDES_SHARE, Counted, count_checkers
from vision.dice import find_dice
from vision.errors import VisionError
from vision.frame import Image, read_image
from vision.locate import locate_board
from vision.overlay import draw_board
from vision.refind import find_again

TOLD: Final = 0.01
"""Probability from which a count is told in a distribution."""
UNSURE: Final = 0.9
"""Confidence under which a point tells what else it might be."""
BLIND: Final = 0.35
"""What a log-likelihood is worth when the colours were learnt from the picture that is read."""
BLIND_DOUBT: Final = 0.08
"""Share of the probability that is spread over all counts then: of the points of the rendered
stills that seemed certain, one in ten was read wrong."""
COVERED: Final = SIDES_SHARE + HIDDEN_SHARE / 2
"""Share of a place's pixels that are neither board nor checker from which it counts as hidden."""


class Watches:
    """How long each stage took, milliseconds."""

    def __init__(self) -> None:
        self.times = {"locate": 0.0, "checkers": 0.0, "dice": 0.0}

    @contextmanager
    def measure(self, stage: str) -> Iterator[None]:
        """Adds what passes inside to `stage`."""
        began = time.perf_counter()
        try:
            yield
        finally:
            self.times[stage] += 1000 * (time.perf_counter() - began)

    def as_json(self) -> dict[str, float]:
        """Rounded, with their total."""
        total = sum(self.times.values())
        return {name: round(spent, 1) for name, spent in (*self.times.items(), ("total", total))}


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
    watches = Watches()
    try:
        image = read_image(path)
        grid, counted = _seen(image, profile, watches)
        with watches.measure("dice"):
            dice = find_dice(image, grid.pose, grid.layout)
    except VisionError as error:
        return {
            "image": str(path),
            "ok": False,
            "error": str(error),
            "timing_ms": watches.as_json(),
        }
    if overlay is not None:
        _save(overlay / f"{path.stem}.png", draw_board(image, grid, counted, dice))
    return {
        "image": str(path),
        "ok": True,
        "error": None,
        "board": {"field": _pixels(grid.pose.corners())},
        "points": points_json(grid, counted, is_known=profile is not None),
        "bar": _bar(counted),
        "off": {"light": None, "dark": None},
        "dice": [die_json(die, grid) for die in dice],
        "cube": None,
        "occluded": bool((counted.hidden[:24] > COVERED).any()),
        "timing_ms": watches.as_json(),
    }


def _seen(image: Image, profile: Profile | None, watches: Watches) -> tuple[Grid, Counted]:
    if profile is None:
        with watches.measure("locate"):
            located = locate_board(image)
        grid = Grid(located.pose, located.layout)
        with watches.measure("checkers"):
            return grid, count_blind(image, grid)
    with watches.measure("locate"):
        found = find_again(profile, image)
    with watches.measure("checkers"):
        colours = perceptual(found.grid.rectify(image))
        return found.grid, count_checkers(colours, found.grid, found.appearance())


def points_json(grid: Grid, counted: Counted, *, is_known: bool) -> list[dict[str, Any]]:
    """The 24 points; `number` is null where the picture alone cannot tell it."""
    chances = counted.chances if is_known else _blind_chances(counted)
    bases = _pixels(grid.pose.project(np.array([grid.layout.base(p) for p in range(1, 25)])))
    points = []
    for cell, base in enumerate(bases):
        count, sure = int(counted.most_likely[cell]), float(chances[cell].max())
        point: dict[str, Any] = {
            "number": cell + 1 if is_known else None,
            "base": base,
            "light": max(0, count),
            "dark": max(0, -count),
            "confidence": round(sure, 4),
        }
        if counted.hidden[cell] > COVERED:
            point["hidden"] = True
        if sure < UNSURE:
            point["distribution"] = {
                str(index - CHECKERS): round(float(chance), 4)
                for index, chance in enumerate(chances[cell])
                if chance >= TOLD
            }
        points.append(point)
    return points


def _blind_chances(counted: Counted) -> Any:
    weights = np.exp(BLIND * (counted.counts - counted.counts.max(axis=1, keepdims=True)))
    chances = weights / weights.sum(axis=1, keepdims=True)
    return (1 - BLIND_DOUBT) * chances + BLIND_DOUBT / chances.shape[1]


def _bar(counted: Counted) -> dict[str, int]:
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
    return f"{answer['image']}: {sides['light']}; {sides['dark']}; dice {dice}{unsure}"


def _pixels(places: Any) -> list[list[float]]:
    return [[round(float(x), 1), round(float(y), 1)] for x, y in places]


def _save(path: Path, picture: Image) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(bytes(cv2.imencode(".png", picture)[1]))
