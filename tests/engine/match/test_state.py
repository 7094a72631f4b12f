"""The record folds into what the page shows."""

from typing import Any

import pytest

from engine.cube import CubeRules
from engine.events.match import (
    Beavered,
    DiceRolled,
    DiceVoid,
    Doubled,
    DoubleDropped,
    DoubleTaken,
    GameEnd,
    GameStart,
    IllegalMade,
    MatchEnd,
    OpeningRolled,
    PlayAccepted,
    PlayMade,
    PlayRejected,
    Raccooned,
)
from engine.events.record import BoardMoved, MatchClosed, MatchContinued, MatchPaused
from engine.match.fold import apply_event, fold
from engine.match.phase import Phase
from engine.match.prompt import prompt_of
from engine.match.state import MatchState
from engine.position import Position, Side
from engine.rules import find_rules

OPENING = find_rules("short").opening()
START = GameStart(time=0, frame=0, position=OPENING, light="Ann", dark="Bo", length=5)
AFTER = Position((0, *OPENING.light[1:8], 4, *OPENING.light[9:13], 4, *OPENING.light[14:]),
                 OPENING.dark)  # fmt: skip


def rolled(player, dice):
    return DiceRolled(time=1, frame=1, player=player, dice=dice)


def played(player, position=AFTER, **more):
    arguments = {"time": 2, "frame": 2, "dice": (3, 1), "play": "8/5 6/5", **more}
    return PlayMade(player=player, position=position, **arguments)


def illegal(player, position=AFTER):
    return IllegalMade(
        time=2, frame=2, player=player, dice=(4, 1), play="13/8", position=position, rule="no"
    )


def test_nothing_has_happened_before_the_first_event():
    state = MatchState()
    assert (state.phase, state.position, state.pips) == (Phase.WAITING, None, None)


def test_a_game_starts_with_its_position_and_nobody_to_move():
    state = fold([START])
    assert (state.phase, state.to_move, state.games) == (Phase.TO_ROLL, None, 1)
    assert (state.position, state.pips) == (OPENING, (167, 167))
    assert (state.name(Side.LIGHT), state.name(Side.DARK), state.length) == ("Ann", "Bo", 5)


def test_a_roll_is_to_be_played_by_its_roller():
    state = fold([START, rolled(Side.DARK, (3, 1))])
    assert (state.phase, state.to_move, state.roll) == (Phase.TO_PLAY, Side.DARK, (3, 1))


def test_a_void_throw_is_rolled_again_by_the_same_side():
    void = DiceVoid(time=1, frame=1, player=Side.DARK, reason="cocked", dice=(5, None))
    state = fold([START, rolled(Side.DARK, (3, 1)), void])
    assert (state.phase, state.to_move, state.roll) == (Phase.TO_ROLL, Side.DARK, None)


def test_after_a_play_the_opponent_rolls():
    state = fold([START, rolled(Side.LIGHT, (3, 1)), played(Side.LIGHT)])
    assert (state.position, state.to_move, state.phase) == (AFTER, Side.DARK, Phase.TO_ROLL)
    assert state.turns[0].before == OPENING
    assert state.turns[0].game == 1


def test_an_illegal_play_is_disputed_until_it_is_accepted():
    state = fold([START, illegal(Side.LIGHT)])
    assert state.phase is Phase.DISPUTED
    accepted = apply_event(state, PlayAccepted(time=3, frame=3, player=Side.DARK))
    assert (accepted.phase, accepted.to_move) == (Phase.TO_ROLL, Side.DARK)


def test_a_rejected_play_is_taken_back_and_its_roll_is_played_again():
    state = fold([START, illegal(Side.LIGHT), PlayRejected(time=3, frame=3, player=Side.DARK)])
    assert (state.position, state.to_move, state.roll) == (OPENING, Side.LIGHT, (4, 1))
    assert state.phase is Phase.TO_PLAY
    assert state.turns[0].rejected
    assert state.effective_turns == ()


def test_what_needs_review_is_listed():
    state = fold([START, played(Side.LIGHT), played(Side.DARK, review=True)])
    assert [turn.event.player for turn in state.turns if turn.needs_review] == [Side.DARK]


@pytest.mark.parametrize(("winner", "score"), [(Side.LIGHT, (2, 0)), (Side.DARK, (0, 2))])
def test_the_winner_scores(winner, score):
    state = fold([START, GameEnd(time=9, frame=9, winner=winner, points=2, result="gammon")])
    assert (state.score, state.phase, state.to_move) == (score, Phase.OVER, None)


def test_an_event_that_changes_nothing_is_still_the_last():
    moved = BoardMoved(time=4, frame=4)
    before = fold([START])
    after = apply_event(before, moved)
    assert after.last_event is moved
    assert after.position == before.position


