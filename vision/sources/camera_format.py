"""Which pictures to request from a camera: by default OpenCV takes 640 x 480, uncompressed."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Final

import cv2

from vision.sources.frame import Capture

MJPEG: Final = cv2.VideoWriter.fourcc(*"MJPG")
"""Over USB 2 a camera delivers 720p at 30 per second as JPEGs, but at 10 or less as YUYV."""
SIZES: Final = ((1280, 720), (800, 600), (640, 480))
"""Widths and heights; the first that is fast enough is used. The nets gain nothing above 720p."""
FPS: Final = 30
MIN_FPS: Final = 10
"""Rate below which more and smaller pictures say more about a turn."""
_LOGGER: Final = logging.getLogger(__name__)


def open_camera(index: int, opener: Callable[[int], Capture] = cv2.VideoCapture) -> Capture:
    """The camera in the best format in which it delivers pictures, or else its default."""
    camera = opener(index)
    if not camera.isOpened():
        return camera
    _ask_for_format(camera)
    if not camera.read()[0]:  # some deliver JPEGs that cannot be decoded
        _LOGGER.warning("camera %s delivers nothing in the requested format: using its own", index)
        camera.release()
        camera = opener(index)
    size = (camera.get(cv2.CAP_PROP_FRAME_WIDTH), camera.get(cv2.CAP_PROP_FRAME_HEIGHT))
    letters = int(camera.get(cv2.CAP_PROP_FOURCC)) & 0xFFFFFFFF
    codec = letters.to_bytes(4, "little").decode("ascii", "replace").strip("\0")
    fps = camera.get(cv2.CAP_PROP_FPS)
    _LOGGER.info("camera %s: %.0f x %.0f, %.0f frames a second, %s", index, *size, fps, codec)
    return camera


def _ask_for_format(camera: Capture) -> None:
    """Set what the camera accepts; it rounds sizes and rates to those that it supports."""
    camera.set(cv2.CAP_PROP_FOURCC, MJPEG)  # first: the other options depend on it
    for width, height in SIZES:
        camera.set(cv2.CAP_PROP_FRAME_WIDTH, width)
        camera.set(cv2.CAP_PROP_FRAME_HEIGHT, height)
        camera.set(cv2.CAP_PROP_FPS, FPS)
        if not 0 < camera.get(cv2.CAP_PROP_FPS) < MIN_FPS:  # 0: unknown
            return
