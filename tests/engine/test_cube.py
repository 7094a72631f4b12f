"""The doubling cube and the optional rules."""

from __future__ import annotations

import pytest

from engine import Side
from engine.cube import CENTRED, Cube, CubeRules, DoublingContext, is_crawford
from engine.errors import IllegalCube

L, D = Side.LIGHT, Side.DARK
MONEY, MATCH = DoublingContext(), DoublingContext(length=7)
ALL = CubeRules(jacoby=True, beavers=True, raccoons=True, automatic_doubles=1)


def test_a_take_doubles_the_stake_and_gives_the_cube_to_the_taker():
    cube = CENTRED.offered(L, MATCH).taken()
    assert (cube.value, cube.owner, cube.was_taken) == (2, D, True)
    assert cube.offered(D, MATCH).taken() == Cube(4, L, None, was_taken=True)


def test_a_drop_loses_the_stake_before_the_double():
    assert CENTRED.offered(L, MATCH).dropped() == (L, 1)
    assert CENTRED.offered(L, MATCH).taken().offered(D, MATCH).dropped() == (D, 2)


@pytest.mark.parametrize(
    ("cube", "side", "game", "rules", "why"),
    [
        (Cube(2, D), L, MATCH, CubeRules(), "the cube is the opponent's"),
        (CENTRED, L, DoublingContext(7, is_crawford=True), CubeRules(), "Crawford"),
        (CENTRED.turned(L), L, MATCH, CubeRules(), "awaits an answer"),
        (CENTRED, L, DoublingContext(7, False, True, (2, 1)), CubeRules(holland=True), "Holland"),
        (CENTRED, L, DoublingContext(7, False, True, (2, 2)), CubeRules(holland=True), ""),
        (CENTRED, L, DoublingContext(7, False, True, (0, 0)), CubeRules(), ""),
        (Cube(64, L), L, MONEY, CubeRules(), ""),
    ],
)
def test_when_a_player_may_double(cube, side, game, rules, why):
    reason = cube.why_not_double(side, game, rules)
    assert why in str(reason) if why else reason is None
    if why:
        with pytest.raises(IllegalCube, match=why):
            cube.offered(side, game, rules)


def test_a_beaver_keeps_the_cube_and_refusing_it_costs_the_double():
    beaver = CENTRED.offered(L, MONEY, ALL).beavered(D, MONEY, ALL)
    assert beaver.dropped() == (D, 2)
    assert beaver.taken() == Cube(4, D, None, was_taken=True)


def test_a_raccoon_leaves_the_cube_with_the_beaverer():
    beaver = CENTRED.offered(L, MONEY, ALL).beavered(D, MONEY, ALL)
    raccoon = beaver.beavered(L, MONEY, ALL)
    assert raccoon.dropped() == (L, 4)
    assert (raccoon.taken().value, raccoon.taken().owner) == (8, D)
    assert "raccoon" in str(raccoon.why_not_beaver(D, MONEY, ALL))


@pytest.mark.parametrize(
    ("cube", "side", "game", "rules"),
    [
        (CENTRED.turned(L), D, MATCH, ALL),
        (CENTRED.turned(L), D, MONEY, CubeRules()),
        (CENTRED.turned(L), L, MONEY, ALL),
        (CENTRED, D, MONEY, ALL),
        (CENTRED.turned(L).turned_back(D), L, MONEY, CubeRules(beavers=True)),
    ],
)
def test_when_nothing_may_be_turned_back(cube, side, game, rules):
    with pytest.raises(IllegalCube):
        cube.beavered(side, game, rules)


def test_automatic_doubles_stop_at_their_limit_and_count_for_money_only():
    once = CENTRED.doubled_by_dice(MONEY, ALL)
    assert (once.value, once.owner) == (2, None)
    assert once.doubled_by_dice(MONEY, ALL) == once
    assert CENTRED.doubled_by_dice(MATCH, ALL) == CENTRED
    assert CENTRED.doubled_by_dice(MONEY, CubeRules()) == CENTRED


def test_jacoby_counts_a_gammon_single_until_a_double_was_taken():
    assert CENTRED.points(3, MONEY, ALL) == 1
    assert CENTRED.points(3, MATCH, ALL) == 3
    assert Cube(2, L, was_taken=True).points(2, MONEY, ALL) == 4
    assert CENTRED.doubled_by_dice(MONEY, ALL).points(2, MONEY, ALL) == 2


@pytest.mark.parametrize(
    ("length", "score", "played", "want"),
    [
        (7, (6, 0), False, True),
        (7, (6, 3), True, False),
        (7, (5, 5), False, False),
        (1, (0, 0), False, False),
        (0, (6, 0), False, False),
    ],
)
def test_the_crawford_game_is_the_first_at_one_point_from_the_match(length, score, played, want):
    assert is_crawford(length, score, was_played=played) is want


def test_what_is_not_offered_is_neither_taken_nor_dropped():
    for act in (CENTRED.taken, CENTRED.dropped):
        with pytest.raises(IllegalCube):
            act()
