"""Doubles whose moves pass to the opponent, or that give another roll, by sight."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine import GameEnd, Observation, PlayMade, Position, Referee, Roll, Setup, Side, find_rules
from engine.events.match import IllegalMade
from engine.events.record import PositionFound, PositionSet, Resumed, Unfinished, Unseen
from engine.evidence.observation import Surface
from engine.match.leftover import outcome_of_play
from engine.match.phase import Phase
from engine.referee import HistorySearch
from engine.rules.legal import legal_plays
from engine.simulation.board import SimulatedBoard, die
from tests.engine.rules.test_narde import pos
from tests.refereed_board import Match

LIGHT, DARK = Side
SHUT_OUT = pos("light 2:1 1:2 off:12 | dark 20:1 19:2 6:1 2:2 1:9")
"""Dark can move no six, and light bears off its last three checkers with them."""
HALF = pos("light 2:1 1:1 off:13 | dark 20:1 19:1 18:1 2:3 1:9")
"""Dark can move two sixes and no more, and light bears off its last two with the others."""


def begun(before: Position, variant: str = "khachapuri", roller: Side = DARK) -> Match:
    """A match at a position from which `roller` rolls next."""
    rules = find_rules(variant)
    board = SimulatedBoard(np.random.default_rng(1), rules.opening())
    match = Match(Referee(rules, light_throws_right=True), board)
    match.rest(3)
    board.position = before
    frame = round(12 * board.clock)
    match.enter(PositionSet(time=board.clock, frame=frame, position=before, to_move=roller))
    board.rest(3)
    match.observe()
    return match


def plays_of(match: Match) -> list[tuple[Side, tuple | None, str]]:
    return [(one.player, one.dice, one.play) for one in match.events if isinstance(one, PlayMade)]


@pytest.mark.parametrize("before", [SHUT_OUT, HALF])
@pytest.mark.parametrize("looks", [0, 2])
def test_a_game_that_ends_with_the_moves_left_over_is_won(before, looks):
    match = begun(before)
    board, rules = match.board, find_rules("khachapuri")
    play = next(
        one
        for one in legal_plays(before, DARK, Roll(6, 6), rules)
        if outcome_of_play(before, DARK, (6, 6), one.position, rules).leftover
    )
    board.throw(Roll(6, 6), DARK)
    match.observe()
    if play.position != before:
        board.play(play.position)
        match.observe()
    board.lift(looks)
    match.observe()
    off = (15, *[0] * 25)
    board.play(play.position.with_sides(LIGHT, off, play.position.of(DARK)))
    match.observe()
    board.play(rules.opening(), 4)
    match.observe()
    (end,) = (one for one in match.events if isinstance(one, GameEnd))
    assert end.winner is LIGHT
    dark, light = plays_of(match)
    assert dark[:2] == (DARK, (6, 6))
    assert light[:2] == (LIGHT, None)
    assert match.state.phase is not Phase.TO_PLAY


LAST_ONE = pos("light 1:1 off:14 | dark 19:3 6:1 2:2 1:9")
"""Dark can move no six, and light bears off its last checker with one."""
WON = LAST_ONE.with_sides(LIGHT, (15, *[0] * 25), LAST_ONE.dark)


BETWEEN = LAST_ONE.with_sides(LIGHT, (13, 1, 0, 0, 0, 1, *[0] * 20), LAST_ONE.dark)


def swept_after(roll: tuple[int, int], last: Position) -> Match:
    """A match in which dark throws at `LAST_ONE`; the board then shows `last`, then a new game."""
    before = pos("light 5:1 1:1 off:13 | dark 19:3 6:1 4:1 3:1 1:9")
    match = searched(before, "khachapuri", DARK)
    board, rules = match.board, find_rules("khachapuri")
    turns = (DARK, Roll(2, 1), BETWEEN), (LIGHT, Roll(4, 1), LAST_ONE)
    for roller, thrown, after in turns:
        board.throw(thrown, roller)
        board.play(after)
        board.lift()
    board.dice = die(roll[0], (0.3, 0.6)), die(roll[1], (0.3, 0.4))
    board.move_hand()
    board.rest(2)
    board.lift()
    if last != board.position:
        board.play(last)
    opening = rules.opening()
    board.play(opening, 4)
    for roller, thrown in ((LIGHT, Roll(5, 4)), (DARK, Roll(4, 3))):
        board.throw(thrown, roller)
        board.play(next(iter(legal_plays(board.position, roller, thrown, rules))).position)
        board.lift()
    match.observe()
    return match


def test_a_game_won_by_what_a_misread_double_leaves_over_is_marked():
    match = swept_after((6, 3), WON)
    assert plays_of(match)[2:4] == [(DARK, (6, 6), "(no play)"), (LIGHT, None, "1/off")]
    assert [one.event.review for one in match.state.turns] == [False] * 2 + [True] * 2 + [False] * 2
    assert match.state.turns[3].event.position == WON
    assert [one.winner for one in match.events if isinstance(one, GameEnd)] == [LIGHT]


def test_a_game_that_no_double_can_have_ended_is_unfinished():
    """Light's last checker is cleared away first, after a roll that cannot have been 6-6."""
    match = swept_after((4, 3), WON)
    assert not any(isinstance(one, GameEnd) for one in match.events)
    assert any(isinstance(one, Unfinished) for one in match.events)


