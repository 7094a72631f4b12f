"""Errors of the formats; each names the place."""

from __future__ import annotations

from engine.errors import EngineError


class InvalidId(EngineError):
    """Raised when a Position ID, Match ID or XGID cannot be read; the message names the field."""


class InvalidMatchFile(EngineError):
    """Raised when a file is not a match file; the message names the line."""


class NotInFormat(EngineError):
    """Raised when a format cannot represent its input faithfully."""
