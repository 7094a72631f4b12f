"""A clock that is pressed at the desk: it runs in the record, unseen by the camera."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine import USUAL, NotNow, Roll, Side, TurnEnded
from engine.match.corrections import PlayChosen
from engine.ruleset import TurnEndRule
from tableside.match.config import MatchPlace
from tests.tableside.running_match import after
from webui.contracts.desk import ClockEntered, DeskCommand


def played(start, **config):
    """A match whose first turn is over."""
    running = start(**config)
    running.turn(Side.LIGHT, (6, 1), "13/7 8/7")
    return running


def shown(running):
    return running.table.state()["clock"]


def clock_commands(running):
    return {"clock", "clock_stop"} & set(running.desk.status()["can"])


def test_it_is_set_pressed_stopped_and_put_away(start):
    running = played(start)
    assert shown(running) is None
    assert "set one under Match" in str(running.desk.status()["cannot"]["clock"])
    running.desk.execute(ClockEntered(840, 815, 12))
    assert shown(running) == {"light": 840, "dark": 815, "delay": 0, "runs": None}
    assert clock_commands(running) == {"clock"}
    running.desk.execute(DeskCommand.CLOCK)
    assert shown(running) == {"light": 840, "dark": 815, "delay": 12, "runs": "dark"}
    running.desk.execute(DeskCommand.CLOCK)
    assert shown(running)["runs"] == "light"
    running.desk.execute(DeskCommand.CLOCK_STOP)
    assert shown(running)["runs"] is None
    with pytest.raises(NotNow, match="already stopped"):
        running.desk.execute(DeskCommand.CLOCK_STOP)
    running.desk.execute(ClockEntered(0, 0, 0))
    assert shown(running) is None


def test_time_passes_as_the_camera_has_it(start):
    running = played(start)
    running.desk.execute(ClockEntered(840, 840, 0.5))
    running.desk.execute(DeskCommand.CLOCK)
    running.board.rest(60)
    running.show()
    clock = running.recorder.state.clock.at(running.live.timeline.newest.time)
    assert clock.left(Side.DARK) < 836
    assert clock.left(Side.LIGHT) == 840


def test_a_turn_that_is_ended_at_the_desk_ends_its_time_too(start):
    running = played(start)
    running.desk.execute(ClockEntered(840, 840, 12))
    running.desk.execute(DeskCommand.CLOCK)
    running.board.throw(Roll(5, 3), Side.DARK)
    running.board.play(after(running.board.position, Side.DARK, "8/3 6/3"))
    running.show()
    running.desk.execute(DeskCommand.END_TURN)
    assert shown(running)["runs"] == "light"


def test_where_the_clock_ends_turns_pressing_it_does(start):
    running = played(start, rule_set=replace(USUAL, turn_end=TurnEndRule.CLOCK))
    running.desk.execute(DeskCommand.END_TURN)
    running.desk.execute(ClockEntered(840, 840, 12))
    running.desk.execute(DeskCommand.CLOCK)
    # Nobody has rolled: the clock runs nevertheless, and no turn is over.
    ended = [one for one in running.on_disk() if isinstance(one, TurnEnded)]
    running.board.throw(Roll(5, 3), Side.DARK)
    running.board.play(after(running.board.position, Side.DARK, "8/3 6/3"))
    running.show()
    running.desk.execute(DeskCommand.CLOCK)
    (by_clock,) = [
        one for one in running.on_disk() if isinstance(one, TurnEnded) and one not in ended
    ]
    assert (by_clock.player, by_clock.by) == (Side.DARK, "clock")
    assert shown(running)["runs"] == "light"


def test_a_pause_is_nobodys_time(start):
    running = played(start)
    running.desk.execute(ClockEntered(840, 840, 12))
    running.desk.execute(DeskCommand.CLOCK)
    running.desk.execute(DeskCommand.PAUSE)
    assert clock_commands(running) == set()
    with pytest.raises(NotNow, match="play is paused"):
        running.desk.execute(DeskCommand.CLOCK)
    assert shown(running)["runs"] is None
    running.desk.execute(DeskCommand.GO_ON)
    assert shown(running)["runs"] == "dark"
    running.desk.execute(DeskCommand.CLOCK_STOP)
    running.desk.execute(DeskCommand.PAUSE)
    running.desk.execute(DeskCommand.GO_ON)
    assert shown(running)["runs"] is None


def test_what_was_entered_before_the_board_was_found_counts_in_a_correction(start):
    running = played(start, place=MatchPlace("Open"))
    running.desk.execute(PlayChosen(1, "24/18 8/7"))
    state = running.recorder.state
    assert (state.place.event, state.games, running.plays) == ("Open", 1, ["24/18 8/7"])
    assert running.live._session.state.event_count == state.event_count
