"""The Flask application: its pages and the assembly of all its parts."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final

from apiflask import APIBlueprint, APIFlask
from flask import Blueprint, Flask, Response, render_template
from flask.sansio import blueprints

from webui import context
from webui.api.logos import logos as logo_api
from webui.api.setup import setup_api
from webui.api.state import install_api
from webui.context import (
    AppContext,
    endless,
    gone,
    install_serving,
    live_visibility,
    table_here,
)
from webui.contracts.desk import Desk
from webui.contracts.logos import Logos
from webui.contracts.phone import MOST_BYTES as PHONE_BYTES
from webui.contracts.phone import PhoneCamera
from webui.contracts.roles import Visibility
from webui.contracts.setup import Wizard
from webui.contracts.state import LiveBoard
from webui.http.auth import COMMAND_RATE, install_access, new_limiter, refuse_forged
from webui.http.compression import install_gzip
from webui.http.converters import RecordNumber, TurnNumber
from webui.http.js_bundle import scripts
from webui.http.metrics import Metrics
from webui.http.passwords import Passwords
from webui.http.security import LOCAL_HOSTS, install_guard
from webui.http.stream_links import StreamLinks
from webui.i18n.locale import install_language
from webui.i18n.messages import MessageJSON, finalized
from webui.pages.commentary import commentary, is_judged
from webui.pages.desk import desk_page, is_judge
from webui.pages.overlay import overlay
from webui.pages.phone import PHONE_HEADERS, phone_page
from webui.pages.setup import setup
from webui.pages.share import install_share, share_api
from webui.streaming.delay import StateHistory
from webui.streaming.sse import BOUNDARY, OpenStreams, picture_parts
from webui.views import geometry
from webui.views import phrases as words
from webui.views.board import as_shown

STREAMS: Final = 520
"""Streams open at once; `webui.server` adds a thread for each that is open."""
MOST_BYTES: Final = 32 * 1024
"""The size limit of a request; the longest command takes a few hundred bytes."""

pages: Final = Blueprint("pages", __name__)


class _Site(APIFlask):
    """A site whose plain blueprints may check requests too.

    Of each blueprint that does, APIFlask asks whether its routes are documented.
    """

    def register_blueprint(self, blueprint: blueprints.Blueprint, **options: Any) -> None:
        """Add the routes of a blueprint; those of a plain one are not documented."""
        if not isinstance(blueprint, APIBlueprint):
            blueprint.enable_openapi = False  # type: ignore[attr-defined]
        super().register_blueprint(blueprint, **options)


def create_app(
    table: LiveBoard,
    *,
    desk: Desk | None = None,
    hosts: Collection[str] = LOCAL_HOSTS,
    streams: int = STREAMS,
    passwords: Passwords | None = None,
    metrics: Metrics | None = None,
    any_address: bool = False,
    wizard: Wizard | None = None,
    least_delay: float = 0.0,
    links: StreamLinks | None = None,
    logos: Logos | None = None,
) -> Flask:
    """Create the page of `table`, which responds only to the host names in `hosts`.

    `desk` takes manual entries. With `passwords` everyone logs in first; without, everyone is the
    referee. `any_address`: whether every IP address is accepted as a host name too. `wizard` sets
    up a match; viewers are at least `least_delay` seconds behind. `links`: the tokens
    that open the overlay. `logos` keeps the logos of tournaments.
    """
    app = _Site(
        __name__,
        title="Tableside",
        spec_path="/api/openapi.json",
        docs_path=None,
        json_errors=False,
    )
    metrics = metrics or Metrics()
    serving = AppContext(
        table,
        desk,
        OpenStreams(streams, metrics),
        metrics,
        StateHistory(table),
        StateHistory(table, visibility=Visibility.AUDIENCE),
        least_delay=least_delay,
    )
    install_serving(app, serving)
    app.url_map.converters.update(turn=TurnNumber, record=RecordNumber)
    app.config["MAX_CONTENT_LENGTH"] = MOST_BYTES
    app.json = MessageJSON(app)
    app.jinja_env.finalize = finalized
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    app.jinja_env.globals.update(
        board=geometry, words=words, is_judge=is_judge, is_judged=is_judged
    )
    install_gzip(app)
    # The guard comes first: requests for a foreign host name are not even counted.
    install_guard(app, hosts, any_address=any_address)
    install_language(app)
    limiter = new_limiter(app)
    install_access(app, passwords, links)
    install_api(app, limiter)
    app.register_blueprint(pages)
    app.register_blueprint(scripts)
    app.register_blueprint(overlay)
    app.register_blueprint(desk_page)
    app.register_blueprint(commentary)
    limiter.limit(COMMAND_RATE, methods=["POST"])(share_api)
    install_share(app)
    limiter.limit(COMMAND_RATE, methods=["POST"])(setup_api)
    app.register_blueprint(setup)
    app.register_blueprint(setup_api)
    app.extensions["logos"] = logos
    limiter.limit(COMMAND_RATE, methods=["POST"])(logo_api)
    app.register_blueprint(logo_api)
    app.extensions["wizard"] = wizard
    if wizard is not None:
        app.extensions["other_sessions"].append(wizard.send_phone_away)
    app.jinja_env.globals.update(has_wizard=wizard is not None, least_delay=context.least_delay)
    return app


def create_phone_app(phone: PhoneCamera, hosts: Collection[str]) -> Flask:
    """Create the camera page of a phone, which responds to `hosts` and to every IP address."""
    app = Flask(__name__)
    app.extensions["phone"] = phone
    app.config["MAX_CONTENT_LENGTH"] = PHONE_BYTES
    app.json = MessageJSON(app)
    app.jinja_env.finalize = finalized
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    install_gzip(app)
    install_guard(app, hosts, any_address=True, headers=PHONE_HEADERS)
    install_language(app)
    app.before_request(refuse_forged)
    app.register_blueprint(scripts)
    app.register_blueprint(phone_page)
    return app


@pages.get("/")
def index() -> str:
    """Show the page, rendered with the newest state that it may show."""
    sees = live_visibility()
    state = as_shown(table_here(sees).state(sees))
    return render_template("live.html", state=state, sees=sees.value)


@pages.get("/tv")
def television() -> str:
    """Show the match for a television in the hall: large, with what players may see."""
    return render_template("tv.html", state=as_shown(table_here().state()))


@pages.get("/camera.jpg")
def picture() -> Response:
    """Get the newest picture; 204 if there is none yet."""
    jpeg = table_here().picture()
    return Response(status=204) if jpeg is None else Response(jpeg, mimetype="image/jpeg")


@pages.get("/camera.mjpg")
def pictures() -> Response:
    """Stream all pictures as they arrive, for video players."""
    kind = f"multipart/x-mixed-replace; boundary={BOUNDARY}"
    return endless(picture_parts(table_here(), gone()), kind)
