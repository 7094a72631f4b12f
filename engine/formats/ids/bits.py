"""Bits in gnubg's order, lowest of each byte first, as base64 without padding."""

from __future__ import annotations

import base64
import binascii

from engine.formats.model.errors import InvalidId


def coded(number: int, size: int) -> str:
    """`size` bytes whose bit i is bit i of `number`, as text."""
    return base64.b64encode(number.to_bytes(size, "little")).decode("ascii").rstrip("=")


def decoded(text: str, size: int, what: str) -> int:
    """The inverse of `coded`; raises `InvalidId` if the text is not a `what`."""
    length = (size * 8 + 5) // 6
    if not isinstance(text, str) or len(text) != length:
        raise InvalidId(f"a {what} has {length} characters, not {str(text)[:40]!r}")
    try:
        raw = base64.b64decode(text + "=" * (-length % 4), validate=True)
    except (binascii.Error, ValueError) as error:
        raise InvalidId(f"a {what} has only letters, digits, + and /: {text!r}") from error
    number = int.from_bytes(raw, "little")
    if coded(number, size) != text:
        raise InvalidId(f"{text!r} is not a {what}: its unused bits are set")
    return number
