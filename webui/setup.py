"""The set-up page: from a camera to a match that can begin; a `Workshop` does the work.

| address | answer |
| --- | --- |
| `GET /setup` | the page |
| `GET /api/setup` | `SetupState`, with a `shown` as the page draws it |
| `GET /api/setup/picture.jpg`, `?plain=1` | the newest picture, or it without the drawn board |
| `GET /api/setup/cameras/N.jpg` | a small picture of a camera in the list |
| `POST /api/setup/open` `{address}` | a camera's number, an address, a file or `sample` is opened |
| `POST /api/setup/again`, `/leave`, `/learn`, `/start` | as last time; back; another board; begin |
| `POST /api/setup/corners` `{corners}` | four `[x, y]` in pixels; null: they are found |
| `POST /api/setup/turn` `{how}` | `swap`, `mirror` or `auto` |
| `POST /api/setup/game` | any of `Game` |

A command is answered with the state that it left; what is refused is `{"error": "one line"}` with
400, 403 or 409. Pictures are 204 before there are any. All of it is the referee's.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final, Literal, NotRequired, Protocol, TypedDict

from apiflask import APIBlueprint
from flask import Response, current_app, jsonify, render_template, request
from werkzeug.exceptions import HTTPException

from engine import RULE_SETS
from engine.rules import VARIANTS
from webui import words
from webui.access import require_referee
from webui.table import Colours, blank_state
from webui.view import as_shown

Stage = Literal["choosing", "opening", "looking", "starting", "recording"]
Turn = Literal["swap", "mirror", "auto"]
Pixel = tuple[float, float]

LONGEST_NAME: Final = 40
LONGEST_ADDRESS: Final = 1000
LONGEST_MATCH: Final = 99
"""Points; matches are played to 25 at most."""
RULE_TITLES: Final = {
    "": "As usual at home",
    "casual": "Casual",
    "seeds": "First drafts",
    "us2009": "US rules of 2009",
    "usbgf": "USBGF",
    "wbgf": "WBGF",
    "ukbgf": "UKBGF",
    "narde": "Narde",
}
ADDRESSES: Final = (
    ("IP Webcam", "Android", "http://PHONE:8080/video"),
    ("IP Webcam, less data", "Android", "rtsp://PHONE:8080/h264_ulaw.sdp"),
    ("DroidCam", "Android, iPhone", "http://PHONE:4747/video"),
)
"""Apps that make a phone a camera, what they run on, and the form of their address."""


class CannotSetUp(Exception):
    """Raised by a `Workshop` when a command cannot be done; the message says what to do."""


class CameraSeen(TypedDict):
    """A camera that is plugged in."""

    id: str
    """What `open` takes."""
    name: str
    picture: int
    """Rises with each new thumbnail; 0 before the first."""
    fault: str | None
    """Why it gives no picture."""


class Opened(TypedDict):
    """The source that is open."""

    name: str
    is_film: bool
    """Whether it is a file, which is played once."""
    fault: str | None
    """Why no picture arrives now."""


class Found(TypedDict):
    """Where the board is seen."""

    corners: list[Pixel]
    """The field's, in pixels, around it; the second lies at light's ace point."""
    by_hand: bool
    """Whether somebody pointed at them."""
    tilt: float
    """Degrees between straight down and the camera's way of looking."""
    die: float
    """Pixels of a die's side in the farthest corner."""
    point: float
    """Pixels of the narrowest point's width."""
    edges: float
    """-1..1 how well the board's edges agree with the picture's."""


class Read(TypedDict):
    """What stands on the board."""

    position: dict[str, Any]
    """A `webui.table.Board`; what is on the board need not be a whole set."""
    matching: int
    """How many of the 24 points show what is awaited."""
    differences: list[str]
    """What shows otherwise than awaited, in words."""
    advice: str
    """What to do about the differences; empty without any."""
    differing: list[int]
    """Light's points that differ."""
    light_home: Literal["right", "left"]
    colours: Colours | None
    upside_down: bool
    """Whether light's rail is the upper one in the picture."""


class Game(TypedDict):
    """What is played, and by whom."""

    light: str
    dark: str
    length: int
    variant: str
    rules: str
    """A rule set's name or a file; empty for the usual ones."""
    goes_on: bool
    """Whether an unfinished match of these players is gone on with."""


class Before(TypedDict):
    """What was set up the last time."""

    name: str
    """Of the camera."""
    when: float
    """Seconds since 1970."""
    game: Game


