"""What the desk lists and says in narde, where a turn depends on more than the board and the roll."""

import pytest

from engine.ruleset import GameOptions
from tests.tableside.desk.test_whole_games import Players


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
