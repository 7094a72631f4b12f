"""Starting positions, their errors, and the text of a position."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import Course, Position, Roll, Setup, Side
from engine.errors import InvalidPosition, InvalidRoll
from engine.rules import VARIANTS
from tests.positions import pos, random_turn

SHORT = VARIANTS["short"]
START = SHORT.opening()


def changed(vector, **places):
    counts = list(vector)
    for place, count in places.items():
        counts[int(place[1:])] = count
    return counts


def test_the_opening_position_has_no_faults():
    assert Setup(START.light, START.dark).faults() == ()
    assert Setup(list(START.light), list(START.dark)).checked() == START


@pytest.mark.parametrize(
    ("light", "fault"),
    [
        (changed(START.light, p6=4), "light has 14 checkers, not 15"),
        (changed(START.light, p6=-1, p5=6), "light has -1 checkers on the 6 point"),
        (START.light[:25], "light needs 26 counts, not 25"),
        (changed(START.light, p6=5.0), "light has a count that is not a whole number"),
        (changed(START.light, p6=True, p5=4), "light has a count that is not a whole number"),
        (changed(START.light, p6=4, p1=1), "light's 1 point holds checkers of both sides"),
    ],
)
def test_every_fault_is_named(light, fault):
    assert fault in map(str, Setup(light, START.dark).faults())
    with pytest.raises(InvalidPosition, match=fault):
        Setup(light, START.dark).checked()


@given(st.lists(st.integers(-2, 16), min_size=24, max_size=27), st.booleans())
def test_a_setup_without_faults_has_fifteen_checkers_a_side(counts, swap):
    sides = (counts, START.dark) if not swap else (START.light, counts)
    faults = Setup(*sides).faults()
    sound = len(counts) == 26 and sum(counts) == 15 and min(counts) >= 0
    assert sound or faults


@given(st.integers(0, 2**32))
def test_text_of_a_position_reads_back(seed):
    position, *_ = random_turn(seed, SHORT, most_plies=60)
    assert Position.parse(str(position)) == position


def test_checkers_that_are_not_named_are_borne_off():
    assert pos("light bar:1 6:2 | dark 3:1").light[0] == 12


@pytest.mark.parametrize("text", ["6:5", "light 6 | dark 1:1", "light 26:1 | dark 1:1"])
def test_text_that_is_no_position_is_refused(text):
    with pytest.raises(InvalidPosition):
        Position.parse(text)


@pytest.mark.parametrize("course", Course)
@pytest.mark.parametrize("point", range(1, 25))
def test_the_opponents_number_of_his_number_is_ones_own(course, point):
    assert course.across(course.across(point)) == point


def test_pips_of_the_opening_position():
    assert START.pips(Side.LIGHT) == START.pips(Side.DARK) == 167


@pytest.mark.parametrize("dice", [(0, 1), (7, 1), (True, 1), (1.0, 2)])
def test_a_die_shows_one_to_six(dice):
    with pytest.raises(InvalidRoll):
        Roll(*dice)


def test_a_roll_has_its_larger_die_first():
    assert (Roll(1, 3).high, Roll(1, 3).low, str(Roll(1, 3))) == (3, 1, "31")
