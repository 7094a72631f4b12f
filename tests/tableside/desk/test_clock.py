"""A clock that is pressed at the desk: it runs in the record, and sight does not watch it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine import USUAL, NotNow, Roll, Side, TurnEnded
from engine.ruleset import TurnEndRule
from tests.tableside.running_match import after
from webui.contracts.desk import ClockEntered, DeskCommand


def played(sit, **plan):
    """A sitting whose first turn is over."""
    sat = sit(**plan)
    sat.turn(Side.LIGHT, (6, 1), "13/7 8/7")
    return sat


def shown(sat):
    return sat.table.state()["clock"]


def clock_words(sat):
    return {"clock", "clock_stop"} & set(sat.desk.status()["can"])


def test_it_is_set_pressed_stopped_and_put_away(sit):
    sat = played(sit)
    assert shown(sat) is None
    assert "set one under Match" in sat.desk.status()["cannot"]["clock"]
    sat.desk.execute(ClockEntered(840, 815, 12))
    assert shown(sat) == {"light": 840, "dark": 815, "delay": 0, "runs": None}
    assert clock_words(sat) == {"clock"}
    sat.desk.execute(DeskCommand.CLOCK)
    assert shown(sat) == {"light": 840, "dark": 815, "delay": 12, "runs": "dark"}
    sat.desk.execute(DeskCommand.CLOCK)
    assert shown(sat)["runs"] == "light"
    sat.desk.execute(DeskCommand.CLOCK_STOP)
    assert shown(sat)["runs"] is None
    with pytest.raises(NotNow, match="stands already"):
        sat.desk.execute(DeskCommand.CLOCK_STOP)
    sat.desk.execute(ClockEntered(0, 0, 0))
    assert shown(sat) is None


def test_time_passes_as_the_camera_has_it(sit):
    sat = played(sit)
    sat.desk.execute(ClockEntered(840, 840, 0.5))
    sat.desk.execute(DeskCommand.CLOCK)
    sat.board.rest(60)
    sat.show()
    clock = sat.recorder.state.clock.at(sat.sitting._last[0])
    assert clock.left(Side.DARK) < 836
    assert clock.left(Side.LIGHT) == 840


def test_a_turn_that_is_ended_at_the_desk_ends_its_time_too(sit):
    sat = played(sit)
    sat.desk.execute(ClockEntered(840, 840, 12))
    sat.desk.execute(DeskCommand.CLOCK)
    sat.board.throw(Roll(5, 3), Side.DARK)
    sat.board.play(after(sat.board.position, Side.DARK, "8/3 6/3"))
    sat.show()
    sat.desk.execute(DeskCommand.END_TURN)
    assert shown(sat)["runs"] == "light"


def test_where_the_clock_ends_turns_pressing_it_does(sit):
    sat = played(sit, rule_set=replace(USUAL, turn_end=TurnEndRule.CLOCK))
    sat.desk.execute(DeskCommand.END_TURN)
    sat.desk.execute(ClockEntered(840, 840, 12))
    sat.desk.execute(DeskCommand.CLOCK)
    # Nobody has rolled: the clock runs all the same, and no turn is over.
    ended = [one for one in sat.on_disk() if isinstance(one, TurnEnded)]
    sat.board.throw(Roll(5, 3), Side.DARK)
    sat.board.play(after(sat.board.position, Side.DARK, "8/3 6/3"))
    sat.show()
    sat.desk.execute(DeskCommand.CLOCK)
    (by_clock,) = [one for one in sat.on_disk() if isinstance(one, TurnEnded) and one not in ended]
    assert (by_clock.player, by_clock.by) == (Side.DARK, "clock")
    assert shown(sat)["runs"] == "light"


def test_a_pause_is_nobodys_time(sit):
    sat = played(sit)
    sat.desk.execute(ClockEntered(840, 840, 12))
    sat.desk.execute(DeskCommand.CLOCK)
    sat.desk.execute(DeskCommand.PAUSE)
    assert shown(sat)["runs"] is None
    sat.desk.execute(DeskCommand.GO_ON)
    assert shown(sat)["runs"] == "dark"
    sat.desk.execute(DeskCommand.CLOCK_STOP)
    sat.desk.execute(DeskCommand.PAUSE)
    sat.desk.execute(DeskCommand.GO_ON)
    assert shown(sat)["runs"] is None
