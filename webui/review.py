"""The review pages and their part of the API: matches of the record, replayed and downloaded.

| address | answer |
| --- | --- |
| `GET /matches`, `/matches?before=N` | the list, a page |
| `GET /matches/N`, `?show=review` | one match, a page |
| `GET /api/matches?before=N` | `webui.archive.Matches` |
| `GET /api/matches/N?known=V` | `webui.archive.Match`; 204 while its version is still V |
| `GET /api/matches/N/stills/F.jpg` | a picture |
| `GET /api/matches/N/files/NAME` | a file to download; 409 where that format cannot say it |
| `GET /api/matches/N/analysis` | `webui.archive.Analysis`; starts nothing |
| `POST /api/matches/N/analysis` | the same, 202 while it runs; wants the header `X-Tableside: 1` |

What is refused is `{"error": "one line"}` with 403, 404, 409 or, where the record cannot be
read, 503. Entries, matches, steps and doubtful things carry a `shown` with what the page draws.
"""

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

from webui import replay, view
from webui.access import require_referee
from webui.archive import Archive, ArchiveError, CannotTell, NoSuch
from webui.table import blank_state

review: Final = Blueprint("review", __name__)
STATUS: Final = {NoSuch: 404, CannotTell: 409}


def install_review(app: Flask, archive: Archive, *, has_table: bool = True) -> None:
    """`app` shows the matches of `archive` too; without a table the list is its first page."""
    app.extensions["archive"] = archive
    app.jinja_env.globals.update(replay=replay, has_archive=True, has_table=has_table)
    app.register_blueprint(review)
    if not has_table:

        @app.before_request
        def go_to_the_list() -> AnyResponse | None:
            return redirect("/matches") if request.path == "/" else None


def _archive() -> Archive:
    archive: Archive = current_app.extensions["archive"]
    return archive


@review.errorhandler(ArchiveError)
def refuse(error: ArchiveError) -> tuple[Response | str, int]:
    """The refusal in one line, as JSON or as a page."""
    status = STATUS.get(type(error), 503)
    if request.path.startswith("/api/"):
        return jsonify(error=str(error)), status
    return render_template("refusal.html", state=_no_board(), why=str(error)), status


def _no_board() -> dict[str, object]:
    """What the drawings need where no board is shown."""
    return {"shown": {"colours": view.colours(blank_state()["colours"])}}


@review.get("/matches")
def matches_page() -> str:
    """The list of matches, newest first."""
    before = request.args.get("before", type=int)
    listed = replay.matches_shown(_archive().matches(before))
    return render_template("matches.html", state=_no_board(), listed=listed, before=before)


@review.get("/matches/<int:number>")
def match_page(number: int) -> str:
    """One match: its list, and the board at its first step; of an open one at its last."""
    match = replay.match_shown(_archive().match(number))
    steps = match["steps"]
    at = (len(steps) - 1 if match["entry"]["is_open"] else 0) if steps else None
    state = _no_board() if at is None else _state(match, at)
    only_review = request.args.get("show") == "review" and bool(match["doubtful"])
    return render_template("match.html", match=match, state=state, at=at, only_review=only_review)


def _state(match: dict[str, object], at: int) -> dict[str, object]:
    """A step as the drawing of the board takes it."""
    step = match["steps"][at]  # type: ignore[index]
    shown = {**step["shown"], "colours": match["shown"]["colours"]}  # type: ignore[index]
    return {"light_home": match["light_home"], "shown": shown}


@review.get("/api/matches")
def matches() -> Response:
    """A part of the list, newest first."""
    return jsonify(replay.matches_shown(_archive().matches(request.args.get("before", type=int))))


@review.get("/api/matches/<int:number>")
def match(number: int) -> Response:
    """One match with all its steps."""
    found = _archive().match(number)
    if request.args.get("known", type=int) == found["entry"]["version"]:
        return Response(status=204)
    return jsonify(replay.match_shown(found))


@review.get("/api/matches/<int:number>/stills/<int:frame>.jpg")
def still(number: int, frame: int) -> Response:
    """A picture of a doubtful moment."""
    return Response(_archive().still(number, frame), mimetype="image/jpeg")


@review.get("/api/matches/<int:number>/files/<name>")
def file(number: int, name: str) -> Response:
    """A file of the match, to be saved."""
    made = _archive().file(number, name)
    response = Response(made.content, mimetype=made.mimetype)
    stem, _, ending = made.name.rpartition(".")
    response.headers["Content-Disposition"] = f'attachment; filename="{stem}-{number}.{ending}"'
    return response


@review.get("/api/matches/<int:number>/analysis")
def analysis(number: int) -> Response:
    """Where the analysis of the match is."""
    return jsonify(_archive().analysis(number))


@review.post("/api/matches/<int:number>/analysis")
def analyse(number: int) -> tuple[Response, int]:
    """The analysis was begun; 202 while it runs."""
    require_referee()
    begun = _archive().analyse(number)
    return jsonify(begun), 202 if begun["state"] == "running" else 200
