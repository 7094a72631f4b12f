"""What the nets' counts can prove, and what a full row hides."""

import numpy as np

from engine.evidence.observation import COUNTS
from engine.position import CHECKERS
from vision.checkers.net_counts import HIDDEN_LAYER_NATS, _may_be_stacked, _with_hidden_layers


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
