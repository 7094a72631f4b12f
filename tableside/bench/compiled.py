"""Compiles what numba compiles: `python -m tableside.bench.compiled`, after the installation.

numba keeps the machine code beside the sources; otherwise the first roll, the first picture and the
first table of dice would each wait for it, up to twenty seconds.
"""

from __future__ import annotations

import numpy as np

import samples
from engine.dice import Roll
from engine.evidence.observation import CELLS, COUNTS
from engine.evidence.whole_board import most_probable
from engine.fairness.evalues import EProcess
from engine.fairness.findings import analyse_log
from engine.fairness.reading import ConfusionMatrix
from engine.fairness.rolls import simple_log
from engine.fairness.simulate import anytime_rates
from engine.position import HOME_POINTS, Side
from engine.rules import SHORT, VARIANTS, Rules
from engine.rules.legal import can_move, find_play, legal_plays
from engine.study.bear_off import home_bear_off
from tableside.setup.inspect import InspectionRequest, inspect_picture
from vision.sources.files import VideoFile

_ORDINARY = Roll(3, 1)
_DOUBLE = Roll(6, 6)
_ROLLS = 60


def compile_all() -> None:
    """Do once, on a small scale, everything that calls a compiled function."""
    for rules in VARIANTS.values():
        _search(rules)
    home_bear_off([0] * HOME_POINTS)
    _look()
    most_probable(np.zeros((CELLS, COUNTS)))  # which counts fit is looked for on an unclear board
    _judge_dice()


def _search(rules: Rules) -> None:
    """Search one variant in every way that a game does, for one board and for several."""
    position = rules.opening()
    own, other = position.of(Side.LIGHT), position.of(Side.DARK)
    for roll in (_ORDINARY, _DOUBLE):
        after = legal_plays(position, Side.LIGHT, roll, rules)[0].position
        find_play(position, Side.LIGHT, roll, after, rules)
        can_move(position, Side.LIGHT, roll, rules)
        rules.search(np.array([[own, other]], np.int8), np.array([[roll.high, roll.low]], np.int8))


def _look() -> None:
    """Learn and read the sample's first picture."""
    frame = next(iter(VideoFile(samples.CLIP)))
    inspect_picture(frame.image, InspectionRequest(SHORT.opening(), SHORT.name))


def _judge_dice() -> None:
    """Judge a log of dice, as read and with misreadings, and simulate one."""
    alike = simple_log([1, 2] * (_ROLLS // 2), throw=np.arange(_ROLLS) // 2)
    for log in (alike, simple_log([1, 2] * (_ROLLS // 2))):
        for confusion in (None, ConfusionMatrix.symmetric(0.01)):
            analyse_log(log, confusion)
        EProcess.after(log)
    tuple(anytime_rates(1, _ROLLS, np.random.default_rng(1)))


if __name__ == "__main__":
    compile_all()
