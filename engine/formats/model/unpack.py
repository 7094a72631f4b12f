"""Unpacks what other programs compress, within limits."""

from __future__ import annotations

import zlib
from typing import Final

from engine.formats.model.errors import InvalidMatchFile

_ZLIB_OR_GZIP: Final = 32 + zlib.MAX_WBITS


def unpack(packed: bytes, most_bytes: int) -> tuple[bytes, bytes]:
    """The content of the zlib or gzip stream that `packed` begins with, and the bytes after it.

    Raises `InvalidMatchFile` if it is damaged, is cut off or has more than `most_bytes`.
    """
    stream = zlib.decompressobj(_ZLIB_OR_GZIP)
    try:
        content = stream.decompress(packed, most_bytes + 1)
    except zlib.error as error:
        raise InvalidMatchFile("the file is damaged: its content cannot be unpacked") from error
    if len(content) > most_bytes:
        raise InvalidMatchFile(f"a match of more than {most_bytes // 2**20} MiB")
    if not stream.eof:
        raise InvalidMatchFile("the file is cut off")
    return content, stream.unused_data
