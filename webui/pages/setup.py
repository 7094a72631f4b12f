"""The set-up page: from a camera to a match that can begin; a `Wizard` does the work.

Its addresses under `/api/setup` are in `webui.api.setup`. All of it is the referee's.
"""

from __future__ import annotations

from typing import Final

from flask import Blueprint, render_template
from werkzeug.exceptions import NotFound

from webui.api.setup import wizard_here
from webui.contracts.state import blank_state
from webui.http.auth import require_referee
from webui.i18n.locale import N_, gettext
from webui.views.board import as_shown
from webui.views.game_options import game_options
from webui.views.place import countries
from webui.views.setup import games, rule_sets, state_shown

ADDRESSES: Final = (
    ("IP Webcam", "Android", "http://PHONE:8080/video"),
    (N_("IP Webcam, less data"), "Android", "rtsp://PHONE:8080/h264_ulaw.sdp"),
    ("DroidCam", "Android, iPhone", "http://PHONE:4747/video"),
)
"""Apps that turn a phone into a camera, the systems they run on, and the form of their
addresses."""

setup: Final = Blueprint("setup", __name__)


@setup.get("/setup")
def page() -> str:
    """The wizard in its current state."""
    require_referee()
    wizard = wizard_here()
    if wizard is None:
        raise NotFound(
            gettext(
                "there is nothing to set up: this match already has a camera; start `tableside "
                "live` without --camera to choose one here"
            )
        )
    state = state_shown(wizard.state())
    return render_template(
        "setup.html",
        setup=state,
        state=as_shown(blank_state()),
        addresses=[(gettext(app), runs_on, address) for app, runs_on, address in ADDRESSES],
        variants=games(),
        rule_sets=rule_sets(),
        options=game_options(),
        countries=countries(),
    )
