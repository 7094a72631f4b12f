"""The errors of calibration."""

from __future__ import annotations


class CalibrationError(ValueError):
    """Base of all errors that calibration raises; the message says what to do."""


class BadProfile(CalibrationError):
    """Raised when a profile file cannot be read or belongs to another program version."""


class CannotLearn(CalibrationError):
    """Raised when a position hides what must be seen to learn a set: the felt."""


class BadSheet(CalibrationError):
    """Raised when photos of the printed sheet do not determine the lens."""
