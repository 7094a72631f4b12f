"""The referee's desk: the turns of the match, alternatives to each, and commands."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Final

from apiflask import APIBlueprint
from flask import Response, jsonify
from werkzeug.exceptions import NotFound

from engine.evidence.orientation import Orientation
from engine.match.corrections import PlayChosen, RollFixed
from engine.position import Side
from webui.api.schemas import common as answers
from webui.api.schemas import match as match_answers
from webui.api.schemas.setup import PlaceBody
from webui.context import clip_response, here
from webui.contracts.desk import (
    ClockEntered,
    Command,
    CupWords,
    Desk,
    DeskCommand,
    NamesEntered,
    NextMatch,
    OrientationChosen,
    PlaceEntered,
    PlayEntered,
    PositionEntered,
    Resignation,
    ResumeMatch,
    RollEntered,
)
from webui.contracts.roles import Visibility
from webui.http.auth import require_referee
from webui.http.errors import NOWHERE, REFUSED_RESPONSES, WHY_NOT
from webui.i18n.locale import gettext
from webui.views import desk as view

STILL_RESPONSES: Final[Any] = {
    200: {"description": "The picture.", "content": answers.JPEG},
    **REFUSED_RESPONSES,
    404: "There is no such turn, or no such picture of it.",
    409: "No match is being watched.",
}
CLIP_RESPONSES: Final[Any] = {
    200: {"description": "The clip.", "content": answers.MP4},
    206: {"description": "The part of it that the client asks for.", "content": answers.MP4},
    **REFUSED_RESPONSES,
    404: "There is no such turn, or no clip of it.",
    409: "No match is being watched.",
    416: "The clip has no such part.",
}
READ_RESPONSES: Final = {
    **REFUSED_RESPONSES,
    **NOWHERE,
    409: "It is not known; the message names what is missing.",
}

DONE: Final = "It is in the record; what can be entered next."

desk: Final = APIBlueprint("desk", __name__, tag="The referee's desk")


@desk.before_request
def _for_the_referee() -> None:
    require_referee()


def _desk() -> Desk:
    found = here().desk
    if found is None:
        raise NotFound(gettext("nothing can be entered by hand here: no match is being recorded"))
    return found


def _command(
    rule: str, body: type[answers.RequestBody]
) -> Callable[[Callable[..., Command]], Callable[..., Response]]:
    """Register `rule` as the address of the command that the function makes from `body`."""

    def register(make: Callable[..., Command]) -> Callable[..., Response]:
        @wraps(make)
        def route(**given: Any) -> Response:
            taken, command = _desk(), make(**given)
            taken.execute(command)
            here().metrics.commands.labels("done").inc()
            return jsonify(view.status_shown(taken.status()))

        described = desk.output(answers.DeskAnswer, description=DONE)(route)
        described = desk.doc(responses={**REFUSED_RESPONSES, **NOWHERE, **WHY_NOT})(described)
        registered: Callable[..., Response] = desk.post(rule)(desk.input(body)(described))
        return registered

    return register


@desk.get("/api/desk")
@desk.output(answers.DeskAnswer, description="What can be entered now.")
@desk.doc(responses={**REFUSED_RESPONSES, **NOWHERE})
def status() -> Response:
    """Show what can be entered now."""
    return jsonify(view.status_shown(_desk().status()))


@desk.get("/api/turns")
@desk.output(answers.TurnsAnswer, description="Every turn of the match, rejected ones too.")
@desk.doc(responses={**REFUSED_RESPONSES, **NOWHERE})
def turns() -> Response:
    """List every turn of the match, and what was done with the cube between them."""
    return jsonify(view.turns_shown(_desk().turns(), here().table.state(Visibility.EVERYTHING)))


@desk.get("/api/turns/<turn:number>")
@desk.output(answers.TurnAnswer, description="The turn.")
@desk.doc(responses=READ_RESPONSES)
def turn(number: int) -> Response:
    """Show one turn, the other plays it may have been, and the rolls that would explain it."""
    found = _desk().turn(number)
    if found is None:
        raise _no_turn(number)
    return jsonify(view.turn_shown(found))


@desk.get("/api/turns/<turn:number>/plays")
@desk.input(answers.RollQuery, location="query")
@desk.output(answers.PlaysAnswer, description="Every distinct legal result once.")
@desk.doc(responses=READ_RESPONSES)
def plays(number: int, query_data: answers.RollQuery) -> Response:
    """List the legal plays of a turn, with its own roll or with `dice`."""
    played, found = _desk().turn(number), _desk().legal_plays(number, query_data.pips)
    if played is None or found is None:
        raise _no_turn(number)
    return jsonify(plays=view.plays_shown(played["player"], played["before"], found))


@desk.get("/api/turns/<turn:number>/stills")
@desk.output(answers.StillsAnswer, description="Its pictures, first the throw's.")
@desk.doc(responses=READ_RESPONSES)
def stills(number: int) -> Response:
    """List the pictures that the camera took of a turn."""
    return jsonify(stills=_desk().stills(number), has_clip=_desk().has_clip(number))


@desk.get("/api/turns/<turn:number>/stills/<record:frame>.jpg")
@desk.doc(responses=STILL_RESPONSES)
def still(number: int, frame: int) -> Response:
    """Get one of these pictures."""
    jpeg = _desk().still(number, frame)
    if jpeg is None:
        raise NotFound(
            gettext("turn %(number)s has no still %(frame)s", number=number, frame=frame)
        )
    return Response(jpeg, mimetype="image/jpeg")


@desk.get("/api/turns/<turn:number>/clip.mp4")
@desk.doc(responses=CLIP_RESPONSES)
def clip(number: int) -> Response:
    """Get the clip of the end of a doubtful turn."""
    mp4 = _desk().clip(number)
    if mp4 is None:
        raise NotFound(gettext("turn %(number)s has no clip", number=number))
    return clip_response(mp4)


@_command("/api/turns/<turn:number>/play", answers.PlayBody)
def choose_play(number: int, json_data: answers.PlayBody) -> Command:
    """Correct the play of a turn; everything after it is judged again."""
    return PlayChosen(number, json_data.play)


@_command("/api/turns/<turn:number>/roll", answers.RollBody)
def fix_roll(number: int, json_data: answers.RollBody) -> Command:
    """Correct the roll of a turn; everything after it is judged again."""
    first, second = json_data.dice
    return RollFixed(number, (first, second))


@desk.get("/api/desk/plays")
@desk.output(answers.TurnToPlayAnswer, description="Its legal plays, every distinct result once.")
@desk.doc(responses=READ_RESPONSES)
def turn_to_play() -> Response:
    """Show the turn in progress and its legal plays; 409 if no roll is waiting to be played."""
    return jsonify(view.turn_to_play_shown(_desk().turn_to_play()))


@_command("/api/desk/roll", answers.RollBody)
def enter_roll(json_data: answers.RollBody) -> Command:
    """Enter the roll of the turn in progress."""
    first, second = json_data.dice
    return RollEntered((first, second))


@_command("/api/desk/play", answers.PlayBody)
def enter_play(json_data: answers.PlayBody) -> Command:
    """Enter the play of the turn in progress; it is checked against the rules."""
    return PlayEntered(json_data.play)


@_command("/api/desk/numbering", answers.NumberingBody)
def choose_orientation(json_data: answers.NumberingBody) -> Command:
    """In a game already under way, choose the numbering: one of the state's `numberings`."""
    way = Orientation(is_turned=json_data.turned, is_mirrored=json_data.mirrored)
    return OrientationChosen(way)


