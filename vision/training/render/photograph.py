"""A scene's light after a lens, a sensor, a phone's processing and a codec."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from engine.arrays import Floats, Floats32, Image, Rng


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
    sharpen: float
    quality: int

    def taken(self, light: Floats32, rng: Rng, scale: float = 1.0) -> Image:
        """(h, w, 3) uint8 BGR of linear light; `scale`: this part's, relative to the picture's."""
        bright = np.clip(light * self.exposure * self.balance, 0, 4)
        rolled = np.where(bright > 0.8, 0.8 + 0.2 * np.tanh((bright - 0.8) / 0.4), bright)
        picture = np.power(rolled, 1 / 2.2).astype(np.float32)
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
        picture = (picture - 0.5) * self.contrast + 0.5 + self.lift
        if self.sharpen > 0:
            soft = cv2.GaussianBlur(picture, (0, 0), 1.2)
            picture = picture + self.sharpen * (picture - soft)
        noise = rng.normal(0, self.grain, (*picture.shape[:2], 1))
        noise = noise + rng.normal(0, self.grain * 0.5, picture.shape)
        byte = np.clip((picture + noise) * 255 + 0.5, 0, 255).astype(np.uint8)
        if self.quality < 97:
            setting = [cv2.IMWRITE_JPEG_QUALITY, self.quality]
            decoded = cv2.imdecode(cv2.imencode(".jpg", byte, setting)[1], cv2.IMREAD_COLOR)
            byte = np.asarray(decoded, np.uint8)
        return byte


def random_camera(rng: Rng, light: Floats32) -> CameraSettings:
    """A camera that has metered `light`, part of the picture, more or less well."""
    bright = float(np.percentile(light, rng.uniform(85, 98))) + 1e-6
    mean = light.reshape(-1, 3).mean(axis=0) + 1e-6
    grey = (mean.mean() / mean) ** rng.uniform(0, 0.8)
    return CameraSettings(
        exposure=rng.choice([1.0, 1.0, 0.55, 0.25]) * rng.uniform(0.6, 1.3) / bright,
        balance=grey * rng.uniform(0.93, 1.07, 3),
        contrast=rng.uniform(0.75, 1.2),
        lift=rng.uniform(-0.03, 0.06),
        blur=rng.choice([0.0, 0.5, 0.9]) * rng.uniform(0.5, 1.4),
        motion=(int(rng.integers(2, 6)) if rng.random() < 0.08 else 0, rng.uniform(0, np.pi)),
        grain=rng.choice([0.0, 0.008, 0.02]) * rng.uniform(0.5, 1.5),
        sharpen=rng.choice([0.0, 0.0, 0.6]) * rng.random(),
        quality=int(rng.integers(45, 100)),
    )
