"""What a player says at the table: each of the two only for the own side."""

from __future__ import annotations

from typing import Final

from apiflask import APIBlueprint
from flask import Response, jsonify
from werkzeug.exceptions import NotFound

from webui.api.schemas import common as answers
from webui.context import here
from webui.contracts.desk import Desk, DeskCommand, SeatCommand
from webui.http.auth import require_seat
from webui.http.errors import NOWHERE, REFUSED_RESPONSES, WHY_NOT
from webui.i18n.locale import gettext

seat: Final = APIBlueprint("seat", __name__, tag="The players")


def _desk() -> Desk:
    found = here().desk
    if found is None:
        raise NotFound(gettext("nothing can be entered by hand here: no match is being recorded"))
    return found


@seat.get("/api/seat")
@seat.output(answers.SeatAnswer, description="What this player can say now.")
@seat.doc(responses={**REFUSED_RESPONSES, **NOWHERE})
def status() -> Response:
    """Show what the player can say now."""
    player = require_seat()
    return jsonify(_desk().seat(player))


@seat.post("/api/seat/word")
@seat.input(answers.SeatBody)
@seat.output(answers.SeatAnswer, description="It is in the record; what can be said next.")
@seat.doc(responses={**REFUSED_RESPONSES, **NOWHERE, **WHY_NOT})
def say(json_data: answers.SeatBody) -> Response:
    """Answer an illegal play, roll the cup, double, take or drop, each in the own turn."""
    player, desk = require_seat(), _desk()
    desk.execute(SeatCommand(player, DeskCommand(json_data.word)))
    here().metrics.commands.labels("done").inc()
    return jsonify(desk.seat(player))
