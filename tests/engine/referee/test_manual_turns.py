"""Turns that are told, not seen: a match without any camera, or a play that sight has missed."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import (
    EngineError,
    IllegalMade,
    IllegalPlay,
    InvalidNotation,
    NotNow,
    PlayMade,
    Side,
    fold,
)
from engine.dice import Roll
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
from engine.referee.referee import Referee
from engine.referee.replay import ReplayableMatch, run
from engine.rules import SHORT, find_rules
from engine.rules.legal import legal_plays
from engine.ruleset import USUAL, IllegalPlayRule
from engine.timestamp import Timestamp
from tests.refereed import DARK, LIGHT, match, three_turns


class Told:
    """A match that nobody watches, and all that is said of it."""

    def __init__(self, rules=SHORT, **more):
        def referee_at(state):
            if state is None:
                return Referee(rules, light="Ann", dark="Bob", is_manual=True, **more)
            return Referee.resume(rules, state, is_manual=True)

        self.rules, self.events, self.frame = rules, [], 0
        self.hearing = ReplayableMatch(referee_at)

    @property
    def state(self):
        return self.hearing.state

    @property
    def at(self):
        self.frame += 1
        return {"time": float(self.frame), "frame": self.frame}

    def say(self, event):
        self.events += self.hearing.enter(event)

    def begin(self):
        self.say(GameStart(**self.at, position=self.rules.opening()))
        return self

    def lots(self, light, dark):
        self.say(OpeningRolled(**self.at, light=light, dark=dark, by="hand"))

    def roll(self, *dice, by="hand"):
        self.say(DiceRolled(**self.at, player=self.state.to_move, dice=dice, by=by))

    def play(self, play):
        player, position = self.state.to_move, self.state.position
        self.say(PlayMade(**self.at, player=player, dice=None, play=play, position=position))

    def correct(self, order):
        self.events += run(self.hearing.correct(order, Timestamp(*self.at.values())))

    def undo(self):
        self.events += run(self.hearing.undo(Timestamp(*self.at.values())))

    def of(self, kind):
        return [event for event in effective_events(self.events) if isinstance(event, kind)]


@pytest.fixture
def told():
    return Told(length=3).begin()


def any_word(one, chance):
    """What can be said next, by chance."""
    state = one.state
    if state.phase is Phase.OVER:
        return one.begin()
    if state.phase is Phase.DOUBLED:
        return one.say(DoubleTaken(**one.at, player=state.to_move))
    if state.to_move is None:
        return one.lots(chance.randint(1, 6), chance.randint(1, 6))
    if state.phase is Phase.DISPUTED:
        kind = chance.choice([PlayAccepted, PlayRejected])
        return one.say(kind(**one.at, player=state.to_move))
    if state.phase is Phase.TO_ROLL:
        if chance.random() < 0.1 and state.cube.value < 4:
            try:
                return one.say(Doubled(**one.at, player=state.to_move, value=2 * state.cube.value))
            except EngineError:
                pass
        return one.roll(*sorted((chance.randint(1, 6), chance.randint(1, 6)), reverse=True))
    plays = legal_plays(state.position, state.to_move, Roll(*state.roll), one.rules)
    if chance.random() < 0.05:
        source = max(n for n, count in enumerate(state.position.of(state.to_move)) if count)
        return one.play(f"{'bar' if source == 25 else source}/off")
    return one.play(str(plays[chance.randrange(len(plays))].play))


@pytest.mark.parametrize("variant", ["short", "narde"])
def test_a_whole_match_is_told_word_by_word_and_the_record_says_it_all(variant):
    one, chance = Told(find_rules(variant), length=3).begin(), random.Random(4)
    while not one.state.is_over:
        any_word(one, chance)
    assert fold(one.events) == one.state
    assert max(one.state.score) >= 3
    assert len(one.of(MatchEnd)) == 1
    assert len(one.of(GameEnd)) == one.state.games > 0
    assert all(not turn.event.review for turn in one.state.turns)
    told_by = {made.by for made in one.of(PlayMade)}
    assert told_by == {"hand", "rules"}
    with pytest.raises(NotNow, match="match is over"):
        one.begin()


@settings(max_examples=12)
@given(st.integers(0, 10**6), st.integers(1, 60))
def test_what_was_said_last_can_be_undone_whatever_it_was(seed, words):
    one, chance = Told(length=3).begin(), random.Random(seed)
    for _ in range(words):
        if not one.state.is_over:
            any_word(one, chance)
    before, games = one.state, one.state.games
    if one.state.is_over or one.state.phase is Phase.OVER:
        return
    any_word(one, chance)
    if one.state.games == games:
        one.undo()
        assert one.state == before
        assert fold(one.events) == before


def test_everything_can_be_undone_back_to_the_start_of_the_game(told):
    chance = random.Random(2)
    begun = told.state
    for _ in range(20):
        any_word(told, chance)
    while told.hearing.can_undo:
        told.undo()
    assert (told.state.position, told.state.turns) == (begun.position, ())
    with pytest.raises(NotNow, match="no correction"):
        told.undo()


def test_a_play_is_told_after_its_roll_and_ends_the_turn(told):
    with pytest.raises(NotNow, match="roll is told first"):
        told.say(PlayMade(**told.at, player=LIGHT, dice=None, play="8/5", position=None))
    told.lots(3, 1)
    told.play("6/5 8/5")
    (made,) = told.of(PlayMade)
    assert (made.play, made.dice, made.by) == ("8/5 6/5", (3, 1), "hand")
    assert (told.state.phase, told.state.to_move) == (Phase.TO_ROLL, DARK)
    told.roll(6, 6)
    assert told.of(DiceRolled)[-1].by == "hand"


@pytest.mark.parametrize(
    ("play", "error"), [("8/5 8/", InvalidNotation), ("4/1", IllegalPlay), ("24/19", IllegalPlay)]
)
def test_a_play_that_cannot_be_made_changes_nothing(told, play, error):
    told.lots(3, 1)
    before = told.state
    with pytest.raises(error):
        told.play(play)
    assert told.state is before


def test_an_illegal_play_is_asked_about_and_played_again(told):
    told.lots(3, 1)
    told.play("8/4 6/5")
    (made,) = told.of(IllegalMade)
    assert made.rule
    assert told.state.phase is Phase.DISPUTED
    told.say(PlayRejected(**told.at, player=DARK))
    assert (told.state.phase, told.state.roll) == (Phase.TO_PLAY, (3, 1))
    told.play("8/5 6/5")
    assert [turn.rejected for turn in told.state.turns] == [True, False]


def test_the_next_roll_lets_an_illegal_play_stand(told):
    told.lots(3, 1)
    told.play("8/4 6/5")
    told.roll(4, 2)
    (accepted,) = told.of(PlayAccepted)
    assert (accepted.by, accepted.player) == ("roll", DARK)
    assert told.state.phase is Phase.TO_PLAY


def test_where_an_illegal_play_has_to_be_corrected_no_roll_lets_it_stand():
    strict = replace(USUAL, illegal_play=IllegalPlayRule.MUST_CORRECT)
    one = Told(rule_set=strict).begin()
    one.lots(3, 1)
    one.play("8/4 6/5")
    before = one.state
    with pytest.raises(NotNow, match="played again"):
        one.roll(4, 2)
    assert one.state is before


def shut_out(one):
    """Light is on the bar and dark's home is closed."""
    light = (0, *[0] * 5, 5, 0, 3, 0, 0, 0, 0, 6, *[0] * 11, 1)
    dark = (0, 2, 2, 2, 2, 2, 2, 3, *[0] * 18)
    here = Setup(light, dark, SHORT.course).checked()
    one.say(PositionSet(**one.at, position=here, to_move=LIGHT))


