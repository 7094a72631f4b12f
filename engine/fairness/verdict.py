"""The verdict on a die in plain language.

It never calls dice fair, which cannot be shown: it says what was found, how large a bias would have
shown by now, and what cannot be decided yet.

Of a record that may grow, a verdict rests on e-values alone, because whoever reads a report twice
has tested twice. Only a sample that was declared closed is asked the questions with p-values. No
verdict is passed on a person: players are compared with each other, given the dice.
"""

from __future__ import annotations

from dataclasses import replace
from enum import Enum
from math import ceil, exp, floor, inf, log, log2, sqrt
from typing import Final

import numpy as np

from engine.fairness.bounds import LEVEL, largest_bias
from engine.fairness.cause import Cause, cause_of
from engine.fairness.compare import SameDice
from engine.fairness.dependence import DEPENDENCE_E_VALUE
from engine.fairness.evalues import ALARM_E_VALUE, LOOK_CLOSER_E_VALUE
from engine.fairness.faces import AXES
from engine.fairness.findings import FALSE_DISCOVERY_RATE, FamilyTest, Findings, Group, LiveFinding
from engine.fairness.look_alikes import Suspects
from engine.fairness.pairs import PairTests
from engine.fairness.power import ALPHA, TARGET_POWER, rolls_to_see, smallest_bias
from engine.fairness.rolls import FACES
from engine.message import Message, join, msg, ngettext, number

MIN_VERDICT_ROLLS: Final = 30
"""Number of rolls below which only an enormous bias could show."""
E_VALUE_ROLL_RATIOS: Final = ((120, 2.0), (inf, 1.87))
"""Up to how many rolls an e-value needs how many times the rolls of X2 for the same power, that is,
to reach `LOOK_CLOSER_E_VALUE` (`dice simulate --power`)."""
RATIO_PER_DOUBLING: Final = 0.2
"""Added to it each time that the number of dice and cups that are judged together doubles."""
FINDINGS: Final = {
    "faces": msg("The six faces are not equally frequent"),
    "axes": msg("Opposite faces, taken together, come up too often or too rarely"),
    "pips": msg("The more pips a face has, the more (or less) often it comes up"),
    "1 or 6": msg("1 and 6 are not equally frequent"),
    "2 or 5": msg("2 and 5 are not equally frequent"),
    "3 or 4": msg("3 and 4 are not equally frequent"),
    "roll after roll": msg("A roll depends on the previous one"),
    "repeats": msg("Faces repeat too often or too rarely"),
}
"""The finding for each question, if its test is reported."""
SUSPECTS: Final = {
    Suspects.ONE: msg("it looks like one of the two dice, not like both"),
    Suspects.BOTH: msg("it looks like both dice"),
    Suspects.UNDECIDED: msg("whether one of the two dice or both cannot be told yet"),
}
CLEARLY_OFF: Final = 2.0
"""Standard errors by which both faces of an axis must be off for it to be named."""
CHECK: Final = msg("first make sure the dice were read correctly: misread dice look the same")


class Sign(Enum):
    """How strong the evidence in a group's rolls is."""

    QUIET = "quiet"
    HINT = "hint"
    """X2 of a closed sample has a p-value of 5 % or less, as for one fair die in twenty."""
    CLOSER = "closer"
    ALARM = "alarm"


def sign_of(
    unit: LiveFinding, family: tuple[FamilyTest, ...] = (), *, is_final: bool = False
) -> Sign:
    """The strength of the evidence.

    E-values have to be larger in proportion to the number of dice and cups that are judged
    together, so that only one report in twenty on fair dice ever contains any sign.
    """
    if isinstance(unit, Group) and not unit.is_judged:
        return Sign.QUIET
    largest = unit.evidence.largest / unit.judged_together
    if largest >= LOOK_CLOSER_E_VALUE:
        return Sign.ALARM if largest >= ALARM_E_VALUE else Sign.CLOSER
    if not is_final:
        return Sign.QUIET
    if any(test.q <= FALSE_DISCOVERY_RATE for test in family):
        return Sign.CLOSER
    is_uneven = isinstance(unit, Group) and unit.tests.chi_square.p <= ALPHA
    return (
        Sign.HINT if is_uneven and unit.tally.effective_rolls >= MIN_VERDICT_ROLLS else Sign.QUIET
    )


