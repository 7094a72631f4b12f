"""Simulated players play whole games by the rules, and break them as often as configured."""

from itertools import pairwise

import numpy as np
import pytest

from engine.dice import ALL_ROLLS, Roll
from engine.evidence.observation import Observation
from engine.match.leftover import outcome_of_play
from engine.position import Setup, Side
from engine.rules import SHORT, VARIANTS, find_rules
from engine.rules.house import HEAD
from engine.rules.legal import (
    find_leftover_play,
    is_legal,
    list_few_leftover_plays,
    list_few_plays,
)
from engine.ruleset import GameOptions
from engine.simulation.board import SimulatedBoard
from engine.simulation.match import PlayerHabits, RuleBreach, illegal_result, play_match
from engine.simulation.player import choose_leftover_play, choose_play, judge_boards
from engine.simulation.reader_errors import ReaderNoise
from tests.engine.referee.test_chains import WIDE

OPENING = SHORT.opening()


def played(seed=1, games=1, turns=None, noise=None, **habits):
    board = SimulatedBoard(np.random.default_rng(seed), OPENING, noise or ReaderNoise())
    return board, play_match(board, SHORT, games=games, turns=turns, habits=PlayerHabits(**habits))


def may_lead(play, roll):
    return is_legal(play.before, play.side, roll, play.after, SHORT)


def test_a_reply_in_narde_takes_as_many_from_the_head_as_the_first_roll_allows():
    rules = find_rules("narde", GameOptions(preset="classic002"))
    board = SimulatedBoard(np.random.default_rng(394), rules.opening())
    first, reply = play_match(board, rules, games=1, turns=2).plays
    assert (first.dice, reply.dice) == ((5, 3), (5, 5))
    assert reply.after.of(reply.side)[HEAD] == 14


def test_every_play_follows_the_last_and_is_legal_for_its_dice():
    _, truth = played(games=2)
    for play, following in zip(truth.plays, truth.plays[1:], strict=False):
        assert may_lead(play, Roll(*play.dice))
        if play.game == following.game:
            assert following.before == play.after
            assert following.side is play.side.other
        else:
            assert following.before == OPENING


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_variant_is_played_by_its_rules_to_the_end(variant):
    rules = find_rules(variant)
    board = SimulatedBoard(np.random.default_rng(1), rules.opening())
    truth = play_match(board, rules, games=2)
    left: tuple[int, ...] = ()
    again = False
    for play, following in pairwise(truth.plays):
        if play.dice is None:
            assert find_leftover_play(play.before, play.side, left, play.after, rules)
            left, again = (), True
        else:
            assert not left
            assert is_legal(play.before, play.side, Roll(*play.dice), play.after, rules)
            left, again = outcome_of_play(play.before, play.side, play.dice, play.after, rules)
        if play.game == following.game:
            assert following.before == play.after
            assert (following.side is play.side) is again
        else:
            assert rules.outcome(play.after) == truth.outcomes[0]
            assert following.before == rules.opening()
            assert following.side is (rules.starter_after(play.side, play.side) or following.side)


@pytest.mark.parametrize("variant", ["crazy_narde", "crazy_gulbar", "giul"])
def test_a_double_with_too_many_plays_to_list_is_played_by_the_rules(variant):
    rules, roll = find_rules(variant), Roll(1, 1)
    assert list_few_plays(WIDE, Side.LIGHT, roll, rules) is None
    after = choose_play(np.random.default_rng(1), WIDE, Side.LIGHT, roll, rules)
    assert is_legal(WIDE, Side.LIGHT, roll, after, rules)


def test_moves_left_over_that_are_too_many_to_list_are_made_by_the_rules():
    """Only one checker leaves the head, whichever number moves it."""
    rules = find_rules("crazy_gulbar")
    light = (0, 3, 0, 0, 0, 1, 0, 3, 0, 0, 1, *[0] * 7, 2, *[0] * 5, 5, 0)
    dark = (0, 0, 0, 2, 0, 2, 0, 1, 1, 1, 1, 1, 0, 0, 0, 0, 2, 0, 1, 0, 0, 1, 0, 0, 2, 0)
    before = Setup(light, dark, rules.course).checked()
    left = (1, *(number for number in range(2, 7) for _ in range(4)))
    assert list_few_leftover_plays(before, Side.DARK, left, rules) is None
    for seed in range(5):
        after = choose_leftover_play(np.random.default_rng(seed), before, Side.DARK, left, rules)
        assert find_leftover_play(before, Side.DARK, left, after, rules)


