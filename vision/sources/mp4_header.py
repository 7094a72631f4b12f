"""What the header of an MP4 or MOV file tells that OpenCV does not."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final

_BRANDS: Final = frozenset({b"ftyp", b"mdat", b"moov", b"wide", b"free", b"skip"})
"""Kinds of boxes that such a file may begin with."""


def is_mp4(path: Path) -> bool:
    """Whether the file begins as an MP4 or a MOV does."""
    with path.open("rb") as file:
        return file.read(8)[4:] in _BRANDS


def creation_time(path: Path) -> int | None:
    """Seconds since 1904 when it was recorded; None where the file does not say."""
    with path.open("rb") as file:
        found = _find(file, (b"moov", b"mvhd"))
        if found is None or len(head := file.read(12)) < 12:
            return None
    version, short, long = head[0], *struct.unpack(">4xI4x", head), *struct.unpack(">4xQ", head)
    return (long if version == 1 else short) or None


def _find(file: BinaryIO, kinds: tuple[bytes, ...]) -> int | None:
    """Where the content of the first box along these nested kinds ends; the file stands at it."""
    end = file.seek(0, 2)
    file.seek(0)
    for kind in kinds:
        inside = next((stop for each, stop in _boxes(file, end) if each == kind), None)
        if inside is None:
            return None
        end = inside
    return end


def _boxes(file: BinaryIO, end: int) -> Iterator[tuple[bytes, int]]:
    """Kind and end of each box from here to `end`; the file stands at its content meanwhile."""
    while (at := file.tell()) + 8 <= end:
        size, kind = struct.unpack(">I4s", file.read(8))
        if size == 1 and at + 16 <= end:
            (size,) = struct.unpack(">Q", file.read(8))
        stop = end if size == 0 else at + size
        if not file.tell() <= stop <= end:
            return
        yield kind, stop
        file.seek(stop)
