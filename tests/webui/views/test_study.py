"""The figures for study beside the board."""

from typing import Any

import pytest

from webui.contracts.state import blank_state
from webui.views import study
from webui.views.study import study_lines

CENTERED = {"value": 1, "owner": None, "offered": None, "by": None, "crawford": False}
RACE = {"light": [0, 0, 0, 5, 5, 5] + [0] * 20, "dark": [13, 2] + [0] * 24}
CONTACT = {"light": [0] * 5 + [5, 5] + [0] * 14 + [5] + [0] * 4, "dark": [13] + [0] * 23 + [2, 0]}


@pytest.fixture(scope="module", autouse=True)
def _figures():
    """The figures of all home boards, computed once."""
    study._home_boards().result(120)


def state(**known: Any) -> Any:
    names = {"light": "Ann", "dark": "Ben"}
    return {**blank_state(), "players": names, "pips": {"light": 1, "dark": 1}, **known}


def lines(score=(0, 0), length=7, position: Any = CONTACT, **cube):
    points = {"light": score[0], "dark": score[1]}
    cube = {**CENTERED, **cube}
    return study_lines(state(score=points, length=length, position=position, cube=cube))


def test_each_player_has_a_take_point_and_a_gammon_value():
    assert lines(score=(3, 5)) == [
        "Ann: take point 18.6% · gammon value 0.46",  # redoubles at once, as nothing is lost by it
        "Ben: take point 19.9% · gammon value 0.86",
    ]


def test_nobody_takes_in_the_crawford_game_or_a_cube_that_is_theirs():
    assert not any("take point" in line for line in lines(score=(6, 3), crawford=True))
    (taker,) = (line for line in lines(owner="dark", value=2) if "take point" in line)
    assert taker.startswith("Ann: ")


def test_there_is_no_take_point_where_a_drop_loses_the_match():
    assert lines(length=1) == ["Ann: gammon value 0.00", "Ben: gammon value 0.00"]
    (ben,) = (line for line in lines(score=(2, 6), length=7) if "take point" in line)
    assert ben.startswith("Ben: ")


def test_a_bear_off_has_an_effective_pip_count():
    assert lines(length=0, position=RACE) == [
        "Ann: EPC 71.1, wastage 11.1",
        "Ben: EPC 8.2, wastage 6.2",
    ]
    assert not any("EPC" in line for line in lines(position=CONTACT))


def test_an_impossible_board_has_no_effective_pip_count():
    both = {"light": [13, 2] + [0] * 24, "dark": [13] + [0] * 23 + [2, 0]}
    assert not any("EPC" in line for line in lines(position=both))


def test_money_and_a_match_longer_than_the_table_have_no_cube_figures():
    assert lines(length=0) == []
    assert lines(length=99) == []


def test_nothing_is_shown_where_pip_counts_are_hidden_or_there_is_no_cube():
    known = state(length=7, position=RACE, cube=CENTERED)
    assert study_lines(known)
    assert study_lines(state(length=7, position=RACE, cube=CENTERED, pips=None)) == []
    assert study_lines(state(length=7, position=RACE, cube=None)) == []
