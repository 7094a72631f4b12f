"""Rolls as CSV: ours and anybody's, read in pieces, with the line of whatever is wrong with it."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TextIO

import numpy as np

from engine.dice_sets.colour import hex_of
from engine.fairness import UNREAD, DiceLog
from tableside.dice.cells import LEGACY, encoding_of, unreadable_line
from tableside.dice.rows import DieRow
from tableside.dice.table import DiceTable
from tableside.errors import BadDice

COLUMNS: Final = (
    "time", "player", "die", "value", "throw", "counted", "reason",
    "name", "confidence", "x", "y", "surface", "cup", "session", "colour", "pips", "side",
)  # fmt: skip
"""Ours; the first four must be there in any file (`dice_table.NEEDED`)."""


@dataclass(frozen=True, slots=True)
class ReadDice:
    """A log and what is to be said of how it was read."""

    log: DiceLog
    notices: tuple[str, ...] = ()


def write_rows(rows: Iterable[DieRow], out: TextIO) -> int:
    """The rows as CSV with a head; how many there were."""
    table = csv.writer(out, lineterminator="\n")
    table.writerow(COLUMNS)
    count = 0
    for row in rows:
        table.writerow(_cells(row))
        count += 1
    return count


def _cells(row: DieRow) -> tuple[object, ...]:
    x, y = row.place
    return (
        f"{row.time:.3f}",
        row.player,
        row.die,
        "" if row.value == UNREAD else row.value,
        row.throw,
        int(row.is_counted),
        row.reason,
        row.name,
        f"{row.confidence:.4g}",
        "" if np.isnan(x) else f"{x:.4f}",
        "" if np.isnan(y) else f"{y:.4f}",
        row.surface,
        row.cup,
        row.session,
        *_look_cells(row),
    )


def _look_cells(row: DieRow) -> tuple[str, str, str]:
    """The colours of its body and its pips as `#rrggbb`, and its side in field widths."""
    if row.make is None:
        return "", "", ""
    return hex_of(row.make.body), hex_of(row.make.pips), f"{row.make.side:.4f}"


def read_dice(path: Path) -> ReadDice:
    """The log in a CSV file; `BadDice` names the line and what to do about it.

    No row is left out: what cannot be used is refused.
    """
    encoding = encoding_of(path)
    with path.open(encoding=encoding, newline="") as file:
        table = DiceTable(path)
        try:
            table.read(file)
        except UnicodeDecodeError as error:
            line = unreadable_line(path, encoding)
            raise BadDice(
                f"{path}, line {line}: it is no text in {encoding}; save the file as UTF-8"
            ) from error
        except csv.Error as error:
            raise BadDice(f"{path}, line {table.line}: {error}") from error
    notices = list(table.notices())
    if encoding == LEGACY:
        notices.insert(0, f"{path} is not Unicode: it is read as {LEGACY}; check the names")
    return ReadDice(table.log(), tuple(notices))
