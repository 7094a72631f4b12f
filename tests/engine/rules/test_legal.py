"""The legal plays: against vectors of other programs, the slow twin, and by hand."""

from __future__ import annotations

import gzip
import json
import random

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine import (
    ALL_ROLLS,
    Play,
    Position,
    Roll,
    Side,
    apply_play,
    find_rules,
    is_legal,
    legal_plays,
)
from engine.errors import IllegalPlay
from tests.naive import naive_results
from tests.paths import DATA
from tests.positions import pos, random_turn

SHORT = find_rules("short")
VARIANTS = ("short", "nackgammon", "hypergammon", "longgammon")


def vectors(variant: str) -> list[dict]:
    with gzip.open(DATA / f"{variant}_legal_sample.jsonl.gz", "rt") as lines:
        return [json.loads(line) for line in lines]


def board(points: list[int], bar: list[int], off: list[int]) -> tuple:
    """A position in the vectors' form, mover positive, as two side vectors, mover first."""
    own = [off[0], *(max(n, 0) for n in points), bar[0]]
    other = [off[1], *(max(-n, 0) for n in reversed(points)), bar[1]]
    return tuple(own), tuple(other)


def results_of(position: Position, side: Side, roll: Roll, rules=SHORT) -> list[tuple]:
    found = legal_plays(position, side, roll, rules).results.tolist()
    return [(tuple(own), tuple(other)) for own, other in found]


def plays(text: str, roll: Roll, side: Side = Side.LIGHT) -> set[str]:
    return {str(play) for play, _ in legal_plays(pos(text), side, roll, SHORT)}


@pytest.mark.parametrize("variant", ["short", "nackgammon", "hypergammon"])
@pytest.mark.parametrize("side", Side)
def test_results_are_those_of_gnubg_wildbg_and_brute_force(variant, side):
    rules = find_rules(variant)
    for case in vectors(variant):
        own, other = board(case["points"], case["bar"], case["off"])
        position = rules.opening().with_sides(side, own, other)
        want = sorted(board(r[:24], r[24:26], r[26:]) for r in case["results"])
        assert sorted(results_of(position, side, Roll(*case["dice"]), rules)) == want, case["id"]


@pytest.mark.parametrize("variant", ["short", "nackgammon", "hypergammon"])
def test_perft_counts_of_the_opening_rolls(variant):
    rules = find_rules(variant)
    name = "backgammon" if variant == "short" else variant
    counts = json.loads((DATA / "perft.json").read_text())[name]["counts"]
    opening = rules.opening()
    reached = set()
    for roll in ALL_ROLLS:
        found = results_of(opening, Side.LIGHT, roll, rules)
        assert len(found) == counts["per_roll"][f"{roll.high}-{roll.low}"]
        reached |= set(found)
    assert len(reached) == counts["ply1_distinct"]


@pytest.mark.parametrize(
    "variant", ["short", pytest.param("nackgammon", marks=pytest.mark.slow), "hypergammon"]
)
def test_perft_counts_of_the_second_ply(variant):
    rules = find_rules(variant)
    name = "backgammon" if variant == "short" else variant
    counts = json.loads((DATA / "perft.json").read_text())[name]["counts"]
    opening = rules.opening()
    first = {r for roll in ALL_ROLLS for r in results_of(opening, Side.LIGHT, roll, rules)}
    boards = np.array([(other, own) for own, other in first], np.int8)
    dice = np.array([(roll.high, roll.low) for roll in ALL_ROLLS], np.int8)
    found = rules.search(np.repeat(boards, len(dice), axis=0), np.tile(dice, (len(boards), 1)))
    assert len(found.results) == counts["ply2_sum_over_distinct"]
    assert len(np.unique(found.results.reshape(-1, 52), axis=0)) == counts["ply2_distinct"]


@settings(max_examples=120)
@given(st.integers(0, 2**32), st.sampled_from(VARIANTS))
def test_kernel_and_naive_twin_agree(seed, variant):
    rules = find_rules(variant)
    position, side, roll = random_turn(seed, rules)
    found = results_of(position, side, roll, rules)
    want = naive_results(position.of(side), position.of(side.other), (roll.high, roll.low))
    assert len(found) == len(set(found))
    assert set(found) == want


