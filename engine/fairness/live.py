"""Anytime-valid statistics of the dice in a running match, updated roll by roll."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from engine.fairness.bounds import confidence_sequence
from engine.fairness.evalues import EProcess, EValue, curve_marks
from engine.fairness.findings import LiveFinding
from engine.fairness.reading import likelihoods, tally
from engine.fairness.rolls import CERTAIN, DiceLog


@dataclass(slots=True)
class _Die:
    own: EProcess
    """The process for this match."""
    overall: EProcess
    """The process for all finished matches and this one."""
    path: list[tuple[int, float]] = field(default_factory=list)
    """Rolls of this match and the overall log e-value, at the end of each throw."""


class LiveStatistics:
    """Follows a growing log; after a correction in it, the match is counted again."""

    def __init__(self, ended: Mapping[str, EProcess]) -> None:
        """`ended`: the processes of the dice in finished matches, by name."""
        self._ended = dict(ended)
        self._dice: dict[str, _Die] = {}
        self._log: DiceLog | None = None

    def follow(self, log: DiceLog) -> int:
        """Add the new rows of the match's usable log; return their number."""
        known = 0 if self._log is None else len(self._log)
        if self._log is not None and not _extends(self._log, log):
            self._dice, known = {}, 0
        for row in range(known, len(log)):
            self._add(log, row)
        self._log = log
        return len(log) - known

    def _add(self, log: DiceLog, row: int) -> None:
        name = log.die.names[log.die.codes[row]]
        die = self._dice.get(name)
        if die is None:
            before = self._ended.get(name)
            die = _Die(EProcess(), EProcess() if before is None else before.copy())
            self._dice[name] = die
        ends = not _has_twin_after(log, row)
        value, chances = int(log.value[row]), _chances(log, row)
        die.own.add(value, chances, ends_throw=ends)
        die.overall.add(value, chances, ends_throw=ends)
        if ends:
            die.path.append((die.own.rolls, die.overall.log_e))

    def dice(self) -> Iterator[tuple[LiveFinding, EProcess]]:
        """Each die of the match: its findings with the overall evidence, and its own process."""
        if self._log is None:
            return
        log, pooled = self._log, self._log.pooled
        for name, die in self._dice.items():
            code = log.die.names.index(name)
            counted = tally(log.at(log.die.codes == code))
            evidence = _evidence(die.path, die.overall)
            bounds = confidence_sequence(counted)
            found = LiveFinding(name, name in pooled, len(self._dice), counted, evidence, bounds)
            yield found, die.own


def _has_twin_after(log: DiceLog, row: int) -> bool:
    """Whether a die of the same name follows in the same throw."""
    end = int(np.searchsorted(log.throw, log.throw[row], side="right"))
    return bool((log.die.codes[row + 1 : end] == log.die.codes[row]).any())


def _extends(before: DiceLog, after: DiceLog) -> bool:
    """Whether `after` begins with all of `before`."""
    count = len(before)
    if len(after) < count:
        return False
    begun = after.at(np.arange(count))
    columns = ("value", "confidence", "throw")
    is_same = all(np.array_equal(getattr(before, c), getattr(begun, c)) for c in columns)
    return is_same and before.die.values() == begun.die.values()


def _chances(log: DiceLog, row: int) -> tuple[float, ...] | None:
    """The probabilities of the six faces; None if the reading is certain."""
    if log.confidence[row] >= CERTAIN:
        return None
    return tuple(likelihoods(log.at(np.array([row])))[0].tolist())


def _evidence(path: Sequence[tuple[int, float]], overall: EProcess) -> EValue:
    pair = overall.look_alikes
    if not path:
        none = np.zeros(0, np.int64)
        return EValue(overall.log_e, overall.log_largest, 0, none, np.zeros(0), pair)
    chosen = curve_marks(len(path)) - 1
    rolls = np.array([one for one, _ in path], np.int64)[chosen]
    logs = np.array([one for _, one in path])[chosen]
    top = int(np.argmax([one for _, one in path]))
    return EValue(overall.log_e, overall.log_largest, path[top][0], rolls, logs, pair)
