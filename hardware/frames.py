"""Frames on the cup's line: `COBS(version, id, type, payload, CRC-16/XMODEM) 0x00`.

Sans-I/O: bytes in any pieces go in, frames come out. 0x00 never occurs inside a frame, so a line
error damages only the frames that it hits.
"""

from __future__ import annotations

import binascii
import struct
from dataclasses import dataclass, field
from typing import Final

from hardware.errors import BadFrame

VERSION: Final = 1
MAX_LENGTH: Final = 256
"""Bytes in the longest frame that is decoded; a cup itself accepts and sends at most 64."""
_HEAD: Final = struct.Struct("<BHB")


@dataclass(frozen=True, slots=True)
class CupFrame:
    """A message on the line; `id` ties an answer to its command, or numbers the cup's notices."""

    id: int
    type: int
    payload: bytes = b""

    def encode(self) -> bytes:
        """The bytes for the line, including the closing 0x00."""
        body = _HEAD.pack(VERSION, self.id, self.type) + self.payload
        return cobs_encode(body + binascii.crc_hqx(body, 0).to_bytes(2, "big")) + b"\0"

    @classmethod
    def decode(cls, line: bytes) -> CupFrame:
        """Decode the bytes between two 0x00; raises `BadFrame`, which says what is wrong."""
        body = cobs_decode(line)
        if len(body) < _HEAD.size + 2:
            raise BadFrame(f"a frame has at least {_HEAD.size + 2} bytes, not {len(body)}")
        if binascii.crc_hqx(body, 0) != 0:
            raise BadFrame("the frame's checksum is wrong")
        version, id_, type_ = _HEAD.unpack_from(body)
        if version != VERSION:
            raise BadFrame(f"the frame has version {version}; this program uses {VERSION}")
        return cls(id_, type_, body[_HEAD.size : -2])


def cobs_encode(body: bytes) -> bytes:
    """`body` free of 0x00 (consistent overhead byte stuffing), without the closing one."""
    out = bytearray()
    for block in body.split(b"\0"):
        rest = block
        while len(rest) >= 254:
            out += b"\xff" + rest[:254]
            rest = rest[254:]
        out += bytes([len(rest) + 1]) + rest
    return bytes(out)


def cobs_decode(line: bytes) -> bytes:
    """The inverse of `cobs_encode`; raises `BadFrame` if `line` is not valid COBS."""
    out = bytearray()
    at = 0
    while at < len(line):
        code = line[at]
        if code == 0 or at + code > len(line):
            raise BadFrame("the frame's stuffing is broken")
        out += line[at + 1 : at + code]
        at += code
        if code < 0xFF and at < len(line):
            out.append(0)
    return bytes(out)


def crc_arc(message: bytes) -> int:
    """CRC-16/ARC, the second checksum of commands that change state."""
    crc = 0
    for byte in message:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ 0xA001 if crc & 1 else crc >> 1
    return crc


@dataclass(slots=True)
class FrameDecoder:
    """Splits a byte stream into frames and counts the damaged ones."""

    good: int = 0
    bad: int = 0
    _rest: bytearray = field(default_factory=bytearray)
    _is_too_long: bool = False

    def feed(self, received: bytes) -> list[CupFrame | BadFrame]:
        """Return the frames that `received` completes, with an error in place of a damaged one."""
        *ended, rest = received.split(b"\0")
        found = [one for piece in ended if (one := self._end(piece)) is not None]
        self._gather(rest)
        return found

    def clear(self) -> None:
        """Drop a half-received frame."""
        self._rest.clear()
        self._is_too_long = False

    def _gather(self, piece: bytes) -> None:
        if len(self._rest) + len(piece) > MAX_LENGTH:
            self._is_too_long = True
            self._rest.clear()
        else:
            self._rest += piece

    def _end(self, piece: bytes) -> CupFrame | BadFrame | None:
        self._gather(piece)
        line, is_too_long = bytes(self._rest), self._is_too_long
        self.clear()
        if not line and not is_too_long:
            return None
        try:
            if is_too_long:
                raise BadFrame(f"more than {MAX_LENGTH} bytes without an end")
            frame = CupFrame.decode(line)
        except BadFrame as error:
            self.bad += 1
            return error
        self.good += 1
        return frame
