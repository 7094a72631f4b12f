"""What the nets' counts can prove, and what a full row hides."""

import numpy as np

from engine.evidence.observation import COUNTS
from engine.position import CHECKERS
from vision.checkers.disc_model import IMPOSSIBLE
from vision.checkers.net_counts import (
    HIDDEN_LAYER_NATS,
    UNLIKE_LEARNT_PROBABILITY,
    _may_be_stacked,
    _possibly_unlike,
    _with_hidden_layers,
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
    assert np.flatnonzero(_may_be_stacked(complete)).tolist() == [18, 23]


def test_learned_colors_rule_out_only_what_has_no_room():
    """Under another lamp a checker may look like neither side's, and so like none at all."""
    row = np.full((1, COUNTS), -24.0, np.float32)
    row[0, CHECKERS], row[0, :5] = 0, IMPOSSIBLE
    counts = _possibly_unlike(row)[0]
    assert counts.argmax() == CHECKERS
    assert np.allclose(counts[CHECKERS + 1 :], np.log(UNLIKE_LEARNT_PROBABILITY), atol=0.01)
    assert (counts[:5] < -100).all()
