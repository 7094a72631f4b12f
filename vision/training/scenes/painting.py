"""Painted textures: faces of checkers and of plates, and the inside of a board."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.layout import Layout
from engine.arrays import Floats, Floats32, Image, Rng
from vision.training.render.raycast import FACE_PX, Bounds
from vision.training.scenes.cube_faces import DIGITS, FONTS, PRINTED_SHARE, printed, typefaces
from vision.training.scenes.materials import (
    CLOUD,
    FIBRE,
    GRAIN,
    SMOOTH,
    SPECKLE,
    WEAVE,
    SetColours,
    from_srgb,
    lightness,
    random_board_colour,
    random_colour,
)
from vision.training.scenes.patterns import (
    PATTERNED_POINTS_SHARE,
    ToPixels,
    decorate_field,
    decorate_point,
    work_top,
)

FIELD_SCALE: Final = 900
"""Pixels of the field's texture per field width."""
LIGHT_TOP, DARK_TOP, CUBE_FACES, OTHER_CUBE, PLATE_FACES = 0, 1, 2, 8, 14
HERSHEY_HIGH, PRINTED_HIGH = 21, 0.6
"""Height in pixels of a number of `cv2.putText` at size 1, and that of `printed` in its picture."""
DIE_FACES: Final = (20, 26)
"""The textures of each player's dice."""
OTHER_TOPS: Final = (32, 33)
"""Those of the checkers that replace lost ones, per side."""
ORNAMENT: Final = 34
LURE_FACES: Final = 35
"""The textures of `lures.py`."""


def checker_top(rng: Rng, base: Floats, noise: Floats32, floor: Floats) -> Floats32:
    """(96, 96, 3) the face of a checker: plain, ringed, dished, two-colored, grained, engraved.

    `floor`: the color below it, seen through a ring.
    """
    y, x = np.mgrid[:FACE_PX, :FACE_PX]
    far = np.hypot(x - 47.5, y - 47.5) / 47.5
    face = np.broadcast_to(base, (FACE_PX, FACE_PX, 3)).astype(np.float64).copy()
    if rng.random() < 0.5:
        pattern = noise[int(rng.choice([GRAIN, CLOUD, SPECKLE]))]
        size = int(rng.integers(40, 200))
        patch = cv2.resize(pattern[:size, :size], (FACE_PX, FACE_PX)) - 0.5
        other = np.clip(base * rng.uniform(0.4, 1.5), 0, 1)
        mix = np.clip(0.5 + patch * rng.uniform(0.3, 2), 0, 1)[..., None]
        face = face * (1 - mix) + other * mix
    if rng.random() < 0.35:  # dished: the rim catches the light on one side
        slope = (x - 47.5) * np.cos(a := rng.uniform(0, 6.28)) + (y - 47.5) * np.sin(a)
        ring = np.exp(-(((far - rng.uniform(0.6, 0.9)) / rng.uniform(0.04, 0.15)) ** 2))
        face *= 1 + (rng.uniform(0.1, 0.6) * ring * slope / 47.5)[..., None]
    for _ in range(rng.choice([0, 0, 1, 1, 2, 3])):
        ring = np.abs(far - rng.uniform(0.15, 0.95)) < rng.uniform(0.015, 0.07)
        face[ring] *= rng.uniform(0.5, 1.5)
    if rng.random() < 0.12:  # a rim or center of another color
        edge = rng.uniform(0.3, 0.92)
        face[far > edge if rng.random() < 0.5 else far < edge * 0.7] = random_colour(rng)
    face = work_top(rng, face, base, floor, noise)
    return np.clip(face, 0, 1).astype(np.float32)


