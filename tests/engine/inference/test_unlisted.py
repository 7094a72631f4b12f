"""Doubles with too many results to list: what is seen decides, and what was not tried is doubt."""

from __future__ import annotations

import random
from heapq import heappop
from itertools import islice

import numpy as np
import pytest

from engine import Roll, Side, find_rules, legal_plays
from engine.dice import ALL_ROLLS
from engine.evidence.likelihood import PositionEvidence, PositionView, board_cells, with_floor
from engine.evidence.observation import cell_counts
from engine.inference import unlisted
from engine.inference.outcomes import search_outcomes
from engine.inference.unlisted import Fillings, chain_totals, try_likeliest
from engine.inference.verdict import Played, Unsure, judge
from engine.rules.legal import is_legal
from tests.engine.referee.test_chains import RISING, WIDE, some_play
from tests.engine.rules.test_narde import pos

LIGHT = Side.LIGHT
FEW = pos("light 24:4 22:3 17:5 13:3 | dark 24:13 9:1 2:1")


def view_of(position, hidden=()) -> PositionView:
    table = np.full((28, 31), np.log(0.01 / 30))
    table[np.arange(28), cell_counts(position) + 15] = np.log(0.99)
    table[[place - 1 for place in hidden]] = -np.log(31)
    return PositionView(with_floor(table), np.zeros(28))


def known(number: int) -> np.ndarray:
    is_double = [roll.high == roll.low == number for roll in ALL_ROLLS]
    return np.where(is_double, 0.0, np.log(1e-6))


def judged(before, after, number, rules, hidden=()):
    evidence = PositionEvidence(view_of(after, hidden))
    return judge(before, LIGHT, evidence, rules, known(number), np.log(0.05))


@pytest.mark.parametrize("variant", RISING)
def test_a_play_of_a_double_with_millions_of_results_is_seen(variant):
    rules = find_rules(variant)
    after = some_play(WIDE, 1, rules, random.Random(3))
    assert 0 in search_outcomes(WIDE, LIGHT, rules).unlisted
    verdict = judged(WIDE, after, 1, rules)
    assert isinstance(verdict, Played)
    assert verdict.best.position == after
    assert is_legal(WIDE, LIGHT, Roll(1, 1), after, rules)


def test_a_play_with_hidden_points_is_not_certain():
    rules = find_rules("crazy_narde")
    after = some_play(WIDE, 1, rules, random.Random(3))
    verdict = judged(WIDE, after, 1, rules, hidden=range(1, 13))
    assert isinstance(verdict, Unsure)
    assert sum(one.p for one in verdict.candidates) < 0.5


@pytest.mark.parametrize("variant", RISING)
def test_what_was_not_tried_is_no_likelier_than_the_doubt(variant):
    """Against the complete list: the best is found, and the rest has at most the bound's weight."""
    rules, number = find_rules(variant), 5
    listed = legal_plays(FEW, LIGHT, Roll(number, number), rules)
    view, before = view_of(listed[len(listed) // 2].position, hidden=(8, 9)), cell_counts(FEW)
    cells = board_cells(listed.results, LIGHT, FEW.course)
    scores = view.score(cells, before) - view.max_score
    fillings, roll = Fillings.of(FEW, LIGHT, view), ALL_ROLLS.index(Roll(number, number))
    first = next(fillings.likeliest(chain_totals(number, rules)))
    assert first.log_p >= scores.max() - 1e-9
    tried = try_likeliest(fillings, FEW, LIGHT, rules, {roll: 0.0}, -50.0)
    found = np.logaddexp.reduce(view.score(tried.cells, before) - view.max_score)
    assert np.logaddexp(found, tried.log_rest) >= np.logaddexp.reduce(scores) - 1e-9
    if len(tried.cells):
        assert (tried.cells[0] == cells[scores.argmax()]).all() or scores.max() == pytest.approx(
            view.score(tried.cells[:1], before)[0] - view.max_score
        )


def test_hidden_points_do_not_multiply_what_is_searched(monkeypatch):
    """Where many boards fit alike, the search follows one of them and not all."""
    popped = []

    def counted(heap):
        popped.append(None)
        return heappop(heap)

    monkeypatch.setattr(unlisted, "heappop", counted)
    rules = find_rules("crazy_gulbar")
    after = some_play(WIDE, 1, rules, random.Random(3))
    fillings = Fillings.of(WIDE, LIGHT, view_of(after, hidden=range(1, 13)))
    found = list(islice(fillings.likeliest(chain_totals(1, rules)), 4))
    assert len(found) == 4
    assert len(popped) < 2_000


def test_of_many_boards_that_fit_alike_one_play_is_enough():
    rules = find_rules("crazy_narde")
    after = some_play(WIDE, 1, rules, random.Random(3))
    fillings = Fillings.of(WIDE, LIGHT, view_of(after, hidden=range(1, 13)))
    tried = try_likeliest(fillings, WIDE, LIGHT, rules, {0: 0.0}, -50.0)
    assert len(tried.cells) == 1
