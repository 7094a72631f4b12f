"""A verdict in words that a club player understands and a statistician accepts.

It never calls dice good: that cannot be shown. It says what was seen, how large a bias would have
shown by now, and what cannot be told yet.
"""

from __future__ import annotations

from math import ceil, exp, floor, log
from typing import Final

import numpy as np

from engine.fairness.evalues import ALARM, LOOK_CLOSER
from engine.fairness.findings import FamilyTest, Unit, Watched
from engine.fairness.power import POWER, face_bias, rolls_needed, smallest_bias
from engine.fairness.rolls import FACES

FEWEST: Final = 30
"""Rolls below which only an enormous bias could show."""
PRICE: Final = 2.1
"""How many times as many rolls an e-value needs as a test with a fixed number of them."""
ODD: Final = 0.05
"""The rate of false discoveries below which a test is told."""
CHECK: Final = "first make sure that the dice were read right: misread dice look the same"


def verdict(unit: Watched, family: tuple[FamilyTest, ...] = (), *, is_live: bool = False) -> str:
    """How many rolls of a unit there are and what they tell, in one line; see `conclusion`."""
    return f"{_counted(unit.rolls)}: {conclusion(unit, family, is_live=is_live)}"


def conclusion(unit: Watched, family: tuple[FamilyTest, ...] = (), *, is_live: bool = False) -> str:
    """What the rolls of a unit tell.

    is_live: the rolls still come in, so that only what may be looked at at any time is told.
    family: the tests of this unit among all.
    """
    largest = unit.evidence.largest
    if largest >= LOOK_CLOSER:
        word = "biased, or misread" if largest >= ALARM else "look closer"
        e = e_words(unit.evidence.log_largest)
        return _with_unread(f"{word}. {_oddest(unit)} (e-value {e}); {CHECK}", unit)
    odd = [] if is_live else [test for test in family if test.q <= ODD]
    if odd:
        first = min(odd, key=lambda test: test.q)
        question = first.question.capitalize()
        return _with_unread(f"look closer. {question}: p {first.p:.2g}; {CHECK}", unit)
    if unit.tally.known < FEWEST:
        return "too few to tell anything but a grossly loaded die"
    return f"no sign of bias; {reach(unit.tally.known, is_live=is_live)}"


def _with_unread(told: str, unit: Watched) -> str:
    """What is odd, and whether dice that were not counted may be why."""
    if not isinstance(unit, Unit) or not unit.is_explained:
        return told
    missing = f"{unit.unread:,} dice that could not be read could account for it"
    return "; ".join((told, missing))


def reach(rolls: float, *, is_live: bool = False) -> str:
    """What so many rolls can tell and what they cannot."""
    bias = smallest_bias(rolls / (PRICE if is_live else 1))
    return (
        f"a face off by {percent_up(bias)} or more would have shown with {100 * POWER:.0f} % "
        "probability; smaller biases cannot be told yet"
    )


def percent_up(share: float) -> str:
    """Rounded so that nothing is promised that was not reached."""
    if share >= 0.02:
        return f"{ceil(share * 100 - 1e-9)} %"
    return f"{ceil(share * 1000 - 1e-9) / 10:.1f} %"


def more_rolls(rolls: int, bias: float, *, is_live: bool = False) -> int:
    """How many more rolls would show a face off by `bias` with 80 % probability; 0: enough."""
    needed = rolls_needed(face_bias(bias)) * (PRICE if is_live else 1)
    return max(0, ceil(needed - rolls))


def _oddest(unit: Watched) -> str:
    """The face that is furthest from where it should be, for its spread."""
    shares = unit.tally.shares
    face = int(np.argmax(np.abs(shares - 1 / FACES)))
    word = "too often" if shares[face] > 1 / FACES else "too rarely"
    share = f"{100 * shares[face]:.1f} %"
    return f"{face + 1} comes {word}: {share} instead of 16.7 %"


def _counted(rolls: int) -> str:
    return f"{rolls:,} roll" if rolls == 1 else f"{rolls:,} rolls"


def e_words(log_e: float) -> str:
    """An e-value, given by its natural logarithm, in words of its size."""
    power_of_ten = log_e / log(10)
    if power_of_ten >= 6:
        return f"above 10^{floor(power_of_ten)}"
    if power_of_ten < -3:
        return "below 0.001"
    return f"{exp(log_e):,.0f}" if power_of_ten >= 1 else f"{exp(log_e):.2g}"
