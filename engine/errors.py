"""The engine's error tree.

EngineError
├── InvalidPosition   counts that no position of the game can have
├── InvalidRoll       pips outside 1..6
├── InvalidNotation   text that is no play
├── IllegalPlay       a well-formed play that the rules forbid here
└── UnknownVariant    a name that no rules answer to
"""

from __future__ import annotations


class EngineError(ValueError):
    """Base of every error that the engine raises."""


class InvalidPosition(EngineError):
    """Raised when counts break a rule of the board; the message names every fault."""


class InvalidRoll(EngineError):
    """Raised when a die shows anything but 1..6."""


class InvalidNotation(EngineError):
    """Raised when a text cannot be read as a play."""


class IllegalPlay(EngineError):
    """Raised when a play that can be read cannot be made in the position given."""


class UnknownVariant(EngineError):
    """Raised when no variant has the name asked for."""
