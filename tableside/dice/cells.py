"""Cells of a table of rolls in the forms that people use, and the encoding of such a file."""

from __future__ import annotations

import codecs
import re
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.events.names import visible_line
from engine.fairness.rolls import UNREAD_FACE, Labels
from tableside.errors import BadDice

YES_OR_NO: Final = dict.fromkeys(("1", "true", "yes", "y", "", "counted"), True) | dict.fromkeys(
    ("0", "false", "no", "n", "void"), False
)
FACES: Final = {str(face): face for face in range(1, 7)} | dict.fromkeys(
    ("", "?", "-"), UNREAD_FACE
)
LEGACY_ENCODING: Final = "cp1251"
"""Assumed for files that are not Unicode: what Excel writes in clubs that use Cyrillic."""
UNDECODED: Final = "\N{REPLACEMENT CHARACTER}"
"""Stands for bytes that cannot be decoded."""
PROBABILITY_COLUMNS: Final = tuple(f"p{face}" for face in range(1, 7))
"""Optional columns: the probabilities of the six faces, for uncertain readings."""
MAX_SUM_ERROR: Final = 0.02
"""How far their sum may be from 1: files give them with two digits."""
T = TypeVar("T")
_WIDE: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def encoding_of(path: Path) -> str:
    """UTF-8, UTF-16 or `LEGACY_ENCODING`; raises `BadDice` for a file with mixed encodings."""
    with path.open("rb") as file:
        head = file.read(4)
        if head.startswith(_WIDE):
            return "utf-16"
        if b"\0" in head:  # the first letters are Latin
            return "utf-16-le" if head[1:2] == b"\0" else "utf-16-be"
        file.seek(0)
        encoding = _encoding_of_bytes(path, file)
        return "utf-8-sig" if head.startswith(codecs.BOM_UTF8) else encoding


def _encoding_of_bytes(path: Path, lines: Iterable[bytes]) -> str:
    unicode, foreign = 0, 0
    for number, line in enumerate(lines, start=1):
        if b"\0" in line:
            raise BadDice(f"{path}, line {number}: it has a zero byte; save the file as UTF-8")
        if line.isascii():
            continue
        try:
            line.decode("utf-8")
            unicode = unicode or number
        except UnicodeDecodeError:
            foreign = foreign or number
        if unicode and foreign:
            raise BadDice(
                f"{path}, line {max(unicode, foreign)}: encodings are mixed: line {unicode} is "
                f"UTF-8 and line {foreign} is not; save the whole file as UTF-8"
            )
    return LEGACY_ENCODING if foreign else "utf-8"


def unreadable_line(path: Path, encoding: str) -> int:
    """The first line of a file that cannot be decoded."""
    with path.open(encoding=encoding, errors="replace", newline="") as file:
        lines = (number for number, line in enumerate(file, start=1) if UNDECODED in line)
        return next(lines, 1)


def parse_yes_or_no(text: str) -> bool:
    """True or False; `ValueError` for a cell that is neither."""
    return _look_up(YES_OR_NO, text.lower())


def parse_face(text: str) -> int:
    """1 to 6, or `UNREAD_FACE`; `ValueError` for any other cell."""
    return _look_up(FACES, re.sub(r"[.,]0$", "", text.strip()))  # a whole number from a spreadsheet


def _look_up(known: Mapping[str, T], text: str) -> T:
    if text.strip() not in known:
        raise ValueError(text)
    return known[text.strip()]


def parse_timestamp(text: str) -> float:
    """Seconds, or a date and time; NaN if the cell is empty, `ValueError` if it is neither."""
    try:
        return parse_number(text)
    except ValueError:
        return datetime.fromisoformat(text.strip()).timestamp()


def parse_confidence(text: str) -> float:
    """0 to 1; 1 if the cell is empty, `ValueError` if it is not such a number."""
    return parse_probability(text.strip() or "1")


def parse_probability(text: str) -> float:
    """0 to 1; NaN if the cell is empty, `ValueError` if it is not such a number."""
    value = parse_number(text)
    if text.strip() and not 0 <= value <= 1:
        raise ValueError(text)
    return value


def parse_number(text: str) -> float:
    """A number; NaN if the cell is empty, `ValueError` if it is not a number."""
    return float(text.strip().replace(",", ".") or "nan")


def check_columns(path: Path, names: list[str]) -> None:
    """Raise `BadDice` if some of the six probability columns are missing, but not all."""
    missing = [name for name in PROBABILITY_COLUMNS if name not in names]
    if 0 < len(missing) < len(PROBABILITY_COLUMNS):
        raise BadDice(
            f"{path}, line 1: there is no column {', '.join(missing)}; p1 to p6 are "
            "the probabilities of the six faces; give all of them"
        )


def checked_probabilities(
    path: Path, given: NDArray[np.float64], values: NDArray[np.int8], lines: NDArray[np.int64]
) -> NDArray[np.float32]:
    """(N, 6) probabilities that sum to 1, NaN for rows without; raises `BadDice` for a bad line.

    given: (N, 6) as in the file, NaN for empty cells; those of unread dice are ignored.
    """
    empty = np.isnan(given).sum(axis=1)
    partly = (empty > 0) & (empty < len(PROBABILITY_COLUMNS))
    if partly.any():
        line = lines[int(np.argmax(partly))]
        raise BadDice(f"{path}, line {line}: some of p1 to p6 are empty; give all six or none")
    sums = given.sum(axis=1)
    is_off = np.abs(sums - 1) > MAX_SUM_ERROR
    if is_off.any():
        row = int(np.argmax(is_off))
        raise BadDice(f"{path}, line {lines[row]}: p1 to p6 add up to {sums[row]:.3g}, not 1")
    probabilities = given / sums[:, None]
    probabilities[values == UNREAD_FACE] = np.nan
    return np.asarray(probabilities, np.float32)


def confidence_of_values(
    confidence: NDArray[np.float32], probabilities: NDArray[np.float32], values: NDArray[np.int8]
) -> NDArray[np.float32]:
    """(N,) the probability of the recorded face; from `probabilities` if a row has all six."""
    known = np.flatnonzero(np.isfinite(probabilities).all(axis=1))
    result = confidence.copy()
    result[known] = probabilities[known, values[known] - 1]
    return result


@dataclass(slots=True)
class LabelColumn:
    """A growing column of texts, which stores each distinct one once."""

    known: dict[str, int] = field(default_factory=dict)
    codes: array[int] = field(default_factory=lambda: array("i"))

    def add(self, cells: Sequence[str]) -> None:
        """Append what can be seen of the cells."""
        known = self.known
        code = {
            cell: known.setdefault(visible_line(cell), len(known)) for cell in dict.fromkeys(cells)
        }
        self.codes.extend([code[cell] for cell in cells])

    def labels(self) -> Labels:
        """The column as codes and their texts."""
        return Labels(tuple(self.known), np.frombuffer(self.codes, np.int32))
