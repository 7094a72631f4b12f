"""Errors of the formats; each names the place.

EngineError
├── InvalidId          an id that is none, or that no position has
├── InvalidMatchFile   a file that cannot be read as a match at all
└── NotInFormat        a match that a format cannot hold
"""

from __future__ import annotations

from engine.errors import EngineError


class InvalidId(EngineError):
    """Raised when a Position ID, Match ID or XGID cannot be read; the message names the field."""


class InvalidMatchFile(EngineError):
    """Raised when a file is no match file; the message names the line."""


class NotInFormat(EngineError):
    """Raised when a format cannot hold what it was given without lying."""
