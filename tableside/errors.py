"""The program's own errors: each is a `TablesideError`."""

from __future__ import annotations

from typing import Final

from calibration.errors import CalibrationError
from engine.errors import EngineError
from hardware.errors import HardwareError
from vision.errors import VisionError


class TablesideError(Exception):
    """Base of all errors that the program itself raises; the message is one line on what to do."""


class StoreError(TablesideError):
    """Raised when the record cannot be opened, read or added to; its contents are intact."""


class NewerRecord(StoreError):
    """Raised when a later version of the program wrote the record."""


class BrokenRecord(StoreError):
    """Raised when the record is damaged; it has been renamed, so that a new one can begin."""


class BenchError(TablesideError):
    """Raised when an unknown figure is requested."""


class CannotServe(TablesideError):
    """Raised when the page cannot be served; the message says which port to choose."""


class VisionProcessLost(TablesideError):
    """Raised when the vision process has ended unexpectedly or was killed."""


class BadDice(TablesideError):
    """Raised for unusable rolls; the message names the file and line."""


class NoAnalysis(TablesideError):
    """Raised when the engine could not analyze a match; the message says why."""


class WrongUsage(TablesideError):
    """Raised for options that do not go together; the exit code is 2."""


class NothingSeen(TablesideError):
    """Raised when the pictures show no game; the message says why."""


EXPECTED: Final = (EngineError, VisionError, CalibrationError, HardwareError, TablesideError)
"""The bases of our own errors; any other error is a bug and shows its traceback."""
