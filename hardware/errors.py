"""The cup's errors.

HardwareError
├── BadFrame       bytes that are no frame or no message of the protocol
├── NoCup          no cup could be found or opened
├── CupLost        the line broke before the answer came
├── CupRefused     the cup said why it will not
└── CupAstray      the cup is not the one, or not where, the match has it
"""

from __future__ import annotations


class HardwareError(Exception):
    """Base of every error of the cup; one line that says what to do."""


class BadFrame(HardwareError):
    """Raised when bytes are no frame, or a frame is no message of ours."""


class NoCup(HardwareError):
    """Raised when no cup is found, or its port cannot be opened."""


class CupLost(HardwareError):
    """Raised when the line broke, or fell silent, before the answer came."""


class CupRefused(HardwareError):
    """Raised when the cup answers that it will not, and why."""


class CupOutOfStep(HardwareError):
    """Raised when the cup is another one, or its rolls do not follow from those recorded."""
