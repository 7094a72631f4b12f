"""The variants and what a finished game is worth."""

from __future__ import annotations

import subprocess
import sys

import pytest

from engine import CHECKERS, Side, find_rules
from engine.errors import UnknownVariant
from engine.rules import VARIANTS, GameOutcome
from tests.positions import pos

WON = "light off:15 | dark "


@pytest.mark.parametrize("name", VARIANTS)
def test_a_variant_is_found_by_its_name_and_opens_with_all_checkers(name):
    rules = find_rules(name)
    assert rules.name == name
    assert sum(rules.start) == CHECKERS
    assert rules.opening().light == rules.opening().dark == rules.start
    assert rules.outcome(rules.opening()) is None


def test_the_error_for_an_unknown_variant_lists_the_known_ones():
    with pytest.raises(UnknownVariant, match="short, nackgammon, hypergammon, longgammon"):
        find_rules("chess")


@pytest.mark.parametrize(
    ("name", "text", "points", "result"),
    [
        ("short", WON + "off:1 6:14", 1, "single"),
        ("short", WON + "6:15", 2, "gammon"),
        ("short", WON + "18:1 6:14", 2, "gammon"),
        ("short", WON + "19:1 6:14", 3, "backgammon"),
        ("short", WON + "bar:1 6:14", 3, "backgammon"),
        ("short", WON + "off:1 bar:1 6:13", 1, "single"),
        ("hypergammon", WON + "off:12 6:3", 2, "gammon"),
        ("hypergammon", WON + "off:13 6:2", 1, "single"),
    ],
)
def test_points_of_a_finished_game(name, text, points, result):
    assert find_rules(name).outcome(pos(text)) == GameOutcome(Side.LIGHT, points, result)


def test_numba_is_not_imported_before_the_first_search():
    code = "import engine, sys; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
