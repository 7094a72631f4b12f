"""Real dice on a table under a webcam; the nets never saw a photo. `-s` prints the figures."""

import json
import math
from typing import Any

import cv2
import numpy as np
import pytest

from calibration.layout import USUAL_DIE_SIDE
from calibration.pose import Pose
from tests.paths import REAL
from vision.dice.classify import FACE_CLASSES, classify_crops, read_dice
from vision.dice.size import DieSize
from vision.sources.frame import read_image

NAMES = ["One", "Two", "Three", "Four", "Five", "Six"]
SIDE_PX = 50
"""Pixels of a side, approximately: they range from 38 to 76."""


def from_above(width, height):
    """A camera far above a table, to which a usual die appears `SIDE_PX` pixels large."""
    away, focal = 60.0, 60.0 * SIDE_PX / USUAL_DIE_SIDE
    turn = cv2.Rodrigues(np.array([math.pi, 0, 0]))[0]
    shift: Any = -turn @ np.array([0.5, 0.42, 0]) + np.array([0, 0, away + USUAL_DIE_SIDE])
    return Pose((width, height), focal, 0.0, (math.pi, 0.0, 0.0), tuple(shift), 0.84)


@pytest.mark.skipif(not REAL.is_dir(), reason="the real photos are not at hand")
@pytest.mark.slow
def test_real_dice_are_read_without_knowing_how_large_they_are():
    """As if from straight above, which is not true; a board would show the tilt."""
    (photos,) = (
        one["images"] for one in json.loads((REAL / "detections.json").read_text())["datasets"]
    )
    shown, found, right, sure, wrong = np.zeros(5, int)
    for photo in photos:
        image = read_image(REAL / photo["image"])
        pose = from_above(image.shape[1], image.shape[0])
        boxes = np.array([box["bbox_xyxy"] for box in photo["boxes"]], float).reshape(-1, 2, 2)
        truth = np.array([NAMES.index(box["class"]) for box in photo["boxes"]], int)
        if not len(boxes):
            continue
        pixels, size = boxes.mean(axis=1), DieSize()
        size.measure(image, pose, pose.locate(pixels, USUAL_DIE_SIDE))
        places = pose.locate(pixels, size.side)
        kinds = classify_crops(image, pose, places, size.side)
        faces, _ = read_dice(image, pose, places, kinds[:, FACE_CLASSES], size.side)
        predicted, confidence = faces.argmax(axis=1), faces.max(axis=1)
        shown += len(truth)
        found += int((faces.sum(axis=1) > 0.5).sum())
        right += int((predicted == truth).sum())
        sure += int((confidence > 0.95).sum())
        wrong += int(((predicted != truth) & (confidence > 0.95)).sum())
    print(f"{shown} dice: {found} found, {right} right, {sure} surely, {wrong} of these wrong")
    assert found >= 0.98 * shown > 1000
    assert right >= 0.975 * shown
    assert wrong <= 0.005 * sure
