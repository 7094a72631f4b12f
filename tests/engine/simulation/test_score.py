"""Doubles, takes and drops of simulated games: the record is counted against the truth."""

from __future__ import annotations

import numpy as np
import pytest

from engine.evidence.cube_track import CubeAtRest
from engine.evidence.observation import CUBE_VALUES, CubePlace
from engine.position import Side
from engine.ruleset import GameOptions
from engine.simulation.match import PlayerHabits, TrueCubeAction
from engine.simulation.reader_errors import ReaderNoise, SimulatedReader
from engine.simulation.score import CubeCount, count_cube
from engine.simulation.trial import USUAL_CONDITIONS, TrialConditions, run_trial

LIGHT, DARK = Side
DOUBLE = TrueCubeAction(1, 7, "double", LIGHT, 2)
TAKE = TrueCubeAction(1, 7, "take", DARK, 2)
TRUE = CubeAtRest(2, CubePlace.OFFERED)


def test_cube_actions_are_right_late_missed_or_invented():
    later = TAKE._replace(plays=9)
    other_game = DOUBLE._replace(game=2)
    assert count_cube([DOUBLE, TAKE], [DOUBLE, TAKE]) == CubeCount(2, 0, 0)
    assert count_cube([DOUBLE, TAKE], [DOUBLE, later]) == CubeCount(1, 1, 0)
    assert count_cube([DOUBLE, TAKE], [other_game]) == CubeCount(0, 0, 1)
    assert count_cube([], [DOUBLE]) == CubeCount(0, 0, 1)


def test_an_action_that_is_recorded_twice_is_invented_once():
    assert count_cube([DOUBLE], [DOUBLE, DOUBLE._replace(plays=9)]) == CubeCount(1, 0, 1)


def test_without_noise_every_cube_action_and_every_end_is_recorded_rightly():
    habits = PlayerHabits(doubles=0.3, drops=0.3, quick_cubes=0.3, hasty=0.1)
    score = run_trial(7, 2, TrialConditions(ReaderNoise(), habits)).score
    assert score.cube_actions >= 4
    assert (score.cube_right, score.cube_late, score.cube_invented) == (score.cube_actions, 0, 0)
    assert (score.ends_right, score.ends) == (2, 2)
    assert score.right == score.turns


@pytest.mark.slow
def test_two_misread_places_that_look_like_a_broken_rule_are_marked_and_accuse_nobody():
    options = GameOptions(variant="narde", preset="site_classic")
    trial = run_trial(5330057, 1, USUAL_CONDITIONS, options)
    (doubtful,) = (pair for pair in trial.pairs if pair.is_recorded_illegal)
    assert (doubtful.is_illegal, doubtful.is_for_review, doubtful.is_accused) == (
        False,
        True,
        False,
    )
    assert trial.score.false_accusations == 0
    assert trial.score.silent_errors == 0  # the checker stays astray for four turns


@pytest.mark.parametrize("share", [0.0, 0.1])
def test_a_cube_is_misread_as_often_as_chosen_in_number_and_in_place(share):
    reader = SimulatedReader(np.random.default_rng(3), ReaderNoise(cube=share, glare=0.0))
    seen = [reader.read_cube(TRUE) for _ in range(2000)]
    values = [CUBE_VALUES[int(np.argmax(one.values))] for one in seen]
    places = [tuple(CubePlace)[int(np.argmax(one.places))] for one in seen]
    assert np.mean([one != TRUE.value for one in values]) == pytest.approx(share, abs=0.02)
    assert np.mean([one is not TRUE.place for one in places]) == pytest.approx(share, abs=0.02)
    assert all(sum(one.values) == pytest.approx(1) for one in seen)


def test_an_untouched_cube_is_mostly_read_alike():
    reader = SimulatedReader(
        np.random.default_rng(3), ReaderNoise(cube=0.5, unseen_cube=0.5, glare=1.0)
    )
    first = reader.read_cube(TRUE)
    assert all(reader.read_cube(TRUE) is first for _ in range(20))


def test_a_cube_is_found_as_often_as_chosen():
    reader = SimulatedReader(np.random.default_rng(3), ReaderNoise(unseen_cube=0.2, glare=0.0))
    unseen = [reader.read_cube(TRUE) is None for _ in range(2000)]
    assert np.mean(unseen) == pytest.approx(0.2, abs=0.03)
