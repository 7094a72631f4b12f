"""Corrections by hand: everything after them is judged again from what was seen."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

from engine.dice import ALL_ROLLS, Roll
from engine.errors import EngineError, NotNow
from engine.events.match import Doubled, DoubleDropped, DoubleTaken, Event, IllegalMade, TurnEnded
from engine.events.record import Corrected, PositionSet
from engine.match.amendments import effective_events
from engine.match.corrections import Correction, PlayChosen, RollFixed
from engine.match.fold import fold
from engine.match.phase import Phase
from engine.match.state import MatchState
from engine.play import Play
from engine.position import Setup, Side
from engine.referee import InMemoryLog, Referee, ReplayableMatch
from engine.rules import SHORT, Rules, find_rules
from engine.rules.legal import apply_play, is_legal, legal_plays
from engine.simulation.board import SimulatedBoard
from engine.simulation.match import PlayerHabits, play_match
from engine.simulation.reader_errors import ReaderNoise
from engine.timestamp import Timestamp
from tests.at_length import at_length
from tests.observed_game import ARM, OPENING, ObservedGame
from tests.refereed_board import run_steps


def referee_at(state: MatchState | None, rules: Rules = SHORT) -> Referee:
    """A referee of a game, from the start or from a state."""
    if state is None:
        return Referee(rules, light_throws_right=True)
    return Referee.resume(rules, state, light_throws_right=True)


class ReplayRoom(ObservedGame):
    """A room whose match can be judged again."""

    def __init__(self) -> None:
        self.log = InMemoryLog()
        self.match = ReplayableMatch(referee_at, self.log)
        super().__init__(self.match)

    def correct(self, order: Correction) -> None:
        self.events += run_steps(self.match.correct(order, self.now))

    def enter(self, kind: type[Event], player: Side, **more: Any) -> None:
        at: dict[str, Any] = {"time": self.now.time, "frame": self.now.frame, "player": player}
        self.events += self.match.enter(kind(**at, **more))

    def undo(self) -> None:
        self.events += run_steps(self.match.undo(self.now))


@pytest.fixture
def room() -> ReplayRoom:
    begun = ReplayRoom()
    begun.observe(OPENING)
    return begun


def test_another_play_is_chosen_and_what_follows_is_judged_from_it(room):
    after = room.turn(OPENING, "8/2 6/5", (6, 1), Side.LIGHT, hidden=ARM)
    after = room.turn(after, "13/11 6/5", (2, 1), Side.DARK, hidden=ARM)
    room.turn(after, "24/22 24/23", (2, 1), Side.LIGHT, hidden=ARM)
    room.observe(after, (4, 2), Side.DARK, hidden=ARM)
    wrong = room.plays[0]
    assert wrong.review, "an arm hid what was played"
    room.correct(PlayChosen(1, "8/2 6/5"))
    first, second, third = room.plays
    assert (first.play, first.by, first.review) == ("8/2 6/5", "hand", False)
    assert third.position == apply_play(after, Side.LIGHT, Play.parse("24/22 24/23"), SHORT)
    assert second.position == after
    assert fold(room.events) == room.match.state


def test_a_chosen_play_that_the_roll_forbids_is_an_illegal_play(room):
    room.turn(OPENING, "13/7 8/7", (6, 1), Side.LIGHT)
    room.correct(PlayChosen(1, "13/7 8/6"))
    (made,) = room.plays
    assert isinstance(made, IllegalMade)
    assert made.rule
    assert made.by == "hand"


def test_a_play_confirmed_without_its_dice_has_no_roll_that_nobody_saw(room):
    after = room.turn(OPENING, "8/5 6/5", (3, 1), Side.LIGHT)
    after = apply_play(after, Side.DARK, Play.parse("13/7"), SHORT)
    room.observe(after)
    room.turn(after, "13/7 8/7", (6, 1), Side.LIGHT)
    unthrown = room.plays[1]
    assert (unthrown.player, unthrown.play, unthrown.dice) == (Side.DARK, "13/7", None)
    room.correct(PlayChosen(2, "13/7"))
    confirmed = room.plays[1]
    assert (confirmed.play, confirmed.by, confirmed.dice) == ("13/7", "hand", None)


def test_the_last_play_of_a_video_outlives_a_correction(room):
    after = room.turn(OPENING, "8/5 6/5", (3, 1), Side.LIGHT)
    room.observe(after, (6, 2), Side.DARK)
    end = apply_play(after, Side.DARK, Play.parse("24/18 13/11"), SHORT)
    room.observe(end, (6, 2), Side.DARK)
    assert len(room.match.state.turns) == 1
    room.match.finish(*room.now)
    room.correct(PlayChosen(1, "8/5 6/5"))
    assert [turn.event.play for turn in room.match.state.turns] == ["8/5 6/5", "24/18 13/11"]


def test_a_roll_is_fixed_and_its_play_is_in_doubt_no_more(room):
    after = apply_play(OPENING, Side.LIGHT, Play.parse("13/8 6/5"), SHORT)
    room.observe(OPENING, (6, 1))  # the 5 is read as a 6
    room.observe(after, (6, 1))
    room.observe(after)
    room.observe(after, (3, 1), Side.DARK)
    assert room.plays[0].review
    room.correct(RollFixed(1, (1, 5)))
    (made,) = room.plays
    assert (made.play, made.dice, made.review) == ("13/8 6/5", (5, 1), False)


def test_a_position_that_is_set_is_played_on_from(room):
    room.turn(OPENING, "13/7 8/7", (6, 1), Side.LIGHT)
    moved = apply_play(OPENING, Side.LIGHT, Play.parse("24/18 13/11"), SHORT)
    here = PositionSet(time=room.clock, frame=room.now.frame, position=moved, to_move=Side.DARK)
    room.events += room.match.enter(here)
    room.turn(moved, "13/11 6/5", (2, 1), Side.DARK)
    assert room.recorded[-1] == (Side.DARK, "13/11 6/5")
    assert not room.plays[-1].review
    assert fold(room.events) == room.match.state
    room.events += run_steps(room.match.undo(room.now))
    assert not any(isinstance(one, PositionSet) for one in effective_events(room.events))


def test_a_position_set_before_any_play_can_be_undone(room):
    moved = apply_play(OPENING, Side.LIGHT, Play.parse("24/18 13/11"), SHORT)
    here = PositionSet(time=room.clock, frame=room.now.frame, position=moved, to_move=Side.DARK)
    room.events += room.match.enter(here)
    room.events += run_steps(room.match.undo(room.now))
    assert room.match.state.position == OPENING
    assert fold(room.events) == room.match.state


def test_a_correction_undone_leaves_everything_as_it_was(room):
    after = room.turn(OPENING, "13/7 8/7", (6, 1), Side.LIGHT)
    room.events += room.match.enter(
        Doubled(time=room.clock, frame=room.now.frame, player=Side.DARK, value=2)
    )
    room.turn(after, "13/11 6/5", (2, 1), Side.DARK)
    before, recorded = room.match.state, room.recorded
    room.correct(PlayChosen(1, "13/7 24/23"))
    assert room.recorded != recorded
    room.events += run_steps(room.match.undo(room.now))
    assert room.match.state == before
    assert fold(room.events) == before
    with pytest.raises(NotNow, match="nothing to undo"):
        run_steps(room.match.undo(room.now))


def test_cube_actions_are_undone_one_by_one(room):
    after = room.turn(OPENING, "13/7 8/7", (6, 1), Side.LIGHT)
    room.enter(Doubled, Side.DARK, value=2)
    room.enter(DoubleTaken, Side.LIGHT)
    room.undo()
    assert room.match.state.phase is Phase.DOUBLED
    room.enter(DoubleDropped, Side.LIGHT)
    assert room.match.state.score == (0, 1)
    room.undo()
    assert (room.match.state.phase, room.match.state.score) == (Phase.DOUBLED, (0, 0))
    room.undo()
    assert (room.match.state.phase, room.match.state.cube.value) == (Phase.TO_ROLL, 1)
    room.turn(after, "13/11 6/5", (2, 1), Side.DARK)
    assert room.recorded[-1] == (Side.DARK, "13/11 6/5")
    assert fold(room.events) == room.match.state


def test_a_turn_that_was_ended_by_mistake_goes_on(room):
    first, second = (
        apply_play(OPENING, Side.LIGHT, Play.parse(play), SHORT)
        for play in ("24/18 24/23", "13/7 8/7")
    )
    room.observe(OPENING, (6, 1))
    room.observe(first, (6, 1))
    room.enter(TurnEnded, Side.LIGHT, by="hand")
    assert room.recorded == [(Side.LIGHT, "24/23 24/18")]
    room.undo()
    assert room.recorded == []
    room.observe(second, (6, 1))
    room.observe(second)
    assert room.recorded == [(Side.LIGHT, "13/7 8/7")]
    assert fold(room.events) == room.match.state


def test_a_decision_that_play_has_gone_on_from_cannot_be_undone(room):
    after = room.turn(OPENING, "13/7 8/7", (6, 1), Side.LIGHT)
    room.enter(Doubled, Side.DARK, value=2)
    room.enter(DoubleTaken, Side.LIGHT)
    room.turn(after, "13/11 6/5", (2, 1), Side.DARK)
    assert not room.match.can_undo
    room.correct(PlayChosen(2, "13/10"))
    room.undo()
    with pytest.raises(NotNow, match="nothing to undo"):
        run_steps(room.match.undo(room.now))
    assert room.match.state.cube.value == 2


@pytest.mark.parametrize(
    "order",
    [
        PlayChosen(7, "8/5"),
        PlayChosen(0, "8/5"),
        PlayChosen(1, "from here to there"),
        PlayChosen(1, "4/2"),
        RollFixed(1, (7, 1)),
    ],
)
def test_what_cannot_be_is_refused_and_changes_nothing(room, order):
    room.turn(OPENING, "13/7 8/7", (6, 1), Side.LIGHT)
    before, events = room.match.state, list(room.events)
    with pytest.raises(EngineError) as refused:
        room.correct(order)
    assert "\n" not in str(refused.value)
    assert room.match.state is before
    assert room.events == events


def _another_play(state: MatchState) -> tuple[int, str]:
    """A turn in the middle of the game, and what else its roll would have allowed."""
    for number, turn in enumerate(state.turns[8:], start=9):
        high, low = turn.event.dice or (None, None)
        if high is None or low is None:
            continue
        plays = legal_plays(turn.before, turn.event.player, Roll(high, low), SHORT)
        others = [one for one in plays if one.position != turn.event.position]
        if others:
            return number, str(others[0].play)
    raise AssertionError("every turn was forced")


@pytest.mark.parametrize("seed", range(3))
def test_of_a_whole_game_only_what_a_correction_touches_changes(seed):
    rng = np.random.default_rng(seed)
    table = SimulatedBoard(rng, OPENING)
    play_match(table, SHORT, games=1, turns=16)
    match = ReplayableMatch(referee_at)
    events: list[Event] = []
    for seen in table.seen:
        events += match.observe(seen)
    before = match.state
    number, other = _another_play(before)
    when = Timestamp(table.clock + 1, 10**6)
    events += run_steps(match.correct(PlayChosen(number, other), when))
    (cut,) = (one for one in events if isinstance(one, Corrected) and one.by == "hand")
    assert cut.what == f"turn {number} was {other}"
    assert match.state.turns[: number - 1] == before.turns[: number - 1]
    assert match.state.turns[number - 1].event.play == other
    assert fold(events) == match.state
    events += run_steps(match.undo(when))
    assert match.state == before
    assert fold(events) == before


@pytest.fixture(scope="module")
def left_over():
    """A match in which the sixth turn moved what was left over, before the seventh; both seen."""
    rules = find_rules("khachapuri")
    table = SimulatedBoard(np.random.default_rng(0), rules.opening(), ReaderNoise(change=0.0))
    play_match(table, rules, games=1, turns=8)
    match = ReplayableMatch(partial(referee_at, rules=rules))
    for seen in table.seen:
        match.observe(seen)
    sixth, seventh = (turn.event for turn in match.state.turns[5:7])
    assert (sixth.dice, seventh.dice) == (None, (5, 3))
    assert sixth.player is seventh.player
    return match, Timestamp(table.clock + 1, 10**6)


def played(state: MatchState) -> list[tuple[Any, ...]]:
    return [(turn.event.dice, turn.event.position) for turn in state.turns]


def test_confirming_what_was_left_over_accuses_nobody_and_changes_nothing_else(left_over):
    match, when = left_over
    before = match.state
    run_steps(match.correct(PlayChosen(6, before.turns[5].event.play), when))
    assert match.state.turns[5].event.by == "hand"
    made = [
        [(one.event.dice, one.event.position) for one in at.turns] for at in (match.state, before)
    ]
    assert made[0] == made[1]
    assert all(one.event.legal for one in match.state.turns)
    run_steps(match.undo(when))
    assert match.state == before


def test_the_turn_after_what_was_left_over_is_corrected_too(left_over):
    match, when = left_over
    before, rules = match.state, find_rules("khachapuri")
    turn = before.turns[6]
    plays = legal_plays(turn.before, turn.event.player, Roll(5, 3), rules)
    other = next(one for one in plays if one.position != turn.event.position)
    run_steps(match.correct(PlayChosen(7, str(other.play)), when))
    assert played(match.state)[:6] == played(before)[:6]
    assert match.state.turns[6].event.position == other.position
    run_steps(match.undo(when))
    run_steps(match.correct(RollFixed(7, (6, 2)), when))
    assert match.state.turns[6].event.dice == (6, 2)
    run_steps(match.undo(when))
    assert match.state == before


@pytest.fixture(scope="module")
def missed():
    """A match whose first two turns passed unseen, before the third; all three are for review."""
    table = SimulatedBoard(np.random.default_rng(5), OPENING, ReaderNoise(change=0.0))
    play_match(table, SHORT, games=1, turns=8, habits=PlayerHabits(lost_pairs=0.06))
    match = ReplayableMatch(referee_at)
    for seen in table.seen:
        match.observe(seen)
    assert all(turn.event.review for turn in match.state.turns[:3])
    return match, Timestamp(table.clock + 1, 10**6)


@pytest.mark.parametrize("number", [1, *(pytest.param(n, marks=pytest.mark.slow) for n in (2, 3))])
def test_confirming_an_unseen_turn_or_the_one_after_accuses_nobody(missed, number):
    match, when = missed
    before = match.state
    run_steps(match.correct(PlayChosen(number, before.turns[number - 1].event.play), when))
    made = match.state.turns[number - 1].event
    assert (made.by, made.review, made.legal) == ("hand", False, True)
    assert played(match.state) == played(before)
    run_steps(match.undo(when))
    assert match.state == before


def test_another_play_of_an_unseen_turn_is_played_on_from(missed):
    match, when = missed
    before = match.state
    run_steps(match.correct(PlayChosen(1, "24/23 13/7"), when))
    first, second, third = match.state.turns[:3]
    assert first.event.play == "24/23 13/7"
    assert second.before == first.event.position
    assert second.event.play == before.turns[1].event.play
    assert third.event.player is before.turns[2].event.player
    run_steps(match.undo(when))
    assert match.state == before


@pytest.mark.parametrize("number", [at_length(1), 2])
def test_the_roll_of_an_unseen_turn_is_corrected_without_touching_the_others(missed, number):
    match, when = missed
    before = match.state
    turn = before.turns[number - 1]
    fits = [
        roll
        for roll in ALL_ROLLS
        if is_legal(turn.before, turn.event.player, roll, turn.event.position, SHORT)
    ]
    dice = fits[0].high, fits[0].low
    run_steps(match.correct(RollFixed(number, dice), when))
    rolls = [one.event.dice for one in match.state.turns]
    assert rolls[number - 1] == dice
    assert rolls[2:] == [one.event.dice for one in before.turns[2:]]
    assert played(match.state) == played(before)
    run_steps(match.undo(when))
    assert match.state == before


CLOSED = Setup(
    (0, 0, 0, 0, 0, 0, 5, 0, 4, 0, 0, 0, 0, 5, *[0] * 11, 1), (0, *[2] * 6, 3, *[0] * 18)
).checked()
"""Light on the bar against six closed points."""


def closed_at(state: MatchState | None) -> Referee:
    """A referee of a game from there, or from a state."""
    if state is None:
        return Referee(SHORT, start=CLOSED, light_throws_right=True)
    return Referee.resume(SHORT, state, start=CLOSED, light_throws_right=True)


@pytest.fixture
def passed() -> ObservedGame:
    """A game in which light passed without a roll; dark's 3-1 after it was misread as 3-2."""
    begun = ObservedGame(ReplayableMatch(closed_at))
    begun.observe(CLOSED)
    after = begun.turn(CLOSED, "7/4", (2, 1), Side.DARK)
    begun.observe(after, (3, 2), Side.DARK)
    end = apply_play(after, Side.DARK, Play.parse("7/3"), SHORT)
    begun.observe(end, (3, 2), Side.DARK)
    begun.observe(end)
    begun.observe(end, (6, 5), Side.LIGHT)
    passed = begun.plays[1]
    assert (passed.player, passed.dice) == (Side.LIGHT, None)
    return begun


