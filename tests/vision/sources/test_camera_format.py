"""What is requested of a camera, and what happens to one that refuses."""

from typing import Any

import cv2
import numpy as np
import pytest

from vision.sources.camera_format import MJPEG, open_camera

YUYV = cv2.VideoWriter.fourcc(*"YUYV")
FORMATS = {
    "both": {(MJPEG, (1280, 720)): 30, (YUYV, (1280, 720)): 10, (YUYV, (640, 480)): 30},
    "YUYV, slow when large": {
        (YUYV, (1280, 720)): 5,
        (YUYV, (800, 600)): 20,
        (YUYV, (640, 480)): 30,
    },
    "YUYV, small only": {(YUYV, (640, 480)): 30},
    "YUYV, slow always": {(YUYV, (640, 480)): 5},
    "says nothing": {(MJPEG, (1280, 720)): 0, (YUYV, (640, 480)): 0},
}


class Camera:
    """Chooses the nearest of its formats, as V4L2 drivers do.

    breaks_at: in this format it gives nothing or, if `is_garbled`, what cannot be decoded.
    """

    def __init__(self, formats, breaks_at=None, *, is_garbled=False):
        self.formats, self.breaks_at, self.is_garbled = formats, breaks_at, is_garbled
        self.codec, self.size = YUYV, (640, 480)
        self.wanted = {}
        self.is_released = False

    def isOpened(self):  # noqa: N802 - the name that OpenCV gives it
        return bool(self.formats)

    def set(self, prop, value):
        if prop == cv2.CAP_PROP_FOURCC:
            if not any(codec == value for codec, _ in self.formats):
                return False
            self.codec = value
        self.wanted[prop] = value
        width = self.wanted.get(cv2.CAP_PROP_FRAME_WIDTH, 640)
        sizes = [size for codec, size in self.formats if codec == self.codec]
        self.size = min(sizes, key=lambda size: abs(size[0] - width))
        return True

    def get(self, prop):
        return {
            cv2.CAP_PROP_FRAME_WIDTH: self.size[0],
            cv2.CAP_PROP_FRAME_HEIGHT: self.size[1],
            cv2.CAP_PROP_FOURCC: self.codec,
            cv2.CAP_PROP_FPS: self.formats[self.codec, self.size],
        }[prop]

    def grab(self):
        return self.is_garbled or self.codec != self.breaks_at

    def read(self):
        return self.codec != self.breaks_at, np.zeros((*self.size[::-1], 3), np.uint8)

    def release(self):
        self.is_released = True


@pytest.mark.parametrize(
    ("has", "codec", "size"),
    [
        ("both", MJPEG, (1280, 720)),
        ("YUYV, slow when large", YUYV, (800, 600)),
        ("YUYV, small only", YUYV, (640, 480)),
        ("YUYV, slow always", YUYV, (640, 480)),
        ("says nothing", MJPEG, (1280, 720)),
    ],
)
def test_a_camera_gives_720p_as_jpegs_or_the_nearest_that_comes_often_enough(has, codec, size):
    camera: Any = open_camera(0, lambda _: Camera(FORMATS[has]))
    assert (camera.codec, camera.size) == (codec, size)


def test_what_a_camera_gives_is_in_the_log(caplog):
    caplog.set_level("INFO")
    open_camera(2, lambda _: Camera(FORMATS["both"]))
    assert "camera 2: 1280 x 720, 30 frames a second, MJPG" in caplog.text


@pytest.mark.parametrize("is_garbled", [False, True])
def test_a_camera_that_gives_nothing_in_the_format_asked_for_is_taken_as_it_comes(
    caplog, is_garbled
):
    opened = []

    def opener(_):
        opened.append(Camera(FORMATS["both"], breaks_at=MJPEG, is_garbled=is_garbled))
        return opened[-1]

    camera: Any = open_camera(0, opener)
    assert camera is opened[-1]
    assert [each.is_released for each in opened] == [True, False]
    assert (camera.codec, camera.size) == (YUYV, (640, 480))
    assert "delivers nothing in the requested format" in caplog.text


def test_a_camera_that_is_not_there_is_asked_nothing():
    camera: Any = open_camera(0, lambda _: Camera({}))
    assert not camera.isOpened()
    assert camera.wanted == {}
