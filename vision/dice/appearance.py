"""Each die's appearance, however it fell: the colors of body and pips, and its size.

Measured in the close view from which the dice are read, in the light in which the board was
learned: any change of lamp or exposure since then is divided out.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.layout import USUAL_DIE_SIDE
from calibration.pose import Pose
from engine.arrays import Floats, Floats32, Image
from engine.evidence.observation import Colour, DieAppearance, DieSeen
from vision.dice.views import CROP_SIZE, DIE_PIXELS, close_views

_RADIUS: Final = np.hypot(*(np.mgrid[:CROP_SIZE, :CROP_SIZE] - (CROP_SIZE - 1) / 2))
FACE_MASK: Final = _RADIUS < 8.5
"""(48, 48) the circle within a typical die's upper face, at any rotation."""
_RIM: Final = _RADIUS[FACE_MASK] > 7
"""(N,) its pixels that few pips reach, nor a lamp's reflection in the middle of the face."""
_RIM_WEIGHT: Final = np.where(_RIM, 3.0, 1.0)
_GROUND_MASK: Final = (_RADIUS > 10.5) & (_RADIUS < 13.5)
"""(48, 48) ring around the die."""
MAX_GROUND_DISTANCE, MIN_GROUND_SHARE = 16.0, 0.3
"""Lab distance, with lightness halved, and fraction of the ground, within which a rim has the
ground's color.
"""
SUBSAMPLING: Final = 8
"""Step between the field pixels on which the change of light is measured."""
MIN_BYTE, MAX_BYTE = 25, 250
"""Byte values between which the ratio of two pictures reflects the light."""
LIGHT_RANGE: Final = (0.4, 2.5)
_TURNS: Final = np.deg2rad(np.arange(0, 90, 10))
_SIDES: Final = np.arange(14.5, 23.1, 0.75)
"""Candidate sides in pixels of the close view, which is cut for a side of 18."""
_SHIFTS: Final = (-2, 0, 2)
_ALONG_EDGE: Final = np.linspace(-0.38, 0.38, 6)
_ACROSS_EDGE: Final = 1.5
"""Pixels inside and outside an edge at which colors are compared."""
_MAX_COLOUR_DISTANCE: Final = np.float32(40)


def with_appearances(
    dice: tuple[DieSeen, ...],
    image: Image,
    pose: Pose,
    light: Floats | None = None,
    side: float = USUAL_DIE_SIDE,
) -> tuple[DieSeen, ...]:
    """The dice with their appearance in an (H, W, 3) uint8 BGR picture of the pose's size.

    `light`: (3,) from `illumination_gain`, None if the board was not learned in another picture;
    `side`: their approximate size in field widths.
    """
    if not dice:
        return dice
    places = pose.locate(np.array([die.center for die in dice]), side)
    crops = close_views(image, pose, places, side)
    return tuple(
        replace(die, appearance=measure_appearance(crop, light, side))
        for die, crop in zip(dice, crops, strict=True)
    )


def illumination_gain(picture: Image, learnt: Image) -> Floats:
    """(3,) the BGR ratios to the picture in which the board was learned.

    Both are (h, w, 3) rectified, `learnt` without checkers, which cover the smaller part.
    """
    now = picture[::SUBSAMPLING, ::SUBSAMPLING].reshape(-1, 3)
    then = learnt[::SUBSAMPLING, ::SUBSAMPLING].reshape(-1, 3)
    usable = (np.minimum(now, then).min(axis=1) > MIN_BYTE) & (
        np.maximum(now, then).max(axis=1) < MAX_BYTE
    )
    if usable.sum() < len(usable) / 10:
        return np.ones(3)
    ratio = np.median(now[usable] / then[usable].astype(np.float64), axis=0)
    return np.asarray(np.clip(ratio, *LIGHT_RANGE))


def measure_appearance(
    crop: Image, light: Floats | None = None, side: float = USUAL_DIE_SIDE
) -> DieAppearance:
    """The appearance of the die in the middle of a (48, 48, 3) uint8 BGR close view.

    `side`: the size for which the view was cut, in field widths.
    """
    lit = crop.astype(np.float32) / np.float32(255)
    if light is not None:
        lit /= light.astype(np.float32)
    colours = np.asarray(cv2.cvtColor(np.clip(lit, 0, 1), cv2.COLOR_BGR2LAB), np.float32)
    body, pips = _two_colours(colours[FACE_MASK], colours[_GROUND_MASK])
    return DieAppearance(_colour(body), _colour(pips), _side_px(colours, body) * side / DIE_PIXELS)


