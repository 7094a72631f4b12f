"""The dice of a match that is being played, roll by roll: only what may be told at any time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from engine.fairness.bounds import confidence_sequence
from engine.fairness.evalues import EProcess, EValue, curve_marks
from engine.fairness.findings import LiveFinding
from engine.fairness.reading import tally
from engine.fairness.rolls import SURE, DiceLog


@dataclass(slots=True)
class _Die:
    own: EProcess
    """Of this match."""
    overall: EProcess
    """Of all matches that are over, and this one."""
    path: list[tuple[int, float]] = field(default_factory=list)
    """Rolls of this match and the log e-value of all, at the end of each throw."""


class LiveStatistics:
    """Follows a log that grows; what was corrected in it begins anew."""

    def __init__(self, ended: Mapping[str, EProcess]) -> None:
        """`ended`: where the dice stood, by name, when the match began."""
        self._ended = dict(ended)
        self._dice: dict[str, _Die] = {}
        self._log: DiceLog | None = None

    def follow(self, log: DiceLog) -> int:
        """Take in what is new of the usable rolls of the match; how many dice that were."""
        known = 0 if self._log is None else len(self._log)
        if self._log is not None and not _goes_on(self._log, log):
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
        ends = not _has_twin_behind(log, row)
        value, chances = int(log.value[row]), _chances(log, row)
        die.own.add(value, chances, ends_throw=ends)
        die.overall.add(value, chances, ends_throw=ends)
        if ends:
            die.path.append((die.own.rolls, die.overall.log_e))

    def dice(self) -> Iterator[tuple[LiveFinding, EProcess]]:
        """Each die of the match: its rolls with the evidence of all matches, and the process."""
        if self._log is None:
            return
        log, pooled = self._log, self._log.pooled
        for name, die in self._dice.items():
            code = log.die.names.index(name)
            counted = tally(log.at(log.die.codes == code))
            evidence = _evidence(die.path, die.overall)
            bounds = confidence_sequence(counted)
            yield LiveFinding(name, name in pooled, counted, evidence, bounds), die.own


def _has_twin_behind(log: DiceLog, row: int) -> bool:
    """Whether a die of the same name follows in the same throw."""
    later = row + 1
    while later < len(log) and log.throw[later] == log.throw[row]:
        if log.die.codes[later] == log.die.codes[row]:
            return True
        later += 1
    return False


def _goes_on(before: DiceLog, after: DiceLog) -> bool:
    """Whether `after` begins with all of `before`."""
    count = len(before)
    if len(after) < count:
        return False
    is_same = (
        (before.value == after.value[:count])
        & (before.confidence == after.confidence[:count])
        & (before.throw == after.throw[:count])
    )
    names = np.array(before.die.names)[before.die.codes] if count else np.array([])
    later = np.array(after.die.names)[after.die.codes[:count]] if count else np.array([])
    return bool(is_same.all() and (names == later).all())


def _chances(log: DiceLog, row: int) -> tuple[float, ...] | None:
    """Of the six faces; None where the reading is sure."""
    sure = float(log.confidence[row])
    if sure >= SURE:
        return None
    if log.chances is not None and np.isfinite(log.chances[row]).all():
        return tuple(float(one) for one in log.chances[row])
    chances = [(1 - sure) / 5] * 6
    chances[int(log.value[row]) - 1] = sure
    return tuple(chances)


def _evidence(path: Sequence[tuple[int, float]], overall: EProcess) -> EValue:
    if not path:
        return EValue(overall.log_e, overall.log_largest, 0, np.zeros(0, np.int64), np.zeros(0))
    chosen = curve_marks(len(path)) - 1
    rolls = np.array([one for one, _ in path], np.int64)[chosen]
    logs = np.array([one for _, one in path])[chosen]
    top = int(np.argmax([one for _, one in path]))
    return EValue(overall.log_e, overall.log_largest, path[top][0], rolls, logs)
