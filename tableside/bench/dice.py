"""The logs on which dice statistics are measured: a large one, and one that grows."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from engine.fairness.evalues import EProcess
from engine.fairness.rolls import DiceLog, Labels, simple_log

ROLLS: Final = 10_000_000
CALLS: Final = 1_000
_SEED: Final = 20
_UNCERTAIN: Final = (0.01, 0.01, 0.01, 0.01, 0.01, 0.95)
"""Probabilities of a roll's faces; it takes as long to process as a certain one."""


def large_log(rolls: int = ROLLS) -> DiceLog:
    """A log of two fair dice and two players, the same every time."""
    values = np.random.default_rng(_SEED).integers(1, 7, rolls, dtype=np.int8)
    turns = np.arange(rolls, dtype=np.int32)
    return replace(
        simple_log(values, throw=turns // 2),
        die=Labels(("red", "white"), turns % 2),
        player=Labels(("Ann", "Ben"), turns // 2 % 2),
    )


def look_alike_log() -> DiceLog:
    """The same rolls, of two dice that cannot be told apart."""
    log = large_log()
    return replace(log, die=Labels(("pair",), np.zeros(len(log), np.int32)))


def e_process() -> EProcess:
    """The e-process after a hundred thousand rolls."""
    return EProcess.after(large_log(100_000))


def add_rolls(process: EProcess) -> None:
    """Add `CALLS` rolls, one after the other."""
    for _ in range(CALLS):
        process.add(6, _UNCERTAIN)


def run_chi_square(process: EProcess) -> None:
    """Test six counts `CALLS` times with scipy's chi-square."""
    from scipy.stats import chisquare

    for _ in range(CALLS):
        chisquare(process.counts)
