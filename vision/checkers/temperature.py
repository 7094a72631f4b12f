"""How sure a still's counts are: probabilities that come true as often as they say.

Two heads make a point's probabilities: how many checkers are there, and whose they are. Both are
surer than they are right where a picture is bad, and the second errs for whole boards, because all
points share one lamp and the set's two colors. So each head's log-probabilities are divided by a
temperature (Guo 2017) that rises with the doubt of the checkers' net about the whole picture:
whatever makes a picture bad makes that net doubt. No head's likeliest answer changes.

These are for reading each point by itself. What weighs the points of a board, or the readings of a
video, against the rules gets the evidence as it was seen.

`vision/training/temperatures.py` fits the temperatures and writes `models/temperatures.json`.
"""

from __future__ import annotations

import json
import math
from functools import cache
from typing import Final, NamedTuple

import numpy as np
from scipy.special import expit, softmax

from engine.arrays import Floats
from engine.position import CHECKERS
from vision.checkers.side_colours import DARK_COUNTS, LIGHT_COUNTS
from vision.checkers.strips import POINTS
from vision.nets import MODELS

TEMPERATURES_FILE: Final = MODELS / "temperatures.json"
LEAST: Final = 1e-9
"""Lower bound of a probability whose logarithm is taken."""


class Temperature(NamedTuple):
    """One head's temperature, by the doubt about a picture."""

    base: float
    """Its logarithm where there is no doubt."""
    per_doubt: float
    """By how much the logarithm rises with the doubt; never negative."""

    def at(self, doubt: float) -> float:
        """What log-probabilities are divided by at this doubt."""
        return math.exp(self.base + self.per_doubt * doubt)


class Temperatures(NamedTuple):
    """Those of both heads."""

    number: Temperature
    owner: Temperature


@cache
def shipped_temperatures() -> Temperatures:
    """Those in `models/temperatures.json`."""
    fitted = json.loads(TEMPERATURES_FILE.read_text("utf-8"))
    return Temperatures(*(Temperature(**fitted[head]) for head in Temperatures._fields))


def doubt_about(by_net: Floats, final: Floats) -> float:
    """The mean probability, by the checkers' net alone, that a point's final count is wrong.

    Both: (26, 31) probabilities of signed counts; whose the checkers are is left out.
    """
    alone, counts = (split(each[:POINTS])[0] for each in (by_net, final))
    return float(1 - np.take_along_axis(alone, counts.argmax(axis=1)[:, None], axis=1).mean())


def split(chances: Floats) -> tuple[Floats, Floats]:
    """(N, 16) probabilities of 0..15 checkers, and (N, 15) log-odds that 1..15 are light's.

    `chances`: (N, 31) of signed counts.
    """
    light, dark = chances[:, LIGHT_COUNTS], chances[:, DARK_COUNTS][:, ::-1]
    counts = np.concatenate([chances[:, CHECKERS, None], light + dark], axis=1)
    return counts, np.log(np.maximum(light, LEAST)) - np.log(np.maximum(dark, LEAST))


def calibrated(chances: Floats, doubt: float, temperatures: Temperatures | None = None) -> Floats:
    """(N, 31) probabilities of signed counts, tempered, for some points of a picture.

    `doubt`: from `doubt_about` the picture; `temperatures`: the shipped ones by default.
    """
    number, owner = (each.at(doubt) for each in temperatures or shipped_temperatures())
    counts, odds = split(chances)
    counts = softmax(np.log(np.maximum(counts, LEAST)) / number, axis=1)
    held = counts[:, 1:]
    dark, light = held * expit(-odds / owner), held * expit(odds / owner)
    return np.concatenate([dark[:, ::-1], counts[:, :1], light], axis=1)