def test_where_nothing_can_be_moved_the_rules_say_so(told):
    shut_out(told)
    told.roll(6, 5)
    (made,) = told.of(PlayMade)
    assert (made.play, made.by, made.dice) == ("(no play)", "rules", (6, 5))
    assert told.state.to_move is DARK
    told.undo()
    assert (told.state.phase, told.state.to_move, told.state.turns) == (Phase.TO_ROLL, LIGHT, ())


def test_a_roll_told_after_the_position_was_set_is_a_new_one(told):
    told.lots(3, 1)
    shut_out(told)
    told.roll(6, 5)
    assert told.of(PlayMade)[-1].dice == (6, 5)


def test_a_turn_that_was_told_is_put_right_like_any_other(told):
    told.lots(3, 1)
    told.play("8/5 6/5")
    told.roll(4, 2)
    told.play("8/4 6/4")
    told.correct(PlayChosen(1, "24/20"))
    assert [turn.event.play for turn in told.state.turns] == ["24/20", "8/4 6/4"]
    told.correct(RollFixed(2, (6, 4)))
    assert told.state.turns[1].event.dice == (6, 4)
    assert not told.state.turns[1].event.legal
    told.undo()
    told.undo()
    assert [turn.event.play for turn in told.state.turns] == ["8/5 6/5", "8/4 6/4"]