class SetupState(TypedDict):
    """Everything that the set-up page shows."""

    stage: Stage
    error: str | None
    """Why the last command came to nothing."""
    cameras: list[CameraSeen]
    is_listed: bool
    """Whether the cameras were looked for yet."""
    source: Opened | None
    picture: int
    """Number of the newest picture; 0 before any."""
    size: tuple[int, int] | None
    """Of the pictures, width and height."""
    is_looking: bool
    """Whether a picture is being looked at just now."""
    board: Found | None
    faults: list[str]
    """What keeps the board from being read, each with what to do."""
    warnings: list[str]
    """What will be read worse than it could."""
    read: Read | None
    ready: Literal["learnt", "known"] | None
    """Whether the match can begin: the set was learnt from the opening, or known again."""
    is_known: bool
    """Whether the board of the last time is expected."""
    game: Game
    is_unfinished: bool
    """Whether there is an unfinished match of these players."""
    before: Before | None
    turned: bool
    """Whether somebody said which way round the board lies."""
    shown: NotRequired[Any]
    """What the page draws of `read`, worked out as for the live page."""


class Workshop(Protocol):
    """What the page needs to set up a match; from any thread, and nothing here takes long.

    Commands raise `CannotSetUp`. What takes time (a camera that opens, a look at the board) happens
    afterwards, and the state tells how it went.
    """

    def state(self) -> SetupState:
        """How things stand."""

    def picture(self, *, plain: bool) -> bytes | None:
        """The newest picture as JPEG, unless `plain` with the board drawn on it; None before."""

    def thumbnail(self, camera: str) -> bytes | None:
        """A small picture of a camera in the list; None if it gave none."""

    def open(self, address: str) -> None:
        """Pictures come from there: a camera's number, an address, a file, or `sample`."""

    def open_again(self) -> None:
        """The camera, the board and the game of the last time."""

    def leave(self) -> None:
        """Back to the choice of a camera."""

    def set_corners(self, corners: Sequence[Pixel] | None) -> None:
        """The field's four corners, in pixels; None: they are found."""

    def turn(self, how: Turn) -> None:
        """Which way round the board lies; `auto`: as the checkers tell."""

    def learn_anew(self) -> None:
        """Another board, or another lamp, than the last time."""

    def set_game(self, game: Game) -> None:
        """What is played, and by whom."""

    def start(self) -> None:
        """The match begins."""


class BadRequest(Exception):
    """Raised when a request is not what the API takes; the message says what it takes."""


setup: Final = APIBlueprint("setup", __name__, enable_openapi=False)


def _workshop() -> Workshop:
    workshop: Workshop | None = current_app.extensions.get("workshop")
    if workshop is None:
        raise CannotSetUp("nothing to set up here: start `tableside live` without --camera")
    return workshop


setup.before_request(require_referee)


@setup.errorhandler(CannotSetUp)
def _cannot(error: CannotSetUp) -> tuple[Response, int]:
    return jsonify(error=str(error)), 409


@setup.errorhandler(BadRequest)
def _bad(error: BadRequest) -> tuple[Response, int]:
    return jsonify(error=str(error)), 400


@setup.get("/setup")
def page() -> str | Response:
    """The wizard with the state as it is."""
    if current_app.extensions.get("workshop") is None:
        return Response(
            "There is nothing to set up: this match has its camera already. "
            "Start `tableside live` without --camera to be asked.\n",
            404,
            mimetype="text/plain",
        )
    state = state_shown(_workshop().state())
    return render_template(
        "setup.html",
        setup=state,
        state=as_shown(blank_state()),
        addresses=ADDRESSES,
        variants=[(name, _title(name)) for name in VARIANTS],
        rule_sets=[("", RULE_TITLES[""])] + [(n, RULE_TITLES.get(n, n)) for n in RULE_SETS],
    )


def _title(variant: str) -> str:
    return words.VARIANTS.get(variant) or variant.replace("_", " ").capitalize()


def state_shown(state: SetupState) -> SetupState:
    """The state with the read-out as the page draws it."""
    read = state["read"]
    if read is None:
        return state
    colours = read["colours"] or blank_state()["colours"]
    drawn = {**blank_state(), "position": read["position"], "colours": colours}
    return {**state, "shown": as_shown(drawn)["shown"]}


def _answer() -> Response:
    return jsonify(state_shown(_workshop().state()))


@setup.get("/api/setup")
def state() -> Response:
    """How things stand."""
    return _answer()


