"""Names of people and things: one line of visible characters."""

from __future__ import annotations

import unicodedata
from typing import Final

LONGEST_NAME: Final = 40
"""Characters of a player's name."""
LONGEST_NOTE: Final = 500
"""Characters of a note on a match."""


def clean_name(name: str) -> str:
    """A player's name as it is entered: `visible_line`, cut after `LONGEST_NAME` characters."""
    return visible_line(name)[:LONGEST_NAME].strip()


def visible_line(text: str) -> str:
    """The text without what could make it look different, or another text look like it.

    Its characters are composed (NFC); control and formatting characters, such as those that turn
    the direction of writing, are dropped; spaces and line breaks become single spaces.
    """
    composed = unicodedata.normalize("NFC", text)
    spaced = "".join(" " if letter.isspace() else letter for letter in composed)
    visible = "".join(letter for letter in spaced if letter.isprintable())
    return " ".join(visible.split())
