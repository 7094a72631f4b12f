"""The doubling cube, seen by the camera and operated by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from engine import (
    Beavered,
    CubePlace,
    CubeSeen,
    DiceVoid,
    Doubled,
    DoubleDropped,
    DoubleTaken,
    GameEnd,
    GameStart,
    NotNow,
    Phase,
    PlayMade,
    Raccooned,
    Setup,
    TakenBack,
    Unfinished,
    find_rules,
)
from engine.cube import CENTRED, CubeRules
from engine.errors import IllegalCube
from engine.events.match import MatchEnd
from engine.evidence.cube_track import CubeAtRest, CubeHistory, CubeTrack, merge_cubes
from engine.match.prompt import prompt_of
from engine.ruleset import find_rule_set
from engine.simulation.board import die
from tests.engine.referee.test_referee import CLOSED
from tests.refereed_board import DARK, LIGHT, OPENING, cube_seen, match, three_turns

NARDE = find_rules("narde")
CENTRE, OFFERED = CubePlace.CENTRE, CubePlace.OFFERED
AT: dict[str, Any] = {"time": 99.0, "frame": 99}


def begun(**arguments):
    """Light has played; dark is to roll, the cube in the middle."""
    one = match(**arguments)
    one.cube = cube_seen(1, CENTRE)
    one.turn(LIGHT, (3, 1), "8/5 6/5")
    return one


def money(**cube):
    return replace(find_rule_set("casual"), cube=CubeRules(**cube))


def test_an_offered_cube_is_a_double_of_the_player_on_turn():
    one = begun()
    one.set_cube(2, OFFERED, observations=4)
    (double,) = one.of(Doubled)
    assert (double.player, double.value) == (DARK, 2)
    assert (one.state.phase, one.state.to_move) == (Phase.DOUBLED, LIGHT)
    assert str(prompt_of(one.state)) == "Light to take or drop the cube at 2"


def test_one_glance_is_no_double():
    one = begun()
    one.set_cube(2, OFFERED, observations=2)
    assert one.of(Doubled) == []
    one.board.move_hand()
    one.rest(2)
    assert len(one.of(Doubled)) == 1


def test_a_glance_that_the_next_contradicts_is_no_double():
    one = begun()
    for _ in range(3):
        one.set_cube(2, OFFERED, observations=2)
        one.set_cube(1, CENTRE, observations=2)
    assert one.of(Doubled) == []


def test_a_glance_of_an_offer_and_one_of_the_taken_cube_are_a_double():
    """Two places show the number, which a single misreading cannot do."""
    one = begun()
    one.set_cube(2, OFFERED, observations=2)
    one.set_cube(2, CubePlace.LIGHT, observations=2)
    assert [double.player for double in one.of(Doubled)] == [DARK]
    one.turn(DARK, (4, 2), "8/4 6/4")
    kinds = [type(event) for event in one.events]
    assert kinds.index(DoubleTaken) < kinds.index(PlayMade, kinds.index(Doubled))
    one.check_fold()


def test_a_cube_that_is_read_in_doubt_is_no_double():
    one = begun()
    one.set_cube(2, OFFERED, observations=6, confidence=0.8)
    assert one.of(Doubled) == []


def test_the_same_value_in_the_middle_of_the_field_is_no_double():
    one = begun()
    one.set_cube(1, OFFERED, observations=6)
    assert one.of(Doubled) == []


def taken(one):
    one.set_cube(2, OFFERED, observations=4)
    one.set_cube(2, CubePlace.LIGHT, observations=4)
    return one


def test_a_cube_is_taken_when_the_doubler_rolls():
    one = taken(begun())
    assert one.of(DoubleTaken) == []
    one.turn(DARK, (4, 2), "8/4 6/4")
    assert [take.player for take in one.of(DoubleTaken)] == [LIGHT]
    assert (one.state.cube.value, one.state.cube.owner) == (2, LIGHT)
    made = one.of(PlayMade)
    assert [(play.player, play.dice, play.review) for play in made][1:] == [(DARK, (4, 2), False)]
    one.check_fold()


def test_a_cube_is_taken_when_the_doubler_plays_a_roll_that_nobody_saw():
    one = begun()
    one.set_cube(2, OFFERED, observations=4)
    one.play(DARK, "8/4 6/4")
    assert [take.player for take in one.of(DoubleTaken)] == [LIGHT]
    one.turn(LIGHT, (6, 1), "13/7 8/7")
    dark, light = one.of(PlayMade)[1:]
    assert (dark.play, dark.dice, dark.review) == ("8/4 6/4", (4, 2), True)
    assert (light.play, light.dice, light.review) == ("13/7 8/7", (6, 1), False)
    one.check_fold()


def test_a_board_that_is_set_up_anew_takes_no_cube():
    """The doubler's own checkers go back first: that is no play of his."""
    one = match()
    one.cube = cube_seen(1, CENTRE)
    three_turns(one)
    one.set_cube(2, OFFERED, observations=4)
    one.set_up(one.board.position.with_sides(DARK, OPENING.dark, one.board.position.light))
    assert one.of(DoubleTaken) == []
    one.set_up(OPENING)
    assert [event.type for event in one.of(DoubleTaken | DoubleDropped)] == ["drop"]


