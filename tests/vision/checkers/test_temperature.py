"""Probabilities of a still's counts are tempered: more where its picture is doubted."""

import json

import numpy as np
import pytest

from engine.position import CHECKERS
from vision.benchmark.degradations import STILL_KINDS, degraded_still
from vision.checkers.temperature import (
    Temperature,
    Temperatures,
    calibrated,
    doubt_about,
    shipped_temperatures,
)
from vision.nets import MODELS
from vision.reading.single_image import read_located, read_still
from vision.sources.frame import read_image
from vision.training.running import checksum
from vision.training.scenes.stills import make_still
from vision.training.temperatures import ReadPoints, fit_temperatures

EVEN = Temperatures(Temperature(0.0, 0.0), Temperature(0.0, 0.0))


def point(probabilities):
    """(1, 31) probabilities of these signed counts."""
    row = np.zeros((1, 2 * CHECKERS + 1))
    for count, chance in probabilities.items():
        row[0, CHECKERS + count] = chance
    return row


LIGHT_TWO = point({2: 0.9, 3: 0.06, -2: 0.03, 0: 0.01})


def test_a_temperature_of_one_changes_nothing():
    assert calibrated(LIGHT_TWO, 0.5, EVEN) == pytest.approx(LIGHT_TWO, abs=1e-6)


def test_doubt_lowers_the_confidence_and_keeps_the_order():
    told = [calibrated(LIGHT_TWO, doubt) for doubt in (0.0, 0.05, 0.1, 0.3)]
    sure = [float(each.max()) for each in told]
    assert sure == sorted(sure, reverse=True)
    assert sure[0] - sure[-1] > 0.1
    for each in told:
        assert each.sum() == pytest.approx(1)
        assert each.argmax() == CHECKERS + 2


def test_whose_the_checkers_are_is_tempered_apart_from_how_many():
    only_owner = Temperatures(Temperature(0.0, 0.0), Temperature(1.0, 0.0))
    told = calibrated(LIGHT_TWO, 0.0, only_owner)
    assert told[0, CHECKERS] == pytest.approx(0.01)
    assert told[0, [CHECKERS - 2, CHECKERS + 2]].sum() == pytest.approx(0.93)
    assert told[0, CHECKERS - 2] > 0.15


def test_a_picture_is_doubted_where_the_nets_disagree():
    certain = np.repeat(point({2: 1.0}), 26, axis=0)
    one_less = certain.copy()
    one_less[:6] = point({1: 1.0})
    assert doubt_about(certain, certain) == 0
    assert doubt_about(one_less, certain) == pytest.approx(6 / 24)


def test_temperatures_that_made_probabilities_too_sure_are_found_again():
    rng = np.random.default_rng(5)
    read = []
    for doubt in rng.uniform(0, 0.2, 150):
        counts = rng.dirichlet(np.full(4, 0.4), 24)
        told = np.zeros((24, 2 * CHECKERS + 1))
        owner = rng.uniform(0.5, 1, 24)
        told[:, CHECKERS] = counts[:, 0]
        told[:, CHECKERS + 1 : CHECKERS + 4] = counts[:, 1:] * owner[:, None]
        told[:, CHECKERS - 3 : CHECKERS] = (counts[:, 1:] * (1 - owner[:, None]))[:, ::-1]
        true = np.array([rng.choice(len(row), p=row) for row in told]) - CHECKERS
        colder = Temperatures(*(Temperature(-0.5, -4.0) for _ in range(2)))
        read.append(ReadPoints("clean", calibrated(told, doubt, colder), true, doubt))
    for found in fit_temperatures(read):
        assert found.base == pytest.approx(0.5, abs=0.25)
        assert found.per_doubt == pytest.approx(4.0, abs=2.0)


def test_the_shipped_temperatures_rise_with_doubt_and_are_those_of_the_shipped_nets():
    assert all(each.per_doubt > 0 for each in shipped_temperatures())
    fitted = json.loads((MODELS / "temperatures.json").read_text("utf-8"))
    for name, digest in fitted["fitted_to"].items():
        assert checksum(MODELS / name) == digest, f"{name} changed: fit the temperatures again"


@pytest.mark.slow
def test_a_drawn_still_is_read_with_less_confidence_the_worse_it_is(tmp_path):
    label = make_still(3010, tmp_path)
    image = read_image(label.with_suffix(".jpg"))
    clean = read_still(image, None)

    def confidence(kind, severity):
        worse = degraded_still(image, kind, severity, label.name)
        return float(read_located(worse, clean.grid).confidence[:24].mean())

    sure = {kind: (confidence(kind, 1), confidence(kind, 3)) for kind in STILL_KINDS}
    for kind, (slightly, badly) in sure.items():
        assert badly < slightly, kind
        assert badly < clean.confidence[:24].mean() + 0.001, kind
