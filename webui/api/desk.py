"""The referee's desk as addresses: what was played, what else it may have been, what is said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from apiflask import APIBlueprint
from flask import Response
from werkzeug.exceptions import NotFound

from engine.match.corrections import PlayChosen, RollFixed
from engine.position import Course, Side
from webui.api.schemas import common as answers
from webui.api.schemas import match as match_answers
from webui.context import here
from webui.contracts.desk import (
    ClockEntered,
    Command,
    CupWords,
    Desk,
    DeskCommand,
    NamesEntered,
    NextMatch,
    PlayEntered,
    PositionEntered,
    Resignation,
    RollEntered,
)
from webui.http.auth import require_referee
from webui.http.errors import NOWHERE, REFUSED, WHY_NOT
from webui.i18n.messages import translate
from webui.views.board import marks, piles
from webui.views.setup import rules_name

STILL: Final[Any] = {
    200: {"description": "The picture.", "content": answers.JPEG},
    **REFUSED,
    404: "There is no such turn, or no such picture of it.",
    409: "No match is being watched.",
}
READ: Final = {**REFUSED, **NOWHERE, 409: "It is not known; the message says what is missing."}
SAID: Final = {**REFUSED, **NOWHERE, **WHY_NOT}
DONE: Final = "It is done and in the record; what can be said next."

desk: Final = APIBlueprint("desk", __name__, tag="The referee's desk")


@desk.before_request
def _for_the_referee() -> None:
    require_referee()


def _desk() -> Desk:
    found = here().desk
    if found is None:
        raise NotFound("nothing can be said by hand here: no match is being recorded")
    return found


def _tell(command: Command) -> Mapping[str, Any]:
    taken = _desk()
    taken.execute(command)
    here().meters.commands.labels("done").inc()
    return _in_words(taken.status())


def _in_words(said: Mapping[str, Any]) -> Mapping[str, Any]:
    """What can be said now, its reasons in the reader's language."""
    why = {word: translate(reason) for word, reason in said["cannot"].items()}
    name = rules_name(said["rule_set"])
    begin, message = translate(said["begin"]), translate(said["message"])
    telling = said["telling"]
    telling = {**telling, "roll": translate(telling["roll"]), "play": translate(telling["play"])}
    told_now = {"message": message, "begin": begin, "rules_name": name, "telling": telling}
    return {**said, **told_now, "cannot": why}


@desk.get("/api/desk")
@desk.output(answers.DeskNow, description="What can be said now.")
@desk.doc(responses={**REFUSED, **NOWHERE})
def now() -> Mapping[str, Any]:
    """What can be said now."""
    return _in_words(_desk().status())


@desk.get("/api/turns")
@desk.output(answers.Turns, description="Every turn of the match, rejected ones too.")
@desk.doc(responses={**REFUSED, **NOWHERE})
def turns() -> Mapping[str, Any]:
    """Every turn of the match."""
    return {"turns": [{**one, "rule": translate(one["rule"])} for one in _desk().turns()]}


@desk.get("/api/turns/<turn:number>")
@desk.output(answers.TurnAnswer, description="The turn.")
@desk.doc(responses=READ)
def turn(number: int) -> Mapping[str, Any]:
    """One turn, what else it may have been, and the rolls that explain it."""
    found = _desk().turn(number)
    if found is None:
        raise _no_turn(number)
    return {
        **found,
        "rule": translate(found["rule"]),
        "piles": _piles(found["before"]),
        "piles_after": _piles(found["after"]),
        "marks": _marks(found, found["play"], legal=found["legal"]),
        "alternatives": _drawn(found, found["alternatives"]),
    }


@desk.get("/api/turns/<turn:number>/plays")
@desk.input(answers.RollQuery, location="query")
@desk.output(answers.Plays, description="Every distinct legal result once.")
@desk.doc(responses=READ)
def plays(number: int, query_data: answers.RollQuery) -> Mapping[str, Any]:
    """The legal plays of a turn, with its roll or with `dice`."""
    made, found = _desk().turn(number), _desk().legal_plays(number, query_data.pips)
    if made is None or found is None:
        raise _no_turn(number)
    return {"plays": _drawn(made, found)}


@desk.get("/api/turns/<turn:number>/stills")
@desk.output(answers.StillsTold, description="Its pictures, first the throw's.")
@desk.doc(responses=READ)
def stills(number: int) -> Mapping[str, Any]:
    """What the camera saw of a turn."""
    return {"stills": [{**one, "shows": translate(one["shows"])} for one in _desk().stills(number)]}


@desk.get("/api/turns/<turn:number>/stills/<record:frame>.jpg")
@desk.doc(responses=STILL)
def still(number: int, frame: int) -> Response:
    """One of these pictures."""
    jpeg = _desk().still(number, frame)
    if jpeg is None:
        raise NotFound(f"turn {number} has no still {frame}")
    return Response(jpeg, mimetype="image/jpeg")


@desk.post("/api/turns/<turn:number>/play")
@desk.input(answers.PlayBody)
@desk.output(answers.DeskNow, description=DONE)
@desk.doc(responses=SAID)
def choose_play(number: int, json_data: answers.PlayBody) -> Mapping[str, Any]:
    """Something else was played in a turn; all after it is judged again."""
    return _tell(PlayChosen(number, json_data.play))


