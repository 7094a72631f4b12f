"""A labeler that shows one drawn photo twice and stores what it is given."""

from __future__ import annotations

import copy

import cv2
import numpy as np

from webui.contracts.label import LabelRefused, PhotoShown

SIZE = (640, 360)
CORNERS = [(80.0, 40.0), (560.0, 40.0), (560.0, 320.0), (80.0, 320.0)]


def photo() -> PhotoShown:
    """A board in the middle of the photo; dark's seven on the last point are one too many."""
    x = [100 + 40 * column for column in range(12)]
    far = [((one, 30.0), (one, 150.0)) for one in x]
    near = [((one, 330.0), (one, 210.0)) for one in x]
    return {
        "size": SIZE,
        "corners": CORNERS,
        "places": {
            "points": [*far, *near],
            "bar": {"light": (300.0, 170.0), "dark": (340.0, 190.0)},
            "off": {"light": (600.0, 120.0), "dark": (600.0, 240.0)},
        },
        "label": {
            "points": [5, *[0] * 22, -7],
            "bar": {"light": 0, "dark": 0},
            "off": {"light": 10, "dark": 9},
            "dice": [{"value": 3, "state": "flat", "center": (200.0, 180.0)}],
            "cube": None,
        },
        "doubtful": [23],
        "fault": None,
    }


class ScriptedLabeler:
    """A `webui.contracts.label.Labeler`."""

    def __init__(self) -> None:
        self.saved = {}
        self.corners = None
        self.photos = [photo(), photo()]

    def names(self):
        return ["one.jpg", "two.jpg"]

    def labeled(self):
        return sorted(self.saved)

    def picture(self, number):
        return cv2.imencode(".jpg", np.full((*SIZE[::-1], 3), 120, np.uint8))[1].tobytes()

    def show(self, number):
        return copy.deepcopy(self.photos[number])

    def set_corners(self, number, corners):
        self.corners = corners
        return self.show(number)

    def save(self, number, label):
        if self.photos[number]["corners"] is None:
            raise LabelRefused("mark the corners first")
        self.saved[number] = label
