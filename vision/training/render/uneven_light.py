"""Uneven light on a picture: hard shadows, window light, glare, reflections in glass.

Drawn over the picture rather than traced: what matters is that a shade or a glint ends anywhere.
"""

from __future__ import annotations

from enum import Enum
from typing import Final

import cv2
import numpy as np

from engine.arrays import Floats32, Rng

_SIZE: Final = 512
"""Side of the square in which effects are drawn before they are scaled to the picture."""


class UnevenLight(Enum):
    """What falls on a part of the picture."""

    SHADOW = "shadow"
    GLARE = "glare"
    REFLECTION = "reflection"


SHARES: Final = {UnevenLight.SHADOW: 0.08, UnevenLight.GLARE: 0.05, UnevenLight.REFLECTION: 0.04}


def random_uneven_light(rng: Rng) -> UnevenLight | None:
    """An effect by `SHARES`, mostly none."""
    at = rng.random() - np.cumsum([*SHARES.values()])
    return next((kind for kind, left in zip(SHARES, at, strict=True) if left < 0), None)


def under(kind: UnevenLight, light: Floats32, rng: Rng) -> Floats32:
    """(h, w, 3) exposed linear `light` under an effect in a random place."""
    size = light.shape[1], light.shape[0]
    if kind is UnevenLight.SHADOW:
        depth = rng.uniform(0.25, 0.85) * rng.uniform(0.9, 1.1, 3)
        share = np.clip(depth, 0, 0.9).astype(np.float32)
        return light * (1 - share * _scaled(_shadow(rng), size)[..., None])
    strength = rng.uniform(0.3, 1.5) if kind is UnevenLight.GLARE else rng.uniform(0.03, 0.3)
    mask = _glare(rng) if kind is UnevenLight.GLARE else _reflection(rng)
    tint = (strength * rng.uniform(0.85, 1.0, 3)).astype(np.float32)
    return light + tint * _scaled(mask, size)[..., None]


def _scaled(mask: Floats32, size: tuple[int, int]) -> Floats32:
    return np.asarray(cv2.resize(mask, size, interpolation=cv2.INTER_LINEAR), np.float32)


def _shadow(rng: Rng) -> Floats32:
    """1 in the dark: beyond an edge, outside a window's panes, between slats, below a thing."""
    mask = np.zeros((_SIZE, _SIZE), np.float32)
    y, x = np.mgrid[:_SIZE, :_SIZE] / _SIZE - rng.uniform(0.2, 0.8, 2)[:, None, None]
    way = rng.uniform(0, 2 * np.pi)
    across, along = np.cos(way) * x + np.sin(way) * y, np.cos(way) * y - np.sin(way) * x
    kind = rng.random()
    if kind < 0.5:
        mask[across > 0] = 1
    elif kind < 0.7:
        wide, tall, bar = rng.uniform(0.15, 0.5), rng.uniform(0.15, 0.5), rng.uniform(0.005, 0.04)
        lit = (np.abs(across) < wide) & (np.abs(along) < tall)
        mask[~lit | (np.abs(across) < bar) | (np.abs(along) < bar)] = 1
    elif kind < 0.85:
        mask[np.sin(across * rng.uniform(10, 60)) > rng.uniform(-0.5, 0.8)] = 1
    else:
        mask[np.hypot(across * rng.uniform(0.6, 1.5), along) < rng.uniform(0.1, 0.4)] = 1
    return np.asarray(_blurred(mask, rng.choice([0.5, 1.0, 4.0]) * rng.uniform(0.5, 2)))


def _glare(rng: Rng) -> Floats32:
    """One or two bright patches, of lamps or of a window, with sharp or soft edges."""
    mask = np.zeros((_SIZE, _SIZE), np.float32)
    for _ in range(int(rng.integers(1, 3))):
        _add_patch(rng, mask, rng.uniform(0.04, 0.25))
    return _blurred(mask, rng.choice([2.0, 15.0, 40.0]) * rng.uniform(0.5, 1.5))


def _reflection(rng: Rng) -> Floats32:
    """A room in a pane of glass: many dim patches over a pale haze."""
    mask = np.full((_SIZE, _SIZE), rng.uniform(0, 0.4), np.float32)
    for _ in range(int(rng.integers(2, 9))):
        _add_patch(rng, mask, rng.uniform(0.05, 0.4))
    return _blurred(mask, rng.uniform(1, 12))


def _add_patch(rng: Rng, mask: Floats32, reach: float) -> None:
    middle, half = rng.uniform(0, _SIZE, 2), _SIZE * reach * rng.uniform(0.3, 1.0, 2)
    box = (middle.tolist(), (2 * half).tolist(), float(rng.uniform(0, 180)))
    value = float(rng.uniform(0.3, 1.0))
    if rng.random() < 0.5:
        cv2.ellipse(mask, box, value, -1, cv2.LINE_AA)
    else:
        cv2.fillPoly(mask, [cv2.boxPoints(box).astype(np.int32)], value, cv2.LINE_AA)


def _blurred(mask: Floats32, sigma: float) -> Floats32:
    return np.asarray(cv2.GaussianBlur(mask, (0, 0), sigma), np.float32)