def random_board(seed: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Checkers anywhere, so that bars, blots and bear-offs combine as they never do in games."""
    chance = random.Random(seed)
    far = chance.choice([6, 8, 25])
    own, other = [0] * 26, [0] * 26
    for _ in range(15):
        own[chance.choice([0, chance.randint(1, far)])] += 1
    free = [p for p in range(1, 25) if not own[25 - p]] + [25, 0]
    for _ in range(15):
        other[chance.choice(free)] += 1
    return tuple(own), tuple(other)


@settings(max_examples=300)
@given(st.integers(0, 2**32), st.sampled_from(ALL_ROLLS))
def test_kernel_and_naive_twin_agree_on_positions_of_no_game(seed, roll):
    own, other = random_board(seed)
    found = results_of(Position(own, other), Side.LIGHT, roll)
    assert len(found) == len(set(found))
    assert set(found) == naive_results(own, other, (roll.high, roll.low))


@settings(max_examples=60)
@given(st.integers(0, 2**32), st.sampled_from(VARIANTS))
def test_every_play_leads_where_it_says_and_reads_back(seed, variant):
    rules = find_rules(variant)
    position, side, roll = random_turn(seed, rules)
    for play, after in legal_plays(position, side, roll, rules):
        assert apply_play(position, side, play, rules) == after
        assert apply_play(position, side, Play.parse(str(play)), rules) == after
        assert str(Play.parse(str(play))) == str(play)


@settings(max_examples=60)
@given(st.integers(0, 2**32))
def test_stars_mark_exactly_the_hits(seed):
    position, side, roll = random_turn(seed, SHORT)
    for play, _ in legal_plays(position, side, roll, SHORT):
        for number, move in enumerate(play.moves):
            before = apply_play(position, side, Play(play.moves[:number]), SHORT)
            after = apply_play(position, side, Play(play.moves[: number + 1]), SHORT)
            sent = after.of(side.other)[25] - before.of(side.other)[25]
            assert move.hit == bool(sent)


@settings(max_examples=60)
@given(st.integers(0, 2**32))
@example(1)
def test_the_number_of_checkers_is_kept(seed):
    position, side, roll = random_turn(seed, SHORT)
    results = legal_plays(position, side, roll, SHORT).results
    assert (results.sum(axis=2) == 15).all()
    assert (results >= 0).all()


def test_batch_lists_what_single_calls_list_even_when_the_output_must_grow():
    turns = [random_turn(seed, SHORT) for seed in range(60)]
    boards = np.array([(p.of(s), p.of(s.other)) for p, s, _ in turns], np.int8)
    # Double ones from the starting position: more rows than are reserved for so few boards.
    opening = SHORT.opening()
    boards = np.concatenate([boards, np.array([[opening.light, opening.dark]] * 60, np.int8)])
    dice = np.array([(r.high, r.low) for *_, r in turns] + [(2, 2)] * 60, np.int8)
    found = SHORT.search(boards, dice)
    for i, (position, side, roll) in enumerate(turns):
        rows = found.results[found.offsets[i] : found.offsets[i + 1]]
        assert rows.tolist() == legal_plays(position, side, roll, SHORT).results.tolist()
    assert np.diff(found.offsets)[60:].tolist() == [75] * 60


def test_forced_pass_is_one_entry_with_the_position_unchanged():
    shut_out = pos("light bar:1 6:14 | dark 1:2 2:2 3:2 4:2 5:2 6:2")
    legal = legal_plays(shut_out, Side.LIGHT, Roll(6, 5), SHORT)
    assert [(str(play), after) for play, after in legal] == [("(no play)", shut_out)]
    assert legal.is_pass


@pytest.mark.parametrize(
    ("text", "roll", "want"),
    [
        # 10/7 with the three would end on 1, which is held: either die can be played, not both.
        ("light 10:1 | dark 24:2", Roll(6, 3), {"10/4"}),
        # The six is blocked at once, so that the smaller die is the only one.
        ("light 10:1 | dark 21:2 24:2", Roll(6, 3), {"10/7"}),
        ("light 7:1 | dark 1:2", Roll(6, 1), {"7/off"}),
        # 12/8 is a four, but would leave no six: 14, 6 and 2 are held.
        ("light 20:1 12:1 | dark 11:2 19:2 23:2", Roll(6, 4), {"20/10"}),
    ],
)
def test_as_many_dice_as_possible_and_the_larger_of_two(text, roll, want):
    assert plays(text, roll) == want


@pytest.mark.parametrize(
    ("text", "roll", "want"),
    [
        ("light 4:2 | dark 1:2", Roll(6, 5), {"4/off(2)"}),
        # No four from the 2 point while a checker is behind it: three ways, one result.
        ("light 6:1 2:1 | dark 1:2", Roll(4, 3), {"6/off"}),
        ("light 12:1 1:14 | dark 20:2", Roll(4, 1), {"12/7"}),
        ("light 5:1 | dark 1:2", Roll(5, 1), {"5/off"}),
    ],
)
def test_bearing_off(text, roll, want):
    assert plays(text, roll) == want


def test_hits_in_passing_keep_their_star():
    after_both_ways = plays("light 24:1 6:14 | dark 5:1 3:14", Roll(6, 4))
    assert {"24/20*/14", "24/14"} <= after_both_ways


def test_find_gives_the_play_that_was_made():
    opening = SHORT.opening()
    legal = legal_plays(opening, Side.DARK, Roll(3, 1), SHORT)
    after = apply_play(opening, Side.DARK, Play.parse("8/5 6/5"), SHORT)
    found = legal.find(after)
    assert found is not None
    assert str(found.play) == "8/5 6/5"
    assert legal.find(opening) is None
    assert is_legal(opening, Side.DARK, Roll(3, 1), after, SHORT)
    assert not is_legal(opening, Side.DARK, Roll(2, 1), after, SHORT)


@pytest.mark.parametrize(
    ("play", "reason"),
    [("24/23 24/22 24/21", "no checker on the 24 point"), ("24/19", "holds the 19 point")],
)
def test_impossible_moves_are_refused(play, reason):
    with pytest.raises(IllegalPlay, match=reason):
        apply_play(SHORT.opening(), Side.LIGHT, Play.parse(play), SHORT)


def test_a_listing_is_a_sequence():
    legal = legal_plays(SHORT.opening(), Side.LIGHT, Roll(6, 5), SHORT)
    assert legal[-1] == legal[len(legal) - 1]
    assert legal[1:3] == [legal[1], legal[2]]
    assert "24/13" in repr(legal)
    with pytest.raises(IndexError):
        legal[len(legal)]
