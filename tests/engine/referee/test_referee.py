"""The referee turns quiet observations into the record of the game."""

from dataclasses import replace

import numpy as np
import pytest

from engine.dice import Roll
from engine.events.match import (
    DiceRolled,
    DiceVoid,
    GameEnd,
    GameStart,
    IllegalMade,
    PlayAccepted,
    PlayMade,
    PlayRejected,
)
from engine.evidence.observation import Surface
from engine.evidence.still_period import Motion
from engine.match.fold import fold
from engine.match.phase import Phase
from engine.match.prompt import prompt_of
from engine.play import Play
from engine.position import Setup, Side
from engine.referee import Referee
from engine.rules import find_rules
from engine.rules.legal import apply_play, legal_plays
from engine.simulation.board import CONFIDENCE, SimulatedBoard, die, observation_of
from engine.simulation.match import PlayerHabits, play_match
from engine.simulation.reader_errors import ReaderNoise
from tests.at_length import first_of
from tests.clip_truth import clip_looks, clip_truth
from tests.paths import CLIPS
from tests.refereed_board import looks, observe_compared

SHORT = find_rules("short")
OPENING = SHORT.opening()


def table(seed=1, position=OPENING, **errors):
    """A board whose reader is as sure of its misreadings as of the rest, and soon drops them."""
    noise = ReaderNoise(stated=CONFIDENCE, glare=0.0, **errors)
    return SimulatedBoard(np.random.default_rng(seed), position, noise)


def expected(truth):
    """The turns of a correct record: who played, the position afterwards, the dice."""
    return [(play.side, play.after, play.dice) for play in truth.plays]


def referee_match(board, *, end=True, **arguments):
    referee = Referee(SHORT, **arguments)
    events = observe_compared(referee, looks(board))
    if end:
        events += referee.finish(board.clock + 1, 0)
    return events


def moved(position, side, play):
    return apply_play(position, side, Play.parse(play), SHORT)


def of(events, kind):
    return [event for event in events if isinstance(event, kind)]


def show(board, position, *seen):
    """Add what a reader made of the board while it stood in `position`."""
    board.seen += seen
    board.true_positions += [position] * len(seen)


def one_turn(board, side, roll, play, observations=2):
    board.throw(roll, side)
    board.play(moved(board.position, side, play))
    board.lift(observations)


def test_a_game_starts_when_the_opening_position_is_set_up():
    board = table()
    board.rest()
    (start,) = referee_match(board)
    assert isinstance(start, GameStart)
    assert start.position == OPENING


def test_an_empty_view_starts_no_game():
    board = table(position=Setup((15, *[0] * 25), (15, *[0] * 25)).checked())
    board.rest()
    assert referee_match(board) == []


def test_a_clip_may_begin_in_the_middle_of_a_game():
    middle = Setup((5, 5, 5, *[0] * 23), (3, 6, 6, *[0] * 23)).checked()
    board = table(position=middle)
    board.rest()
    one_turn(board, Side.DARK, Roll(2, 1), "2/off 1/off")
    made = of(referee_match(board, start=middle), PlayMade)
    assert [(one.player, one.play) for one in made] == [(Side.DARK, "2/off 1/off")]


@pytest.mark.parametrize("side", Side)
def test_the_starter_follows_from_the_play(side):
    board = table()
    board.rest()
    one_turn(board, side, Roll(3, 1), "8/5 6/5")
    _, roll, made = referee_match(board)
    assert (roll.player, roll.dice) == (side, (3, 1))
    assert (made.player, made.play, made.review) == (side, "8/5 6/5", False)
    assert roll.time < made.time


def test_a_play_is_final_when_the_dice_are_lifted_and_not_before():
    board = table()
    board.rest()
    board.throw(Roll(6, 1), Side.LIGHT)
    board.play(moved(OPENING, Side.LIGHT, "13/7"))
    board.play(moved(OPENING, Side.LIGHT, "13/7 8/7"))
    assert of(referee_match(board, end=False), PlayMade) == []
    board.lift()
    (made,) = of(referee_match(board, end=False), PlayMade)
    assert made.play == "13/7 8/7"


