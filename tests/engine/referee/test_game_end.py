"""How games end: the score, the match, an abandoned game, a draw."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from engine import (
    CELLS,
    Doubled,
    DoubleTaken,
    GameDrawn,
    GameEnd,
    GameStart,
    IllegalMade,
    NotNow,
    Phase,
    PlayMade,
    Referee,
    Resigned,
    Setup,
    Unfinished,
    find_rules,
    fold,
)
from engine.events.match import MatchEnd
from engine.formats.from_events import match_from_events
from engine.formats.mat.read import read_mat
from engine.formats.mat.write import mat_text
from engine.match.prompt import prompt_of
from engine.referee import HistorySearch
from engine.ruleset import find_rule_set
from engine.simulation.board import die
from tests.refereed_board import DARK, EMPTY, LIGHT, OPENING, SHORT, match, three_turns

NARDE = find_rules("narde")
BACKGAMMON = Setup((13, 0, 0, 1, 1, *[0] * 21), (0, 0, 0, 0, 0, 0, 13, *[0] * 17, 2, 0)).checked()
"""Light bears off two; dark has borne off none, with two checkers in light's home."""
SINGLE = Setup((13, 0, 0, 1, 1, *[0] * 21), (1, 14, *[0] * 24)).checked()
AT: dict[str, Any] = {"time": 99.0, "frame": 99}


def last_turn(one):
    one.turn(LIGHT, (6, 4), "4/off 3/off")
    return one


def nearly_won():
    """Light has two checkers left, on its 4 and 3 point."""
    one = match(position=Setup((11, 0, 0, 1, 1, 1, 1, *[0] * 19), SINGLE.dark).checked())
    one.turn(LIGHT, (6, 5), "6/off 5/off")
    one.turn(DARK, (2, 1), "1/off(2)")
    return one


def test_the_points_are_those_of_the_board_times_the_cube():
    one = match(position=BACKGAMMON)
    one.turn(DARK, (2, 1), "6/4 6/5")
    one.enter(Doubled(**AT, player=LIGHT, value=2))
    one.enter(DoubleTaken(**AT, player=DARK))
    last_turn(one)
    (end,) = one.of(GameEnd)
    assert (end.winner, end.points, end.result) == (LIGHT, 6, "backgammon")
    one.check_fold()


def test_the_match_ends_at_its_length_and_no_game_follows():
    one = last_turn(match(position=SINGLE, length=1))
    (over,) = one.of(MatchEnd)
    assert (over.winner, over.score) == (LIGHT, (1, 0))
    one.set_up(OPENING)
    assert len(one.of(GameStart)) == 1
    assert one.state.phase is Phase.OVER
    one.check_fold()


def test_a_match_goes_on_below_its_length_and_the_crawford_game_is_known():
    one = last_turn(match(position=SINGLE, length=2))
    assert one.of(MatchEnd) == []
    one.set_up(OPENING)
    assert (one.of(GameStart)[1].score, one.state.is_crawford) == ((1, 0), True)
    one.check_fold()


def test_a_board_that_has_changed_everywhere_starts_the_next_game_all_the_same():
    one = last_turn(match(position=SINGLE))
    one.board.play(OPENING, observations=1)
    newest = one.board.seen.pop()
    one.board.true_positions.pop()
    one.observe()
    # As compared with the last position of the previous game.
    one.events += one.referee.observe(replace(newest, change=np.full(CELLS, 4.0, np.float32)))
    assert len(one.of(GameStart)) == 2


@pytest.mark.parametrize("board", [OPENING, EMPTY])
def test_a_game_that_is_swept_away_is_asked_for_and_never_guessed(board):
    one = match(length=5)
    three_turns(one)
    one.set_up(board)
    (broken,) = one.of(Unfinished)
    assert broken.game == 1
    assert one.of(GameEnd) == []
    assert len(one.of(PlayMade)) == 3
    assert "who won, and how: single, gammon or backgammon?" in str(prompt_of(one.state))
    assert one.state.score == (0, 0)
    one.check_fold()


@pytest.mark.parametrize("board", [OPENING, EMPTY])
def test_a_roll_whose_only_play_wins_has_won_though_the_play_was_not_seen(board):
    one = nearly_won()
    one.throw((6, 4), LIGHT)
    one.set_up(board)
    made = one.of(PlayMade)[-1]
    assert (made.play, made.review, made.uncertainties) == ("4/off 3/off", True, ("play",))
    (end,) = one.of(GameEnd)
    assert (end.winner, end.points, end.result) == (LIGHT, 1, "single")
    assert one.of(Unfinished) == []
    one.check_fold()