def verdict(
    unit: LiveFinding, family: tuple[FamilyTest, ...] = (), *, is_final: bool = False
) -> str:
    """The number of rolls and the `conclusion`, in one line."""
    return f"{_counted(unit.rolls)}: {conclusion(unit, family, is_final=is_final)}"


def conclusion(
    unit: LiveFinding,
    family: tuple[FamilyTest, ...] = (),
    *,
    is_final: bool = False,
    is_flagged: bool = False,
) -> Message:
    """What the rolls of a group show.

    family: the tests of this group.
    is_final: whether the sample was declared closed, so that it may be tested once; of one that
    may grow, only anytime-valid findings are reported.
    is_flagged: whether the reader sees the sign beside it, so that the words need not repeat it.
    """
    if isinstance(unit, Group) and not unit.is_judged:
        return _compared(unit.same_dice)
    sign = sign_of(unit, family, is_final=is_final)
    if sign in (Sign.ALARM, Sign.CLOSER):
        return _with_unread(
            (_oddity(unit, family, sign, is_flagged=is_flagged), *_which(unit), CHECK), unit
        )
    if sign is Sign.HINT and isinstance(unit, Group):
        p = unit.tests.chi_square.p
        many = floor(1 / max(p, 1e-9))
        one_in = msg("one unbiased die in {many:,} looks this uneven by chance", many=many)
        hint = msg("only a hint: {one_in} (p {p:.2g})", one_in=one_in, p=p)
        return _with_unread((hint, msg("more rolls are needed")), unit)
    if unit.tally.effective_rolls < MIN_VERDICT_ROLLS:
        return msg("too few rolls to detect anything but a grossly loaded die")
    return join((*_no_sign(unit), power_message(unit, is_final=is_final)))


def _no_sign(unit: LiveFinding) -> tuple[Message, ...]:
    """That nothing was found, and how large a bias of a face is excluded."""
    nothing, bias = msg("no sign of bias"), largest_bias(unit.bounds)
    if bias >= 1:
        return (nothing,)
    excluded = (
        msg("with {level} confidence no face of the two dice together is off by more than {bias}")
        if unit.is_pooled
        else msg("with {level} confidence no face is off by more than {bias}")
    )
    return nothing, replace(
        excluded, values={"level": ceil_percent(LEVEL), "bias": ceil_percent(bias)}
    )


def _compared(same_dice: SameDice | None) -> Message:
    """How the rolls of a person or of a match compare with those of others, given the dice."""
    if same_dice is None:
        return msg("each die has a verdict of its own")
    if same_dice.dice == 0:
        return msg("nobody else rolled these dice, so there is nothing to compare")
    if same_dice.e < DEPENDENCE_E_VALUE:
        return msg("with the same dice, no difference from the other players")
    e = format_e_value(log(same_dice.e))
    differ = msg("with the same dice, the players' rolls differ (e-value {e})", e=e)
    return join((differ, msg("first make sure that dice and players were noted correctly")))


def is_luck_doubtful(player: Group, found: Findings) -> bool:
    """Whether any of the dice that this player rolled has a sign, so that luck is partly theirs."""
    dice = (die for die in found.groups["dice"] if die.name in player.dice)
    return any(
        sign_of(die, family_of(die, "dice", found), is_final=found.is_final) is not Sign.QUIET
        for die in dice
    )


def family_of(unit: Group, kind: str, found: Findings) -> tuple[FamilyTest, ...]:
    """The tests of one die, player, cup or session."""
    return tuple(test for test in found.family if test.of == f"{kind} {unit.name}")