def test_checkers_tried_and_put_back_are_one_play():
    board = table()
    board.rest()
    board.throw(Roll(6, 1), Side.LIGHT)
    board.play(moved(OPENING, Side.LIGHT, "24/18 6/5"))
    board.play(OPENING)
    board.play(moved(OPENING, Side.LIGHT, "13/7 8/7"))
    board.lift()
    assert [made.play for made in of(referee_match(board), PlayMade)] == ["13/7 8/7"]


def test_the_next_throw_ends_a_turn_too():
    board = table()
    board.rest()
    one_turn(board, Side.LIGHT, Roll(6, 1), "13/7 8/7", observations=0)
    one_turn(board, Side.DARK, Roll(6, 1), "13/7 8/7", observations=0)
    one_turn(board, Side.LIGHT, Roll(2, 1), "6/4 24/23")
    made = of(referee_match(board), PlayMade)
    assert [one.player for one in made] == [Side.LIGHT, Side.DARK, Side.LIGHT]
    assert not any(one.review for one in made)


def test_a_quick_play_that_was_never_seen_with_its_dice_counts():
    board = table()
    board.rest()
    board.throw(Roll(6, 1), Side.LIGHT)
    board.move_hand()
    board.position = moved(OPENING, Side.LIGHT, "13/7 8/7")
    board.throw(Roll(5, 3), Side.DARK)
    assert [one.play for one in of(referee_match(board), PlayMade)] == ["13/7 8/7"]


@pytest.mark.parametrize("observations", [0, 2])
def test_dice_lifted_from_an_unchanged_board_are_rolled_again(observations):
    board = table()
    board.rest()
    one_turn(board, Side.LIGHT, Roll(6, 1), "13/7 8/7")
    board.throw(Roll(5, 2), Side.DARK, flat=0.1)
    board.lift(observations)
    one_turn(board, Side.DARK, Roll(3, 1), "8/5 6/5")
    events = referee_match(board)
    (void,) = of(events, DiceVoid)
    assert (void.player, void.reason, void.dice) == (Side.DARK, "cocked", (5, 2))
    assert [roll.dice for roll in of(events, DiceRolled)] == [(6, 1), (3, 1)]
    assert of(events, PlayMade)[-1].player is Side.DARK


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (die(4, (0.3, 0.4), surface=Surface.CHECKER), "on_checker"),
        (die(4, (0.3, 1.1), surface=Surface.TABLE), "off_board"),
        (die(4, (0.8, 0.4)), "split"),
        (die(4, (0.3, 0.4), flat=0.2), "cocked"),
    ],
)
def test_a_void_throw_has_its_reason(bad, reason):
    board = table()
    board.rest()
    one_turn(board, Side.LIGHT, Roll(6, 1), "13/7 8/7")
    board.move_hand()
    board.dice = (die(2, (0.2, 0.7)), bad)
    board.rest()
    board.lift()
    one_turn(board, Side.DARK, Roll(3, 1), "8/5 6/5")
    assert [void.reason for void in of(referee_match(board), DiceVoid)] == [reason]


@pytest.mark.parametrize(("confidence", "voids"), [(0.67, []), (0.98, ["split"])])
def test_a_die_beside_one_left_lying_is_a_throw_only_if_it_is_read_with_certainty(
    confidence, voids
):
    """Dark picks up one die of the opening roll after the other."""
    board = table()
    board.rest()
    board.move_hand()
    lying = die(1, (0.3, 0.57))
    board.dice = (die(2, (0.86, 0.58)), lying)
    board.rest()
    board.play(moved(OPENING, Side.DARK, "13/11 24/23"))
    board.move_hand()
    board.rest(1)
    beside = die(2, (0.76, 0.32), confidence=confidence)
    board.seen[-1] = replace(board.seen[-1], dice=(lying, beside))
    board.lift()
    one_turn(board, Side.LIGHT, Roll(4, 4), "8/4(2) 6/2(2)")
    events = referee_match(board)
    assert [void.reason for void in of(events, DiceVoid)] == voids
    assert [made.player for made in of(events, PlayMade)] == [Side.DARK, Side.LIGHT]


def test_a_void_first_throw_belongs_to_the_starter():
    board = table()
    board.rest()
    board.throw(Roll(5, 2), Side.DARK, flat=0.1)
    board.lift()
    one_turn(board, Side.DARK, Roll(3, 1), "8/5 6/5")
    assert [void.player for void in of(referee_match(board), DiceVoid)] == [Side.DARK]


