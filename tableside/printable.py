"""Text for a terminal and a log: names of files and devices may contain anything."""

from __future__ import annotations

import json


def printable(text: str) -> str:
    """The text with an escape for each character that is not visible, such as a line break.

    Such characters can change a terminal's state, or the direction of writing.
    """
    return "".join(one if one.isprintable() else json.dumps(one)[1:-1] for one in text)
