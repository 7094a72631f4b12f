"""A verdict in words that a club player understands and a statistician accepts.

It never calls dice good: that cannot be shown. It says what was seen, how large a bias would have
shown by now, and what cannot be told yet.
"""

from __future__ import annotations

from enum import Enum
from math import ceil, exp, floor, log
from typing import Final

import numpy as np

from engine.fairness.evalues import ALARM, LOOK_CLOSER
from engine.fairness.findings import FamilyTest, Group, LiveFinding
from engine.fairness.power import ALPHA, POWER, rolls_to_see, smallest_bias
from engine.fairness.rolls import FACES

FEWEST: Final = 30
"""Rolls below which only an enormous bias could show."""
FEW: Final = 120
"""Rolls below which an e-value is slower."""
PRICE: Final = (2.0, 1.87)
"""How many times as many rolls an e-value needs to come to `LOOK_CLOSER` four times in five as X2
with a number of rolls that was chosen before: few rolls, more (`dice simulate --power`)."""
ODD: Final = 0.05
"""The rate of false discoveries below which a test is told."""
FOUND: Final = {
    "faces": "Not all faces are as frequent",
    "axes": "Opposite faces together come too often or too rarely",
    "pips": "Faces grow more frequent or rarer with their pips",
    "1 or 6": "1 and 6 are not as frequent",
    "2 or 5": "2 and 5 are not as frequent",
    "3 or 4": "3 and 4 are not as frequent",
    "roll after roll": "A roll depends on the one before",
    "repeats": "A face comes twice in a row too often or too rarely",
}
"""What it is when the answer to a question stands out."""
CHECK: Final = "first make sure that the dice were read right: misread dice look the same"


class Sign(Enum):
    """How much there is to see in the rolls of a unit."""

    QUIET = "quiet"
    HINT = "hint"
    """X2 has a p of 5 % or less, as one even die in twenty has; of many questions it is little."""
    CLOSER = "closer"
    ALARM = "alarm"


def sign_of(
    unit: LiveFinding, family: tuple[FamilyTest, ...] = (), *, is_live: bool = False
) -> Sign:
    """What `conclusion` begins with."""
    largest = unit.evidence.largest
    if largest >= LOOK_CLOSER:
        return Sign.ALARM if largest >= ALARM else Sign.CLOSER
    if is_live:
        return Sign.QUIET
    if any(test.q <= ODD for test in family):
        return Sign.CLOSER
    is_uneven = isinstance(unit, Group) and unit.tests.chi_square.p <= ALPHA
    return Sign.HINT if is_uneven and unit.tally.known >= FEWEST else Sign.QUIET


def verdict(
    unit: LiveFinding, family: tuple[FamilyTest, ...] = (), *, is_live: bool = False
) -> str:
    """How many rolls of a unit there are and what they tell, in one line; see `conclusion`."""
    return f"{_counted(unit.rolls)}: {conclusion(unit, family, is_live=is_live)}"


def conclusion(
    unit: LiveFinding, family: tuple[FamilyTest, ...] = (), *, is_live: bool = False
) -> str:
    """What the rolls of a unit tell.

    is_live: the rolls still come in, so that only what may be looked at at any time is told.
    family: the tests of this unit among all.
    """
    sign = sign_of(unit, family, is_live=is_live)
    if sign in (Sign.ALARM, Sign.CLOSER):
        return _with_unread(f"{_odd(unit, family, sign)}; {CHECK}", unit)
    if sign is Sign.HINT and isinstance(unit, Group):
        p = unit.tests.chi_square.p
        many = f"{floor(1 / max(p, 1e-9)):,}"
        one_in = f"one even die in {many} comes out as uneven by chance"
        return _with_unread(f"a hint, no more: {one_in} (p {p:.2g}); more rolls will tell", unit)
    if unit.tally.known < FEWEST:
        return "too few to tell anything but a grossly loaded die"
    return f"no sign of bias; {reach(unit.tally.known, is_live=is_live)}"


def _odd(unit: LiveFinding, family: tuple[FamilyTest, ...], sign: Sign) -> str:
    """What stands out: the evidence if it is large, else the first of the questions."""
    if unit.evidence.largest >= LOOK_CLOSER:
        word = "biased, or misread" if sign is Sign.ALARM else "look closer"
        e = e_words(unit.evidence.log_largest)
        return f"{word}. {_oddest(unit)} (e-value {e})"
    first = min(family, key=lambda test: test.q)
    found = FOUND[first.question]
    return f"look closer. {found} (p {first.p:.2g})"


def _with_unread(told: str, unit: LiveFinding) -> str:
    """What is odd, and whether dice that were not counted may be why."""
    if not isinstance(unit, Group) or not unit.is_explained:
        return told
    missing = f"{unit.unread:,} dice that could not be read could account for it"
    return "; ".join((told, missing))


def reach(rolls: float, *, is_live: bool = False) -> str:
    """What so many rolls can tell and what they cannot."""
    bias = percent_up(bias_that_shows(rolls, is_live=is_live))
    return (
        f"a face off by {bias} or more would have shown with {100 * POWER:.0f} % "
        "probability; smaller biases cannot be told yet"
    )


def bias_that_shows(rolls: float, *, is_live: bool = False) -> float:
    """How far a face must be off to show in a verdict on so many rolls with 80 % probability.

    In X2 at 5 %, which is a hint; while rolls come in, in the e-value.
    """
    return smallest_bias(floor(rolls / (_price(rolls) if is_live else 1) + 1e-6))


def _price(rolls: float) -> float:
    return PRICE[0] if rolls < FEW else PRICE[1]


def percent_up(share: float) -> str:
    """Rounded so that nothing is promised that was not reached."""
    if share >= 0.02:
        return f"{ceil(share * 100 - 1e-9)} %"
    return f"{ceil(share * 1000 - 1e-9) / 10:.1f} %"


def more_rolls(rolls: int, bias: float, *, is_live: bool = False) -> int:
    """How many more rolls would show a face off by `bias` with 80 % probability; 0: enough."""
    planned = rolls_to_see(bias)
    needed = planned * (_price(planned * PRICE[1]) if is_live else 1)
    return max(0, ceil(needed - rolls))


def _oddest(unit: LiveFinding) -> str:
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
