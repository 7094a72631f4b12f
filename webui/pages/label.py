"""`/label`: photos with what was read in them, to be put right and saved; a `Labeler` does it.

Its addresses under `/api/label` are for this page alone and not part of the documented API.
"""

from __future__ import annotations

from typing import Any, Final, cast

from apiflask import APIBlueprint
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
from werkzeug.exceptions import NotFound
from werkzeug.wrappers import Response as AnyResponse

from engine.message import message_of
from webui.api.schemas.label import LabelBody, MarkedCornersBody
from webui.contracts.label import BoardLabel, Labeler, LabelRefused, PhotoShown
from webui.http.auth import require_referee
from webui.http.errors import no_board, one_line
from webui.i18n.locale import gettext

label_page: Final = Blueprint("label_page", __name__)
label_api: Final = APIBlueprint("label_api", __name__, enable_openapi=False)
label_page.before_request(require_referee)
label_api.before_request(require_referee)


def install_label(app: Flask, labeler: Labeler) -> None:
    """Make `app` label photos; the page for that is its start page."""
    app.extensions["labeler"] = labeler
    app.jinja_env.globals.update(has_table=False)
    app.register_blueprint(label_page)
    app.register_blueprint(label_api)

    @app.before_request
    def go_to_the_photos() -> AnyResponse | None:
        return redirect("/label") if request.path == "/" else None


def _labeler(number: int = 0) -> Labeler:
    labeler: Labeler = current_app.extensions["labeler"]
    if number >= len(labeler.names()):
        raise NotFound(gettext("there is no such photo"))
    return labeler


@label_api.errorhandler(LabelRefused)
def _refuse(error: LabelRefused) -> Response:
    return one_line(409, message_of(error), request.path)


@label_page.get("/label")
def show() -> str:
    """The page with the first photo that has no label yet."""
    names, labeled = _labeler().names(), _labeler().labeled()
    first = next((n for n in range(len(names)) if n not in labeled), 0)
    return render_template(
        "label.html", state=no_board(), names=names, labeled=labeled, first=first
    )


@label_api.get("/api/label/<record:number>.jpg")
def picture(number: int) -> Response:
    """Get a photo."""
    return Response(_labeler(number).picture(number), mimetype="image/jpeg")


@label_api.get("/api/label/<record:number>")
def photo(number: int) -> Response:
    """Show a photo's label or, without one, what is read in it."""
    return _answer(_labeler(number).show(number))


@label_api.post("/api/label/<record:number>/corners")
@label_api.input(MarkedCornersBody)
def corners(number: int, json_data: MarkedCornersBody) -> Response:
    """Read a photo again, with the board between these corners."""
    marked = [(float(x), float(y)) for x, y in json_data.corners]
    return _answer(_labeler(number).set_corners(number, marked))


@label_api.post("/api/label/<record:number>")
@label_api.input(LabelBody)
def save(number: int, json_data: LabelBody) -> Response:
    """Save a photo's label."""
    labeler = _labeler(number)
    labeler.save(number, cast(BoardLabel, json_data.model_dump()))
    answer: dict[str, Any] = {"labeled": labeler.labeled()}
    return jsonify(answer)


def _answer(shown: PhotoShown) -> Response:
    return jsonify(shown)
