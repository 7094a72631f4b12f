"""What players do that no rule foresees: each has its event, and no play is recorded silently."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine import (
    DiceRolled,
    DiceVoid,
    Doubled,
    GameStart,
    IllegalMade,
    OpeningRolled,
    Phase,
    PlayMade,
    PrematureRoll,
    Referee,
    Resigned,
    Resumed,
    Setup,
    SetUpError,
    Surface,
    TakenBack,
    Unfinished,
)
from engine.formats.from_events import match_from_events
from engine.match.prompt import prompt_of
from engine.referee.set_up_errors import MIN_ERROR_OBSERVATIONS
from engine.ruleset import find_rule_set
from engine.simulation.board import SimulatedBoard, die
from engine.simulation.reader_errors import ReaderNoise
from tests.refereed_board import DARK, EMPTY, LIGHT, OPENING, SHORT, Match, match, three_turns


def mixed_up(position, checkers, seed=5):
    """`position` with this many checkers of each side moved at random."""
    rng = np.random.default_rng(seed)
    sides = [list(position.light), list(position.dark)]
    for _ in range(checkers):
        for own, other in (sides, sides[::-1]):
            source = rng.choice([p for p in range(1, 25) if own[p]])
            target = rng.choice([p for p in range(1, 25) if not other[25 - p]])
            own[source] -= 1
            own[target] += 1
    light, dark = map(tuple, sides)
    return Setup(light, dark).checked()


def midway():
    """A match in which dark is to roll; `events` begin there."""
    one = match(light_throws_right=True)
    three_turns(one)
    one.begun, one.events = one.state, []
    return one


@pytest.mark.parametrize("checkers", [2, 4, 10])
@pytest.mark.parametrize("lifted", [True, False])
def test_checkers_that_are_mixed_up_in_a_turn_are_no_play_in_silence(checkers, lifted):
    one = midway()
    one.throw((5, 3), DARK)
    one.board.play(mixed_up(one.board.position, checkers), observations=4)
    one.observe()
    if lifted:
        one.lift(observations=6)
    one.events += one.referee.finish(one.board.clock + 1, 0)
    assert all(isinstance(e, IllegalMade) and e.review for e in one.of(PlayMade))
    one.check_fold()


def test_a_board_that_is_left_mixed_up_is_an_unfinished_game():
    one = midway()
    one.throw((5, 3), DARK)
    one.board.play(mixed_up(one.board.position, 10), observations=4)
    one.observe()
    one.lift(observations=6)
    assert one.of(PlayMade) == []
    one.events += one.referee.finish(one.board.clock + 1, 0)
    assert [broken.game for broken in one.of(Unfinished)] == [1]
    assert one.of(PlayMade) == []
    one.check_fold()


@pytest.mark.parametrize("checkers", [2, 10])
@pytest.mark.parametrize("thrown", [True, False])
def test_a_board_that_is_put_right_again_is_played_on(checkers, thrown):
    one = midway()
    before = one.board.position
    if thrown:
        one.throw((5, 3), DARK)
    one.board.play(mixed_up(before, checkers), observations=4)
    one.observe()
    one.set_up(before)
    one.turn(DARK, (4, 2), "8/4 6/4")
    one.turn(LIGHT, (6, 5), "24/13")
    assert [(e.player, e.dice, e.review) for e in one.of(PlayMade)] == [
        (DARK, (4, 2), False),
        (LIGHT, (6, 5), False),
    ]
    assert one.state.phase is Phase.TO_ROLL
    one.check_fold()


def test_checkers_that_stay_mixed_up_are_recorded_place_by_place():
    one = midway()
    before = one.board.position
    one.board.play(mixed_up(before, 10), observations=6)
    one.observe()
    (wrong,) = one.of(SetUpError)
    assert "light has 1 on the 24 point, not 2" in wrong.faults
    assert tuple(map(str, wrong.fault_messages)) == wrong.faults
    assert "the checkers are set up wrong; light has" in str(prompt_of(one.state))
    one.set_up(before)
    one.turn(DARK, (4, 2), "8/4 6/4")
    assert len(one.of(SetUpError)) == 1
    assert str(prompt_of(one.state)) == "Light to roll"
    one.check_fold()


def test_a_board_that_no_longer_shows_the_record_is_told_also_while_a_double_is_open():
    one = midway()
    one.enter(Doubled(time=99.0, frame=99, player=DARK, value=2))
    one.set_up(mixed_up(one.board.position, 10), observations=6)
    assert one.state.phase is Phase.DOUBLED
    (wrong,) = one.of(SetUpError)
    assert "light has 1 on the 24 point, not 2" in wrong.faults
    assert "; the checkers are set up wrong; light has" in str(prompt_of(one.state))
    one.check_fold()


def test_nothing_that_a_turn_can_lead_to_is_a_set_up_error():
    one = match()
    three_turns(one)
    one.throw((5, 5), DARK)
    one.play(DARK, "13/3(2)")
    one.rest(8)
    assert one.of(SetUpError) == []


def almost(point, other):
    """The starting position with one of light's checkers elsewhere."""
    own = list(OPENING.light)
    own[point], own[other] = own[point] - 1, own[other] + 1
    return Setup(tuple(own), OPENING.dark).checked()


