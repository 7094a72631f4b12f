"""PNG files, checked before they are decoded."""

from __future__ import annotations

import struct
import zlib
from typing import Final

_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"


def png_size(coded: bytes) -> tuple[int, int] | None:
    """(width, height) from the header of a PNG, without decoding; None for anything else."""
    if not coded.startswith(_SIGNATURE) or len(coded) < 24:
        return None
    width, height = struct.unpack_from(">II", coded, 16)
    return width, height


def is_damaged_png(coded: bytes) -> bool:
    """Whether the bytes are a PNG of which a chunk is cut short or a needed one is damaged.

    OpenCV allocates what a chunk's header promises, up to 2 GiB, before it looks for the chunk
    itself, and libpng writes to stderr, past OpenCV's log, what it finds wrong with a needed one.
    """
    if not coded.startswith(_SIGNATURE):
        return False
    at = len(_SIGNATURE)
    while at + 12 <= len(coded):
        length, kind = struct.unpack_from(">I4s", coded, at)
        end = at + 8 + length
        is_needed = not kind[0] & 0x20  # lowercase marks what a decoder may skip
        checksum = zlib.crc32(coded[at + 4 : end]).to_bytes(4, "big")
        if is_needed and coded[end : end + 4] != checksum:
            return True
        if kind == b"IEND":
            return False
        at = end + 4
    return True
