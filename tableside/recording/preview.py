"""The newest frame with what was seen drawn on it, encoded when a client asks for it."""

from __future__ import annotations

import threading
from typing import Final

import cv2
import numpy as np

from engine.arrays import Image
from tableside.review.stills import limit_width
from vision.reading.overlay import draw_overlay
from vision.reading.reader import Reading
from vision.sources.frame import Frame

QUALITY: Final = 80
"""JPEG quality; below this, the thin lines of the overlay fray."""
SMALL_WIDTH: Final = 640
"""Width of a small picture, in pixels."""


class PreviewEncoder:
    """A `tableside.site.state_hub.PictureSource` fed by `show` and `mark`; thread-safe.

    A picture is drawn on request, once for everyone who asks, so that a page that nobody looks at
    costs nothing.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._drawing = threading.Lock()
        self._frame: tuple[int, Image] | None = None
        self._reading: Reading | None = None
        self._is_open = self._is_small = self._is_bare = False
        self._drawn: tuple[int, bytes] | None = None

    def show(self, frame: Frame) -> None:
        """Set the newest picture."""
        with self._changed:
            number = 1 if self._frame is None else self._frame[0] + 1
            self._frame = number, frame.image
            self._changed.notify_all()

    def mark(self, reading: Reading | None, *, is_open: bool) -> None:
        """Set what is drawn on the following pictures; `is_open`: no hand is over the board."""
        with self._changed:
            self._reading, self._is_open = reading, is_open

    def simplify(self, *, is_small: bool, is_bare: bool) -> None:
        """Reduce the load: from now on, make pictures small or draw nothing on them."""
        with self._changed:
            self._is_small, self._is_bare = is_small, is_bare

    def picture(self) -> bytes | None:
        """The newest picture with what was seen drawn on it; None before any."""
        newest = self.newest()
        return None if newest is None else newest[1]

    def next_picture(self, after: int, timeout: float) -> tuple[int, bytes] | None:
        """The newest picture numbered above `after`; None after `timeout` seconds."""
        with self._changed:
            if not self._changed.wait_for(lambda: (self._frame or (0,))[0] > after, timeout):
                return None
        return self.newest()

    def newest(self) -> tuple[int, bytes] | None:
        """The newest picture and its number; None before any."""
        with self._drawing:
            with self._changed:
                frame, reading, is_open = self._frame, self._reading, self._is_open
            if frame is None:
                return None
            if self._drawn is None or self._drawn[0] != frame[0]:
                image = frame[1]
                if reading is not None and not self._is_bare:
                    image = draw_overlay(image, reading, is_open=is_open)
                if self._is_small:
                    image = limit_width(image, SMALL_WIDTH)
                self._drawn = frame[0], encode_jpeg(image)
            return self._drawn


def encode_jpeg(image: Image) -> bytes:
    """An (H, W, 3) BGR picture as JPEG."""
    encoded = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])[1]
    return bytes(np.asarray(encoded, np.uint8))
