"""A scene's light after a lens, a sensor, a phone's processing and a codec."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from engine.arrays import Floats, Floats32, Image, Rng
from vision.training.render.uneven_light import UnevenLight, random_uneven_light, under

USUAL_QUALITY: Final = 45
"""Of most JPEG files at least."""


@dataclass(frozen=True, slots=True, eq=False)
class CameraSettings:
    """Random settings of a camera, the same for every part of one picture."""

    exposure: float
    balance: Floats
    contrast: float
    lift: float
    blur: float
    motion: tuple[int, float]
    grain: float
    coarseness: float
    """Pixels of one grain, as the noise reduction of phones leaves it."""
    sharpen: float
    quality: int
    uneven: UnevenLight | None
    flicker: tuple[float, float, float]
    """Amount, bands per height and phase of the mains' light bands."""
    is_grey: bool

    def taken(self, light: Floats32, rng: Rng, scale: float = 1.0) -> Image:
        """(h, w, 3) uint8 BGR of linear light; `scale`: this part's, relative to the picture's."""
        bright = np.clip(self._exposed(light, rng), 0, 4)
        rolled = np.where(bright > 0.8, 0.8 + 0.2 * np.tanh((bright - 0.8) / 0.4), bright)
        picture: Floats32 = np.power(rolled, np.float32(1 / 2.2))
        sigma = self.blur * scale
        if sigma > 0.15:
            picture = np.asarray(cv2.GaussianBlur(picture, (0, 0), sigma), np.float32)
        length = round(self.motion[0] * scale)
        if length > 1:
            kernel = np.zeros((length, length), np.float32)
            middle = (length - 1) / 2
            way = np.array([np.cos(self.motion[1]), np.sin(self.motion[1])]) * middle
            one, two = middle - way, middle + way
            cv2.line(
                kernel, np.rint(one).astype(int).tolist(), np.rint(two).astype(int).tolist(), 1
            )
            picture = np.asarray(cv2.filter2D(picture, -1, kernel / kernel.sum()), np.float32)
        picture = (picture - 0.5) * self.contrast + (0.5 + self.lift)
        if self.sharpen > 0:
            soft = cv2.GaussianBlur(picture, (0, 0), 1.2)
            picture = picture + self.sharpen * (picture - soft)
        if self.grain:
            picture = picture + self._noise(picture.shape, rng)
        byte = np.clip(picture * 255 + 0.5, 0, 255)
        return self._encoded(byte.astype(np.uint8), scale)

    def _exposed(self, light: Floats32, rng: Rng) -> Floats32:
        exposed: Floats32 = light * (self.exposure * self.balance).astype(np.float32)
        if self.uneven:
            exposed = under(self.uneven, exposed, rng)
        if self.flicker[0]:
            amount, bands, phase = self.flicker
            turns = bands * np.arange(len(light)) / len(light) + phase
            gain = 1 + amount * np.sin(2 * np.pi * turns)
            exposed = exposed * gain.astype(np.float32)[:, None, None]
        return exposed

    def _encoded(self, picture: Image, scale: float) -> Image:
        if self.is_grey:
            grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
            picture = np.asarray(cv2.cvtColor(grey, cv2.COLOR_GRAY2BGR), np.uint8)
        if self.quality >= 97:
            return picture
        quality = self.quality
        if quality < USUAL_QUALITY:  # a picture that is made smaller shows less of it
            quality = round(USUAL_QUALITY - (USUAL_QUALITY - quality) * min(scale, 1.0))
        packed = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
        return np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), np.uint8)

    def _noise(self, shape: tuple[int, ...], rng: Rng) -> Floats32:
        """(h, w, 3) noise, mostly the same in all channels."""
        height, width = (max(1, round(side / self.coarseness)) for side in shape[:2])
        every = rng.standard_normal((height, width, 4), np.float32)
        noise: Floats32 = (every[..., 3:] + 0.5 * every[..., :3]) * np.float32(self.grain)
        if (height, width) != shape[:2]:
            noise = np.asarray(cv2.resize(noise, (shape[1], shape[0])), np.float32)
        return noise


def random_camera(rng: Rng, light: Floats32) -> CameraSettings:
    """A camera that has metered `light`, part of the picture, more or less well."""
    bright = float(np.percentile(light[:, ::5], rng.uniform(85, 98))) + 1e-6
    mean = light.reshape(-1, 3).mean(axis=0) + 1e-6
    grey = (mean.mean() / mean) ** rng.uniform(0, 0.8)
    return CameraSettings(
        exposure=rng.choice([1.0, 0.55, 0.25, 1.7], p=[0.47, 0.25, 0.23, 0.05])
        * rng.uniform(0.6, 1.3)
        / bright,
        balance=grey * rng.uniform(0.93, 1.07, 3),
        contrast=rng.uniform(0.75, 1.2),
        lift=rng.uniform(-0.03, 0.06),
        blur=rng.choice([0.0, 0.5, 0.9, 1.7], p=[0.32, 0.32, 0.32, 0.04]) * rng.uniform(0.5, 1.4),
        motion=(_random_motion(rng), rng.uniform(0, np.pi)),
        grain=rng.choice([0.0, 0.008, 0.02, 0.045], p=[0.31, 0.32, 0.31, 0.06])
        * rng.uniform(0.5, 1.5),
        coarseness=rng.uniform(1.3, 3.0) if rng.random() < 0.15 else 1.0,
        sharpen=rng.choice([0.0, 0.6, 2.0], p=[0.62, 0.31, 0.07]) * rng.random(),
        quality=int(
            rng.integers(20, USUAL_QUALITY)
            if rng.random() < 0.12
            else rng.integers(USUAL_QUALITY, 100)
        ),
        uneven=random_uneven_light(rng),
        flicker=(
            rng.uniform(0.02, 0.2) if rng.random() < 0.06 else 0.0,
            rng.uniform(0.5, 5),
            rng.random(),
        ),
        is_grey=rng.random() < 0.015,
    )


def _random_motion(rng: Rng) -> int:
    """Pixels by which the camera moved."""
    kind = rng.random()
    if kind < 0.02:
        return int(rng.integers(6, 11))
    return int(rng.integers(2, 6)) if kind < 0.1 else 0