@_command("/api/desk/word", answers.CommandBody)
def execute(json_data: answers.CommandBody) -> Command:
    """Send a command without values: undo, accept, reject, double, take, drop, pause and so on."""
    return DeskCommand(json_data.word)


@_command("/api/desk/cup/words", answers.CupWordsBody)
def enter_cup_words(json_data: answers.CupWordsBody) -> Command:
    """Enter the players' words after the cup's commitment; every later roll depends on them."""
    return CupWords(json_data.light, json_data.dark)


@_command("/api/desk/position", answers.PositionBody)
def set_position(json_data: answers.PositionBody) -> Command:
    """Set the position on the board; play continues from it."""
    to_move = None if json_data.to_move is None else Side(json_data.to_move)
    return PositionEntered(tuple(json_data.light), tuple(json_data.dark), to_move)


@_command("/api/desk/resignation", answers.ResignationBody)
def resign(json_data: answers.ResignationBody) -> Command:
    """Enter a resignation, of the game in progress or of an unfinished one."""
    times = answers.TIMES[json_data.result]
    return Resignation(Side(json_data.player), times, json_data.points, json_data.game)


@_command("/api/desk/names", match_answers.NamesBody)
def name_players(json_data: match_answers.NamesBody) -> Command:
    """Rename the players, in everything recorded so far as well."""
    return NamesEntered(json_data.light or "Light", json_data.dark or "Dark")


@_command("/api/desk/place", PlaceBody)
def place_match(json_data: PlaceBody) -> Command:
    """Say where in a tournament the match is played, in place of what was said before."""
    return PlaceEntered(json_data.place)


@_command("/api/desk/clock", match_answers.ClockBody)
def set_clock(json_data: match_answers.ClockBody) -> Command:
    """Set the clock; it does not run until the command `clock`."""
    return ClockEntered(json_data.light, json_data.dark, json_data.delay)


@_command("/api/desk/match", match_answers.NextMatchBody)
def begin_match(json_data: match_answers.NextMatchBody) -> Command:
    """Begin another match with the same board and camera, once the current one is over."""
    light, dark = json_data.light or "Light", json_data.dark or "Dark"
    length, variant, rules = json_data.length, json_data.variant, json_data.rules
    place = None if json_data.place is None else json_data.place.place
    return NextMatch(light, dark, length, variant, rules, json_data.options.chosen, place)


@_command("/api/desk/resume", match_answers.ResumeBody)
def resume_match(json_data: match_answers.ResumeBody) -> Command:
    """Go on with an unfinished match at this board, once the current one is over."""
    return ResumeMatch(json_data.match)


def _no_turn(number: int) -> NotFound:
    return NotFound(gettext("there is no turn %(number)s; /api/turns lists them", number=number))
