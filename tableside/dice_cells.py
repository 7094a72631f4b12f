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
_BOMS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def encoding_of(path: Path) -> str:
    """UTF-8 or UTF-16, or one byte a letter; `BadDice` where lines of a file differ in that."""
    with path.open("rb") as file:
        head = file.read(4096)
        for mark, name in _BOMS:
            if head.startswith(mark):
                return name
        if b"\0" in head:
            return "utf-16-le" if head[1:2] == b"\0" else "utf-16-be"
        file.seek(0)
        return _encoding_of_bytes(path, file)


def _encoding_of_bytes(path: Path, lines: Iterable[bytes]) -> str:
    unicode, foreign = 0, 0
    for number, line in enumerate(lines, start=1):
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


def number(text: str) -> float | None:
    """A number, NaN where there is none; None where it is no number."""
    text = text.strip()
    try:
        return float(text.replace(",", ".")) if text else float("nan")
    except ValueError:
        return None
