"""Benchmarks of the dice statistics: a large log at once, and one roll more."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Final

import numpy as np

from engine.fairness import DiceLog, EProcess, Labels, analyse_log, simple_log
from engine.fairness.faces import chi_square
from engine.fairness.reading import tally
from tableside.bench import BenchRow, Measure, median_seconds

ROLLS: Final = 10_000_000
_SEED: Final = 20


def large_log(rolls: int = ROLLS) -> DiceLog:
    """A log of two fair dice and two players, the same every time."""
    values = np.random.default_rng(_SEED).integers(1, 7, rolls, dtype=np.int8)
    turns = np.arange(rolls, dtype=np.int32)
    return replace(
        simple_log(values, throw=turns // 2),
        die=Labels(("red", "white"), turns % 2),
        player=Labels(("Ann", "Ben"), turns // 2 % 2),
    )


def _measure_log() -> BenchRow:
    log = large_log()
    here = median_seconds(lambda: analyse_log(log), clock=time.process_time)
    baseline = median_seconds(lambda: chi_square(tally(log)), clock=time.process_time)
    return BenchRow(here, "s", "counting them and scipy's chi-square alone", baseline, False)


def _measure_roll() -> BenchRow:
    """An uncertain roll, which costs as much as a certain one."""
    process = EProcess.after(large_log(100_000))
    probabilities = (0.01, 0.01, 0.01, 0.01, 0.01, 0.95)
    here = _seconds_per_call(lambda: process.add(6, probabilities))
    counts = process.counts
    from scipy.stats import chisquare

    return BenchRow(here * 1e3, "ms", "scipy's chi-square of six counts",
               _seconds_per_call(lambda: chisquare(counts)) * 1e3, False)  # fmt: skip


def _seconds_per_call(work: Callable[[], object]) -> float:
    def repeat() -> None:
        for _ in range(1_000):
            work()

    return median_seconds(repeat, clock=time.process_time) / 1_000


ROWS: Final[dict[str, Measure]] = {"dice_log": _measure_log, "dice_roll": _measure_roll}
