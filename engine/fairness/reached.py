"""Whether a bias shows as often as a verdict says that it would have: loaded dice of known bias."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from engine.arrays import Rng
from engine.fairness.findings import unit_of
from engine.fairness.power import POWER, face_bias
from engine.fairness.rolls import simple_log
from engine.fairness.simulate import ObservedRate, drawn_faces
from engine.fairness.verdict import Sign, bias_that_shows, sign_of

LENGTHS: Final = (60, 100, 150, 250, 400, 1_000)
"""Rolls of a die: a short match to a weekend."""


def reached(logs: int, chance: Rng) -> Iterator[ObservedRate]:
    """How often a die that is just as biased as its verdict names gets another one than a quiet."""
    for is_live in (False, True):
        for rolls in LENGTHS:
            bias = bias_that_shows(rolls, is_live=is_live)
            found = _shown(rolls, bias, logs, chance, is_live=is_live)
            when = "while they come in" if is_live else "at the end"
            what = f"a face off by {bias:.0%} shows in {rolls:,} rolls, {when}"
            yield ObservedRate("verdict", what, found, POWER, logs, is_least=True)


def _shown(rolls: int, bias: float, logs: int, chance: Rng, *, is_live: bool) -> float:
    faces = drawn_faces(chance, face_bias(bias), logs, rolls)
    # As a cup's, of which only the faces are asked.
    units = (unit_of("die", "cups", simple_log(row + 1)) for row in faces)
    return float(np.mean([sign_of(unit, is_live=is_live) is not Sign.QUIET for unit in units]))