def _oddity(
    unit: LiveFinding, family: tuple[FamilyTest, ...], sign: Sign, *, is_flagged: bool
) -> Message:
    """The finding: the e-value if it is large, else the question with the smallest q."""
    if unit.evidence.largest >= LOOK_CLOSER_E_VALUE * unit.judged_together:
        e = format_e_value(unit.evidence.log_largest)
        found = msg("{unit} (e-value {e})", unit=_explained(unit), e=e)
        word = msg("biased or misread") if sign is Sign.ALARM else msg("look closer")
    else:
        first = min(family, key=lambda test: test.q)
        found = msg("{found} (p {p:.2g})", found=FINDINGS[first.question], p=first.p)
        word = msg("look closer")
    if is_flagged and sign is Sign.CLOSER:
        return found
    return join((word, found), ". ")


def _which(unit: LiveFinding) -> tuple[Message, ...]:
    """Of a pooled pair: whether one of the dice or both explain the throws."""
    if not isinstance(unit, Group) or unit.suspects is None:
        return ()
    return (SUSPECTS[unit.suspects],)


def _with_unread(sentences: tuple[Message, ...], unit: LiveFinding) -> Message:
    """The finding, and whether unread dice could explain it."""
    if not isinstance(unit, Group) or not unit.is_explained:
        return join(sentences)
    missing = ngettext(
        "{number:,} die that could not be read could account for it",
        "{number:,} dice that could not be read could account for it",
        unit.unread,
    )
    return join((*sentences, missing))


def power_message(unit: LiveFinding, *, is_final: bool = False) -> Message:
    """The bias that this many rolls would have shown."""
    rolls = unit.tally.effective_rolls
    bias = detectable_bias(rolls, judged_together=unit.judged_together, is_final=is_final)
    shown = msg(
        "a face off by {bias} or more would have been detected with {power} % probability",
        bias=ceil_percent(bias),
        power=f"{100 * TARGET_POWER:.0f}",
    )
    if unit.is_pooled:
        shown = msg(
            "a face off by {bias} or more on both dice, or by {twice} on one of them, would have "
            "been detected with {power} % probability",
            bias=ceil_percent(bias),
            twice=ceil_percent(2 * bias),
            power=f"{100 * TARGET_POWER:.0f}",
        )
    return join((shown, msg("smaller biases cannot be detected yet")))


def detectable_bias(rolls: float, *, judged_together: int = 1, is_final: bool = False) -> float:
    """The bias of a face that a verdict on this many rolls shows with 80 % probability.

    By X2 at 5 % if the sample is closed, which is a hint; else by the e-value.
    judged_together: as in `LiveFinding`.
    """
    return smallest_bias(
        floor(rolls / (1 if is_final else rolls_per_planned(rolls, judged_together)) + 1e-6)
    )


def rolls_per_planned(rolls: float, judged_together: int) -> float:
    """How many times the rolls of X2 an e-value needs for the same power, at about `rolls`."""
    ratio = next(ratio for limit, ratio in E_VALUE_ROLL_RATIOS if rolls < limit)
    return ratio + RATIO_PER_DOUBLING * log2(judged_together)


def ceil_percent(share: float) -> Message:
    """The share in percent, rounded up."""
    if share >= 0.02:
        return number(ceil(share * 100 - 1e-9), "{} %")
    return number(ceil(share * 1000 - 1e-9) / 10, "{:.1f} %")


def more_rolls(rolls: int, bias: float, *, judged_together: int = 1, is_final: bool = False) -> int:
    """How many more rolls show a face with `bias` with 80 % probability; 0 if there are enough."""
    planned = rolls_to_see(bias)
    often = planned * E_VALUE_ROLL_RATIOS[-1][1]
    ratio = 1 if is_final else rolls_per_planned(often, judged_together)
    return max(0, ceil(planned * ratio - rolls))