def plate_faces(rng: Rng) -> Floats32:
    """(6, 96, 96, 3) faces of a clock, a box of matches, a folded sheet: digits, words, marks."""
    body = random_colour(rng, 0.6, (0.02, 1.0)) if rng.random() < 0.6 else from_srgb(
        np.full(3, rng.choice([0.03, 0.1, 0.9])))  # fmt: skip
    while True:
        ink = from_srgb(np.full(3, rng.uniform(0, 1))) if rng.random() < 0.7 else random_colour(rng)
        if abs(lightness(body) - lightness(ink)) > 25:
            break
    if rng.random() < 0.4:
        lit = from_srgb(rng.choice([(1, 1, 1), (0.4, 1, 0.4), (0.3, 0.3, 1), (1, 0.9, 0.5)]) * 0.95)
        share = (_display(rng) / 255.0)[..., None]
        dim = from_srgb(rng.uniform(0.02, 0.25, 3))
        return np.stack([dim * (1 - share) + lit * share] * 6).astype(np.float32)
    signs = list("0123456789" if rng.random() < 0.6 else "ABCDEFGHIKLMNOPRSTUVWZ0123456789")
    mask = np.zeros((FACE_PX, FACE_PX), np.uint8)
    tall = rng.uniform(0.12, 0.45)
    for line in range(int(rng.integers(1, 4))):
        text = "".join(rng.choice(signs, int(rng.integers(1, 7))))
        if rng.random() < 0.5 and len(text) > 2:
            text = f"{text[:2]}:{text[2:]}"
        at = (int(rng.integers(0, 25)), int(FACE_PX * (0.1 + tall) + line * FACE_PX * tall * 1.3))
        cv2.putText(mask, text, at, int(rng.integers(0, 8)), FACE_PX * tall / 22, 255,
                    int(rng.integers(1, 6)), cv2.LINE_AA)  # fmt: skip
    if rng.random() < 0.3:
        for _ in range(int(rng.integers(1, 7))):
            spot = (int(rng.integers(5, 90)), int(rng.integers(5, 90)))
            cv2.circle(mask, spot, int(rng.integers(2, 7)), 255, -1, cv2.LINE_AA)
    share = (mask / 255.0)[..., None]
    return np.stack([body * (1 - share) + ink * share] * 6).astype(np.float32)


_SEGMENTS: Final = ("abcdef", "bc", "abged", "abgcd", "fgbc", "afgcd", "afgedc", "abc", "abcdefg",
                    "abcfgd")  # fmt: skip
"""Which of a display's seven segments are lit for each digit."""
_ENDS: Final = {"a": ((0, 0), (1, 0)), "b": ((1, 0), (1, 1)), "c": ((1, 1), (1, 2)),
                "d": ((0, 2), (1, 2)), "e": ((0, 1), (0, 2)), "f": ((0, 0), (0, 1)),
                "g": ((0, 1), (1, 1))}  # fmt: skip


