"""PNG files, checked before they are decoded."""

from __future__ import annotations

import struct
import zlib
from typing import Final

PNG_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
"""The first bytes of every PNG."""


def png_size(coded: bytes) -> tuple[int, int] | None:
    """(width, height) from the header of a PNG, without decoding; None for anything else."""
    if not coded.startswith(PNG_SIGNATURE) or len(coded) < 24:
        return None
    width, height = struct.unpack_from(">II", coded, 16)
    return width, height


def is_whole_png(coded: bytes) -> bool:
    """Whether the bytes are a PNG whose chunks are all there, and the needed ones undamaged.

    OpenCV allocates what a chunk's header promises, up to 2 GiB, before it looks for the chunk
    itself, and libpng writes to stderr, past OpenCV's log, what it finds wrong with a needed one.
    """
    if not coded.startswith(PNG_SIGNATURE):
        return False
    at = len(PNG_SIGNATURE)
    while at + 12 <= len(coded):
        length, kind = struct.unpack_from(">I4s", coded, at)
        end = at + 8 + length
        is_needed = not kind[0] & 0x20  # lowercase marks what a decoder may skip
        checksum = zlib.crc32(coded[at + 4 : end]).to_bytes(4, "big")
        if is_needed and coded[end : end + 4] != checksum:
            return False
        if kind == b"IEND":
            return True
        at = end + 4
    return False
