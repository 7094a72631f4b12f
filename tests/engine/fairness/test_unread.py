"""Dice that nobody could read: a fair die must not be called biased for the reader's gaps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.fairness.findings import analyse_log
from engine.fairness.reading import could_unread_explain, evened_counts
from engine.fairness.report_json import findings_json
from engine.fairness.rolls import UNREAD_FACE, simple_log
from engine.fairness.verdict import conclusion


def log_with_gaps(given_up, rolls=3_000, chances=(1 / 6,) * 6, seed=5):
    """A log whose reader fails on each face with the given probability."""
    chance = np.random.default_rng(seed)
    values = chance.choice(6, rolls, p=chances) + 1
    lost = chance.random(rolls) < np.array(given_up)[values - 1]
    return simple_log(np.where(lost, UNREAD_FACE, values), die="red")


def one_die_report(log):
    (unit,) = analyse_log(log).groups["dice"]
    return unit, str(conclusion(unit))


@given(st.lists(st.integers(0, 60), min_size=6, max_size=6), st.integers(0, 200))
def test_unread_dice_are_given_to_the_rarest_faces_and_none_is_lost(counts, unread):
    before = np.array(counts, np.int64)
    after = evened_counts(before, unread)
    assert after.sum() == before.sum() + unread
    assert (after >= before).all()
    filled = after[after > before]
    assert filled.size == 0 or filled.max() - after.min() <= 1


def test_a_reader_who_gives_up_on_sixes_is_named_before_the_die():
    unit, words = one_die_report(log_with_gaps((0, 0, 0, 0, 0, 0.4)))
    assert unit.evidence.largest > 20, "the log itself looks biased"
    assert unit.unread > 150
    assert words.endswith(f"{unit.unread} dice that could not be read could account for it")


def test_few_unread_dice_excuse_no_loaded_die():
    unit, words = one_die_report(
        log_with_gaps((0.01,) * 6, chances=(0.1, 0.16, 0.16, 0.16, 0.16, 0.26))
    )
    assert unit.unread > 0
    assert not unit.is_explained
    assert "account for it" not in words


def test_unread_dice_are_not_mentioned_where_nothing_is_found():
    _, words = one_die_report(log_with_gaps((0.05,) * 6))
    assert words.startswith("no sign of bias")
    assert "account" not in words
    assert not could_unread_explain(np.array([50, 10, 10, 10, 10, 10]), 0)


def test_void_throws_do_not_count_among_the_unread():
    log = log_with_gaps((0, 0, 0, 0, 0, 0.4))
    void = replace(log, counted=np.zeros(len(log), np.bool_))
    assert analyse_log(void).groups["dice"] == ()
    unit = findings_json(analyse_log(log))["dice"]["red"]
    assert unit["unread"] == int((log.value == UNREAD_FACE).sum())
    assert unit["unread_could_explain"]
