"""The records of an `.xg` file, each of 2,560 bytes.

After the description of GameSite 2000, who make it: extremegammon.com/XGformat.aspx. A header,
which may hold a picture, is followed by an archive of zlib streams: the game, a copy of its first
and last records, rollouts and comments. Only the game is read.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from engine.formats.model.errors import InvalidMatchFile
from engine.formats.model.unpack import unpack
from engine.position import PLACES, Side

MAGIC: Final = b"RGMH"
MAX_BYTES: Final = 64 * 1024 * 1024
"""Of unpacked records: 13,000 turns. A match of 390 turns has 2 MB."""
_RECORD_BYTES: Final = 2560
_HEADER: Final = struct.Struct("<4siiqi")
_ZLIB: Final = b"\x78"
_COPIED_RECORDS: Final = 2
"""How many records the copy of the first and last ones has."""
_UNLIMITED: Final = 99999
"""The length of a money session."""
_TYPE_AT: Final = 8
_NAME_CHARACTERS: Final = 129
_EPOCH: Final = datetime(1899, 12, 30)
_YEARS_DAYS: Final = range(1, 73_000)
"""Days since then that are a date, up to the year 2099."""
_SIDES: Final = {1: Side.LIGHT, -1: Side.DARK}
"""XG's player 1 is the left column of its text, our light."""
Counts = tuple[int, ...]
"""26 counts; index 25 is the bar of the player whose checkers are positive."""


@dataclass(frozen=True, slots=True)
class MatchHeader:
    """The rules and the players."""

    players: tuple[str, str]
    length: int
    """0 for a money session."""
    variation: int
    """0 for backgammon."""
    crawford: bool
    jacoby: bool
    event: str
    location: str
    round: str
    date: str
    """As 2026.11.26; empty if there is none."""


@dataclass(frozen=True, slots=True)
class GameHeader:
    """A new game."""

    number: int
    score: tuple[int, int]
    start: Counts
    """From light's side."""
    auto_doubles: int


@dataclass(frozen=True, slots=True)
class CubeRecord:
    """What was done with the cube before a roll; each answer is XG's number."""

    side: Side | None
    doubled: int
    """1 if the cube was offered."""
    take: int
    """0 a drop, 1 a take, 2 a beaver."""
    beaver: int
    """The response to a beaver: 0 a drop, 1 a take, 2 a raccoon."""
    raccoon: int


@dataclass(frozen=True, slots=True)
class MoveRecord:
    """A roll and its play."""

    side: Side | None
    before: Counts
    """From light's side."""
    after: Counts
    """From the mover's side."""
    moves: tuple[int, ...]
    """Up to four pairs of points, counted from 0; the bar is 24, -1 is off or no move."""
    dice: tuple[int, int]


@dataclass(frozen=True, slots=True)
class GameFooter:
    """How a game ended."""

    winner: Side | None
    points: int


Record = MatchHeader | GameHeader | CubeRecord | MoveRecord | GameFooter


def read_records(content: bytes) -> Iterator[tuple[int, Record]]:
    """The records of the game, each with its number; raises `InvalidMatchFile`."""
    unpacked = _game(content)
    for number, at in enumerate(range(0, len(unpacked) - _RECORD_BYTES + 1, _RECORD_BYTES), 1):
        record = _parsed(_Fields(unpacked[at : at + _RECORD_BYTES]))
        if record is not None:
            yield number, record


def _game(content: bytes) -> bytes:
    """The first stream of the archive that is more than a copy of two records."""
    packed = content[_archive_start(content) :]
    while packed[:1] == _ZLIB:
        unpacked, packed = unpack(packed, MAX_BYTES)
        if len(unpacked) > _COPIED_RECORDS * _RECORD_BYTES and unpacked[_TYPE_AT] == 0:
            return unpacked
    raise InvalidMatchFile("there is no game in this .xg file")


def _archive_start(content: bytes) -> int:
    if len(content) < _HEADER.size:
        raise InvalidMatchFile("the file is cut off")
    sizes: tuple[bytes, int, int, int, int] = _HEADER.unpack_from(content)
    _, _, header_bytes, _, picture_bytes = sizes
    return max(0, header_bytes) + max(0, picture_bytes)


@dataclass(frozen=True, slots=True)
class _Fields:
    """The bytes of one record."""

    raw: bytes

    def number(self, at: int) -> int:
        return self.numbers(at, 1)[0]

    def numbers(self, at: int, count: int) -> tuple[int, ...]:
        return struct.unpack_from(f"<{count}i", self.raw, at)

    def counts(self, at: int) -> Counts:
        return struct.unpack_from(f"<{PLACES}b", self.raw, at)

    def text(self, at: int, ansi_at: int) -> str:
        """A text in UTF-16, or in ANSI as XG 1 wrote it."""
        wide = self.raw[at : at + 2 * _NAME_CHARACTERS].decode("utf-16-le", errors="replace")
        ansi = self.raw[ansi_at + 1 : ansi_at + 1 + self.raw[ansi_at]]
        return (wide.partition("\0")[0] or ansi.decode("cp1252", errors="replace")).strip()


def _parsed(fields: _Fields) -> Record | None:
    """The record; None if it is of a kind that does not matter."""
    match fields.raw[_TYPE_AT]:
        case 0:
            return _match_header(fields)
        case 1:
            score = fields.number(12), fields.number(16)
            return GameHeader(fields.number(48), score, fields.counts(21), fields.number(64))
        case 2:
            side, *actions = fields.numbers(12, 5)
            return CubeRecord(_SIDES.get(side), *actions)
        case 3:
            return _move(fields)
        case 4:
            return GameFooter(_SIDES.get(fields.number(24)), fields.number(28))
        case _:
            return None


def _match_header(fields: _Fields) -> MatchHeader:
    length = fields.number(92)
    return MatchHeader(
        players=(fields.text(880, 9), fields.text(1138, 50)),
        length=0 if length == _UNLIMITED else length,
        variation=fields.number(96),
        crawford=fields.raw[100] != 0,
        jacoby=fields.raw[101] != 0,
        event=fields.text(622, 136),
        location=fields.text(1396, 283),
        round=fields.text(1654, 417),
        date=_date(struct.unpack_from("<d", fields.raw, 128)[0]),
    )


def _date(days: float) -> str:
    if not _YEARS_DAYS.start <= days < _YEARS_DAYS.stop:  # not a number, too
        return ""
    return f"{_EPOCH + timedelta(days=int(days)):%Y.%m.%d}"


def _move(fields: _Fields) -> MoveRecord:
    first, second = fields.numbers(100, 2)
    return MoveRecord(
        side=_SIDES.get(fields.number(64)),
        before=fields.counts(9),
        after=fields.counts(35),
        moves=fields.numbers(68, 8),
        dice=(first, second),
    )
