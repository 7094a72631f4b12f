"""`/dice`: the statistics of the dice of a record, for people and for programs.

Of a match in play, only e-values and bounds are shown, which may be looked at after every roll;
tests for a number of rolls fixed in advance wait until the match is over.
"""

from __future__ import annotations

from typing import Any, Final

from apiflask import APIBlueprint
from flask import Blueprint, Flask, Response, current_app, jsonify, render_template, request

from engine.dice_sets.edits import DiceEdit, DiceMerged, DiceRenamed, DiceUndone
from engine.dice_sets.names import OF_CUP
from engine.fairness.plan import plan_rolls
from engine.fairness.report_json import findings_json, live_finding_json
from engine.message import message_of
from webui.api.matches import early_matches, reason_of, status_of
from webui.api.schemas.dice import DiceAnswered, DiceQuery, MergeBody, NamesAnswer, RenameBody
from webui.context import least_delay
from webui.contracts.archive import ArchiveError
from webui.contracts.dice import DiceBook, DiceReport, UnreadableRolls
from webui.contracts.state import blank_state
from webui.http.auth import require_record, require_referee, rights
from webui.http.errors import REFUSED_RESPONSES, WHY_NOT, one_line
from webui.i18n.messages import translate as in_words
from webui.views import phrases
from webui.views.board import colours
from webui.views.dice import dice_shown, playing_shown
from webui.views.dice_phrases import plan_sentences, title

SAME: Final[Any] = {
    204: {"description": "Nothing has changed: `known` is the newest version."},
    503: "The record cannot be read; the message gives the reason.",
    **REFUSED_RESPONSES,
}
NO_MATCH_RESPONSES: Final[Any] = {**SAME, 404: "There is no such match."}
TABLE: Final[Any] = {
    200: {
        "description": "The table.",
        "content": {"text/csv": {"schema": {"type": "string", "format": "binary"}}},
    },
    503: "The record cannot be read; the message gives the reason.",
    **REFUSED_RESPONSES,
}
RESPONSES: Final[Any] = {**REFUSED_RESPONSES, **WHY_NOT}
SAID_DONE: Final = "It is in the record."
NO_BOARD: Final = {"shown": {"colours": colours(blank_state()["colours"])}}
"""What a page's drawings need when no board is shown."""

PLANNED: Final = (60, 10_000_000)
"""Fewest and most rolls to plan for; fewer show next to nothing."""
MAX_PASTED: Final = 20_000
"""Characters of pasted rolls."""

dice_page: Final = Blueprint("dice_page", __name__)
dice_api: Final = APIBlueprint("dice_api", __name__, tag="Dice of the record")
dice_api.before_request(require_record)


def install_dice(app: Flask, book: DiceBook) -> None:
    """Make `app` show the dice of `book`."""
    app.extensions["dice"] = book
    app.jinja_env.globals.update(has_dice=True)
    app.register_blueprint(dice_page)
    app.register_blueprint(dice_api)


def _book() -> DiceBook:
    book: DiceBook = current_app.extensions["dice"]
    return book


@dice_page.errorhandler(ArchiveError)
def _refuse_page(error: ArchiveError) -> tuple[str, int]:
    return render_template("refusal.html", state=NO_BOARD, why=reason_of(error)), status_of(error)


@dice_api.errorhandler(ArchiveError)
def _refuse(error: ArchiveError) -> Response:
    return one_line(status_of(error), reason_of(error), request.path)


@dice_page.get("/dice")
def show() -> str:
    """The dice of all matches."""
    require_record()
    return _page(_report(), None)


@dice_page.get("/matches/<record:number>/dice")
def show_match(number: int) -> str:
    """The dice of one match."""
    require_record()
    return _page(_report(number), number)


@dice_page.post("/dice/pasted")
def show_pasted() -> tuple[str, int]:
    """The report on rolls that a reader pasted; they enter no record."""
    require_record()
    shown, why = None, ""
    try:
        shown = dice_shown(_book().pasted(request.form.get("rolls", "")[:MAX_PASTED]))
    except UnreadableRolls as error:
        why = phrases.sentence(message_of(error))
    page = render_template("dice_pasted.html", state=NO_BOARD, shown=shown, why=why)
    return page, 200 if shown is not None else 400


