"""The cells of a table of rolls as anybody writes them, and the encoding of a file of them."""

from __future__ import annotations

import codecs
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Final

from tableside.errors import BadDice

YES: Final = {"1", "true", "yes", "y", "", "counted"}
NO: Final = {"0", "false", "no", "n", "void"}
LEGACY: Final = "cp1251"
"""What a file is read as that is no Unicode: Excel's, where clubs write Cyrillic."""
NO_LETTER: Final = "\N{REPLACEMENT CHARACTER}"
"""What Python puts for bytes that it cannot read."""
_WIDE: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def encoding_of(path: Path) -> str:
    """UTF-8 or UTF-16, or one byte a letter; `BadDice` where lines of a file differ in that."""
    with path.open("rb") as file:
        head = file.read(4)
        if head.startswith(_WIDE):
            return "utf-16"
        if b"\0" in head:  # of the first letters, which are Latin
            return "utf-16-le" if head[1:2] == b"\0" else "utf-16-be"
        file.seek(0)
        encoding = _encoding_of_bytes(path, file)
        return "utf-8-sig" if head.startswith(codecs.BOM_UTF8) else encoding


def _encoding_of_bytes(path: Path, lines: Iterable[bytes]) -> str:
    unicode, foreign = 0, 0
    for number, line in enumerate(lines, start=1):
        if b"\0" in line:
            raise BadDice(f"{path}, line {number}: a zero byte is no text; save the file as UTF-8")
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
    return LEGACY if foreign else "utf-8"


def unreadable_line(path: Path, encoding: str) -> int:
    """The first line of a file that holds bytes which are no letters in that encoding."""
    with path.open(encoding=encoding, errors="replace", newline="") as file:
        lines = (number for number, line in enumerate(file, start=1) if NO_LETTER in line)
        return next(lines, 1)


def whole(text: str) -> bool | None:
    """Yes or no; None where it is neither."""
    word = text.strip().lower()
    return True if word in YES else False if word in NO else None


def moment(text: str) -> float | None:
    """Seconds, or a date and time; None where it is neither, NaN where there is none."""
    text = text.strip()
    if not text:
        return float("nan")
    try:
        return float(text.replace(",", "."))
    except ValueError:
        pass
    try:
        return datetime.fromisoformat(text).timestamp()
    except ValueError:
        return None


def share_of(text: str) -> float | None:
    """0 to 1; 1 where nothing is told."""
    text = text.strip()
    try:
        share = float(text.replace(",", ".")) if text else 1.0
    except ValueError:
        return None
    return share if 0 <= share <= 1 else None


def chance_of(text: str) -> float | None:
    """0 to 1; NaN where nothing is told."""
    return share_of(text) if text.strip() else float("nan")


def number(text: str) -> float | None:
    """A number, NaN where there is none; None where it is no number."""
    text = text.strip()
    try:
        return float(text.replace(",", ".")) if text else float("nan")
    except ValueError:
        return None