@pytest.mark.parametrize(
    ("other", "where"), [(5, "on the 5 point"), (0, "borne off"), (25, "on the bar")]
)
def test_a_start_position_that_is_almost_right_is_recorded(other, where):
    one = Match(Referee(SHORT), SimulatedBoard(np.random.default_rng(1), almost(6, other)))
    one.rest(8)
    _, wrong = one.events
    assert isinstance(wrong, SetUpError)
    assert sorted(wrong.faults) == [
        f"light has 1 {where}, not 0",
        "light has 4 on the 6 point, not 5",
    ]
    assert str(prompt_of(one.state)).startswith(
        "either player to roll; the checkers are set up wrong; light has"
    )
    one.set_up(OPENING)
    one.turn(LIGHT, (3, 1), "8/5 6/5")
    assert [event.type for event in one.events] == ["game_start", "set_up_error", "roll", "play"]
    assert str(prompt_of(one.state)) == "Dark to roll"
    one.check_fold()


def test_a_start_position_that_is_being_made_is_no_error():
    one = Match(Referee(SHORT), SimulatedBoard(np.random.default_rng(1), EMPTY))
    for position in (mixed_up(OPENING, 4), EMPTY):
        one.set_up(position, observations=8)
    one.set_up(almost(6, 5), observations=MIN_ERROR_OBSERVATIONS - 1)
    one.set_up(OPENING)
    assert [type(event) for event in one.events] == [GameStart]


@pytest.mark.parametrize("thrown", [True, False])
@pytest.mark.parametrize("is_seen", [True, False])
def test_a_board_that_was_closed_and_opened_again_is_played_on(thrown, is_seen):
    """The board is closed, and its checkers slide; `is_seen`: opened, it lies empty for a while."""
    one = midway()
    before = one.board.position
    if thrown:
        one.throw((5, 3), DARK)
    one.board.move_hand()
    one.board.is_covered = True
    one.rest(8)
    one.board.is_covered = False
    if is_seen:
        one.set_up(EMPTY, observations=6)
    one.set_up(before)
    one.turn(DARK, (4, 2), "8/4 6/4")
    one.turn(LIGHT, (6, 5), "24/13")
    broken = [Unfinished, Resumed] if is_seen else []
    assert [
        type(event) for event in one.events if event.type in ("unfinished", "resumed")
    ] == broken
    assert one.state.unresolved_games == ()
    assert [(e.player, e.dice, e.review) for e in one.of(PlayMade)] == [
        (DARK, (4, 2), False),
        (LIGHT, (6, 5), False),
    ]
    one.check_fold()


def test_a_game_that_goes_on_is_one_game_in_the_match_file():
    one = match()
    three_turns(one)
    before = one.board.position
    one.set_up(EMPTY, observations=6)
    one.set_up(before)
    one.turn(DARK, (4, 2), "8/4 6/4")
    assert [len(game.actions) for game in match_from_events(one.events).games] == [4]


def test_a_board_that_is_set_up_after_two_turns_shows_no_game_that_goes_on():
    one = match(light_throws_right=True)
    one.board = SimulatedBoard(np.random.default_rng(1), OPENING, ReaderNoise(stated=0.85))
    one.turn(DARK, (6, 5), "24/13")
    one.turn(LIGHT, (4, 3), "13/6")
    one.set_up(OPENING, observations=8)
    counts = [len(one.of(kind)) for kind in (Unfinished, Resumed, TakenBack, GameStart)]
    assert counts == [1, 0, 0, 2]


def test_a_game_whose_result_was_entered_does_not_go_on():
    one = midway()
    before = one.board.position
    one.set_up(EMPTY, observations=6)
    one.enter(Resigned(time=99.0, frame=99, player=DARK, points=1))
    one.set_up(before, observations=6)
    assert one.of(Resumed) == []


