"""What the nets' counts can prove, and what a full row hides."""

import numpy as np
import pytest

from calibration.grid import Grid
from calibration.layout import Layout
from engine.evidence.observation import COUNTS
from engine.position import CHECKERS
from tests.vision.drawn_dice import camera
from vision.checkers import net_counts
from vision.checkers.disc_model import IMPOSSIBLE, DiscCounts
from vision.checkers.net_counts import (
    COLOUR_FAILURE_PROBABILITY,
    COLOUR_MODEL_WEIGHT,
    HIDDEN_LAYER_NATS,
    _as_fallible,
    _may_be_stacked,
    _with_hidden_layers,
    combine_with_net,
)


def sure(**counts):
    """(26, 31) log-probabilities of counts read surely, by point; the others are empty."""
    logs = np.full((26, COUNTS), -14.0, np.float32)
    logs[:, CHECKERS] = 0
    for point, count in counts.items():
        logs[int(point[1:]) - 1, CHECKERS] = -14
        logs[int(point[1:]) - 1, CHECKERS + count] = 0
    return logs


def test_a_full_row_rules_out_no_checker_more_or_fewer_in_a_second_layer():
    seen = _with_hidden_layers(sure(p1=5, p6=-7, p8=4)[:24])
    assert (seen[0, CHECKERS + 6], seen[5, CHECKERS - 6]) == (-HIDDEN_LAYER_NATS,) * 2
    assert seen[5, CHECKERS - 8] == -HIDDEN_LAYER_NATS
    assert (seen[0, CHECKERS + 4], seen[7, CHECKERS + 5], seen[0, CHECKERS - 6]) == (-14,) * 3


def test_full_rows_are_counted_close_up_if_a_side_is_not_complete():
    complete = np.exp(sure(p1=5, p6=5, p8=5, p24=-5, p19=-5, p13=-4))
    assert np.flatnonzero(_may_be_stacked(complete, None)).tolist() == [18, 23]


def test_a_heap_is_counted_close_up_unless_the_set_was_learned_from_one_there():
    heaps = np.exp(sure(p1=15, p24=-15))
    learned_from = np.arange(24) == 23
    assert np.flatnonzero(_may_be_stacked(heaps, learned_from)).tolist() == [0]
    assert not _may_be_stacked(heaps, None).any()


@pytest.mark.parametrize("share", [1.0, 0.3], ids=["open", "partly hidden"])
def test_learned_colors_rule_out_only_what_has_no_room(share):
    """Under another lamp a checker may look like neither side's, and so like none at all."""
    row = np.full((1, COUNTS), -24.0, np.float32)
    row[0, CHECKERS], row[0, :5] = 0, COLOUR_MODEL_WEIGHT * IMPOSSIBLE
    counts = _as_fallible(share * row, np.array([share], np.float32))[0]
    assert counts.argmax() == CHECKERS
    assert (counts[CHECKERS + 1 :] > np.log(COLOUR_FAILURE_PROBABILITY) - 0.01).all()
    assert (counts[:5] < -100).all()


def test_colors_hold_in_the_picture_that_they_are_learned_from(monkeypatch):
    """There they may rule out a known count that the nets see: a checker is missing."""
    three, two = CHECKERS + 3, CHECKERS + 2
    monkeypatch.setattr(net_counts, "owned_probabilities", lambda *_: np.exp(sure(p8=3)))
    colours = np.zeros((28, COUNTS), np.float32)
    colours[7, three] = -60.0
    seen = DiscCounts(colours, np.zeros(28, np.float32), {})
    grid, picture = Grid(camera(15.0), Layout(0.07, 0.42, 0.9)), np.zeros((1, 1, 3), np.uint8)
    here, elsewhere = (
        combine_with_net(seen, picture, grid, learned_here=each).counts[7] for each in (True, False)
    )
    assert here[three] - here[two] == pytest.approx(14 - 30, abs=0.3)
    assert elsewhere[three] - elsewhere[two] > 5
