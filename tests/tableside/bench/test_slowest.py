"""The search for the slowest turn tries positions that can be, and says what it found."""

import numpy as np
import pytest

from engine.position import Position, Setup
from engine.rules import find_rules
from tableside import cli
from tableside.bench.slowest import find_slowest


@pytest.mark.parametrize("variant", ["short", "crazy_narde"])
def test_the_slowest_turn_is_one_of_a_checked_position(variant):
    rules = find_rules(variant)
    found = find_slowest(rules, 4, np.random.default_rng(1))
    position = found.position
    assert Setup(position.light, position.dark, rules.course).faults() == ()
    assert found.cost == max(found.look_ms, found.entry_ms) > 0


def test_the_command_prints_the_position(capsys):
    assert cli.main(["bench", "--slowest", "2", "--variant", "hypergammon"]) == 0
    line = capsys.readouterr().out
    assert line.startswith("hypergammon (2 steps): look ")
    text = line.split(": ", 3)[3]
    assert Position.parse(text, find_rules("hypergammon").course)


@pytest.mark.slow
@pytest.mark.parametrize("variant", ["crazy_narde", "crazy_gulbar", "giul"])
def test_a_long_search_among_doubles_that_rise_ends(variant):
    assert find_slowest(find_rules(variant), 200, np.random.default_rng(2)).cost > 0
