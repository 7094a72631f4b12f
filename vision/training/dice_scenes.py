"""Endless scenes of dice with exact truth, in the scale that the dice net sees.

A scene is 96 x 96 pixels at about 14 pixels a die side. What lies under and beside the dice is
drawn to be mistaken for dice: checkers with rings and glare, points, rails, hinges, doubling
cubes, print, dots. Everything is randomised hard; no real or rendered picture is used.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.training.die_body import View, bgr_of, draw_die, lying, random_look

Floats = NDArray[np.float64]
Image = NDArray[np.uint8]

SIZE: Final = 96
FINER: Final = 4  # drawn this much larger, then averaged down
SIDE: Final = 14.0  # pixels of a usual die


@dataclass(frozen=True, slots=True)
class DieTruth:
    """One die of a scene."""

    center: tuple[float, float]
    """Scene pixels of the middle of its top face."""
    value: int
    tilt_deg: float


def make_scene(rng: np.random.Generator) -> tuple[Image, list[DieTruth]]:
    """A (96, 96, 3) BGR scene and its dice."""
    canvas = _ground(rng)
    camera = _camera(rng)
    light = rng.normal(size=3) * (1, 1, 0.4) + (0, 0, 1.2)
    light /= np.linalg.norm(light)
    for _ in range(rng.integers(0, 4)):
        _DISTRACTORS[rng.integers(len(_DISTRACTORS))](rng, canvas)
    dice = _dice(rng, canvas, View(camera, light, rng.uniform(0.65, 1.1)))
    return _photographed(rng, canvas), dice


def _camera(rng: np.random.Generator) -> Floats:
    tilt = np.radians(rng.uniform(0, 48) if rng.random() < 0.75 else rng.uniform(0, 10))
    way = rng.uniform(0, 2 * np.pi)
    return np.asarray(np.tan(tilt) * np.array([np.cos(way), np.sin(way)]))


def _dice(rng: np.random.Generator, canvas: Image, view: View) -> list[DieTruth]:
    look, side = random_look(rng), SIDE * rng.uniform(0.8, 1.22)
    truths: list[DieTruth] = []
    for _ in range(rng.choice([0, 1, 2, 3], p=[0.2, 0.35, 0.35, 0.1])):
        center = rng.uniform(4, SIZE - 4, 2)
        if any(np.hypot(*(center - t.center)) < 1.15 * side for t in truths):
            continue
        tilt = 0.0 if rng.random() < 0.7 else rng.uniform(6, 54)
        pose = lying(rng, tilt)
        fine = (center + 0.5) * FINER
        _shadow(rng, canvas, fine, side * FINER, view)
        own = look if rng.random() < 0.85 else random_look(rng)
        draw_die(canvas, fine, side * FINER, pose, own, view)
        truths.append(DieTruth((float(center[0]), float(center[1])), pose.value, pose.tilt_deg))
    return truths


def _shadow(
    rng: np.random.Generator, canvas: Image, center: Floats, side: float, view: View
) -> None:
    """Darken where the die keeps the lamp off, with a soft rim."""
    depth = rng.uniform(0.2, 0.75)
    throw = -view.light[:2] / max(float(view.light[2]), 0.35) * 0.5
    middle = center + side * (view.camera + throw * 0.8)
    mask = np.zeros(canvas.shape[:2], np.float32)
    box = cv2.boxPoints((middle.tolist(), (side * 1.1, side * 1.1), float(rng.uniform(0, 90))))
    cv2.fillPoly(mask, [np.rint(box).astype(np.int32)], 1.0)
    width = int(side * 0.4) | 1
    soft = cv2.blur(mask, (width, width))
    canvas[:] = (canvas * (1 - depth * soft[..., None])).astype(np.uint8)


def _ground(rng: np.random.Generator) -> Image:
    """Felt, wood or cloth with the points, rails and checkers of some board on it."""
    size = SIZE * FINER
    canvas = np.full((size, size, 3), _colour(rng), np.uint8)
    if rng.random() < 0.75:
        _points(rng, canvas)
    if rng.random() < 0.35:
        _rail(rng, canvas)
    if rng.random() < 0.6:
        _grain(rng, canvas)
    colours = [_colour(rng), _colour(rng)]
    for _ in range(rng.choice([0, 0, 1, 2, 4, 6])):
        _checker(rng, canvas, colours[rng.integers(2)])
    return canvas


def _colour(rng: np.random.Generator) -> Floats:
    return bgr_of(rng.uniform(0, 180), rng.uniform(0, 230), rng.uniform(12, 250))


def _points(rng: np.random.Generator, canvas: Image) -> None:
    size = canvas.shape[0]
    pitch, length = size * rng.uniform(0.28, 0.5), size * rng.uniform(0.6, 2.4)
    angle, shift = rng.uniform(0, 2 * np.pi), rng.uniform(0, pitch)
    base = rng.uniform(-1.2, 0.2) * size
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    colours = [_colour(rng), _colour(rng)]
    for k in range(-6, 7):
        x = k * pitch + shift
        corners = np.array([(x - pitch / 2, base), (x + pitch / 2, base), (x, base + length)])
        placed = corners @ turn.T + size / 2
        cv2.fillPoly(canvas, [np.rint(placed).astype(np.int32)], colours[k % 2].tolist())


def _rail(rng: np.random.Generator, canvas: Image) -> None:
    size = canvas.shape[0]
    angle, width = rng.uniform(0, np.pi), size * rng.uniform(0.15, 0.6)
    middle = rng.uniform(0, size, 2)
    box = cv2.boxPoints((middle.tolist(), (3.0 * size, width), float(np.degrees(angle))))
    cv2.fillPoly(canvas, [np.rint(box).astype(np.int32)], _colour(rng).tolist())


def _grain(rng: np.random.Generator, canvas: Image) -> None:
    size = canvas.shape[0]
    coarse = rng.normal(size=(int(rng.integers(4, 90)), int(rng.integers(4, 90)))).astype(
        np.float32
    )
    texture = cv2.resize(coarse, (size, size), interpolation=cv2.INTER_CUBIC)
    canvas[:] = np.clip(canvas + rng.uniform(3, 22) * texture[..., None], 0, 255).astype(np.uint8)


def _checker(rng: np.random.Generator, canvas: Image, colour: Floats) -> None:
    radius = SIDE * FINER * rng.uniform(1.25, 1.75)
    center = rng.uniform(-0.2, 1.2, 2) * canvas.shape[0]
    at = (int(center[0]), int(center[1]))
    cv2.circle(canvas, (at[0] + int(radius * 0.12), at[1] + int(radius * 0.12)), int(radius * 1.06),
               (colour * rng.uniform(0.1, 0.5)).tolist(), -1, cv2.LINE_AA)  # fmt: skip
    cv2.circle(canvas, at, int(radius), (colour * rng.uniform(0.6, 0.95)).tolist(), -1, cv2.LINE_AA)
    cv2.circle(canvas, at, int(radius * 0.93), colour.tolist(), -1, cv2.LINE_AA)
    for share in rng.uniform(0.25, 0.85, rng.integers(0, 3)):
        ring = np.clip(colour * rng.uniform(0.6, 1.4), 0, 255).tolist()
        cv2.circle(canvas, at, int(radius * share), ring, int(rng.integers(2, 10)), cv2.LINE_AA)
    if rng.random() < 0.4:
        spot = (center + rng.uniform(-0.5, 0.5, 2) * radius).astype(int)
        axes = (int(radius * rng.uniform(0.05, 0.3)), int(radius * rng.uniform(0.05, 0.3)))
        glow = np.clip(colour + rng.uniform(40, 160), 0, 255).tolist()
        cv2.ellipse(canvas, (int(spot[0]), int(spot[1])), axes, float(rng.uniform(0, 180)), 0, 360,
                    glow, -1, cv2.LINE_AA)  # fmt: skip


def _cube(rng: np.random.Generator, canvas: Image) -> None:
    """A doubling cube: larger than a die, with a number on it."""
    side = SIDE * FINER * rng.uniform(1.35, 2.4)
    center = rng.uniform(0, canvas.shape[0], 2)
    angle = float(rng.uniform(0, 90))
    body = np.full(3, rng.uniform(150, 250)) if rng.random() < 0.7 else _colour(rng)
    for grow, shade in ((1.15, 0.5), (1.0, 1.0)):
        box = cv2.boxPoints((center.tolist(), (side * grow, side * grow), angle))
        cv2.fillPoly(canvas, [np.rint(box).astype(np.int32)], (body * shade).tolist(), cv2.LINE_AA)
    text = str(rng.choice([2, 4, 8, 16, 32, 64]))
    ink = (20, 20, 20) if body.mean() > 110 else (235, 235, 235)
    patch = np.full((int(side), int(side), 3), body, np.uint8)
    scale = side / 34 / (1.0 if len(text) == 1 else 1.5)
    thick = max(1, int(side / 12))
    (w, h), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, scale, thick)
    corner = (int(side / 2 - w / 2), int(side / 2 + h / 2))
    cv2.putText(patch, text, corner, cv2.FONT_HERSHEY_SIMPLEX, scale, ink, thick, cv2.LINE_AA)
    matrix = np.asarray(cv2.getRotationMatrix2D((side / 2, side / 2), -angle, 0.92), float)
    matrix[:, 2] += center - side / 2
    size = canvas.shape[1::-1]
    mask = cv2.warpAffine(np.full(patch.shape[:2], 255, np.uint8), matrix, size)
    drawn = cv2.warpAffine(patch, matrix, size)
    canvas[mask > 128] = drawn[mask > 128]


def _hinge(rng: np.random.Generator, canvas: Image) -> None:
    side = SIDE * FINER
    size = (side * rng.uniform(0.4, 1.3), side * rng.uniform(0.4, 2.5))
    center = rng.uniform(0, canvas.shape[0], 2)
    box = cv2.boxPoints((center.tolist(), size, float(rng.uniform(0, 180))))
    metal = rng.uniform(90, 250) * rng.uniform(0.7, 1.0, 3)
    cv2.fillPoly(canvas, [np.rint(box).astype(np.int32)], metal.tolist(), cv2.LINE_AA)
    for _ in range(rng.integers(0, 5)):
        at = (center + rng.uniform(-0.4, 0.4, 2) * np.array(size)).astype(int)
        cv2.circle(canvas, (int(at[0]), int(at[1])), int(side * rng.uniform(0.05, 0.15)),
                   (metal * rng.uniform(0.2, 0.8)).tolist(), -1, cv2.LINE_AA)  # fmt: skip


def _dots(rng: np.random.Generator, canvas: Image) -> None:
    """Dots without a die under them, or too many, or out of order."""
    center, colour = rng.uniform(0, canvas.shape[0], 2), _colour(rng).tolist()
    for _ in range(rng.integers(1, 9)):
        at = center + rng.normal(size=2) * SIDE * FINER * rng.uniform(0.2, 1.2)
        cv2.circle(canvas, (int(at[0]), int(at[1])), int(SIDE * FINER * rng.uniform(0.05, 0.2)),
                   colour, -1, cv2.LINE_AA)  # fmt: skip


def _print(rng: np.random.Generator, canvas: Image) -> None:
    text = "".join(rng.choice(list("ABCDEGHKMRSXZ0123456789:."), rng.integers(1, 6)))
    at = rng.uniform(-0.2, 0.9, 2) * canvas.shape[0]
    scale, thick = float(rng.uniform(0.6, 3)), int(rng.integers(2, 9))
    corner = (int(at[0]), int(at[1]))
    ink = _colour(rng).tolist()
    cv2.putText(canvas, text, corner, cv2.FONT_HERSHEY_SIMPLEX, scale, ink, thick, cv2.LINE_AA)


def _blob(rng: np.random.Generator, canvas: Image) -> None:
    """A plain square or round thing of a die's size: a blank cube, a stone, a light."""
    side = SIDE * FINER * rng.uniform(0.6, 1.4)
    center, colour = rng.uniform(0, canvas.shape[0], 2), _colour(rng)
    if rng.random() < 0.5:
        cv2.circle(
            canvas,
            (int(center[0]), int(center[1])),
            int(side / 2),
            colour.tolist(),
            -1,
            cv2.LINE_AA,
        )
        return
    box = cv2.boxPoints((center.tolist(), (side, side), float(rng.uniform(0, 90))))
    cv2.fillPoly(canvas, [np.rint(box).astype(np.int32)], colour.tolist(), cv2.LINE_AA)


