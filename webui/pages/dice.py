"""`/dice`: what the rolls of the record tell of its dice, and the same for programs.

Of a match that is being played only e-values and bounds are shown, which may be looked at after
every roll; tests with a number of rolls fixed before wait until the match is over.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from apiflask import APIBlueprint
from flask import Blueprint, Flask, Response, current_app, jsonify, render_template, request

from engine.dice_sets.edits import DiceEdit, DiceMerged, DiceRenamed, DiceUndone
from engine.dice_sets.names import OF_CUP
from engine.fairness.report_json import findings_json, live_finding_json
from engine.message import message_of
from webui.api.matches import status_of
from webui.api.schemas.dice import DiceAnswered, DiceQuery, MergeBody, NamesAnswer, RenameBody
from webui.context import least_delay
from webui.contracts.archive import ArchiveError
from webui.contracts.dice import DiceBook, DiceReport
from webui.contracts.state import Role, blank_state
from webui.http.auth import current_role, require_referee
from webui.http.errors import REFUSED, WHY_NOT, one_line
from webui.i18n.messages import translate as in_words
from webui.views.board import colours
from webui.views.dice import dice_shown, playing_shown
from webui.views.dice_phrases import title

SAME: Final[Any] = {
    204: {"description": "Nothing: `known` is its version."},
    503: "The record cannot be read; the message says why.",
    **REFUSED,
}
NO_MATCH: Final[Any] = {**SAME, 404: "There is no such match."}
TABLE: Final[Any] = {
    200: {
        "description": "The table.",
        "content": {"text/csv": {"schema": {"type": "string", "format": "binary"}}},
    },
    503: "The record cannot be read; the message says why.",
    **REFUSED,
}
SAID: Final[Any] = {**REFUSED, **WHY_NOT}
SAID_DONE: Final = "It is in the record."
NO_BOARD: Final = {"shown": {"colours": colours(blank_state()["colours"])}}
"""What the drawings of a page need where no board is shown."""

dice_page: Final = Blueprint("dice_page", __name__)
dice_api: Final = APIBlueprint("dice_api", __name__, tag="Dice of the record")


def install_dice(app: Flask, book: DiceBook) -> None:
    """`app` shows what the dice of `book` tell."""
    app.extensions["dice"] = book
    app.jinja_env.globals.update(has_dice=True)
    app.register_blueprint(dice_page)
    app.register_blueprint(dice_api)


def _book() -> DiceBook:
    book: DiceBook = current_app.extensions["dice"]
    return book


@dice_page.errorhandler(ArchiveError)
def _refuse_page(error: ArchiveError) -> tuple[str, int]:
    return render_template("refusal.html", state=NO_BOARD, why=message_of(error)), status_of(error)


@dice_api.errorhandler(ArchiveError)
def _refuse(error: ArchiveError) -> Response:
    return one_line(status_of(error), message_of(error), request.path)


@dice_page.get("/dice")
def show() -> str:
    """The dice of all matches."""
    return _page(_told(), None)


@dice_page.get("/matches/<record:number>/dice")
def show_match(number: int) -> str:
    """The dice of one match."""
    return _page(_told(number), number)


def _told(match: int | None = None) -> DiceReport:
    """What who asks may know: whoever is kept behind time is not told of a match in play."""
    told = _book().report(match)
    return replace(told, playing=()) if least_delay() else told


def _page(told: DiceReport, match: int | None) -> str:
    shown = None if told.ended is None else dice_shown(told.ended)
    playing = [playing_shown(one) for one in told.playing]
    return render_template(
        "dice.html",
        state=NO_BOARD,
        told=told,
        whose=title(told.players),
        shown=shown,
        playing=playing,
        match=match,
        naming=_naming(shown) if match is None else None,
    )


def _naming(shown: dict[str, Any] | None) -> dict[str, Any] | None:
    """What the referee may say of the dice; None for others, and where there are none."""
    if shown is None or current_role() is not Role.REFEREE:
        return None
    dice = [one for one in shown["dice"] if not one["key"].startswith(OF_CUP)]
    last = in_words(_book().last_edit())
    return {"dice": dice, "last": last} if dice or last else None


@dice_api.get("/api/dice")
@dice_api.input(DiceQuery, location="query")
@dice_api.output(DiceAnswered, description="What they tell.")
@dice_api.doc(responses=SAME)
def dice(query_data: DiceQuery) -> Response:
    """What the dice of all matches tell."""
    if query_data.known is not None and query_data.known == _book().version():
        return Response(status=204)
    return jsonify(_answer(_told()))


@dice_api.get("/api/matches/<record:match>/dice")
@dice_api.input(DiceQuery, location="query")
@dice_api.output(DiceAnswered, description="What they tell.")
@dice_api.doc(responses=NO_MATCH)
def dice_of_match(match: int, query_data: DiceQuery) -> Response:
    """What the dice of one match tell."""
    told = _told(match)
    if query_data.known is not None and query_data.known == told.version:
        return Response(status=204)
    return jsonify(_answer(told))


@dice_api.get("/api/dice/rolls.csv")
@dice_api.doc(responses=TABLE)
def table() -> Response:
    """Every die of the record as a table."""
    lines = _book().rolls_csv(with_open=not least_delay())
    response = Response(list(lines), mimetype="text/csv")
    response.headers["Content-Disposition"] = 'attachment; filename="rolls.csv"'
    return response


def _say(word: DiceEdit) -> dict[str, str]:
    require_referee()
    _book().edit_names(word)
    return {"version": _book().version(), "last_said": str(_book().last_edit())}


@dice_api.post("/api/dice/merge")
@dice_api.input(MergeBody)
@dice_api.output(NamesAnswer, description=SAID_DONE)
@dice_api.doc(responses=SAID)
def merge(json_data: MergeBody) -> dict[str, str]:
    """Two names are the same dice, in all matches of the record and in those to come."""
    return _say(DiceMerged(json_data.keep, json_data.other))


@dice_api.post("/api/dice/rename")
@dice_api.input(RenameBody)
@dice_api.output(NamesAnswer, description=SAID_DONE)
@dice_api.doc(responses=SAID)
def rename(json_data: RenameBody) -> dict[str, str]:
    """Dice are called otherwise, in all matches of the record and in those to come."""
    return _say(DiceRenamed(json_data.name, json_data.to.strip()))


@dice_api.post("/api/dice/undo")
@dice_api.output(NamesAnswer, description=SAID_DONE)
@dice_api.doc(responses=SAID)
def undo() -> dict[str, str]:
    """The last merge or new name does not hold any more."""
    return _say(DiceUndone())


def _answer(told: DiceReport) -> dict[str, Any]:
    return {
        "version": told.version,
        "title": told.title,
        "ended": None if told.ended is None else findings_json(told.ended),
        "playing": [
            {
                "match": one.match,
                "title": one.title,
                "dice": {die.name: live_finding_json(die, own) for die, own in one.dice},
            }
            for one in told.playing
        ],
    }