def rolls_after(game: ObservedGame, *corrections: Correction) -> list[tuple[Any, bool]]:
    """The rolls of the turns, and whether each is in doubt, once these corrections are made."""
    for correction in corrections:
        game.events += run_steps(game.judge.correct(correction, game.now))  # type: ignore[attr-defined]
    return [(one.dice, one.review) for one in game.plays]


def test_the_roll_of_the_turn_after_one_that_passed_unseen_is_corrected(passed):
    first, _, third = rolls_after(passed)
    assert third == ((3, 1), True)
    fixed = rolls_after(passed, RollFixed(3, (3, 1)))
    assert fixed == [first, (None, False), ((3, 1), False)]


def test_the_roll_of_a_turn_that_passed_unseen_is_corrected(passed):
    first, _, third = rolls_after(passed)
    fixed = RollFixed(2, (6, 5)), RollFixed(3, (3, 1))
    assert rolls_after(passed, fixed[0]) == [first, ((6, 5), True), third]
    assert rolls_after(passed, fixed[1]) == [first, ((6, 5), False), ((3, 1), False)]


def test_what_is_seen_while_a_game_is_judged_again_is_judged_after_it():
    table = SimulatedBoard(np.random.default_rng(5), OPENING)
    play_match(table, SHORT, games=1, turns=16)
    half = 3 * len(table.seen) // 4
    at_once, in_between = ReplayableMatch(referee_at), ReplayableMatch(referee_at)
    events: list[Event] = []
    for seen in table.seen[:half]:
        at_once.observe(seen)
        events += in_between.observe(seen)
    number, other = _another_play(at_once.state)
    order, when = PlayChosen(number, other), Timestamp(table.clock + 1, 10**6)
    run_steps(at_once.correct(order, when))
    work, coming = in_between.correct(order, when), iter(table.seen[half:])
    for _ in range(len(table.seen) // 8):
        next(work)
        assert in_between.observe(next(coming)) == []
    events += run_steps(work)
    for seen in table.seen[half:]:
        at_once.observe(seen)
    for seen in coming:
        events += in_between.observe(seen)
    assert in_between.state.turns == at_once.state.turns
    assert in_between.state.turns[number - 1].event.play == other
    assert fold(events) == in_between.state


def test_a_correction_that_cannot_be_changes_nothing_and_what_comes_is_judged_at_once(room):
    work = room.match.correct(PlayChosen(4, "8/5"), room.now)
    with pytest.raises(NotNow):
        next(work)
    room.turn(OPENING, "13/7 8/7", (6, 1), Side.LIGHT)
    assert [one.play for one in room.plays] == ["13/7 8/7"]
    assert not room.match.can_undo
