"""`/share`: how others watch: a link for viewers, the overlay's address, and links for streams."""

from __future__ import annotations

from typing import Final

from apiflask import APIBlueprint
from flask import Blueprint, Flask, Response, current_app, jsonify, render_template, request
from werkzeug.exceptions import Conflict, NotFound

from webui.api.schemas.share import StreamLinkBody, StreamLinksAnswer
from webui.http.auth import (
    asks_for_passwords,
    require_password_again,
    require_referee,
    stream_links,
)
from webui.http.errors import REFUSED_RESPONSES, no_board
from webui.http.security import host_name, is_loopback
from webui.i18n.locale import N_, gettext
from webui.pages.overlay import PARTS, POSITIONS, USUAL_PARTS

PART_NAMES: Final = {
    "board": N_("Board"),
    "dice": N_("Dice"),
    "cube": N_("Cube"),
    "score": N_("Score"),
    "pips": N_("Pip counts"),
    "flag": N_("Illegal plays and other notices"),
    "names": N_("Names"),
    "last": N_("Last play"),
    "clock": N_("Clock"),
    "study": N_("Take points and effective pips"),
    "chances": N_("Chances and errors"),
    "event": N_("Tournament and logo"),
}
POSITION_NAMES: Final = {
    "top-left": N_("top left"),
    "top": N_("top"),
    "top-right": N_("top right"),
    "left": N_("left"),
    "center": N_("center"),
    "right": N_("right"),
    "bottom-left": N_("bottom left"),
    "bottom": N_("bottom"),
    "bottom-right": N_("bottom right"),
}
SIZES: Final = ((1280, 720), (1920, 1080), (2560, 1440), (3840, 2160))
REFUSED: Final = {**REFUSED_RESPONSES, 404: "There is no such link."}

share_page: Final = Blueprint("share_page", __name__)
share_api: Final = APIBlueprint("share_api", __name__, tag="Sharing")


@share_page.before_request
@share_api.before_request
def _for_the_referee() -> None:
    require_referee()


def install_share(app: Flask) -> None:
    """Add the page and its addresses; `app.extensions["public_address"]` is what others open."""
    app.extensions.setdefault("public_address", None)
    app.register_blueprint(share_page)
    app.register_blueprint(share_api)


@share_page.get("/share")
def page() -> str:
    """The page, with the address that others can open."""
    address = _address()
    return render_template(
        "share.html",
        state=no_board(),
        address=address,
        code=None if address is None else _code(address),
        needs_links=asks_for_passwords(),
        links=_listed(),
        parts_shown=[(part, gettext(PART_NAMES[part]), part in USUAL_PARTS) for part in PARTS],
        positions=[(one, gettext(POSITION_NAMES[one])) for one in POSITIONS],
        sizes=SIZES,
    )


def _address() -> str | None:
    """The page's address for other people; None where only this machine can open it."""
    name = host_name(request.host) or ""
    return request.host_url if not is_loopback(name) else current_app.extensions["public_address"]


def _code(address: str) -> str:
    import segno

    return segno.make(address, error="m").svg_data_uri(scale=5, border=2)


def _listed() -> list[dict[str, str]]:
    return [{"id": link.id, "name": link.name} for link in stream_links().listed()]


@share_api.get("/api/share/links")
@share_api.output(StreamLinksAnswer, description="The links.")
@share_api.doc(responses=REFUSED_RESPONSES)
def links() -> Response:
    """List the links that open the overlay."""
    return jsonify(links=_listed())


@share_api.post("/api/share/links")
@share_api.input(StreamLinkBody)
@share_api.output(StreamLinksAnswer, description="The links, and the token of the new one.")
@share_api.doc(responses={**REFUSED_RESPONSES, 409: "There are too many.", 415: "It is no JSON."})
def make_link(json_data: StreamLinkBody) -> Response:
    """Make a link that opens the overlay without a password; asks for the referee's again."""
    require_password_again()
    token = stream_links().make(json_data.name)
    if token is None:
        raise Conflict(gettext("there are too many links: withdraw one first"))
    return jsonify(links=_listed(), token=token)


@share_api.post("/api/share/links/<link>/withdraw")
@share_api.output(StreamLinksAnswer, description="Those that are left.")
@share_api.doc(responses=REFUSED)
def withdraw(link: str) -> Response:
    """Withdraw a link: whoever watches with it no longer does."""
    if not stream_links().withdraw(link):
        raise NotFound(gettext("there is no such link"))
    return jsonify(links=_listed())
