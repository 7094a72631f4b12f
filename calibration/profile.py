"""`Profile`: one board under one camera, stored as a JSON file.

The file holds what the appearance is learned from (a rectified picture, its position, the checkers'
centers); it is learned again on loading: the file stays small, and a better learner needs no new
calibration.
"""

from __future__ import annotations

import base64
import json
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np

from calibration.appearance import Appearance
from calibration.errors import BadProfile
from calibration.files import write_whole
from calibration.grid import Grid
from calibration.known_position import learn_appearance
from calibration.layout import Layout
from calibration.png import is_damaged_png, png_size
from calibration.pose import Pose, triple
from engine import EngineError, Position, Side, cell_counts, position_from_json, position_json
from engine.arrays import Floats, Image
from engine.evidence.likelihood import position_of
from engine.evidence.orientation import Orientation
from engine.message import join, message_of, msg

PROFILE_FORMAT: Final = "tableside profile"
PROFILE_VERSION: Final = 2
"""Version 2 adds the throw zone."""
READABLE_VERSIONS: Final = (1, 2)
MAKE_ONE: Final = msg("create one with `tableside calibrate`")
CALIBRATE_AGAIN: Final = msg("calibrate again")


@dataclass(frozen=True, slots=True, eq=False)
class Profile:
    """The pose of a camera over a board, the board's proportions and the look of its set."""

    pose: Pose
    layout: Layout
    picture: Image
    """(h, w, 3) rectified BGR picture of the known position."""
    position: Position
    """The position in the picture."""
    centers: dict[Side, Floats]
    """Per side, (N, 2) rectified pixels of the checkers in the picture."""
    diameter: float
    """Diameter of a checker, in rectified pixels."""
    variant: str = "short"
    throw_zone: Floats | None = None
    """(N, 2) field coordinates of the corners of the zone for dice, on or beside the board; None
    for the whole field."""

    @property
    def grid(self) -> Grid:
        """The map to the rectified picture."""
        return Grid(self.pose, self.layout)

    def appearance(self) -> Appearance:
        """The look of the set, learned from the picture."""
        return learn_appearance(self.picture, self.grid, self.position, self.centers, self.diameter)

    def seen_from(self, pose: Pose, layout: Layout) -> Profile:
        """The same set with another pose and layout; its picture is scaled to the new grid."""
        moved = replace(self, pose=pose, layout=layout)
        size = moved.grid.size
        scale = np.array(size, float) / self.grid.size
        picture = np.asarray(cv2.resize(self.picture, size, interpolation=cv2.INTER_AREA), np.uint8)
        centers = {side: found * scale for side, found in self.centers.items()}
        return replace(moved, picture=picture, centers=centers)

    def renumbered(self, way: Orientation) -> Profile:
        """The same board and picture, numbered from another corner."""
        pose = self.pose.half_turned() if way.is_turned else self.pose
        pose = replace(pose, mirrored=pose.mirrored != way.is_mirrored)
        # A half turn of the field reverses rows and columns, a mirror image the columns alone.
        rows, columns = way.is_turned, way.is_turned != way.is_mirrored
        ways = np.array([-1 if columns else 1, -1 if rows else 1])
        last = np.array(self.grid.size) - 1
        zone = self.throw_zone
        return replace(
            self,
            pose=pose,
            picture=np.ascontiguousarray(self.picture[:: ways[1], :: ways[0]]),
            position=position_of(way.cells(cell_counts(self.position)), self.position.course),
            centers={
                side: np.where(ways < 0, last - found, found)
                for side, found in self.centers.items()
            },
            throw_zone=None if zone is None else np.where(ways < 0, 1 - zone, zone),
        )

    def save(self, path: Path, mode: int = 0o666) -> None:
        """Write the profile as JSON, whole or not at all; raises `OSError`.

        mode: who may do what with it, less the process's mask.
        """
        write_whole(path, f"{json.dumps(self._as_json(), indent=1)}\n".encode(), mode)

    @classmethod
    def load(cls, path: Path) -> Profile:
        """Read a profile from a file; raises `BadProfile`, which says what is wrong with it."""
        try:
            value = json.loads(path.read_text())
        except (OSError, UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
            unreadable = msg("{path} is not a readable profile", path=str(path))
            raise BadProfile(join((unreadable, MAKE_ONE))) from error
        if not isinstance(value, dict) or value.get("format") != PROFILE_FORMAT:
            foreign = msg("{path} is not a Tableside profile", path=str(path))
            raise BadProfile(join((foreign, MAKE_ONE)))
        if value.get("version") not in READABLE_VERSIONS:
            other = msg(
                "{path} has profile version {text}; this program reads {readable} to {readable_}",
                path=str(path),
                text=str(value.get("version")),
                readable=READABLE_VERSIONS[0],
                readable_=READABLE_VERSIONS[-1],
            )
            raise BadProfile(join((other, CALIBRATE_AGAIN)))
        try:
            return _from_json(value)
        except (LookupError, TypeError, ValueError, ArithmeticError, EngineError) as error:
            damaged = msg("{path} is damaged ({error})", path=str(path), error=message_of(error))
            raise BadProfile(join((damaged, CALIBRATE_AGAIN))) from error

    def _as_json(self) -> dict[str, Any]:
        png = cv2.imencode(".png", self.picture)[1].tobytes()
        return {
            "format": PROFILE_FORMAT,
            "version": PROFILE_VERSION,
            "variant": self.variant,
            "camera": {
                "size": list(self.pose.size),
                "focal_px": self.pose.focal,
                "radial": self.pose.radial,
                "off_middle_widths": list(self.pose.off_middle),
                "rotation": list(self.pose.rotation),
                "translation_field_widths": list(self.pose.translation),
            },
            "board": {
                "aspect": self.pose.aspect,
                "mirrored": self.pose.mirrored,
                **asdict(self.layout),
            },
            "checkers": {
                "diameter_px": self.diameter,
                "centers_px": {
                    side.value: np.round(found, 1).tolist() for side, found in self.centers.items()
                },
            },
            "throw_zone": None if self.throw_zone is None else self.throw_zone.tolist(),
            "position": position_json(self.position),
            "picture_png": base64.b64encode(png).decode("ascii"),
        }


def _from_json(value: dict[str, Any]) -> Profile:
    camera, board, checkers = value["camera"], value["board"], value["checkers"]
    width, height = camera["size"]
    across, down = camera.get("off_middle_widths", (0.0, 0.0))  # older profiles lack it
    pose = Pose(
        size=(int(width), int(height)),
        focal=float(camera["focal_px"]),
        radial=float(camera["radial"]),
        rotation=triple(camera["rotation"]),
        translation=triple(camera["translation_field_widths"]),
        aspect=float(board["aspect"]),
        mirrored=bool(board["mirrored"]),
        off_middle=(float(across), float(down)),
    )
    centers = {
        side: np.array(checkers["centers_px"][side.value], float).reshape(-1, 2) for side in Side
    }
    proportions = {"blunt": 0.0, **board}  # profiles of older versions lack it
    layout = Layout(**{field.name: float(proportions[field.name]) for field in fields(Layout)})
    return Profile(
        pose=pose,
        layout=layout,
        picture=_picture(base64.b64decode(value["picture_png"]), Grid(pose, layout).size),
        position=position_from_json(value["position"]),
        centers=centers,
        diameter=float(checkers["diameter_px"]),
        variant=str(value["variant"]),
        throw_zone=_zone(value.get("throw_zone")),
    )


def _picture(png: bytes, size: tuple[int, int]) -> Image:
    """The picture in a PNG of (width, height) pixels; raises `ValueError` for any other."""
    if png_size(png) is None or is_damaged_png(png):
        raise ValueError("its picture cannot be read")
    if png_size(png) != size:
        raise ValueError("its picture does not fit its board")
    try:
        picture = cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_COLOR)
    except cv2.error as error:  # too large even for OpenCV
        raise ValueError("its picture cannot be read") from error
    if picture is None:
        raise ValueError("its picture cannot be read")
    return np.asarray(picture, np.uint8)


def _zone(corners: list[list[float]] | None) -> Floats | None:
    if corners is None:
        return None
    zone = np.array(corners, float)
    if zone.ndim != 2 or zone.shape[1:] != (2,) or len(zone) < 3 or not np.isfinite(zone).all():
        raise ValueError("a throw zone needs at least three corners, each [x, y]")
    return zone
