"""The page of a hall: every board at once, what needs the referee first, and the results."""

from __future__ import annotations

from functools import partial
from typing import Final

from flask import (
    Blueprint,
    Flask,
    Response,
    current_app,
    jsonify,
    redirect,
    render_template,
    request,
)
from werkzeug.wrappers import Response as AnyResponse

from webui.api.matches import as_download, reason_of, status_of
from webui.context import endless, gone, serving_of
from webui.contracts.archive import ArchiveError
from webui.contracts.hall import Hall
from webui.contracts.roles import Visibility
from webui.contracts.state import blank_state
from webui.http.auth import require_record, seen_as
from webui.http.errors import no_board, one_line
from webui.i18n.locale import language
from webui.pages.catalog import (
    TURNS_PER_PAGE,
    find_page,
    player_page,
    players_page,
    question_here,
    table_of,
)
from webui.pages.matches import match_page
from webui.streaming.hall import TileKeeper, hall_events
from webui.views import replay
from webui.views.board import as_shown
from webui.views.hall import status_words

MOST_AS_JSON: Final = 500
"""Turns in one answer."""

hall_page: Final = Blueprint("hall", __name__)


def install_hall(app: Flask, hall: Hall) -> None:
    """Make `app` show the tables of `hall`, on its start page."""
    app.extensions["hall"], app.extensions["tiles"] = hall, TileKeeper()
    app.jinja_env.globals.update(
        has_table=False, status_words=status_words, replay=replay, keeps_matches=hall.keeps_matches
    )
    app.register_blueprint(hall_page)
    serving_of(app).metrics.show_hall(hall)

    @app.before_request
    def go_to_the_hall() -> AnyResponse | None:
        return redirect("/hall") if request.path == "/" else None


def _hall() -> Hall:
    found: Hall = current_app.extensions["hall"]
    return found


def _sees() -> Visibility:
    """What the page shows: on a television, what players may see, whoever has opened it."""
    seen = seen_as(request.args.get("as"))
    return Visibility.PLAYERS if seen is Visibility.AUDIENCE else seen


@hall_page.get("/hall")
def boards() -> str:
    """Show all tables."""
    return _tables_page("desk")


@hall_page.get("/hall/tv")
def television() -> str:
    """Show all tables on a television, some at a time."""
    return _tables_page("tv")


def _tables_page(mode: str) -> str:
    state, join_command = as_shown(blank_state()), _hall().join_command
    return render_template("hall.html", state=state, mode=mode, join_command=join_command)


@hall_page.get("/api/hall/events")
def events() -> Response:
    """Stream the tables that changed as server-sent events."""
    keeper: TileKeeper = current_app.extensions["tiles"]
    parts = hall_events(_hall(), keeper, gone(), _sees(), language())
    return endless(parts, "text/event-stream")


@hall_page.errorhandler(ArchiveError)
def _refuse(error: ArchiveError) -> Response | tuple[str, int]:
    if request.path.startswith("/api/"):
        return one_line(status_of(error), reason_of(error), request.path)
    page = render_template("refusal.html", state=no_board(), why=reason_of(error))
    return page, status_of(error)


@hall_page.get("/hall/matches/<record:number>")
def one_match(number: int) -> str:
    """Show one match, at its last step if it is still played."""
    require_record()
    found = _hall().matches.match(number)
    address = f"/api/hall/matches/{number}"
    return match_page("hall_match.html", found["match"], hall=found, address=address)


@hall_page.get("/api/hall/matches/<record:number>")
def match_json(number: int) -> Response:
    """Get one match with all its steps; nothing if `known` is its version."""
    require_record()
    match = _hall().matches.match(number)["match"]
    if request.args.get("known", type=int) == match["entry"]["version"]:
        return Response(status=204)
    return jsonify(replay.match_shown(match))


@hall_page.get("/api/hall/matches/<record:number>/files/<name>")
def match_file(number: int, name: str) -> Response:
    """Download a file of a match."""
    require_record()
    return as_download(_hall().matches.file(number, name), number)


@hall_page.get("/hall/find")
def find() -> tuple[str, int]:
    """Turns by the position before them, by player, event, date and roll."""
    require_record()
    found = _hall().matches
    ask = partial(found.turns, most=TURNS_PER_PAGE)
    return find_page(ask, found.missing(), unindexed=found.unindexed())


@hall_page.get("/hall/find.json")
def find_json() -> Response:
    """Get some of the same turns for other programs, from `start`."""
    require_record()
    start = max(0, request.args.get("start", 0, type=int))
    return jsonify(_hall().matches.turns(question_here(), start=start, most=MOST_AS_JSON))


@hall_page.get("/hall/find.<form>", defaults={"what": "turns"})
@hall_page.get("/hall/find/<what>.<form>")
def find_table(what: str, form: str) -> Response:
    """Get all of the same turns, or players or matches, as a table."""
    require_record()
    return table_of(_hall().matches, what, form)


@hall_page.get("/hall/players")
def players() -> str:
    """All players, with their sums."""
    require_record()
    asks = _hall().matches
    return players_page(asks, unindexed=asks.unindexed())


@hall_page.get("/hall/player")
def player() -> str:
    """One player across matches."""
    require_record()
    asks = _hall().matches
    return player_page(asks, unindexed=asks.unindexed())


@hall_page.get("/hall/results")
def results() -> str:
    """Show the results."""
    return render_template(
        "hall_results.html", state=as_shown(blank_state()), rows=_hall().results()
    )


@hall_page.get("/hall/results.json")
def results_json() -> Response:
    """Get the results for other programs."""
    require_record()
    return jsonify(_hall().results())


@hall_page.get("/hall/results.csv")
def results_csv() -> Response:
    """Get the results for spreadsheets and tournament programs."""
    require_record()
    return Response(_hall().results_csv(), mimetype="text/csv")
