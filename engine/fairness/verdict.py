"""A verdict in plain language that a club player understands and a statistician accepts.

It never calls dice good: that cannot be shown. It says what was found, how large a bias would have
shown by now, and what cannot be decided yet.
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
from engine.message import Message, Sentence, join, msg

FEWEST: Final = 30
"""Rolls below which only an enormous bias could show."""
FEW: Final = 120
"""Rolls below which an e-value is slower."""
PRICE: Final = (2.0, 1.87)
"""How many times as many rolls an e-value needs to come to `LOOK_CLOSER` four times in five as X2
with a number of rolls that was chosen before: few rolls, more (`dice simulate --power`)."""
ODD: Final = 0.05
"""The false discovery rate below which a test is reported."""
FOUND: Final = {
    "faces": msg("Not all faces are as frequent"),
    "axes": msg("Opposite faces together come too often or too rarely"),
    "pips": msg("Faces grow more frequent or rarer with their pips"),
    "1 or 6": msg("1 and 6 are not as frequent"),
    "2 or 5": msg("2 and 5 are not as frequent"),
    "3 or 4": msg("3 and 4 are not as frequent"),
    "roll after roll": msg("A roll depends on the one before"),
    "repeats": msg("A face comes twice in a row too often or too rarely"),
}
"""What it is when the answer to a question stands out."""
CHECK: Final = msg("first make sure that the dice were read right: misread dice look the same")


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
    """How much stands out, which `conclusion` puts first."""
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
    """How many rolls of a unit there are and what they show, in one line; see `conclusion`."""
    return f"{_counted(unit.rolls)}: {conclusion(unit, family, is_live=is_live)}"


def conclusion(
    unit: LiveFinding, family: tuple[FamilyTest, ...] = (), *, is_live: bool = False
) -> Message:
    """What the rolls of a unit show.

    is_live: the rolls still come in, so that only what may be tested at any time is reported.
    family: the tests of this unit among all.
    """
    sign = sign_of(unit, family, is_live=is_live)
    if sign in (Sign.ALARM, Sign.CLOSER):
        return _with_unread((_oddity(unit, family, sign), CHECK), unit)
    if sign is Sign.HINT and isinstance(unit, Group):
        p = unit.tests.chi_square.p
        many = f"{floor(1 / max(p, 1e-9)):,}"
        one_in = msg("one even die in {many} comes out as uneven by chance", many=many)
        hint = msg("a hint, no more: {one_in} (p {p})", one_in=one_in, p=f"{p:.2g}")
        return _with_unread((hint, msg("more rolls will tell")), unit)
    if unit.tally.known < FEWEST:
        return msg("too few to tell anything but a grossly loaded die")
    return join((msg("no sign of bias"), reach(unit.tally.known, is_live=is_live)))


def _oddity(unit: LiveFinding, family: tuple[FamilyTest, ...], sign: Sign) -> Message:
    """What stands out: the evidence if it is large, else the first of the questions."""
    if unit.evidence.largest >= LOOK_CLOSER:
        word = msg("biased, or misread") if sign is Sign.ALARM else msg("look closer")
        e = e_words(unit.evidence.log_largest)
        return msg("{word}. {unit} (e-value {e})", word=word, unit=_oddest_face(unit), e=e)
    first = min(family, key=lambda test: test.q)
    found = FOUND[first.question]
    return msg("look closer. {found} (p {p})", found=found, p=f"{first.p:.2g}")


def _with_unread(sentences: tuple[Message, ...], unit: LiveFinding) -> Message:
    """What is odd, and whether dice that were not counted may be why."""
    if not isinstance(unit, Group) or not unit.is_explained:
        return join(sentences)
    unread = f"{unit.unread:,}"
    missing = msg("{unread} dice that could not be read could account for it", unread=unread)
    return join((*sentences, missing))


def reach(rolls: float, *, is_live: bool = False) -> Message:
    """What so many rolls can show and what they cannot."""
    bias = percent_up(bias_that_shows(rolls, is_live=is_live))
    shown = msg(
        "a face off by {bias} or more would have shown with {power} % probability",
        bias=bias,
        power=f"{100 * POWER:.0f}",
    )
    return join((shown, msg("smaller biases cannot be told yet")))


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


def _oddest_face(unit: LiveFinding) -> Message:
    """The face that is furthest from where it should be, for its spread."""
    shares = unit.tally.shares
    face = int(np.argmax(np.abs(shares - 1 / FACES)))
    word = msg("too often") if shares[face] > 1 / FACES else msg("too rarely")
    share = f"{100 * shares[face]:.1f} %"
    return msg(
        "{face} comes {word}: {share} instead of 16.7 %", face=face + 1, word=word, share=share
    )


def _counted(rolls: int) -> str:
    return f"{rolls:,} roll" if rolls == 1 else f"{rolls:,} rolls"


def e_words(log_e: float) -> Sentence:
    """An e-value, given by its natural logarithm, as people read it."""
    power_of_ten = log_e / log(10)
    if power_of_ten >= 6:
        return msg("above 10^{power_of_ten}", power_of_ten=floor(power_of_ten))
    if power_of_ten < -3:
        return msg("below 0.001")
    return f"{exp(log_e):,.0f}" if power_of_ten >= 1 else f"{exp(log_e):.2g}"
