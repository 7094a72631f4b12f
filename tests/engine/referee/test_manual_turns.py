"""Turns entered by hand: a match without any camera, or a play that the camera missed."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import EngineError, IllegalMade, NotNow, PlayMade, Side, fold
from engine.dice import Roll
from engine.errors import IllegalPlay, InvalidNotation
from engine.events.cup import CupDecided
from engine.events.match import (
    DiceRolled,
    Doubled,
    DoubleTaken,
    GameEnd,
    GameStart,
    MatchEnd,
    OpeningRolled,
    PlayAccepted,
    PlayRejected,
    Resigned,
    TurnEnded,
)
from engine.events.record import PositionSet
from engine.match.amendments import effective_events
from engine.match.corrections import PlayChosen, RollFixed
from engine.match.phase import Phase
from engine.position import Setup
from engine.referee import Referee, ReplayableMatch
from engine.rules import SHORT, find_rules
from engine.rules.legal import legal_plays
from engine.ruleset import USUAL, IllegalPlayRule
from engine.timestamp import Timestamp
from tests.refereed_board import DARK, LIGHT, match, run_steps, three_turns

NOWHERE: Any = None
"""The position after a play that is entered; the match knows it better."""


class ManualMatch:
    """A match without a camera, and all its events."""

    def __init__(self, rules=SHORT, **more):
        def referee_at(state):
            if state is None:
                return Referee(rules, light="Ann", dark="Bob", is_manual=True, **more)
            return Referee.resume(rules, state, is_manual=True)

        self.rules, self.events, self.frame = rules, [], 0
        self.match = ReplayableMatch(referee_at)

    @property
    def state(self):
        return self.match.state

    @property
    def at(self):
        self.frame += 1
        return {"time": float(self.frame), "frame": self.frame}

    def enter(self, event):
        self.events += self.match.enter(event)

    def begin(self):
        self.enter(GameStart(**self.at, position=self.rules.opening()))
        return self

    def opening_roll(self, light, dark):
        self.enter(OpeningRolled(**self.at, light=light, dark=dark, by="hand"))

    def roll(self, *dice, by="hand"):
        self.enter(DiceRolled(**self.at, player=self.state.to_move, dice=dice, by=by))

    def play(self, play):
        player, position = self.state.to_move, self.state.position
        self.enter(PlayMade(**self.at, player=player, dice=None, play=play, position=position))

    def correct(self, order):
        self.events += run_steps(self.match.correct(order, Timestamp(*self.at.values())))

    def undo(self):
        self.events += run_steps(self.match.undo(Timestamp(*self.at.values())))

    def of(self, kind):
        return [event for event in effective_events(self.events) if isinstance(event, kind)]


@pytest.fixture
def manual():
    return ManualMatch(length=3).begin()


def enter_anything(one, chance):
    """Enter a random event that is allowed next."""
    state = one.state
    if state.phase is Phase.OVER:
        return one.begin()
    if state.phase is Phase.DOUBLED:
        return one.enter(DoubleTaken(**one.at, player=state.to_move))
    if state.to_move is None:
        return one.opening_roll(chance.randint(1, 6), chance.randint(1, 6))
    if state.phase is Phase.DISPUTED:
        kind = chance.choice([PlayAccepted, PlayRejected])
        return one.enter(kind(**one.at, player=state.to_move))
    if state.phase is Phase.TO_ROLL:
        if chance.random() < 0.1 and state.cube.value < 4:
            try:
                return one.enter(
                    Doubled(**one.at, player=state.to_move, value=2 * state.cube.value)
                )
            except EngineError:
                pass
        return one.roll(*sorted((chance.randint(1, 6), chance.randint(1, 6)), reverse=True))
    plays = legal_plays(state.position, state.to_move, Roll(*state.roll), one.rules)
    if chance.random() < 0.05:
        source = max(n for n, count in enumerate(state.position.of(state.to_move)) if count)
        return one.play(f"{'bar' if source == 25 else source}/off")
    return one.play(str(plays[chance.randrange(len(plays))].play))


@pytest.mark.parametrize("variant", ["short", "narde"])
def test_a_whole_match_is_entered_by_hand_and_its_record_is_complete(variant):
    one, chance = ManualMatch(find_rules(variant), length=3).begin(), random.Random(4)
    while not one.state.is_over:
        enter_anything(one, chance)
    assert fold(one.events) == one.state
    assert max(one.state.score) >= 3
    assert len(one.of(MatchEnd)) == 1
    assert len(one.of(GameEnd)) == one.state.games > 0
    assert all(not turn.event.review for turn in one.state.turns)
    sources = {made.by for made in one.of(PlayMade)}
    assert sources == {"hand", "rules"}
    with pytest.raises(NotNow, match="match is over"):
        one.begin()


@settings(max_examples=12)
@given(st.integers(0, 10**6), st.integers(1, 60))
def test_the_last_entry_can_be_undone_whatever_it_was(seed, words):
    one, chance = ManualMatch(length=3).begin(), random.Random(seed)
    for _ in range(words):
        if not one.state.is_over:
            enter_anything(one, chance)
    before, games = one.state, one.state.games
    if one.state.is_over or one.state.phase is Phase.OVER:
        return
    enter_anything(one, chance)
    if one.state.games == games:
        one.undo()
        assert one.state == before
        assert fold(one.events) == before


def test_everything_can_be_undone_back_to_the_start_of_the_game(manual):
    chance = random.Random(2)
    begun = manual.state
    for _ in range(20):
        enter_anything(manual, chance)
    while manual.match.can_undo:
        manual.undo()
    assert (manual.state.position, manual.state.turns) == (begun.position, ())
    with pytest.raises(NotNow, match="nothing to undo"):
        manual.undo()


def test_a_play_is_entered_after_its_roll_and_ends_the_turn(manual):
    with pytest.raises(NotNow, match="enter the roll first"):
        manual.enter(PlayMade(**manual.at, player=LIGHT, dice=None, play="8/5", position=NOWHERE))
    manual.opening_roll(3, 1)
    manual.play("6/5 8/5")
    (made,) = manual.of(PlayMade)
    assert (made.play, made.dice, made.by) == ("8/5 6/5", (3, 1), "hand")
    assert (manual.state.phase, manual.state.to_move) == (Phase.TO_ROLL, DARK)
    manual.roll(6, 6)
    assert manual.of(DiceRolled)[-1].by == "hand"


@pytest.mark.parametrize(
    ("play", "error"), [("8/5 8/", InvalidNotation), ("4/1", IllegalPlay), ("24/19", IllegalPlay)]
)
def test_a_play_that_cannot_be_made_changes_nothing(manual, play, error):
    manual.opening_roll(3, 1)
    before = manual.state
    with pytest.raises(error):
        manual.play(play)
    assert manual.state is before


def test_an_illegal_play_is_asked_about_and_played_again(manual):
    manual.opening_roll(3, 1)
    manual.play("8/4 6/5")
    (made,) = manual.of(IllegalMade)
    assert made.rule
    assert manual.state.phase is Phase.DISPUTED
    manual.enter(PlayRejected(**manual.at, player=DARK))
    assert (manual.state.phase, manual.state.roll) == (Phase.TO_PLAY, (3, 1))
    manual.play("8/5 6/5")
    assert [turn.rejected for turn in manual.state.turns] == [True, False]


def test_the_next_roll_accepts_an_illegal_play(manual):
    manual.opening_roll(3, 1)
    manual.play("8/4 6/5")
    manual.roll(4, 2)
    (accepted,) = manual.of(PlayAccepted)
    assert (accepted.by, accepted.player) == ("roll", DARK)
    assert manual.state.phase is Phase.TO_PLAY


def test_where_an_illegal_play_has_to_be_corrected_no_roll_accepts_it():
    strict = replace(USUAL, illegal_play=IllegalPlayRule.MUST_CORRECT)
    one = ManualMatch(rule_set=strict).begin()
    one.opening_roll(3, 1)
    one.play("8/4 6/5")
    before = one.state
    with pytest.raises(NotNow, match="to be replayed"):
        one.roll(4, 2)
    assert one.state is before


def shut_out(one):
    """Light is on the bar and dark's home is closed."""
    light = (0, *[0] * 5, 5, 0, 3, 0, 0, 0, 0, 6, *[0] * 11, 1)
    dark = (0, 2, 2, 2, 2, 2, 2, 3, *[0] * 18)
    here = Setup(light, dark, SHORT.course).checked()
    one.enter(PositionSet(**one.at, position=here, to_move=LIGHT))