def test_after_an_unseen_double_the_same_player_may_roll_again():
    before = pos("light 24:4 6:11 | dark 24:4 6:11")
    match = begun(before)
    board, rules = match.board, find_rules("khachapuri")
    double = next(iter(legal_plays(before, DARK, Roll(2, 2), rules)))
    assert outcome_of_play(before, DARK, (2, 2), double.position, rules).rolls_again
    board.is_covered = True
    board.throw(Roll(2, 2), DARK)
    board.play(double.position)
    board.lift()
    board.is_covered = False
    after = next(iter(legal_plays(double.position, DARK, Roll(6, 1), rules))).position
    board.throw(Roll(6, 1), DARK)
    board.play(after)
    board.lift()
    match.observe()
    unseen, seen = (one for one in match.events if isinstance(one, PlayMade))
    assert (unseen.player, unseen.dice, unseen.position) == (DARK, (2, 2), double.position)
    assert (seen.player, seen.dice, seen.position) == (DARK, (6, 1), after)
    assert unseen.review
    assert match.state.to_move is LIGHT


def test_nobody_is_accused_whose_second_double_looks_like_the_first():
    before = pos("light 24:10 21:1 17:1 16:1 15:1 14:1 | dark 24:11 20:1 18:1 17:1 15:1")
    once = pos("light 24:9 19:1 17:1 16:1 15:1 11:1 9:1 | dark 24:11 20:1 18:1 17:1 15:1")
    twice = pos("light 24:8 19:1 17:1 16:1 14:1 11:1 10:1 4:1 | dark 24:11 20:1 18:1 17:1 15:1")
    match = begun(before, "gulbar", LIGHT)
    board = match.board
    # The second throw comes to rest where a sleeve could have pushed the first.
    for spots, after in ((((0.63, 0.77), (0.7, 0.5)), once), (((0.6, 0.44), (0.6, 0.7)), twice)):
        board.move_hand()
        board.dice = tuple(die(5, spot) for spot in spots)
        board.rest()
        board.play(after)
    board.lift()
    board.throw(Roll(2, 1), LIGHT)
    match.observe()
    plays = [one for one in match.events if isinstance(one, PlayMade)]
    assert [(one.player, one.legal, one.review) for one in plays] == [(LIGHT, True, True)] * 2
    assert plays[-1].position == twice
    assert match.state.to_move is LIGHT


def test_a_game_that_goes_on_after_a_completed_double_has_the_same_player_roll():
    before = pos("light 24:4 6:11 | dark 24:4 6:11")
    match = begun(before)
    board, rules = match.board, find_rules("khachapuri")
    double = next(iter(legal_plays(before, DARK, Roll(2, 2), rules))).position
    board.throw(Roll(2, 2), DARK)
    board.play(double)
    board.lift()
    board.play(Setup((15, *[0] * 25), (15, *[0] * 25), rules.course).checked(), 6)
    board.play(double, 6)
    match.observe()
    (resumed,) = (one for one in match.events if isinstance(one, Resumed))
    assert resumed.player is match.state.to_move is DARK


