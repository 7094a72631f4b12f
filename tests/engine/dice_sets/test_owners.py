"""Whose dice they are: known by color once each player has thrown only his own."""

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
from tests.engine.dice_sets.test_clusters import RED, WHITE, appearances

LIGHT, DARK = Side
BLUE = (32, 9, -30)


def throws(player, body, count, seed=0):
    dice = appearances(body, 2 * count, seed=seed)
    lay = [
        DieAtRest(chances=(1.0, 0, 0, 0, 0, 0), place=(0.7, 0.5), appearance=die) for die in dice
    ]
    for n in range(count):
        own = (lay[2 * n], lay[2 * n + 1])
        yield DiceRolled(time=n, frame=n, player=player, dice=(1, 1), dice_at_rest=own)


def learnt(*batches):
    owners = DiceOwners()
    for events in batches:
        owners.learn(events)
    return owners


def observation(*bodies):
    """Dice in a row across the board, in neither half."""
    made = [appearances(body, 1, seed=n)[0] for n, body in enumerate(bodies)]
    dice = tuple(
        DieSeen((1.0, 0, 0, 0, 0, 0), (n, 0), (0.2 + 0.2 * n, 0.5), appearance=appearance)
        for n, appearance in enumerate(made)
    )
    return Observation(np.zeros((28, 31), np.float32), dice)


def sides(owners, *bodies):
    return [die.side for die in owners.with_owners(observation(*bodies)).dice]


@pytest.fixture
def owners():
    return learnt(throws(LIGHT, WHITE, 6), throws(DARK, RED, 6, 1))


def test_dice_of_both_players_are_distinguished_once_each_has_thrown_his_own(owners):
    assert sides(owners, WHITE, RED, RED, WHITE) == [LIGHT, DARK, DARK, LIGHT]
    assert sides(owners, RED, WHITE) == [DARK, LIGHT], "as when they draw lots"


def test_two_dice_of_one_colour_have_no_owner_as_the_opening_roll_may_be_with_them(owners):
    assert sides(owners, RED, RED) == [None, None]
    assert sides(owners) == []


def test_a_die_of_another_colour_has_no_owner(owners):
    assert sides(owners, WHITE, RED, BLUE) == [LIGHT, DARK, None]


def test_no_owner_is_known_before_each_has_thrown_his_own_a_few_times():
    few = learnt(throws(LIGHT, WHITE, 9), throws(DARK, RED, MIN_OWN_THROWS - 1, 1))
    assert sides(few, WHITE, RED) == [None, None]


def test_dice_that_both_throw_have_no_owner():
    shared = learnt(throws(LIGHT, WHITE, 6), throws(DARK, RED, 6, 1), throws(LIGHT, RED, 2, 2))
    assert sides(shared, WHITE, RED) == [None, None]
    alike = learnt(throws(LIGHT, WHITE, 6), throws(DARK, WHITE, 6, 1))
    assert sides(alike, WHITE, WHITE) == [None, None]


def test_one_misjudged_turn_among_many_changes_nothing():
    astray = learnt(throws(LIGHT, WHITE, 30), throws(DARK, RED, 30, 1), throws(DARK, WHITE, 1, 2))
    assert sides(astray, WHITE, RED) == [LIGHT, DARK]


def test_dice_without_colours_stay_as_they_are(owners):
    seen = observation(WHITE, RED)
    blind = replace(seen, dice=tuple(replace(die, appearance=None) for die in seen.dice))
    assert owners.with_owners(blind) is blind


def test_where_dice_count_anywhere_the_rollers_own_pair_is_chosen_by_its_colour(owners):
    seen = owners.with_owners(observation(WHITE, RED, WHITE, RED))
    tracks = StillPeriod.of(seen).dice
    for side in Side:
        pair, others = own_pair(tracks, side, RollZone())
        assert [die.side for die in pair] == [side, side]
        assert len(others) == 2
        assert Throw(pair, 0.0, 0).roller is side


def test_an_appearance_is_pooled_over_a_still_period():
    dark, light = DieAppearance(RED, WHITE, 0.026), DieAppearance((36, 41, 26), WHITE, 0.028)
    tracks = [
        DieTrack.of(DieSeen((1 / 6,) * 6, (0, 0), (0, 0), appearance=one)) for one in (dark, light)
    ]
    assert (tracks[0] + tracks[1]).appearance.body == (35, 42, 26)
