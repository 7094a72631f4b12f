"""The API through which programs read a table; its generated document is /api/openapi.json."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, Final

from apiflask import APIBlueprint, APIFlask
from apiflask.exceptions import HTTPError
from flask import Response, jsonify, request
from flask_limiter import Limiter, RateLimitExceeded
from werkzeug.exceptions import (
    BadRequest,
    HTTPException,
    MethodNotAllowed,
    NotFound,
    TooManyRequests,
    Unauthorized,
)

from engine.errors import EngineError
from engine.message import Message, Sentence, message_of, msg
from webui.api.desk import desk
from webui.api.document import documented
from webui.api.schemas import common as answers
from webui.api.schemas.events import STATE_STREAM
from webui.api.seat import seat
from webui.context import endless, gone, here, least_delay, released, shown_late
from webui.contracts.desk import DeskUnavailable
from webui.contracts.roles import Role, Visibility
from webui.contracts.state import LiveBoard
from webui.http.auth import (
    COMMAND_RATE,
    asks_for_passwords,
    current_role,
    require_referee,
    seen_as,
)
from webui.http.errors import LINE, NOT_ASKED_FOR, REFUSED_RESPONSES, refusal
from webui.http.metrics import CONTENT_TYPE
from webui.http.stream_links import LinksNotKept
from webui.i18n.locale import N_, gettext, language
from webui.streaming.sse import StateEncoder, state_events
from webui.views.board import game_shown

PLAIN: Final[dict[type[HTTPException], str]] = {
    BadRequest: N_("the request cannot be read: send a JSON object"),
    NotFound: N_("page not found"),
    MethodNotAllowed: N_("this address does not accept this kind of request"),
}
"""Messages for errors that Werkzeug words only for programmers."""
LIMITS: Final = {
    "minute": N_("{number} per {times} minute"),
    "hour": N_("{number} per {times} hour"),
}
"""Wording of rate limits, by their granularity."""

EVENTS_RESPONSES: Final[Any] = {
    200: STATE_STREAM,
    **REFUSED_RESPONSES,
    503: "Too many streams; Retry-After gives the seconds to wait.",
}
FIGURES: Final[Any] = {
    200: {
        "description": "Figures of camera, sight and streams, as Prometheus reads them.",
        "content": {"text/plain": {"schema": {"type": "string"}}},
    },
    **REFUSED_RESPONSES,
}

api: Final = APIBlueprint("api", __name__, tag="Watching")


def install_api(app: APIFlask, limiter: Limiter) -> None:
    """Install the routes, their rate limits, and a one-line message for each kind of error."""
    app.config["VALIDATION_ERROR_SCHEMA"] = app.config["HTTP_ERROR_SCHEMA"] = LINE
    app.config["VALIDATION_ERROR_DESCRIPTION"] = NOT_ASKED_FOR
    app.config["AUTO_404_RESPONSE"] = app.config["AUTO_SERVERS"] = False
    app.error_processor(_not_asked_for)
    app.register_error_handler(HTTPException, _error_response)
    app.register_error_handler(EngineError, _refused)
    app.register_error_handler(DeskUnavailable, _no_answer)
    app.register_error_handler(LinksNotKept, _not_kept)
    app.register_error_handler(RecursionError, _too_deep)
    app.spec_processor(documented)
    app.register_blueprint(api)
    for commands in (desk, seat):
        limiter.limit(COMMAND_RATE, methods=["POST"])(commands)
        app.register_blueprint(commands)


@api.get("/api/state")
@api.input(answers.RoleQuery, location="query")
@api.output(answers.StateAnswer, description="The newest state.")
@api.doc(responses=REFUSED_RESPONSES)
def state(query_data: answers.RoleQuery) -> Response:
    """Get the newest state, and what the page shows of it."""
    table, visibility = _table(query_data)
    body = _coder(table).body(table.state(visibility), visibility, language())
    return Response(body, mimetype="application/json")


@api.get("/api/games/<turn:number>")
@api.input(answers.RoleQuery, location="query")
@api.output(answers.GameAnswer, description="The game.")
@api.doc(responses={**REFUSED_RESPONSES, 404: "There is no such game."})
def game(number: int, query_data: answers.RoleQuery) -> Response:
    """Get the score sheet of one game of the match, as far as the state shows it."""
    table, visibility = _table(query_data)
    state = table.state(visibility)
    if number > len(state["games"]):
        raise NotFound(gettext("there is no game %(number)s", number=number))
    return jsonify(game_shown(state, number))


@api.get("/api/events")
@api.input(answers.StreamQuery, location="query")
@api.doc(responses=EVENTS_RESPONSES)
def events(query_data: answers.StreamQuery) -> Response:
    """Stream server-sent events: `state` after every change; Last-Event-ID resumes."""
    table, visibility = _table(query_data)
    seen = request.headers.get("Last-Event-ID", type=int)
    coder = _coder(table)
    parts = state_events(
        table, seen, gone(), visibility=visibility, coder=coder, language=language()
    )
    return endless(parts, "text/event-stream")


def _coder(table: LiveBoard) -> StateEncoder:
    """What encodes the states of a table.

    A delayed table needs its own: every reader may have a different delay.
    """
    return here().coder if table is here().table else StateEncoder()


def _table(asked: answers.RoleQuery) -> tuple[LiveBoard, Visibility]:
    """The table at the client's delay, and which of its states; the audience's only if late."""
    visibility, delay = released(seen_as(asked.role)), max(asked.delay, least_delay())
    if delay:
        return shown_late(delay, visibility), visibility
    is_early = visibility is Visibility.AUDIENCE
    return here().table, Visibility.PLAYERS if is_early else visibility


@api.get("/api/session")
@api.output(answers.SessionAnswer, description="Who is asking.")
@api.doc(responses=REFUSED_RESPONSES)
def session() -> dict[str, Any]:
    """Show the client's role, and whether this program asks for passwords."""
    role = current_role() or Role.AUDIENCE
    return {"role": role.value, "login": asks_for_passwords()}