def test_the_lots_are_put_right_and_who_won_them_stays(told):
    told.lots(1, 3)
    told.play("8/5 6/5")
    told.correct(RollFixed(1, (6, 1)))
    assert (told.of(OpeningRolled)[0].light, told.of(OpeningRolled)[0].dark) == (1, 6)


def test_what_a_cup_rolled_cannot_be_undone(told):
    told.say(OpeningRolled(**told.at, light=3, dark=1, by="cup"))
    told.play("8/5 6/5")
    told.roll(4, 2, by="cup")
    told.undo()
    assert (told.state.phase, told.state.to_move) == (Phase.TO_PLAY, LIGHT)
    with pytest.raises(NotNow):
        told.undo()


def test_the_referee_says_which_dice_count(told):
    told.say(OpeningRolled(**told.at, light=3, dark=1, by="cup"))
    told.play("8/5 6/5")
    told.roll(4, 2, by="cup")
    told.say(CupDecided(**told.at, player=DARK, dice=(6, 5), source="board"))
    assert told.state.roll == (6, 5)
    told.play("24/13")
    assert told.state.turns[-1].event.dice == (6, 5)
    assert told.state.turns[-1].event.legal
    assert fold(told.events) == told.state
    told.undo()
    told.undo()
    assert told.state.roll == (4, 2)
    with pytest.raises(NotNow, match="nothing to play"):
        told.say(CupDecided(**told.at, player=LIGHT, dice=(6, 5), source="board"))


def test_nobody_ends_a_turn_that_nobody_watches(told):
    told.lots(3, 1)
    with pytest.raises(NotNow, match="its play is told"):
        told.say(TurnEnded(**told.at, player=LIGHT, by="hand"))


def test_a_game_that_is_given_up_is_followed_by_the_next(told):
    told.lots(3, 1)
    told.say(Resigned(**told.at, player=LIGHT, points=2))
    assert (told.state.phase, told.state.score) == (Phase.OVER, (0, 2))
    told.begin()
    assert told.state.is_crawford
    assert told.state.games == 2
    with pytest.raises(NotNow, match="no game can begin"):
        told.begin()


def test_a_play_that_sight_has_missed_is_told_and_the_next_is_seen():
    one = match()
    three_turns(one)
    one.throw((5, 3), DARK)
    made = PlayMade(time=9, frame=90, player=DARK, dice=None, play="8/3 6/3", position=None)
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
    one.lots(3, 1)
    one.play(Side.LIGHT, "8/5 6/5")
    one.lift()
    assert one.of(PlayMade)[-1].play == "8/5 6/5"
    assert len(one.of(GameStart)) == 2
    one.check_fold()
