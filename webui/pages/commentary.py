"""`/commentary`: the match in play with its analysis, for the referee and a delayed audience.

The players' page stands beside the board, so nothing of this is ever on it.
"""

from __future__ import annotations

from flask import Blueprint, render_template
from werkzeug.exceptions import Forbidden

from webui.context import here, least_delay, released, shown_late
from webui.contracts.roles import Visibility
from webui.http.auth import rights
from webui.i18n.locale import gettext
from webui.views.board import as_shown

commentary = Blueprint("commentary", __name__)


@commentary.get("/commentary")
def show() -> str:
    """The board and what has been judged; nobody who could tell the players is let in."""
    sees, delay = rights().sees, least_delay()
    if sees is Visibility.PLAYERS:
        raise Forbidden(gettext("players and viewers see no analysis while the match is in play"))
    table = shown_late(delay, sees) if delay else here().table
    state = as_shown(table.state(released(sees)))
    return render_template("commentary.html", state=state, sees=sees.value)
