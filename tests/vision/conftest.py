"""The sample clip, its truth, and the board learned from its first picture, shared by all tests."""

import json
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from engine.position import Setup
from engine.rules import find_rules
from vision.board.locate import locate_board
from vision.reading.learn_set import learn_set
from vision.sources.open import open_source

CLIP = Path(str(files("samples") / "short_game.mp4"))


def clip_frames():
    return iter(open_source(str(CLIP)))


@pytest.fixture(scope="session")
def clip_setup():
    return json.loads((CLIP.parent / "short_game.setup.json").read_text())


@pytest.fixture(scope="session")
def clip_truth():
    """The events of the clip as its renderer wrote them."""
    lines = (CLIP.parent / "short_game.events.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines if line.strip()]


@pytest.fixture(scope="session")
def opening_image():
    return next(clip_frames()).image


@pytest.fixture(scope="session")
def located(opening_image):
    return locate_board(opening_image)


@pytest.fixture(scope="session")
def adapted(opening_image, located):
    return learn_set(opening_image, located.pose, located.layout, find_rules("short").opening())


def position_of(truth):
    """The checked position of a truth event's {points, bar, off}."""
    light, dark = [0] * 26, [0] * 26
    for point, count in enumerate(truth["points"], start=1):
        if count > 0:
            light[point] = count
        elif count < 0:
            dark[25 - point] = -count
    light[0], dark[0] = truth["off"]["light"], truth["off"]["dark"]
    light[25], dark[25] = truth["bar"]["light"], truth["bar"]["dark"]
    return Setup(light, dark).checked()


def corner_error(pose, setup):
    """Largest distance of a corner from its true place, over the field's diagonal."""
    true = np.array(setup["inner_corners_px"])
    said = pose.corners()
    orders = [np.roll(way, k, axis=0) for way in (said, said[::-1]) for k in range(4)]
    worst = min(np.linalg.norm(order - true, axis=1).max() for order in orders)
    return worst / np.linalg.norm(true[0] - true[2])
