"""Drawn stills, labeled in the format of the rendered ones.

NAME.jpg beside NAME.json, for `tableside bench --stills`; no net is trained with them.
"""

from __future__ import annotations

import json
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np

from calibration.pose import Pose
from engine.arrays import Floats
from vision.training.render.photograph import random_camera
from vision.training.render.raycast import render
from vision.training.scenes.chunks import make_files, numbered_parser
from vision.training.scenes.dice import DieTruth
from vision.training.scenes.scenes import Scene, make_scene

FIRST_SEED: Final = 90_000_000
"""Disjoint from the seeds of all training data."""
LANDSCAPE_WIDTH, PORTRAIT_WIDTH = 1280, 720
RAYS: Final = 2
MIN_COCKED_DEG: Final = 3.0
MIN_RAISED_SIDES: Final = 0.25
"""Sides by which a die is higher than on the felt when it is on something."""


def make_still(number: int, folder: Path, *, bears_off: bool = False) -> Path:
    """Write one picture and its label, and return the label's path."""
    cv2.setNumThreads(1)
    seed = FIRST_SEED + number
    rng = np.random.default_rng(seed)
    while True:
        scene = make_scene(rng, bears_off=bears_off)
        width, height = scene.pose.size
        scale = (LANDSCAPE_WIDTH if width > height else PORTRAIT_WIDTH) / width
        pose = scene.pose.resized((round(width * scale), round(height * scale)))
        if _in_picture(pose.corners(), pose):
            break
    light = render(scene.world, pose, (0, 0, *pose.size), RAYS, seed)
    picture = random_camera(rng, light).taken(light, rng)
    path = folder / f"drawn_{number:05}.json"
    cv2.imwrite(str(path.with_suffix(".jpg")), picture, [cv2.IMWRITE_JPEG_QUALITY, 95])
    path.write_text(json.dumps(label_of(scene, pose)), "utf-8")
    return path


def _in_picture(pixels: Floats, pose: Pose) -> bool:
    return bool((pixels > 0).all() and (pixels < np.array(pose.size)).all())


def label_of(scene: Scene, pose: Pose) -> dict[str, Any]:
    """The labels of a scene as `pose` shows it, in the format of the rendered stills."""
    field = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], float)
    layout = scene.layout
    off = Counter(side for _, _, side in scene.off)
    has_trays, tilt = any(scene.trays), pose.tilt
    return {
        "style": "with trays" if has_trays else "without trays",
        "camera_kind": "to 15 degrees" if tilt < 15 else "to 30" if tilt < 30 else "beyond 30",
        "position_kind": "drawn",
        "camera": {"tilt_deg": tilt},
        "occluded": bool(scene.covered.any()),
        "inner_corners_px": pose.project(field).tolist(),
        "point_axes_px": [
            pose.project(np.array([layout.base(p), layout.tip(p)])).tolist() for p in range(1, 25)
        ],
        "points": scene.points,
        "bar": {"light": scene.bar[0], "dark": scene.bar[1]},
        "off": {"light": off[0], "dark": off[1]},
        "dice": [_die(die, scene, pose) for die in scene.dice],
        "cube": _cube(scene, pose),
    }


def _die(die: DieTruth, scene: Scene, pose: Pose) -> dict[str, Any]:
    half = die.side / 2
    square = np.array([(-half, -half), (half, -half), (half, half), (-half, half)])
    face = _pixels(pose, np.array(die.top[:2]) + square, die.top[2])
    middle = _pixels(pose, np.array([die.top[:2]]), die.top[2])[0]
    return {
        "value": die.value,
        "state": _state(die, scene),
        "px": middle.tolist(),
        "top_face_px": face.tolist(),
        "in_image": _in_picture(face, pose),
        "tilt_deg": die.tilt_deg,
    }


def _state(die: DieTruth, scene: Scene) -> str:
    """How it lies, in the labels' terms: cocked only within the field."""
    x, y, z = die.top
    on_field = 0 < x < 1 and 0 < y < scene.pose.aspect
    if not on_field or abs(x - 0.5) < scene.layout.bar / 2:
        return "off_board"
    if die.tilt_deg > MIN_COCKED_DEG:
        return "cocked"
    return "on_checker" if z > die.side * (1 + MIN_RAISED_SIDES) else "flat"


def _cube(scene: Scene, pose: Pose) -> dict[str, Any] | None:
    if not scene.cubes:
        return None
    cube = scene.cubes[0]
    middle = _pixels(pose, np.array([cube.top[:2]]), cube.top[2])[0]
    value = 1 if cube.value == 64 else cube.value  # 64 is on top of a cube that was not turned
    return {"value": value, "px": middle.tolist(), "in_image": _in_picture(middle, pose)}


def _pixels(pose: Pose, world: Floats, height: float) -> Floats:
    return pose.project(world / (1, pose.aspect), height)


if __name__ == "__main__":
    parser = numbered_parser(__doc__, count=100, workers=2)
    parser.add_argument("--bears-off", action="store_true", help="both sides bear off in each")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    make = partial(make_still, folder=args.folder, bears_off=args.bears_off)
    make_files(make, args.first, args.count, args.workers)
