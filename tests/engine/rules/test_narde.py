"""The narde family: against vectors, the slow twin and by hand."""

from __future__ import annotations

import gzip
import json
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import (
    ALL_ROLLS,
    Course,
    Play,
    Position,
    Roll,
    Side,
    apply_play,
    find_rules,
    leftover_plays,
    legal_plays,
)
from engine.errors import TooManyPlays
from engine.rules import NARDE_PRESETS, TurnContext
from engine.rules.circling import CirclingSearch
from engine.rules.legal import find_play
from engine.rules.narde import SCORINGS
from engine.ruleset import GameOptions
from tests.naive_narde import HOUSES, hole, kush, naive_narde
from tests.paths import DATA

NARDE = find_rules("narde")
FAMILY = ("nardgammon", "crazy_narde", "gulbar", "crazy_gulbar", "khachapuri", "fevga", "giul")
BIG = 3_000
"""Results of a chain beyond which the slow twin would take minutes."""


def rules_named(name: str):
    return NARDE_PRESETS[name] if name in NARDE_PRESETS else find_rules(name)


def pos(text: str) -> Position:
    return Position.parse(text, Course.CIRCLING)


def vectors() -> list[dict]:
    with gzip.open(DATA / "long_narde_legal_sample.jsonl.gz", "rt") as lines:
        return [json.loads(line) for line in lines]


