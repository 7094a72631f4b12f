"""The types of the recorded matches: what their addresses take and give, for the document."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, RootModel

# The API's document is made from these types; `typing` tells too little of them before 3.12.
from typing_extensions import TypedDict

from webui.api.schemas.common import RequestBody
from webui.contracts.archive import (
    Analysis,
    DownloadLink,
    Home,
    MatchStep,
    MatchSummary,
    ReviewItemShown,
)
from webui.contracts.state import Colours
from webui.http.converters import MOST


class ListQuery(RequestBody):
    """Which part of the list: the matches numbered below `before`; without it the newest."""

    before: Annotated[int, Field(ge=0, le=MOST, strict=False)] | None = None


class MatchQuery(RequestBody):
    """The version that is known: while it is the newest, 204 and nothing more."""

    known: Annotated[int, Field(ge=0, le=MOST, strict=False)] | None = None


class EntryWords(TypedDict):
    """A match of the list in words."""

    title: str
    variant: str
    begun: str
    """As ISO 8601 has it, in the time of the program's machine."""
    when: str
    plays: str
    games: str
    state: str
    """`open`, `closed`, or empty: it is won."""
    source: str


class EntryAnswer(MatchSummary):
    """One match of the record, and its words."""

    shown: EntryWords


class ListAnswer(TypedDict):
    """A part of the list, newest first."""

    matches: list[EntryAnswer]
    older: int | None
    """What to give as `before` for those that follow; null where none do."""


class StepAnswer(MatchStep):
    """A step, and what the page draws of it."""

    shown: dict[str, Any]


class ReviewItemAnswer(ReviewItemShown):
    """A thing to look at, and what the page says of it."""

    shown: dict[str, Any]


class WholeMatch(TypedDict):
    """One match with everything that may be told of it."""

    entry: EntryAnswer
    steps: list[StepAnswer]
    doubtful: list[ReviewItemAnswer]
    files: list[DownloadLink]
    colours: Colours
    light_home: Home
    is_withheld: bool
    """Whether something is not told before the match is over."""
    shown: dict[str, Any]


class MatchesAnswer(RootModel[ListAnswer]):
    """A part of the list; `webui/contracts/archive.py` tells what each field is."""


class MatchAnswer(RootModel[WholeMatch]):
    """One match with all its steps; `webui/contracts/archive.py` tells what each field is."""


class AnalysisAnswer(RootModel[Analysis]):
    """Where the analysis of a match is; `webui/contracts/archive.py` tells what each field is."""
