"""The request and response types of the recorded matches, for the document."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, RootModel

from webui.api.schemas.common import RequestBody
from webui.contracts.archive import Analysis
from webui.http.converters import MOST
from webui.views.replay import ShownList, ShownMatch


class ListQuery(RequestBody):
    """Which page of the list: the matches numbered below `before`; without it, the newest."""

    before: Annotated[int, Field(ge=0, le=MOST, strict=False)] | None = None


class MatchQuery(RequestBody):
    """The version already known: while it is the newest, the response is an empty 204."""

    known: Annotated[int, Field(ge=0, le=MOST, strict=False)] | None = None


class MatchesAnswer(RootModel[ShownList]):
    """A page of the list of matches."""


class MatchAnswer(RootModel[ShownMatch]):
    """One match with all its steps."""


class AnalysisAnswer(RootModel[Analysis]):
    """The progress of a match's analysis."""
