"""The list that the engine's figures are measured on."""

import pytest

from engine import CHECKERS, OFF, Side, legal_plays
from engine.rules import SHORT
from tableside.bench.engine import midgame_turns


def test_the_list_is_the_same_every_time_and_is_midgame():
    turns = midgame_turns(40)
    assert turns == midgame_turns(40)
    assert len(turns) == 40
    for position, _ in turns:
        assert position.light[OFF] == position.dark[OFF] == 0
        assert sum(position.light) == sum(position.dark) == CHECKERS


def test_gnubg_nn_counts_the_same_results():
    gnubg_nn = pytest.importorskip("gnubg_nn", reason="gnubg-nn is not installed (extra: bench)")
    for position, roll in midgame_turns(200):
        legal = legal_plays(position, Side.LIGHT, roll, SHORT)
        sides = [list(position.dark[1:]), list(position.light[1:])]
        theirs = len(gnubg_nn.moves(sides, roll.high, roll.low))
        assert theirs == (0 if legal.is_pass else len(legal))
