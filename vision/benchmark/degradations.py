"""What real cameras, lamps and tables do to a picture, applied to a clean one.

A `Degradation` names the faults and their strength; a `Degrader` applies them to the frames of a
clip in the order in which light meets them: the table and the arm, the lamp, the lens, the sensor,
the encoder. The same seed gives the same frames.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

import cv2
import numpy as np
from scipy.special import expit

from engine.arrays import Floats, Floats32, Image, Rng
from vision.sources.files import VideoFile
from vision.sources.frame import Frame

BLOCK: Final = 16
"""Side in pixels of the blocks that a starved encoder leaves unchanged."""
LAMP_SECONDS: Final = 9.0
"""Seconds between two switches of the lamp."""
INTERRUPTED_EVERY: Final = 20.0
"""Seconds from the end of one interruption to the beginning of the next."""
CLIP_WIDTH: Final = 1280
"""Longer side in pixels of the clips for which blurs are given."""
EDGE_WIDTH: Final = 0.002
"""Width of the edge of a hard shadow, in widths of the picture."""
FARTHEST: Final = 90.0
"""Pixels that knocks may add up to before somebody puts the camera back."""


@dataclass(frozen=True, slots=True)
class Degradation:
    """The faults of one camera, lamp and table; by default there are none."""

    shake: float = 0.0
    """Pixels by which a table or an arm that is never still moves the picture."""
    knock: float = 0.0
    """Pixels by which the camera is knocked out of place, where it stays."""
    creep: float = 0.0
    """Pixels per minute by which an arm sags."""
    bend: float = 0.0
    """Radial distortion of a wide lens at half the picture's width."""
    shadow: float = 0.0
    """Fraction of the light that a passer-by takes from a soft-edged patch."""
    hard_shadow: float = 0.0
    """Fraction of the light that something near takes from all beyond a sharp edge on the board."""
    glare: float = 0.0
    """Light that a gloss reflects from a patch of the board, relative to white."""
    tint: float = 0.0
    """Relative excess of red, or of blue, over green in the light, and lack of the other."""
    lamp: float = 0.0
    """Fraction of the light that comes from a lamp beside the board that is switched off and on."""
    flicker: float = 0.0
    """Relative strength of bands of mains flicker that wander over the picture."""
    hunting: float = 0.0
    """Relative amplitude of the swings of exposure and white balance."""
    blur: float = 0.0
    """Standard deviation of the lens's blur, in pixels."""
    gain: float = 1.0
    """Brightness factor; below 1 it brings more noise."""
    noise: float = 0.0
    """Standard deviation of the sensor's noise, in gray levels, drawn anew for every frame."""
    is_grey: bool = False
    width: int | None = None
    """Width of the picture in pixels."""
    jpeg: int | None = None
    """JPEG quality of every frame."""
    starved: float = 0.0
    """Mean gray levels by which a block must change before the encoder sends it again."""
    fps: float | None = None
    capped: float = 0.0
    """Seconds for which something covers the lens, repeatedly."""
    carried: float = 0.0
    """Seconds for which somebody carries the camera around and puts it back almost in place."""
    is_mirrored: bool = False
    """Whether the picture is mirrored, as front cameras of phones show it."""
    turned_at: float | None = None
    """Seconds from which the picture is upside down."""
    has_second_board: bool = False
    """Whether a second, smaller board on which nobody plays lies beside the board."""
    late: float = 0.0
    """Fraction of the clip that is over before the camera is switched on."""


def _levels(field: str, *values: float) -> tuple[Degradation, ...]:
    settings: list[dict[str, Any]] = [{field: value} for value in values]
    return tuple(Degradation(**one) for one in settings)


KINDS: Final[dict[str, tuple[Degradation, ...]]] = {
    "noise": _levels("noise", 4, 8, 14),
    "flicker": _levels("flicker", 0.03, 0.06, 0.10),
    "hunting": _levels("hunting", 0.10, 0.20, 0.35),
    "jpeg": _levels("jpeg", 60, 40, 25),
    "soft": _levels("blur", 1.2, 2.2, 3.2),
    "dim": _levels("gain", 0.6, 0.4, 0.25),
    "bright": _levels("gain", 1.3, 1.6, 2.0),
    "shake": _levels("shake", 0.7, 1.5, 3.0),
    "knocks": _levels("knock", 5, 15, 40),
    "creep": _levels("creep", 2, 6, 15),
    "lens": _levels("bend", 0.08, 0.16, 0.25),
    "small": _levels("width", 854, 640, 480),
    "slow": _levels("fps", 6, 4, 2),
    "starved": _levels("starved", 2, 4, 7),
    "grey": (Degradation(is_grey=True),) * 3,
    "late": _levels("late", 0.15, 0.30, 0.60),
    "shadow": _levels("shadow", 0.15, 0.25, 0.45),
    "hard_shadow": _levels("hard_shadow", 0.25, 0.45, 0.65),
    "glare": _levels("glare", 0.2, 0.4, 0.7),
    "tint": _levels("tint", 0.12, 0.25, 0.4),
    "lamp": _levels("lamp", 0.05, 0.10, 0.20),
    "capped": _levels("capped", 1, 4, 10),
    "carried": _levels("carried", 2, 5, 10),
    "mirrored": (Degradation(is_mirrored=True),) * 3,
    "upside": _levels("turned_at", 0, 12, 25),
    "second": (Degradation(has_second_board=True),) * 3,
    "webcam": (
        Degradation(noise=3, flicker=0.02, hunting=0.05, jpeg=70, shake=0.3),
        Degradation(noise=6, flicker=0.05, hunting=0.12, jpeg=50, shake=0.7, blur=0.8),
        Degradation(noise=10, flicker=0.08, hunting=0.20, jpeg=35, shake=1.5, blur=1.4),
    ),
}
"""Every kind by name, at severities 1, 2 and 3; `webcam` combines several."""