def own_and_other(points: list[int], off: list[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    own, other = [off[0], *(max(n, 0) for n in points), 0], [off[1], *[0] * 25]
    for point, count in enumerate(points, start=1):
        if count < 0:
            other[hole(point)] = -count
    return tuple(own), tuple(other)


@pytest.mark.parametrize("side", Side)
def test_results_are_those_of_the_vectors(side):
    for case in vectors():
        rules = find_rules("narde", GameOptions(preset=case["rules"]))
        position = rules.opening().with_sides(side, *own_and_other(case["points"], case["off"]))
        first = case["opponent_first_roll"]
        context = TurnContext(case["first_turn"], tuple(first) if first else None)
        found = legal_plays(position, side, Roll(*case["dice"]), rules, context).results
        want = sorted(own_and_other(r[:24], r[24:26])[0] for r in case["results"])
        assert sorted(tuple(own) for own in found[:, 0].tolist()) == want, case["id"]


def game(seed: int, rules, most_turns: int):
    """(position, side, roll, context) of every turn of a game of random plays that hurry home."""
    chance = random.Random(seed)
    position, side = rules.opening(), Side.LIGHT
    first: dict[Side, tuple[int, int] | None] = {Side.LIGHT: None, Side.DARK: None}
    for _ in range(most_turns):
        roll = Roll(chance.randint(1, 6), chance.randint(1, 6))
        if rules.doubles.rising and roll.is_double and roll.high < 4 and chance.random() < 0.8:
            roll = Roll(roll.high + 3, roll.high + 3)
        context = TurnContext(first[side] is None, first[side.other])
        yield position, side, roll, context
        first[side] = first[side] or (roll.high, roll.low)
        try:
            legal = legal_plays(position, side, roll, rules, context)
        except TooManyPlays:
            continue
        # The play with the fewest pips left of three, or nobody would ever bear off.
        tried = [legal[chance.randrange(len(legal))].position for _ in range(3)]
        position = min(tried, key=lambda one: one.pips(side))
        if rules.outcome(position):
            return
        side = side.other


def check_turn(name: str, position: Position, side: Side, roll: Roll, context: TurnContext) -> bool:
    """Compare one turn with the twin; False if it is too large for it."""
    try:
        legal = legal_plays(position, side, roll, rules_named(name), context)
    except TooManyPlays:
        return False
    found = [tuple(own) for own in legal.results[:, 0].tolist()]
    if len(found) > BIG:
        return False
    args = position.of(side), position.of(side.other), (roll.high, roll.low), HOUSES[name]
    want = naive_narde(*args, *context)
    assert len(found) == len(set(found))
    assert set(found) == set(want), (position, side, roll, context)
    for index, own in enumerate(found):
        left = {n: legal.leftover(index).count(n) for n in set(legal.leftover(index))}
        over = own[0] == 15
        assert left == ({} if over else want[own]), (position, side, roll, own)
    return True


@settings(max_examples=60)
@given(st.integers(0, 2**32), st.sampled_from(sorted(HOUSES)))
def test_kernel_and_naive_twin_agree(seed, name):
    turns = list(game(seed, rules_named(name), 70))
    for number in (0, 1, *random.Random(seed).sample(range(len(turns)), min(3, len(turns)))):
        check_turn(name, *turns[number])


@pytest.mark.slow
def test_kernel_and_naive_twin_agree_on_twenty_thousand_positions():
    checked = 0
    for seed in range(10_000):
        for name in HOUSES:
            turns = list(game(seed, rules_named(name), 90))
            checked += sum(check_turn(name, *turn) for turn in turns[seed % 3 :: 3])
        if checked >= 20_000:
            break
    assert checked >= 20_000


@pytest.mark.parametrize("name", ["narde", *FAMILY])
def test_counts_of_the_first_and_second_turns(name):
    rules, counts = find_rules(name), json.loads((DATA / "perft_narde.json").read_text())[name]
    opening, firsts = rules.opening(), set()
    rolls = [roll for roll in ALL_ROLLS if not roll.is_double or roll.high > 4]
    for roll in ALL_ROLLS:
        found = legal_plays(opening, Side.LIGHT, roll, rules).results
        assert len(found) == counts["per_roll"][str(roll)]
        if roll in rolls:
            firsts |= {(tuple(own), tuple(other)) for own, other in found.tolist()}
    assert len(firsts) == counts["first"]
    seconds = [Position(other, own, opening.course) for own, other in firsts]
    assert counts["second"] == sum(
        len(legal_plays(one, Side.LIGHT, roll, rules).results) for one in seconds for roll in rolls
    )


@settings(max_examples=20)
@given(st.integers(0, 2**32), st.sampled_from(sorted(HOUSES)))
def test_every_play_leads_where_it_says_and_reads_back(seed, name):
    rules = rules_named(name)
    position, side, roll, context = list(game(seed, rules, 60))[-1]
    try:
        legal = legal_plays(position, side, roll, rules, context)
    except TooManyPlays:
        return
    for play, after in legal[:50]:
        assert apply_play(position, side, play, rules) == after
        assert apply_play(position, side, Play.parse(str(play)), rules) == after


@settings(max_examples=30)
@given(st.integers(0, 2**32), st.integers(1, 6), st.integers(1, 4))
def test_leftover_moves_are_played_as_far_as_possible(seed, die, times):
    rules = find_rules("gulbar")
    position, side, *_ = list(game(seed, rules, 60))[-1]
    own, other = position.of(side), position.of(side.other)
    legal = leftover_plays(position, side, (die,) * times, rules)
    found = {tuple(own) for own in legal.results[:, 0].tolist()}
    _, want = kush(own, other, [die] * times, HOUSES["gulbar"], own[24] - 1)
    assert found == want


def test_batch_lists_what_single_calls_list():
    turns = [turn for seed in range(3) for turn in game(seed, NARDE, 60)]
    boards = np.array([(p.of(s), p.of(s.other)) for p, s, *_ in turns], np.int8)
    dice = np.array([(r.high, r.low) for _, _, r, _ in turns], np.int8)
    found = NARDE.search(boards, dice)
    for i, (position, side, roll, _) in enumerate(turns):
        rows = found.results[found.offsets[i] : found.offsets[i + 1]]
        assert rows.tolist() == legal_plays(position, side, roll, NARDE).results.tolist()


@settings(max_examples=30)
@given(st.integers(0, 2**32), st.sampled_from(sorted(NARDE_PRESETS)))
def test_a_first_turn_is_inferred_from_the_position(seed, name):
    rules = rules_named(name)
    for position, side, roll, context in list(game(seed, rules, 2)):
        if name == "classic002" and context.opponent_first_roll in {(5, 3), (6, 2)}:
            continue  # The same checker on the same point, but only one of them gives more.
        found = legal_plays(position, side, roll, rules, context).results.tolist()
        assert legal_plays(position, side, roll, rules).results.tolist() == found


@pytest.mark.parametrize(
    ("preset", "opponents", "roll", "heads"),
    [
        ("classic000", None, Roll(6, 6), 2),
        ("classic000", None, Roll(5, 5), 1),
        ("classic000", (5, 5), Roll(4, 4), 1),
        ("classic002", (5, 5), Roll(4, 4), 2),
        ("classic000", (2, 1), Roll(5, 5), 1),
        ("classic002", (2, 1), Roll(5, 5), 2),
    ],
)
def test_head_checkers_of_the_first_turn(preset, opponents, roll, heads):
    rules = find_rules("narde", GameOptions(preset=preset))
    position = rules.opening()
    if opponents:
        position = legal_plays(position, Side.LIGHT, Roll(*opponents), rules)[0].position
    context = TurnContext(True, opponents)
    left = {p.of(Side.DARK)[24] for _, p in legal_plays(position, Side.DARK, roll, rules, context)}
    assert left == {15 - heads}


@pytest.mark.parametrize(("dark", "is_allowed"), [("24:15", False), ("24:14 1:1", True)])
def test_a_row_of_six_needs_a_checker_ahead_of_it(dark, is_allowed):
    # 24/20 fills 15..20, which are dark's 3..8.
    position = pos(f"light 24:9 19:1 18:1 17:1 16:1 15:2 | dark {dark}")
    found = legal_plays(position, Side.LIGHT, Roll(4, 1), NARDE).results
    rows = [all(own[p] for p in range(15, 21)) for own in found[:, 0].tolist()]
    assert any(rows) is is_allowed


@pytest.mark.parametrize(
    ("text", "dice", "left", "again"),
    [
        ("light 24:15 | dark 24:15", (5, 5), (), True),
        ("light 24:15 | dark 24:11 7:4", (5, 5), (5, 5, 5, 5), False),
        ("light 4:1 off:14 | dark 6:15", (5, 5), (), False),
    ],
)
def test_gulbar_gives_another_roll_or_leaves_moves_to_the_opponent(text, dice, left, again):
    rules, roll = find_rules("gulbar"), Roll(*dice)
    legal = legal_plays(pos(text), Side.LIGHT, roll, rules)
    assert legal.leftover(0) == left
    own = legal[0].position.light
    assert rules.rolls_again(roll, legal.leftover(0), own) is again


def test_crazy_gulbar_gives_one_kush_more_when_the_last_checker_enters_last():
    # 2-2 brings the last one in; four from the three point follow, not 4-4.
    rules = find_rules("crazy_gulbar")
    before = pos("light 8:1 7:1 9:1 6:1 3:4 off:7 | dark 24:15")
    afters = legal_plays(before, Side.LIGHT, Roll(2, 2), rules).results[:, 0]
    assert afters[:, 0].max() == 11


@pytest.mark.parametrize(
    ("name", "text", "want"),
    [
        ("narde", "light off:15 | dark 24:15", (2, "mars")),
        ("narde", "light off:15 | dark 6:14", (1, "oin")),
        ("khachapuri", "light off:15 | dark 6:4 off:11", (4, "oin")),
    ],
)
def test_points(name, text, want):
    assert find_rules(name).outcome(pos(text))[1:] == want


@pytest.mark.parametrize(
    ("scoring", "dark", "want"),
    [
        ("koks3", "24:1 6:14", (3, "koks")),
        ("koks3", "18:1 6:14", (2, "mars")),
        ("koks3", "24:1 6:13", (1, "oin")),
        ("seed000_beginner", "6:15", (3, "koks")),
        ("seed000_beginner", "7:1 6:14", (2, "mars")),
        ("seed000_beginner", "6:14", (14, "oin")),
    ],
)
def test_scoring_systems_differ_in_what_a_loser_pays(scoring, dark, want):
    lost = Position.parse(f"light off:15 | dark {dark}", Course.CIRCLING)
    assert SCORINGS[scoring](lost, Side.DARK, 0) == want


def test_a_chain_with_too_many_results_is_refused():
    usual: Any = find_rules("crazy_narde").search
    small = CirclingSearch(usual.house, most_results=10)
    opening = NARDE.opening()
    with pytest.raises(TooManyPlays, match="more than 10"):
        small.of_one(opening.light, opening.dark, Roll(2, 2))


@pytest.mark.parametrize(
    ("position", "roll", "count"),
    [
        # No six after the first: the chain of sixes ends unfinished.
        ("light 24:15 | dark 24:14 14:1", Roll(6, 6), 1),
        # The second kush goes on although the first could have brought all checkers home.
        ("light 8:2 7:1 5:1 4:1 3:3 2:1 1:6 | dark 18:3 2:3 1:9", Roll(3, 3), 8),
    ],
)
def test_every_listed_play_of_a_chain_is_found_by_its_result(position, roll, count):
    giul = find_rules("giul")
    before = Position.parse(position, Course.CIRCLING)
    plays = legal_plays(before, Side.LIGHT, roll, giul)
    assert len(plays) == count
    for play in plays:
        assert find_play(before, Side.LIGHT, roll, play.position, giul) is not None
