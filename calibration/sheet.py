"""A printed ChArUco sheet, and the lens estimated from photos of it.

The sheet is A4 at 300 dots per inch: 6 by 9 squares of 29.97 mm, with a marker of 21.34 mm in every
other one. It may be printed at any scale, because the lens bends large squares as it bends small
ones; but the sheet must be flat, and its squares must be square.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.errors import BadSheet
from engine.arrays import Floats, Image

Points = NDArray[np.float32]
Size = tuple[int, int]

DPI: Final = 300
PAGE_DOTS: Final = (2480, 3508)
"""Page width and height, in dots."""
SQUARES: Final = (6, 9)
"""Squares across and down."""
SQUARE_DOTS: Final = 354
"""Side of a square, in dots."""
MARKER_DOTS: Final = 252
"""Side of a marker, in dots: each of its six cells is 42."""
DICTIONARY: Final = cv2.aruco.DICT_4X4_50
LEGEND: Final = "Tableside lens sheet. Lay it flat; fill photos with it, tilted from several sides."
PIXELS_PER_METRE: Final = round(DPI / 0.0254)
PNG_HEAD: Final = 33
"""Bytes of a PNG before its second chunk."""

MIN_SHEET_CORNERS: Final = 12
"""Minimum number of corners in a photo, of the 40 where four squares meet."""
INITIAL_FOCAL: Final = 1.2
"""Focal length at which the fit starts, in picture widths."""
CORNER_NOISE: Final = 0.0002
"""Minimum error of a corner in picture widths, however good the fit: paper is never quite flat, and
no lens is described exactly by its first coefficient. A sheet bowed by 2 mm errs by as much."""
MAX_REPROJECTION_ERROR: Final = 0.0006
"""Mean error in picture widths above which these are not photos of a flat sheet."""
MAX_FOCAL_SIGMA: Final = 0.005
"""Maximum sigma of the log focal length."""
MAX_EDGE_SIGMA: Final = 0.002
"""Maximum sigma of the distortion at the picture's edge, in picture widths."""
CALIBRATION_FLAGS: Final = (
    cv2.CALIB_USE_INTRINSIC_GUESS
    | cv2.CALIB_FIX_ASPECT_RATIO
    | cv2.CALIB_FIX_PRINCIPAL_POINT
    | cv2.CALIB_ZERO_TANGENT_DIST
    | cv2.CALIB_FIX_K2
    | cv2.CALIB_FIX_K3
)
"""`Pose`'s camera model as OpenCV flags: square pixels, central axis, one radial coefficient."""


@dataclass(frozen=True, slots=True)
class Lens:
    """The lens parameters of `Pose`, for pictures of one aspect ratio at any size."""

    focal_widths: float
    """Focal length, in picture widths."""
    radial: float
    """First radial distortion coefficient (OpenCV's k1)."""


class _Seen(NamedTuple):
    """The sheet's corners in one photo."""

    places: Points
    """(N, 1, 3) on the sheet, in dots."""
    pixels: Points
    """(N, 1, 2) in the photo, in pixels."""


class _View(NamedTuple):
    """A photo once the camera is known: how the camera's parameters move the corners."""

    lens: Floats
    """(2N, 2) pixels per unit of log focal length and of the radial coefficient."""
    stand: Floats
    """(2N, 6) pixels per unit of rotation and translation."""


def draw_sheet() -> Image:
    """The sheet as printed: (3508, 2480) grayscale."""
    page = np.full(PAGE_DOTS[::-1], 255, np.uint8)
    width, height = SQUARES[0] * SQUARE_DOTS, SQUARES[1] * SQUARE_DOTS
    left, top = (PAGE_DOTS[0] - width) // 2, (PAGE_DOTS[1] - height) // 2
    page[top : top + height, left : left + width] = _board().generateImage((width, height))
    below = (left, top + height + 80)
    cv2.putText(page, LEGEND, below, cv2.FONT_HERSHEY_SIMPLEX, 1.2, 120.0, 2, cv2.LINE_AA)
    return page


def sheet_png() -> bytes:
    """The sheet as a PNG file with its print size, which OpenCV leaves out."""
    png = bytes(cv2.imencode(".png", draw_sheet())[1])
    chunk = b"pHYs" + struct.pack(">IIB", PIXELS_PER_METRE, PIXELS_PER_METRE, 1)
    framed = struct.pack(">I", len(chunk) - 4) + chunk + struct.pack(">I", zlib.crc32(chunk))
    return png[:PNG_HEAD] + framed + png[PNG_HEAD:]