def test_a_clip_that_begins_in_mid_game_waits_for_the_next_one():
    middle = Setup((5, 5, 5, *[0] * 23), (3, 6, 6, *[0] * 23)).checked()
    one = Match(Referee(SHORT), SimulatedBoard(np.random.default_rng(1), middle))
    one.rest(8)
    one.turn(DARK, (2, 1), "2/off 1/off")
    assert one.events == []
    assert str(prompt_of(one.state)) == "waiting for the starting position"
    one.set_up(OPENING)
    assert [type(event) for event in one.events] == [GameStart]


def test_a_start_position_that_is_too_wrong_begins_no_game_until_it_is_put_right():
    own = [0, *[0] * 5, 5, 0, 3, *[0] * 4, 4, *[0] * 6, 1, 1, *[0] * 2, 1, 0]
    wrong = Setup(tuple(own), OPENING.dark).checked()
    one = Match(Referee(SHORT), SimulatedBoard(np.random.default_rng(1), wrong))
    one.rest(8)
    (event,) = one.events
    assert len(event.faults) == 4
    assert str(prompt_of(one.state)).startswith(
        "waiting for the starting position; the checkers are set up wrong"
    )
    one.set_up(OPENING)
    assert [event.type for event in one.events] == ["set_up_error", "game_start"]


def test_a_first_play_with_unseen_dice_is_no_set_up_error():
    one = match()
    one.play(LIGHT, "8/5 6/5")
    one.rest(8)
    assert one.of(SetUpError) == []


DARKS, LIGHTS = (die(5, (0.2, 0.4)), die(3, (0.3, 0.6))), (die(6, (0.7, 0.4)), die(1, (0.8, 0.6)))


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (2, 3, 0, 1), (2, 0, 3, 1)])
@pytest.mark.parametrize("hand", [True, None])
@pytest.mark.parametrize("rules", ["us2009", "seeds"])
def test_both_players_dice_down_at_once_are_a_roll_and_a_premature_one(order, hand, rules):
    one = match(light_throws_right=hand, rule_set=find_rule_set(rules))
    three_turns(one)
    one.begun, one.events = one.state, []
    dice = [(*DARKS, *LIGHTS)[i] for i in order]
    if hand is None:
        dice = [replace(d, side=DARK if d in DARKS else LIGHT) for d in dice]
    one.dice(*dice)
    one.board.move_hand()
    one.rest()
    stands = rules == "us2009"
    assert [(e.player, e.dice, e.stands) for e in one.of(PrematureRoll)] == [
        (LIGHT, (6, 1), stands)
    ]
    one.play(DARK, "8/3")  # in two hands, with all four dice still there
    one.play(DARK, "6/3")
    one.dice(*(d for d in dice if d.board[0] > 0.5))
    one.play(LIGHT, "13/7 6/5")
    one.lift()
    one.turn(DARK, (2, 1), "6/4 6/5")
    assert [(e.player, e.dice, e.review) for e in one.of(PlayMade)] == [
        (DARK, (5, 3), False),
        (LIGHT, (6, 1), False),
        (DARK, (2, 1), False),
    ]
    assert len(one.of(PrematureRoll)) == 1
    assert one.of(DiceVoid) == []
    one.check_fold()


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (2, 3, 0, 1), (2, 0, 3, 1)])
def test_dice_thrown_at_once_are_no_fault_where_no_rule_ends_the_turn(order):
    one = midway()
    one.dice(*((*DARKS, *LIGHTS)[i] for i in order))
    one.board.move_hand()
    one.rest()
    assert one.state.roll == (5, 3)
    one.play(DARK, "8/3")
    one.play(DARK, "6/3")
    one.dice(*LIGHTS)
    assert one.state.roll == (6, 1)
    one.play(LIGHT, "13/7 6/5")
    one.lift()
    assert [(e.player, e.dice, e.review) for e in one.of(PlayMade)] == [
        (DARK, (5, 3), False),
        (LIGHT, (6, 1), False),
    ]
    assert one.of(PrematureRoll) == []
    one.check_fold()


def test_two_dice_of_each_player_at_the_opening_are_no_lots():
    one = match(light_throws_right=True)
    one.dice(*DARKS, *LIGHTS)
    assert one.of(OpeningRolled) == []
    one.lift()
    one.opening_roll(5, 3)
    assert [(e.light, e.dark) for e in one.of(OpeningRolled)] == [(5, 3)]
    one.play(LIGHT, "8/3 6/3")
    one.lift()
    assert [(e.player, e.dice) for e in one.of(PlayMade)] == [(LIGHT, (5, 3))]
    one.check_fold()


