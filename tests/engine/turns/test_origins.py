"""From where, and by whom, a turn may have been played."""

from __future__ import annotations

import numpy as np
import pytest

from engine.dice import Roll
from engine.evidence.observation import Observation
from engine.evidence.still_period import StillPeriod
from engine.match.phase import Phase
from engine.match.state import MatchState
from engine.position import Side
from engine.rules import find_rules
from engine.simulation.board import SimulatedBoard
from engine.turns.evidence import TurnEvidence
from engine.turns.origins import find_origins
from engine.turns.zones import RollZone
from tests.engine.rules.test_narde import pos

SHUT_OUT = pos("light 19:4 1:11 | dark 6:1 5:1 4:1 3:2 2:2 1:4 off:4")
"""Dark holds the six points in front of light's last checkers."""


@pytest.mark.parametrize("thrower", Side)
def test_a_throw_in_one_half_makes_no_origin_likelier_than_certain(thrower):
    """Otherwise a history with such a pass beats one in which that player simply had the turn."""
    rules, zone = find_rules("khachapuri"), RollZone(light_throws_right=True)
    board = SimulatedBoard(np.random.default_rng(1), SHUT_OUT)
    board.throw(Roll(4, 3), thrower)
    period = StillPeriod.of(next(one for one in board.seen if isinstance(one, Observation)))
    evidence, _ = TurnEvidence(zone=zone, roller=Side.LIGHT).with_period(period)
    state = MatchState(phase=Phase.TO_ROLL, position=SHUT_OUT, to_move=Side.LIGHT, games=1)
    origins = find_origins(state, evidence, evidence.position_evidence(), rules)
    assert [one.side for one in origins] == [Side.LIGHT, Side.DARK]
    assert sum(np.exp(one.log_prior) for one in origins) <= 1
