"""Trains the board finder's net on the small images in the chunks of `samples.py`."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from torch import Tensor
from torch.nn import functional as fn

from engine.arrays import Floats, Floats32, Image, Rng
from vision.board.clear_picture import brightened
from vision.board.heatmaps import STRIDE
from vision.board.keypoints import BAR_ENDS, CORNERS, INSIDE, NET_INPUT_SIZE
from vision.training.nets.mark_net import MarkNet, make_heatmaps, marks_loss
from vision.training.samples.samples import SceneSample, decode
from vision.training.train.figures import Figures, percent
from vision.training.train.marks import Samples, heatmaps, mark_task

FILLED_SHARE: Final = 0.2
"""Fraction of images that the field fills from edge to edge."""
CUT_OUT_SHARE: Final = 0.08
"""Fraction of images in which everything but the board is white, as on a shop's page."""
NO_BOARD_SHARE: Final = 0.06
"""Fraction of images in which the board is painted over."""
DARK_SHARE: Final = 0.12
"""Fraction of images taken in near darkness, and brightened as they are before a search."""
DARKEST, BRIGHTEST_DARK = 0.04, 0.4
"""The least and most of the light that these receive."""


def make_example(sample: SceneSample, rng: Rng | None) -> tuple[Image, Floats32]:
    """(192, 320, 3) image and (4, 48, 80) targets; moved and recolored if a generator is given."""
    picture = decode(sample.small)
    move = _placement(picture.shape[1], picture.shape[0], rng)
    if rng is not None and rng.random() < FILLED_SHARE:
        move = _filled(move, sample.corners, rng)
    edge = cv2.BORDER_REFLECT if rng is not None and rng.random() < 0.5 else cv2.BORDER_CONSTANT
    colour = (0, 0, 0) if rng is None else tuple(float(c) for c in rng.integers(0, 255, 3))
    moved = cv2.warpAffine(picture, move, NET_INPUT_SIZE, flags=cv2.INTER_AREA, borderMode=edge,
                            borderValue=colour)  # fmt: skip
    canvas = np.asarray(moved, np.uint8)
    marks = [_moved(places, move) for places in (sample.corners, sample.bar_ends, sample.tips)]
    target = _targets(marks)
    if rng is None:
        return canvas, target
    if rng.random() < CUT_OUT_SHARE:
        canvas = _cut_out(canvas, marks[0], rng)
    if rng.random() < NO_BOARD_SHARE:
        return _painted_over(canvas, marks[0], rng), np.zeros_like(target)
    return _recoloured(canvas, rng), target


def _placement(width: int, height: int, rng: Rng | None) -> Floats:
    """(2, 3) affine map from an image to the canvas: fitted, or rotated, scaled and mirrored."""
    middle = np.array([(width - 1) / 2, (height - 1) / 2])
    scale = min(NET_INPUT_SIZE[0] / width, NET_INPUT_SIZE[1] / height)
    turn = np.eye(2)
    aim = (np.array(NET_INPUT_SIZE) - 1) / 2
    if rng is not None:
        angle = rng.normal(0, 0.15) + rng.integers(4) * np.pi / 2 * (rng.random() < 0.5)
        turn = np.array([(np.cos(angle), -np.sin(angle)), (np.sin(angle), np.cos(angle))])
        if rng.random() < 0.5:
            turn = turn @ np.diag([-1.0, 1.0])
        scale *= np.exp(rng.normal(-0.05, 0.2))
        aim = aim + rng.normal(0, 12, 2)
    matrix = turn * scale
    return np.column_stack([matrix, aim - matrix @ middle])


def _filled(move: Floats, corners: Floats, rng: Rng) -> Floats:
    """The map enlarged until the field reaches the canvas's edges, with its frame cut off."""
    at = _moved(corners, move)
    low, high = at.min(axis=0), at.max(axis=0)
    scale = float((np.array(NET_INPUT_SIZE) / (high - low)).min()) * rng.uniform(0.9, 1.03)
    shift = np.array(NET_INPUT_SIZE) / 2 - scale * (low + high) / 2 + rng.normal(0, 3, 2)
    return np.column_stack([move[:, :2] * scale, move[:, 2] * scale + shift])


