"""`DiceLog`: every die seen or entered, in columns, so that millions of rows are cheap."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from engine.errors import EngineError

FACES: Final = 6
UNREAD_FACE: Final = 0
"""The value of a die that was seen but could not be read."""
CERTAIN: Final = 1.0
OPENING: Final = "opening"
"""The reason of opening dice in a source that omits ties: their faces are a biased selection."""


class InvalidDice(EngineError):
    """Raised for rolls or a confusion matrix that no dice can produce."""


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """A categorical column: `codes`, (N,) int32, index into `names`."""

    names: tuple[str, ...]
    codes: NDArray[np.int32]

    @classmethod
    def of(cls, values: Iterable[str]) -> Self:
        """The column of these values; names are in order of first appearance."""
        known: dict[str, int] = {}
        codes = [known.setdefault(value, len(known)) for value in values]
        return cls(tuple(known), np.array(codes, np.int32))

    @classmethod
    def constant(cls, value: str, count: int) -> Self:
        """One value, `count` times."""
        return cls((value,), np.zeros(count, np.int32))

    def __getitem__(self, rows: NDArray[Any]) -> Labels:
        return Labels(self.names, self.codes[rows])

    def is_any(self, names: Iterable[str]) -> NDArray[np.bool_]:
        """(N,) whether a row holds one of `names`."""
        wanted = set(names)
        table = np.array([name in wanted for name in self.names] or [False], np.bool_)
        return np.asarray(table[self.codes], np.bool_)

    def values(self) -> list[str]:
        """The name of each row."""
        return [self.names[code] for code in self.codes.tolist()]


@dataclass(frozen=True, slots=True, eq=False)
class DiceLog:
    """Dice in the order in which they were thrown, one per row; the dice of a throw are adjacent.

    All columns are (N,), except `place` (N, 2) and `chances` (N, 6).
    """

    value: NDArray[np.int8]
    """1..6, or `UNREAD_FACE`."""
    die: Labels
    player: Labels
    cup: Labels
    session: Labels
    throw: NDArray[np.int64]
    """The number of the throw, never decreasing."""
    counted: NDArray[np.bool_]
    """Whether the throw counts."""
    reason: Labels
    """Why the throw does not count; empty if it does."""
    confidence: NDArray[np.float32]
    """The probability that `value` is right."""
    time: NDArray[np.float64]
    """Seconds on the clock of its source."""
    place: NDArray[np.float32] | None = None
    """Where the die lay, in field coordinates; NaN if unknown. None if unknown for all dice."""
    chances: NDArray[np.float32] | None = None
    """Probabilities of the six faces if more than `confidence` is known, else NaN; or None."""

    def __len__(self) -> int:
        return len(self.value)

    def at(self, rows: NDArray[Any]) -> DiceLog:
        """The rows that a mask or indices select."""
        columns = {field.name: getattr(self, field.name) for field in fields(self)}
        chosen: dict[str, Any] = {
            name: None if c is None else c[rows] for name, c in columns.items()
        }
        return DiceLog(**chosen)

    def usable(self) -> DiceLog:
        """The readable dice of throws that count."""
        is_usable = self.counted & (self.value != UNREAD_FACE)
        return self if bool(is_usable.all()) else self.at(is_usable)

    def void(self) -> DiceLog:
        """The readable dice of void throws, without those of reason `OPENING`."""
        read = self.at(~self.counted & (self.value != UNREAD_FACE))
        return read.at(~read.reason.is_any((OPENING,)))

    @property
    def pooled(self) -> frozenset[str]:
        """Names of dice that occur twice in one throw: two that cannot be told apart."""
        throw, die = self.throw, self.die.codes.astype(np.int64)
        if len(throw) < 2:
            return frozenset()
        is_beside = (throw[1:] == throw[:-1]) & (die[1:] == die[:-1])
        return frozenset(
            self.die.names[code] for code in np.flatnonzero(np.bincount(die[1:][is_beside]))
        )

    @property
    def faces(self) -> NDArray[np.int8]:
        """(N,) values from 0; only for dice that were read."""
        return self.value - np.int8(1)

    def two_dice_throws(self) -> NDArray[np.int64]:
        """The first rows of the throws with exactly two rows."""
        from engine.fairness._kernels import two_dice_throws

        first = np.zeros(len(self) // 2, np.int64)
        return first[: two_dice_throws(np.ascontiguousarray(self.throw), first)]

    def counts(self) -> NDArray[np.int64]:
        """(6,) how often each face was read."""
        return np.bincount(self.value, minlength=FACES + 1)[1:].astype(np.int64)


def simple_log(
    values: Sequence[int] | NDArray[Any],
    *,
    die: Sequence[str] | str = "die",
    player: Sequence[str] | str = "",
    throw: Sequence[int] | NDArray[Any] | None = None,
) -> DiceLog:
    """A log of certain readings that all count; each is its own throw if `throw` is not given."""
    count = len(values)
    return DiceLog(
        value=np.asarray(values, np.int8),
        die=_column(die, count),
        player=_column(player, count),
        cup=Labels.constant("", count),
        session=Labels.constant("", count),
        throw=np.arange(count) if throw is None else np.asarray(throw, np.int64),
        counted=np.ones(count, np.bool_),
        reason=Labels.constant("", count),
        confidence=np.full(count, CERTAIN, np.float32),
        time=np.arange(count, dtype=np.float64),
    )


def _column(names: Sequence[str] | str, count: int) -> Labels:
    return Labels.constant(names, count) if isinstance(names, str) else Labels.of(names)


def join_logs(logs: Sequence[DiceLog]) -> DiceLog:
    """The logs concatenated; throws are renumbered in sequence."""
    if not logs:
        return simple_log([])
    if len(logs) == 1:
        return logs[0]
    columns_of: dict[str, Any] = {}
    for field in fields(DiceLog):
        columns = [getattr(log, field.name) for log in logs]
        if field.name == "throw":
            columns_of["throw"] = _renumbered(columns)
        elif isinstance(columns[0], Labels):
            columns_of[field.name] = _joined_labels(columns)
        else:
            columns_of[field.name] = _joined_arrays(columns, [len(log) for log in logs], field.name)
    return DiceLog(**columns_of)


def _renumbered(columns: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    parts, last = [], 0
    for column in columns:
        if len(column):
            parts.append(column - column[0] + last)
            last = int(parts[-1][-1]) + 1
    return np.concatenate(parts) if parts else np.zeros(0, np.int64)


def _joined_labels(columns: Sequence[Labels]) -> Labels:
    known: dict[str, int] = {}
    parts = []
    for column in columns:
        numbers = [known.setdefault(name, len(known)) for name in column.names]
        parts.append(np.array(numbers or [0], np.int32)[column.codes])
    return Labels(tuple(known), np.concatenate(parts))


def _joined_arrays(
    columns: Sequence[NDArray[Any] | None], counts: Sequence[int], name: str
) -> NDArray[Any] | None:
    if all(column is None for column in columns):
        return None
    width = FACES if name == "chances" else 2
    blank = [
        np.full((count, width), np.nan, np.float32) if column is None else column
        for column, count in zip(columns, counts, strict=True)
    ]
    return np.concatenate(blank)