def test_nobody_is_accused_of_the_moves_that_a_double_left_over_if_its_dice_were_not_read():
    """One of its dice comes to rest where one of a void throw lay, with the same face."""
    before = pos(
        "light 19:1 17:1 12:2 11:3 9:1 8:1 7:1 6:1 5:1 4:1 2:1 1:1 | dark 3:2 2:2 1:9 off:2"
    )
    moved = pos("light 19:1 17:1 12:2 11:2 6:2 5:1 4:2 3:1 2:2 1:1 | dark 3:2 2:2 1:9 off:2")
    match = begun(before, "crazy_gulbar")
    board = match.board
    board.dice = die(5, (0.183, 0.356)), die(6, (0.152, 0.555), surface=Surface.CHECKER)
    board.move_hand()
    board.rest()
    board.dice = die(5, (0.095, 0.161)), die(5, (0.149, 0.372))
    board.move_hand()
    board.rest()
    board.lift()
    board.play(moved)
    board.throw(Roll(4, 3), LIGHT)
    after = next(iter(legal_plays(moved, LIGHT, Roll(4, 3), find_rules("crazy_gulbar")))).position
    board.play(after)
    board.lift()
    match.observe()
    made = [one for one in match.events if isinstance(one, PlayMade)]
    assert not any(isinstance(one, IllegalMade) for one in made)
    assert [one.position for one in made] == [before, moved, after]
    assert [one.review for one in made] == [True, True, True]


def test_a_double_that_cannot_be_played_is_followed_at_once_by_the_opponents_moves():
    before = pos("light 6:4 2:1 1:2 off:8 | dark 20:1 19:2 6:1 2:2 1:9")
    moved = pos("light 2:1 1:2 off:12 | dark 20:1 19:2 6:1 2:2 1:9")
    after = pos("light 1:1 off:14 | dark 20:1 19:2 6:1 2:2 1:9")
    match = begun(before)
    board = match.board
    board.throw(Roll(6, 6), DARK)
    board.lift(0)
    board.play(moved)
    board.throw(Roll(2, 1), LIGHT)
    board.play(after)
    board.lift()
    match.observe()
    made = [one for one in match.events if isinstance(one, PlayMade)]
    assert [(one.player, one.dice) for one in made] == [
        (DARK, (6, 6)), (LIGHT, None), (LIGHT, (2, 1)),
    ]  # fmt: skip
    assert [one.position for one in made] == [before, moved, after]
    assert all(one.legal and not one.review for one in made)


UNCLEAR = (0.01, 0.56, 0.4, 0.01, 0.01, 0.01)
"""The faces of a die that looks like 2, and nearly as much like 3."""


@pytest.mark.parametrize("variant", ["gulbar", "khachapuri"])
def test_a_die_that_may_make_a_double_leaves_no_doubt_once_the_game_is_over(variant):
    before = pos("light 2:3 1:4 off:8 | dark 1:2 off:13")
    match = begun(before, variant)
    board, first = match.board, len(match.board.seen)
    board.throw(Roll(5, 3), DARK)
    board.play(pos("light 2:3 1:4 off:8 | dark off:15"))
    for n, seen in enumerate(board.seen[first:], start=first):
        if isinstance(seen, Observation) and len(seen.dice) == 2:
            one, other = seen.dice
            doubtful = replace(other, faces=(0.01, 0.01, 0.55, 0.01, 0.41, 0.01))
            board.seen[n] = replace(seen, dice=(one, doubtful))
    board.lift(3)
    match.observe()

    (made,) = (one for one in match.events if isinstance(one, PlayMade))
    assert (made.player, made.play) == (DARK, "1/off(2)")
    assert [one.winner for one in match.events if isinstance(one, GameEnd)] == [DARK]


