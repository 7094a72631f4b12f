"""Errors of the formats; each names the place."""

from __future__ import annotations

from typing import Final

from engine.errors import EngineError

EXPORT: Final = "export it as .mat or text in the program that wrote it"
"""What to do with a match in a format that is not read."""


class InvalidId(EngineError):
    """Raised when a Position ID, Match ID or XGID cannot be read; the message names the field."""


class InvalidMatchFile(EngineError):
    """Raised when a file is not a match file; the message names the line."""


class NotInFormat(EngineError):
    """Raised when a format cannot represent its input faithfully."""
