"""`/commentary`: the match in play with its analysis, for the referee and a delayed audience.

The players' page stands beside the board, so nothing of this is ever on it.
"""

from __future__ import annotations

from flask import Blueprint, render_template
from werkzeug.exceptions import Forbidden

from webui.context import released, table_here
from webui.contracts.roles import Visibility
from webui.http.auth import rights
from webui.i18n.locale import gettext
from webui.views.board import as_shown

commentary = Blueprint("commentary", __name__)


@commentary.get("/commentary")
def show() -> str:
    """The board and what has been judged; nobody who could tell the players is let in."""
    sees = rights().sees
    if sees is Visibility.PLAYERS:
        raise Forbidden(gettext("players and viewers see no analysis while the match is in play"))
    state = as_shown(table_here(sees).state(released(sees)))
    return render_template("commentary.html", state=state, sees=sees.value)


def is_judged() -> bool | None:
    """Whether the client is shown an analysis of the match in play; None if it never is."""
    sees = released(rights().sees)
    if sees is Visibility.PLAYERS:
        return None
    return table_here(sees).state(sees)["analysis"] is not None
