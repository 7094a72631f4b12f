"""Decodes Smile, the binary form of JSON in which BGBlitz writes.

After its specification: github.com/FasterXML/smile-format-specification. BGBlitz shares names in it
but no texts, and writes no number beyond 64 bits.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import Any, Final

from engine.formats.model.errors import InvalidMatchFile

MAGIC: Final = b":)\n"
MAX_VALUES: Final = 2_000_000
"""A match of 262 turns with its analysis has about 100,000 names and values."""
MAX_DEPTH: Final = 40
_HEADER_BYTES: Final = 4
_SHARES_TEXTS: Final = 0x02
_MOST_NAMES: Final = 1024
"""After so many names, their numbers begin anew."""
_ARRAY, _OBJECT = 0xF8, 0xFA
_SMALL: Final = range(0xC0, 0xE0)
"""Small integers."""
_NUMBERS: Final = frozenset((0x24, 0x25, 0x28, 0x29, *_SMALL))
_END_ARRAY: Final = 0xF9
_END_OBJECT: Final = 0xFB
_END_TEXT: Final = b"\xfc"
_MOST_INTEGER_BYTES: Final = 10
_PLAIN: Final[dict[int, object]] = {0x20: "", 0x21: None, 0x22: False, 0x23: True}


def decode_smile(content: bytes) -> Any:
    """The value; raises `InvalidMatchFile` if it is damaged or larger than a match."""
    if not content.startswith(MAGIC) or len(content) <= _HEADER_BYTES:
        raise InvalidMatchFile("this .bgf file has no match")
    if content[_HEADER_BYTES - 1] & _SHARES_TEXTS:
        raise InvalidMatchFile("a kind of .bgf file that cannot be read")
    try:
        return _Decoder(content).value(0)
    except (IndexError, struct.error) as error:
        raise InvalidMatchFile("the .bgf file is damaged") from error


@dataclass(slots=True)
class _Decoder:
    """Reads from front to back."""

    content: bytes
    at: int = _HEADER_BYTES
    names: list[str] = field(default_factory=list)
    values: int = 0

    def value(self, depth: int) -> Any:
        """The next value."""
        self.values += 1
        if self.values > MAX_VALUES or depth > MAX_DEPTH:
            raise InvalidMatchFile("the .bgf file is larger than a match")
        token = self._byte()
        if token == _OBJECT:
            return self._object(depth + 1)
        if token == _ARRAY:
            return self._array(depth + 1)
        if token in _PLAIN:
            return _PLAIN[token]
        return self._number(token) if token in _NUMBERS else self._text(token)

    def _number(self, token: int) -> float:
        match token:
            case 0x24 | 0x25:
                return self._integer()
            case 0x28:
                return float(struct.unpack(">f", self._sevens(5, 4))[0])
            case 0x29:
                return float(struct.unpack(">d", self._sevens(10, 8))[0])
            case _:
                return _signed(token - _SMALL.start)

    def _object(self, depth: int) -> dict[str, Any]:
        found = {}
        while self.content[self.at] != _END_OBJECT:
            name = self._name()
            found[name] = self.value(depth)
        self.at += 1
        return found

    def _array(self, depth: int) -> list[Any]:
        found = []
        while self.content[self.at] != _END_ARRAY:
            found.append(self.value(depth))
        self.at += 1
        return found

    def _name(self) -> str:
        token = self._byte()
        if token == 0x20:
            return ""
        if 0x40 <= token <= 0x7F:
            return self.names[token - 0x40]
        if 0x30 <= token <= 0x33:
            return self.names[(token - 0x30) * 256 + self._byte()]
        if 0x80 <= token <= 0xBF:
            name = self._taken(token - 0x7F)
        elif 0xC0 <= token <= 0xF7:
            name = self._taken(token - 0xBE)
        elif token == 0x34:
            return self._long_text()
        else:
            raise InvalidMatchFile("the .bgf file is damaged")
        if len(self.names) == _MOST_NAMES:
            self.names.clear()
        self.names.append(name)
        return name

    def _text(self, token: int) -> str:
        if 0x40 <= token <= 0x7F:
            return self._taken(token - 0x3F)
        if 0x80 <= token <= 0xBF:
            return self._taken(token - 0x7E)
        if token in (0xE0, 0xE4):
            return self._long_text()
        raise InvalidMatchFile("a kind of .bgf file that cannot be read")

    def _byte(self) -> int:
        self.at += 1
        return self.content[self.at - 1]

    def _taken(self, count: int) -> str:
        self.at += count
        if self.at > len(self.content):
            raise InvalidMatchFile("the .bgf file is cut off")
        return self.content[self.at - count : self.at].decode("utf-8", errors="replace")

    def _long_text(self) -> str:
        end = self.content.find(_END_TEXT, self.at)
        text = self._taken((end if end >= 0 else len(self.content) + 1) - self.at)
        self.at += 1
        return text

    def _integer(self) -> int:
        """Seven bits a byte, the largest first; the last byte has six, and its top bit set."""
        number = 0
        for _ in range(_MOST_INTEGER_BYTES):
            byte = self._byte()
            if byte & 0x80:
                return _signed(number << 6 | byte & 0x3F)
            number = number << 7 | byte
        raise InvalidMatchFile("the .bgf file is damaged")

    def _sevens(self, count: int, size: int) -> bytes:
        """`size` bytes that are written as seven bits in each of `count`."""
        number = 0
        for _ in range(count):
            number = number << 7 | self._byte() & 0x7F
        return (number & (1 << 8 * size) - 1).to_bytes(size, "big")


def _signed(number: int) -> int:
    """The number whose sign is its lowest bit."""
    return number >> 1 ^ -(number & 1)
