"""Names and texts that every other program can read."""

from __future__ import annotations

from typing import Final

from engine.position import Side

MAX_NAME_CHARACTERS: Final = 20
MAX_NAME_BYTES: Final = 24
"""gnubg 1.07 overruns a buffer when it exports names of 26 bytes."""
MAX_TEXT_CHARACTERS: Final = 200


def safe_name(name: str, side: Side) -> str:
    """A short, nonempty name without colons, quotes and brackets, on which gnubg aborts."""
    plain = " ".join(_printable(name).replace(":", " ").replace(";", " ").split())
    short = plain.encode()[:MAX_NAME_BYTES].decode(errors="ignore")[:MAX_NAME_CHARACTERS].strip()
    return short or side.value.title()


def safe_text(text: str) -> str:
    """One line without quotes and brackets."""
    return " ".join(_printable(text).split())[:MAX_TEXT_CHARACTERS]


def whole_text(text: str) -> str:
    """The text with a question mark for each half of a character, which no file can hold."""
    return text.encode(errors="replace").decode()


def _printable(text: str) -> str:
    plain = text.translate(_REPLACED)
    return "".join(letter if letter.isprintable() else " " for letter in plain)


_REPLACED: Final = str.maketrans({'"': "'", "[": "(", "]": ")", "\\": "/"})