def test_games_are_played_to_their_end_and_resemble_those_of_people():
    outcomes, lengths = [], []
    for seed in range(30):
        _, truth = played(seed)
        outcomes += truth.outcomes
        lengths.append(len(truth.plays))
        assert SHORT.outcome(truth.plays[-1].after) == truth.outcomes[0]
    results = [one.result for one in outcomes]
    assert 45 < np.mean(lengths) < 62  # about 52 between people
    assert 15 <= results.count("single") <= 27
    assert {one.winner for one in outcomes} == set(Side)


def test_the_next_game_begins_from_the_opening():
    _, truth = played(games=3)
    assert [truth.plays[-1].game, len(truth.outcomes)] == [3, 3]
    firsts = {play.game: play.before for play in reversed(truth.plays)}
    assert set(firsts.values()) == {OPENING}


def test_the_same_seed_gives_the_same_match():
    assert played(7)[1] == played(7)[1] != played(8)[1]


@pytest.mark.parametrize(
    ("roll", "result"), [((3, 1), {8: 2, 6: 4, 5: 2}), ((4, 2), {8: 2, 6: 4, 4: 2})]
)
def test_a_point_is_made_where_people_make_it(roll, result):
    after = choose_play(np.random.default_rng(1), OPENING, Side.LIGHT, Roll(*roll), SHORT)
    assert {point: after.light[point] for point in result} == result


def test_a_blot_in_a_direct_shot_is_worse_than_none():
    safe = Setup((0, 0, 0, 0, 0, 2, 13, *[0] * 19), (0, *[0] * 23, 2, 13)).checked()
    blot = Setup((0, 0, 0, 0, 1, 1, 13, *[0] * 19), (0, *[0] * 23, 2, 13)).checked()
    worth = judge_boards(np.array([[p.light, p.dark] for p in (safe, blot)], np.int8))
    assert worth[0] > worth[1] + 5


@pytest.mark.parametrize(
    ("breach", "name"), [(RuleBreach.MISPLACED, "illegal"), (RuleBreach.MISCOUNTED, "miscounted")]
)
def test_illegal_plays_come_as_often_as_chosen_and_in_the_chosen_way(breach, name):
    plays = [play for seed in range(6) for play in played(seed, **{name: 0.2})[1].plays]
    illegal = [play for play in plays if play.breach is not None]
    # Where a side is about to be borne off, hardly any checker can be misplaced.
    assert 0.1 < len(illegal) / len(plays) <= 0.25
    for play in illegal:
        leads = [roll for roll in ALL_ROLLS if may_lead(play, roll)]
        assert play.breach is breach
        assert Roll(*play.dice) not in leads
        assert bool(leads) is (breach is RuleBreach.MISCOUNTED)
    assert all(may_lead(play, Roll(*play.dice)) for play in plays if play.breach is None)


def test_an_illegal_play_misplaces_one_checker_by_a_pip_or_two():
    after = choose_play(np.random.default_rng(1), OPENING, Side.LIGHT, Roll(3, 1), SHORT)
    wrong = illegal_result(
        np.random.default_rng(2),
        OPENING,
        after,
        Side.LIGHT,
        Roll(3, 1),
        SHORT,
        RuleBreach.MISPLACED,
    )
    difference = np.array(wrong.light) - np.array(after.light)
    assert sorted(difference[difference != 0]) == [-1, 1]
    assert abs(wrong.pips(Side.LIGHT) - after.pips(Side.LIGHT)) <= 2


def test_void_throws_come_as_often_as_chosen():
    truths = [played(seed, rerolls=0.2)[1] for seed in range(6)]
    turns = sum(len(truth.plays) for truth in truths)
    voids = sum(truth.rerolls for truth in truths)
    assert voids / (voids + turns) == pytest.approx(0.2, abs=0.06)


def test_a_lost_pair_is_two_turns_without_any_observation():
    board, truth = played(lost_pairs=0.05)
    lost = [index for index, play in enumerate(truth.plays) if not play.was_seen]
    assert lost
    assert all(a + 1 in lost or a - 1 in lost for a in lost)
    for index in lost:
        observations = slice(truth.plays[index - 1].seen_end, truth.plays[index].seen_end)
        shown = set(board.true_positions[observations])
        assert shown <= {truth.plays[index].after}
        assert not any(one.dice for one in board.seen[observations] if isinstance(one, Observation))


def test_hasty_and_quick_turns_leave_no_observation_of_the_play():
    board, truth = played(hasty=1.0, quick=1.0, turns=12)
    for play in truth.plays[:-1]:
        moved = play.after != play.before
        assert not (moved and play.after in board.true_positions[: play.seen_end - 2])


def test_the_observations_of_a_turn_end_with_the_position_after_it():
    board, truth = played(turns=20, rerolls=0.1)
    assert all(board.true_positions[play.seen_end - 1] == play.after for play in truth.plays)
