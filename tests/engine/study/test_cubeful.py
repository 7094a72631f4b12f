"""Cubeful equities: the literature's figures for money, and match scores worked out by hand."""

import numpy as np
import pytest

from engine.position import BAR
from engine.rules.short import SHORT
from engine.study.cubeful import (
    CubeHolder,
    Stake,
    cube_efficiency,
    cube_equities,
    points_of,
)
from engine.study.match_equity import AwayScore, CrawfordPhase, take_point

DEAD, LIVE = np.zeros(1), np.ones(1)


def chances(win, *more):
    return np.array([[win, *more, *[0.0] * (4 - len(more))]])


def board(own, other):
    """Points and counts of the player on roll and of the other; all others are borne off."""
    sides = np.zeros((1, 2, BAR + 1), np.int8)
    for side, points in enumerate((own, other)):
        for point, count in points.items():
            sides[0, side, point] = count
        sides[0, side, 0] = 15 - sum(points.values())
    return sides


@pytest.mark.parametrize(("efficiency", "take"), [(DEAD, 0.25), (LIVE, 0.20)])
def test_without_gammons_the_take_point_is_between_a_fifth_and_a_quarter(efficiency, take):
    equities = cube_equities(chances(1 - take), efficiency, Stake())
    assert equities.double_take[0] == pytest.approx(equities.double_drop[0], abs=1e-4)


@pytest.mark.parametrize(
    ("holder", "equity"),
    [
        ("both", 2 * (0.7 - 0.2) / (0.8 - 0.2) - 1),
        ("own", 2 * 0.7 / 0.8 - 1),
        ("other", 2 * (0.7 - 0.2) / (1 - 0.2) - 1),
    ],
)
def test_a_live_cube_is_linear_between_take_and_cash_points(holder, equity):
    found = cube_equities(chances(0.7), LIVE, Stake(holder=CubeHolder(holder)))
    assert found.no_double[0] == pytest.approx(equity, abs=1e-4)


def test_the_cube_is_worth_most_to_its_holder():
    values = [
        cube_equities(chances(0.6, 0.2, 0.01, 0.1), LIVE * 0.68, Stake(holder=holder)).no_double[0]
        for holder in (CubeHolder.OWN, CubeHolder.BOTH, CubeHolder.OTHER)
    ]
    assert values == sorted(values, reverse=True)
    nobody = cube_equities(chances(0.6, 0.2, 0.01, 0.1), LIVE, Stake(holder=CubeHolder.NOBODY))
    assert nobody.no_double[0] == pytest.approx(0.6 + 0.2 + 0.01 - 0.4 - 0.1)
    assert nobody.double_take[0] == -np.inf


def test_under_the_jacoby_rule_gammons_count_once_the_cube_is_turned():
    plain = Stake(jacoby=True)
    with_gammons, without = chances(0.8, 0.4), chances(0.8)
    kept = [cube_equities(each, DEAD, plain).no_double[0] for each in (with_gammons, without)]
    assert kept[0] == kept[1]
    taken = [cube_equities(each, DEAD, plain).double_take[0] for each in (with_gammons, without)]
    assert taken[0] > taken[1]


@pytest.mark.parametrize("score", [(2, 2), (2, 4), (4, 2)])
def test_the_take_point_of_a_match_agrees_with_the_match_equity_table(score):
    """With the other's cube dead after the take, or redoubled at once, no model is involved."""
    own, other = score
    taker = AwayScore(other, own)
    point = take_point(taker, 1)
    equities = cube_equities(chances(1 - point), LIVE, Stake(score=AwayScore(own, other)))
    assert equities.double_take[0] == pytest.approx(1.0, abs=1e-6)


def test_a_trailer_who_needs_two_after_the_crawford_game_may_always_double():
    stake = Stake(score=AwayScore(2, 1, CrawfordPhase.AFTER_CRAWFORD))
    for win in (0.1, 0.5, 0.9):
        equities = cube_equities(chances(win), LIVE * 0.68, stake)
        assert equities.double[0] >= equities.no_double[0] - 1e-9
    leader = stake.reversed
    assert not leader.may_double


def test_doubled_equities_return_to_the_cube_before():
    assert Stake().undoubled(np.array([0.3]))[0] == pytest.approx(0.6)
    score = Stake(score=AwayScore(2, 2))
    assert score.undoubled(np.array([1.0]))[0] == pytest.approx(
        score.normalized(np.array([score.utility(2)]))[0]
    )


def test_a_finished_game_counts_one_two_or_three():
    won = {}
    assert points_of(board(won, {1: 1})) == 1
    assert points_of(board(won, {7: 15})) == 2
    assert points_of(board(won, {BAR: 1, 3: 14})) == 3
    assert points_of(board(won, {20: 1, 3: 14})) == 3
    assert points_of(board({1: 1}, {1: 1})) == 0


def test_the_cube_is_less_live_in_a_race():
    opening = np.array([[SHORT.opening().light, SHORT.opening().dark]], np.int8)
    assert cube_efficiency(opening) == 0.68
    assert cube_efficiency(board({9: 10, 6: 5}, {6: 15})) == pytest.approx(0.7)
    assert cube_efficiency(board({1: 2}, {1: 2})) == 0.6
