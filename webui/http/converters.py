"""URL converters for the numbers in addresses.

`int` fails on thousands of digits with an error of its own, so these accept only as many digits as
are ever needed; anything longer matches no address.
"""

from __future__ import annotations

from typing import Final

from werkzeug.routing import IntegerConverter

MOST: Final = 10**18 - 1
"""The largest number of a match or frame; it fits in 64 bits."""


class TurnNumber(IntegerConverter):
    """An integer from 1, with at most five digits."""

    regex = r"[1-9]\d{0,4}"


class RecordNumber(IntegerConverter):
    """The number of a match or frame in the record, from 0 to `MOST`."""

    regex = r"\d{1,18}"