def test_moves_that_nobody_made_show_that_a_die_was_misread():
    """Dark's 3-2 looks rather like 2-2, which would leave three twos to light."""
    before = pos("light 2:3 1:4 off:8 | dark 2:1 1:1 off:13")
    played = pos("light 2:3 1:4 off:8 | dark 1:1 off:14")
    after = pos("light 2:3 off:12 | dark 1:1 off:14")
    rules = find_rules("giul")
    start = Referee(rules, light_throws_right=True)
    board = SimulatedBoard(np.random.default_rng(1), rules.opening())
    match = Match(HistorySearch(start), board)  # type: ignore[arg-type]
    match.rest(3)
    board.position = before
    frame = round(12 * board.clock)
    match.events += match.referee.enter(
        PositionSet(time=board.clock, frame=frame, position=before, to_move=DARK)
    )
    first = len(board.seen)
    board.throw(Roll(2, 2), DARK)
    board.play(played)
    for n, seen in enumerate(board.seen[first:], start=first):
        if isinstance(seen, Observation):
            clear, other = seen.dice
            board.seen[n] = replace(seen, dice=(clear, replace(other, faces=UNCLEAR)))
    board.lift()
    board.throw(Roll(1, 1), LIGHT)
    board.play(after)
    board.lift()
    board.throw(Roll(2, 1), DARK)
    match.observe()
    turns = match.state.effective_turns
    assert [(one.event.player, one.event.dice) for one in turns] == [
        (DARK, (3, 2)),
        (LIGHT, (1, 1)),
    ]
    assert match.state.position == after


def test_moves_left_over_are_part_of_what_nobody_saw():
    before, (roller, double, doubled), moved, (roll, after) = SEED_5
    match = begun(before, "gulbar", roller)
    board = match.board
    board.is_covered = True
    board.throw(double, roller)
    board.play(doubled)
    board.lift()
    board.play(moved)
    board.is_covered = False
    board.throw(roll, roller.other)
    board.play(after)
    board.lift()
    match.observe()
    made = [one for one in match.events if isinstance(one, PlayMade)]
    assert [one.position for one in made] == [doubled, moved, after]
    assert [one.player for one in made] == [roller, roller.other, roller.other]
    assert [one.dice for one in made] == [(6, 6), None, (6, 1)]
    assert all(one.legal for one in made)
    assert made[0].review
    assert match.state.to_move is roller


SEED_5 = (
    pos("light 24:12 20:1 16:1 8:1 | dark 24:13 18:2"),
    (DARK, Roll(6, 6), pos("light 24:12 20:1 16:1 8:1 | dark 24:12 18:3")),
    pos("light 24:11 18:1 16:1 14:1 2:1 | dark 24:12 18:3"),
    (Roll(6, 1), pos("light 24:10 18:1 17:1 16:1 14:1 2:1 | dark 24:12 18:3")),
)
RUNNERS = "24:1 22:1 20:1 19:1 18:1 17:1 16:1 13:1 12:1 11:1 10:1 9:1 8:1 7:1 6:1"
SEED_3 = (
    pos(f"light 15:1 13:1 11:2 9:7 3:4 | dark {RUNNERS}"),
    (LIGHT, Roll(4, 4), pos(f"light 11:3 9:8 3:4 | dark {RUNNERS}")),
    pos(
        "light 11:3 9:8 3:4 "
        "| dark 22:1 20:2 19:1 18:1 17:1 16:1 13:1 12:1 11:1 10:1 9:1 8:1 6:1 3:1"
    ),
    (
        Roll(2, 1),
        pos(
            "light 11:3 9:8 3:4 | dark 22:1 20:2 19:1 17:1 16:2 13:1 12:1 11:1 10:1 9:1 8:1 5:1 3:1"
        ),
    ),
)


