"""The request and response types of the dice API, for its document."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, Field, RootModel
from typing_extensions import TypedDict

from engine.dice_sets.edits import MAX_NAME_LENGTH
from webui.api.schemas.common import RequestBody


class DiceQuery(RequestBody):
    """The version already known: while it is the newest, the response is an empty 204."""

    known: Annotated[str, Field(max_length=80)] | None = None


DiceName = Annotated[str, Field(min_length=1, max_length=120)]


class MergeBody(RequestBody):
    """Two names of the same dice, as reports show them; `keep` is the name to keep."""

    keep: DiceName
    other: DiceName


class RenameBody(RequestBody):
    """The dice's current name, `name`, and their new name, `to`."""

    name: DiceName
    to: Annotated[str, Field(min_length=1, max_length=MAX_NAME_LENGTH)]


class NamesAnswer(BaseModel):
    """The state of the names now."""

    version: str
    last_said: str
    """The newest edit in effect; empty if there is none."""


class Curve(TypedDict):
    """An e-value as the rolls accumulate."""

    rolls: list[int]
    log10: list[float]


class WatchedDie(TypedDict):
    """A die of a match in play: only what may be looked at after every roll."""

    n: int
    counts: list[int]
    """How often each of 1 to 6 came up in this match."""
    pooled: bool
    """Whether these are two dice that cannot be told apart."""
    e_value_of_match: float
    """The evidence of this match alone."""
    e_value: float
    """The evidence of all matches together, this one included."""
    e_words: str
    e_largest: float
    e_largest_at: int
    """The number of rolls of this match at which its e-value was largest."""
    anytime_p: float
    """A p-value that is valid at any time."""
    e_path: Curve
    bounds: list[list[float]]
    """For each face, the lower and upper bound; valid at any time, for all six with 95 %
    confidence."""
    verdict: str


class LiveDiceAnswer(TypedDict):
    """The dice of a match in play."""

    match: int
    title: str
    dice: dict[str, WatchedDie]


class DiceAnswer(TypedDict):
    """What the rolls say about the dice."""

    version: str
    title: str
    ended: dict[str, Any] | None
    """For finished matches, as `tableside dice report --json` gives it; null without rolls."""
    playing: list[LiveDiceAnswer]


class DiceAnswered(RootModel[DiceAnswer]):
    """What the rolls say about the dice."""
