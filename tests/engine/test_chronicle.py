"""Whole histories: a later position repairs an earlier doubt, and lost turns are found again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.chronicle import Chronicle
from engine.dice import Roll
from engine.events import Confirmed, Corrected, Doubled, Event, GameStart, PlayMade
from engine.evidence import Observation, cell_counts
from engine.legal import apply_play
from engine.looks import Busy
from engine.match import fold
from engine.play import Play
from engine.position import Position, Side
from engine.referee import Referee
from engine.rules import SHORT
from engine.standing_events import standing_events
from tableside.referee_score import score_match
from tableside.referee_trial import USUAL, watch
from tableside.simulated_eye import Noise
from tableside.simulated_match import Habits, play_match
from tableside.simulated_table import Table, counts_of, die

OPENING = SHORT.opening()


class Sitting:
    """Looks at a board, one after the other, and everything that was told of them."""

    def __init__(self) -> None:
        self.chronicle = Chronicle(Referee(SHORT, light_throws_right=True))
        self.events: list[Event] = []
        self.clock = 0.0

    def look(
        self, position: Position, roll: Roll | None = None, side: Side = Side.LIGHT, *, hidden=()
    ) -> None:
        """A hand, then two looks, with or without dice in that player's right half."""
        self.clock += 0.5
        self.events += self.chronicle.see(Busy(self.clock, round(self.clock * 12)))
        left = 0.6 if side is Side.LIGHT else 0.1
        faces = () if roll is None else zip((roll.high, roll.low), (left, left + 0.15), strict=True)
        dice = tuple(die(face, (x, 0.5), side=side) for face, x in faces)
        counts = counts_of(cell_counts(position), hidden)
        for _ in range(2):
            self.clock += 0.5
            seen = Observation(counts, dice, self.clock, round(self.clock * 12))
            self.events += self.chronicle.see(seen)

    def turn(self, before: Position, play: str, roll: Roll, side: Side, *, hidden=()) -> Position:
        """A whole turn: the throw, the play, the lift; `hidden` points all along."""
        after = apply_play(before, side, Play.parse(play), SHORT)
        self.look(before, roll, side, hidden=hidden)
        self.look(after, roll, side, hidden=hidden)
        self.look(after, hidden=hidden)
        return after

    @property
    def plays(self) -> list[PlayMade]:
        """The plays that stand at last."""
        return [one for one in standing_events(self.events) if isinstance(one, PlayMade)]


@pytest.fixture
def sitting() -> Sitting:
    begun = Sitting()
    begun.look(OPENING)
    return begun


ARM = tuple(range(1, 8))
"""Light's points 2 to 8, which a resting arm hides."""


@pytest.mark.parametrize("play", ["13/7 8/7", "13/7 6/5", "13/6"])
def test_what_is_seen_later_settles_a_play_that_was_half_hidden(sitting, play):
    after = sitting.turn(OPENING, play, Roll(6, 1), Side.LIGHT, hidden=ARM)
    after = sitting.turn(after, "13/11 6/5", Roll(2, 1), Side.DARK, hidden=ARM)
    doubted = sitting.plays[0].review
    after = sitting.turn(after, "24/22 24/23", Roll(2, 1), Side.LIGHT)
    sitting.turn(after, "24/23 13/9", Roll(4, 1), Side.DARK)
    told = [(one.player, one.play, one.review) for one in sitting.plays]
    assert doubted, "nobody could know"
    assert told[0] == (Side.LIGHT, str(Play.parse(play)), False)
    assert [player for player, _, _ in told] == [Side.LIGHT, Side.DARK] * 2
    assert fold(sitting.events) == sitting.chronicle.state


def test_what_was_told_wrong_is_mended_by_events_of_the_record(sitting):
    after = sitting.turn(OPENING, "13/7 6/5", Roll(6, 1), Side.LIGHT, hidden=ARM)
    after = sitting.turn(after, "13/11 6/5", Roll(2, 1), Side.DARK, hidden=ARM)
    sitting.turn(after, "24/22 24/23", Roll(2, 1), Side.LIGHT)
    mended = [one for one in sitting.events if isinstance(one, Corrected | Confirmed)]
    assert mended
    assert not any(
        isinstance(one, Corrected | Confirmed) for one in standing_events(sitting.events)
    )


def test_two_turns_that_nobody_saw_are_found_between_what_was_seen(sitting):
    before = sitting.turn(OPENING, "13/11 13/10", Roll(3, 2), Side.DARK)
    first = apply_play(before, Side.LIGHT, Play.parse("13/7 8/7"), SHORT)
    second = apply_play(first, Side.DARK, Play.parse("24/15"), SHORT)
    after = sitting.turn(second, "24/20 13/11", Roll(4, 2), Side.LIGHT)
    sitting.turn(after, "6/5 6/4", Roll(2, 1), Side.DARK)
    found = sitting.plays[1:4]
    assert [(one.player, one.play) for one in found] == [
        (Side.LIGHT, "13/7 8/7"),
        (Side.DARK, "24/15"),
        (Side.LIGHT, "24/20 13/11"),
    ]
    assert all(one.legal and "record" in one.doubts and one.review for one in found)
    assert found[0].dice == (6, 1)


def test_what_is_told_by_hand_holds_in_every_history(sitting):
    sitting.turn(OPENING, "13/7 6/5", Roll(6, 1), Side.LIGHT)
    told = Doubled(time=sitting.clock, frame=0, player=Side.DARK, value=2)
    sitting.events += sitting.chronicle.told(told)
    assert sitting.chronicle.state.cube.offer is not None
    assert fold(sitting.events) == sitting.chronicle.state


HARD = USUAL.having(
    [("hasty", 0.2), ("missed_throws", 0.02), ("hidden", 0.03), ("bumps", 0.02), ("sight", 0.02)]
)


@pytest.mark.parametrize("seed", range(3))
def test_the_record_with_its_corrections_gives_the_state(seed):
    habits = replace(HARD.habits, lost_pairs=0.03)
    table = Table(np.random.default_rng(seed), OPENING, HARD.noise)
    truth = play_match(table, SHORT, games=1, turns=30, habits=habits)
    events: list[Event] = []
    chronicle, _ = watch(table, events.extend)
    assert fold(events) == chronicle.state
    told = standing_events(events)
    assert isinstance(told[0], GameStart)
    assert [one for one in told if isinstance(one, PlayMade)] == [
        turn.made for turn in chronicle.state.turns
    ]
    assert len(truth.plays) == 30


def test_turns_lost_behind_somebodys_back_are_found_again():
    habits = Habits(lost_pairs=0.04)
    right = turns = lost = 0
    for seed in range(4):
        table = Table(np.random.default_rng(seed), OPENING, Noise(sight=0.005))
        truth = play_match(table, SHORT, games=1, turns=24, habits=habits)
        chronicle, _ = watch(table)
        score, _ = score_match(truth, chronicle.state)
        right, turns = right + score.right, turns + score.turns
        lost += sum(not one.was_seen for one in truth.plays)
    assert lost >= 4
    assert right >= turns - lost / 4


def test_a_clear_game_costs_one_history():
    table = Table(np.random.default_rng(7), OPENING)
    play_match(table, SHORT, games=1, turns=20)
    chronicle = Chronicle(Referee(SHORT, light_throws_right=True))
    most = 0
    for seen in table.seen:
        chronicle.see(seen)
        most = max(most, chronicle.histories)
    assert most == 1