def test_the_wrong_half_is_judged_only_when_the_hand_is_known():
    board = table()
    board.rest()
    one_turn(board, Side.LIGHT, Roll(6, 1), "13/7 8/7")
    board.throw(Roll(5, 2), Side.LIGHT)  # dark, but into light's half
    board.lift()
    one_turn(board, Side.DARK, Roll(3, 1), "8/5 6/5")
    assert of(referee_match(board, light_throws_right=True), DiceVoid)[0].reason == "wrong_half"
    assert len(of(referee_match(board), DiceRolled)) == 3


@pytest.mark.parametrize(("confidence", "count"), [(0.98, 1), (0.75, 0)])
def test_dice_in_the_other_half_that_are_hardly_read_may_be_the_opponents(confidence, count):
    board = table()
    board.rest()
    one_turn(board, Side.LIGHT, Roll(6, 1), "13/7 8/7")
    board.move_hand()
    dice = die(5, (0.7, 0.5), confidence=confidence), die(2, (0.8, 0.5))
    for _ in range(2):
        board.clock += 0.25
        show(board, board.position, observation_of(board.position, *dice, seconds=board.clock))
    board.lift()
    one_turn(board, Side.DARK, Roll(3, 1), "8/5 6/5")
    events = referee_match(board, light_throws_right=True)
    assert [void.reason for void in of(events, DiceVoid)] == ["wrong_half"] * count
    assert [(made.player, made.dice) for made in of(events, PlayMade)][1:] == [(Side.DARK, (3, 1))]


CLOSED = Setup(
    (0, 0, 0, 0, 0, 0, 5, 0, 4, 0, 0, 0, 0, 5, *[0] * 11, 1), (0, *[2] * 6, 3, *[0] * 18)
).checked()
"""Light on the bar against six closed points."""


def test_a_player_who_is_shut_out_may_roll_and_pass():
    board = table(position=CLOSED)
    board.rest()
    one_turn(board, Side.DARK, Roll(3, 1), "7/3")
    board.throw(Roll(6, 5), Side.LIGHT)
    board.lift()
    one_turn(board, Side.DARK, Roll(2, 1), "7/4")
    made = of(referee_match(board, start=CLOSED), PlayMade)
    assert [(one.player, one.dice, one.play) for one in made] == [
        (Side.DARK, (3, 1), "7/3"),
        (Side.LIGHT, (6, 5), "(no play)"),
        (Side.DARK, (2, 1), "7/4"),
    ]
    assert not any(one.review for one in made)


def test_a_player_who_is_shut_out_may_pass_without_rolling():
    board = table(position=CLOSED)
    board.rest()
    one_turn(board, Side.DARK, Roll(2, 1), "7/4")
    one_turn(board, Side.DARK, Roll(3, 1), "7/3")
    made = of(referee_match(board, start=CLOSED), PlayMade)
    assert [(one.player, one.dice, one.play) for one in made] == [
        (Side.DARK, (2, 1), "7/4"),
        (Side.LIGHT, None, "(no play)"),
        (Side.DARK, (3, 1), "7/3"),
    ]


def test_the_same_roll_in_the_same_place_is_a_throw_again_once_its_dice_were_picked_up():
    board = table(position=CLOSED)
    board.rest()
    board.throw(Roll(3, 1), Side.DARK)
    fallen = board.dice
    board.play(moved(board.position, Side.DARK, "7/3"))
    board.lift()
    board.throw(Roll(6, 5), Side.LIGHT)
    board.lift()
    board.move_hand()
    board.dice = fallen
    board.rest()
    board.play(moved(board.position, Side.DARK, "7/3"))
    board.lift()
    made = of(referee_match(board, start=CLOSED), PlayMade)
    assert [(one.player, one.dice) for one in made] == [
        (Side.DARK, (3, 1)),
        (Side.LIGHT, (6, 5)),
        (Side.DARK, (3, 1)),
    ]