@dice_page.get("/dice/plan")
def show_plan() -> str:
    """What a number of rolls will show, before anybody rolls."""
    require_record()
    rolls = request.args.get("rolls", PLANNED[0], type=int)
    plan = plan_rolls(min(max(rolls, PLANNED[0]), PLANNED[1]))
    return render_template("dice_pasted.html", state=NO_BOARD, plan=plan_sentences(plan))


def _report(match: int | None = None) -> DiceReport:
    """The report; for delayed viewers without what they may not see yet."""
    return _book().report(match, with_open=not least_delay(), without=early_matches())


def _version() -> str:
    return _book().version(with_open=not least_delay(), without=early_matches())


def _page(report: DiceReport, match: int | None) -> str:
    shown = None if report.ended is None else dice_shown(report.ended)
    playing = [playing_shown(one) for one in report.playing]
    return render_template(
        "dice.html",
        state=NO_BOARD,
        report=report,
        whose=title(report.players),
        shown=shown,
        playing=playing,
        match=match,
        naming=_naming(shown) if match is None else None,
    )


def _naming(shown: dict[str, Any] | None) -> dict[str, Any] | None:
    """What the referee needs to rename dice; None for others, and if there are no dice."""
    if shown is None or not rights().commands:
        return None
    dice = [one for one in shown["dice"] if not one["key"].startswith(OF_CUP)]
    last = in_words(_book().last_edit())
    return {"dice": dice, "last": last} if dice or last else None


@dice_api.get("/api/dice")
@dice_api.input(DiceQuery, location="query")
@dice_api.output(DiceAnswered, description="What they tell.")
@dice_api.doc(responses=SAME)
def dice(query_data: DiceQuery) -> Response:
    """Show the dice of all matches."""
    if query_data.known is not None and query_data.known == _version():
        return Response(status=204)
    return jsonify(_answer(_report()))


@dice_api.get("/api/matches/<record:match>/dice")
@dice_api.input(DiceQuery, location="query")
@dice_api.output(DiceAnswered, description="What they tell.")
@dice_api.doc(responses=NO_MATCH_RESPONSES)
def dice_of_match(match: int, query_data: DiceQuery) -> Response:
    """Show the dice of one match."""
    report = _report(match)
    if query_data.known is not None and query_data.known == report.version:
        return Response(status=204)
    return jsonify(_answer(report))


@dice_api.get("/api/dice/rolls.csv")
@dice_api.doc(responses=TABLE)
def table() -> Response:
    """Download every die of the record as a table."""
    lines = _book().rolls_csv(with_open=not least_delay(), without=early_matches())
    response = Response(list(lines), mimetype="text/csv")
    response.headers["Content-Disposition"] = 'attachment; filename="rolls.csv"'
    return response


@dice_api.before_request
def refuse_others() -> None:
    """Only the referee may edit names."""
    if request.method == "POST":
        require_referee()


def _say(word: DiceEdit) -> dict[str, str]:
    _book().edit_names(word)
    return {"version": _version(), "last_said": str(_book().last_edit())}


@dice_api.post("/api/dice/merge")
@dice_api.input(MergeBody)
@dice_api.output(NamesAnswer, description=SAID_DONE)
@dice_api.doc(responses=RESPONSES)
def merge(json_data: MergeBody) -> dict[str, str]:
    """Treat two names as the same dice in all matches of the record, past and future."""
    return _say(DiceMerged(json_data.keep, json_data.other))


@dice_api.post("/api/dice/rename")
@dice_api.input(RenameBody)
@dice_api.output(NamesAnswer, description=SAID_DONE)
@dice_api.doc(responses=RESPONSES)
def rename(json_data: RenameBody) -> dict[str, str]:
    """Rename dice in all matches of the record, past and future."""
    return _say(DiceRenamed(json_data.name, json_data.to.strip()))


@dice_api.post("/api/dice/undo")
@dice_api.output(NamesAnswer, description=SAID_DONE)
@dice_api.doc(responses=RESPONSES)
def undo() -> dict[str, str]:
    """Undo the last merge or rename."""
    return _say(DiceUndone())


def _answer(report: DiceReport) -> dict[str, Any]:
    return {
        "version": report.version,
        "title": report.title,
        "ended": None if report.ended is None else findings_json(report.ended),
        "playing": [
            {
                "match": one.match,
                "title": one.title,
                "dice": {die.name: live_finding_json(die, own) for die, own in one.dice},
            }
            for one in report.playing
        ],
    }
