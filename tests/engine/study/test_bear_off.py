"""Effective pips against a slow twin, published figures and gnubg."""

from __future__ import annotations

import re
from itertools import combinations_with_replacement

import pytest

from engine import Position, Side, find_rules
from engine.formats.ids.position_id import position_id
from engine.study.bear_off import bear_off, home_bear_off
from tests.gnubg import HUMANS, run
from tests.naive_bearoff import naive_rolls


def test_every_board_of_up_to_three_checkers_takes_as_many_rolls_as_the_slow_twin_says():
    for count in range(4):
        for home in combinations_with_replacement(range(1, 7), count):
            counts = [home.count(point) for point in range(1, 7)]
            assert home_bear_off(counts).rolls == pytest.approx(float(naive_rolls(home)), abs=1e-9)


def test_known_boards_have_their_known_chances():
    assert home_bear_off([0, 0, 0, 0, 0, 1]).rolls == 1.25  # 27 of 36 rolls take it off
    assert home_bear_off([2, 0, 0, 0, 0, 0]).wastage == pytest.approx(49 / 6 - 2)
    # Trice: a stack of 15 on the ace point takes 57 pips.
    assert home_bear_off([15, 0, 0, 0, 0, 0]).effective_pips == pytest.approx(57, abs=0.01)


def test_only_a_bear_off_without_contact_has_a_figure():
    race = Position.parse("light 6:5 5:5 off:5 | dark 6:1 4:2 off:12")
    found = bear_off(race, Side.DARK)
    assert found is not None
    assert found.pips == 14
    outside = Position.parse("light 7:1 6:4 5:5 off:5 | dark 6:1 off:14")
    assert bear_off(outside, Side.LIGHT) is None
    assert bear_off(outside, Side.DARK) is not None
    contact = Position.parse("light 6:5 5:5 off:5 | dark 24:1 off:14")
    assert bear_off(contact, Side.LIGHT) is None
    assert bear_off(find_rules("short").opening(), Side.LIGHT) is None
    assert bear_off(find_rules("narde").opening(), Side.LIGHT) is None


@pytest.mark.parametrize(
    "home", ["6:2 5:2 4:3 3:3 2:3 1:2", "6:7 4:8", "3:4 2:1 1:9 off:1", "5:1 1:1 off:13"]
)
def test_gnubg_finds_the_same(home, tmp_path):
    """By its own database, which keeps probabilities as 16 bits."""
    position = Position.parse(f"light {home} | dark 1:15")
    board = f"set board {position_id(position, Side.DARK)}"
    said = run(f"{HUMANS}new match 7\n{board}\neval\nquit\ny\n", tmp_path)
    epc = re.findall(r"^EPC\s+([0-9.]+)\s+([0-9.]+)", said, re.MULTILINE)
    wastage = re.findall(r"^Wastage\s+([0-9.]+)\s+([0-9.]+)", said, re.MULTILINE)
    ours = [one for side in Side if (one := bear_off(position, side))]
    assert sorted(float(n) for n in epc[0]) == pytest.approx(
        sorted(one.effective_pips for one in ours), abs=0.003
    )
    assert sorted(float(n) for n in wastage[0]) == pytest.approx(
        sorted(one.wastage for one in ours), abs=0.003
    )
