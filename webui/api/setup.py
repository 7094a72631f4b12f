"""The API of the set-up: its state, pictures, and commands that return the resulting state."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Final

from apiflask import APIBlueprint
from flask import Response, current_app, jsonify
from werkzeug.exceptions import UnprocessableEntity

from engine import NAMED_RULE_SETS
from engine.errors import UnknownVariant
from engine.message import message_of, msg
from engine.rules import find_rules
from engine.ruleset import USUAL
from engine.ruleset_file import with_options
from webui.api.schemas import setup as answers
from webui.api.schemas.common import JPEG, RequestBody
from webui.contracts.setup import ChosenOptions, GameChoice, Pixel, SetupRefused, Wizard
from webui.http.auth import require_referee
from webui.http.errors import REFUSED_RESPONSES, one_line
from webui.i18n.locale import gettext
from webui.i18n.messages import translate
from webui.views.setup import state_shown

RESPONSES: Final = {
    **REFUSED_RESPONSES,
    409: "It is impossible now, or nothing is set up here; the message names the remedy.",
}
LEFT: Final = "It is begun; how things stand now."
PICTURE: Final[Any] = {
    200: {"description": "The picture.", "content": JPEG},
    204: {"description": "There is no picture yet."},
    **RESPONSES,
}
THUMBNAIL: Final[Any] = {**PICTURE, 404: "That is no name of a camera."}

setup_api: Final = APIBlueprint("setup_api", __name__, tag="Setting a match up")
setup_api.before_request(require_referee)


@setup_api.errorhandler(SetupRefused)
def _cannot(error: SetupRefused) -> Response:
    return one_line(409, message_of(error), "/api/")


def wizard_here() -> Wizard | None:
    """The wizard of the application that handles this request; None if nothing needs setting up."""
    wizard: Wizard | None = current_app.extensions.get("wizard")
    return wizard


def _wizard() -> Wizard:
    wizard = wizard_here()
    if wizard is None:
        raise SetupRefused(msg("nothing to set up here: start `tableside live` without --camera"))
    return wizard


def _answer() -> Response:
    return jsonify(state_shown(_wizard().state()))


def _command(
    rule: str, body: type[RequestBody] | None = None
) -> Callable[[Callable[..., None]], Callable[..., Response]]:
    """Register a command at the address `rule`; it responds with the resulting state."""

    def register(execute: Callable[..., None]) -> Callable[..., Response]:
        @wraps(execute)
        def route(**given: Any) -> Response:
            execute(_wizard(), **given)
            return _answer()

        described = setup_api.output(answers.SetupAnswer, description=LEFT)(route)
        described = setup_api.doc(responses=RESPONSES)(described)
        if body is not None:
            described = setup_api.input(body)(described)
        registered: Callable[..., Response] = setup_api.post(rule)(described)
        return registered

    return register


def _jpeg(coded: bytes | None) -> Response:
    return Response(status=204) if coded is None else Response(coded, mimetype="image/jpeg")


@setup_api.get("/api/setup")
@setup_api.output(answers.SetupAnswer, description="How things stand.")
@setup_api.doc(responses=RESPONSES)
def state() -> Response:
    """Show the state of the set-up."""
    return _answer()


@setup_api.get("/api/setup/picture.jpg")
@setup_api.input(answers.PictureQuery, location="query")
@setup_api.doc(responses=PICTURE)
def picture(query_data: answers.PictureQuery) -> Response:
    """Get the newest picture, with or without the board drawn on it."""
    return _jpeg(_wizard().picture(plain=query_data.plain == "1"))


@setup_api.get("/api/setup/cameras/<camera>.jpg")
@setup_api.doc(responses=THUMBNAIL)
def thumbnail(camera: str) -> Response:
    """Get a small picture from a camera in the list."""
    return _jpeg(_wizard().thumbnail(camera))


@_command("/api/setup/open", answers.SourceBody)
def open_source(wizard: Wizard, json_data: answers.SourceBody) -> None:
    """Take pictures from `address` from now on."""
    wizard.open_source(json_data.address)


@_command("/api/setup/again")
def open_again(wizard: Wizard) -> None:
    """Use the same camera, board and game as last time."""
    wizard.reopen_last()


@_command("/api/setup/resume", answers.UnfinishedBody)
def resume(wizard: Wizard, json_data: answers.UnfinishedBody) -> None:
    """Go on with an unfinished match where it stopped, or with null with another one."""
    wizard.resume(json_data.match)


@_command("/api/setup/phone")
def invite_phone(wizard: Wizard) -> None:
    """Make a QR code that turns the phone which scans it into the camera; it works once."""
    wizard.invite_phone()


@_command("/api/setup/phone/away")
def send_phone_away(wizard: Wizard) -> None:
    """End the session of the phone, which may send nothing from then on."""
    wizard.send_phone_away()


@_command("/api/setup/by-hand")
def do_without(wizard: Wizard) -> None:
    """Use no camera: everything is entered at the desk."""
    wizard.use_no_camera()


@_command("/api/setup/leave")
def leave(wizard: Wizard) -> None:
    """Go back to the choice of a camera."""
    wizard.close_source()


@_command("/api/setup/corners", answers.CornersBody)
def corners(wizard: Wizard, json_data: answers.CornersBody) -> None:
    """Set the playing field's four corners in pixels, or have them found again."""
    given = json_data.corners
    wizard.set_corners(None if given is None else [_pixel(corner) for corner in given])


def _pixel(corner: list[float]) -> Pixel:
    x, y = corner
    return float(x), float(y)


@_command("/api/setup/turn", answers.TurnBody)
def turn(wizard: Wizard, json_data: answers.TurnBody) -> None:
    """Set the board's orientation."""
    wizard.rotate_board(json_data.how)


@_command("/api/setup/learn")
def learn_anew(wizard: Wizard) -> None:
    """Learn the board again, because the board or the light has changed since last time."""
    wizard.relearn_board()


@_command("/api/setup/game", answers.GameBody)
def game(wizard: Wizard, json_data: answers.GameBody) -> None:
    """Set the game and the players; fields left out stay as they are."""
    wizard.set_game(_game(json_data, wizard.state()["game"]))


def _game(given: answers.GameBody, before: GameChoice) -> GameChoice:
    rules = before["rules"] if given.rules is None else given.rules
    # Only the command line may name a file: the page may keep it, but not name another.
    if rules not in ("", before["rules"], *NAMED_RULE_SETS):
        names = ", ".join(NAMED_RULE_SETS)
        raise UnprocessableEntity(
            gettext("rules: there is no such rule set; choose one of %(names)s", names=names)
        )
    variant = given.variant or before["variant"]
    options: ChosenOptions = {} if variant != before["variant"] else before["options"]
    if given.options is not None:
        options = given.options.chosen
    try:
        find_rules(variant, with_options(USUAL, options).game)
    except UnknownVariant as error:
        raise UnprocessableEntity(translate(message_of(error))) from error
    return GameChoice(
        light=(before["light"] if given.light is None else given.light) or "Light",
        dark=(before["dark"] if given.dark is None else given.dark) or "Dark",
        length=before["length"] if given.length is None else given.length,
        variant=variant,
        rules=rules,
        options=options,
        goes_on=before["goes_on"] if given.goes_on is None else given.goes_on,
        place=before["place"] if given.place is None else given.place.place,
    )


@_command("/api/setup/start")
def start(wizard: Wizard) -> None:
    """Start the match."""
    wizard.start()
