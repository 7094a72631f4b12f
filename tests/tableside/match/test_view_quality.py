"""What the players are told of a view's light."""

from __future__ import annotations

import numpy as np
import pytest

from engine.timestamp import Timestamp
from tableside.match.view_quality import ViewQuality
from vision.board.faults import TOO_BRIGHT, TOO_DARK
from vision.sources.frame import Frame

FPS = 10
STRIPES = np.tile(np.repeat([0, 1], 40), 8)[None, :, None].repeat(360, 0).repeat(3, 2)
"""(360, 640, 3) a picture with contrast."""


def faults(*views):
    """The fault told after each second; `views`: darkest and lightest level, and the obstacle."""
    quality, told = ViewQuality(None), []
    for second, (dark, light, obstacle) in enumerate(views):
        image = np.where(STRIPES == 1, light, dark).astype(np.uint8)
        for index in range(second * FPS, (second + 1) * FPS):
            quality.lit(Frame(image, index, index / FPS))
            quality.update(Timestamp(index / FPS, index), obstacle)
        told.append(quality.fault)
    return told


@pytest.mark.parametrize("obstacle", [None, "lost"])
def test_the_dark_is_named_after_a_second_though_the_board_is_read(obstacle):
    lit, dark = (60, 200, None), (5, 30, obstacle)
    assert faults(lit, dark, dark, lit) == [None, None, TOO_DARK, None]


def test_an_overexposed_table_is_a_fault_only_where_the_board_is_not_judged():
    white, lost = (60, 255, None), (60, 255, "lost")
    assert faults(white, white, lost, lost) == [None, None, None, TOO_BRIGHT]
