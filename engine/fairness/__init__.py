"""Statistics of dice: whether the faces are equally likely, and how many rolls a bias needs.

scipy is imported where it is first needed. docs/fairness.md explains the method.
"""

from engine.fairness.compare import GroupComparison
from engine.fairness.evalues import ALARM_E_VALUE, LOOK_CLOSER_E_VALUE, EProcess, EValue
from engine.fairness.faces import Test
from engine.fairness.findings import FamilyTest, Findings, Group, LiveFinding, analyse_log
from engine.fairness.live import LiveStatistics
from engine.fairness.pairs import PairTests
from engine.fairness.reading import ConfusionMatrix
from engine.fairness.rolls import (
    OPENING,
    UNREAD,
    DiceLog,
    InvalidDice,
    Labels,
    join_logs,
    simple_log,
)
from engine.fairness.verdict import Sign, more_rolls, sign_of

__all__ = [
    "ALARM_E_VALUE",
    "LOOK_CLOSER_E_VALUE",
    "OPENING",
    "UNREAD",
    "ConfusionMatrix",
    "DiceLog",
    "EProcess",
    "EValue",
    "FamilyTest",
    "Findings",
    "Group",
    "GroupComparison",
    "InvalidDice",
    "Labels",
    "LiveFinding",
    "LiveStatistics",
    "PairTests",
    "Sign",
    "Test",
    "analyse_log",
    "join_logs",
    "more_rolls",
    "sign_of",
    "simple_log",
]
