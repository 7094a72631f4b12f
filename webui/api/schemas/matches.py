"""The request and response types of the recorded matches, for the document."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import Field, RootModel

from engine.events.names import LONGEST_NOTE
from engine.formats.detect import MAX_FILE_BYTES
from webui.api.schemas.common import RequestBody
from webui.contracts.archive import AddedMatch, Analysis, DeletedMatch
from webui.http.converters import MOST
from webui.views.replay import ShownList, ShownMatch, ShownUnfinished

Line = Annotated[str, Field(max_length=LONGEST_NOTE)]


class ListQuery(RequestBody):
    """Which matches are listed, and which page: those numbered below `before`, or the newest."""

    before: Annotated[int, Field(ge=0, le=MOST, strict=False)] | None = None
    words: Annotated[Line, Field(description="Each must be in a name, the place or the note.")] = ""
    state: Annotated[
        Literal["", "review", "unfinished", "stopped"],
        Field(description="Of matches without a winner, `unfinished` can go on, `stopped` cannot."),
    ] = ""
    variant: Line = ""
    since: Annotated[Line, Field(examples=["2026-11-30"])] = ""
    until: Line = ""

    @property
    def is_search(self) -> bool:
        """Whether only some of the matches are wanted."""
        return any(self.model_dump(exclude={"before"}).values())


class DetailsBody(RequestBody):
    """What is said of a match; what is not known is empty."""

    light: Line
    dark: Line
    event: Line = ""
    round: Line = ""
    table: Line = ""
    note: Line = ""


class TurnPlayBody(RequestBody):
    """What was played in a turn."""

    play: Annotated[str, Field(max_length=100, examples=["13/8 6/5"])]


class FileQuery(RequestBody):
    """A part of a match file: the bytes from `at` on."""

    name: Annotated[str, Field(min_length=1, max_length=200, examples=["final.mat"])]
    size: Annotated[int, Field(ge=1, le=MAX_FILE_BYTES, strict=False)]
    """Of the whole file."""
    at: Annotated[int, Field(ge=0, le=MAX_FILE_BYTES, strict=False)] = 0
    upload: Annotated[str, Field(max_length=40)] = ""
    """Any text that other uploads of the same time do not have."""


RECEIVED: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"received": {"type": "integer", "description": "Bytes that have arrived."}},
    "required": ["received"],
}
"""The answer to a part of a file, for the document."""


class EditAnswer(RequestBody):
    """The version of the match now."""

    version: int


class UnfinishedAnswer(RootModel[list[ShownUnfinished]]):
    """The matches that can go on."""


class DeletedAnswer(RootModel[list[DeletedMatch]]):
    """The matches that can be restored."""


class AddedAnswer(RootModel[AddedMatch]):
    """The match that was added."""


class MatchQuery(RequestBody):
    """The version already known: while it is the newest, the response is an empty 204."""

    known: Annotated[int, Field(ge=0, le=MOST, strict=False)] | None = None


class MatchesAnswer(RootModel[ShownList]):
    """A page of the list of matches."""


class MatchAnswer(RootModel[ShownMatch]):
    """One match with all its steps."""


class AnalysisAnswer(RootModel[Analysis]):
    """The progress of a match's analysis."""