def _moved(places: Floats, move: Floats) -> Floats:
    return np.asarray(places @ move[:, :2].T + move[:, 2])


def _targets(marks: list[Floats]) -> Floats32:
    target = make_heatmaps(marks, NET_INPUT_SIZE, 4)
    outline = np.rint((marks[0] - (STRIDE - 1) / 2) / STRIDE * 16).astype(np.int32)
    mask = np.zeros(target.shape[1:], np.uint8)
    cv2.fillPoly(mask, [outline], 1, cv2.LINE_8, 4)
    target[INSIDE] = mask
    return target


def _cut_out(canvas: Image, corners: Floats, rng: Rng) -> Image:
    mask = np.zeros(canvas.shape[:2], np.uint8)
    grown = corners.mean(axis=0) + (corners - corners.mean(axis=0)) * rng.uniform(1.05, 1.25)
    cv2.fillPoly(mask, [np.rint(grown).astype(np.int32)], 1)
    pale = np.full_like(canvas, rng.integers(225, 256, 3).tolist())
    return np.where(mask[..., None] > 0, canvas, pale)


def _painted_over(canvas: Image, corners: Floats, rng: Rng) -> Image:
    out = canvas.copy()
    grown = corners.mean(axis=0) + (corners - corners.mean(axis=0)) * 1.5
    cv2.fillPoly(out, [np.rint(grown).astype(np.int32)], rng.integers(0, 255, 3).tolist())
    return _recoloured(out, rng)


def _recoloured(canvas: Image, rng: Rng) -> Image:
    picture = np.ascontiguousarray(canvas[..., rng.permutation(3)], np.float32)
    if rng.random() < 0.1:
        picture[:] = picture.mean(axis=2, keepdims=True)
    for _ in range(rng.choice([0, 0, 0, 1, 2])):  # occlusions
        at, size = rng.uniform((0, 0), NET_INPUT_SIZE), rng.uniform(8, 50, 2)
        box = cv2.boxPoints((at.tolist(), size.tolist(), float(rng.uniform(0, 180))))
        cv2.fillPoly(picture, [np.rint(box).astype(np.int32)], rng.uniform(0, 255, 3).tolist())
    gain = rng.uniform(0.6, 1.3) * rng.uniform(0.85, 1.15, 3)
    bright = picture * gain.astype(np.float32) + rng.uniform(-20, 20)
    if rng.random() < 0.3:
        bright = np.asarray(cv2.GaussianBlur(bright, (0, 0), rng.uniform(0.4, 1.2)), np.float32)
    noise = rng.uniform(0, 6) * rng.standard_normal(bright.shape, np.float32)
    if rng.random() < DARK_SHARE:
        light = np.exp(rng.uniform(np.log(DARKEST), np.log(BRIGHTEST_DARK)))
        return brightened(_as_bytes(bright * np.float32(light) + noise / 2))
    return _as_bytes(bright + noise)


def _as_bytes(picture: Floats | Floats32) -> Image:
    return np.asarray(np.clip(picture, 0, 255), np.uint8)


def loss_of(logits: Tensor, target: Tensor) -> Tensor:
    """The loss of the keypoints, and the cross-entropy of the inside."""
    inside = fn.binary_cross_entropy_with_logits(logits[:, INSIDE], target[:, INSIDE])
    return marks_loss(logits[:, :INSIDE], target[:, :INSIDE]) + inside


def figures(net: MarkNet, samples: Samples) -> Figures:
    """The recall of keypoints and the error of the inside."""
    is_found, is_wrong = [], []
    for sample in samples:
        image, target = make_example(sample, None)
        heat = heatmaps(net, image)
        for channel in (CORNERS, BAR_ENDS):
            for y, x in np.argwhere(target[channel] > 0.8):
                around = heat[channel, max(0, y - 2) : y + 3, max(0, x - 2) : x + 3]
                is_found.append(around.max() > 0.3)
        is_wrong.append(((heat[INSIDE] > 0.5) != (target[INSIDE] > 0.5)).mean())
    return {"marks found %": percent(is_found), "inside wrong %": percent(is_wrong)}


TASK: Final = mark_task(
    "finder", 4, make_example, loss_of, figures, wide=True, size=NET_INPUT_SIZE,
    has_any_size=False, batch=16,
)  # fmt: skip
