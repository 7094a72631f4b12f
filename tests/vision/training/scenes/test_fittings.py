"""What is on the bar of a drawn board besides checkers is not one of them."""

import numpy as np
import pytest

from vision.training.render import raycast as rc
from vision.training.scenes.builder import SceneBuilder
from vision.training.scenes.fittings import BarPlace, fit_bar
from vision.training.scenes.materials import material_row, random_set_colours

BAR_HIGH, CHECKER_HIGH = 0.02, 0.011


@pytest.fixture(scope="module")
def fitted_bars():
    """Objects on 60 bars."""
    made = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        build = SceneBuilder(rng)
        wood = build.paint(material_row(rc.PLAIN, np.full(3, 0.2), rng))
        fit_bar(build, BarPlace(0.035, 0.8, BAR_HIGH, wood, random_set_colours(rng)))
        made.append(np.array(build.objects).reshape(-1, rc.OBJECT_COLUMNS))
    return made


def test_some_bars_stay_empty_and_some_carry_a_disc_of_a_checkers_size(fitted_bars):
    widest = [
        objects[objects[:, rc.TYPE] == rc.CYLINDER, rc.HALF].max(initial=0.0)
        for objects in fitted_bars
    ]

    assert min(map(len, fitted_bars)) == 0
    assert max(widest) > 0.03


def test_nothing_on_a_bar_is_as_thick_as_a_usual_checker(fitted_bars):
    objects = np.concatenate(fitted_bars)
    flat = objects[objects[:, rc.TYPE] != rc.CAPSULE]

    tops = flat[:, rc.CENTRE + 2] + flat[:, rc.HALF + 2]
    assert (tops > BAR_HIGH).all()
    assert (tops < BAR_HIGH + CHECKER_HIGH).all()