def test_a_fold_can_go_on_from_a_state():
    events = [START, rolled(Side.LIGHT, (3, 1)), played(Side.LIGHT)]
    assert fold(events[1:], fold(events[:1])) == fold(events)


def cube_events(*kinds) -> MatchState:
    """A money or match game after these events."""
    at: dict[str, Any] = {"time": 0.0, "frame": 0}
    start = GameStart(**at, position=find_rules("short").opening(), length=0)
    return fold((start, *(kind(**at, **given) for kind, given in kinds)))


def test_the_higher_opening_die_begins_with_both_numbers():
    state = cube_events((OpeningRolled, {"light": 3, "dark": 5}))
    assert (state.phase, state.to_move, state.roll) == (Phase.TO_PLAY, Side.DARK, (5, 3))
    assert state.starter is Side.DARK


def test_a_tie_of_the_opening_dice_doubles_only_where_it_was_agreed():
    at: dict[str, Any] = {"time": 0.0, "frame": 0}
    start = GameStart(**at, position=find_rules("short").opening())
    tie = OpeningRolled(**at, light=3, dark=3)
    agreed = MatchState(cube_rules=CubeRules(automatic_doubles=1))
    assert fold((start, tie, tie), agreed).cube.value == 2
    assert fold((start, tie)).cube.value == 1


def test_the_starter_of_narde_rolls_again():
    at: dict[str, Any] = {"time": 0.0, "frame": 0}
    start = GameStart(**at, position=find_rules("narde").opening(), variant="narde")
    state = fold((start, OpeningRolled(**at, light=6, dark=5)))
    assert (state.phase, state.to_move, state.roll) == (Phase.TO_ROLL, Side.LIGHT, None)


def test_a_double_waits_for_its_answer_and_the_doubler_rolls():
    doubled = cube_events((Doubled, {"player": Side.LIGHT, "value": 2}))
    assert (doubled.phase, doubled.to_move) == (Phase.DOUBLED, Side.DARK)
    assert str(prompt_of(doubled)) == "Dark to take or drop the cube at 2"
    taken = apply_event(doubled, DoubleTaken(time=1, frame=1, player=Side.DARK))
    assert (taken.phase, taken.to_move) == (Phase.TO_ROLL, Side.LIGHT)
    assert (taken.cube.value, taken.cube.owner) == (2, Side.DARK)
    dropped = apply_event(doubled, DoubleDropped(time=1, frame=1, player=Side.DARK))
    assert (dropped.phase, dropped.to_move) == (Phase.OVER, None)


def test_after_a_beaver_and_its_raccoon_the_first_doubler_rolls():
    state = cube_events(
        (Doubled, {"player": Side.LIGHT, "value": 2}),
        (Beavered, {"player": Side.DARK, "value": 4}),
        (Raccooned, {"player": Side.LIGHT, "value": 8}),
    )
    assert (state.phase, state.to_move) == (Phase.DOUBLED, Side.DARK)
    taken = apply_event(state, DoubleTaken(time=1, frame=1, player=Side.DARK))
    assert (taken.cube.value, taken.cube.owner, taken.to_move) == (8, Side.DARK, Side.LIGHT)


def test_a_take_without_a_double_changes_nothing():
    start = cube_events()
    assert apply_event(start, DoubleTaken(time=1, frame=1, player=Side.DARK)).cube == start.cube


def test_the_crawford_game_is_played_once():
    at: dict[str, Any] = {"time": 0.0, "frame": 0}
    position = find_rules("short").opening()
    scores = ((4, 0), (4, 1), (4, 4))
    state, seen = MatchState(), []
    for score in scores:
        state = apply_event(state, GameStart(**at, position=position, length=5, score=score))
        seen.append((state.doubling_context.is_crawford, state.doubling_context.is_after_crawford))
    assert seen == [(True, False), (False, True), (False, True)]


@pytest.mark.parametrize(
    "end",
    [
        MatchContinued(time=9, frame=9),
        MatchClosed(time=9, frame=9, score=(0, 0)),
        MatchEnd(time=9, frame=9, winner=Side.DARK, score=(0, 5)),
    ],
    ids=lambda end: end.type,
)
def test_a_match_is_paused_until_it_continues_or_ends(end):
    paused = fold(
        [START, MatchPaused(time=3, frame=3, clock=Side.LIGHT), rolled(Side.LIGHT, (3, 1))]
    )
    assert (paused.is_paused, paused.pause.clock, paused.roll) == (True, Side.LIGHT, (3, 1))
    assert not apply_event(paused, end).is_paused


def test_a_match_ends_with_a_winner():
    state = cube_events((MatchEnd, {"winner": Side.DARK, "score": (3, 7)}))
    assert (state.phase, state.winner, state.score) == (Phase.OVER, Side.DARK, (3, 7))