def test_a_cube_that_lies_at_the_opponents_at_once_is_a_double_too():
    one = begun()
    one.set_cube(2, CubePlace.LIGHT, observations=4)
    one.turn(DARK, (4, 2), "8/4 6/4")
    assert [event.type for event in one.of(Doubled | DoubleTaken)] == ["double", "take"]
    assert one.state.cube.owner is LIGHT


def test_only_the_owner_redoubles():
    one = taken(begun())
    one.turn(DARK, (4, 2), "8/4 6/4")
    one.set_cube(4, OFFERED, observations=4)
    assert [(double.player, double.value) for double in one.of(Doubled)][1:] == [(LIGHT, 4)]
    other = taken(begun())
    other.turn(DARK, (4, 2), "8/4 6/4")
    other.turn(LIGHT, (6, 1), "13/7 8/7")
    other.set_cube(4, OFFERED, observations=4)
    assert len(other.of(Doubled)) == 1


def test_nothing_is_doubled_before_anybody_is_on_turn():
    one = match()
    one.set_cube(2, OFFERED, observations=6)
    assert one.of(Doubled) == []


def test_nothing_is_doubled_after_the_roll():
    one = begun()
    one.throw((4, 2), DARK)
    one.set_cube(2, OFFERED, observations=6)
    assert one.of(Doubled) == []


def test_nothing_is_doubled_in_the_crawford_game():
    one = match(length=1 + 1, light_throws_right=True)
    one.turn(LIGHT, (3, 1), "8/5 6/5")
    one.enter(Doubled(**AT, player=DARK, value=2))
    one.enter(DoubleDropped(**AT, player=LIGHT))
    one.set_up(OPENING)
    assert one.state.is_crawford
    one.turn(LIGHT, (3, 1), "8/5 6/5")
    one.set_cube(2, OFFERED, observations=6)
    assert len(one.of(Doubled)) == 1
    with pytest.raises(IllegalCube, match="Crawford"):
        one.enter(Doubled(**AT, player=DARK, value=2))


def test_narde_has_no_cube():
    one = match(find_rules("narde"))
    one.turn(LIGHT, (2, 1), "24/22 22/21")
    one.set_cube(2, OFFERED, observations=6)
    assert one.of(Doubled) == []
    with pytest.raises(NotNow, match="without a cube"):
        one.enter(Doubled(**AT, player=DARK, value=2))


