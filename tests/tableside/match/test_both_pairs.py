"""Dice that both players leave lying anywhere on the board: their colors show whose throw it is.

A session is given simulated observations, which take the same path as a camera's, from marking the
dice to the record.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.dice_sets.owners import MIN_OWN_THROWS
from engine.events.match import DiceRolled
from engine.evidence.observation import DieAppearance
from engine.position import Side
from engine.rules import SHORT
from engine.ruleset import USUAL, ZoneRule
from engine.simulation.board import SimulatedBoard
from engine.simulation.match import PlayerHabits, play_match
from engine.simulation.score import score_match
from tableside.match.config import MatchConfig
from tableside.match.session import Session

PAIRS = {
    Side.LIGHT: DieAppearance((81, -1, 4), (20, 0, 0), 0.0265),
    Side.DARK: DieAppearance((34, 43, 26), (90, 0, 0), 0.0265),
}
ANYWHERE = replace(USUAL, roll_zone=ZoneRule.ANYWHERE)
UNTIDY = PlayerHabits(left_dice=1.0, pushed_dice=1.0)
"""Nobody lifts his dice before he throws again, and old dice are pushed aside for each throw."""


def refereed(seed, turns, appearances):
    """What a session recorded of each turn, with the truth, and all its rolls."""
    table = SimulatedBoard(
        np.random.default_rng(seed), SHORT.opening(), appearances=appearances, uses_both_halves=True
    )
    truth = play_match(table, SHORT, turns=turns, habits=UNTIDY)
    kept = []
    session = Session(MatchConfig(SHORT, rule_set=ANYWHERE), kept.extend)
    for observed in table.seen:
        session.observe(observed)
    session.finish(table.clock + 1, 0)
    _, judged = score_match(truth, session.state, 1.0, 0)
    return judged, [event for event in kept if isinstance(event, DiceRolled)]


def known_from(rolls):
    """The first turn from which dice are marked with their owners."""
    marked = [all(lay.side is roll.player for lay in roll.dice_at_rest) for roll in rolls]
    return marked.index(True)


def test_whose_throw_lies_there_is_known_by_colour_once_each_has_thrown_a_few_times():
    judged, rolls = refereed(3, 13, PAIRS)
    known = known_from(rolls)
    assert 2 * MIN_OWN_THROWS <= known <= 2 * MIN_OWN_THROWS + 2
    for roll in rolls[known:]:
        assert {lay.side for lay in roll.dice_at_rest} == {roll.player}, (
            "no throw is taken for another's"
        )
    assert all(pair.are_dice_right for pair in judged[known:])
    assert all(pair.is_right or pair.recorded.review for pair in judged[:known])


def test_without_colours_nobodys_dice_are_marked():
    _, rolls = refereed(3, 4, {})
    assert {lay.side for roll in rolls for lay in roll.dice_at_rest} == {None}


@pytest.mark.slow
def test_colours_mend_what_dice_left_lying_spoil():
    wrong = {True: 0, False: 0}
    for seed in range(10):
        judged, rolls = refereed(seed, 40, PAIRS)
        known = known_from(rolls)
        blind, _ = refereed(seed, 40, {})
        wrong[True] += sum(not pair.is_right for pair in judged[known:])
        wrong[False] += sum(not pair.is_right for pair in blind[known:])
        for pair in (*judged, *blind):
            assert pair.is_right or pair.recorded is None or pair.recorded.review
    print(f"turns wrong once the pairs are known: {wrong[True]}, without colours {wrong[False]}")
    assert wrong[True] <= 2
    assert wrong[False] >= 20
