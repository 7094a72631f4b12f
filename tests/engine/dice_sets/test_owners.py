"""Whose dice lie there: told by colour only where both players' do and each has kept to his own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.dice_sets.owners import MIN_OWN_THROWS, DiceOwners
from engine.events.match import DiceRolled, DieAtRest
from engine.evidence.observation import DieAppearance, DieSeen, Observation
from engine.evidence.still_period import DieTrack, StillPeriod
from engine.position import Side
from engine.turns.throw import Throw, own_pair
from engine.turns.zones import RollZone
from tests.engine.dice_sets.test_clusters import RED, WHITE, looks

LIGHT, DARK = Side
BLUE = (32, 9, -30)


def throws(player, body, count, seed=0):
    dice = looks(body, 2 * count, seed=seed)
    lay = [
        DieAtRest(chances=(1.0, 0, 0, 0, 0, 0), place=(0.7, 0.5), appearance=die) for die in dice
    ]
    for n in range(count):
        own = (lay[2 * n], lay[2 * n + 1])
        yield DiceRolled(time=n, frame=n, player=player, dice=(1, 1), dice_at_rest=own)


def learnt(*told):
    owners = DiceOwners()
    for events in told:
        owners.learn(events)
    return owners


def look(*bodies):
    """A look at dice in a row across the board, without any half that would tell."""
    dice = tuple(
        DieSeen(
            (1.0, 0, 0, 0, 0, 0), (n, 0), (0.2 + 0.2 * n, 0.5), appearance=looks(body, 1, seed=n)[0]
        )
        for n, body in enumerate(bodies)
    )
    return Observation(np.zeros((28, 31), np.float32), dice)


def sides(owners, *bodies):
    return [die.side for die in owners.with_owners(look(*bodies)).dice]


@pytest.fixture
def owners():
    return learnt(throws(LIGHT, WHITE, 6), throws(DARK, RED, 6, 1))


def test_dice_of_both_players_are_told_apart_once_each_has_kept_to_his_own(owners):
    assert sides(owners, WHITE, RED, RED, WHITE) == [LIGHT, DARK, DARK, LIGHT]
    assert sides(owners, RED, WHITE) == [DARK, LIGHT], "as when they draw lots"


def test_two_dice_of_one_colour_are_not_marked_for_lots_may_be_drawn_with_them(owners):
    assert sides(owners, RED, RED) == [None, None]
    assert sides(owners) == []


def test_a_die_of_another_colour_is_nobodys(owners):
    assert sides(owners, WHITE, RED, BLUE) == [LIGHT, DARK, None]


def test_nothing_is_told_before_each_has_thrown_his_own_a_few_times():
    few = learnt(throws(LIGHT, WHITE, 9), throws(DARK, RED, MIN_OWN_THROWS - 1, 1))
    assert sides(few, WHITE, RED) == [None, None]


def test_nothing_is_told_of_dice_that_both_throw():
    shared = learnt(throws(LIGHT, WHITE, 6), throws(DARK, RED, 6, 1), throws(LIGHT, RED, 2, 2))
    assert sides(shared, WHITE, RED) == [None, None]
    alike = learnt(throws(LIGHT, WHITE, 6), throws(DARK, WHITE, 6, 1))
    assert sides(alike, WHITE, WHITE) == [None, None]


def test_one_turn_that_was_misjudged_among_many_changes_nothing():
    astray = learnt(throws(LIGHT, WHITE, 30), throws(DARK, RED, 30, 1), throws(DARK, WHITE, 1, 2))
    assert sides(astray, WHITE, RED) == [LIGHT, DARK]


def test_dice_without_colours_stay_as_they_are(owners):
    seen = look(WHITE, RED)
    blind = replace(seen, dice=tuple(replace(die, appearance=None) for die in seen.dice))
    assert owners.with_owners(blind) is blind


def test_where_dice_count_anywhere_the_rollers_own_pair_is_chosen_by_its_colour(owners):
    seen = owners.with_owners(look(WHITE, RED, WHITE, RED))
    tracks = StillPeriod.of(seen).dice
    for side in Side:
        pair, others = own_pair(tracks, side, RollZone())
        assert [die.side for die in pair] == [side, side]
        assert len(others) == 2
        assert Throw(pair, 0.0, 0).roller is side


def test_a_make_is_pooled_over_a_stretch():
    dark, light = DieAppearance(RED, WHITE, 0.026), DieAppearance((36, 41, 26), WHITE, 0.028)
    tracks = [
        DieTrack.of(DieSeen((1 / 6,) * 6, (0, 0), (0, 0), appearance=one)) for one in (dark, light)
    ]
    assert (tracks[0] + tracks[1]).appearance.body == (35, 42, 26)