def test_unseen_dice_are_inferred_and_marked_so():
    board = table()
    board.rest()
    one_turn(board, Side.LIGHT, Roll(6, 1), "13/7 8/7")
    board.play(moved(board.position, Side.DARK, "24/14"))
    one_turn(board, Side.LIGHT, Roll(2, 1), "6/4 24/23")
    made = of(referee_match(board), PlayMade)
    assert [(one.player, one.dice) for one in made] == [
        (Side.LIGHT, (6, 1)),
        (Side.DARK, (6, 4)),
        (Side.LIGHT, (2, 1)),
    ]
    assert [one.review for one in made] == [False, True, False]


def one_illegal(observations=2):
    board = table()
    board.rest()
    one_turn(board, Side.LIGHT, Roll(6, 1), "13/7 8/7")
    board.throw(Roll(2, 1), Side.DARK)
    own = list(OPENING.dark)
    own[6], own[7] = own[6] - 1, own[7] + 1  # 6/7: backward
    board.play(board.position.with_sides(Side.DARK, tuple(own), board.position.light))
    board.lift(observations)
    return board


def seen_by(referee, shown):
    """The events of boards and the dice on them: a hand before each, then two observations."""
    events = []
    for second, (position, lying) in enumerate(shown):
        events += referee.observe(Motion(second, 12 * second))
        for part in (0.25, 0.5):
            events += referee.observe(observation_of(position, *lying, seconds=second + part))
    return events


def doubtful_die(value, chances, place):
    faces = tuple(chances.get(face, 0.01) for face in range(1, 7))
    return replace(die(value, place), faces=faces)


LEFT, RIGHT = (0.65, 0.4), (0.8, 0.6)


@pytest.mark.parametrize(
    ("dice", "play", "recorded", "doubts"),
    [
        pytest.param([die(3, LEFT)], "8/5(2) 6/3(2)", (3, 3), ("inferred",), id="one die unseen"),
        pytest.param(
            [die(5, LEFT), doubtful_die(2, {2: 0.55, 1: 0.4}, RIGHT)],
            "24/18", (5, 1), ("inferred",), id="between two faces",
        ),
        pytest.param(
            [die(5, LEFT), doubtful_die(2, {2: 0.93, 1: 0.02}, RIGHT)],
            "24/18", (5, 1), ("dice",), id="almost surely another",
        ),
        pytest.param([die(1, LEFT)], "8/5 6/5", (3, 1), ("dice",), id="or two others of a double"),
    ],
)  # fmt: skip
def test_a_die_that_the_play_decides_is_marked_as_inferred_and_needs_no_review(
    dice, play, recorded, doubts
):
    after = moved(OPENING, Side.LIGHT, play)
    shown = [(OPENING, ()), (OPENING, dice), (after, dice), (after, ())]
    events = seen_by(Referee(SHORT), shown)
    (made,) = of(events, PlayMade)
    assert (made.dice, made.uncertainties, made.review) == (recorded, doubts, doubts == ("dice",))


def test_an_illegal_play_is_recorded_and_accepted_by_the_next_roll():
    board = one_illegal()
    one_turn(board, Side.LIGHT, Roll(2, 1), "6/4 24/23")
    events = referee_match(board)
    (wrong,) = of(events, IllegalMade)
    assert (wrong.player, wrong.dice, wrong.legal) == (Side.DARK, (2, 1), False)
    before = moved(OPENING, Side.LIGHT, "13/7 8/7")
    assert wrong.legal_plays == len(legal_plays(before, Side.DARK, Roll(2, 1), SHORT))
    assert [accepted.player for accepted in of(events, PlayAccepted)] == [Side.LIGHT]
    assert of(events, PlayMade)[-1].play == "24/23 6/4"


def test_an_illegal_play_is_never_recorded_before_the_dice_are_lifted():
    board = one_illegal(observations=0)
    assert of(referee_match(board, end=False), IllegalMade) == []


def test_an_illegal_play_taken_back_is_rejected_and_the_roll_played_again():
    board = one_illegal()
    before = moved(OPENING, Side.LIGHT, "13/7 8/7")
    board.play(before)
    board.play(moved(before, Side.DARK, "13/11 6/5"))
    one_turn(board, Side.LIGHT, Roll(2, 1), "6/4 24/23")
    events = referee_match(board)
    assert [rejected.player for rejected in of(events, PlayRejected)] == [Side.LIGHT]
    assert [(made.player, made.play, made.legal) for made in of(events, PlayMade)][1:] == [
        (Side.DARK, "6/7", False),
        (Side.DARK, "13/11 6/5", True),
        (Side.LIGHT, "24/23 6/4", True),
    ]


