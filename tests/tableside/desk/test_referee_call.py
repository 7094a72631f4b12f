"""A player calls the referee from the page, and the record says so."""

from __future__ import annotations

import pytest

from engine import NotNow, RefereeCalled, RefereeCame, Side
from tableside.match.config import MatchPlace
from webui.contracts.desk import DeskCommand, PlaceEntered, SeatCommand
from webui.contracts.state import NO_PLACE, PlaceShown


def calls(running):
    return [one for one in running.on_disk() if isinstance(one, RefereeCalled | RefereeCame)]


def test_a_player_calls_in_either_turn_and_the_referee_answers(start):
    running = start()
    running.turn(Side.LIGHT, (6, 1), "13/7 8/7")
    assert running.table.state()["call"] is None
    running.desk.execute(SeatCommand(Side.LIGHT, DeskCommand.CALL_REFEREE))  # dark is on turn
    assert running.table.state()["call"] == {"player": "light", "contests": False}
    with pytest.raises(NotNow, match="already"):
        running.desk.execute(SeatCommand(Side.DARK, DeskCommand.CALL_REFEREE))
    running.desk.execute(DeskCommand.REFEREE_CAME)
    assert running.table.state()["call"] is None
    with pytest.raises(NotNow, match="nobody has called"):
        running.desk.execute(DeskCommand.REFEREE_CAME)
    called, came = calls(running)
    assert (called.player, type(came)) == (Side.LIGHT, RefereeCame)


def test_a_call_does_not_come_between_a_double_and_its_answer(start):
    running = start()
    running.turn(Side.LIGHT, (6, 1), "13/7 8/7")
    running.desk.execute(DeskCommand.DOUBLE)
    running.desk.execute(DeskCommand.CALL_REFEREE)
    running.desk.execute(DeskCommand.TAKE)
    assert running.desk.status()["cube"]["owner"] == "light"


def test_the_record_says_once_where_the_match_is_played(start):
    running = start(place=MatchPlace("Spring Open", "3", "12"))
    running.turn(Side.LIGHT, (6, 1), "13/7 8/7")
    known = {**NO_PLACE, "event": "Spring Open", "round": "3", "table": "12"}
    assert running.table.state()["place"] == known
    assert [one.type for one in running.on_disk()].count("placed") == 1
    changed: PlaceShown = {**NO_PLACE, "round": "Final", "dark_country": "JP"}
    running.desk.execute(PlaceEntered(changed))
    assert running.table.state()["place"] == changed
