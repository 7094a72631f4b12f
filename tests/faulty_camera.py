"""What goes wrong with a camera over a board, as pictures, and what the players are told of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np

from engine.arrays import Image


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault."""

    kind: str
    shows: Callable[[Image], Image]
    """Makes the picture of a camera with this fault from that of a good one."""
    named: str = ""
    """Part of what the page says; empty if the board is followed instead, and play goes on."""
    every: int = 1
    """Of how many pictures one arrives; 0 for none."""


def lit(gain, more=0.0):
    """Pictures in another light."""
    return lambda image: cv2.convertScaleAbs(image, alpha=gain, beta=more)


def dark(gain, seed):
    """Pictures in the dark, in which noise is stronger than what they show."""
    rng = np.random.default_rng(seed)

    def show(image):
        noise = rng.normal(0, 3, (*image.shape[:2], 1)).astype(np.float32)
        return np.clip(image * np.float32(gain) + noise, 0, 255).astype(np.uint8)

    return show


def level(grey):
    """Pictures of nothing."""
    return lambda image: np.full_like(image, grey)


def flipped(way):
    """Pictures upside down (-1), mirrored (1), or both (0)."""
    return lambda image: cv2.flip(image, way)


def moved(right, down, degrees=0.0):
    """Pictures of a camera that was moved."""

    def show(image):
        height, width = image.shape[:2]
        move = cv2.getRotationMatrix2D((width / 2, height / 2), degrees, 1.0)
        move[:, 2] += right, down
        return cv2.warpAffine(image, move, (width, height), borderMode=cv2.BORDER_REPLICATE)

    return show


def covered(share, seed):
    """Pictures of which a patterned cloth covers a part, from the left."""
    weave = np.random.default_rng(seed).integers(30, 140, (40, 60, 3), dtype=np.uint8)

    def show(image):
        cloth = cv2.resize(weave, image.shape[1::-1])
        width = round(share * image.shape[1])
        return np.concatenate([cloth[:, :width], image[:, width:]], axis=1)

    return show


def papered(share, grey, way):
    """Pictures with a sheet of paper over a part: from the left (0) or from the top (1)."""

    def show(image):
        shown = image.copy()
        upright = shown.swapaxes(0, 1 - way)
        upright[: round(share * len(upright))] = grey
        return shown

    return show


def sized(width, height):
    """Pictures of another size."""
    return lambda image: cv2.resize(image, (width, height), interpolation=cv2.INTER_AREA)


def on_its_side(way):
    """Pictures of a camera that was turned by a quarter: 1 or -1."""
    return lambda image: np.ascontiguousarray(np.rot90(image, way))


def as_it_is(image):
    """The same picture."""
    return image


def cropped(image):
    """A picture of 640x480 pixels without the sides."""
    aside = (image.shape[1] - image.shape[0] * 4 // 3) // 2
    return sized(640, 480)(image[:, aside : image.shape[1] - aside])


def each_fault(rng):
    """A fault of every kind, the details by chance."""
    a, b = rng.uniform(-1, 1, 2)
    seed = int(rng.integers(1 << 30))
    return [
        Fault("dark", dark(0.07 + 0.02 * a, seed), "too dark"),
        Fault("lens cap", level(int(6 + 4 * a)), "blank"),
        Fault("overexposed", lit(4.0 + a, 120), "overexposed"),
        Fault("white", level(253), "overexposed"),
        Fault("upside down", flipped(-1)),
        Fault("mirrored", flipped(1)),
        Fault("nudged", moved(20 + 4 * a, 10 * b)),
        Fault("bumped", moved(60 * np.sign(a), 20 * b, 2 * a)),
        Fault("shoved", moved(100 + 10 * a, 15 * b, -7 * np.sign(b))),
        Fault("turned away", moved(650 * np.sign(a), 40 * b), "looking for the board"),
        Fault("half covered", covered(0.62 + 0.05 * a, seed), "covering"),
        Fault("partly covered", covered(0.48 + 0.02 * a, seed), "covering the board"),
        Fault("covered", covered(1.0, seed), "looking for the board"),
        Fault("sheet aside", papered(0.43 + 0.02 * a, int(130 + 100 * b), 0), "covering the board"),
        Fault("sheet above", papered(0.36 + 0.03 * b, int(130 + 100 * a), 1), "covering the board"),
        Fault("smaller", sized(640, 360)),
        Fault("larger", sized(1366, 768)),
        Fault("another shape", cropped),
        Fault("tiny", sized(16, 9), "16x9 pixels"),
        Fault("on its side", on_its_side(int(np.sign(a)))),
        Fault("slow", as_it_is, every=6),
        Fault("silent", as_it_is, every=0),
    ]