@pytest.mark.parametrize(
    ("loser", "points", "result"),
    [
        ((1, 14, *[0] * 24), 1, "single"),
        ((0, 15, *[0] * 24), 2, "gammon"),
        ((0, 14, *[0] * 23, 1), 3, "backgammon"),
    ],
)
def test_the_last_checker_off_ends_the_game(loser, points, result):
    last = Setup((13, 0, 0, 1, 1, *[0] * 21), loser).checked()
    board = table(position=last)
    board.rest()
    one_turn(board, Side.LIGHT, Roll(6, 4), "4/off 3/off")
    end = referee_match(board, start=last)[-1]
    assert isinstance(end, GameEnd)
    assert (end.winner, end.points, end.result) == (Side.LIGHT, points, result)


def test_the_next_game_starts_with_the_score_carried_over():
    last = Setup((13, 0, 0, 1, 1, *[0] * 21), (1, 14, *[0] * 24)).checked()
    board = table(position=last)
    board.rest()
    one_turn(board, Side.LIGHT, Roll(6, 4), "4/off 3/off")
    board.play(OPENING)
    start = of(referee_match(board, start=last), GameStart)[1]
    assert (start.position, start.score) == (OPENING, (1, 0))


def test_a_resting_hand_lifts_no_dice():
    board = table()
    board.rest()
    board.throw(Roll(6, 1), Side.LIGHT)
    board.play(moved(OPENING, Side.LIGHT, "13/7 8/7"))
    board.move_hand()
    dice, board.dice = board.dice, ()
    board.rest(quality=0.4)
    assert of(referee_match(board, end=False), PlayMade) == []
    board.move_hand()
    board.dice = dice
    board.rest()
    board.lift()
    assert [made.play for made in of(referee_match(board), PlayMade)] == ["13/7 8/7"]


def test_a_die_rolled_again_to_where_the_other_lay_is_thrown_anew():
    first = die(3, (0.71, 0.22)), die(2, (0.65, 0.19), surface=Surface.CHECKER)
    again = die(3, (0.63, 0.17)), die(1, (0.57, 0.63))
    after = moved(OPENING, Side.LIGHT, "8/5 6/5")
    shown = [(OPENING, ()), (OPENING, first), (OPENING, again), (after, again), (after, ())]
    events = seen_by(Referee(SHORT, light_throws_right=True), shown)
    (void,), (made,) = of(events, DiceVoid), of(events, PlayMade)
    assert (void.reason, void.dice) == ("on_checker", (3, 2))
    assert (made.dice, made.legal, made.review) == ((3, 1), True, False)


@pytest.mark.parametrize("seconds", [0.2, 1.0, 2.0])
def test_dice_that_were_glimpsed_while_they_rolled_are_no_throw_of_their_own(seconds):
    board = table()
    board.rest()
    one_turn(board, Side.LIGHT, Roll(6, 1), "13/7 8/7")
    before, begins = board.position, board.clock + 1
    after = moved(before, Side.DARK, "8/5 6/5")
    rolling = [die(6, (0.28, 0.48), confidence=0.96)]
    dice = die(3, (0.3, 0.43)), die(1, (0.43, 0.45))
    show(
        board,
        before,
        Motion(begins - 0.5, 0),
        observation_of(before, seconds=begins - 0.25),
        observation_of(before, *rolling, seconds=begins),
        *(observation_of(before, *dice, seconds=begins + seconds + 0.25 * n) for n in range(3)),
    )
    show(
        board,
        after,
        Motion(begins + 3, 0),
        *(observation_of(after, *dice, seconds=begins + 4 + n) for n in range(2)),
        Motion(begins + 6, 0),
        *(observation_of(after, seconds=begins + 7 + n) for n in range(2)),
    )
    events = referee_match(board, light_throws_right=True)
    assert len(of(events, DiceVoid)) == (seconds == 2.0)
    assert [(one.dice, one.review) for one in of(events, PlayMade)][1:] == [((3, 1), False)]


