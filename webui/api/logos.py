"""The logos of tournaments: uploaded by the referee, shown to everybody."""

from __future__ import annotations

from typing import Any, Final

from apiflask import APIBlueprint
from flask import Response, current_app, jsonify, request
from werkzeug.exceptions import NotFound, UnprocessableEntity

from engine.message import message_of
from webui.api.schemas.logos import PNG, LogoAnswer
from webui.contracts.logos import MOST_BYTES, BadPicture, Logos
from webui.http.auth import require_referee
from webui.http.errors import REFUSED_RESPONSES
from webui.i18n.locale import gettext
from webui.i18n.messages import translate

YEAR: Final = 365 * 24 * 3600
"""Seconds for which a browser may keep a logo: another picture has another name."""
FOUND: Final[Any] = {
    **REFUSED_RESPONSES,
    200: {"description": "The logo.", "content": PNG},
    404: "There is none.",
}
REFUSED: Final = {
    **REFUSED_RESPONSES,
    404: "No logos are kept here.",
    413: "It is larger than 2 MB.",
    422: "It is no picture that can be a logo; the message says what to do.",
}

logos: Final = APIBlueprint("logos", __name__, tag="Sharing")


def _logos() -> Logos:
    found: Logos | None = current_app.extensions["logos"]
    if found is None:
        raise NotFound(gettext("no logos are kept here"))
    return found


@logos.before_request
def _allow_a_picture() -> None:
    if request.method == "POST":
        require_referee()
        request.max_content_length = MOST_BYTES


@logos.post("/api/logos")
@logos.output(LogoAnswer, description="The name of the logo, for `logo` of a match.")
@logos.doc(responses=REFUSED)
def upload() -> Response:
    """Keep a picture, sent as the body, for use as a logo: PNG, JPEG or WebP, 2 MB at most."""
    try:
        return jsonify(logo=_logos().keep(request.get_data()))
    except BadPicture as error:
        raise UnprocessableEntity(translate(message_of(error))) from error


@logos.get("/api/logos/<name>.png")
@logos.doc(responses=FOUND)
def picture(name: str) -> Response:
    """Get a logo."""
    png = _logos().read(name)
    if png is None:
        raise NotFound(gettext("there is no such logo"))
    response = Response(png, mimetype="image/png")
    response.cache_control.max_age = YEAR
    response.cache_control.private = True
    return response