_DISTRACTORS: Final = (_cube, _hinge, _dots, _print, _blob)


def _photographed(rng: np.random.Generator, canvas: Image) -> Image:
    """The scene as a lens, a sensor, a codec and the rectification leave it."""
    picture = cv2.resize(canvas, (SIZE, SIZE), interpolation=cv2.INTER_AREA)
    native = rng.uniform(0.6, 1.6)  # of the camera's scale against the rectified one
    squash = rng.uniform(0.72, 1.0)
    if native < 1:
        size = (max(8, int(SIZE * native)), max(8, int(SIZE * native * squash)))
        picture = cv2.resize(picture, size if rng.random() < 0.5 else size[::-1],
                             interpolation=cv2.INTER_AREA)  # fmt: skip
        picture = cv2.resize(picture, (SIZE, SIZE), interpolation=cv2.INTER_LINEAR)
    sigma = rng.uniform(0, 0.9)
    if sigma > 0.2:
        picture = cv2.GaussianBlur(picture, (0, 0), sigma, sigmaY=sigma * rng.uniform(0.6, 1.4))
    level = rng.uniform(0.55, 1.25)
    tint = rng.uniform(0.85, 1.15, 3)
    fall = 1 + rng.uniform(-0.25, 0.25) * np.linspace(-1, 1, SIZE)[:, None, None]
    bright = picture * level * tint * fall + rng.uniform(-12, 18)
    noisy = bright + rng.normal(size=picture.shape) * rng.uniform(0, 7)
    picture = np.clip(noisy, 0, 255).astype(np.uint8)
    if rng.random() < 0.7:
        quality = [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(45, 96))]
        decoded = cv2.imdecode(cv2.imencode(".jpg", picture, quality)[1], cv2.IMREAD_COLOR)
        picture = np.asarray(decoded, np.uint8)
    return np.asarray(picture, np.uint8)
