"""Which cameras are listed, and the message about one that gives nothing."""

from __future__ import annotations

from types import SimpleNamespace

import cv2
import pytest

from vision.errors import SourceError
from vision.sources.list_cameras import CameraInfo, list_cameras
from vision.sources.liveness import SourceTimeouts
from vision.sources.open import open_source


class NoCapture:
    def isOpened(self):  # noqa: N802 - the name that OpenCV gives it
        return False

    def read(self):
        return False, None

    def get(self, prop):
        return 0.0

    def grab(self):
        return False

    def set(self, prop, value):
        return False

    def release(self):
        pass


def test_cameras_are_listed_by_the_numbers_that_open_them():
    asked = []

    def listed(backend):
        asked.append(backend)
        return [SimpleNamespace(index=2, name="Desk"), SimpleNamespace(index=0, name="")]

    cameras = list_cameras("linux", listed)
    assert [(each.number, str(each.name)) for each in cameras] == [(0, "camera 0"), (2, "Desk")]
    assert asked == [cv2.CAP_V4L2]


def test_a_system_that_nobody_can_ask_lists_none():
    assert list_cameras("plan9", lambda backend: [SimpleNamespace(index=0, name="x")]) == ()


def test_the_cameras_of_this_machine_can_be_asked_for():
    assert all(isinstance(camera, CameraInfo) for camera in list_cameras())


@pytest.mark.parametrize(
    ("system", "expected"),
    [("darwin", "Privacy & Security, Camera"), ("win32", "let desktop apps use the camera")],
)
def test_a_camera_that_is_busy_or_forbidden_says_where_to_allow_it(monkeypatch, system, expected):
    monkeypatch.setattr("sys.platform", system)
    with pytest.raises(SourceError, match=expected) as caught:
        open_source("0", capture=lambda device: NoCapture(), timeouts=SourceTimeouts(first=5))
    assert "\n" not in str(caught.value)
