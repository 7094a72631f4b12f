"""The request and response types of sharing, for the document."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field

from webui.api.schemas.common import RequestBody


class StreamLinkBody(RequestBody):
    """What the link is made for."""

    name: Annotated[str, Field(min_length=1, max_length=40, examples=["OBS in the studio"])]


class StreamLinkShown(BaseModel):
    """A link to the overlay that somebody has."""

    id: str
    name: str


class StreamLinksAnswer(BaseModel):
    """The links that open the overlay."""

    links: list[StreamLinkShown]
    token: str | None = None
    """The token of the new link, for `token` in the overlay's address; it is shown only here."""
