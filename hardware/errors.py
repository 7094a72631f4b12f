"""Errors of the cup."""

from __future__ import annotations

from engine.message import Sentence


class HardwareError(Exception):
    """Base of every error of the cup; one line that says what to do."""


class BadFrame(HardwareError):
    """Raised when bytes are no frame, or a frame is no message of the protocol."""


class NoCup(HardwareError):
    """Raised when no cup is found, or its port cannot be opened."""


class CupLost(HardwareError):
    """Raised when the line broke, or fell silent, before the answer came."""


class CupRefused(HardwareError):
    """Raised when the cup refuses a command; `code` is its `Refusal`."""

    def __init__(self, message: Sentence, code: int) -> None:
        super().__init__(message)
        self.code = code


class CupOutOfStep(HardwareError):
    """Raised when the cup is another one, or its rolls do not follow from those recorded."""
