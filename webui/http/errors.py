"""Refusals: one line, as JSON for programs and as text or a page for people."""

from __future__ import annotations

from typing import Any, Final

from flask import Response, jsonify, render_template, request

from engine.message import Sentence
from webui.contracts.state import blank_state
from webui.i18n.messages import translate
from webui.views import board as view

REFUSED_RESPONSES: Final = {
    400: "It cannot be read.",
    401: "Log in first, at /login.",
    403: "It is the referee's, or does not come from the page.",
    413: "It is too long.",
    421: "This name is not served here.",
    429: "Too many requests; Retry-After gives the seconds to wait.",
}
"""Errors that any request may cause."""
NOWHERE: Final = {404: "There is no such turn, or no match is being recorded."}
WHY_NOT: Final = {
    409: "It is impossible now; nothing was changed, and the message gives the reason.",
    415: "It is no JSON.",
    503: "No answer in time; the message says whether the command was executed.",
}
"""Errors that a command may cause in addition."""
NOT_ASKED_FOR: Final = "It is not what is asked for; the message names the field."
"""The meaning of 422, wherever input is taken."""
LINE: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"message": {"type": "string"}},
    "required": ["message"],
}
NO_PAGES: Final = ("/api/", "/overlay", "/static/")
"""Addresses that nobody opens as a page."""


def one_line(status: int, message: Sentence, path: str) -> Response:
    """The refusal, as `message` of an object under /api/ and mostly as plain text elsewhere."""
    line = " ".join(translate(message).split())
    if path.startswith("/api/"):
        answer = jsonify(message=line)
        answer.status_code = status
        return answer
    if path.startswith("/overlay") and _wants_a_page():
        # A streaming program shows plain text in black, on whatever lies behind it.
        return Response(render_template("overlay_refusal.html", line=line), status)
    return Response(f"{line}\n", status, mimetype="text/plain")


def _wants_a_page() -> bool:
    kinds = request.accept_mimetypes
    return kinds.best_match(("text/plain", "text/html")) == "text/html"


def refusal(status: int, message: Sentence) -> Response:
    """The refusal as a page for a browser, as one line for a program."""
    if not _wants_a_page() or request.path.startswith(NO_PAGES):
        return one_line(status, message, request.path)
    page = render_template("refusal.html", state=no_board(), why=message)
    return Response(page, status)


def no_board() -> dict[str, object]:
    """What the drawings need when no board is shown."""
    return {"shown": {"colours": view.colours(blank_state()["colours"])}}
