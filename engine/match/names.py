"""Names of players: one line of visible characters."""

from __future__ import annotations

import unicodedata
from typing import Final

LONGEST_NAME: Final = 40
"""Characters."""


def clean_name(name: str) -> str:
    """The name without what could make it look different, or another text look like it.

    Its characters are composed (NFC); control and formatting characters, such as those that turn
    the direction of writing, are dropped; it is cut after `LONGEST_NAME` characters.
    """
    composed = unicodedata.normalize("NFC", name)
    spaced = "".join(" " if letter.isspace() else letter for letter in composed)
    visible = "".join(letter for letter in spaced if letter.isprintable())
    return " ".join(visible.split())[:LONGEST_NAME].strip()
