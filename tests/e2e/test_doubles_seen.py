"""Doubles in a video: the cube is seen turned at the other player's side."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

import samples
from engine import Side
from engine.events.match import DiceRolled, Doubled, DoubleTaken, PlayMade
from engine.rules import SHORT
from tableside.match.config import MatchConfig
from tableside.match.session import Session
from tests.e2e.painted_cube import PaintedCube
from vision.sources.files import VideoFile
from vision.sources.frame import Frame

TRUTH = [json.loads(line) for line in samples.TRUTH.read_text().splitlines()]
THROWS = [one["frame"] for one in TRUTH if one["event"] == "throw"]
BY_LIGHT, BY_DARK = 2, 3
"""The third throw is light's, the fourth dark's; the thrower doubles before each."""
END = 6
"""The first throw that is not shown."""
FPS = 12
STANDS = 2 * FPS
"""Pictures for which the cube lies there before the throw: two seconds."""
CORNER = 20.0
"""Distance from the middle of the bar to where the players keep the cube, centimeters."""


def with_doubles() -> Iterator[Frame]:
    """The sample's first turns, in which both double."""
    cube, shift, lies = None, 0, None
    turned = {
        THROWS[BY_LIGHT] - 3: ((0.0, CORNER), 2),
        THROWS[BY_DARK] - 3: ((0.0, -CORNER), 4),
    }
    for frame in VideoFile(samples.CLIP):
        if frame.index >= THROWS[END]:
            return
        cube = cube or PaintedCube(frame.image, TRUTH[0]["cube"]["px"])
        stays = STANDS if frame.index in turned else 0
        lies = turned.get(frame.index, lies)
        image = frame.image if lies is None else cube.at(frame.image, *lies)
        first = frame.index + shift
        for index in range(first, first + stays + 1):
            yield Frame(image, index, index / FPS)
        shift += stays


@pytest.fixture(scope="module")
def events():
    kept = []
    session = Session(MatchConfig(SHORT), kept.extend)
    last = None
    for frame in with_doubles():
        session.feed(frame)
        last = frame
    session.finish(last.seconds, last.index)
    return kept


def test_each_double_and_its_take_are_recorded_before_the_throw(events):
    recorded = [one for one in events if isinstance(one, (Doubled, DoubleTaken, DiceRolled))]
    kinds = [(type(one).__name__, one.player) for one in recorded]
    light, dark = Side.LIGHT, Side.DARK
    first = kinds.index(("Doubled", light))
    assert kinds[first : first + 3] == [
        ("Doubled", light), ("DoubleTaken", dark), ("DiceRolled", light),
    ]  # fmt: skip
    assert [one for one in kinds if one[0] in {"Doubled", "DoubleTaken"}] == [
        ("Doubled", light), ("DoubleTaken", dark), ("Doubled", dark), ("DoubleTaken", light),
    ]  # fmt: skip
    assert [one.value for one in recorded if isinstance(one, Doubled)] == [2, 4]


def test_the_plays_are_those_of_the_clip(events):
    plays: list[Any] = [one for one in events if isinstance(one, PlayMade)]
    wanted = [sorted(one["dice"]) for one in TRUTH if one["event"] == "play"][: len(plays)]
    assert len(plays) >= BY_DARK + 1
    assert [sorted(one.dice) for one in plays] == wanted
    assert not any(one.review for one in plays)