def _two_colours(face: Floats32, around: Floats32) -> tuple[Floats32, Floats32]:
    """(3,) the colors of body and pips, from (N, 3) colors of an upper face and around it."""
    offset = face - np.median(face, axis=0)
    axis = np.linalg.eigh(offset.T @ offset)[1][:, -1]
    along = offset @ axis
    is_body = along > _otsu_threshold(along)
    if is_body.all():
        return np.median(face, axis=0), np.median(face, axis=0)
    if _RIM_WEIGHT[is_body].sum() < _RIM_WEIGHT.sum() / 2:
        is_body = ~is_body
    if is_body[_RIM].mean() < 0.5 and not _is_ground(np.median(face[~is_body], axis=0), around):
        is_body = ~is_body  # a reflection covers the middle of the face
    middle, dots = np.median(along[is_body]), np.median(along[~is_body])
    body = _purest(face[is_body], np.abs(along[is_body] - dots), 0.5)
    return body, _purest(face[~is_body], np.abs(along[~is_body] - middle), 0.75)


def _is_ground(colour: Floats32, around: Floats32) -> bool:
    """Whether it may be what the die lies on, next to a die off the crop's center."""
    apart = np.linalg.norm((around - colour) * np.array((0.5, 1, 1), np.float32), axis=1)
    return bool((apart < MAX_GROUND_DISTANCE).mean() >= MIN_GROUND_SHARE)


def _purest(colours: Floats32, apart: Floats32, share: float) -> Floats32:
    """(3,) the median of the colors that are farthest from the other one.

    Where body and pips meet, the camera mixes them: the more pips, the more of the body.
    """
    return np.asarray(np.median(colours[apart >= np.quantile(apart, share)], axis=0), np.float32)


def _otsu_threshold(values: Floats32) -> float:
    """The threshold that best separates two classes (Otsu 1979); -inf if all values are equal."""
    ranked = np.sort(values)
    count, below = len(ranked), np.arange(1, len(ranked))
    sums = np.cumsum(ranked)
    low, high = sums[:-1] / below, (sums[-1] - sums[:-1]) / (count - below)
    best = int((below * (count - below) * (low - high) ** 2).argmax())
    return float(ranked[best] + ranked[best + 1]) / 2 if ranked[best] < ranked[-1] else -np.inf


def _side_px(colours: Floats32, body: Floats32) -> float:
    """The side in pixels of the square whose edges best separate the body's color from others."""
    unlike = np.linalg.norm((colours - body) * np.array((0.7, 1, 1), np.float32), axis=-1)
    near = (
        np.minimum(unlike, _MAX_COLOUR_DISTANCE)
        .astype(np.float32)
        .ravel()[_edge_pixels()]
        .mean(axis=-1)
    )
    edges = np.sort(near[:, 1] - near[:, 0], axis=-1)
    fit = edges[..., 1] + edges[..., 0] / 2  # the faintest edge may border a side face
    _, _, side = np.unravel_index(int(fit.argmax()), fit.shape)
    return float(_SIDES[side])


@lru_cache(maxsize=1)
def _edge_pixels() -> NDArray[np.int32]:
    """(9, 2, turns, sides, 4, 6) pixels inside and outside the edges of each square."""
    turn = _TURNS[:, None] + np.arange(4) * np.pi / 2
    out = np.stack([np.cos(turn), np.sin(turn)], axis=-1)[:, None, :, None]
    way = np.stack([-np.sin(turn), np.cos(turn)], axis=-1)[:, None, :, None]
    side = _SIDES[None, :, None, None, None]
    away = np.array((-_ACROSS_EDGE, _ACROSS_EDGE))[:, None, None, None, None, None]
    points = out * (side / 2 + away) + way * side * _ALONG_EDGE[:, None]
    shifts = np.array([(x, y) for x in _SHIFTS for y in _SHIFTS], float)
    moved = points[None] + shifts[:, None, None, None, None, None]
    pixels = np.rint(moved + (CROP_SIZE - 1) / 2).astype(np.int32)
    return np.asarray(pixels[..., 1] * CROP_SIZE + pixels[..., 0], np.int32)


def _colour(values: Floats32) -> Colour:
    light, a, b = (round(float(value), 2) for value in values)
    return light, a, b