STILL_KINDS: Final = ("noise", "soft", "jpeg", "dim", "glare", "hard_shadow", "tint")
"""The kinds that a single picture shows, each by itself."""


def degraded_still(image: Image, kind: str, severity: int, seed: str) -> Image:
    """The (H, W, 3) still with one of `KINDS`; blur is as wide as in a clip that is scaled to it.

    `severity`: 1, 2 or 3; 0 leaves it as it is.
    """
    if severity == 0:
        return image
    faults, (height, width) = KINDS[kind][severity - 1], image.shape[:2]
    faults = replace(faults, blur=faults.blur * max(height, width) / CLIP_WIDTH)
    return Degrader(faults, (width, height), seed).degraded(image, 0.0)


class Degrader:
    """Degrades the frames of one clip, in order."""

    def __init__(self, faults: Degradation, size: tuple[int, int], seed: str) -> None:
        """`size`: width and height of the frames, in pixels."""
        self.faults, self.size = faults, size
        self._rng: Rng = np.random.default_rng(zlib.crc32(seed.encode()))
        self._phases = self._rng.uniform(0, 2 * np.pi, 12)
        self._rates = self._rng.uniform(0.7, 1.4, 12)
        self._knocked = np.eye(3)
        self._next_knock = self._rng.uniform(4, 9)
        self._sent: Image | None = None
        self._second: Image | None = None
        width, height = size
        self._x, self._y = np.meshgrid(
            np.arange(width, dtype=np.float32), np.arange(height, dtype=np.float32)
        )

    def degraded(self, image: Image, seconds: float) -> Image:
        """The (H, W, 3) frame as the bad camera shows it, `seconds` into the clip."""
        faults = self.faults
        picture: Any = self._moved(
            self._interrupted(self._framed(image, seconds), seconds), seconds
        )
        light = self._light(seconds)
        if light is not None or faults.glare or faults.gain != 1:
            picture = np.asarray(picture, np.float32) * (1.0 if light is None else light)
            if faults.glare:
                picture = picture + 255 * faults.glare * self._patch()
            picture = self._exposed(picture)
        if faults.blur:
            picture = cv2.GaussianBlur(picture, (0, 0), faults.blur)
        noise = np.hypot(faults.noise, 3.5 / faults.gain if faults.gain < 1 else 0.0)
        if noise:
            picture = picture + self._rng.normal(0, noise, image.shape).astype(np.float32)
        return self._encoded(np.clip(picture, 0, 255).astype(np.uint8))

    def _framed(self, image: Image, seconds: float) -> Image:
        """The picture as the camera is held, with everything in its view."""
        faults = self.faults
        if faults.has_second_board:
            self._second = image if self._second is None else self._second
            image = self._beside(image, self._second)
        if faults.is_mirrored:
            image = image[:, ::-1]
        if faults.turned_at is not None and seconds >= faults.turned_at:
            image = image[::-1, ::-1]
        return np.ascontiguousarray(image)

    def _beside(self, image: Image, other: Image) -> Image:
        """Two pictures side by side in one of the same size; the first is larger."""
        width, height = self.size
        both = np.empty_like(image)
        left = round(0.6 * width)
        for part, columns in ((image, slice(0, left)), (other, slice(left, width))):
            wide = columns.stop - columns.start
            size = wide, round(wide / width * height)
            small = cv2.resize(part, size, interpolation=cv2.INTER_AREA)
            above = (height - small.shape[0]) // 2
            below = height - small.shape[0] - above
            both[:, columns] = cv2.copyMakeBorder(small, above, below, 0, 0, cv2.BORDER_REPLICATE)
        return both

    def _interrupted(self, image: Image, seconds: float) -> Image:
        """The picture while something covers the lens or somebody carries the camera."""
        faults = self.faults
        lasts = max(faults.capped, faults.carried)
        if not lasts:
            return image
        turn, into = divmod(seconds, INTERRUPTED_EVERY + lasts)
        since = into - INTERRUPTED_EVERY
        if since >= 0 and faults.capped:
            return np.full_like(image, 3)
        if not faults.carried:
            return image
        away = math.sin(math.pi * max(since, 0.0) / lasts)
        count = turn + (since > lasts / 2)
        dx, dy = 0.7 * away * self.size[0] + 6 * count, 0.5 * away * self.size[1] - 4 * count
        move = self._shifted(dx, dy, 40 * away + 0.3 * count)
        return np.asarray(
            cv2.warpPerspective(image, move, self.size, borderMode=cv2.BORDER_REPLICATE), np.uint8
        )

    def _swing(self, number: int, seconds: float, rate: float) -> float:
        """A value from -1 to 1; each `number` gives a different motion."""
        return float(np.sin(rate * self._rates[number] * seconds + self._phases[number]))

    def _moved(self, image: Image, seconds: float) -> Image | Floats32:
        faults = self.faults
        if faults.bend:
            return self._bent(image)
        if not (faults.shake or faults.knock or faults.creep):
            return image
        self._knock(seconds)
        dx, dy = (faults.shake * self._swing(n, seconds, rate) for n, rate in ((0, 7.3), (1, 5.1)))
        along = faults.creep * seconds / 60
        turn = 0.08 * faults.shake * self._swing(2, seconds, 9.0)
        move = self._shifted(dx + along, 0.75 * dy + 0.5 * along, turn) @ self._knocked
        return np.asarray(
            cv2.warpPerspective(image, move, self.size, borderMode=cv2.BORDER_REPLICATE), np.uint8
        )

    def _knock(self, seconds: float) -> None:
        if not self.faults.knock or seconds < self._next_knock:
            return
        self._next_knock = seconds + self._rng.uniform(4, 12)
        dx, dy = self._rng.normal(0, self.faults.knock / 2, 2)
        turn = self._rng.normal(0, self.faults.knock / 15)
        knocked = self._shifted(dx, dy, turn) @ self._knocked
        is_far = np.abs(knocked[:2, 2]).max() > FARTHEST
        self._knocked = np.eye(3) if is_far else knocked

    def _shifted(self, dx: float, dy: float, degrees: float) -> Floats:
        width, height = self.size
        turn = cv2.getRotationMatrix2D((width / 2, height / 2), degrees, 1.0)
        turn[:, 2] += np.array([dx, dy])
        return np.vstack([turn, [0, 0, 1]])

    def _bent(self, image: Image) -> Image:
        half = self.size[0] / 2
        x, y = (self._x - half) / half, (self._y - self.size[1] / 2) / half
        factor = (1 + self.faults.bend * (x * x + y * y)) / (1 + 0.3 * self.faults.bend)
        there = x * factor * half + half, y * factor * half + self.size[1] / 2
        bent = cv2.remap(image, *there, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(bent, np.uint8)

    def _light(self, seconds: float) -> Floats32 | None:
        """(H, W, 1 or 3) factor of the light on every pixel; None if it never changes."""
        faults = self.faults
        light: Any = np.ones((1, 1, 1), np.float32)
        if faults.flicker:
            wave = 2 * np.pi * (1.7 * self._y / self.size[1] + 3.3 * seconds)
            light = light * (1 + faults.flicker * np.sin(wave))[..., None]
        if faults.hunting:
            swing = 0.75 * self._swing(3, seconds, 0.32) + 0.25 * self._swing(4, seconds, 1.7)
            tint = 0.4 * np.array([self._swing(5, seconds, 0.09), 0, self._swing(6, seconds, 0.08)])
            light = light * ((1 + faults.hunting * swing) * (1 + faults.hunting * tint))
        if faults.lamp:
            is_off = int(seconds / LAMP_SECONDS) % 2 == 1
            near = np.exp(-self._x / (0.6 * self.size[0]))[..., None]
            light = light * (1 - is_off * faults.lamp * near)
        if faults.shadow:
            light = light * (1 - faults.shadow * self._shadow(seconds))
        if faults.hard_shadow:
            light = light * (1 - faults.hard_shadow * self._beyond_edge())
        if faults.tint:
            excess = math.copysign(faults.tint, self._phases[8] - np.pi)
            light = light * (1 + np.array([excess, 0, -excess]))
        return None if light.shape == (1, 1, 1) else np.asarray(light, np.float32)

    def _shadow(self, seconds: float) -> Floats32:
        """(H, W, 1) 0..1, the depth of the shadow of somebody who walks back and forth."""
        width, height = self.size
        middle = width * (0.5 + 0.7 * self._swing(7, seconds, 0.5))
        edge = self._x + 0.3 * (self._y - height / 2) - middle
        return np.asarray(np.exp(-((edge / (0.22 * width)) ** 2))[..., None], np.float32)

    def _beyond_edge(self) -> Floats32:
        """(H, W, 1) 0..1, beyond a line through the middle third of the picture."""
        width, height = self.size
        x, y = width * (0.5 + self._about(9) / 6), height * (0.5 + self._about(10) / 6)
        way = self._phases[11]
        across = np.cos(way) * (self._x - x) + np.sin(way) * (self._y - y)
        return np.asarray(expit(across / (EDGE_WIDTH * width))[..., None], np.float32)

    def _patch(self) -> Floats32:
        """(H, W, 1) 0..1, the reflection of a lamp in the middle third of the picture."""
        width, height = self.size
        x, y = width * (0.5 + self._about(9) / 6), height * (0.5 + self._about(10) / 6)
        far = np.square((self._x - x) / (0.15 * width)) + np.square((self._y - y) / (0.1 * width))
        return np.asarray(np.exp(-far)[..., None], np.float32)

    def _about(self, number: int) -> float:
        """A value from -1 to 1, the same for the whole clip."""
        return float(self._phases[number] / np.pi - 1)

    def _exposed(self, picture: Floats32) -> Floats32:
        gain = self.faults.gain
        if gain < 1:  # a dark scene is darkest in its shadows
            return np.asarray(255 * gain * (np.clip(picture, 0, 255) / 255) ** 1.2, np.float32)
        return picture * np.float32(gain)

    def _encoded(self, picture: Image) -> Image:
        faults = self.faults
        if faults.is_grey:
            picture = np.repeat(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)[..., None], 3, axis=2)
        if faults.width is not None:
            height = round(faults.width * self.size[1] / self.size[0] / 2) * 2
            small = cv2.resize(picture, (faults.width, height), interpolation=cv2.INTER_AREA)
            picture = np.asarray(small, np.uint8)
        if faults.starved:
            picture = self._starved(picture)
        if faults.jpeg is not None:
            coded = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, int(faults.jpeg)])[1]
            picture = np.asarray(cv2.imdecode(coded, cv2.IMREAD_COLOR), np.uint8)
        return picture

    def _starved(self, picture: Image) -> Image:
        """The picture, in which blocks that have changed little are those of an earlier frame."""
        if self._sent is None:
            self._sent = picture
            return picture
        step = cv2.absdiff(picture, self._sent).max(axis=2)
        height, width = step.shape
        blocks = cv2.resize(
            step, (-(-width // BLOCK), -(-height // BLOCK)), interpolation=cv2.INTER_AREA
        )
        is_new = cv2.resize(
            (blocks > self.faults.starved).astype(np.uint8),
            (width, height),
            interpolation=cv2.INTER_NEAREST,
        )
        self._sent = np.where(is_new[..., None] > 0, picture, self._sent)
        return self._sent


class DegradedSource:
    """A `FrameSource` whose frames have passed through a bad camera."""

    def __init__(self, source: VideoFile, faults: Degradation) -> None:
        self._source, self.faults = source, faults
        self.name, self.is_live = source.name, source.is_live
        self.skipped_seconds = 0.0
        """Seconds of the source that were over before the camera was switched on."""

    @property
    def fps(self) -> float:
        """Frames a second."""
        return min(self._source.fps, self.faults.fps or self._source.fps)

    @property
    def frames(self) -> int | None:
        """The approximate number of frames; None if the source does not know."""
        known = self._source.frames
        share = (1 - self.faults.late) * self.fps / self._source.fps
        return None if known is None else round(known * share)

    @property
    def min_fps(self) -> float | None:
        """As in the source: leave frames out while this many per second remain; None: none."""
        return self._source.min_fps

    @min_fps.setter
    def min_fps(self, fps: float | None) -> None:
        self._source.min_fps = fps

    def __iter__(self) -> Iterator[Frame]:
        degrader: Degrader | None = None
        first = math.ceil(self.faults.late * (self._source.frames or 0))
        begin: Frame | None = None
        count = 0
        for frame in self._source:
            if frame.index < first:
                continue
            if begin is None:
                begin, self.skipped_seconds = frame, frame.seconds
            seconds = frame.seconds - begin.seconds
            if self.faults.fps is not None and seconds * self.faults.fps < count - 1e-6:
                continue
            height, width = frame.image.shape[:2]
            degrader = degrader or Degrader(self.faults, (width, height), str(self.name))
            yield Frame(degrader.degraded(frame.image, seconds), frame.index - begin.index, seconds)
            count += 1

    def close(self) -> None:
        """Release the source."""
        self._source.close()