def seldom_seen(second, half, play="8/5 6/5"):
    """Dark's dice, one of them possibly cocked, then the play beside the dice of another throw."""
    board = table()
    board.rest()
    one_turn(board, Side.LIGHT, Roll(6, 1), "13/7 8/7")
    before, begins = board.position, board.clock + 1
    after = moved(before, Side.DARK, play)
    again = die(3, (half, 0.43)), die(1, (half + 0.13, 0.45))
    thrown = observation_of(before, die(6, (0.28, 0.48)), second, seconds=begins)
    show(board, before, Motion(begins - 0.5, 0), thrown)
    show(board, after, Motion(begins + 1, 0), observation_of(after, *again, seconds=begins + 4))
    board.clock = begins + 4
    if half < 0.5:
        board.position = after
        board.lift()
    events = referee_match(board, light_throws_right=True)
    voids = [(one.player, one.reason, one.dice) for one in of(events, DiceVoid)]
    return voids, [(one.player, one.dice, one.review) for one in of(events, PlayMade)][1:]


@pytest.mark.parametrize("flat", [0.5, 0.98])
def test_a_throw_that_the_next_one_was_played_instead_of_did_not_count(flat):
    voids, plays = seldom_seen(die(5, (0.4, 0.4), flat=flat), half=0.2)
    assert voids == [(Side.DARK, "cocked", (6, 5))]
    assert plays == [(Side.DARK, (3, 1), False)]


def test_a_play_that_the_opponents_next_throw_explains_too_is_none_of_it():
    voids, plays = seldom_seen(die(5, (0.4, 0.4)), half=0.6, play="13/7 8/3")
    assert voids == []
    assert plays[0] == (Side.DARK, (6, 5), False)


def test_dice_left_lying_are_no_throw():
    board = table()
    board.rest()
    board.throw(Roll(6, 1), Side.LIGHT)
    board.play(moved(OPENING, Side.LIGHT, "13/7 8/7"))
    old = board.dice
    board.throw(Roll(3, 1), Side.DARK)
    board.dice += old
    del board.seen[-2:], board.true_positions[-2:]
    board.rest()
    board.play(moved(board.position, Side.DARK, "8/5 6/5"))
    board.dice = old
    board.move_hand()
    board.rest()
    made = of(referee_match(board), PlayMade)
    assert [(one.player, one.dice) for one in made] == [(Side.LIGHT, (6, 1)), (Side.DARK, (3, 1))]


def test_dice_that_an_observation_missed_are_no_second_throw():
    board = table()
    board.rest()
    board.throw(Roll(6, 1), Side.LIGHT)
    board.move_hand()
    board.position = moved(OPENING, Side.LIGHT, "13/7 8/7")
    dice, board.dice = board.dice, ()
    board.rest(1)
    board.dice = dice
    board.rest(1)
    board.lift()
    one_turn(board, Side.DARK, Roll(3, 1), "8/5 6/5")
    events = referee_match(board)
    assert of(events, DiceVoid) == []
    assert [roll.player for roll in of(events, DiceRolled)] == [Side.LIGHT, Side.DARK]


def test_the_state_is_the_fold_of_the_events():
    board = table(seed=4)
    play_match(board, SHORT, turns=12, habits=PlayerHabits(rerolls=0.1))
    referee = Referee(SHORT)
    events = [event for seen in board.seen for event in referee.observe(seen)]
    assert fold(events) == referee.state
    assert prompt_of(referee.state)


@pytest.mark.parametrize("share", [0.2, 0.45, 0.7, 0.9])
def test_a_resumed_referee_goes_on_where_the_record_ends(share):
    board = table(seed=6)  # one whose last turn is no pass: a pass waits for the next throw
    truth = play_match(board, SHORT, turns=10)
    cut = int(share * len(board.seen))
    first = Referee(SHORT)
    events = [event for seen in board.seen[:cut] for event in first.observe(seen)]
    second = Referee.resume(SHORT, fold(events))
    events += [event for seen in board.seen[cut:] for event in second.observe(seen)]
    made = [(event.player, event.position) for event in of(events, PlayMade)]
    assert made == [(play.side, play.after) for play in truth.plays]


