"""The camera page: a phone's browser sends its pictures and videos.

It has an application of its own, served over HTTPS alone, as browsers give a camera to no other
page. The token of the QR code is behind the `#` of the address, so that no server, log or preview
of the link sees it; the page exchanges it for a cookie, which gives this right and nothing else.
"""

from __future__ import annotations

from typing import Final

from flask import Blueprint, Response, current_app, jsonify, render_template, request
from werkzeug.exceptions import BadRequest, Forbidden

from engine.message import message_of
from webui.contracts.phone import (
    SESSION_SECONDS,
    PhoneCamera,
    PhoneFrame,
    PhoneGuide,
    VideoFile,
    VideoRefused,
)
from webui.http.errors import one_line
from webui.http.security import HEADERS
from webui.i18n.locale import gettext
from webui.i18n.messages import translate

COOKIE: Final = "tableside-phone"
PHONE_HEADERS: Final = {
    **HEADERS,
    "Permissions-Policy": "camera=(self), screen-wake-lock=(self), microphone=(), geolocation=()",
}
LONGEST_NAME: Final = 200
"""Characters of a video's name."""

phone_page: Final = Blueprint("phone", __name__)


def _phone() -> PhoneCamera:
    phone: PhoneCamera = current_app.extensions["phone"]
    return phone


def _require_pairing() -> None:
    if not _phone().is_paired(request.cookies.get(COOKIE, "")):
        raise Forbidden(gettext("scan the QR code on the set-up page again"))


@phone_page.errorhandler(Forbidden)
@phone_page.errorhandler(BadRequest)
def _refused(error: Forbidden | BadRequest) -> Response:
    return one_line(error.code, error.description or "", "/api/")


@phone_page.get("/camera")
def page() -> str:
    """The camera page, which shows nothing of a match before the phone is paired."""
    return render_template("camera.html")


@phone_page.post("/camera/pair")
def pair() -> Response:
    """Exchange the token for a cookie; 403 if it has been used, or is too old."""
    session = _phone().pair(request.get_data(as_text=True)[:200])
    if session is None:
        raise Forbidden(gettext("this code has been used or is too old: make a new one"))
    response = jsonify(paired=True)
    response.set_cookie(
        COOKIE, session, SESSION_SECONDS, secure=True, httponly=True, samesite="Strict"
    )
    return response


@phone_page.get("/camera/session")
def session() -> Response:
    """Say whether this phone is paired."""
    return jsonify(paired=_phone().is_paired(request.cookies.get(COOKIE, "")))


@phone_page.post("/camera/frame")
def frame() -> Response:
    """Take a picture; how the program sees the board."""
    _require_pairing()
    battery = _number("battery", -1, 100)
    taken = PhoneFrame(
        jpeg=request.get_data(cache=False),
        taken=_number("taken", 0, 1e13) / 1000,
        battery=None if battery < 0 else round(battery),
        is_charging=request.args.get("charging") == "1",
    )
    return jsonify(_translated(_phone().receive(taken)))


@phone_page.get("/camera/video")
def video() -> Response:
    """Say how many bytes of a video are here."""
    _require_pairing()
    return jsonify(received=_phone().received(_video()))


@phone_page.post("/camera/video")
def video_part() -> Response:
    """Append a part of a video; 409 with what is here if it does not continue that."""
    _require_pairing()
    part = request.get_data(cache=False)
    try:
        received = _phone().append(_video(), int(_number("start", 0, 1e15)), part)
    except VideoRefused as error:
        refused = jsonify(message=translate(message_of(error)), received=error.received)
        refused.status_code = 409
        return refused
    return jsonify(received=received)


def _video() -> VideoFile:
    name = request.args.get("name", "")
    if not 0 < len(name) <= LONGEST_NAME:
        raise BadRequest(gettext("the video has no name"))
    return VideoFile(name, int(_number("size", 1, 1e15)), int(_number("modified", 0, 1e15)))


def _number(name: str, least: float, most: float) -> float:
    """A number of the address; 400 if it is none, or out of bounds."""
    value = request.args.get(name, type=float)
    if value is None or not least <= value <= most:
        raise BadRequest(gettext("%(name)s must be a number", name=name))
    return value


def _translated(guide: PhoneGuide) -> PhoneGuide:
    return {
        **guide,
        "faults": [translate(fault) for fault in guide["faults"]],
        "warnings": [translate(warning) for warning in guide["warnings"]],
    }