def estimate_lens(photos: Mapping[str, Image]) -> Lens:
    """Estimate the lens from (H, W, 3) BGR photos of the sheet, keyed by file name.

    Raises `BadSheet`, which says what to do, if they do not determine it.
    """
    size = _common_size(photos)
    seen = [_seen(name, photo) for name, photo in photos.items()]
    error, matrix, bend, turns, shifts = cv2.calibrateCamera(
        [each.places for each in seen],
        [each.pixels for each in seen],
        size,
        _camera(INITIAL_FOCAL * size[0], size),
        np.zeros(5),
        flags=CALIBRATION_FLAGS,
    )
    camera = np.asarray(matrix, float)
    lens = Lens(float(camera[0, 0]) / size[0], float(np.ravel(bend)[0]))
    stands = zip(seen, turns, shifts, strict=True)
    views = [_view(each.places, turn, shift, camera, lens) for each, turn, shift in stands]
    _check(lens, views, error / size[0], size[0])
    return lens


def _common_size(photos: Mapping[str, Image]) -> Size:
    """Width and height of all photos, in pixels."""
    sizes = {name: (photo.shape[1], photo.shape[0]) for name, photo in photos.items()}
    (first, size), *others = sizes.items()
    for name, other in others:
        if other != size:
            raise BadSheet(
                f"{first} has {size[0]}x{size[1]} pixels, {name} {other[0]}x{other[1]}: "
                "take all photos of the sheet with the same camera, held the same way"
            )
    return size


def _seen(name: str, photo: Image) -> _Seen:
    grey = cv2.cvtColor(photo, cv2.COLOR_BGR2GRAY)
    corners, numbers, _, _ = cv2.aruco.CharucoDetector(_board()).detectBoard(grey)
    if numbers is None or not len(numbers):
        raise BadSheet(
            f"no sheet found in {name}: print the one from `tableside calibrate --lens-sheet`, "
            "and photograph all of it in focus"
        )
    if len(numbers) < MIN_SHEET_CORNERS:
        raise BadSheet(
            f"{len(numbers)} corners of the sheet were found in {name}, but "
            f"{MIN_SHEET_CORNERS} are needed: "
            "show all of it, larger and in even light, or leave that photo out"
        )
    return _Seen(*_board().matchImagePoints(corners, numbers))


def _check(lens: Lens, views: Sequence[_View], error: float, width: int) -> None:
    """Raise `BadSheet` unless the photos determine the lens; `error`: mean, in picture widths."""
    if not error <= MAX_REPROJECTION_ERROR:
        raise BadSheet(
            "the photos do not match one lens and a flat sheet: lay the sheet on a flat table, do "
            "not change the zoom, and do not crop the photos"
        )
    focal, radial = _spreads(views, max(error, CORNER_NOISE) * width)
    # The edge is 0.5 / focal from the axis in rays; it is displaced by focal * radial * that cubed.
    if not radial * 0.5**3 / lens.focal_widths**2 <= MAX_EDGE_SIGMA:
        raise BadSheet(
            "the sheet is too small in the photos to measure the lens's distortion: "
            "add some in which it fills the picture"
        )
    if not focal <= MAX_FOCAL_SIGMA:
        raise BadSheet(
            "the photos show the sheet from too similar angles to measure the focal length: "
            "add some tilted by 30 to 45 degrees, from different sides"
        )


def _spreads(views: Sequence[_View], noise: float) -> tuple[float, float]:
    """One sigma of the log focal length, and of the radial coefficient if the former were known.

    Corners err by `noise` pixels. OpenCV's own deviations come from a pseudo-inverse, which is
    small precisely for photos from straight above, which say nothing about the focal length.
    """
    information = np.zeros((2, 2))
    for view in views:
        # What another camera pose would explain equally well is not information about the lens.
        own = view.lens - view.stand @ np.linalg.lstsq(view.stand, view.lens, rcond=None)[0]
        information += own.T @ own
    alone = np.array(
        [information[0, 0] - information[0, 1] ** 2 / information[1, 1], information[1, 1]]
    )
    focal, radial = noise / np.sqrt(np.maximum(alone, np.finfo(float).tiny))
    return float(focal), float(radial)


def _view(places: Points, turn: Any, shift: Any, camera: Floats, lens: Lens) -> _View:
    bend = np.array([lens.radial, 0, 0, 0])
    slopes = np.asarray(cv2.projectPoints(places, turn, shift, camera, bend)[1], float)
    # Columns: rotation 3, translation 3, both focal lengths, both centers, k1, ...
    focal = slopes[:, 6:8].sum(axis=1) * camera[0, 0]
    return _View(np.column_stack([focal, slopes[:, 10]]), slopes[:, :6])


def _camera(focal: float, size: Size) -> Floats:
    """(3, 3) OpenCV's camera matrix for a focal length in pixels."""
    return np.array([[focal, 0, (size[0] - 1) / 2], [0, focal, (size[1] - 1) / 2], [0, 0, 1]])


@cache
def _board() -> Any:
    """The sheet's squares and markers, in dots."""
    markers = cv2.aruco.getPredefinedDictionary(DICTIONARY)
    return cv2.aruco.CharucoBoard(SQUARES, float(SQUARE_DOTS), float(MARKER_DOTS), markers)
