"""Statistics of dice: whether six faces are equally likely, and what so many rolls can tell.

scipy is used nowhere else in the engine, and imported where it is first needed. The method is told
in docs/fairness.md.
"""

from __future__ import annotations

from engine.fairness.bounds import confidence_sequence, posterior
from engine.fairness.compare import GroupComparison, compare
from engine.fairness.errors import InvalidDice
from engine.fairness.evalues import ALARM, LOOK_CLOSER, EProcess, EValue, bayes_factor, evidence
from engine.fairness.faces import FaceTests, Test, chi_square, face_tests, g_test
from engine.fairness.findings import (
    KINDS,
    FamilyTest,
    Findings,
    Group,
    LiveFinding,
    find_all,
    unit_of,
)
from engine.fairness.live import LiveStatistics
from engine.fairness.luck import PlayerLuck, luck_of
from engine.fairness.pairs import PairTests, find_pairs, pair_of_table
from engine.fairness.power import (
    axis_bias,
    face_bias,
    face_power,
    pip_bias,
    power,
    rolls_needed,
    rolls_to_see,
    smallest_bias,
)
from engine.fairness.reading import ConfusionMatrix, FaceTally, tally, tally_of_counts
from engine.fairness.rolls import OPENING, UNREAD, DiceLog, Labels, joined, simple_log
from engine.fairness.sequence import SerialTests, sequence_tests
from engine.fairness.verdict import Sign, bias_that_shows, more_rolls, reach, sign_of, verdict

__all__ = [
    "ALARM",
    "KINDS",
    "LOOK_CLOSER",
    "OPENING",
    "UNREAD",
    "ConfusionMatrix",
    "DiceLog",
    "EProcess",
    "EValue",
    "FaceTally",
    "FaceTests",
    "FamilyTest",
    "Findings",
    "Group",
    "GroupComparison",
    "InvalidDice",
    "Labels",
    "LiveFinding",
    "LiveStatistics",
    "PairTests",
    "PlayerLuck",
    "SerialTests",
    "Sign",
    "Test",
    "axis_bias",
    "bayes_factor",
    "bias_that_shows",
    "chi_square",
    "compare",
    "confidence_sequence",
    "evidence",
    "face_bias",
    "face_power",
    "face_tests",
    "find_all",
    "find_pairs",
    "g_test",
    "joined",
    "luck_of",
    "more_rolls",
    "pair_of_table",
    "pip_bias",
    "posterior",
    "power",
    "reach",
    "rolls_needed",
    "rolls_to_see",
    "sequence_tests",
    "sign_of",
    "simple_log",
    "smallest_bias",
    "tally",
    "tally_of_counts",
    "unit_of",
    "verdict",
]  # fmt: skip
