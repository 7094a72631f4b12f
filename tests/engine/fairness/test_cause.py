"""The shape or weight that uneven faces look like, and rolls that depend on each other."""

from __future__ import annotations

import numpy as np
import pytest

from engine.fairness.bounds import largest_bias
from engine.fairness.cause import cause_of
from engine.fairness.dependence import DEPENDENCE_E_VALUE, doubles_log_e, order_log_e
from engine.fairness.findings import analyse_group, analyse_log
from engine.fairness.power import axis_bias, face_bias
from engine.fairness.reading import tally_of_counts
from engine.fairness.report_json import findings_json
from engine.fairness.rolls import simple_log
from engine.fairness.simulate import FAIR, draw_faces, look_alike_log
from engine.fairness.verdict import verdict

WOLF_RED = (3407, 3631, 3176, 2916, 3448, 3422)
WOLF_WHITE = (3246, 3449, 2897, 2841, 3635, 3932)


def cause(*counts):
    return cause_of(tally_of_counts(np.array(counts, np.int64)))


def verdict_on(counts):
    values = np.repeat(np.arange(1, 7), counts)
    return verdict(
        analyse_log(simple_log(np.random.default_rng(1).permutation(values))).groups["dice"][0]
    )


def test_wolfs_red_die_is_long_from_3_to_4_and_its_mass_is_centered():
    assert verdict_on(WOLF_RED) == (
        "20,000 rolls: biased or misread. 3 and 4 together come up too rarely: 30.5 % instead of "
        "33.3 %; it looks as if that axis were longer than the others by 2.2 % to 4.4 % (e-value "
        "above 10^15); first make sure the dice were read correctly: misread dice look the same"
    )


def test_wolfs_white_die_is_also_heavy_opposite_to_its_6():
    words = verdict_on(WOLF_WHITE)
    assert "3 and 4 together come up too rarely" in words
    assert "heavier on the side of the 1 (e-value" in words


def test_a_shaved_die_is_short_between_the_faces_that_come_up_often():
    (low, high) = cause(1060, 970, 970, 970, 970, 1060).relative_length(0)
    assert -0.04 < high < low < -0.01


def test_each_part_has_its_own_evidence():
    shaved, weighted = (
        cause(1300, 900, 900, 900, 900, 1300),
        cause(800, 900, 1000, 1100, 1200, 1300),
    )
    assert shaved.log_e_axes > 5 > 0 > shaved.log_e_mass
    assert weighted.log_e_mass > 5 > 0 > weighted.log_e_axes
    assert (shaved.oddest_axis, weighted.oddest_head) == (0, 0)
    assert shaved.axes_bounds[0, 0] > 1 / 3 > shaved.axes_bounds[1, 1]
    assert weighted.heads_bounds[0, 0] > 1 / 2


def test_equal_faces_have_equal_axes_and_no_rolls_are_no_error():
    for counts in ((100,) * 6, (0,) * 6, (0, 0, 0, 0, 0, 40)):
        found = cause(*counts)
        assert np.isfinite(found.relative_length(found.oddest_axis)).all()
    assert cause(*(0,) * 6).log_e_axes == 0


def test_of_a_die_loaded_on_one_face_the_face_is_named():
    values = draw_faces(np.random.default_rng(1), face_bias(0.5), 1, 3_000)[0] + 1
    die = analyse_group("die", "dice", simple_log(values))
    assert "6 comes up too often" in verdict(die)


def test_a_loaded_face_does_not_draw_its_axis_along():
    """2,500 rolls; only the 6 is loaded, and the 1 is above a sixth by chance."""
    words = verdict_on((420, 381, 382, 381, 381, 555))
    assert "6 comes up too often" in words
    assert "together" not in words


def test_of_look_alike_dice_no_shape_is_named():
    log = look_alike_log(np.random.default_rng(1), (axis_bias(0.4), axis_bias(0.4)), 2_000)
    words = verdict(analyse_group("pair", "dice", log, is_pooled=True))
    assert "1 and 6 together come up too often" in words
    assert "as if" not in words


def test_no_face_is_off_by_more_than_the_bounds_allow():
    die = analyse_group("die", "dice", simple_log(np.tile(np.arange(1, 7), 500)))
    bias = largest_bias(die.bounds)
    assert bias == pytest.approx(max(6 * die.bounds.max() - 1, 1 - 6 * die.bounds.min()))
    assert f"no face is off by more than {np.ceil(100 * bias):.0f} %" in verdict(die)


def test_a_roll_that_repeats_the_one_before_is_told_so_and_nobody_is_blamed():
    rng, values = np.random.default_rng(5), [1]
    for _ in range(3_000):
        values.append(values[-1] if rng.random() < 0.1 else int(rng.integers(1, 7)))
    die = findings_json(analyse_log(simple_log(values)))["dice"]["die"]
    assert die["order"].startswith("a roll seems to depend on the one before (e-value above 10^")
    assert "noted once, and in order" in die["order"]
    assert die["sign"] == "quiet"


def test_loaded_dice_in_a_row_do_not_depend_on_each_other():
    rng = np.random.default_rng(6)
    loaded = np.array([0.1, 0.1, 0.15, 0.15, 0.2, 0.3])
    for _ in range(10):
        assert order_log_e(simple_log(draw_faces(rng, loaded, 1, 2_000)[0] + 1)) < 3
        assert order_log_e(look_alike_log(rng, (loaded, FAIR), 1_000)) < 3
    assert order_log_e(simple_log([])) == 0


def test_look_alike_throws_that_repeat_are_told_too():
    rng, throws = np.random.default_rng(7), [[1, 1]]
    for _ in range(2_000):
        throws.append(throws[-1] if rng.random() < 0.2 else sorted(rng.integers(1, 7, 2).tolist()))
    log = simple_log(np.ravel(throws), throw=np.repeat(np.arange(len(throws)), 2))
    assert order_log_e(log) > np.log(DEPENDENCE_E_VALUE)


def test_doubles_have_an_e_value_of_their_own():
    assert doubles_log_e(0, 0) == pytest.approx(0)
    assert doubles_log_e(167, 1_000) < 0
    assert doubles_log_e(260, 1_000) > np.log(DEPENDENCE_E_VALUE)
    assert doubles_log_e(90, 1_000) > np.log(DEPENDENCE_E_VALUE)


def test_too_many_doubles_are_told_with_what_else_looks_so():
    values = np.ravel([[n % 6 + 1, (n if n % 3 == 0 else n // 3) % 6 + 1] for n in range(900)])
    log = simple_log(values, die=["red", "white"] * 900, throw=np.repeat(np.arange(900), 2))
    pair = findings_json(analyse_log(log))["pairs"]["red/white"]
    assert pair["doubles_verdict"].startswith("doubles come up too often: ")
    assert "misread dice look the same" in pair["doubles_verdict"]


@pytest.mark.parametrize("throws", [6, 30, 300])
def test_dependence_of_unbiased_dice_is_hardly_ever_told(throws):
    rng = np.random.default_rng(throws)
    for _ in range(300):
        faces = rng.integers(0, 6, (throws, 2))
        assert order_log_e(simple_log(faces[:, 0] + 1)) < np.log(DEPENDENCE_E_VALUE)
        doubles = int((faces[:, 0] == faces[:, 1]).sum())
        assert doubles_log_e(doubles, throws) < np.log(DEPENDENCE_E_VALUE)
