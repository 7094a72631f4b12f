"""The types of the recorded matches: what their addresses take and give, for the document."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, RootModel

from webui.api.schemas.common import RequestBody
from webui.contracts.archive import Analysis
from webui.http.converters import MOST
from webui.views.replay import ShownList, ShownMatch


class ListQuery(RequestBody):
    """Which part of the list: the matches numbered below `before`; without it the newest."""

    before: Annotated[int, Field(ge=0, le=MOST, strict=False)] | None = None


class MatchQuery(RequestBody):
    """The version that is known: while it is the newest, 204 and nothing more."""

    known: Annotated[int, Field(ge=0, le=MOST, strict=False)] | None = None


class MatchesAnswer(RootModel[ShownList]):
    """A part of the list of matches."""


class MatchAnswer(RootModel[ShownMatch]):
    """One match with all its steps."""


class AnalysisAnswer(RootModel[Analysis]):
    """Where the analysis of a match is."""
