"""Rolls as CSV: the columns of `rolls.csv`, writing them, and reading any similar table."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TextIO

import numpy as np

from engine.dice_sets.colour import hex_of
from engine.fairness.rolls import UNREAD_FACE, DiceLog
from engine.formats.csv_text import spreadsheet_safe
from engine.message import Sentence, join, msg
from tableside.dice.cells import LEGACY_ENCODING, encoding_of, unreadable_line
from tableside.dice.plain_rolls import is_plain, read_plain
from tableside.dice.rows import DieRow
from tableside.dice.table import DiceTable
from tableside.errors import BadDice

COLUMNS: Final = (
    "time", "player", "die", "value", "throw", "counted", "reason",
    "name", "confidence", "x", "y", "surface", "cup", "session", "colour", "pips", "side",
)  # fmt: skip
"""The column order of `rolls.csv`; other people's files need only the first four."""

LONGEST_LINE: Final = 65_536
"""Characters of the first line that tell what a file is."""


@dataclass(frozen=True, slots=True)
class ReadDice:
    """A log, with notices about how it was read."""

    log: DiceLog
    notices: tuple[Sentence, ...] = ()


def write_rows(rows: Iterable[DieRow], out: TextIO) -> int:
    """Write the rows as CSV with a header; return their number."""
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
        spreadsheet_safe(row.player),
        spreadsheet_safe(row.die),
        "" if row.value == UNREAD_FACE else row.value,
        row.throw,
        int(row.is_counted),
        spreadsheet_safe(row.reason),
        spreadsheet_safe(row.name),
        f"{row.confidence:.4g}",
        "" if np.isnan(x) else f"{x:.4f}",
        "" if np.isnan(y) else f"{y:.4f}",
        row.surface,
        spreadsheet_safe(row.cup),
        spreadsheet_safe(row.session),
        *_appearance_cells(row),
    )


def _appearance_cells(row: DieRow) -> tuple[str, str, str]:
    """The colors of body and pips as `#rrggbb`, and the die's side in field widths."""
    if row.appearance is None:
        return "", "", ""
    return hex_of(row.appearance.body), hex_of(row.appearance.pips), f"{row.appearance.size:.4f}"


def read_dice(path: Path) -> ReadDice:
    """The log in a CSV file, or in a plain one; raises `BadDice`, which names line and remedy.

    No row is skipped: a file with an unusable row is refused.
    """
    encoding = encoding_of(path)
    with path.open(encoding=encoding, newline="") as file:
        table = DiceTable(path)
        try:
            if is_plain(file.readline(LONGEST_LINE)):
                file.seek(0)
                return ReadDice(*read_plain(path, file.read()))
            file.seek(0)
            table.read(file)
        except UnicodeDecodeError as error:
            line = unreadable_line(path, encoding)
            raise BadDice(
                f"{path}, line {line}: it is not text in {encoding}; save the file as UTF-8"
            ) from error
        except csv.Error as error:
            raise BadDice(f"{path}, line {table.line}: {error}") from error
    notices = list(table.notices())
    if encoding == LEGACY_ENCODING:
        legacy = msg(
            "{path} is not Unicode and is read as {legacy}", path=str(path), legacy=LEGACY_ENCODING
        )
        notices.insert(0, join([legacy, msg("check the names")]))
    return ReadDice(table.log(), tuple(notices))
