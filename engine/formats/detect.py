"""Reads a match file of any format."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Final

from engine.events.names import visible_line
from engine.formats.bgf.read import is_bgf, read_bgf
from engine.formats.foreign import name_foreign
from engine.formats.json_text import read_json
from engine.formats.mat.read import read_mat
from engine.formats.model.errors import EXPORT, InvalidMatchFile
from engine.formats.model.match_file import MatchFile
from engine.formats.sgf.read import read_sgf
from engine.formats.xg.read import read_xg
from engine.formats.xg.records import MAGIC

MAX_FILE_BYTES: Final = 16 * 1024 * 1024
"""A match with gnubg's complete analysis has about one million."""


MAX_NAME_CHARACTERS: Final = 1000
"""The longest text that may be the name of a file."""


def read_match(content: bytes | str | Path) -> MatchFile:
    """Read a match from `.mat`, XG's text and `.xg`, `.bgf`, `.sgf` or our own JSON.

    Takes a file's content, or its path. Raises `InvalidMatchFile` if it is none of these, and
    `OSError` if there is no such file; errors within one are part of the match.
    """
    if isinstance(content, Path):
        content = content.read_bytes()
    elif isinstance(content, str) and _names_file(content):
        raise InvalidMatchFile(f"{content!r} is a file's name: give pathlib.Path({content!r})")
    match = _read(content)
    light, dark = match.players
    return replace(match, players=(visible_line(light), visible_line(dark)))


def _names_file(text: str) -> bool:
    """Whether a text that should be a match is the name of a file instead."""
    return len(text) < MAX_NAME_CHARACTERS and text.isprintable() and Path(text).is_file()


def _read(content: bytes | str) -> MatchFile:
    if len(content) > MAX_FILE_BYTES:
        raise InvalidMatchFile(f"not a match file: larger than {MAX_FILE_BYTES // 2**20} MiB")
    if isinstance(content, str):
        return _read_text(content)
    if content.startswith(MAGIC):
        return read_xg(content)
    if is_bgf(content):
        return read_bgf(content)
    if foreign := name_foreign(content):
        raise InvalidMatchFile(f"this is {foreign}")
    return _read_text(decode(content))


def _read_text(text: str) -> MatchFile:
    start = text[:200].lstrip()
    if start.startswith("("):
        return read_sgf(text)
    return read_json(text) if start.startswith("{") else read_mat(text)


def decode(content: bytes) -> str:
    """Decode a file: UTF-8, UTF-16 with its mark, or Western European as in old programs.

    Raises `InvalidMatchFile`, which names the byte that no text has.
    """
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16", errors="replace")
    if (at := content.find(b"\0")) >= 0:
        line = content.count(b"\n", 0, at) + 1
        where = f"line {line}: not a match file: byte {at + 1} is not text"
        raise InvalidMatchFile(f"{where}; {EXPORT}")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace")
