"""Errors of the cup and of dice with Bluetooth."""

from __future__ import annotations

from engine.message import Sentence


class HardwareError(Exception):
    """Base of all errors of a device; the message says in one line what to do."""


class BadFrame(HardwareError):
    """Raised when bytes are not a frame, or a frame is not a message of the protocol."""


class NoCup(HardwareError):
    """Raised when no cup is found, or its port cannot be opened."""


class CupLost(HardwareError):
    """Raised when the line breaks or falls silent before the answer arrives."""


class CupRefused(HardwareError):
    """Raised when the cup refuses a command; `code` is its `Refusal`."""

    def __init__(self, message: Sentence, code: int) -> None:
        super().__init__(message)
        self.code = code


class NoRadio(HardwareError):
    """Raised when Bluetooth cannot be used, or its dice are not found."""


class CupOutOfStep(HardwareError):
    """Raised when it is a different cup, or its rolls do not follow from those recorded."""


class WrongCup(CupOutOfStep):
    """Raised when the device that answers cannot be the match's cup, whatever it is asked."""
