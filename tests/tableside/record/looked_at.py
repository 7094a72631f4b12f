"""Looks at a drawn board, and the events of a short match whose frames they are."""

from __future__ import annotations

import numpy as np

from calibration.grid import Grid
from engine import DieSeen, Observation, find_rules
from engine.events.match import Alternative, DiceRolled, GameStart, PlayMade
from engine.position import Side
from tests.calibration.drawn_board import LAYOUT, drawn_board, drawn_pose
from vision.checkers.disc_model import DiscCounts
from vision.reading.reader import Reading
from vision.sources.frame import Frame

OPENING = find_rules("short").opening()
GRID = Grid(drawn_pose(), LAYOUT)
BOARD = drawn_board()


def die(value, at=(0.75, 0.5)):
    faces = np.full(6, 0.02)
    faces[value - 1] = 0.9
    center = GRID.pose.project(np.array([at]))[0]
    return DieSeen(tuple(faces), tuple(center), at)


def look(frame, *values, image=BOARD):
    """A picture taken at `frame`, twelve a second, and what was read in it."""
    counts = np.zeros((28, 31), np.float32)
    counts[5, 15 + 5] = 20.0
    seen = Observation(
        counts,
        tuple(die(value, (0.6 + 0.1 * n, 0.5)) for n, value in enumerate(values)),
        seconds=frame / 12,
        frame=frame,
    )
    counted = DiscCounts(counts, np.zeros(28, np.float32), {})
    return Frame(image, frame, frame / 12), Reading(seen, counted, GRID)


def at(kind, frame, **fields):
    return kind(time=frame / 12, frame=frame, **fields)


START = at(GameStart, 0, position=OPENING, light="Ann & Co", dark="Ben")
ROLL = at(DiceRolled, 24, player=Side.LIGHT, dice=(3, 1))
DOUBTED = at(
    PlayMade,
    48,
    player=Side.LIGHT,
    dice=(3, 1),
    play="8/5 6/5",
    position=OPENING,
    confidence=0.8,
    review=True,
    uncertainties=("play",),
    alternatives=(Alternative(play="24/23 13/10", confidence=0.2),),
)
