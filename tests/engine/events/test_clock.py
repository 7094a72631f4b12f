"""What the record makes of a clock that is set, pressed and stopped."""

from __future__ import annotations

import pytest

from engine import GameEnd, MatchState, Side
from engine.events.clock import Clock, ClockSet, ClockTurned
from engine.events.match import GameStart
from engine.events.record import Corrected
from engine.match.fold import fold
from engine.rules import SHORT

LIGHT, DARK = Side.LIGHT, Side.DARK


def at(time):
    return {"time": float(time), "frame": int(time * 12)}


def turned(time, runs):
    return ClockTurned(**at(time), runs=runs)


START = GameStart(**at(0), position=SHORT.opening())
SET = ClockSet(**at(1), light=100.0, dark=100.0, delay=12.0)


def clock(*events) -> Clock:
    made = fold([START, SET, *events]).clock
    assert made is not None
    return made


def test_no_clock_is_used_before_it_is_set_or_once_it_is_set_to_zero():
    assert MatchState().clock is None
    assert fold([START, turned(5, LIGHT)]).clock is None
    assert clock().left(LIGHT) == clock().at(999).left(LIGHT) == 100
    assert fold([START, SET, ClockSet(**at(2), light=0.0, dark=0.0)]).clock is None


def test_only_time_beyond_the_delay_is_taken_off_the_reserve():
    quick = clock(turned(10, LIGHT), turned(22, DARK))
    assert (quick.runs, quick.left(LIGHT), quick.spare) == (DARK, 100, 12)
    slow = clock(turned(10, LIGHT), turned(40, DARK)).at(47)
    assert (slow.left(LIGHT), slow.left(DARK), slow.spare) == (82, 100, 5)


def test_a_reserve_never_falls_below_zero():
    assert clock(turned(10, LIGHT)).at(500).left(LIGHT) == 0


def test_an_interrupted_turn_keeps_the_rest_of_its_delay():
    stopped = clock(turned(10, LIGHT), turned(15, None))
    assert (stopped.runs, stopped.at(900).spare) == (None, 7)
    again = clock(turned(10, LIGHT), turned(15, None), turned(100, LIGHT)).at(110)
    assert (again.left(LIGHT), again.spare) == (97, 0)


def test_a_clock_stops_between_games_and_the_next_turn_has_its_whole_delay():
    over = clock(turned(10, LIGHT), GameEnd(**at(30), winner=LIGHT, points=1, result="single"))
    assert (over.runs, over.at(99).left(LIGHT)) == (None, 92)
    again = fold([
        START, SET, turned(10, LIGHT), GameEnd(**at(30), winner=LIGHT, points=1, result="single"),
        START, turned(60, LIGHT),
    ]).clock  # fmt: skip
    assert again is not None
    assert (again.left(LIGHT), again.spare) == (92, 12)


def test_a_correction_also_takes_back_clock_presses():
    cut = Corrected(**at(50), keep=3)
    assert clock(turned(10, LIGHT), turned(40, DARK), cut).runs is LIGHT


@pytest.mark.parametrize("early", [0, 9])
def test_no_time_is_returned_where_events_are_recorded_late(early):
    assert clock(turned(10, LIGHT), turned(early, DARK)).left(LIGHT) == 100