@desk.post("/api/turns/<turn:number>/roll")
@desk.input(answers.RollBody)
@desk.output(answers.DeskNow, description=DONE)
@desk.doc(responses=SAID)
def fix_roll(number: int, json_data: answers.RollBody) -> Mapping[str, Any]:
    """Something else was rolled in a turn; all after it is judged again."""
    first, second = json_data.dice
    return _tell(RollFixed(number, (first, second)))


@desk.get("/api/desk/plays")
@desk.output(answers.ToPlay, description="Its legal plays, every distinct result once.")
@desk.doc(responses=READ)
def to_play() -> Mapping[str, Any]:
    """The turn in progress and its legal plays; 409 while no roll waits to be played."""
    found = _desk().turn_to_play()
    return {**found, "plays": _drawn(found, found["plays"])}


@desk.post("/api/desk/roll")
@desk.input(answers.RollBody)
@desk.output(answers.DeskNow, description=DONE)
@desk.doc(responses=SAID)
def tell_roll(json_data: answers.RollBody) -> Mapping[str, Any]:
    """What was thrown for the turn in progress, where nothing else told it."""
    first, second = json_data.dice
    return _tell(RollEntered((first, second)))


@desk.post("/api/desk/play")
@desk.input(answers.PlayBody)
@desk.output(answers.DeskNow, description=DONE)
@desk.doc(responses=SAID)
def tell_play(json_data: answers.PlayBody) -> Mapping[str, Any]:
    """What was played of the roll that waits; it is checked against the rules."""
    return _tell(PlayEntered(json_data.play))


@desk.post("/api/desk/word")
@desk.input(answers.CommandBody)
@desk.output(answers.DeskNow, description=DONE)
@desk.doc(responses=SAID)
def say(json_data: answers.CommandBody) -> Mapping[str, Any]:
    """What is said in one word: undo, accept, reject, double, take, drop, pause and so on."""
    return _tell(DeskCommand(json_data.word))


@desk.post("/api/desk/cup/words")
@desk.input(answers.CupWordsBody)
@desk.output(answers.DeskNow, description=DONE)
@desk.doc(responses=SAID)
def say_words(json_data: answers.CupWordsBody) -> Mapping[str, Any]:
    """What the players say once the cup is bound to its seed; part of every roll from then on."""
    return _tell(CupWords(json_data.light, json_data.dark))


@desk.post("/api/desk/position")
@desk.input(answers.PositionBody)
@desk.output(answers.DeskNow, description=DONE)
@desk.doc(responses=SAID)
def set_position(json_data: answers.PositionBody) -> Mapping[str, Any]:
    """Another position stands on the board, and play goes on from there."""
    to_move = None if json_data.to_move is None else Side(json_data.to_move)
    return _tell(PositionEntered(tuple(json_data.light), tuple(json_data.dark), to_move))


@desk.post("/api/desk/resignation")
@desk.input(answers.ResignationBody)
@desk.output(answers.DeskNow, description=DONE)
@desk.doc(responses=SAID)
def resign(json_data: answers.ResignationBody) -> Mapping[str, Any]:
    """A player gives a game up; it is told too for a game that was broken off."""
    given = json_data
    times = answers.TIMES[given.result]
    return _tell(Resignation(Side(given.player), times, given.points, given.game))


@desk.post("/api/desk/names")
@desk.input(match_answers.NamesBody)
@desk.output(answers.DeskNow, description=DONE)
@desk.doc(responses=SAID)
def name_players(json_data: match_answers.NamesBody) -> Mapping[str, Any]:
    """The players are called otherwise from now on, also in what was recorded before."""
    return _tell(NamesEntered(json_data.light or "Light", json_data.dark or "Dark"))


@desk.post("/api/desk/clock")
@desk.input(match_answers.ClockBody)
@desk.output(answers.DeskNow, description=DONE)
@desk.doc(responses=SAID)
def set_clock(json_data: match_answers.ClockBody) -> Mapping[str, Any]:
    """The clock is set, and stands until the word `clock` is said."""
    return _tell(ClockEntered(json_data.light, json_data.dark, json_data.delay))


@desk.post("/api/desk/match")
@desk.input(match_answers.NextMatchBody)
@desk.output(answers.DeskNow, description=DONE)
@desk.doc(responses=SAID)
def begin_match(json_data: match_answers.NextMatchBody) -> Mapping[str, Any]:
    """Another match begins at the same board and camera, once the one before it is over."""
    said = json_data
    light, dark = said.light or "Light", said.dark or "Dark"
    return _tell(NextMatch(light, dark, said.length, said.variant, said.rules))


def _no_turn(number: int) -> NotFound:
    return NotFound(f"there is no turn {number}; /api/turns lists them")


def _drawn(turn: Mapping[str, Any], plays: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Plays that may have been the turn's, with what the board draws of them."""
    return [
        {**one, "piles": _piles(one["position"]), "marks": _marks(turn, one["play"], legal=True)}
        for one in plays
    ]


def _marks(turn: Mapping[str, Any], play: str, *, legal: bool) -> dict[str, Any]:
    course = Course(turn["before"].get("course", "opposed"))
    return marks({"player": turn["player"], "play": play, "legal": legal}, course)


def _piles(position: Mapping[str, Any] | None) -> list[dict[str, Any]] | None:
    if position is None:
        return None
    return list(piles(position, Course(position.get("course", "opposed"))))
