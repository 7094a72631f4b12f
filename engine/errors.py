"""The engine's error tree.

EngineError
├── InvalidPosition   counts that no position of the game can have
├── InvalidRoll       pips outside 1..6
├── InvalidNotation   text that is no play
├── IllegalPlay       a well-formed play that the rules forbid here
├── IllegalCube       a use of the cube that the rules forbid here
├── TooManyPlays      a chain of doubles with more results than are listed
├── UnknownVariant    a name that no rules answer to
├── InvalidRuleSet    a rule set that is unknown or cannot be read
├── NotNow            a manual entry that does not fit what is going on
└── UnknownNoise      a kind of simulated error that there is none of
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


class IllegalCube(EngineError):
    """Raised when the cube is offered, taken or turned where it may not be."""


class TooManyPlays(EngineError):
    """Raised when a chain of rising doubles has more results than can sensibly be listed."""


class InvalidRuleSet(EngineError):
    """Raised when a rule set is unknown, or a field of its file cannot be used."""


class NotNow(EngineError):
    """Raised when something is told by hand that does not fit what is going on."""


class UnknownNoise(EngineError):
    """Raised when no simulated error has the name asked for."""