def test_where_nothing_can_be_moved_the_rules_pass_the_turn(manual):
    shut_out(manual)
    manual.roll(6, 5)
    (made,) = manual.of(PlayMade)
    assert (made.play, made.by, made.dice) == ("(no play)", "rules", (6, 5))
    assert manual.state.to_move is DARK
    manual.undo()
    assert (manual.state.phase, manual.state.to_move, manual.state.turns) == (
        Phase.TO_ROLL,
        LIGHT,
        (),
    )


def test_a_roll_entered_after_the_position_was_set_is_a_new_one(manual):
    manual.opening_roll(3, 1)
    shut_out(manual)
    manual.roll(6, 5)
    assert manual.of(PlayMade)[-1].dice == (6, 5)


def test_a_turn_that_was_entered_is_corrected_like_any_other(manual):
    manual.opening_roll(3, 1)
    manual.play("8/5 6/5")
    manual.roll(4, 2)
    manual.play("8/4 6/4")
    manual.correct(PlayChosen(1, "24/20"))
    assert [turn.event.play for turn in manual.state.turns] == ["24/20", "8/4 6/4"]
    manual.correct(RollFixed(2, (6, 4)))
    assert manual.state.turns[1].event.dice == (6, 4)
    assert not manual.state.turns[1].event.legal
    manual.undo()
    manual.undo()
    assert [turn.event.play for turn in manual.state.turns] == ["8/5 6/5", "8/4 6/4"]


