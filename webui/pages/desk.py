"""`/desk`: the referee's page, for commands and manual entries."""

from __future__ import annotations

from flask import Blueprint, redirect, render_template
from werkzeug.exceptions import NotFound
from werkzeug.wrappers import Response as AnyResponse

from webui.api.setup import wizard_here
from webui.context import here
from webui.contracts.roles import Visibility
from webui.http.auth import require_referee, rights
from webui.i18n.locale import gettext
from webui.views.board import as_shown
from webui.views.game_options import game_options
from webui.views.place import countries
from webui.views.replay import DOUBTFUL_FROM, SURE_FROM
from webui.views.setup import games, rule_sets

desk_page = Blueprint("desk_page", __name__)


def is_judge() -> bool:
    """Whether the client may enter commands."""
    return here().desk is not None and rights().commands


@desk_page.get("/desk")
def show() -> str | AnyResponse:
    """The desk, rendered with all that the referee may see; the set-up if there is no match yet."""
    require_referee()
    if here().desk is None:
        raise NotFound(gettext("nothing can be entered by hand here: no match is being recorded"))
    wizard, state = wizard_here(), here().table.state(Visibility.EVERYTHING)
    is_set_up = wizard is None or wizard.state()["stage"] == "recording"
    if not is_set_up and state["phase"] == "waiting":
        return redirect("/setup")
    return render_template(
        "desk.html",
        state=as_shown(state),
        variants=games(),
        rule_sets=rule_sets(),
        options=game_options(),
        countries=countries(),
        SURE_FROM=SURE_FROM,
        DOUBTFUL_FROM=DOUBTFUL_FROM,
    )