def test_a_board_that_is_set_up_anew_drops_an_offered_cube():
    one = begun(length=5)
    one.set_cube(2, OFFERED, observations=4)
    one.set_up(OPENING)
    assert [drop.player for drop in one.of(DoubleDropped)] == [LIGHT]
    (end,) = one.of(GameEnd)
    assert (end.winner, end.points, end.result) == (DARK, 1, "drop")
    assert one.of(GameStart)[1].score == one.state.score == (0, 1)
    assert one.state.cube.value == 1
    one.check_fold()


def test_a_first_throw_off_the_board_does_not_hide_that_the_cube_was_taken():
    one = begun(length=5)
    one.set_cube(2, OFFERED, observations=4)
    one.cube = None  # nobody sees where the taker puts it
    one.dice(die(6, (0.7, 0.6)))
    one.lift()
    one.turn(DARK, (5, 4), "13/4")
    one.turn(LIGHT, (4, 2), "8/4 6/4")
    (take,) = one.of(DoubleTaken)
    assert take.player is LIGHT
    assert [(void.player, void.reason) for void in one.of(DiceVoid)] == [(DARK, "off_board")]
    assert [play.play for play in one.of(PlayMade)][1:] == ["13/4", "8/4 6/4"]
    one.check_fold()


def test_single_dice_while_the_cube_is_offered_are_no_throw():
    """As a hand turns it, the cube itself may pass for a die."""
    one = begun(length=5)
    one.set_cube(2, OFFERED, observations=4)
    for place in ((0.7, 0.6), (0.3, 0.4)):
        one.dice(die(6, place))
        one.lift()
    one.set_up(OPENING)
    assert one.of(DoubleTaken) == []
    assert [end.result for end in one.of(GameEnd)] == ["drop"]


def glimpsed(one, *, left_at=1):
    """Dark's cube lies offered for a moment, and then in the middle again."""
    one.set_cube(2, OFFERED, observations=2)
    assert one.of(Doubled) == []
    one.set_cube(left_at, CENTRE)


@pytest.mark.parametrize(("turns", "left_at"), [(1, 1), (3, 1), (3, 2)])
def test_a_double_that_is_dropped_at_once_is_known_by_the_board_being_set_up(turns, left_at):
    """The cube is turned back as it is put away, or later."""
    one = begun(length=5)
    if turns > 1:
        one.turn(DARK, (4, 2), "8/4 6/4")
        one.turn(LIGHT, (6, 5), "24/13")
    glimpsed(one, left_at=left_at)
    one.set_up(OPENING)
    (double,), (drop,), (end,) = one.of(Doubled), one.of(DoubleDropped), one.of(GameEnd)
    assert (double.player, double.value, drop.player) == (DARK, 2, LIGHT)
    assert (end.winner, end.points, end.result) == (DARK, 1, "drop")
    assert one.of(TakenBack) == []
    one.check_fold()


def test_a_double_that_is_dropped_at_once_is_known_beside_dice_that_are_not_in_use():
    """Or beside ornaments that pass for dice."""
    one = begun(length=5)
    one.turn(DARK, (4, 2), "8/4 6/4")
    one.board.left_dice[DARK] = die(1, (0.4, 0.7)), die(2, (0.6, 0.3))
    one.rest(1)
    one.turn(LIGHT, (6, 5), "24/13")
    glimpsed(one)
    one.set_up(OPENING)
    assert [(one.player, one.value) for one in one.of(Doubled)] == [(DARK, 2)]
    assert [end.result for end in one.of(GameEnd)] == ["drop"]


def test_who_throws_after_a_glimpse_of_the_cube_has_not_doubled():
    one = begun(length=5)
    one.turn(DARK, (4, 2), "8/4 6/4")
    one.turn(LIGHT, (6, 5), "24/13")
    glimpsed(one)
    one.turn(DARK, (6, 5), "24/13")
    one.set_up(OPENING)
    assert one.of(Doubled | GameEnd) == []
    assert len(one.of(Unfinished)) == 1