def faults(truth, events):
    """Missing or wrong plays, and those among them that nothing flags."""
    made = of(events, PlayMade)
    said = [(one.player, one.position) for one in made]
    wanted = [play[:2] for play in expected(truth)]
    wrong = [one for one in made if (one.player, one.position) not in wanted]
    flagged = any(one.review for one in made)
    missed = len(wanted) - sum(play in said for play in wanted)
    return missed + len(wrong), sum(not one.review for one in wrong) + (missed > 0 and not flagged)


@pytest.mark.parametrize("seed", range(3))
def test_a_perfectly_seen_game_is_recorded_perfectly(seed):
    board = table(seed=seed)
    truth = play_match(board, SHORT, turns=30, habits=PlayerHabits(rerolls=0.1, hasty=0.2))
    events = referee_match(board)
    assert [(e.player, e.position, e.dice) for e in of(events, PlayMade)] == expected(truth)
    assert len(of(events, DiceVoid)) == truth.rerolls
    assert not any(made.review for made in of(events, PlayMade))


@pytest.mark.parametrize("seed", first_of(6, 2))
@pytest.mark.parametrize("off_is_seen", [True, False])
def test_a_badly_seen_game_is_never_wrong_in_silence(seed, off_is_seen):
    board = table(seed=seed, sight=0.01, dice=0.005, off_is_seen=off_is_seen)
    truth = play_match(board, SHORT, turns=30, habits=PlayerHabits(rerolls=0.05, hasty=0.1))
    assert faults(truth, referee_match(board)) == (0, 0)


@pytest.mark.parametrize("seed", range(4))
def test_illegal_plays_are_found_and_no_legal_one_is_called_illegal(seed):
    board = table(seed=seed, sight=0.005)
    truth = play_match(board, SHORT, turns=25, habits=PlayerHabits(illegal=0.1))
    events = referee_match(board)
    illegal = sum(play.breach is not None for play in truth.plays)
    assert len(of(events, IllegalMade)) == illegal
    assert len(of(events, PlayAccepted)) >= illegal - 1
    assert of(events, PlayRejected) == []


@pytest.mark.skipif(not CLIPS.exists(), reason=f"the rendered clips are not at {CLIPS}")
@pytest.mark.parametrize("colours", [True, False])
@pytest.mark.parametrize("name", ["dev_short", "dev_side", "dev_turned", "dev_game"])
def test_a_perfectly_seen_clip_gives_its_truth(name, colours):
    referee = Referee(SHORT)
    events = observe_compared(referee, clip_looks(name, colours=colours))
    events += referee.finish(10_000.0, 0)
    truth = clip_truth(name)
    made = of(events, PlayMade)
    assert [(e.player, e.position, e.dice) for e in made] == expected(truth)
    assert len(of(events, IllegalMade)) == sum(play.breach is not None for play in truth.plays)
    assert len(of(events, DiceVoid)) == truth.rerolls
    assert len(of(events, GameEnd)) == (referee.state.phase is Phase.OVER)
    assert of(events, PlayRejected) == []


def shown(*throws):
    """Light's 3-1, then dark's dice as they come to rest one throw after the other."""
    board = table()
    board.rest()
    one_turn(board, Side.LIGHT, Roll(3, 1), "8/5 6/5")
    for dice in throws:
        board.move_hand()
        board.dice = dice
        board.rest()
    return referee_match(board, end=False, light_throws_right=True)


LYING = die(4, (0.31, 0.41)), die(4, (0.2, 0.03), flat=0.6)


def test_a_rethrow_beside_the_dice_that_did_not_count_is_recorded_at_once():
    """One die came to rest near an old one of its value; the board was not seen in between."""
    events = shown(LYING, (die(4, (0.37, 0.52)), die(1, (0.34, 0.63))))
    assert [one.dice for one in of(events, DiceVoid)] == [(4, 4)]
    assert [one.dice for one in of(events, DiceRolled)][-1] == (4, 1)


def test_dice_that_a_hand_pushes_are_no_rethrow():
    events = shown(LYING, (die(4, (0.37, 0.5)), die(4, (0.27, 0.1))))
    assert of(events, DiceVoid) == []


def test_a_die_that_is_read_anew_where_it_lay_is_no_rethrow():
    events = shown(LYING, (die(4, (0.31, 0.41)), die(1, (0.4, 0.6))))
    assert of(events, DiceVoid) == []