def _display(rng: Rng) -> Image:
    """(96, 96) the time on a game clock, one or two of them, in seven-segment digits."""
    mask = np.zeros((FACE_PX, FACE_PX), np.uint8)
    wide, thick = rng.uniform(8, 13), int(rng.integers(1, 5))
    slant = rng.choice([0.0, 0.15])
    for row in range(int(rng.integers(1, 3))):
        top, left = rng.uniform(4, 20) + row * 45, rng.uniform(2, 10)
        for place in range(4):
            x = left + place * wide * 1.6 + (place > 1) * wide * 0.6
            for name in _SEGMENTS[int(rng.integers(10))]:
                (x0, y0), (x1, y1) = _ENDS[name]
                one, two = ((round(x + wide * (u + slant * (2 - v))), round(top + wide * v))
                            for u, v in ((x0, y0), (x1, y1)))  # fmt: skip
                cv2.line(mask, one, two, 255, thick, cv2.LINE_AA)
        for dot in (0.5, 1.5):
            spot = (round(left + wide * 3.3), round(top + wide * dot))
            cv2.circle(mask, spot, 1 + thick // 2, 255, -1, cv2.LINE_AA)
    return mask


def _add_specks(rng: Rng, picture: Floats32, noise: Floats32) -> None:
    """Add specks as in cork, terrazzo or printed felt, darker or paler than their background."""
    height, width = picture.shape[:2]
    size = int(rng.uniform(250, 900))
    tile = cv2.resize(noise[FIBRE], (size, size), interpolation=cv2.INTER_CUBIC)
    soft = cv2.GaussianBlur(tile, (0, 0), rng.uniform(1.0, 3.0))
    specks = soft > np.quantile(soft, rng.uniform(0.85, 0.98))
    rows, columns = np.arange(height) % size, np.arange(width) % size
    mask = cv2.GaussianBlur(specks[np.ix_(rows, columns)].astype(np.float32), (0, 0), 0.8)
    share = (mask * rng.uniform(0.4, 1.0))[..., None]
    shade = rng.uniform(0.05, 0.5) if rng.random() < 0.8 else rng.uniform(1.5, 3)
    picture *= 1 - share + share * shade


def board_texture(
    rng: Rng, layout: Layout, aspect: float, bounds: Bounds, colours: SetColours,
    noise: Floats32, *, is_sheet: bool = False, is_numbered: bool = False,
) -> Floats32:  # fmt: skip
    """(h, w, 3) the painted inside of the board, trays included; row 0 is at the largest Y.

    `is_numbered`: whether its points have numbers in any case.
    """
    width = round((bounds[2] - bounds[0]) * FIELD_SCALE)
    height = round((bounds[3] - bounds[1]) * FIELD_SCALE)
    tray = colours.felt if rng.random() < 0.6 else random_board_colour(rng)
    picture = np.broadcast_to(tray, (height, width, 3)).astype(np.float32).copy()

    def pixels(places: Floats) -> NDArray[np.int32]:
        x = (places[:, 0] - bounds[0]) * FIELD_SCALE
        y = (bounds[3] - places[:, 1] * aspect) * FIELD_SCALE
        return np.rint(np.column_stack([x, y]) * 16).astype(np.int32)

    def fill(places: Floats, paint: Floats) -> None:
        cv2.fillPoly(picture, [pixels(places)], paint.tolist(), cv2.LINE_AA, 4)

    fill(np.array([(0, 0), (1, 0), (1, 1), (0, 1)], float), colours.felt)
    speckled = rng.random()
    if speckled < 0.1:
        _add_specks(rng, picture, noise)
    shape = rng.choice(5, p=[0.6, 0.1, 0.12, 0.1, 0.08])
    has_border = rng.random() < (0.4 if is_sheet else 0.2)
    line, thick = np.clip(random_colour(rng), 0, 1), int(rng.integers(1, 5))
    paints = list(colours.points)
    if has_border and lightness(colours.felt) > 60 and rng.random() < 0.5:  # drawn, not painted
        paints[int(rng.integers(2))], line = colours.felt, from_srgb(rng.uniform(0.05, 0.3, 3))
    has_pattern, pattern_kind = rng.random() < PATTERNED_POINTS_SHARE, int(rng.integers(3))
    inlay = np.clip(paints[0] * rng.uniform(0.4, 1.6) if rng.random() < 0.5
                    else random_board_colour(rng), 0, 1)  # fmt: skip
    for point in range(1, 25):
        outline = point_outline(layout, point, int(shape))
        fill(outline, paints[(point + (point > 12)) % 2])
        if has_pattern:
            decorate_point(picture, pixels, outline, inlay, pattern_kind)
        if has_border:
            cv2.polylines(picture, [pixels(outline)], True, line.tolist(), thick, cv2.LINE_AA, 4)
    if speckled > 0.95:
        _add_specks(rng, picture, noise)
    tips = np.array([layout.tip(point) for point in range(1, 25)])
    decorate_field(rng, picture, pixels, tips, (paints[0], paints[1]))
    _add_print(rng, picture, layout, pixels, is_sheet=is_sheet, is_numbered=is_numbered)
    pattern = noise[int(rng.choice([FIBRE, FIBRE, CLOUD, SPECKLE, WEAVE, GRAIN, SMOOTH]))]
    repeats = rng.uniform(1, 8)
    size = max(8, int(256 * FIELD_SCALE / 256 / repeats))
    tile = cv2.resize(pattern, (size, size), interpolation=cv2.INTER_AREA)
    tiled = np.tile(tile, (height // size + 1, width // size + 1))[:height, :width]
    strength = rng.choice([0.05, 0.15, 0.4, 0.8]) * rng.random()
    return np.clip(picture * (1 + strength * (tiled - 0.5))[..., None], 0, 1).astype(np.float32)


_CURVE: Final = [(k / 8, float(np.sqrt(1 - (k / 8) ** 2))) for k in range(9)]
OUTLINES: Final[list[list[tuple[float, float]]]] = [
    [(0, 1), (1, 0)],
    _CURVE,
    [(0, 1), (0.8, 0.12), (0.8, 0.3), (1, 0)],
    [(0, 1), (0.97, 0.16)],
    [(0, 0.9), (0.85, 0.12), (0.9, 0.22), (1, 0)],
]
"""Straight, curved, arrow, blunt and slim points: distance from the rail, and width there."""


def point_outline(layout: Layout, point: int, shape: int) -> Floats:
    """(N, 2) field coordinates around one painted point: straight, curved, arrow, blunt or slim."""
    x, rail = layout.base(point)
    _, tip = layout.tip(point)
    half = layout.point_width * layout.fill / 2
    widths = OUTLINES[shape]
    right = [(x + half * wide, rail + (tip - rail) * along) for along, wide in widths]
    left = [(x - half * wide, rail + (tip - rail) * along) for along, wide in widths]
    return np.array(right + left[::-1])


def _add_print(
    rng: Rng,
    picture: Floats32,
    layout: Layout,
    pixels: ToPixels,
    *,
    is_sheet: bool,
    is_numbered: bool,
) -> None:
    if rng.random() < 0.15:
        _add_emblem(rng, picture, pixels)
    if rng.random() < (0.25 if is_sheet else 0.04) or is_numbered:
        _add_numbers(rng, picture, layout, pixels)
    if is_sheet and rng.random() < 0.35:
        _add_creases(rng, picture)


def _add_numbers(rng: Rng, picture: Floats32, layout: Layout,
             pixels: ToPixels) -> None:  # fmt: skip
    ink, beyond = random_colour(rng), rng.random() < 0.4
    mask = np.zeros(picture.shape[:2], np.uint8)
    size, first = rng.uniform(0.5, 1.3), int(rng.integers(2))
    apart = rng.spawn(1)[0]  # whose draws change nothing else in the scene
    font, thick = int(apart.choice(FONTS)), int(apart.integers(1, 4))
    typeface = apart.choice(typefaces()) if apart.random() < PRINTED_SHARE else None
    for point in range(1, 25):
        place = number_place(layout, point, beyond=beyond)
        at = pixels(np.array([place]))[0] // 16
        text = str(point if first else 25 - point)
        if typeface is not None and {*text} <= {*DIGITS}:
            _print(mask, printed(text, typeface), at, size)
            continue
        (wide, high), _ = cv2.getTextSize(text, font, size, thick)
        start = (int(at[0]) - wide // 2, int(at[1]) + high // 2)
        cv2.putText(mask, text, start, font, size, 255, thick, cv2.LINE_AA)
    _blend(picture, mask, ink)


def number_place(layout: Layout, point: int, *, beyond: bool) -> tuple[float, float]:
    """Field coordinates of a point's number, on the point near the rail or `beyond` its tip."""
    x, rail = layout.base(point)
    _, tip = layout.tip(point)
    return x, tip + (tip - rail) * 0.08 if beyond else rail + (tip - rail) * 0.05


def _print(mask: Image, number: Floats32, at: NDArray[np.int32], size: float) -> None:
    """Put a number of `printed` around a pixel, as large as one of Hershey's of that size."""
    side = round(size * HERSHEY_HIGH / PRINTED_HIGH)
    small = np.uint8(255 * cv2.resize(number, (side, side), interpolation=cv2.INTER_AREA))
    left, top = (int(edge) - side // 2 for edge in at)
    if min(left, top) >= 0 and left + side <= mask.shape[1] and top + side <= mask.shape[0]:
        part = mask[top : top + side, left : left + side]
        np.maximum(part, small, out=part)


def _add_creases(rng: Rng, picture: Floats32) -> None:
    """Add folds of a sheet: each panel has a different tilt, with a visible line between them."""
    for axis in (0, 1):
        length = picture.shape[axis]
        at = np.arange(length) / length
        gain = np.ones(length)
        for fold in rng.uniform(0.1, 0.9, int(rng.integers(0, 4))):
            gain[at > fold] *= rng.uniform(0.88, 1.12)
            line = np.exp(-(((at - fold) / 0.002) ** 2))
            gain *= 1 + rng.uniform(-0.35, 0.35) * line
        picture *= gain[:, None, None] if axis == 0 else gain[None, :, None]


def _add_emblem(rng: Rng, picture: Floats32, pixels: ToPixels) -> None:
    paint = random_colour(rng)
    mask = np.zeros(picture.shape[:2], np.uint8)
    for x in (0.25, 0.75):
        at = pixels(np.array([(x, 0.5)]))[0] // 16
        center = (int(at[0]), int(at[1]))
        if rng.random() < 0.5:
            cv2.circle(mask, center, int(rng.integers(20, 60)), 255, int(rng.integers(2, 8)),
                       cv2.LINE_AA)  # fmt: skip
        else:
            text, start = (
                "".join(rng.choice(list("ABCDEGKMRS"), 4)),
                (center[0] - 60, center[1] + 10),
            )
            cv2.putText(mask, text, start, cv2.FONT_HERSHEY_SIMPLEX, rng.uniform(0.8, 2), 255,
                        3, cv2.LINE_AA)  # fmt: skip
    _blend(picture, mask, paint)


def _blend(picture: Floats32, mask: Image, paint: Floats) -> None:
    """Paint where the mask is 255, on linear light."""
    rows, columns = (np.flatnonzero(mask.any(axis=axis)) for axis in (1, 0))
    if not len(rows):
        return
    part = np.s_[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    picture[part] += (mask[part][..., None] / 255) * (paint - picture[part])
