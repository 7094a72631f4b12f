"""The set-up as addresses: the state, pictures, and commands answered with the state they left."""

from __future__ import annotations

from typing import Any, Final

from apiflask import APIBlueprint
from flask import Response, current_app, jsonify
from werkzeug.exceptions import UnprocessableEntity

from engine import RULE_SETS
from engine.message import message_of, msg
from webui.api.schemas import setup as answers
from webui.api.schemas.common import JPEG
from webui.contracts.setup import GameChoice, Pixel, SetupRefused, Wizard
from webui.http.auth import require_referee
from webui.http.errors import REFUSED, one_line
from webui.i18n.locale import gettext
from webui.views.setup import state_shown

SAID: Final = {
    **REFUSED,
    409: "It cannot be now, or nothing is set up here; the message says what to do.",
}
LEFT: Final = "It is begun; how things stand now."
PICTURE: Final[Any] = {
    200: {"description": "The picture.", "content": JPEG},
    204: {"description": "There is none yet."},
    **SAID,
}
THUMBNAIL: Final[Any] = {**PICTURE, 404: "That is no name of a camera."}

setup_api: Final = APIBlueprint("setup_api", __name__, tag="Setting a match up")
setup_api.before_request(require_referee)


@setup_api.errorhandler(SetupRefused)
def _cannot(error: SetupRefused) -> Response:
    return one_line(409, message_of(error), "/api/")


def workshop_here() -> Wizard | None:
    """Of the application that answers this request; None where nothing is to be set up."""
    workshop: Wizard | None = current_app.extensions.get("workshop")
    return workshop


def _workshop() -> Wizard:
    workshop = workshop_here()
    if workshop is None:
        raise SetupRefused(msg("nothing to set up here: start `tableside live` without --camera"))
    return workshop


def _answer() -> Response:
    return jsonify(state_shown(_workshop().state()))


def _jpeg(coded: bytes | None) -> Response:
    return Response(status=204) if coded is None else Response(coded, mimetype="image/jpeg")


@setup_api.get("/api/setup")
@setup_api.output(answers.SetupAnswer, description="How things stand.")
@setup_api.doc(responses=SAID)
def state() -> Response:
    """How things stand."""
    return _answer()


@setup_api.get("/api/setup/picture.jpg")
@setup_api.input(answers.PictureQuery, location="query")
@setup_api.doc(responses=PICTURE)
def picture(query_data: answers.PictureQuery) -> Response:
    """The newest picture with the board drawn on it, or without."""
    return _jpeg(_workshop().picture(plain=query_data.plain == "1"))


@setup_api.get("/api/setup/cameras/<camera>.jpg")
@setup_api.doc(responses=THUMBNAIL)
def thumbnail(camera: str) -> Response:
    """A small picture of a camera in the list."""
    return _jpeg(_workshop().thumbnail(camera))


@setup_api.post("/api/setup/open")
@setup_api.input(answers.SourceBody)
@setup_api.output(answers.SetupAnswer, description=LEFT)
@setup_api.doc(responses=SAID)
def open_source(json_data: answers.SourceBody) -> Response:
    """Pictures from `address` from now on."""
    _workshop().open_source(json_data.address)
    return _answer()


@setup_api.post("/api/setup/again")
@setup_api.output(answers.SetupAnswer, description=LEFT)
@setup_api.doc(responses=SAID)
def open_again() -> Response:
    """The camera, the board and the game of the last time."""
    _workshop().reopen_last()
    return _answer()


@setup_api.post("/api/setup/by-hand")
@setup_api.output(answers.SetupAnswer, description=LEFT)
@setup_api.doc(responses=SAID)
def do_without() -> Response:
    """No camera is to watch: all is told at the desk."""
    _workshop().use_no_camera()
    return _answer()


@setup_api.post("/api/setup/leave")
@setup_api.output(answers.SetupAnswer, description=LEFT)
@setup_api.doc(responses=SAID)
def leave() -> Response:
    """Back to the choice of a camera."""
    _workshop().close_source()
    return _answer()


@setup_api.post("/api/setup/corners")
@setup_api.input(answers.CornersBody)
@setup_api.output(answers.SetupAnswer, description=LEFT)
@setup_api.doc(responses=SAID)
def corners(json_data: answers.CornersBody) -> Response:
    """The field's four corners in pixels, or that they are to be found."""
    given = json_data.corners
    _workshop().set_corners(None if given is None else [_pixel(corner) for corner in given])
    return _answer()


def _pixel(corner: list[float]) -> Pixel:
    x, y = corner
    return float(x), float(y)


@setup_api.post("/api/setup/turn")
@setup_api.input(answers.TurnBody)
@setup_api.output(answers.SetupAnswer, description=LEFT)
@setup_api.doc(responses=SAID)
def turn(json_data: answers.TurnBody) -> Response:
    """Which way round the board lies."""
    _workshop().rotate_board(json_data.how)
    return _answer()


@setup_api.post("/api/setup/learn")
@setup_api.output(answers.SetupAnswer, description=LEFT)
@setup_api.doc(responses=SAID)
def learn_anew() -> Response:
    """Another board, or another lamp, than the last time."""
    _workshop().relearn_board()
    return _answer()


@setup_api.post("/api/setup/game")
@setup_api.input(answers.GameBody)
@setup_api.output(answers.SetupAnswer, description=LEFT)
@setup_api.doc(responses=SAID)
def game(json_data: answers.GameBody) -> Response:
    """What is played, and by whom; what is not given stays."""
    workshop = _workshop()
    workshop.set_game(_game(json_data, workshop.state()["game"]))
    return _answer()


def _game(given: answers.GameBody, before: GameChoice) -> GameChoice:
    rules = before["rules"] if given.rules is None else given.rules
    # A file is known only from the command line: the page may keep it, and name no other.
    if rules not in ("", before["rules"], *RULE_SETS):
        names = ", ".join(RULE_SETS)
        raise UnprocessableEntity(
            gettext("rules: there is no such rule set; choose one of %(names)s", names=names)
        )
    return GameChoice(
        light=(before["light"] if given.light is None else given.light) or "Light",
        dark=(before["dark"] if given.dark is None else given.dark) or "Dark",
        length=before["length"] if given.length is None else given.length,
        variant=given.variant or before["variant"],
        rules=rules,
        goes_on=before["goes_on"] if given.goes_on is None else given.goes_on,
    )


@setup_api.post("/api/setup/start")
@setup_api.output(answers.SetupAnswer, description=LEFT)
@setup_api.doc(responses=SAID)
def start() -> Response:
    """The match begins."""
    _workshop().start()
    return _answer()
