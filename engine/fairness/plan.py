"""What a number of rolls will show about a die, before anybody rolls."""

from __future__ import annotations

from dataclasses import dataclass
from math import log, sqrt

import numpy as np

from engine.fairness.bounds import confidence_sequence, largest_bias
from engine.fairness.cause import LENGTH_GAINS
from engine.fairness.power import needed_noncentrality
from engine.fairness.reading import tally_of_counts
from engine.fairness.rolls import FACES
from engine.fairness.verdict import detectable_bias, more_rolls, rolls_per_planned


@dataclass(frozen=True, slots=True)
class Plan:
    """What shows with 80 % probability in a number of rolls of one die; biases are fractions."""

    rolls: int
    face_once: float
    """Bias of a face that a single look at the end shows."""
    face_anytime: float
    """The same for e-values, at which one may look after every roll."""
    axis_once: float
    """Bias of both faces of an axis, by X2 at the end."""
    axis_anytime: float
    length_once: tuple[float, float]
    """By how much the axis would be shorter than the others, at least and at most."""
    length_anytime: tuple[float, float]
    excluded: float
    """What no face can be off by, with 95 % confidence, if all come up equally often."""

    @property
    def face_of_one(self) -> float:
        """Bias of a face, at any time, if only one of two look-alike dice has it."""
        return 2 * self.face_anytime


def plan_rolls(rolls: int, *, judged_together: int = 1) -> Plan:
    """The plan; judged_together: number of dice and cups that the report will judge."""
    anytime = rolls / rolls_per_planned(rolls, judged_together)
    axis_once, axis_anytime = _axis_bias(rolls, FACES - 1), _axis_bias(anytime, 2)
    even = np.full(FACES, rolls // FACES, np.int64)
    return Plan(
        rolls=rolls,
        face_once=detectable_bias(rolls, is_final=True),
        face_anytime=detectable_bias(rolls, judged_together=judged_together),
        axis_once=axis_once,
        axis_anytime=axis_anytime,
        length_once=_length(axis_once),
        length_anytime=_length(axis_anytime),
        excluded=largest_bias(confidence_sequence(tally_of_counts(even))),
    )


def rolls_for(bias: float, *, judged_together: int = 1) -> tuple[int, int]:
    """The rolls that show a face with this bias: in a single look at the end, and at any time."""
    return (
        more_rolls(0, bias, is_final=True),
        more_rolls(0, bias, judged_together=judged_together),
    )


def _axis_bias(rolls: float, df: int) -> float:
    """The bias of both faces of an axis that X2 shows; it adds b^2 / 2 a roll.

    df: of all faces, on which a closed sample is judged, or of the axes, as for e-values.
    """
    return sqrt(2 * needed_noncentrality(df=df) / max(rolls, 1))


def _length(bias: float) -> tuple[float, float]:
    """The fraction by which an axis with this bias is shorter, for both of `LENGTH_GAINS`."""
    ratio = log((1 + bias) / max(1 - bias / 2, 1e-9))
    few, many = sorted(ratio / gain for gain in LENGTH_GAINS)
    return few, many