def _explained(unit: LiveFinding) -> Message:
    """The axis or the face with the largest deviation, and the shape or weight that it looks like.

    Each part needs as much evidence as the die; an axis, also that both of its faces are clearly
    off to the same side: a single loaded face draws its axis along.
    """
    cause = cause_of(unit.tally)
    needed = log(LOOK_CLOSER_E_VALUE * unit.judged_together)
    off = unit.tally.shares[list(AXES[cause.oddest_axis])] - 1 / FACES
    clear = CLEARLY_OFF * sqrt((1 - 1 / FACES) / FACES / unit.tally.effective_rolls)
    are_off = bool((off > clear).all() or (off < -clear).all())
    is_axis = cause.log_e_axes >= max(needed, cause.log_e_mass) and are_off
    first = _odd_axis(cause, is_pooled=unit.is_pooled) if is_axis else _oddest_face(unit)
    if unit.is_pooled or cause.log_e_mass < needed:
        return first
    axis = cause.oddest_head
    heavy = AXES[axis][0 if cause.heads[axis] > 1 / 2 else 1]
    looks = msg("it looks as if the die were heavier on the side of the {face}", face=heavy + 1)
    return join((first, looks))


def _odd_axis(cause: Cause, *, is_pooled: bool) -> Message:
    """The axis that comes up too often or too rarely, and its length if one die is the cause."""
    axis = cause.oddest_axis
    low, high = (face + 1 for face in AXES[axis])
    share = number(100 * float(cause.axes[axis]), "{:.1f} %")
    is_often = cause.axes[axis] > 1 / 3
    word = msg("too often") if is_often else msg("too rarely")
    together = msg(
        "{low} and {high} together come up {word}: {share} instead of 33.3 %",
        low=low,
        high=high,
        word=word,
        share=share,
    )
    if is_pooled:
        return together
    few, many = (number(100 * abs(one), "{:.1f} %") for one in cause.relative_length(axis))
    text = (
        msg("it looks as if that axis were shorter than the others by {few} to {many}")
        if is_often
        else msg("it looks as if that axis were longer than the others by {few} to {many}")
    )
    return join((together, replace(text, values={"few": few, "many": many})))


def order_message(unit: Group, limit: float) -> Message | None:
    """That a die's rolls depend on the ones before, if the e-value reaches `limit`.

    Not said of a player, who throws several dice, and on whom no verdict is passed.
    """
    if not unit.is_judged or unit.sequence is None or unit.sequence.log_e < log(limit):
        return None
    depends = msg(
        "a roll seems to depend on the one before (e-value {e})",
        e=format_e_value(unit.sequence.log_e),
    )
    return join((depends, msg("first make sure that each roll was noted once, and in order")))


def doubles_message(pair: PairTests, limit: float) -> Message | None:
    """That doubles come up too often or too rarely, if the e-value reaches `limit`."""
    if pair.doubles_log_e < log(limit):
        return None
    share = pair.doubles / pair.throws
    doubles = msg(
        "doubles come up {word}: {share} instead of 16.7 % (e-value {e})",
        word=msg("too often") if share > 1 / FACES else msg("too rarely"),
        share=number(100 * share, "{:.1f} %"),
        e=format_e_value(pair.doubles_log_e),
    )
    return join((doubles, msg("two loaded dice and misread dice look the same")))


def _oddest_face(unit: LiveFinding) -> Message:
    """The face with the largest deviation from a sixth."""
    shares = unit.tally.shares
    face = int(np.argmax(np.abs(shares - 1 / FACES)))
    word = msg("too often") if shares[face] > 1 / FACES else msg("too rarely")
    share = number(100 * float(shares[face]), "{:.1f} %")
    return msg(
        "{face} comes up {word}: {share} instead of 16.7 %", face=face + 1, word=word, share=share
    )


def _counted(rolls: int) -> str:
    return f"{rolls:,} roll" if rolls == 1 else f"{rolls:,} rolls"


def format_e_value(log_e: float) -> Message:
    """The e-value with this natural logarithm, as text."""
    power_of_ten = log_e / log(10)
    if power_of_ten >= 6:
        return msg("above 10^{power_of_ten}", power_of_ten=floor(power_of_ten))
    if power_of_ten < -3:
        return msg("below 0.001")
    return number(exp(log_e), "{:,.0f}" if power_of_ten >= 1 else "{:.2g}")
