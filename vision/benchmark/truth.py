"""The labels of stills: a folder of rendered ones, or of photos with one manifest.

Rendered stills are NAME.jpg beside NAME.json, where the truth comes from the scene; photos are
listed in manifest.json with hand labels. The README beside such a set documents both formats.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np

from engine import BAR, CHECKERS, OFF, PLACES, EngineError, Position, Setup, Side
from engine.arrays import Floats, Floats32
from vision.errors import BadTruth

MIN_SCORED_DIE_PIXELS: Final = 12.0
"""Width of a die's upper face in pixels below which it need not be read and is not counted if it
is."""
STATES: Final = {
    "flat": "valid",
    "wrong_half": "valid",
    "cocked": "cocked",
    "on_checker": "on_checker",
    "off_board": "off_board",
}
"""How a die lies, regardless of which half it is in: that is for the rules to judge."""
PHOTO_BAR: Final = 0.07
"""Width of the bar in field widths, accurate enough to match the columns of any photo."""
PHOTO_ROWS: Final = (("far", 0.02), ("near", 0.98))
"""The rows of a photo's labels, and how far down the field their points' wide ends are."""


@dataclass(frozen=True, slots=True)
class LabelledDie:
    """One die visible in a still."""

    value: int | None
    """None if it cannot be seen; then any value is right."""
    state: str
    """`valid`, `cocked`, `on_checker` or `off_board`."""
    center: tuple[float, float]
    """(x, y) image pixels of its upper face."""


@dataclass(frozen=True, slots=True, eq=False)
class StillTruth:
    """What one still shows, with its points in any order."""

    image: Path
    set_name: str
    """Which board and checkers."""
    board: str
    """Which board of the set: the renderer draws those with home on the other side as mirror
    images."""
    view: str
    kind: str
    """The rendered position, or how certain a photo's labels are."""
    tilt_deg: float | None
    """Angle between the optical axis and straight down; None if not measured."""
    is_occluded: bool
    corners: Floats
    """(4, 2) pixels of the playing field's corners, in order around it."""
    bases: Floats
    """(24, 2) pixels of the middles of the points' wide ends."""
    counts: tuple[int | None, ...]
    """24 signed counts, dark negative; None if the point is hidden."""
    layers: tuple[int | None, ...]
    """Layers of the checkers on each point, 0 for an empty one; None if not labeled."""
    bar: dict[Side, int]
    dice: tuple[LabelledDie, ...] | None
    """None if the dice are not labeled."""
    other_dice: Floats
    """(n, 2) pixels of dice that may or may not be read: hidden, tiny, or not part of the throw."""
    position: Position | None
    """The position for calibration; None if a part is hidden."""


def load_truths(folder: Path) -> list[StillTruth]:
    """Every labeled still in `folder`; raises `BadTruth` if there is none or a label is invalid."""
    manifest = folder / "manifest.json"
    if manifest.exists():
        entries = _json(manifest).get("boards", [])
        truths = [
            _parsed(_photo_truth, entry, folder, f"{manifest}: {entry.get('image', 'an entry')}")
            for entry in entries
            if entry.get("columns") and entry.get("corners")
        ]
    else:
        truths = [
            _parsed(_rendered_truth, _json(path), path.with_suffix(".jpg"), str(path))
            for path in sorted(folder.glob("*.json"))
            if path.with_suffix(".jpg").exists()
        ]
    if not truths:
        raise BadTruth(
            f"{folder} has no labeled stills: give NAME.jpg with NAME.json, or a manifest.json"
        )
    return truths


