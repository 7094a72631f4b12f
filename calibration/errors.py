"""The calibration's error tree."""

from __future__ import annotations


class CalibrationError(ValueError):
    """Base of every error that calibration raises; the message says what to do."""


class BadProfile(CalibrationError):
    """Raised when a profile file cannot be read or belongs to another program version."""


class CannotLearn(CalibrationError):
    """Raised when a position leaves something unseen that a set must be learnt from."""


class BadSheet(CalibrationError):
    """Raised when photos of the printed sheet do not determine the lens."""
