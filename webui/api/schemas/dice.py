"""The types of the dice addresses: what they take and give, for the document."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, Field, RootModel
from typing_extensions import TypedDict

from engine.dice_sets.edits import MAX_NAME_LENGTH
from webui.api.schemas.common import RequestBody


class DiceQuery(RequestBody):
    """The version that is known: while it is the newest, 204 and nothing more."""

    known: Annotated[str, Field(max_length=80)] | None = None


DiceName = Annotated[str, Field(min_length=1, max_length=120)]


class MergeBody(RequestBody):
    """Two names of the same dice, as reports show them; `keep` is the name to keep."""

    keep: DiceName
    other: DiceName


class RenameBody(RequestBody):
    """The present name of the dice, `name`, and their new name, `to`."""

    name: DiceName
    to: Annotated[str, Field(min_length=1, max_length=MAX_NAME_LENGTH)]


class NamesAnswer(BaseModel):
    """What is known of the names now."""

    version: str
    last_said: str
    """The newest edit in effect; empty if there is none."""


class Curve(TypedDict):
    """An e-value as rolls came in."""

    rolls: list[int]
    log10: list[float]


class WatchedDie(TypedDict):
    """A die of a match that is being played: only what may be looked at after every roll."""

    n: int
    counts: list[int]
    """How often 1 to 6 came up in this match."""
    pooled: bool
    """Whether it is two dice that cannot be distinguished."""
    e_value_of_match: float
    """The evidence of this match alone."""
    e_value: float
    """The evidence of all matches together, this one included."""
    e_words: str
    e_largest: float
    e_largest_at: int
    """Rolls of this match at the largest of its e-values."""
    anytime_p: float
    """A p that holds whenever one looks."""
    e_path: Curve
    bounds: list[list[float]]
    """Of each face, low and high: they hold at any time, all six with 95 %."""
    verdict: str


class LiveDiceAnswer(TypedDict):
    """A match that is being played."""

    match: int
    title: str
    dice: dict[str, WatchedDie]


class DiceAnswer(TypedDict):
    """What the dice tell."""

    version: str
    title: str
    ended: dict[str, Any] | None
    """Of matches that are over, as `tableside dice report --json` has it; null without rolls."""
    playing: list[LiveDiceAnswer]


class DiceAnswered(RootModel[DiceAnswer]):
    """What the dice tell."""
