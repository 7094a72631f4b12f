"""To whom an illegal play is announced."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from engine import USUAL, GameEnd, GameStart, IllegalMade, Phase, PlayRejected, Side, as_known, fold
from engine.match.prompt import prompt_of
from engine.rules import SHORT
from engine.ruleset import Audience

OPENING = SHORT.opening()
AT: dict[str, Any] = {"time": 1.0, "frame": 1}
WRONG = IllegalMade(
    **AT, player=Side.LIGHT, dice=(3, 1), play="8/3", position=OPENING, rule="no five", review=True
)
REJECTED = PlayRejected(**AT, player=Side.DARK)
END = GameEnd(**AT, winner=Side.DARK, points=1, result="resign")
NOBODY = [Audience.REFEREE, Audience.AFTER]


def start(announce):
    return GameStart(**AT, position=OPENING, rule_set=replace(USUAL, announce=announce))


def known(announce, *events):
    return as_known(fold((start(announce), *events)))


@pytest.mark.parametrize("announce", [Audience.BOTH, Audience.OPPONENT])
def test_an_illegal_play_is_announced_to_the_players(announce):
    state = known(announce, WRONG)
    assert (state.phase, state.turns[0].event) == (Phase.DISPUTED, WRONG)
    assert (
        str(prompt_of(state))
        == "illegal play: Dark may roll to accept it, or ask for it to be replayed"
    )


@pytest.mark.parametrize("announce", NOBODY)
def test_an_unannounced_illegal_play_looks_legal(announce):
    real = fold((start(announce), WRONG))
    state = as_known(real)
    (turn,) = state.turns
    assert (turn.event.type, turn.event.play, turn.event.legal, turn.event.review) == (
        "play",
        "8/3",
        True,
        False,
    )
    assert state.phase is Phase.TO_ROLL
    assert str(prompt_of(real)) == str(prompt_of(state)) == "Dark to roll"
    assert real.turns[0].event == WRONG


@pytest.mark.parametrize("announce", NOBODY)
def test_a_rejected_play_is_no_secret(announce):
    assert known(announce, WRONG, REJECTED).turns[0].event == WRONG


def test_an_illegal_play_is_announced_after_the_game_where_the_rules_say_so():
    for events in ((WRONG, END), (WRONG, END, start(Audience.AFTER))):
        assert known(Audience.AFTER, *events).turns[0].event == WRONG
    assert known(Audience.REFEREE, WRONG, END).turns[0].event.legal