@api.get("/health")
@api.output(answers.Health, description="The server lives.")
@api.doc(responses={421: REFUSED_RESPONSES[421]})
def health() -> dict[str, Any]:
    """Check that the server responds; anybody may, so nothing of the match is in it."""
    return {"ok": True}


@api.get("/metrics")
@api.doc(responses=FIGURES)
def metrics() -> Response:
    """Get metrics for Prometheus; they count illegal plays at once, so they are the referee's."""
    require_referee()
    return Response(here().metrics.text(), content_type=CONTENT_TYPE)


def _not_asked_for(error: HTTPError) -> Response:
    """Respond to invalid input with the first offending field and what is wrong with it."""
    wrong = [
        wrongs[0] if field == "_schema" else f"{field}: {wrongs[0]}"
        for fields in (error.detail or {}).values()
        for field, wrongs in fields.items()
    ]
    return refusal(error.status_code, wrong[0] if wrong else str(error.message))


def _error_response(error: HTTPException) -> Response:
    """Respond to any other error, with the headers that it requires."""
    text: Sentence = error.description or error.name
    if text == type(error).description:
        text = gettext(PLAIN[type(error)]) if type(error) in PLAIN else text
    if error.code == HTTPStatus.TOO_MANY_REQUESTS:
        text = msg("too many requests (at most {limit}): wait a moment", limit=_limit(error))
    answer = refusal(error.code or HTTPStatus.INTERNAL_SERVER_ERROR, text)
    if isinstance(error, Unauthorized) and error.www_authenticate:
        answer.headers["WWW-Authenticate"] = str(next(iter(error.www_authenticate)))
    if isinstance(error, MethodNotAllowed):
        answer.headers["Allow"] = ", ".join(error.valid_methods or ())
    if isinstance(error, TooManyRequests) and error.retry_after:
        answer.headers["Retry-After"] = str(error.retry_after)
    return answer


def _limit(error: HTTPException) -> Sentence:
    """How many requests are accepted in what time."""
    text = error.description or error.name
    if not isinstance(error, RateLimitExceeded):
        return text
    limit = error.limit.limit
    known = LIMITS.get(limit.GRANULARITY.name)
    if known is None:
        return text
    return Message(known, {"number": limit.amount, "times": limit.multiples})


def _refused(error: EngineError) -> Response:
    here().metrics.commands.labels("refused").inc()
    return refusal(409, message_of(error))


def _no_answer(error: DeskUnavailable) -> Response:
    here().metrics.commands.labels("unanswered").inc()
    answer = refusal(503, message_of(error))
    answer.headers["Retry-After"] = "2"
    return answer


def _not_kept(error: LinksNotKept) -> Response:
    return refusal(503, str(error))


def _too_deep(_error: RecursionError) -> Response:
    return refusal(400, gettext("the request cannot be read: its lists are nested too deeply"))
