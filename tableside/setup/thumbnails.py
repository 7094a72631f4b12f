"""Thumbnails of the connected cameras, taken from one after another."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Final

import cv2
import numpy as np

from engine.arrays import Image
from engine.message import message_of
from tableside.recording.frame_queue import FrameQueue
from tableside.recording.preview import encode_jpeg
from vision.errors import VisionError
from vision.sources.frame import FrameSource
from vision.sources.list_cameras import CameraInfo
from vision.sources.liveness import SourceTimeouts
from webui.contracts.setup import CameraEntry

WIDTH: Final = 320
TAKE_SECONDS: Final = 2.0

Opener = Callable[..., FrameSource]


class Thumbnails:
    """The newest picture of each camera; `renew` opens them, the other methods are thread-safe."""

    def __init__(
        self, cameras: Callable[[], Sequence[CameraInfo]], opener: Opener, timeouts: SourceTimeouts
    ) -> None:
        self._list, self._opener, self._timeouts = cameras, opener, timeouts
        self._lock = threading.Lock()
        self._entries: dict[str, CameraEntry] = {}
        self._pictures: dict[str, bytes] = {}
        self.is_listed = False
        """Whether the cameras have been listed."""

    def entries(self) -> list[CameraEntry]:
        """The cameras, in order of their numbers."""
        with self._lock:
            return list(self._entries.values())

    def picture(self, camera: str) -> bytes | None:
        """The newest thumbnail of a camera; None if it delivered none."""
        with self._lock:
            return self._pictures.get(camera)

    def renew(self, is_interrupted: Callable[[], bool]) -> None:
        """Take a new picture from each camera, until `is_interrupted`."""
        cameras = {str(one.number): one.name for one in self._list()}
        with self._lock:
            self._entries = {
                number: self._entries.get(number)
                or CameraEntry(id=number, name=name, picture=0, fault=None)
                for number, name in cameras.items()
            }
            self.is_listed = True
        for number in cameras:
            if not is_interrupted():
                self._take(number)

    def _take(self, number: str) -> None:
        image, fault = None, None
        try:
            feed = FrameQueue(self._opener(number, timeouts=self._timeouts), lambda _: None)
            frame = feed.take(TAKE_SECONDS)
            feed.close()
            image = None if frame is None else frame.image
        except (VisionError, OSError) as error:
            fault = message_of(error)
        with self._lock:
            before = self._entries[number]
            taken = before["picture"] + (image is not None)
            self._entries[number] = CameraEntry(
                id=number, name=before["name"], picture=taken, fault=fault
            )
            if image is not None:
                self._pictures[number] = encode_jpeg(_small(image))


def _small(image: Image) -> Image:
    height = round(image.shape[0] * WIDTH / image.shape[1])
    return np.asarray(cv2.resize(image, (WIDTH, height), interpolation=cv2.INTER_AREA), np.uint8)