@setup.get("/api/setup/picture.jpg")
def picture() -> Response:
    """The newest picture with the board drawn on it, or without (`plain=1`); 204 before any."""
    return _jpeg(_workshop().picture(plain=request.args.get("plain") == "1"))


@setup.get("/api/setup/cameras/<camera>.jpg")
def thumbnail(camera: str) -> Response:
    """A small picture of a camera in the list; 204 if it gave none."""
    return _jpeg(_workshop().thumbnail(camera))


def _jpeg(coded: bytes | None) -> Response:
    return Response(status=204) if coded is None else Response(coded, mimetype="image/jpeg")


@setup.post("/api/setup/open")
def open_source() -> Response:
    """Pictures from `address` from now on."""
    address = _body().get("address")
    if not isinstance(address, str) or not 0 < len(address.strip()) <= LONGEST_ADDRESS:
        raise BadRequest("type an address, a file's name or a camera's number")
    _workshop().open(address.strip())
    return _answer()


@setup.post("/api/setup/again")
def open_again() -> Response:
    """Everything as the last time."""
    _workshop().open_again()
    return _answer()


@setup.post("/api/setup/leave")
def leave() -> Response:
    """Back to the choice of a camera."""
    _workshop().leave()
    return _answer()


@setup.post("/api/setup/corners")
def corners() -> Response:
    """The field's four `corners` in pixels; null: they are found."""
    _workshop().set_corners(_corners(_body().get("corners")))
    return _answer()


def _corners(given: Any) -> list[Pixel] | None:
    if given is None:
        return None
    if not isinstance(given, list) or len(given) != 4:
        raise BadRequest("give four corners, [x, y] in pixels each, or null")
    return [_pixel(one) for one in given]


def _pixel(given: Any) -> Pixel:
    is_pair = isinstance(given, list) and len(given) == 2
    if not is_pair or not all(_is_number(part) for part in given):
        raise BadRequest("a corner is [x, y] in pixels")
    return float(given[0]), float(given[1])


def _is_number(value: Any) -> bool:
    is_one = isinstance(value, (int, float)) and not isinstance(value, bool)
    return is_one and math.isfinite(value) and abs(value) < 1e5


@setup.post("/api/setup/turn")
def turn() -> Response:
    """Which way round the board lies."""
    how = _body().get("how")
    if how not in ("swap", "mirror", "auto"):
        raise BadRequest("a board is turned by `swap`, `mirror` or `auto`")
    _workshop().turn(how)
    return _answer()


@setup.post("/api/setup/learn")
def learn_anew() -> Response:
    """Another board, or another lamp, than the last time."""
    _workshop().learn_anew()
    return _answer()


@setup.post("/api/setup/game")
def game() -> Response:
    """What is played, and by whom; what is not given stays."""
    _workshop().set_game(_game(_body(), _workshop().state()["game"]))
    return _answer()


def _game(given: dict[str, Any], before: Game) -> Game:
    value = {name: given.get(name, old) for name, old in before.items()}
    length = value["length"]
    if not isinstance(length, int) or isinstance(length, bool) or not 0 <= length <= LONGEST_MATCH:
        raise BadRequest(f"a match has 1 to {LONGEST_MATCH} points; 0 is for money")
    if not isinstance(value["variant"], str) or value["variant"] not in VARIANTS:
        raise BadRequest(f"there is no such game; choose one of {', '.join(VARIANTS)}")
    if value["rules"] not in ("", before["rules"], *RULE_SETS):
        raise BadRequest(f"there is no such rule set; choose one of {', '.join(RULE_SETS)}")
    return Game(
        light=_name(value["light"], "Light"),
        dark=_name(value["dark"], "Dark"),
        length=length,
        variant=value["variant"],
        rules=value["rules"],
        goes_on=value["goes_on"] is True,
    )


def _name(given: Any, otherwise: str) -> str:
    if not isinstance(given, str):
        raise BadRequest("a name is a text")
    name = " ".join(given.split())
    if len(name) > LONGEST_NAME:
        raise BadRequest(f"a name has {LONGEST_NAME} letters at most")
    return name or otherwise


@setup.post("/api/setup/start")
def start() -> Response:
    """The match begins."""
    _workshop().start()
    return _answer()


def _body() -> dict[str, Any]:
    """The JSON object of the request."""
    try:
        given = request.get_json()
    except HTTPException as error:
        raise BadRequest("send a JSON object") from error
    if not isinstance(given, dict):
        raise BadRequest("send a JSON object")
    return given
