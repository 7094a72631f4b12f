"""URL converters for the numbers in addresses.

`int` refuses thousands of digits with an error of its own, so no more of them are taken than are
ever needed; anything longer is no address of ours.
"""

from __future__ import annotations

from typing import Final

from werkzeug.routing import IntegerConverter

MOST: Final = 10**18 - 1
"""Of a number in the record; it fits in 64 bits."""


class TurnNumber(IntegerConverter):
    """From 1 up, at most five digits."""

    regex = r"[1-9]\d{0,4}"


class RecordNumber(IntegerConverter):
    """A match or a frame of the record, from 0 to `MOST`."""

    regex = r"\d{1,18}"
