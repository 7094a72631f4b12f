"""Names of dice: common color names, the same from match to match."""

from __future__ import annotations

import pytest

from engine.dice_sets.clusters import DiceCluster
from engine.dice_sets.colour import colour_name, hex_of, lab_of, linear_of
from engine.dice_sets.identities import DieIdentities
from engine.dice_sets.names import COLOUR_NAMES
from engine.evidence.observation import DieAppearance

WHITE, RED = (81, -1, 4), (34, 43, 26)


def cluster(body, *, is_pair=True):
    return DiceCluster(DieAppearance(body, (50, 0, 0), 0.0265), is_pair, 40)


def named(*matches):
    """The names of the kinds of each match in turn."""
    known, all_names = DieIdentities(), []
    for kinds in matches:
        known, names = known.after(kinds)
        all_names.append(names)
    return all_names


@pytest.mark.parametrize(
    ("colour", "name"),
    [
        ((81, -1, 4), "white"), ((71, 0, 9), "white"), ((74, 2, 18), "ivory"),
        ((65, -7, 37), "yellow"), ((34, 43, 26), "red"), ((32, 9, -30), "blue"),
        ((37, 12, 18), "brown"), ((21, -11, 13), "green"), ((12, 0, 4), "black"),
        ((50, 1, 2), "grey"), ((35, 0, 2), "dark grey"), ((60, 30, 55), "orange"),
        ((70, 25, 3), "pink"), ((40, 30, -40), "purple"), ((55, -30, -10), "turquoise"),
    ],
)  # fmt: skip
def test_a_colour_has_its_common_name(colour, name):
    assert colour_name(colour) == name


def test_every_colour_name_has_names_of_dice():
    grid = [(light, a, b) for light in range(0, 101, 5) for a in range(-60, 61, 6)
            for b in range(-60, 61, 6)]  # fmt: skip
    assert {colour_name(colour) for colour in grid} == set(COLOUR_NAMES)


def test_colours_are_converted_to_linear_light_and_back_and_to_hex():
    for colour in (WHITE, RED, (5, 1, -2), (97, 0, 0)):
        assert lab_of(linear_of(colour)[None])[0] == pytest.approx(colour, abs=1e-6)
    assert hex_of((100, 0, 0)) == "#ffffff"
    assert hex_of((0, 0, 0)) == "#000000"
    assert hex_of((53.24, 80.09, 67.2)) == "#ff0000"


def test_a_pair_is_called_a_pair_and_two_unlike_dice_are_each_a_die():
    assert named([cluster(RED), cluster(WHITE)]) == [("red pair", "white pair")]
    singles = [cluster(RED, is_pair=False), cluster(WHITE, is_pair=False)]
    assert named(singles) == [("red die", "white die")]


def test_the_same_dice_have_the_same_name_in_every_match_and_in_other_light():
    dimmer = tuple(lab_of(linear_of(WHITE)[None] * 0.7)[0])
    later = [cluster((38, 40, 22)), cluster(dimmer)]
    names = named([cluster(WHITE), cluster(RED)], [cluster(RED)], later)
    assert names == [("white pair", "red pair"), ("red pair",), ("red pair", "white pair")]


def test_a_name_is_not_changed_by_later_matches():
    first = named([cluster(RED)])
    assert named([cluster(RED)], [cluster((60, 45, 30))], [cluster(RED)])[:1] == first


def test_two_clusters_of_one_colour_have_two_names():
    light, dark = cluster((46, 60, 40)), cluster((16, 40, 24))
    names = named([light, dark], [dark, light])
    assert names[0] == ("red pair", "red pair, the darker")
    assert names[1] == names[0][::-1]
    assert named([cluster((34, 60, 20)), cluster((34, 36, 20))])[0][1] == "red pair no. 2"


def test_one_die_is_not_taken_for_a_pair_of_its_colour():
    assert named([cluster(RED)], [cluster(RED, is_pair=False)]) == [("red pair",), ("red die",)]
