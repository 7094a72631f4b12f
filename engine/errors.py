"""The errors that the engine raises; `EngineError` is the base of all."""

from __future__ import annotations


class EngineError(ValueError):
    """Base of every error that the engine raises."""


class InvalidPosition(EngineError):
    """Raised when counts break a rule of the board; the message lists every error."""


class InvalidRoll(EngineError):
    """Raised when a die shows anything but 1..6."""


class InvalidNotation(EngineError):
    """Raised when a text is not a play in notation."""


class IllegalPlay(EngineError):
    """Raised when a play in valid notation cannot be made in the given position."""


class UnknownVariant(EngineError):
    """Raised when there is no variant of that name."""


class IllegalCube(EngineError):
    """Raised when the cube is offered, taken or turned where it may not be."""


class TooManyPlays(EngineError):
    """Raised when a chain of rising doubles has more results than can sensibly be listed."""


class InvalidRuleSet(EngineError):
    """Raised when a rule set is unknown, or a field of its file cannot be used."""


class InvalidScore(EngineError):
    """Raised when the score of a match makes no sense."""


class NotNow(EngineError):
    """Raised when a manual entry does not fit the state of the match."""


class UnknownNoise(EngineError):
    """Raised when there is no simulated error of that name."""
