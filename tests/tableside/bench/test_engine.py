"""The list that the engine's figures are measured on."""

from typing import Any

import pytest

from engine import CHECKERS, OFF
from tableside.bench.engine import midgame_turns, random_turns


def test_the_list_is_the_same_every_time_and_is_midgame():
    turns = random_turns(40)
    assert turns == random_turns(40)
    assert len(turns) == 40
    for position, _ in turns:
        assert position.light[OFF] == position.dark[OFF] == 0
        assert sum(position.light) == sum(position.dark) == CHECKERS


def test_gnubg_nn_counts_the_same_results():
    pytest.importorskip("gnubg_nn", reason="gnubg-nn is not installed (extra: bench)")
    lists = midgame_turns(200)
    legal_lists: Any = lists.call_api()
    ours = [0 if legal.is_pass else len(legal) for legal in legal_lists]
    assert lists.call_gnubg() == ours
