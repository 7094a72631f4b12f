"""Hypotheses from several origins, weighed against each other."""

import numpy as np

from engine.dice import ALL_ROLLS, Roll
from engine.evidence.likelihood import PositionEvidence, PositionView
from engine.evidence.observation import cell_counts
from engine.evidence.still_period import StillPeriod
from engine.inference.verdict import Illegal, Played, Unsure
from engine.play import Play
from engine.position import Side
from engine.rules import SHORT
from engine.rules.legal import apply_play
from engine.simulation.board import observation_of
from engine.turns.evidence import TurnEvidence
from engine.turns.hypotheses import weigh_origins
from engine.turns.origins import TurnOrigin

RECORDED = SHORT.opening()
OTHER = apply_play(RECORDED, Side.LIGHT, Play.parse("13/11"), SHORT)
AFTER = apply_play(OTHER, Side.LIGHT, Play.parse("8/5 6/5"), SHORT)
"""Legal with 3-1 from `OTHER`; from `RECORDED`, a checker has moved two pips besides."""


def weighed(other_log_prior: float):
    settled = cell_counts(RECORDED)
    seen = StillPeriod.of(observation_of(AFTER))
    view = PositionView.of(seen, settled)
    changed = np.where(cell_counts(AFTER) != settled, 4.0, -4.0)
    view = PositionView(view.table, changed, settled)
    rolls = np.full(len(ALL_ROLLS), np.log(1e-6))
    rolls[ALL_ROLLS.index(Roll(3, 1))] = np.log1p(-20e-6)
    origins = (
        TurnOrigin(RECORDED, Side.LIGHT),
        TurnOrigin(OTHER, Side.LIGHT, other_log_prior, is_recorded=False),
    )
    return weigh_origins(TurnEvidence(), PositionEvidence(view), origins, SHORT, lambda _: rolls)


def test_nobody_is_accused_if_a_legal_play_from_another_origin_is_about_as_likely():
    accused = weighed(-60.0)
    assert isinstance(accused.verdict, Illegal)
    even = weighed(accused.weight + np.log(0.9) - weighed(0.0).weight)
    assert isinstance(even.verdict, Played | Unsure)
    assert even.best.legal
    assert even.origin.position == OTHER
    illegal, *_ = even.rivals
    assert isinstance(illegal.verdict, Illegal)
    assert illegal.p > even.p
