"""The first roll after a start: a new process for each variant, as after `make install`."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from typing import Final

from engine.rules import VARIANTS
from tableside.bench import BenchRow

_FIRST_ROLL: Final = """
import sys, time
from engine import Roll, Side, find_rules, legal_plays
rules = find_rules(sys.argv[1])
start = time.perf_counter()
legal_plays(rules.opening(), Side.LIGHT, Roll(3, 1), rules)
print(time.perf_counter() - start)
"""
_BASELINE: Final = """
import time
start = time.perf_counter()
import numba
print(time.perf_counter() - start)
"""


def measure_first_roll(variants: Iterable[str] = VARIANTS) -> BenchRow:
    """The slowest variant's first list of plays, which loads its compiled search."""
    took = {name: _seconds(_FIRST_ROLL, name) for name in variants}
    slowest = max(took, key=lambda name: took[name])
    return BenchRow(
        took[slowest],
        "s",
        f"importing numba in a new process; slowest: {slowest}",
        _seconds(_BASELINE),
        is_more_better=False,
    )


def _seconds(program: str, *arguments: str) -> float:
    """What the program prints, run by a new interpreter."""
    command = [sys.executable, "-c", program, *arguments]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