def test_a_cube_that_lies_about_while_the_board_is_set_up_was_not_offered():
    one = begun(length=5)
    one.turn(DARK, (4, 2), "8/4 6/4")
    one.turn(LIGHT, (6, 5), "24/13")
    one.set_up(replace(one.state.position, light=OPENING.light))
    glimpsed(one)
    one.set_up(OPENING)
    assert one.of(Doubled | GameEnd) == []
    assert len(one.of(Unfinished)) == 1


def test_a_redouble_that_is_dropped_costs_the_cube_and_may_end_the_match():
    one = taken(begun(length=2))
    one.turn(DARK, (4, 2), "8/4 6/4")
    one.set_cube(4, OFFERED, observations=4)
    one.set_up(OPENING)
    (end,) = one.of(GameEnd)
    assert (end.winner, end.points) == (LIGHT, 2)
    (over,) = one.of(MatchEnd)
    assert (over.winner, over.score) == (LIGHT, (2, 0))
    assert str(prompt_of(one.state)) == "Light has won the match: 2-0"
    one.rest(6)
    assert len(one.of(GameStart)) == 1
    one.check_fold()


def test_a_double_ends_a_turn_in_which_nothing_could_be_moved():
    one = begun()
    one.throw((6, 6), DARK)
    shut = one.of(PlayMade)
    one.lift()
    one.set_cube(2, OFFERED, observations=4)
    assert one.of(PlayMade) == shut  # dark could move: these dice may have been void
    assert one.of(Doubled) == []


def test_beavers_and_raccoons_where_they_are_agreed():
    one = begun(rule_set=money(beavers=True, raccoons=True))
    one.set_cube(2, OFFERED, observations=4)
    one.set_cube(4, CubePlace.LIGHT, observations=4)
    one.set_cube(8, CubePlace.LIGHT, observations=4)
    one.turn(DARK, (4, 2), "8/4 6/4")
    kinds = one.of(Doubled | Beavered | Raccooned | DoubleTaken)
    assert [event.type for event in kinds] == ["double", "beaver", "raccoon", "take"]
    assert (one.state.cube.value, one.state.cube.owner) == (8, LIGHT)


def test_no_beaver_where_none_is_agreed():
    one = begun()
    one.set_cube(2, OFFERED, observations=4)
    one.set_cube(4, CubePlace.LIGHT, observations=4)
    assert one.of(Beavered) == []


def test_the_cube_may_be_entered_by_hand():
    one = begun()
    one.enter(Doubled(**AT, player=DARK, value=2))
    one.enter(DoubleTaken(**AT, player=LIGHT))
    assert (one.state.cube.value, one.state.cube.owner, one.state.to_move) == (2, LIGHT, DARK)
    one.turn(DARK, (4, 2), "8/4 6/4")
    assert len(one.of(DoubleTaken)) == 1
    one.check_fold()


@pytest.mark.parametrize(
    ("event", "why"),
    [
        (Doubled(**AT, player=LIGHT, value=2), "only before rolling"),
        (Doubled(**AT, player=DARK, value=4), "the next value of the cube is 2"),
        (DoubleTaken(**AT, player=LIGHT), "no double to answer"),
        (DoubleDropped(**AT, player=LIGHT), "no double to answer"),
        (Beavered(**AT, player=LIGHT, value=4), "only an offered cube"),
    ],
)
def test_what_cannot_be_is_refused_and_changes_nothing(event, why):
    one = begun()
    before = one.state
    with pytest.raises((NotNow, IllegalCube), match=why):
        one.enter(event)
    assert one.state == before


