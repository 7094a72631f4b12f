"""What all routes of one application share: its table, streams and metrics."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from io import BytesIO

from flask import Flask, Response, current_app, request, send_file

from webui.contracts.desk import Desk
from webui.contracts.roles import Visibility
from webui.contracts.state import LiveBoard
from webui.http.auth import rights, still_logged_in
from webui.http.errors import one_line
from webui.http.metrics import Metrics
from webui.i18n.locale import gettext
from webui.streaming.delay import EventHistory, StateHistory, late
from webui.streaming.sse import Gone, OpenStreams, StateEncoder

_NAME = "tableside"


@dataclass(frozen=True, slots=True)
class AppContext:
    """One table and how it is served."""

    table: LiveBoard
    desk: Desk | None
    """None if no match takes commands."""
    streams: OpenStreams
    metrics: Metrics
    history: StateHistory
    """What delayed viewers are shown."""
    broadcast: StateHistory
    """What the audience of a delayed stream is shown."""
    event_history: EventHistory = field(default_factory=EventHistory)
    """Since when the events of matches in play are known."""
    coder: StateEncoder = field(default_factory=StateEncoder)
    least_delay: float = 0.0
    """The minimum delay of viewers, in seconds."""


def install_serving(app: Flask, serving: AppContext) -> None:
    """Make `serving` available to the routes of `app`."""
    app.extensions[_NAME] = serving


def serving_of(app: Flask) -> AppContext:
    """What `install_serving` stored for `app`."""
    found: AppContext = app.extensions[_NAME]
    return found


def here() -> AppContext:
    """The context of the application that handles this request."""
    return serving_of(current_app)


def endless(parts: Iterator[bytes], mimetype: str) -> Response:
    """`parts` as a streaming response; 503 if too many streams are open."""
    streams, address = here().streams, request.remote_addr or ""
    if not streams.enter(address, speaks=rights().speaks):
        why = gettext("too many viewers at once: try again in a moment")
        full = one_line(503, why, request.path)
        full.headers["Retry-After"] = "5"
        return full
    response = Response(parts, mimetype=mimetype)
    response.call_on_close(partial(streams.leave, address))
    # nginx and other proxies buffer responses until they are complete, unless this header is set.
    response.headers["X-Accel-Buffering"] = "no"
    return response


def clip_response(mp4: bytes) -> Response:
    """A clip, or the part of it that is asked for: Safari plays no video from other servers."""
    return send_file(BytesIO(mp4), mimetype="video/mp4")


def shown_late(delay: float, visibility: Visibility = Visibility.PLAYERS) -> LiveBoard:
    """The table as it was `delay` seconds ago, showing what viewers or the audience may see."""
    is_broadcast = visibility is Visibility.AUDIENCE
    history = here().broadcast if is_broadcast else here().history
    return late(history, delay, here().streams.gone(lambda: False))


def least_delay() -> float:
    """The client's minimum delay in seconds; 0 for those at the table."""
    return here().least_delay if rights().is_delayed else 0.0


def released(wanted: Visibility) -> Visibility:
    """`wanted`, but what the audience may see only if the server delays it or it is the referee.

    A delay that the client asks for itself is none: a millisecond would do.
    """
    is_early = wanted is Visibility.AUDIENCE and not (rights().commands or least_delay())
    return Visibility.PLAYERS if is_early else wanted


def live_visibility() -> Visibility:
    """What the live page shows: what players may see, as it stands beside the board.

    The audience is not there: it gets what is released to it.
    """
    sees = rights().sees
    return released(sees) if sees is Visibility.AUDIENCE else Visibility.PLAYERS


def table_here(visibility: Visibility = Visibility.PLAYERS) -> LiveBoard:
    """The table at the minimum delay that the client may have, for those who see that much."""
    delay = least_delay()
    return shown_late(delay, visibility) if delay else here().table


def gone() -> Gone:
    """Whether this request's reader has left, which other servers than waitress notice late.

    A reader who has logged out has left too.
    """
    left: Gone = request.environ.get("waitress.client_disconnected", lambda: False)
    is_in = still_logged_in()
    return here().streams.gone(lambda: left() or not is_in())
