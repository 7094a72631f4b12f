"""What is said of a match as a whole: the types that its addresses take."""

from __future__ import annotations

from webui.answers import Taken
from webui.setup_answers import Length, PlayerName, VariantName


class NamesSaid(Taken):
    """What the players are called; blank: the side's own name."""

    light: PlayerName
    dark: PlayerName


class MatchSaid(NamesSaid):
    """The match that begins next at this board."""

    length: Length = 0
    variant: VariantName = "short"
    rules: str = ""
    """A rule set's name, the file that the program was started with, or empty: the usual ones."""