def test_jacoby_counts_a_gammon_single_unless_the_cube_was_turned():
    position = Setup((13, 0, 0, 1, 1, *[0] * 21), (0,) * 6 + (15,) + (0,) * 19).checked()
    for turned, points in ((False, 1), (True, 4)):
        one = match(position=position, rule_set=money(jacoby=True))
        one.turn(DARK, (2, 1), "6/4 6/5")
        if turned:
            one.enter(Doubled(**AT, player=LIGHT, value=2))
            one.enter(DoubleTaken(**AT, player=DARK))
        one.turn(LIGHT, (6, 4), "4/off 3/off")
        (end,) = one.of(GameEnd)
        assert (end.points, end.result) == (points, "gammon")


def test_observations_of_a_cube_are_averaged_and_never_summed():
    doubtful = CubeTrack.of(cube_seen(2, OFFERED, confidence=0.8))
    many = doubtful
    for _ in range(20):
        many = many + doubtful
    assert doubtful.at_rest(CENTRED) is many.at_rest(CENTRED) is None
    sure = CubeTrack.of(cube_seen(2, OFFERED))
    assert sure.at_rest(CENTRED) == CubeAtRest(2, OFFERED)
    assert merge_cubes(None, sure) is merge_cubes(sure, None) is sure


def test_a_cube_history_counts_still_periods_and_forgets_what_is_contradicted():
    offered, back = (CubeTrack.of(cube_seen(*c)) for c in ((2, OFFERED), (1, CENTRE)))
    watch = CubeHistory().with_track(offered, CENTRED)
    assert watch.confirmed is None
    assert watch.with_track(None, CENTRED).last_seen == watch.last_seen
    assert watch.with_track(offered, CENTRED).confirmed == CubeAtRest(2, OFFERED)
    assert watch.with_track(back, CENTRED).with_track(offered, CENTRED).confirmed is None


def test_a_take_without_an_observation_before_it_is_recorded_with_the_throw():
    one = begun()
    one.board.move_hand()
    one.set_cube(2, CubePlace.LIGHT, observations=2)
    assert one.of(Doubled) == []
    one.turn(DARK, (4, 2), "8/4 6/4")
    assert [event.type for event in one.events[-4:]] == ["double", "take", "roll", "play"]
    assert (one.state.cube.value, one.state.cube.owner) == (2, LIGHT)
    one.check_fold()


def test_a_cube_that_lies_before_the_roller_after_his_roll_is_no_double():
    one = begun()
    one.set_cube(2, OFFERED, observations=2)
    one.throw((4, 2), DARK)
    one.play(DARK, "8/4 6/4")
    assert one.of(Doubled) == []


def test_a_double_that_ends_a_pass_is_recorded_with_it():
    one = match(position=CLOSED)
    one.cube = cube_seen(1, CENTRE)
    one.turn(DARK, (3, 1), "7/3")
    one.throw((6, 5), LIGHT)
    one.lift()
    one.set_cube(2, OFFERED, observations=4)
    assert [event.type for event in one.events[-2:]] == ["play", "double"]
    assert one.state.phase is Phase.DOUBLED


def test_a_cube_turned_twice_of_which_one_was_never_seen_records_both():
    one = begun()
    one.cube = None
    one.turn(DARK, (4, 2), "8/4 6/4")
    one.turn(LIGHT, (6, 1), "13/7 8/7")
    one.set_cube(4, OFFERED, observations=4)
    assert [(e.type, e.player) for e in one.of(Doubled | DoubleTaken)] == [
        ("double", LIGHT),
        ("take", DARK),
        ("double", DARK),
    ]
    assert one.state.cube.offer.value == 4
    one.check_fold()


@pytest.mark.parametrize("is_dropped", [False, True])
def test_a_cube_just_seen_unturned_was_not_turned_twice(is_dropped):
    one = begun()
    one.rest(8)
    one.board.move_hand()
    one.observe()
    likelier_four = (0.0, 0.19, 0.72, 0.02, 0.0, 0.0, 0.07)
    one.cube = CubeSeen(likelier_four, cube_seen(2, OFFERED).places)
    one.rest(2 if is_dropped else 4)
    if is_dropped:
        one.board.move_hand()
        one.observe()
        one.cube = cube_seen(1, CENTRE)
        one.set_up(OPENING, observations=6)
    (double,) = one.of(Doubled)
    assert double.value == 2
    assert len(one.of(DoubleDropped)) == is_dropped
    one.check_fold()


