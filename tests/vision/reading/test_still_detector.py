"""When a picture without the expected board is read again."""

import numpy as np
import pytest

from vision.reading.acquire import StillDetector
from vision.sources.frame import Frame

FPS = 10
SECONDS = 30


def attempts(after_each) -> list[float]:
    """Seconds at which a scene is read that shows something else every second."""
    detector = StillDetector()
    scenes = np.random.default_rng(1).integers(0, 256, (SECONDS, 9, 16, 3), np.uint8)
    read = []
    for index in range(SECONDS * FPS):
        image = scenes[index // FPS].repeat(40, 0).repeat(40, 1)
        frame = Frame(image, index, index / FPS)
        if detector.is_worth_reading(frame):
            read.append(frame.seconds)
            after_each(detector)
    return read


def test_every_new_scene_is_read_while_attempts_come_closer():
    assert len(attempts(StillDetector.look_often)) >= SECONDS - 1


@pytest.mark.parametrize("max_pause", [2.0, 4.0])
def test_attempts_that_fail_become_rare(max_pause):
    read = attempts(lambda detector: detector.look_rarely(max_pause))

    pauses = np.diff(read)
    assert pauses[0] == 1.0
    assert (pauses[5:] >= max_pause - 1e-9).all()
    assert (pauses <= max_pause + 1.0).all()


def test_one_success_makes_them_frequent_again():
    detector = StillDetector()
    for _ in range(5):
        detector.look_rarely(4.0)
    detector.look_often()

    read = []
    for index in range(40):
        scene = np.random.default_rng(index // FPS).integers(0, 256, (9, 16, 3), np.uint8)
        frame = Frame(scene.repeat(40, 0).repeat(40, 1), index, index / FPS)
        if detector.is_worth_reading(frame):
            read.append(frame.seconds)

    assert len(read) >= 3