def test_a_winning_play_that_was_not_seen_stays_marked_in_the_next_game():
    one = nearly_won()
    one.referee = HistorySearch(one.referee)
    one.throw((6, 4), LIGHT)
    one.set_up(OPENING)
    three_turns(one)
    assert [turn.event.review for turn in one.state.turns] == [False] * 2 + [True] + [False] * 3


def test_a_roll_that_does_not_win_is_asked_for():
    one = nearly_won()
    one.throw((6, 1), LIGHT)
    one.set_up(OPENING)
    assert (len(one.of(PlayMade)), one.of(GameEnd)) == (2, [])
    assert len(one.of(Unfinished)) == 1


def test_two_observations_of_the_opening_position_break_no_game_off():
    one = match()
    three_turns(one)
    position = one.board.position
    one.set_up(OPENING, observations=2)
    assert one.of(Unfinished) == []
    one.set_up(position, observations=2)
    one.turn(DARK, (6, 5), "24/13")
    assert len(one.of(PlayMade)) == 4
    assert not any(play.review for play in one.of(PlayMade))


def test_a_first_play_that_is_taken_back_breaks_no_game_off():
    one = match()
    one.turn(LIGHT, (3, 1), "8/5 6/5")
    one.set_up(OPENING, observations=6)
    assert one.of(Unfinished) == []


def broken_off():
    one = match(length=5)
    three_turns(one)
    one.set_up(EMPTY)
    assert one.state.phase is Phase.UNFINISHED
    return one


def test_the_answer_may_come_before_the_next_game():
    one = broken_off()
    one.enter(Resigned(**AT, player=DARK, points=2))
    (end,) = one.of(GameEnd)
    assert (end.winner, end.points, end.result, end.game) == (LIGHT, 2, "resign", None)
    assert (one.state.unresolved_games, one.state.score) == ((), (2, 0))
    one.set_up(OPENING)
    assert one.of(GameStart)[1].score == (2, 0)
    one.check_fold()


def test_the_next_game_may_run_while_the_question_is_open():
    one = broken_off()
    one.set_up(OPENING)
    one.turn(DARK, (3, 1), "8/5 6/5")
    assert one.state.phase is Phase.TO_ROLL
    assert str(prompt_of(one.state)) == (
        "Light to roll; game 1 was cut short: who won, and how: single, gammon or backgammon?"
    )
    one.enter(Resigned(**AT, player=LIGHT, points=4))
    assert (one.state.phase, one.state.to_move) == (Phase.TO_ROLL, LIGHT)
    assert (one.state.score, one.state.unresolved_games, one.state.is_crawford) == (
        (0, 4),
        (),
        True,
    )
    one.turn(LIGHT, (4, 2), "8/4 6/4")
    assert len(one.of(PlayMade)) == 5
    one.check_fold()
    games = match_from_events(one.events).games
    assert games[1].result is None
    assert (games[0].result.winner, games[0].result.points) == (DARK, 4)
    assert games[1].score == (0, 4)


def test_a_match_with_a_game_that_was_broken_off_can_be_written():
    one = broken_off()
    one.set_up(OPENING)
    one.turn(DARK, (3, 1), "8/5 6/5")
    match = match_from_events(one.events)
    assert [len(game.actions) for game in match.games] == [3, 1]
    again = read_mat(mat_text(match))
    assert [len(game.actions) for game in again.games] == [3, 1]


def test_a_late_answer_may_end_the_match():
    one = broken_off()
    one.set_up(OPENING)
    one.enter(Resigned(**AT, player=LIGHT, points=6))
    assert [over.winner for over in one.of(MatchEnd)] == [DARK]
    assert one.state.phase is Phase.OVER
    one.check_fold()


def test_the_game_in_play_may_be_resigned():
    one = match(length=5)
    three_turns(one)
    one.enter(Resigned(**AT, player=DARK, points=1))
    assert [(end.winner, end.result) for end in one.of(GameEnd)] == [(LIGHT, "resign")]
    one.set_up(OPENING)
    assert len(one.of(GameStart)) == 2
    assert one.of(Unfinished) == []


