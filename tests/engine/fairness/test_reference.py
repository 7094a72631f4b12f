"""Published rolls give the published figures, to the digits that are printed."""

from __future__ import annotations

import json

import numpy as np
import pytest

from engine.fairness.evalues import bayes_factor
from engine.fairness.faces import face_tests
from engine.fairness.findings import analyse_log
from engine.fairness.pairs import pair_of_table
from engine.fairness.reading import tally_of_counts as tallied
from engine.fairness.rolls import simple_log
from tests.engine.fairness.counted import Share, shares_z, successes_test, sums_test
from tests.paths import DATA

KNOWN = json.loads((DATA / "dice_reference.json").read_text("utf-8"))


def same(value, known):
    """Equal to the two digits that are printed."""
    return f"{value:.1e}" == f"{known:.1e}"


def counts_of(*path):
    known = KNOWN
    for name in path:
        known = known[name]
    return np.array(known)


def test_weldons_dice_show_five_or_six_too_often():
    known = KNOWN["weldon_five_or_six"]
    share = Share(known["successes"], known["dice"], 1 / 3)
    assert share.hits == int((counts_of("weldon_five_or_six", "throws") * np.arange(13)).sum())
    assert share.hits / share.trials == pytest.approx(known["share"], abs=5e-7)
    assert share.z == pytest.approx(known["z"], abs=5e-4)
    assert share.p == pytest.approx(known["p"], rel=0.03)


def test_weldons_counts_of_successes():
    known = KNOWN["weldon_five_or_six"]
    throws = known["throws"]
    for cells in (11, 12, 13):
        found = successes_test(throws, 12, 1 / 3, cells=cells)
        assert found.value == pytest.approx(known[f"x2_{cells}_cells"], abs=5e-4)
    eleven = successes_test(throws, 12, 1 / 3, cells=11)
    assert (eleven.df, eleven.p) == (10, pytest.approx(known["p_11_cells"], rel=5e-3))
    g = successes_test(throws, 12, 1 / 3, cells=11, is_g=True)
    assert g.value == pytest.approx(known["g_11_cells"], abs=5e-4)
    fitted = successes_test(throws, 12, None, cells=11)
    assert fitted.value == pytest.approx(known["x2_fitted"], abs=5e-4)
    assert (fitted.df, fitted.p) == (9, pytest.approx(known["p_fitted"], abs=5e-4))


@pytest.mark.parametrize("die", ["red", "white"])
def test_wolfs_dice_are_biased(die):
    known = KNOWN["wolf"][die]
    counts = counts_of("wolf", die, "counts")
    tests = face_tests(tallied(counts))
    assert tests.chi_square.value == pytest.approx(known["x2"], abs=5e-3)
    assert same(tests.chi_square.p, known["p"])
    assert tests.axis.value == pytest.approx(known["axis_x2"], abs=5e-3)
    assert tests.axis.df == 2
    assert bayes_factor(counts) == pytest.approx(known["log10_bayes"], abs=5e-3)
    if "g" in known:
        assert tests.g.value == pytest.approx(known["g"], abs=5e-3)


def test_wolfs_two_dice_do_not_know_of_each_other():
    known = KNOWN["wolf"]
    table = counts_of("wolf", "table")
    assert table.sum(axis=1).tolist() == known["red"]["counts"]
    assert table.sum(axis=0).tolist() == known["white"]["counts"]
    pair = pair_of_table(("red", "white"), table)
    assert pair.independence.value == pytest.approx(known["independence_x2"], abs=5e-3)
    assert (pair.independence.df, pair.outcomes.df) == (25, 35)
    assert pair.independence.p == pytest.approx(known["independence_p"], abs=5e-4)
    assert pair.outcomes.value == pytest.approx(known["cells_x2"], abs=5e-3)
    assert pair.doubles == known["doubles"]
    assert pair.doubles / pair.throws == pytest.approx(known["doubles_share"], abs=5e-6)
    assert pair.doubles_p == pytest.approx(known["doubles_p"], abs=5e-4)
    assert pair.doubles_expected == pytest.approx(known["doubles_expected"], abs=0.05)


def test_labbys_dice_have_a_short_axis_that_weldons_statistic_misses():
    known = KNOWN["labby"]
    counts = counts_of("labby", "counts")
    tests = face_tests(tallied(counts))
    assert tests.chi_square.value == pytest.approx(known["x2"], abs=5e-3)
    assert same(tests.chi_square.p, known["p"])
    assert tests.axis.value == pytest.approx(known["axis_x2"], abs=5e-3)
    assert same(tests.axis.p, known["axis_p"])
    assert abs(Share(int(counts[4:].sum()), int(counts.sum()), 1 / 3).z) < 2


def test_fibs_doubles_and_entries():
    known = KNOWN["fibs"]
    doubles = Share(known["doubles"], known["throws"], 1 / 6)
    assert doubles.p_above == pytest.approx(known["p_above"], abs=5e-6)
    assert doubles.p == pytest.approx(known["p"], abs=5e-5)
    entries = [Share(hits, tries, ways / 36) for hits, tries, ways in known["entries"]]
    assert sum(one.hits for one in entries) == known["entered"]
    expected = sum(one.trials * one.chance for one in entries)
    assert expected == pytest.approx(known["expected"], abs=0.05)
    assert shares_z(entries) == pytest.approx(known["z"], abs=5e-4)
    assert entries[0].z == pytest.approx(known["first_row_z"], abs=5e-3)


def test_gammonsite_shows_nothing():
    known = KNOWN["gammonsite"]
    found = face_tests(tallied(counts_of("gammonsite", "counts"))).chi_square
    assert found.value == pytest.approx(known["x2"], abs=5e-4)
    assert found.p == pytest.approx(known["p"], abs=5e-4)


def test_vassals_sums_show_nothing():
    known = KNOWN["vassal"]
    found = sums_test(known["sums"])
    assert found.value == pytest.approx(known["x2"], abs=5e-4)
    assert (found.df, found.p) == (10, pytest.approx(known["p"], abs=5e-4))


def test_the_whole_of_wolfs_log_is_found_biased_and_its_dice_unlike():
    table = counts_of("wolf", "table")
    order = np.random.default_rng(0).permutation(20_000)
    cells = np.repeat(np.arange(36), table.ravel())[order]
    values = np.column_stack((cells // 6, cells % 6)).ravel() + 1
    log = simple_log(values, die=["red", "white"] * 20_000, throw=np.repeat(np.arange(20_000), 2))
    found = analyse_log(log)
    assert [unit.name for unit in found.groups["dice"]] == ["red", "white"]
    assert found.e_discoveries == ("red", "white")
    (pair,) = found.pairs
    assert np.array_equal(pair.table, table)
    assert found.comparisons[0].same.p < 1e-10
