"""The simulated reader errs exactly as often as configured, and states its certainty honestly."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.dice import Roll
from engine.evidence.observation import Observation, cell_counts
from engine.evidence.still_period import Motion
from engine.position import CHECKERS, Side
from engine.rules import SHORT
from engine.simulation.board import CONFIDENCE, SimulatedBoard, counts_of, observation_of
from engine.simulation.reader_errors import (
    MAX_CONFIDENCE,
    MAX_COUNTS,
    MAX_LOG_RATIO,
    MIN_COUNTS,
    ReaderNoise,
    SimulatedComparison,
    SimulatedReader,
    draw_confidences,
)

OPENING = SHORT.opening()
CELLS = cell_counts(OPENING)
DRAWS = 2_000


def chance(seed=1):
    return np.random.default_rng(seed)


def table(**noise):
    return SimulatedBoard(chance(), OPENING, ReaderNoise(**noise))


def observations(board):
    return [seen for seen in board.seen if isinstance(seen, Observation)]


def read(observation):
    return observation.counts.argmax(axis=1) - CHECKERS


def readings(noise, cells=CELLS):
    """(DRAWS, 28) counts read and probabilities stated, each by a fresh reader."""
    rng = chance()
    drawn = [SimulatedReader(rng, noise).read(cells) for _ in range(DRAWS)]
    return np.array([one[0] for one in drawn]), np.array([one[1] for one in drawn])


@pytest.mark.parametrize("sight", [0.003, 0.03, 0.2])
def test_the_share_of_misread_cells_is_the_chosen_one(sight):
    wrong = (readings(ReaderNoise(sight=sight))[0] != CELLS).mean()
    assert wrong == pytest.approx(sight, abs=4 * np.sqrt(sight / CELLS.size / DRAWS))


def test_what_a_calibrated_reader_states_is_how_often_it_is_right():
    read_counts, stated = readings(ReaderNoise(sight=0.05))
    right = read_counts == CELLS
    assert stated.mean() == pytest.approx(right.mean(), abs=0.004)
    for low, high in [(0.4, 0.6), (0.6, 0.8), (0.8, 0.95), (0.95, 1.0)]:
        bin_ = (stated > low) & (stated <= high)
        error = 4 * np.sqrt(0.25 / bin_.sum())
        assert right[bin_].mean() == pytest.approx(stated[bin_].mean(), abs=error)


def test_most_misreadings_are_doubted_and_few_right_readings():
    read_counts, stated = readings(ReaderNoise(sight=0.01))
    wrong = read_counts != CELLS
    assert 0.7 < (stated[wrong] < 0.95).mean() < 0.9
    assert (stated[~wrong] < 0.95).mean() < 0.03


def test_a_reader_may_state_the_same_of_everything():
    assert (readings(ReaderNoise(sight=0.1, stated=0.9))[1] == 0.9).all()


def test_a_reading_never_has_the_wrong_colour_on_a_bar_or_in_a_tray():
    read_counts, _ = readings(ReaderNoise(sight=0.4))
    assert (read_counts >= MIN_COUNTS).all()
    assert (read_counts <= MAX_COUNTS).all()


def test_zero_noise_misreads_nothing():
    read_counts, stated = readings(ReaderNoise())
    assert (read_counts == CELLS).all()
    assert (stated == MAX_CONFIDENCE).all()


@given(errors=st.floats(0, 0.3), seed=st.integers(0, 2**32 - 1))
@settings(max_examples=40)
def test_stated_chances_are_chances_and_leave_room_for_the_errors(errors, seed):
    stated = draw_confidences(chance(seed), errors, 4_000)
    assert (stated >= 0.4).all()
    assert (stated <= 1).all()
    assert stated.mean() == pytest.approx(1 - errors, abs=0.02)


@given(
    cells=st.integers(0, 14), confidence=st.floats(0.4, 0.9999), near=st.sampled_from([0.0, 0.9])
)
@settings(max_examples=40)
def test_counts_are_log_probabilities_with_the_reading_on_top(cells, confidence, near):
    counts = counts_of(np.full(28, cells) * (MAX_COUNTS > 0), confidence=confidence, near=near)
    assert np.exp(counts.astype(float)).sum(axis=1) == pytest.approx(np.ones(28), abs=1e-4)
    assert (read(Observation(counts)) == np.full(28, cells) * (MAX_COUNTS > 0)).all()


def test_a_misreading_stays_through_a_still_period():
    board = table(sight=0.2)
    for _ in range(20):
        board.move_hand()
        board.rest(observations=3)
    seen = observations(board)
    for first, *others in (seen[i : i + 3] for i in range(0, len(seen), 3)):
        assert all((one.counts == first.counts).all() for one in others)


@pytest.mark.parametrize("glare", [0.0, 0.8, 1.0])
def test_a_misreading_mostly_stays_while_its_cell_holds_the_same(glare):
    reader = SimulatedReader(chance(), ReaderNoise(sight=0.1, glare=glare))
    drawn = np.array([reader.read(CELLS)[0] for _ in range(3_000)])
    wrong = drawn[:-1] != CELLS
    stays = (drawn[1:] == drawn[:-1])[wrong].mean()
    # A fresh reading repeats a certain misreading with a probability of 4 %.
    assert stays == pytest.approx(glare + (1 - glare) * 0.04, abs=0.03)
    assert glare == 1 or (drawn != CELLS).mean() == pytest.approx(0.1, abs=0.015)


def test_a_cell_that_changed_is_read_anew():
    reader = SimulatedReader(chance(), ReaderNoise(sight=0.3, glare=1.0))
    before, _ = reader.read(CELLS)
    changed = CELLS.copy()
    changed[:24] += 1
    errors = np.array(
        [SimulatedReader(chance(s), ReaderNoise(sight=0.3)).read(CELLS)[0] for s in range(2)]
    )
    after, _ = reader.read(changed)
    assert ((before != CELLS)[:24] != (after != changed)[:24]).any()
    assert ((before == after) | (changed != CELLS))[24:].all()
    assert (errors[0] != errors[1]).any()


@pytest.mark.parametrize("share", [0.05, 0.3])
def test_the_share_of_hidden_points_is_the_chosen_one_and_hidden_rows_are_flat(share):
    reader = SimulatedReader(chance(), ReaderNoise(hidden=share))
    assert np.mean([reader.draw_hidden()[:24] for _ in range(2_000)]) == pytest.approx(
        share, abs=0.02
    )
    board = table(hidden=share)
    for _ in range(30):
        board.rest(1)
    flat = [np.ptp(one.counts, axis=1) == 0 for one in observations(board)]
    assert np.mean([rows[:24] for rows in flat]) == pytest.approx(share, abs=0.1)
    assert all(
        one.quality == pytest.approx(max(0, 1 - 2 * rows[:24].mean()))
        for one, rows in zip(observations(board), flat, strict=True)
    )


def test_trays_out_of_the_picture_are_flat_rows():
    board = table(off_is_seen=False)
    board.rest(1)
    (seen,) = observations(board)
    assert np.flatnonzero(np.ptp(seen.counts, axis=1) == 0).tolist() == [26, 27]


def test_the_share_of_misread_dice_is_the_chosen_one_and_calibrated():
    reader = SimulatedReader(chance(), ReaderNoise(dice=0.05))
    drawn = [reader.read_die(3) for _ in range(6_000)]
    right = np.mean([value == 3 for value, _ in drawn])
    assert right == pytest.approx(0.95, abs=0.012)
    assert np.mean([stated for _, stated in drawn]) == pytest.approx(right, abs=0.012)


def test_a_missed_throw_is_never_seen_and_others_always():
    board = table(missed_throws=0.3)
    seen = []
    for _ in range(400):
        began = len(board.seen)
        board.throw(Roll(6, 1), Side.LIGHT)
        board.play(OPENING)
        dice = {len(one.dice) for one in board.seen[began:] if isinstance(one, Observation)}
        assert len(dice) == 1
        seen.append(dice.pop())
    assert seen.count(0) / len(seen) == pytest.approx(0.3, abs=0.08)
    assert set(seen) == {0, 2}


def test_dice_lie_in_their_roller_s_right_half_and_not_one_upon_the_other():
    board = table()
    for side in list(Side) * 50:
        board.throw(Roll(4, 2), side)
        (x, y), (u, v) = (one.board for one in board.dice)
        assert (x > 0.5) is (u > 0.5) is (side is Side.LIGHT)
        assert np.hypot(x - u, y - v) > 0.05


def test_a_bump_spoils_some_observations_and_the_board_is_read_anew():
    board = table(bumps=1.0)
    board.rest(2)
    kinds = ["hand" if isinstance(one, Motion) else one.quality for one in board.seen]
    assert kinds == [1.0, 1.0, 0.0, 0.0, "hand", 1.0, 1.0]


def test_nothing_is_seen_while_the_camera_is_covered():
    board = table()
    board.is_covered = True
    board.throw(Roll(6, 1), Side.LIGHT)
    board.lift()
    assert board.seen == board.true_positions == []
    assert board.clock > 2


def after_a_move():
    vector = list(OPENING.light)
    vector[6], vector[5] = 4, 1
    return OPENING.with_sides(Side.LIGHT, tuple(vector), OPENING.dark)


def test_a_comparison_without_errors_names_the_cells_that_changed():
    comparison, moved = SimulatedComparison(chance(), 0.0), after_a_move()
    assert not comparison.compare(observation_of(OPENING), OPENING).change.any()  # nothing settled
    comparison.settle()
    assert (
        comparison.compare(observation_of(OPENING), OPENING).change[:24] == -MAX_LOG_RATIO
    ).all()
    comparison.compare(Motion(0.0, 0), moved)
    change = comparison.compare(observation_of(moved), moved).change
    assert np.flatnonzero(change > 0).tolist() == [4, 5]
    assert (change[24:26] < 0).all()
    assert not change[26:].any()


def test_a_comparison_errs_as_often_as_chosen_and_is_calibrated():
    comparison, moved = SimulatedComparison(chance(), 0.05), after_a_move()
    comparison.compare(observation_of(OPENING), OPENING)
    comparison.settle()
    changed = (cell_counts(moved) != CELLS)[:24]
    ratios = []
    for _ in range(DRAWS):
        comparison.compare(Motion(0.0, 0), moved)
        ratios.append(comparison.compare(observation_of(moved), moved).change[:24])
    ratios_seen = np.array(ratios)
    right = (ratios_seen > 0) == changed
    assert right.mean() == pytest.approx(0.95, abs=0.005)
    stated = 1 / (1 + np.exp(-np.abs(ratios_seen)))
    doubted = stated < 0.95
    assert right[doubted].mean() == pytest.approx(stated[doubted].mean(), abs=0.03)


def test_without_a_comparison_observations_stay_unchanged():
    comparison = SimulatedComparison(chance(), None)
    seen = observation_of(OPENING)
    comparison.settle()
    assert comparison.compare(seen, OPENING) is seen


def test_without_noise_every_observation_shows_the_position():
    board = table(stated=CONFIDENCE)
    board.throw(Roll(6, 1), Side.LIGHT)
    board.play(after_a_move())
    board.lift()
    for seen, stood in zip(board.seen, board.true_positions, strict=True):
        if isinstance(seen, Observation):
            assert (read(seen) == cell_counts(stood)).all()
            assert sorted(one.value for one in seen.dice) in ([], [1, 6])
