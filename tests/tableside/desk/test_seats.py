"""What the two players may say of a running match, each for the own side."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine import NotNow, Side
from engine.events.match import PlayAccepted, PlayRejected
from engine.ruleset import USUAL, AcceptanceRule, Audience
from webui.contracts.desk import SEAT_COMMANDS, DeskCommand, SeatCommand

CALL = {"call_referee"}
HIDDEN = pytest.mark.parametrize("audience", [Audience.REFEREE, Audience.AFTER])


def can(running, side):
    return set(running.desk.seat(side)["can"])


def say(running, side, word):
    running.desk.execute(SeatCommand(side, word))


def test_only_the_opponent_answers_an_illegal_play(start):
    running = start()
    running.turn(Side.LIGHT, (6, 1), "13/7 8/6")
    assert {"accept", "reject"} <= can(running, Side.DARK)
    assert can(running, Side.LIGHT) == CALL
    for word in set(SEAT_COMMANDS) - {DeskCommand.CALL_REFEREE}:
        with pytest.raises(NotNow):
            say(running, Side.LIGHT, word)
    say(running, Side.DARK, DeskCommand.REJECT)
    assert isinstance(running.on_disk()[-1], PlayRejected)


def test_an_illegal_play_is_let_stand_from_the_own_seat(start):
    running = start()
    running.turn(Side.LIGHT, (6, 1), "13/7 8/6")
    say(running, Side.DARK, DeskCommand.ACCEPT)
    assert [one.player for one in running.on_disk() if isinstance(one, PlayAccepted)] == [Side.DARK]


def test_a_double_is_offered_and_answered_each_from_its_seat(start):
    running = start()
    running.turn(Side.LIGHT, (6, 1), "13/7 8/7")
    assert (can(running, Side.LIGHT), can(running, Side.DARK)) == (CALL, CALL | {"double"})
    say(running, Side.DARK, DeskCommand.DOUBLE)
    assert (can(running, Side.LIGHT), can(running, Side.DARK)) == (CALL | {"take", "drop"}, CALL)
    with pytest.raises(NotNow, match="opponent's turn"):
        say(running, Side.DARK, DeskCommand.TAKE)
    say(running, Side.LIGHT, DeskCommand.TAKE)
    assert running.desk.status()["cube"]["owner"] == "light"


@HIDDEN
def test_where_an_illegal_play_is_not_announced_a_seat_cannot_find_it_out(start, audience):
    """What it can say, and why not the rest, is the same after a legal play and an illegal one."""
    for acceptance in (AcceptanceRule.EITHER, AcceptanceRule.NEXT_PLAY_COMPLETE):
        rules = replace(USUAL, announce=audience, acceptance_event=acceptance)
        seen = []
        for play in ("13/7 8/7", "13/7 8/6"):
            running = start(rule_set=rules)
            running.turn(Side.LIGHT, (6, 1), play)
            seen.append([running.desk.seat(side) for side in Side])
            running.close()
        legal, illegal = seen
        assert illegal == legal
        assert not {"accept", "reject"} & {word for one in legal for word in one["can"]}


@HIDDEN
def test_a_seat_does_not_answer_what_it_was_not_told(start, audience):
    running = start(rule_set=replace(USUAL, announce=audience))
    running.turn(Side.LIGHT, (6, 1), "13/7 8/6")
    for word in (DeskCommand.ACCEPT, DeskCommand.REJECT):
        with pytest.raises(NotNow, match="only the referee"):
            say(running, Side.DARK, word)
    assert not running.recorder.state.turns[0].rejected
