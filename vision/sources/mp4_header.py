"""What the header of an MP4 or MOV file says that OpenCV does not report."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

_BRANDS: Final = frozenset({b"ftyp", b"mdat", b"moov", b"wide", b"free", b"skip"})
"""Kinds of box with which such a file may begin."""


def is_mp4(path: Path) -> bool:
    """Whether the file begins like an MP4 or MOV."""
    with path.open("rb") as file:
        return file.read(8)[4:] in _BRANDS


def has_index(path: Path) -> bool:
    """Whether it has the box that says where its pictures are; cameras write it last."""
    with path.open("rb") as file:
        return any(True for _ in _find(file, _length(file), (b"moov",)))


class Tear(NamedTuple):
    """Where a recording in fragments was torn off, as by a crash."""

    at: int
    """Where the box begins that is not whole."""
    is_in_pictures: bool
    """Otherwise, it is in the index of a fragment."""


def find_tear(path: Path) -> Tear | None:
    """Where a recording in fragments ends too early; None if it does not, or has none."""
    with path.open("rb") as file:
        end, at, is_fragmented = _length(file), 0, False
        for kind, stop in _boxes(file, end):
            is_fragmented, at = is_fragmented or kind == b"moof", stop
        file.seek(at)
        kind = file.read(8)[4:]
    is_whole = at == end or not (is_fragmented or kind == b"moof")
    return None if is_whole else Tear(at, kind == b"mdat")


def creation_time(path: Path) -> int | None:
    """When it was recorded, in seconds since 1904; None if the file does not say."""
    with path.open("rb") as file:
        for _ in _find(file, _length(file), (b"moov", b"mvhd")):
            if len(head := file.read(12)) == 12:
                (seconds,) = struct.unpack(">4xQ" if head[0] == 1 else ">4xI4x", head)
                return int(seconds) or None
    return None


def video_codec(path: Path) -> str | None:
    """The four-letter code of its video codec; None if the file does not say."""
    with path.open("rb") as file:
        for end in _find(file, _length(file), (b"moov", b"trak")):
            start = file.tell()
            kinds = [file.read(12)[8:] for _ in _find(file, end, (b"mdia", b"hdlr"))]
            file.seek(start)
            if kinds == [b"vide"]:
                for _ in _find(file, end, (b"mdia", b"minf", b"stbl", b"stsd")):
                    return file.read(16)[12:].decode("ascii", "replace")
    return None


def _length(file: BinaryIO) -> int:
    """The length of the file in bytes, which is then positioned at its beginning."""
    end = file.seek(0, 2)
    file.seek(0)
    return end


def _find(file: BinaryIO, end: int, kinds: Sequence[bytes]) -> Iterator[int]:
    """The end of each box along these nested kinds, with the file positioned at its content."""
    for kind, stop in _boxes(file, end):
        if kind == kinds[0]:
            if len(kinds) == 1:
                yield stop
            else:
                yield from _find(file, stop, kinds[1:])


def _boxes(file: BinaryIO, end: int) -> Iterator[tuple[bytes, int]]:
    """Kind and end of each box from here to `end`, with the file positioned at its content."""
    while (at := file.tell()) + 8 <= end:
        size, kind = struct.unpack(">I4s", file.read(8))
        if size == 1 and at + 16 <= end:
            (size,) = struct.unpack(">Q", file.read(8))
        stop = end if size == 0 else at + size
        if not file.tell() <= stop <= end:
            return
        yield kind, stop
        file.seek(stop)
