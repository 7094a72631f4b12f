"""Make a UF2 file for a Raspberry Pi Pico: `python image.py CUP.bin CUP.uf2`.

The ROM starts a flash only if the checksum after its first 252 bytes is right, and takes a UF2 file
as a drag-and-drop copy: blocks of 512 bytes with 256 of content each.
"""

from __future__ import annotations

import struct
import sys
from pathlib import Path
from typing import Final

BOOT_SIZE: Final = 252
FLASH: Final = 0x10000000
CONTENT: Final = 256
FAMILY_RP2040: Final = 0xE48BFF56
HAS_FAMILY: Final = 0x2000


def boot_checksum(boot: bytes) -> int:
    """CRC-32 as the ROM computes it: most significant bit first, not inverted at the end."""
    crc = 0xFFFFFFFF
    for byte in boot:
        crc ^= byte << 24
        for _ in range(8):
            crc = (crc << 1 ^ (0x04C11DB7 if crc & 0x80000000 else 0)) & 0xFFFFFFFF
    return crc


def with_checksum(program: bytes) -> bytes:
    """The program with its checksum filled in."""
    checksum = struct.pack("<I", boot_checksum(program[:BOOT_SIZE]))
    return program[:BOOT_SIZE] + checksum + program[BOOT_SIZE + len(checksum) :]


def uf2(program: bytes) -> bytes:
    """The program as a UF2 file."""
    pieces = [program[at : at + CONTENT] for at in range(0, len(program), CONTENT)]
    return b"".join(
        struct.pack(
            "<8I",
            0x0A324655,
            0x9E5D5157,
            HAS_FAMILY,
            FLASH + CONTENT * number,
            CONTENT,
            number,
            len(pieces),
            FAMILY_RP2040,
        )
        + piece.ljust(476, b"\0")
        + struct.pack("<I", 0x0AB16F30)
        for number, piece in enumerate(pieces)
    )


if __name__ == "__main__":
    binary, out = map(Path, sys.argv[1:])
    out.write_bytes(uf2(with_checksum(binary.read_bytes())))
