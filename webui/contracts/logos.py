"""What the page needs from the program to show a tournament's logo."""

from __future__ import annotations

from typing import Final, Protocol

MOST_BYTES: Final = 2 * 1024 * 1024
"""The size limit of an uploaded picture."""


class BadPicture(Exception):
    """Raised for what is no picture that can be a logo; the message says what to do."""


class Logos(Protocol):
    """The logos that were uploaded; every method is thread-safe."""

    def keep(self, picture: bytes) -> str:
        """Keep a PNG, JPEG or WebP picture and return its name; raises `BadPicture`."""

    def read(self, name: str) -> bytes | None:
        """The logo with this name as PNG; None if there is none."""
