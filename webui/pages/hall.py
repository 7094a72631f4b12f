"""The page of a hall: every board at once, what needs the referee first, and the results."""

from __future__ import annotations

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

from webui.context import endless, gone, serving_of
from webui.contracts.hall import Hall
from webui.contracts.roles import Visibility
from webui.contracts.state import blank_state
from webui.http.auth import require_record, seen_as
from webui.i18n.locale import language
from webui.streaming.hall import TileKeeper, hall_events
from webui.views.board import as_shown
from webui.views.hall import status_words

hall_page: Final = Blueprint("hall", __name__)


def install_hall(app: Flask, hall: Hall) -> None:
    """Make `app` show the tables of `hall`, on its start page."""
    app.extensions["hall"], app.extensions["tiles"] = hall, TileKeeper()
    app.jinja_env.globals.update(has_table=False, status_words=status_words)
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
    return render_template("hall.html", state=as_shown(blank_state()), mode="desk")


@hall_page.get("/hall/tv")
def television() -> str:
    """Show all tables on a television, some at a time."""
    return render_template("hall.html", state=as_shown(blank_state()), mode="tv")


@hall_page.get("/api/hall/events")
def events() -> Response:
    """Stream the tables that changed as server-sent events."""
    keeper: TileKeeper = current_app.extensions["tiles"]
    parts = hall_events(_hall(), keeper, gone(), _sees(), language())
    return endless(parts, "text/event-stream")


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
