"""Doubles that rise: too many results to list, and yet played by hand to the end of the game."""

from __future__ import annotations

import random
from contextlib import suppress

import pytest

from engine import IllegalMade, PlayMade, Side, fold
from engine.dice import ALL_ROLLS, Roll
from engine.errors import TooManyPlays
from engine.events.match import PlayRejected
from engine.events.record import PositionSet
from engine.inference.outcomes import moves_between, search_outcomes
from engine.match.phase import Phase
from engine.position import Position
from engine.rules import VARIANTS, chain_path, find_rules
from engine.rules.kush_turn import begin_roll
from engine.rules.legal import (
    can_move_leftover,
    find_leftover_play,
    is_legal,
    leftover_plays,
    legal_plays,
)
from tests.engine.referee.test_manual_turns import ManualMatch
from tests.engine.rules.test_narde import pos

LIGHT, DARK = Side
WIDE = pos("light 24:3 23:1 21:1 20:1 18:1 17:1 16:2 14:1 13:2 9:1 8:1 | dark 24:15")
"""Light's 1-1 has more than 100,000 results."""
RISING = [name for name, rules in VARIANTS.items() if rules.doubles.rising]


def some_play(before: Position, number: int, rules, chance: random.Random) -> Position:
    """A random result of a double that rises, found kush by kush."""
    turn = begin_roll(before, LIGHT, Roll(number, number), rules)
    while not turn.is_over:
        turn = turn.after(chance.randrange(len(turn.plays)))
    return turn.position


@pytest.fixture(params=RISING)
def one(request):
    one = ManualMatch(find_rules(request.param)).begin()
    one.enter(PositionSet(**one.at, position=WIDE, to_move=LIGHT))
    one.roll(1, 1)
    return one


def test_a_double_with_too_many_results_to_list_is_told_and_the_game_goes_on(one):
    assert (one.state.phase, one.state.roll) == (Phase.TO_PLAY, (1, 1))
    after = some_play(WIDE, 1, one.rules, random.Random(3))
    one.play(str(moves_between(WIDE, after, LIGHT)))
    (made,) = one.of(PlayMade)
    assert made.legal
    assert (one.state.position, one.state.to_move) == (after, DARK)
    assert fold(one.events) == one.state


def test_an_illegal_play_of_such_a_double_is_judged_and_can_be_rejected(one):
    one.play("24/23 8/7")
    (made,) = one.of(IllegalMade)
    assert made.broken_rule
    one.enter(PlayRejected(**one.at, player=DARK))
    assert (one.state.position, one.state.phase) == (WIDE, Phase.TO_PLAY)


@pytest.mark.parametrize("variant", RISING)
def test_every_roll_that_does_not_rise_is_listed_in_the_second_player_s_first_turn(variant):
    before = pos("light 24:15 | dark 24:14 14:1")
    listed = search_outcomes(before, LIGHT, find_rules(variant)).rolls
    assert {n for n, roll in enumerate(ALL_ROLLS) if not roll.is_double} <= set(listed.tolist())


@pytest.mark.parametrize("variant", RISING)
def test_a_result_is_legal_exactly_if_it_is_in_the_list(variant):
    rules, chance = find_rules(variant), random.Random(1)
    for _ in range(2):
        points = chance.sample(range(7, 25), 4)
        own = tuple(sum(points[n % 4] == place for n in range(15)) for place in range(26))
        theirs = next(p for p in range(1, 25) if not own[(p + 11) % 24 + 1])
        other = tuple(15 * (place == theirs) for place in range(26))
        before = pos("light 24:15 | dark 24:15").with_sides(LIGHT, own, other)
        for number in (5,):
            roll = Roll(number, number)
            listed = legal_plays(before, LIGHT, roll, rules)
            near = [one.position for one in chance.sample(listed[:], min(4, len(listed)))]
            near += [one.position for one in legal_plays(before, LIGHT, Roll(6, number), rules)[:2]]
            near += [one.position for one in legal_plays(near[0], LIGHT, Roll(6, 6), rules)[:2]]
            for result in near:
                wanted = listed.find(result) is not None
                assert is_legal(before, LIGHT, roll, result, rules) is wanted


def test_moves_left_over_with_too_many_results_to_list_are_played_by_hand():
    rules = find_rules("crazy_gulbar")
    numbers = tuple(number for number in range(1, 7) for _ in range(4))
    with pytest.raises(TooManyPlays):
        leftover_plays(WIDE, LIGHT, numbers, rules)
    assert can_move_leftover(WIDE, LIGHT, numbers, rules)
    after = some_play(WIDE, 1, rules, random.Random(3))
    found = find_leftover_play(WIDE, LIGHT, numbers, after, rules)
    assert found is not None
    assert found.position == after
    moved = WIDE.with_sides(LIGHT, (1, *after.of(LIGHT)[1:23], 0, 0, 0), WIDE.of(DARK))
    assert find_leftover_play(WIDE, LIGHT, numbers, moved, rules) is None


def test_a_row_of_six_that_may_not_stand_between_the_kushes_does_not_hide_a_way():
    """Dark's checkers are all behind light's, so that light may hold no six points in a row."""
    before = pos("light 22:2 21:2 20:2 18:2 17:2 14:3 13:2 | dark 24:15")
    rules, chance = find_rules("crazy_narde"), random.Random(1)
    for number in (1, 2, 3):
        after = some_play(before, number, rules, chance)
        assert is_legal(before, LIGHT, Roll(number, number), after, rules)


def test_a_search_that_gives_up_does_not_call_a_play_illegal(monkeypatch):
    monkeypatch.setattr(chain_path, "_MOST_CUTS", 1)
    before = pos("light 22:2 21:2 20:2 18:2 17:2 14:3 13:2 | dark 24:15")
    rules, chance, judged = find_rules("crazy_narde"), random.Random(1), 0
    for number in (1, 2, 3) * 4:
        after = some_play(before, number, rules, chance)
        with suppress(TooManyPlays):
            assert is_legal(before, LIGHT, Roll(number, number), after, rules)
            judged += 1
    assert judged