def _json(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise BadTruth(f"{path} cannot be read: {error}") from error
    if not isinstance(value, dict):
        raise BadTruth(f"{path} is not a JSON object")
    return value


def _parsed(
    parse: Callable[[dict[str, Any], Path], StillTruth], label: dict[str, Any], at: Path, name: str
) -> StillTruth:
    try:
        return parse(label, at)
    except (KeyError, TypeError, ValueError) as error:
        raise BadTruth(f"{name} is not a valid label of a still: {error!r}") from error


def _rendered_truth(label: dict[str, Any], image: Path) -> StillTruth:
    judged = [die for die in label["dice"] if _is_judged(die)]
    others = [die["px"] for die in label["dice"] if not _is_judged(die)]
    return StillTruth(
        image=image,
        set_name=label.get("style", "?"),
        board=f"{label.get('style', '?')}, home {label.get('light_home', '?')}",
        view=label.get("camera_kind", "?"),
        kind=label.get("position_kind", "?"),
        tilt_deg=label.get("camera", {}).get("tilt_deg"),
        is_occluded=bool(label.get("occluded")),
        corners=np.array(label["inner_corners_px"], float),
        bases=np.array([axis[0] for axis in label["point_axes_px"]], float),
        counts=tuple(label["points"]),
        layers=_layers(label.get("checkers")),
        bar={side: label["bar"].get(side.value, 0) for side in Side},
        dice=tuple(LabelledDie(d["value"], STATES[d["state"]], tuple(d["px"])) for d in judged),
        other_dice=np.array(others, float).reshape(-1, 2),
        position=_position(label["points"], label["bar"], label.get("off")),
    )


def _is_judged(die: dict[str, Any]) -> bool:
    face = die["top_face_px"]
    width = min(math.dist(face[0], face[1]), math.dist(face[1], face[2]))
    flags = ("in_image", "top_visible", "part_of_throw")
    return all(die.get(name, True) for name in flags) and width >= MIN_SCORED_DIE_PIXELS


def _layers(checkers: Sequence[dict[str, Any]] | None) -> tuple[int | None, ...]:
    if checkers is None:
        return (None,) * 24
    layers = [0] * 24
    for each in checkers:
        if each["place"] == "point":
            cell = each["point"] - 1
            layers[cell] = max(layers[cell], each["layer"] + 1)
    return tuple(layers)


def _position(
    counts: Sequence[int | None], bar: dict[str, int], off: dict[str, int] | None
) -> Position | None:
    """The position in short backgammon's numbers, whatever is played: only the places matter."""
    if any(count is None for count in counts):
        return None
    vectors = {side: [0] * PLACES for side in Side}
    for point, count in enumerate(counts, start=1):
        vectors[Side.LIGHT][point] = max(0, count or 0)
        vectors[Side.DARK][25 - point] = max(0, -(count or 0))
    for side, vector in vectors.items():
        vector[BAR] = bar.get(side.value, 0)
        left = CHECKERS - sum(vector)
        vector[OFF] = left if off is None else off.get(side.value, left)
    try:
        return Setup(vectors[Side.LIGHT], vectors[Side.DARK]).checked()
    except EngineError:
        return None


def _photo_truth(entry: dict[str, Any], folder: Path) -> StillTruth:
    corners = entry["corners"]
    if entry.get("rotate_cw_for_columns") == 90:  # the rows are those of the rotated picture
        corners = corners[3:] + corners[:3]
    bar, dice = entry.get("bar") or {}, entry.get("dice")
    rows = [[_signed(*held) for held in entry["columns"][row]] for row, _ in PHOTO_ROWS]
    return StillTruth(
        image=folder / entry["image"],
        set_name=entry.get("board_id", "?"),
        board=entry.get("board_id", "?"),
        view=entry.get("view") or "?",
        kind=entry.get("confidence", "?"),
        tilt_deg=None,
        is_occluded=not entry.get("complete", True),
        corners=np.array(corners, float),
        bases=_photo_bases(np.array(corners, np.float32)),
        counts=(*rows[0], *rows[1]),
        layers=(None,) * 24,
        bar={side: bar.get(side.value, 0) for side in Side},
        dice=None if dice is None else tuple(_photo_die(die) for die in dice),
        other_dice=np.zeros((0, 2)),
        # One of the four ways to number it: 12..1 along the near rail, 13..24 along the far one.
        position=_position((*rows[1][::-1], *rows[0]), bar, entry.get("off")),
    )


def _signed(colour: str | None, count: int | None) -> int | None:
    if colour == "unknown":
        return None
    return {"light": 1, "dark": -1}.get(colour or "", 0) * (count or 0)


def _photo_bases(corners: Floats32) -> Floats:
    """(24, 2) pixels of the far row, then the near one, each from left to right."""
    square = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], np.float32)
    matrix = cv2.getPerspectiveTransform(square, corners)
    pitch = (1 - PHOTO_BAR) / 12
    columns = [(i + 0.5) * pitch + (PHOTO_BAR if i >= 6 else 0) for i in range(12)]
    places = np.array([[(x, y) for x in columns] for _, y in PHOTO_ROWS])
    return np.asarray(cv2.perspectiveTransform(places, matrix).reshape(-1, 2), float)


def _photo_die(die: dict[str, Any]) -> LabelledDie:
    state = STATES.get(die.get("state", "flat"), "valid")
    return LabelledDie(die["value"], state, tuple(die["center"]))