def test_what_cannot_be_resigned_is_refused():
    one = match()
    three_turns(one)
    for event in (
        Resigned(**AT, player=DARK, points=0),
        Resigned(**AT, player=DARK, points=1, game=7),
    ):
        with pytest.raises(NotNow):
            one.enter(event)
    one.enter(Resigned(**AT, player=DARK, points=1))
    with pytest.raises(NotNow, match="no game 1"):
        one.enter(Resigned(**AT, player=DARK, points=1))


def test_hands_that_set_the_board_up_give_no_plays():
    one = match()
    three_turns(one)
    one.throw((5, 3), DARK)
    piled = Setup((0, *[0] * 5, 9, *[0] * 13, 6, *[0] * 5), (0, *[0] * 5, 15, *[0] * 19)).checked()
    for board in (piled, EMPTY, piled):
        one.set_up(board, observations=2)
    one.set_up(OPENING, observations=2)
    one.turn(LIGHT, (3, 1), "8/5 6/5")
    assert len(one.of(PlayMade)) == 4
    assert one.of(IllegalMade) == []
    assert [broken.game for broken in one.of(Unfinished)] == [1]
    assert len(one.of(GameStart)) == 2
    one.check_fold()


def test_a_throw_on_the_new_board_does_not_hide_that_it_was_set_up():
    one = match()
    three_turns(one)
    one.board.move_hand()
    one.board.position, one.board.dice = OPENING, (die(3, (0.6, 0.4)), die(1, (0.8, 0.4)))
    one.rest(4)
    one.play(LIGHT, "8/5 6/5")
    one.lift()
    assert [broken.game for broken in one.of(Unfinished)] == [1]
    assert [play.play for play in one.of(PlayMade)][3:] == ["8/5 6/5"]


def test_a_hidden_board_is_not_an_empty_one():
    one = match()
    three_turns(one)
    one.board.move_hand()
    one.board.is_covered = True
    one.rest(6)
    assert one.of(Unfinished) == []


LAST = replace(NARDE, last_roll_draw=True)
NEARLY = Setup((13, 1, 1, *[0] * 23), (13, 1, 1, *[0] * 23), NARDE.opening().course).checked()


def drawn_or_not(roll, play):
    one = match(LAST, NEARLY, rule_set=find_rule_set("narde"))
    one.turn(LIGHT, (2, 1), "2/off 1/off")
    assert one.of(GameEnd) == []
    assert one.state.to_move is DARK
    one.turn(DARK, roll, play)
    return one


def test_the_second_player_of_narde_may_draw_with_his_last_throw():
    one = drawn_or_not((2, 1), "2/off 1/off")
    assert one.of(GameEnd) == []
    assert [drawn.points for drawn in one.of(GameDrawn)] == [1]
    assert (one.state.score, one.state.phase) == ((1, 1), Phase.OVER)
    one.check_fold()


def test_the_second_player_of_narde_may_fail_with_his_last_throw():
    far = Setup((13, 1, 1, *[0] * 23), (11, 4, *[0] * 24), NARDE.opening().course).checked()
    one = match(LAST, far)
    one.turn(LIGHT, (2, 1), "2/off 1/off")
    one.turn(DARK, (2, 1), "1/off 1/off")
    (end,) = one.of(GameEnd)
    assert (end.winner, end.points, end.result) == (LIGHT, 1, "oin")


def test_a_last_throw_that_is_waived_loses():
    one = match(LAST, NEARLY)
    one.turn(DARK, (2, 1), "1/off 2/off")
    one.set_up(NARDE.opening())
    (end,) = one.of(GameEnd)
    assert (end.winner, end.points) == (DARK, 1)


def test_the_second_player_who_finishes_first_owes_nothing():
    one = match(LAST, NEARLY)
    one.turn(LIGHT, (1, 1), "2/1 1/off 1/off")
    assert one.state.phase is Phase.TO_ROLL


def test_a_referee_that_saw_noise_folds_the_same():
    from engine.simulation.board import SimulatedBoard
    from engine.simulation.match import PlayerHabits, play_match
    from engine.simulation.reader_errors import ReaderNoise

    board = SimulatedBoard(np.random.default_rng(3), OPENING, ReaderNoise())
    play_match(board, SHORT, games=2, turns=8, habits=PlayerHabits(rerolls=0.2, illegal=0.1))
    referee = Referee(SHORT, length=3)
    events = [event for seen in board.seen for event in referee.observe(seen)]
    assert fold(events) == referee.state
