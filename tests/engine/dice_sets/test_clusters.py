"""Dice clustered by color: what is told apart, what is not, and that nothing is guessed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.dice_sets.clusters import MIN_DICE, cluster_dice
from engine.dice_sets.colour import lab_of, linear_of
from engine.evidence.observation import DieAppearance

WHITE, RED, BLUE, BROWN = (81, -1, 4), (34, 43, 26), (32, 9, -30), (37, 8, 10)


def appearances(body, count, spread=(1.5, 1.0, 1.5), seed=0):
    """Appearances of one die, spread as under the light of one lamp."""
    drawn: Any = np.random.default_rng(seed).normal(body, spread, (count, 3))
    return [DieAppearance(tuple(one), (50, 0, 0), 0.0265) for one in drawn]


def pairs(body, throws, seed=0):
    dice = appearances(body, 2 * throws, seed=seed)
    return list(zip(dice[::2], dice[1::2], strict=True))


def letters(found):
    """The clusters of each throw as letters."""
    return [
        "".join("-" if kind is None else "ABCDEF"[kind] for kind in one) for one in found.indices
    ]


def test_the_pairs_of_both_players_are_two_clusters():
    turns = zip(pairs(WHITE, 12), pairs(RED, 12, 1), strict=True)
    found = cluster_dice([*(throw for turn in turns for throw in turn), *pairs(WHITE, 1, 2)])
    assert letters(found) == [*["AA", "BB"] * 12, "AA"]
    assert [(kind.is_pair, kind.observation_count) for kind in found.clusters] == [
        (True, 26),
        (True, 24),
    ]
    assert found.clusters[0].appearance.body == pytest.approx(WHITE, abs=1.5)


def test_a_red_and_a_white_die_thrown_together_are_two_clusters():
    throws = list(zip(appearances(WHITE, 20), appearances(RED, 20, seed=1), strict=True))
    found = cluster_dice(throws)
    assert {"".join(sorted(one)) for one in letters(found)} == {"AB"}
    assert [kind.is_pair for kind in found.clusters] == [False, False]


def test_dice_of_one_colour_are_one_cluster():
    found = cluster_dice([*pairs(WHITE, 20), *pairs((79, 1, 5), 20, 1)])
    assert len(found.clusters) == 1
    assert found.clusters[0].is_pair


def test_colours_without_a_gap_are_one_cluster():
    between = [(34 + 47 * t, 43 - 44 * t, 26 - 22 * t) for t in np.linspace(0, 1, 30)]
    smeared = [one for body in between for one in appearances(body, 2)]
    assert len(cluster_dice(list(zip(smeared[::2], smeared[1::2], strict=True))).clusters) == 1


@pytest.mark.parametrize("shade", [0.65, 0.8, 1.3])
def test_a_pair_at_a_darker_end_of_the_board_is_one_cluster(shade):
    lit = tuple(lab_of(linear_of(RED)[None] * shade)[0])
    assert len(cluster_dice([*pairs(RED, 15), *pairs(lit, 15, 1)]).clusters) == 1


def test_a_reflection_on_a_glossy_die_makes_no_cluster():
    glossy = tuple(lab_of(0.72 * linear_of(RED)[None] + 0.28)[0])
    assert glossy[0] - RED[0] > 25, "quite another colour"
    assert len(cluster_dice([*pairs(RED, 15), *pairs(glossy, 15, 1)]).clusters) == 1
    assert len(cluster_dice([*pairs(BROWN, 15), *pairs(WHITE, 15, 1)]).clusters) == 2


def test_too_few_dice_make_no_cluster():
    assert cluster_dice([]).clusters == ()
    assert cluster_dice([()]).indices == ((),)
    few = cluster_dice([tuple(appearances(WHITE, MIN_DICE - 1))])
    assert (few.clusters, letters(few)) == ((), ["--"])


def test_an_outlier_is_in_no_cluster():
    found = cluster_dice([*pairs(WHITE, 20), (appearances(WHITE, 1)[0], appearances(BLUE, 1)[0])])
    assert len(found.clusters) == 1
    assert letters(found)[-1] == "A-"


def test_dice_without_appearance_are_in_no_cluster():
    throws = [(one, None) for one, _ in pairs(WHITE, 10)]
    assert letters(cluster_dice([*throws, (None, None)])) == ["A-"] * 10 + ["--"]


@settings(max_examples=25)
@given(st.randoms(use_true_random=False), st.integers(0, 1000))
def test_the_order_of_throws_does_not_matter(shuffler, seed):
    throws = [*pairs(WHITE, 9, seed), *pairs(RED, 7, seed + 1), *pairs(BLUE, 5, seed + 2)]
    order = list(range(len(throws)))
    shuffler.shuffle(order)
    first, again = cluster_dice(throws), cluster_dice([throws[one] for one in order])
    assert again.clusters == first.clusters
    assert again.indices == tuple(first.indices[one] for one in order)
