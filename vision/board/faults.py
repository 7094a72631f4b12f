"""What is wrong with a picture of a board, and what would help, as messages for the players."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

from calibration.grid import POINT_PITCH, Grid
from calibration.layout import USUAL_DIE_SIDE
from engine.arrays import Image
from engine.message import Message, msg
from vision.sources.frame import MAX_PIXELS

MIN_HIGHLIGHT: Final = 40
"""Gray level that the brightest pixels of the whole picture must reach: a table may be black, but
on a board that is darker, noise hides what the dark checkers look like."""
HIGHLIGHT_SHARE: Final = 0.05
"""Fraction of the pixels that are meant."""
OVEREXPOSED: Final = 250
MAX_BURNT_OUT_SHARE: Final = 0.4
"""Fraction of the whole picture without any detail."""
TOO_DARK: Final = msg("the picture is too dark: turn on a lamp")
TOO_BRIGHT: Final = msg("the picture is overexposed: dim the lamp or lower the exposure")
MAX_OVEREXPOSED_SHARE: Final = 0.08
"""Fraction of the field without any detail: ivory checkers alone burn out less than 0.05."""
MIN_PICTURE_SIDE: Final = 100
"""Pixels of a picture's shorter side: 24 points of 12 pixels, the bar and the rails need more."""
BEST_TILT: Final = msg("25 to 30")
"""Degrees between straight down and the line of sight at which layers of a stack appear side by
side and nothing is hidden behind them."""
MIN_STACK_TILT, MAX_STACK_TILT = 12.0, 40.0
"""Beyond these, the upper layers of a stack hide behind the topmost, or the far points are
hidden."""
MIN_DIE_PIXELS: Final = 13.0
"""Pixels of a die's side below which its pips merge."""
MIN_POINT_PIXELS: Final = 12.0
"""Width of the narrowest point in pixels below which two touching checkers merge."""
ENOUGH_WIDTH: Final = 1280
"""Pixels of a picture's longer side in which a board that fills it is large enough; no more are
requested from USB cameras."""
SHARP_STEP: Final = 26.0
"""Gray levels between neighboring pixels at the sharpest 1 % of the field: at least 40 in focus,
under 15 in a picture blurred by half a die."""
MIN_SHARPNESS_TO_LEARN: Final = 0.18
"""The same relative to the field's own contrast, which is low on boards of one tone: at least 0.24
in focus, under 0.13 if blurred by half a die. A set is learned only from such a picture."""
MIN_SHARPNESS_TO_READ: Final = 0.1
"""The same, from which checkers are read: development stills blurred to 0.09 or more are read like
sharp ones; at 0.08 the first points are wrong; below 0.06 the net is sure of things that are not
there."""
MAX_TILT: Final = 56.0
"""Degrees between straight down and a camera that can see a board, according to the pose: for a
field 1.5 times as wide as high that is 18 too many, 52 in all; 58 to 86 if half a board was taken
for a whole one seen from very low."""
MAX_CORNER_OUTSIDE: Final = 0.01
"""Field diagonals that a corner may be outside the picture: as much as corners err (in pictures
with correctly found boards, at most 0.005), but not so much that a rail is missing."""


def picture_faults(image: Image) -> tuple[Message, ...]:
    """What keeps any board from being seen in a (H, W, 3) BGR picture."""
    height, width = image.shape[:2]
    if min(height, width) < MIN_PICTURE_SIDE:
        return (
            msg(
                "the picture is only {width}x{height} pixels: at least 640x360 are needed",
                width=width,
                height=height,
            ),
        )
    if height * width > MAX_PIXELS:
        return (
            msg(
                "the picture has {width}x{height} pixels, more than the limit of {largest} "
                "million: make it smaller",
                width=width,
                height=height,
                largest=MAX_PIXELS // 10**6,
            ),
        )
    fault = light_fault(image)
    return () if fault is None else (fault,)


def light_fault(image: Image) -> Message | None:
    """Whether a (H, W, 3) BGR picture has too little or too much light for any board."""
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    if np.count_nonzero(grey >= MIN_HIGHLIGHT) < HIGHLIGHT_SHARE * grey.size:
        return TOO_DARK
    is_burnt_out = np.count_nonzero(grey >= OVEREXPOSED) > MAX_BURNT_OUT_SHARE * grey.size
    return TOO_BRIGHT if is_burnt_out else None


def field_faults(image: Image, grid: Grid) -> tuple[Message, ...]:
    """What keeps the board in `grid` from being read well."""
    found = []
    if (narrow := narrowest_point(grid)) < MIN_POINT_PIXELS:
        found.append(
            msg(
                "the farthest points are only {narrow} pixels wide, but {narrowest} are needed: "
                "{wish}",
                narrow=f"{narrow:.0f}",
                narrowest=f"{MIN_POINT_PIXELS:.0f}",
                wish=_enlarging(grid),
            )
        )
    return (*found, *glare_faults(image, grid), *blur_faults(image, grid, MIN_SHARPNESS_TO_LEARN))


