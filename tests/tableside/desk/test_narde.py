"""What the desk lists and says in narde, where a turn depends on more than board and roll."""

from typing import Any

import pytest

from engine import Side
from engine.errors import IllegalPlay, NotNow
from engine.match.corrections import PlayChosen, RollFixed
from engine.ruleset import GameOptions
from tableside.site.page_state import match_part
from tests.engine.rules.test_narde import pos
from tests.tableside.desk.test_whole_games import Players
from webui.contracts.desk import Resignation
from webui.contracts.state import blank_state
from webui.views.announcements import headline


def begun(variant, **options):
    players = Players(1, GameOptions(variant, **options))
    players.ask("/word", word="begin_game")
    players.ask("/roll", dice=[3, 2])
    return players


def listed(players):
    return [one["play"] for one in players.ask("/plays")["plays"]]


@pytest.mark.parametrize(
    ("first", "plays"), [((5, 3), ["24/9"]), ((6, 2), ["24/14(2)", "24/19 24/9"])]
)
def test_the_replies_that_are_listed_fit_the_opponents_first_roll(first, plays):
    """A 5-5 may take two from the head after a 6-2 only; both rolls lead to one board."""
    players = begun("narde", preset="classic002")
    players.ask("/roll", dice=list(first))
    players.ask("/play", play="24/16")
    players.ask("/roll", dice=[5, 5])
    assert listed(players) == plays
    players.ask("/play", play=plays[0])
    assert players.state.turns[-1].event.legal
    again = players.desk.legal_plays(2, None)
    assert ([one["play"] for one in again], again[0]["played"]) == (plays, True)
    reply = players.desk.turn(2)
    assert [one["dice"] for one in reply["rolls"] if one["explains"]] == [[5, 5]]


LEAVING = pos("light 12:1 11:1 2:1 1:1 off:11 | dark 20:1 19:1 18:1 2:3 1:9")
"""Dark plays two sixes and leaves two to light."""


def left_over():
    players = begun("khachapuri")
    light, dark = list(LEAVING.light), list(LEAVING.dark)
    players.ask("/position", light=light, dark=dark, to_move="dark")
    players.ask("/roll", dice=[6, 6])
    players.ask("/play", play="18/6")
    return players


def test_who_has_moves_left_over_to_play_is_told_them_and_not_to_roll():
    players = left_over()
    told = "Ann to play what is left over: 6, 6"
    assert players.ask("")["message"] == told
    shown: Any = blank_state()
    shown.update(match_part(players.state, players.desk.events))
    shown["phase"] = "playing"
    with players.client.application.test_request_context():
        assert (shown["leftover"], headline(shown)) == ([6, 6], told)
    players.ask("/play", play=listed(players)[0])
    assert players.ask("")["message"] == "Ann to roll"


def test_a_turn_that_moved_what_was_left_over_is_corrected_only_to_moves_of_that():
    players = left_over()
    players.ask("/play", play="12/6 11/5")
    players.ask("/roll", dice=[2, 1])
    players.ask("/play", play="6/4 5/4")
    before = players.state.turns
    (only,) = players.desk.legal_plays(2, None)
    assert (only["play"], only["played"]) == ("12/6 11/5", True)
    assert not any(one["explains"] for one in players.desk.turn(2)["rolls"])
    with pytest.raises(IllegalPlay, match="12/11 is not what was left over"):
        players.desk.execute(PlayChosen(2, "12/11"))
    with pytest.raises(NotNow, match="turn 2 has no roll: it moved what was left over"):
        players.desk.execute(RollFixed(2, (2, 1)))
    assert players.state.turns == before
    players.desk.execute(PlayChosen(2, "12/6 11/5"))
    assert [turn.event.play for turn in players.state.turns] == ["18/6", "12/6 11/5", "6/4 5/4"]


def test_after_a_resignation_nothing_is_left_over_to_play():
    players = left_over()
    players.desk.execute(Resignation(player=Side.LIGHT, times=1))
    assert players.ask("")["telling"]["play"] == "nobody has rolled yet"
    assert players.state.leftover == ()