@pytest.mark.parametrize("looks", [0, 2])
@pytest.mark.parametrize("turns", [SEED_5, SEED_3], ids=["seed 5, turn 7", "seed 3, turn 228"])
def test_moves_left_over_that_follow_the_double_at_once_accuse_nobody(turns, looks):
    before, (roller, double, doubled), moved, (roll, after) = turns
    match = begun(before, "gulbar", roller)
    board, side = match.board, roller.other
    board.throw(double, roller)
    board.play(doubled)
    board.lift(looks)
    board.play(moved)
    board.throw(roll, side)
    board.play(after)
    board.lift()
    match.observe()
    made = [one for one in match.events if isinstance(one, PlayMade)]
    assert [one.position for one in made] == [doubled, moved, after]
    assert [one.player for one in made] == [roller, side, side]
    assert all(one.legal and not one.review for one in made)


def test_moves_left_over_that_are_made_before_the_dice_are_seen_gone_leave_no_doubt():
    """The first look without the double's dice shows them, and so counts for them as well."""
    before = pos(
        "light 24:1 20:1 19:1 18:1 17:2 16:1 15:1 12:1 10:1 9:1 6:1 5:1 4:1 2:1 "
        "| dark 10:2 9:11 1:2"
    )
    moved = pos(
        "light 24:1 19:1 18:1 17:2 16:1 15:1 14:1 12:1 9:1 8:1 6:1 5:1 4:1 2:1 | dark 10:2 9:11 1:2"
    )
    after = pos(
        "light 24:1 19:1 18:1 17:1 16:1 15:1 14:1 12:1 10:1 9:1 8:1 6:1 5:1 4:1 2:1 "
        "| dark 10:2 9:11 1:2"
    )
    match = begun(before, "gulbar")
    board = match.board
    board.throw(Roll(2, 2), DARK)
    board.lift(0)
    board.play(moved)
    board.throw(Roll(5, 2), LIGHT)
    board.play(after)
    board.lift()
    match.observe()
    made = [one for one in match.events if isinstance(one, PlayMade)]
    assert [one.position for one in made] == [before, moved, after]
    assert all(one.legal and not one.review for one in made)


def searched(before: Position, variant: str, roller: Side) -> Match:
    """The same, judged by every history that the observations leave possible."""
    match = begun(before, variant, roller)
    match.referee = HistorySearch(match.referee)  # type: ignore[assignment]
    return match


def misread(match: Match, faces: tuple[float, ...], looks: slice, value: int) -> None:
    """Let the die that shows `value` look like `faces` in these looks of the last ones."""
    seen = match.board.seen
    for n in range(len(seen))[looks]:
        one = seen[n]
        if isinstance(one, Observation):
            number = next(n for n, die in enumerate(one.dice) if np.argmax(die.faces) + 1 == value)
            dice = list(one.dice)
            dice[number] = replace(dice[number], faces=faces)
            seen[n] = replace(one, dice=tuple(dice))


def test_what_rests_on_a_die_that_may_make_a_double_is_marked():
    """Light's 6-5 cannot be played; if it was 6-6, dark moves two sixes before rolling."""
    before = pos("light 20:1 19:3 5:1 4:1 3:2 2:3 1:4 | dark 21:1 19:1 18:1 5:1 4:1 3:3 2:3 1:4")
    moved = pos("light 20:1 19:3 5:1 4:1 3:2 2:3 1:4 | dark 21:1 19:1 6:1 5:1 4:1 3:3 2:3 1:4")
    after = pos("light 20:1 19:3 5:1 3:1 2:3 1:6 | dark 21:1 19:1 6:1 5:1 4:1 3:3 2:3 1:4")
    match = searched(before, "khachapuri", LIGHT)
    board = match.board
    board.throw(Roll(6, 5), LIGHT)
    misread(match, (0.074, 0.074, 0.074, 0.074, 0.074, 0.63), slice(-2, None), 5)
    board.lift()
    board.throw(Roll(6, 6), DARK)
    board.play(moved)
    board.lift()
    board.throw(Roll(3, 2), LIGHT)
    board.play(after)
    board.lift()
    match.observe()
    turns = match.state.effective_turns
    assert [(one.event.player, one.event.dice, one.event.review) for one in turns] == [
        (LIGHT, (6, 6), True), (DARK, None, True), (DARK, (6, 6), True), (LIGHT, (3, 2), False),
    ]  # fmt: skip