def glare_faults(image: Image, grid: Grid) -> tuple[Message, ...]:
    """Whether so much of the field is burnt out that colors cannot be told from one another."""
    grey = cv2.cvtColor(grid.rectify(image), cv2.COLOR_BGR2GRAY)
    if float((grey >= OVEREXPOSED).mean()) <= MAX_OVEREXPOSED_SHARE:
        return ()
    return (msg("there is glare on the board: move the lamp or the camera"),)


def blur_faults(
    image: Image, grid: Grid, share: float = MIN_SHARPNESS_TO_READ
) -> tuple[Message, ...]:
    """Whether blur keeps a board that is large enough in the picture from being read.

    `share`: the sharpest step between pixels that is asked for, over the field's contrast.
    """
    narrow = narrowest_point(grid)
    if narrow < POINT_PITCH / 2:
        return ()
    grey = np.asarray(cv2.cvtColor(grid.rectify(image), cv2.COLOR_BGR2GRAY), np.uint8)
    # A small board is enlarged on rectifying, which softens every edge by as much.
    needed = share * min(1.0, narrow / POINT_PITCH)
    darkest, lightest = np.percentile(grey, [2, 98])
    sharpest = _sharpness(grey)
    if sharpest >= SHARP_STEP or sharpest >= needed * (lightest - darkest):
        return ()
    return (msg("the picture is blurred: keep the camera still and let it focus"),)


def view_faults(grid: Grid) -> tuple[Message, ...]:
    """Signs that the picture does not hold all of `grid`; then nothing else can be trusted."""
    corners, size = grid.pose.corners(), np.array(grid.pose.size)
    diagonal = float(np.linalg.norm(corners[0] - corners[2]))
    outside = float(max(-corners.min(), (corners - size).max()))
    if not outside <= MAX_CORNER_OUTSIDE * diagonal:  # so that corners at infinity are outside too
        return (msg("part of the board is outside the picture: show the whole board"),)
    if grid.pose.tilt > MAX_TILT:
        return (
            msg(
                "the whole board is not visible from above: show all of it, at most 45 degrees off "
                "vertical"
            ),
        )
    return ()


def dice_faults(grid: Grid) -> tuple[Message, ...]:
    """What keeps dice from being read everywhere on the board in `grid`, if not its checkers."""
    side = farthest_die(grid)
    if side >= MIN_DIE_PIXELS:
        return ()
    return (
        msg(
            "a die on the far side is {side} pixels wide, but {die_needs} are needed to read it: "
            "{wish}",
            side=f"{side:.0f}",
            die_needs=f"{MIN_DIE_PIXELS:.0f}",
            wish=_enlarging(grid),
        ),
    )


def view_advice(grid: Grid) -> tuple[Message, ...]:
    """Where the camera would see more than it does from where it stands over the board."""
    tilt = grid.pose.tilt
    if MIN_STACK_TILT <= tilt <= MAX_STACK_TILT:
        return ()
    wish = msg("a little to the side") if tilt < MIN_STACK_TILT else msg("further overhead")
    return (
        msg(
            "the camera is {tilt} degrees off vertical; it counts tall stacks better at "
            "{best_tilt}: move it {wish}",
            tilt=f"{tilt:.0f}",
            best_tilt=BEST_TILT,
            wish=wish,
        ),
    )


def farthest_die(grid: Grid) -> float:
    """Side of a die in the corner farthest from the camera, camera pixels."""
    corners = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]
    return USUAL_DIE_SIDE * min(
        grid.pose.pixels_per_width(corner, USUAL_DIE_SIDE) for corner in corners
    )


def narrowest_point(grid: Grid) -> float:
    """Width of the narrowest point at its rail, camera pixels."""
    half = grid.layout.point_width / 2
    rails = np.array([grid.layout.base(point) for point in range(1, 25)])
    left, right = (grid.pose.project(rails + np.array([way * half, 0])) for way in (-1, 1))
    return float(np.linalg.norm(right - left, axis=1).min())


def _enlarging(grid: Grid) -> Message:
    """How to enlarge the board in its picture: proposes more pixels only where there are few."""
    if max(grid.pose.size) < ENOUGH_WIDTH:
        return msg("move the camera closer or use one with a higher resolution")
    return msg("move the camera closer or zoom in")


def _sharpness(grey: Image) -> float:
    steps = np.abs(np.diff(grey.astype(np.int16), axis=1))
    return float(np.percentile(steps, 99))
