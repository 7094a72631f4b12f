"""The request types for entries about a match as a whole."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from webui.api.schemas.common import RequestBody
from webui.api.schemas.setup import Length, OptionsBody, PlaceBody, PlayerName, VariantName
from webui.http.converters import MOST


class NamesBody(RequestBody):
    """The players' names; a blank name becomes the side's name, Light or Dark."""

    light: PlayerName
    dark: PlayerName


Reserve = Annotated[float, Field(ge=0, le=36_000)]


class ClockBody(RequestBody):
    """The clock, in seconds: each player's reserve, and the delay at the start of each turn.

    If both reserves are 0, the match continues without a clock.
    """

    light: Reserve
    dark: Reserve
    delay: Annotated[float, Field(ge=0, le=600)] = 0.0


class ResumeBody(RequestBody):
    """The unfinished match that goes on."""

    match: Annotated[int, Field(ge=1, le=MOST)]


class NextMatchBody(NamesBody):
    """The next match at this board."""

    length: Length = 0
    variant: VariantName = "short"
    rules: str = ""
    """The name of a rule set, the file that the program was started with, or empty for the
    default."""
    options: OptionsBody = Field(default_factory=OptionsBody)
    place: PlaceBody | None = None
    """Left out, the tournament, the table and the logo stay as they are."""