def test_moves_left_over_that_follow_at_once_show_that_a_die_was_misread():
    before = pos("light 19:4 1:11 | dark 6:2 5:1 4:1 3:2 2:3 1:4 off:2")
    moved = pos("light 19:4 1:11 | dark 6:1 5:1 4:1 3:2 2:2 1:4 off:4")
    after = pos("light 19:4 1:11 | dark 6:1 5:1 3:1 2:2 1:4 off:6")
    played = pos("light 19:3 12:1 1:11 | dark 6:1 5:1 3:1 2:2 1:4 off:6")
    match = searched(before, "khachapuri", LIGHT)
    board = match.board
    board.throw(Roll(2, 2), LIGHT)
    misread(match, (0.717, 0.057, 0.057, 0.057, 0.056, 0.056), slice(-2, None), 2)
    board.lift(0)
    board.play(moved)
    board.throw(Roll(4, 3), DARK)
    board.play(after)
    board.lift()
    board.throw(Roll(4, 3), LIGHT)
    board.play(played)
    board.lift()
    match.observe()
    turns = match.state.effective_turns
    assert [(one.event.player, one.event.dice, one.event.review) for one in turns] == [
        (LIGHT, (2, 2), True), (DARK, None, False), (DARK, (4, 3), False), (LIGHT, (4, 3), False),
    ]  # fmt: skip
    assert [one.event.position for one in turns] == [before, moved, after, played]


def test_after_unread_moves_either_player_may_be_on_turn():
    before = pos("light 18:1 6:3 5:3 4:2 3:2 2:1 1:3 | dark 19:1 2:3 1:11")
    unread = pos("light 6:3 5:2 4:2 3:2 2:1 1:3 off:2 | dark 19:1 2:3 1:11")
    after = pos("light 6:3 5:1 4:2 3:2 2:1 1:2 off:4 | dark 19:1 2:3 1:11")
    match = begun(before, "khachapuri", LIGHT)
    board = match.board
    now, frame = board.clock, round(12 * board.clock)
    match.enter(Unseen(time=now, frame=frame, start=now, end=now, reason="unread"))
    match.referee.record(PositionFound(time=now, frame=frame, position=unread))
    board.play(unread)
    board.throw(Roll(6, 4), DARK)
    board.lift()
    board.throw(Roll(5, 1), LIGHT)
    board.play(after)
    board.lift()
    match.observe()
    turns = match.state.effective_turns
    assert [(one.event.player, one.event.position) for one in turns] == [
        (LIGHT, unread), (DARK, unread), (LIGHT, after),
    ]  # fmt: skip
    assert turns[1].event.review


def test_a_double_read_as_another_roll_with_certainty_is_found_by_the_moves_left_over():
    """Dark has three kushes to move then, with too many ways to list."""
    before = pos(
        "light 11:1 4:3 3:1 2:1 1:9 | dark 24:1 22:1 21:1 19:2 18:1 17:1 9:1 8:1 6:1 5:1 2:1 1:3"
    )
    moved = pos("light 11:1 4:3 3:1 2:1 1:9 | dark 20:1 19:2 17:1 11:1 6:1 5:1 4:1 3:1 2:3 1:3")
    after = pos("light 11:1 4:3 3:1 2:1 1:9 | dark 19:1 18:1 17:2 11:1 6:1 5:1 4:1 3:1 2:3 1:3")
    match = searched(before, "crazy_gulbar", LIGHT)
    board = match.board
    board.dice = die(6, (0.74, 0.49), confidence=0.999), die(4, (0.93, 0.54), confidence=0.999)
    board.move_hand()
    board.rest()
    board.lift()
    board.play(moved)
    board.throw(Roll(3, 1), DARK)
    board.play(after)
    board.lift()
    match.observe()
    turns = match.state.effective_turns
    assert [(one.event.player, one.event.dice) for one in turns] == [
        (LIGHT, (4, 4)), (DARK, None), (DARK, (3, 1)),
    ]  # fmt: skip
    assert [one.event.position for one in turns] == [before, moved, after]
    assert all(one.event.legal for one in turns)
    assert turns[0].event.review
