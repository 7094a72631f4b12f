"""`TurnNumber`: the number of a turn in an address."""

from __future__ import annotations

from werkzeug.routing import IntegerConverter


class TurnNumber(IntegerConverter):
    """From 1 up, at most five digits: `int` refuses thousands of them with an error of its own."""

    regex = r"[1-9]\d{0,4}"
