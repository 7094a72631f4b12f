"""How well positions fit what was seen."""

import numpy as np
import pytest

from engine import Play, apply_play, cell_counts, find_rules
from engine.evidence.likelihood import PositionEvidence, PositionView
from engine.evidence.observation import CELLS, COUNTS
from engine.position import CHECKERS, Side

RULES = find_rules("short")
BEFORE = RULES.opening()
PLAYED, OTHER = (
    cell_counts(apply_play(BEFORE, Side.LIGHT, Play.parse(play), RULES))
    for play in ("8/5 6/5", "8/5 6/4")
)


def view(sure, cells=PLAYED, other=OTHER, changed=0.0):
    """A view that reads `cells` this surely wherever these and `other` differ.

    changed: nats by which the comparison of pictures says so of the places that `other` changes.
    """
    p = np.full((CELLS, COUNTS), 1e-6)
    rows = np.arange(CELLS)
    p[rows, cells + CHECKERS] = 1.0
    differ = cells != other
    p[rows[differ], cells[differ] + CHECKERS] = sure
    p[rows[differ], other[differ] + CHECKERS] = 1 - sure
    change = np.where(other != cell_counts(BEFORE), changed, 0.0)
    return PositionView(np.log(p / p.sum(axis=1, keepdims=True)), change)


def lead(*views):
    evidence = PositionEvidence(views[0], views[1:])
    played, other = evidence.score(np.stack([PLAYED, OTHER]), cell_counts(BEFORE))
    return float(played - other)


def test_a_misreading_seen_twice_is_no_surer_for_it():
    """Both views have the same light and reader, which misread the same place alike."""
    assert lead(view(0.7), view(0.7)) == pytest.approx(lead(view(0.7)))
    assert lead(view(0.9), view(0.7)) == pytest.approx(lead(view(0.9)))
    doubtful = view(0.9, changed=4.0)
    assert lead(doubtful, doubtful) == pytest.approx(lead(doubtful))


def test_a_surer_second_view_counts_for_what_it_adds():
    assert lead(view(0.7)) + 0.5 < lead(view(0.7), view(0.9)) <= lead(view(0.9))


def test_a_view_that_shows_something_else_counts_against():
    assert lead(view(0.9), view(0.9, OTHER, PLAYED)) < lead(view(0.9)) - 1


def test_a_second_view_of_what_is_read_surely_counts():
    """That a sure reading is wrong is allowed for by a floor; it is not doubt of this place."""
    assert lead(view(0.999), view(0.999)) > lead(view(0.999)) + 4