def test_the_lots_are_put_right_and_who_won_them_stays(manual):
    manual.opening_roll(1, 3)
    manual.play("8/5 6/5")
    manual.correct(RollFixed(1, (6, 1)))
    assert (manual.of(OpeningRolled)[0].light, manual.of(OpeningRolled)[0].dark) == (1, 6)


def test_what_a_cup_rolled_cannot_be_undone(manual):
    manual.enter(OpeningRolled(**manual.at, light=3, dark=1, by="cup"))
    manual.play("8/5 6/5")
    manual.roll(4, 2, by="cup")
    manual.undo()
    assert (manual.state.phase, manual.state.to_move) == (Phase.TO_PLAY, LIGHT)
    with pytest.raises(NotNow):
        manual.undo()


def test_a_decision_which_dice_count_is_entered(manual):
    manual.enter(OpeningRolled(**manual.at, light=3, dark=1, by="cup"))
    manual.play("8/5 6/5")
    manual.roll(4, 2, by="cup")
    manual.enter(CupDecided(**manual.at, player=DARK, dice=(6, 5), source="board"))
    assert manual.state.roll == (6, 5)
    manual.play("24/13")
    assert manual.state.turns[-1].event.dice == (6, 5)
    assert manual.state.turns[-1].event.legal
    assert fold(manual.events) == manual.state
    manual.undo()
    manual.undo()
    assert manual.state.roll == (4, 2)
    with pytest.raises(NotNow, match="nothing to play"):
        manual.enter(CupDecided(**manual.at, player=LIGHT, dice=(6, 5), source="board"))


def test_a_turn_without_a_camera_cannot_be_ended_by_hand(manual):
    manual.opening_roll(3, 1)
    with pytest.raises(NotNow, match="its play is entered"):
        manual.enter(TurnEnded(**manual.at, player=LIGHT, by="hand"))


def test_a_game_that_is_given_up_is_followed_by_the_next(manual):
    manual.opening_roll(3, 1)
    manual.enter(Resigned(**manual.at, player=LIGHT, points=2))
    assert (manual.state.phase, manual.state.score) == (Phase.OVER, (0, 2))
    manual.begin()
    assert manual.state.is_crawford
    assert manual.state.games == 2
    with pytest.raises(NotNow, match="no game can start"):
        manual.begin()


def test_a_play_that_the_camera_missed_is_entered_and_the_next_is_seen():
    one = match()
    three_turns(one)
    one.throw((5, 3), DARK)
    made = PlayMade(time=9, frame=90, player=DARK, dice=None, play="8/3 6/3", position=NOWHERE)
    one.enter(made)
    assert one.state.to_move is LIGHT
    one.play(DARK, "8/3 6/3")
    one.lift()
    one.turn(LIGHT, (4, 2), "8/4 6/4")
    plays = one.of(PlayMade)[-2:]
    assert [(play.play, play.by, play.review) for play in plays] == [
        ("8/3 6/3", "hand", False),
        ("8/4 6/4", "sight", False),
    ]
    one.check_fold()


def test_the_next_game_is_begun_by_hand_where_its_position_is_not_seen():
    one = match(length=3)
    three_turns(one)
    one.enter(Resigned(time=9, frame=90, player=DARK, points=1))
    one.enter(GameStart(time=10, frame=100, position=SHORT.opening()))
    assert (one.state.games, one.state.phase, one.state.score) == (2, Phase.TO_ROLL, (1, 0))
    one.set_up(SHORT.opening())
    one.opening_roll(3, 1)
    one.play(Side.LIGHT, "8/5 6/5")
    one.lift()
    assert one.of(PlayMade)[-1].play == "8/5 6/5"
    assert len(one.of(GameStart)) == 2
    one.check_fold()