def test_a_number_is_guessed_only_within_a_turn_of_seeing_the_cube_as_recorded():
    centred, offered = cube_seen(1, CENTRE), cube_seen(2, OFFERED)
    guessed = CubeTrack.of(CubeSeen((0.0, 0.19, 0.72, 0.02, 0.0, 0.0, 0.07), offered.places))
    assert CubeHistory().with_track(guessed, CENTRED).last_seen is None
    watch = CubeHistory().with_track(CubeTrack.of(centred), CENTRED)
    watch = watch.with_track(guessed, CENTRED).with_track(guessed, CENTRED)
    assert watch.confirmed == CubeAtRest(2, OFFERED)
    later = watch.with_track(None, CENTRED).with_track(guessed, CENTRED)
    assert later.unseen_periods > 0


def test_a_number_misread_at_its_owner_s_is_no_pair_of_doubles():
    one = taken(begun())
    one.turn(DARK, (4, 2), "8/4 6/4")
    one.cube = cube_seen(8, CubePlace.LIGHT)
    one.turn(LIGHT, (6, 1), "13/7 8/7")
    one.rest(4)
    one.turn(DARK, (6, 1), "13/7 8/7")
    assert len(one.of(Doubled)) == 1


def test_a_cube_that_is_left_where_the_last_game_had_it_is_no_double():
    one = taken(begun())
    one.set_up(OPENING, observations=6)
    assert len(one.of(GameStart)) == 2
    doubles = len(one.of(Doubled))
    three_turns(one)
    assert len(one.of(Doubled)) == doubles
    one.set_cube(1, CENTRE, observations=4)
    one.set_cube(2, CubePlace.LIGHT, observations=4)
    assert len(one.of(Doubled)) == doubles + 1


def test_a_doubtful_number_is_recorded_where_only_it_can_be_turned_to():
    likely = (0.03, 0.87, *(0.02,) * 5)
    seen = CubeTrack.of(CubeSeen(likely, cube_seen(2, OFFERED).places))
    assert seen.at_rest(CENTRED) == CubeAtRest(2, OFFERED)
    rarer = (likely[0], likely[2], likely[1], *likely[3:])
    seen = CubeTrack.of(CubeSeen(rarer, cube_seen(2, OFFERED).places))
    assert seen.at_rest(CENTRED) is None


def test_a_swept_board_after_three_turns_drops_too():
    one = match()
    three_turns(one)
    one.set_cube(2, OFFERED, observations=4)
    one.set_up(OPENING)
    assert [drop.player for drop in one.of(DoubleDropped)] == [LIGHT]


@pytest.mark.parametrize(
    ("seen", "arguments", "lacks"),
    [(None, {}, True), (cube_seen(1, CENTRE), {}, False), (None, {"rules": NARDE}, False)],
)
def test_a_cube_that_is_never_seen_is_missed_from_the_first_play_on(seen, arguments, lacks):
    one = match(**arguments)
    one.cube = seen
    one.rest()
    assert not one.referee.lacks_cube
    one.turn(LIGHT, (3, 1), "24/20" if arguments else "8/5 6/5")
    assert one.referee.lacks_cube is lacks


def test_a_cube_that_is_seen_no_more_is_missed_after_some_turns():
    one = match()
    one.cube = cube_seen(1, CENTRE)
    one.rest()
    three_turns(one)
    one.cube = None
    one.turn(DARK, (2, 1), "6/5 5/3")
    assert not one.referee.lacks_cube
    for side in (LIGHT, DARK, LIGHT, DARK):
        one.turn(side, (2, 1), "6/5 5/3")
    assert one.referee.lacks_cube
