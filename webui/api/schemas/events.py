"""The request and response types of a match's events, for the document."""

from __future__ import annotations

from typing import Annotated, Any, Final, get_args

from pydantic import Field, RootModel

from webui.api.schemas.common import RoleQuery
from webui.contracts.events import EventList, MatchEvent
from webui.http.converters import MOST


class EventsQuery(RoleQuery):
    """Which part of a feed: the events after number `after`, as a role may see them."""

    after: Annotated[int, Field(ge=0, le=MOST, strict=False)] = 0


class EventsAnswer(RootModel[EventList]):
    """A part of a feed."""


_LINES: Final = "\n".join(
    f"- {', '.join(f'`{name}`' for name in get_args(kind.__annotations__['event']))}: "
    f"`{kind.__name__}`. {(kind.__doc__ or '').splitlines()[0]}"
    for kind in get_args(MatchEvent)
)
FEED_STREAM: Final[Any] = {
    "description": "A server-sent event for each event of the match, and `beat` every 15 s. `id` "
    "is its number, `event` its name, and `data` the same JSON as in the list:\n\n" + _LINES,
    "content": {"text/event-stream": {"schema": {"type": "string"}}},
}
STATE_STREAM: Final[Any] = {
    "description": "Server-sent events:\n\n"
    "- `state`: `ShownState`. The whole state, as /api/state has it, once at the beginning and "
    "after every change; `id` is its version.\n"
    "- `beat`: the number 1, every 15 s without a change.",
    "content": {"text/event-stream": {"schema": {"type": "string"}}},
}
