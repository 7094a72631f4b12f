"""The sample's doubling cube, removed from its place and painted elsewhere with another number.

No clip with a double is available; everything around the cube is the clip's own.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import cv2
import numpy as np

import samples

SETUP: Final = json.loads(Path(samples.FOLDER / "short_game.setup.json").read_text())
SIDE: Final = 3.0
"""Side of a cube, in the centimeters of the clip's truth."""
TEXTURE: Final = 96
COVERED: Final = 25
"""Gray levels by which a place differs where a hand is over it."""
FACES: Final = {"front": (0, 1, 5, 4), "right": (1, 2, 6, 5), "back": (2, 3, 7, 6),
                "left": (3, 0, 4, 7), "top": (7, 6, 5, 4)}  # fmt: skip
"""Corners of a box, lower ones first, in the order of a texture's corners."""


class PaintedCube:
    """Paints into pictures of the sample, of which the first is given."""

    def __init__(self, first: np.ndarray, stood: tuple[float, float]) -> None:
        """`stood`: the pixel at which the middle of its cube is in the first picture."""
        camera = SETUP["camera"]
        self.k, self.bend = np.array(camera["K"]), np.array(camera["dist"])
        self.turn, self.shift = np.array(camera["R"]), np.array(camera["t"])
        self.first = first
        self.high = min(np.arange(1, 6, 0.1), key=lambda z: np.hypot(*self._place(stood, z)))
        stands = self._mask((0, 0), 1.2 * SIDE)
        self.bare = self._patch(stands, cv2.inpaint(first, stands, 7, cv2.INPAINT_TELEA))
        self.painted = {}
        seen = first[cv2.erode(stands, np.ones((13, 13))) > 0]
        self.white = np.percentile(seen, 85, axis=0)

    def at(self, image: np.ndarray, place: tuple[float, float], number: int) -> np.ndarray:
        """The picture with the cube at `place` (cm from the field's middle) showing `number`."""
        if (place, number) not in self.painted:
            drawn = self._drawn(self.first, place, number)
            self.painted[place, number] = self._patch(self._mask(place, SIDE), drawn)
        out = image.copy()
        for part, mask, new in (self.bare, self.painted[place, number]):
            difference = image[part].astype(float) - self.first[part]
            if np.abs(difference[mask].mean(axis=0)).max() < COVERED:
                out[part][mask] = new[mask]
        return out

    def _patch(self, mask, picture):
        x, y, wide, high = cv2.boundingRect(mask)
        part = np.s_[y : y + high, x : x + wide]
        return part, mask[part] > 0, picture[part]

    def _drawn(self, image, place, number):
        out, corners = image.copy(), self._box(place, SIDE)
        pixels, eye = self._pixels(corners), -self.turn.T @ self.shift
        for name, face in FACES.items():
            quad = corners[list(face)]
            outward = quad.mean(axis=0) - corners.mean(axis=0)
            if outward @ (eye - quad.mean(axis=0)) <= 0:
                continue
            texture = self._texture(number if name == "top" else 64)
            texture = texture * (1.0 if name == "top" else 0.6)
            flat = np.array([(0, 0), (TEXTURE, 0), (TEXTURE, TEXTURE), (0, TEXTURE)], np.float32)
            move = cv2.getPerspectiveTransform(flat, pixels[list(face)].astype(np.float32))
            size = image.shape[1::-1]
            shown = cv2.warpPerspective(texture, move, size, flags=cv2.INTER_AREA)
            share = cv2.warpPerspective(np.ones((TEXTURE, TEXTURE)), move, size)[..., None]
            out = out * (1 - share) + shown * share
        return cv2.GaussianBlur(out, (0, 0), 0.6).astype(np.uint8)

    def _texture(self, number):
        out = np.full((TEXTURE, TEXTURE, 3), self.white)
        text, scale = str(number), 2.6 if number < 10 else 1.7
        (wide, high), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_DUPLEX, scale, 6)
        start = (TEXTURE - wide) // 2, (TEXTURE + high) // 2
        cv2.putText(out, text, start, cv2.FONT_HERSHEY_DUPLEX, scale, (25, 25, 30), 6, cv2.LINE_AA)
        return out

    def _mask(self, place, side):
        outline = cv2.convexHull(self._pixels(self._box(place, side)).astype(np.float32))
        mask = np.zeros(self.first.shape[:2], np.uint8)
        cv2.fillConvexPoly(mask, outline.astype(np.int32), 255)
        return cv2.dilate(mask, np.ones((5, 5)))

    def _box(self, place, side):
        x, y = place
        flat = [
            (x + a * side / 2, y + b * side / 2) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))
        ]
        return np.array([(*each, z) for z in (self.high - side, self.high) for each in flat])

    def _pixels(self, places):
        way = cv2.Rodrigues(self.turn)[0]
        return cv2.projectPoints(places, way, self.shift, self.k, self.bend)[0].reshape(-1, 2)

    def _place(self, pixel, z):
        x, y = cv2.undistortPoints(np.array([[pixel]]), self.k, self.bend)[0, 0]
        eye, ray = -self.turn.T @ self.shift, self.turn.T @ np.array([x, y, 1.0])
        return (eye + ray * (z - eye[2]) / ray[2])[:2]
