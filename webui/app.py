"""The Flask application: its routes, and nothing that a module below could do."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final

from flask import Blueprint, Flask, Response, current_app, jsonify, render_template, request

from webui import geometry, words
from webui.guard import LOCAL_HOSTS, install_guard
from webui.setup import Workshop, setup
from webui.stream import BOUNDARY, Gone, Streams, picture_parts, state_events
from webui.table import Table
from webui.view import as_shown

STREAMS: Final = 64
"""Open streams at once; `webui.server` keeps that many threads and some for short answers."""

pages: Final = Blueprint("pages", __name__)


def create_app(
    table: Table,
    *,
    hosts: Collection[str] = LOCAL_HOSTS,
    streams: int = STREAMS,
    workshop: Workshop | None = None,
) -> Flask:
    """The page of `table`, answering only to the names in `hosts`; `workshop` sets it up."""
    app = Flask(__name__)
    app.extensions["table"] = table
    app.extensions["streams"] = Streams(streams)
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    app.jinja_env.globals.update(board=geometry, words=words)
    app.register_blueprint(pages)
    app.register_blueprint(setup)
    app.extensions["workshop"] = workshop
    app.jinja_env.globals.update(has_workshop=workshop is not None)
    install_guard(app, hosts)
    return app


def _table() -> Table:
    table: Table = current_app.extensions["table"]
    return table


def _stream(parts: Iterator[str] | Iterator[bytes], mimetype: str) -> Response:
    """`parts` as an answer without end, if there is room for one more."""
    streams: Streams = current_app.extensions["streams"]
    if not streams.enter():
        full = Response("Too many viewers at once.\n", 503, mimetype="text/plain")
        full.headers["Retry-After"] = "5"
        return full
    response = Response(parts, mimetype=mimetype)
    response.call_on_close(streams.leave)
    # nginx and its like hold an answer back until it is whole; this header asks them not to.
    response.headers["X-Accel-Buffering"] = "no"
    return response


def _gone() -> Gone:
    """Whether this request's reader has left: waitress knows, other servers find out later."""
    streams: Streams = current_app.extensions["streams"]
    return streams.gone(request.environ.get("waitress.client_disconnected", lambda: False))


@pages.get("/")
def index() -> str:
    """The page with the newest state already in it."""
    return render_template("page.html", state=as_shown(_table().state()))


@pages.get("/api/state")
def state() -> Response:
    """The newest state, and what the page shows of it."""
    return jsonify(as_shown(_table().state()))


@pages.get("/api/events")
def events() -> Response:
    """Server-sent events: `state` with every change; Last-Event-ID resumes."""
    seen = request.headers.get("Last-Event-ID", type=int)
    return _stream(state_events(_table(), seen, _gone()), "text/event-stream")


@pages.get("/camera.jpg")
def picture() -> Response:
    """The newest picture; 204 while there is none."""
    jpeg = _table().picture()
    return Response(status=204) if jpeg is None else Response(jpeg, mimetype="image/jpeg")


@pages.get("/camera.mjpg")
def pictures() -> Response:
    """All pictures as they come, for players of video."""
    kind = f"multipart/x-mixed-replace; boundary={BOUNDARY}"
    return _stream(picture_parts(_table(), _gone()), kind)


@pages.get("/health")
def health() -> Response:
    """That the server answers, and what the table is doing."""
    state = _table().state()
    return jsonify(ok=True, phase=state["phase"], version=state["version"])
