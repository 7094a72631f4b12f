"""The play on the board is shown before its turn is over if it is legal beyond doubt."""

from __future__ import annotations

import pytest

from engine import pending_as_known
from engine.evidence.still_period import Motion
from engine.play import Play
from engine.position import Position, Side
from engine.referee import Referee, ReplayableMatch
from engine.rules import SHORT
from engine.rules.legal import apply_play
from engine.ruleset import RULE_SETS, USUAL
from tests.observed_game import OPENING, ObservedGame


class Board(ObservedGame):
    """A room in which the pending play is queried."""

    def __init__(self) -> None:
        self.match = ReplayableMatch(lambda _: Referee(SHORT, light_throws_right=True))
        super().__init__(self.match)

    def show(self, position: Position, dice=(), side=Side.LIGHT, *, hidden=()) -> list[str]:
        """What is recorded when a hand has gone and this is on the board."""
        return [event.type for event in self.observe(position, dice, side, hidden=hidden)]

    @property
    def pending(self) -> tuple[Side, str] | None:
        made = self.match.pending_play()
        return None if made is None else (made.player, made.play)


def after(play: str, before: Position = OPENING, side: Side = Side.LIGHT) -> Position:
    return apply_play(before, side, Play.parse(play), SHORT)


@pytest.fixture
def board() -> Board:
    board = Board()
    board.show(OPENING)
    assert board.pending is None
    board.show(OPENING, (6, 1))
    assert board.pending is None
    return board


def test_a_legal_play_is_pending_while_its_dice_lie_and_recorded_when_they_are_lifted(board):
    moved = after("13/7 8/7")
    assert "play" not in board.show(moved, (6, 1))
    assert board.pending == (Side.LIGHT, "13/7 8/7")
    assert "play" in board.show(moved)
    assert board.pending is None


def test_it_changes_nothing(board):
    moved = after("13/7 8/7")
    board.show(moved, (6, 1))
    before = board.match.state
    assert board.match.pending_play() == board.match.pending_play()
    assert board.match.state is before
    board.show(moved)
    board.show(moved, (2, 1), Side.DARK)
    assert [turn.event.play for turn in board.match.state.turns] == ["13/7 8/7"]


@pytest.mark.parametrize("play", ["13/7", "8/7", "13/7 8/6", "13/8"])
def test_neither_an_illegal_nor_an_unfinished_play_is_pending(board, play):
    board.show(after(play), (6, 1))
    assert board.match.pending_play() is None


def test_a_play_that_is_changed_is_pending_as_it_lies_there_now(board):
    board.show(after("13/7 8/7"), (6, 1))
    board.show(OPENING, (6, 1))
    assert board.pending is None
    board.show(after("24/18 8/7"), (6, 1))
    assert board.pending == (Side.LIGHT, "24/18 8/7")


def test_a_play_in_doubt_is_not_pending(board):
    board.show(after("13/7 8/7"), (6, 1), hidden=tuple(range(1, 14)))
    assert board.pending is None


def test_nothing_is_pending_while_a_hand_is_over_the_board(board):
    board.show(after("13/7 8/7"), (6, 1))
    board.match.observe(Motion(board.clock + 1, board.now.frame + 12))
    assert board.pending is None


def test_the_next_player_has_a_pending_play_after_the_own_roll(board):
    moved = after("13/7 8/7")
    board.show(moved, (6, 1))
    board.show(moved)
    assert "roll" in board.show(moved, (2, 1), Side.DARK)
    assert board.pending is None
    board.show(after("13/11 6/5", moved, Side.DARK), (2, 1), Side.DARK)
    assert board.pending == (Side.DARK, "13/11 6/5")


def test_it_is_kept_from_players_who_may_not_know_whether_it_is_legal(board):
    board.show(after("13/7 8/7"), (6, 1))
    made = board.match.pending_play()
    assert pending_as_known(USUAL, made) is made
    tournaments = [rules for rules in RULE_SETS.values() if not rules.aids]
    assert tournaments
    assert all(pending_as_known(rules, made) is None for rules in tournaments)
