"""The program's own errors.

TablesideError
├── StoreError        the record cannot be opened, read or added to
│   ├── NewerRecord   written by a later version of the program
│   └── BrokenRecord  damaged; kept aside under another name
├── BenchError        a figure was asked for that nobody measures
├── NoPage            the page cannot be served
├── SightLost         the process that watches the board has ended
├── BadDice           a table of rolls that cannot be used as it is
├── NoAnalysis        an engine could not tell how a match was played
├── WrongUsage        options that do not go together
└── NothingSeen       pictures in which no game could be followed
"""

from __future__ import annotations

from typing import Final

from calibration.errors import CalibrationError
from engine.errors import EngineError
from hardware.errors import HardwareError
from vision.errors import VisionError


class TablesideError(Exception):
    """Base of every error that the program raises by itself; one line that says what to do."""


class StoreError(TablesideError):
    """Raised when the record cannot be opened, read or added to; what it held is still there."""


class NewerRecord(StoreError):
    """Raised when a later version of the program wrote the record."""


class BrokenRecord(StoreError):
    """Raised when the record is damaged; it was kept aside and a new one can be begun."""


class BenchError(TablesideError):
    """Raised when a figure is asked for that nobody measures."""


class CannotServe(TablesideError):
    """Raised when the page cannot be served; the message says which port to choose."""


class VisionProcessLost(TablesideError):
    """Raised when the process that watches the board has ended by itself, or was killed."""


class BadDice(TablesideError):
    """Raised for rolls that cannot be used as they are; the message names file and line."""


class NoAnalysis(TablesideError):
    """Raised when an engine could not tell how a match was played; the message says why."""


class WrongUsage(TablesideError):
    """Raised when options are given that do not go together; the exit code is 2."""


class NothingSeen(TablesideError):
    """Raised when no game was seen in all the pictures; the message says what was in the way."""


EXPECTED: Final = (EngineError, VisionError, CalibrationError, HardwareError, TablesideError)
"""The bases of our own errors; anything else is a fault of the program and shows its trace."""