ON_TABLE = die(4, (1.2, 0.5), surface=Surface.TABLE)


@pytest.mark.parametrize(("beside", "dice"), [((), (5, None)), ((ON_TABLE,), (5, 4))])
def test_a_die_that_falls_off_is_thrown_again_with_the_other(beside, dice):
    one = midway()
    one.dice(die(5, (0.2, 0.4)), *beside)
    one.rest()
    assert one.of(DiceRolled) == []
    one.lift()
    one.throw((4, 2), DARK)
    one.play(DARK, "8/4 6/4")
    one.lift()
    assert [(e.player, e.reason, e.dice) for e in one.of(DiceVoid)] == [(DARK, "off_board", dice)]
    assert [(e.dice, e.review) for e in one.of(PlayMade)] == [((4, 2), False)]
    one.check_fold()


@pytest.mark.parametrize("beside", [(), (ON_TABLE,)])
def test_a_die_that_falls_off_and_is_thrown_again_alone_makes_the_roll(beside):
    one = midway()
    lying = die(5, (0.2, 0.4))
    one.dice(lying, *beside)
    one.rest()
    one.dice(lying, die(3, (0.3, 0.6)))
    one.rest()
    one.play(DARK, "8/3 6/3")
    one.lift()
    assert [(e.dice, e.review) for e in one.of(PlayMade)] == [((5, 3), False)]
    assert [e.reason for e in one.of(DiceVoid)] == ["off_board"] * len(beside)
    one.check_fold()


@pytest.mark.parametrize("board", [OPENING, EMPTY])
@pytest.mark.parametrize("thrown", [True, False])
def test_a_game_that_is_resigned_by_setting_up_the_next_is_asked_for(board, thrown):
    one = midway()
    if thrown:
        one.throw((5, 3), DARK)
    one.set_up(board, observations=6)
    one.set_up(OPENING)
    one.turn(LIGHT, (3, 1), "8/5 6/5")
    assert [e.type for e in one.events if e.type != "roll"] == ["unfinished", "game_start", "play"]
    assert one.state.unresolved_games == (1,)
    one.check_fold()


@pytest.mark.parametrize("with_dice", [True, False])
@pytest.mark.parametrize("play", ["24/16", "8/3 6/3"])
def test_a_play_that_is_put_back_after_its_dice_were_lifted_is_played_again(with_dice, play):
    one = midway()
    before = one.board.position
    one.turn(DARK, (5, 3), "8/3 6/3")
    one.set_up(before)
    assert [e.player for e in one.of(TakenBack)] == [DARK]
    assert (one.state.to_move, one.state.roll, one.state.position) == (DARK, (5, 3), before)
    if with_dice:
        one.dice(*DARKS)
    one.play(DARK, play)
    one.rest(4)
    one.lift()
    one.turn(LIGHT, (6, 5), "24/13")
    assert [(e.player, e.play, e.dice, e.review) for e in one.of(PlayMade)] == [
        (DARK, "8/3 6/3", (5, 3), False),
        (DARK, play, (5, 3), False),
        (LIGHT, "24/13", (6, 5), False),
    ]
    assert len(one.of(TakenBack)) == 1
    one.check_fold()


def test_a_play_that_is_put_back_only_for_a_moment_stays_recorded():
    one = midway()
    before = one.board.position
    one.turn(DARK, (5, 3), "8/3 6/3")
    after = one.board.position
    one.set_up(before, observations=2)
    one.set_up(after, observations=4)
    one.turn(LIGHT, (6, 5), "24/13")
    assert one.of(TakenBack) == []
    assert [e.play for e in one.of(PlayMade)] == ["8/3 6/3", "24/13"]


def test_a_game_may_be_given_up_after_two_turns():
    one = match()
    one.turn(LIGHT, (3, 1), "8/5 6/5")
    one.turn(DARK, (4, 2), "8/4 6/4")
    one.set_up(OPENING, observations=6)
    one.turn(DARK, (6, 1), "13/7 8/7")
    assert [e.type for e in one.events if e.type != "roll"] == [
        *("game_start", "play", "play", "unfinished", "game_start", "play")
    ]
    assert not any(e.review for e in one.of(PlayMade))
    one.check_fold()
