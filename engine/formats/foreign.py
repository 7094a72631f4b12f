"""Names files that are not read, so that their owner knows what to do."""

from __future__ import annotations

import re
from typing import Final

from engine.formats.model.errors import EXPORT

_START_BYTES: Final = 2000
_VIA_GNUBG: Final = "import it in GNU Backgammon and export it as .mat"
_NO_MATCH: Final = "give the file of a match"
_FOREIGN: Final = tuple(
    (re.compile(pattern), name, advice)
    for pattern, name, advice in (
        (rb"OGXM", "an OGXM or GammonView file", EXPORT),
        (rb'\{[^{]*"player_white"', "OGXM as JSON", EXPORT),
        (rb"\w+ +vs\. +\w+", "a match of GamesGrid (.sgg)", _VIA_GNUBG),
        (rb"(?:MatchID|Stake|RakePct):", "a match of TrueMoneyGames (.tmg)", _VIA_GNUBG),
        (rb"Score is \d+-\d+ in a ", "FIBS's oldmoves", _VIA_GNUBG),
        (rb"i \S+ \S+ [^\n]*\n(?:bg|r|m|d|t) ", "a match of bgammon.org", EXPORT),
        (rb"The score \(after ", "GNU Backgammon's analysis as text", "export the match as .mat"),
        (rb"(?i)<!doctype|<html", "a web page", EXPORT),
        (rb"SQLite format 3\0", "a database", "for our own record, use --record FILE"),
        (rb"(?:XGID=|\s*GNU Backgammon +Position ID)", "a single position", "see tableside id"),
        (rb"\x89PNG|\xff\xd8\xff|GIF8", "a picture", _NO_MATCH),
        (rb"....ftyp|\x1aE\xdf\xa3|RIFF", "a video", "use tableside transcribe"),
        (rb"%PDF", "a PDF", EXPORT),
        (rb"PK\x03\x04|\x1f\x8b|7z\xbc\xaf|Rar!", "an archive", "unpack it first"),
    )
)
"""How a file begins, what it is, and what to do."""


def name_foreign(content: bytes) -> str | None:
    """What a file is that is not read, and what to do; None if that is not known."""
    start = content[:_START_BYTES].removeprefix(b"\xef\xbb\xbf").lstrip(b" \r\n\t")
    found = (f"{name}: {advice}" for pattern, name, advice in _FOREIGN if pattern.match(start))
    return next(found, None)
