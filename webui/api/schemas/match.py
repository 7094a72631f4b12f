"""The types of what is entered of a match as a whole."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from webui.api.schemas.common import RequestBody
from webui.api.schemas.setup import Length, PlayerName, VariantName


class NamesBody(RequestBody):
    """What the players are called; blank: the side's own name."""

    light: PlayerName
    dark: PlayerName


Reserve = Annotated[float, Field(ge=0, le=36_000)]


class ClockBody(RequestBody):
    """The clock, in seconds: each player's reserve, and what of each turn costs none of it.

    Without a reserve no clock is used any more.
    """

    light: Reserve
    dark: Reserve
    delay: Annotated[float, Field(ge=0, le=600)] = 0.0


class NextMatchBody(NamesBody):
    """The match that begins next at this board."""

    length: Length = 0
    variant: VariantName = "short"
    rules: str = ""
    """A rule set's name, the file that the program was started with, or empty: the usual ones."""
