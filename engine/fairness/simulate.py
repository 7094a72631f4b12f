"""Whether everything keeps what it promises: dice that are known, tested a thousand times."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats, Rng
from engine.fairness.bounds import LEVEL, WIDTHS, posterior, ratio_limit
from engine.fairness.compare import homogeneity
from engine.fairness.evalues import ALARM, LOOK_CLOSER, PRIORS, evidence
from engine.fairness.faces import ENUMERATED, chi_square, drawn_p, face_tests, g_test
from engine.fairness.family import benjamini_hochberg
from engine.fairness.findings import unit_of
from engine.fairness.luck import luck_of
from engine.fairness.pairs import pair_of_table
from engine.fairness.power import POWER, axis_bias, face_bias, pip_bias, power, rolls_needed
from engine.fairness.reading import ConfusionMatrix, tally_misread, tally_of_counts
from engine.fairness.rolls import FACES, simple_log
from engine.fairness.sequence import sequence_tests
from engine.fairness.verdict import Sign, bias_that_shows, sign_of

Faces = NDArray[np.int8]

BLOCK: Final = 500
"""Logs that are drawn at once."""
SHORT: Final = 45
"""Rolls of a log whose p is drawn."""
USUAL: Final = 360
"""Rolls of a log whose order is tested: a long match."""
MISREAD: Final = 1_000_000
"""Rolls at which a reader's mistakes of 1 % show as bias where nobody allows for them."""
WOLF: Final = (3246, 3449, 2897, 2841, 3635, 3932)
"""The white die of R. Wolf, 20,000 rolls in the 19th century."""
EVEN: Final = np.full(FACES, 1 / FACES)


@dataclass(frozen=True, slots=True)
class ObservedRate:
    """How often something happened in simulated logs, and how often it may."""

    name: str
    what: str
    found: float
    nominal: float | None
    """What is promised; None where nothing is, and the figure shows why."""
    logs: int
    is_least: bool = False
    """Whether it must be reached, as a coverage must; else it must not be passed."""

    @property
    def error(self) -> float:
        """The standard error of `found` if it is what is promised."""
        share = self.found if self.nominal is None else self.nominal
        return float(np.sqrt(share * (1 - share) / self.logs))

    @property
    def is_kept(self) -> bool:
        """Whether the promise is kept, but for three standard errors of the simulation."""
        if self.nominal is None:
            return True
        if self.is_least:
            return self.found >= self.nominal - 3 * self.error
        return self.found <= self.nominal + 3 * self.error


@dataclass(frozen=True, slots=True)
class DecisionTimes:
    """After how many rolls the e-value of a biased die speaks."""

    name: str
    median: int
    late: int
    """80 % of the logs have come to `LOOK_CLOSER` by then."""
    alarm: int
    """The median for `ALARM`."""
    fixed: int
    """Rolls that a chi-square test with 80 % power needs, if their number is chosen before."""
    logs: int


def drawn_faces(chance: Rng, chances: Floats, logs: int, rolls: int) -> Faces:
    """(logs, rolls) faces 0..5."""
    steps = np.cumsum(chances)[:-1]
    return np.searchsorted(steps, chance.random((logs, rolls)), side="right").astype(np.int8)


def simulate(logs: int, rolls: int, chance: Rng) -> Iterator[ObservedRate]:
    """The rate of every false alarm and every coverage, dice even, `rolls` rolls a log."""
    yield from always_valid(logs, rolls, chance)
    yield from at_the_end(logs, rolls, chance)
    yield from of_order(max(logs // 10, 50), chance)
    yield from misread(max(logs // 2, 50), chance)


def always_valid(logs: int, rolls: int, chance: Rng) -> Iterator[ObservedRate]:
    """What one may look at after every roll, and what happens to those who look at X2 so."""
    from scipy.stats import chi2

    from engine.fairness._kernels import first_above, misses, peeked_chi_square

    limits = np.array([LOOK_CLOSER, ALARM])
    alarms, missed = np.zeros(2), 0
    peeked = np.zeros(4)
    looks = [(0.05, 1), (0.01, 1), (0.05, 36), (0.01, 36)]
    for count in _blocks(logs):
        faces = drawn_faces(chance, EVEN, count, rolls)
        first = np.zeros((count, 2), np.int64)
        first_above(faces, PRIORS, limits, first)
        alarms += (first > 0).sum(axis=0)
        gone = np.zeros(count, np.int64)
        misses(faces, EVEN, WIDTHS, 5.0, ratio_limit(), gone)
        missed += int((gone > 0).sum())
        for n, (alpha, every) in enumerate(looks):
            critical = float(chi2.isf(alpha, 5))
            peeked[n] += peeked_chi_square(faces, critical, every, 30)
    yield ObservedRate(
        "e >= 20", "e-value, at any roll", float(alarms[0]) / logs, 1 / LOOK_CLOSER, logs
    )
    yield ObservedRate(
        "e >= 1000", "e-value, at any roll", float(alarms[1]) / logs, 1 / ALARM, logs
    )
    kept = 1 - missed / logs
    yield ObservedRate("bounds", "all six hold at every roll", kept, LEVEL, logs, is_least=True)
    for found, (alpha, every) in zip(peeked, looks, strict=True):
        when = "every roll" if every == 1 else f"every {every} rolls"
        name = f"X2 peeked, p <= {alpha}"
        yield ObservedRate(name, f"looked at after {when}", float(found) / logs, None, logs)


def at_the_end(logs: int, rolls: int, chance: Rng) -> Iterator[ObservedRate]:
    """Tests of faces that are looked at once: how often p <= 0.05, and whether p is uniform."""
    counts = chance.multinomial(rolls, EVEN, logs)
    tests = [face_tests(tally_of_counts(row)) for row in counts[: min(logs, 2_000)]]
    named: list[tuple[str, Callable[[int], float]]] = [
        ("X2", lambda n: tests[n].chi_square.p),
        ("G", lambda n: tests[n].g.p),
        ("axes", lambda n: tests[n].axis.p),
        ("1 or 6", lambda n: tests[n].within[0].p),
        ("pips", lambda n: tests[n].pip_linear.p),
    ]
    for name, p_of in named:
        ps = np.array([p_of(n) for n in range(len(tests))])
        yield ObservedRate(name, "p <= 0.05 at the end", float((ps <= 0.05).mean()), 0.05, len(ps))
    yield from _few_rolls(min(logs, 2_000), chance)
    covered = np.mean([
        ((bound[:, 0] <= 1 / FACES) & (bound[:, 2] >= 1 / FACES)).mean()
        for bound in (posterior(tally_of_counts(row)) for row in counts[:500])
    ])  # fmt: skip
    many = 6 * min(logs, 500)
    yield ObservedRate("intervals", "hold a face each", float(covered), LEVEL, many, is_least=True)


def _few_rolls(logs: int, chance: Rng) -> Iterator[ObservedRate]:
    for name, rolls in (("X2, listed", ENUMERATED), ("X2, drawn", SHORT)):
        ps = [
            face_tests(tally_of_counts(row)).chi_square.p
            for row in chance.multinomial(rolls, EVEN, min(logs, 500))
        ]
        found = float((np.array(ps) <= 0.05).mean())
        yield ObservedRate(name, f"p <= 0.05 of {rolls} rolls", found, 0.05, len(ps))


def drawn_ps(logs: int, chance: Rng, *, rolls: int = SHORT, draws: int = 5_000) -> Floats:
    """(logs,) drawn p of even dice, ties broken by chance: they are uniform."""
    counts = chance.multinomial(rolls, EVEN, logs)
    ties, seeds = chance.random(logs), chance.integers(0, 2**31, logs)
    ps = [
        drawn_p(row, draws=draws, seed=int(seed), tie=float(tie))
        for row, seed, tie in zip(counts, seeds, ties, strict=True)
    ]
    return np.array(ps)


def of_order(logs: int, chance: Rng) -> Iterator[ObservedRate]:
    """Tests of the order of rolls, of pairs, of groups, of luck, and of all of them together."""
    found: dict[str, list[float]] = {}
    families = 0
    for _ in range(logs):
        values = chance.integers(1, 7, (USUAL, 2)).astype(np.int8)
        log = simple_log(values[:, 0])
        sequence = sequence_tests(log)
        table = np.bincount((values[:, 0] - 1) * FACES + values[:, 1] - 1, minlength=36)
        pair = pair_of_table(("a", "b"), table.reshape(6, 6))
        alike = pair_of_table(("a", "a"), table.reshape(6, 6))
        thrown = simple_log(values.ravel(), throw=np.repeat(np.arange(USUAL), 2))
        counts = chance.multinomial(USUAL, EVEN, 4)
        ps = {
            "roll after roll": sequence.serial.p,
            "repeats": sequence.repeats.p,
            "one die, the other": pair.independence.p,
            "two like dice": alike.independence.p,
            "doubles": pair.doubles_p,
            "doubles of margins": pair.doubles_of_margins.p,
            "four players": homogeneity(counts).p,
            "luck": luck_of(thrown).p,
        }
        for name, p in ps.items():
            found.setdefault(name, []).append(p)
        families += min(benjamini_hochberg(list(ps.values()))) <= 0.05
    for name, told in found.items():
        rate = float((np.array(told) <= 0.05).mean())
        yield ObservedRate(name, f"p <= 0.05 of {USUAL} throws", rate, 0.05, logs)
    yield ObservedRate("false discovery", "any of these eight told", families / logs, 0.05, logs)


def sixes_as_fives(rate: float) -> ConfusionMatrix:
    """A reader that takes this share of the sixes for fives, and makes no other mistakes."""
    matrix = np.eye(FACES)
    matrix[5, 4], matrix[5, 5] = rate, 1 - rate
    return ConfusionMatrix(matrix)


def misread(logs: int, chance: Rng) -> Iterator[ObservedRate]:
    """Even dice through a reader that is wrong: called uneven, and not if that is allowed for."""
    reader = sixes_as_fives(0.01)
    counts = chance.multinomial(MISREAD, reader.told_by_even, logs)
    plain = [chi_square(tally_of_counts(row)).p for row in counts]
    allowed = [chi_square(tally_misread(row, reader)).p for row in counts]
    ratio = [g_test(tally_misread(row, reader)).p for row in counts]
    what = f"p <= 0.05 of {MISREAD:,} rolls, 1 % of 6 read as 5"
    for name, ps, nominal in (
        ("X2, misread", plain, None),
        ("X2, allowed for", allowed, 0.05),
        ("G, allowed for", ratio, 0.05),
    ):
        yield ObservedRate(name, what, float((np.array(ps) <= 0.05).mean()), nominal, logs)
    few, rolls = max(logs // 20, 10), 20_000
    plain_alarms, alarms = 0, 0
    bad = sixes_as_fives(0.1)
    for _ in range(few):
        told = drawn_faces(chance, bad.told_by_even, 1, rolls)[0]
        log = simple_log(told + 1)
        plain_alarms += evidence(log).largest >= LOOK_CLOSER
        alarms += evidence(log, bad).largest >= LOOK_CLOSER
    what = f"{rolls:,} rolls, 10 % of 6 read as 5"
    yield ObservedRate("e >= 20, misread", what, plain_alarms / few, None, few)
    yield ObservedRate("e >= 20, allowed for", what, alarms / few, 1 / LOOK_CLOSER, few)


def decisions(logs: int, chance: Rng) -> Iterator[DecisionTimes]:
    """After how many rolls biased dice are told, by the e-value and by a test planned before."""
    wolf = np.array(WOLF) / sum(WOLF)
    for name, chances in (
        ("six +50 %", face_bias(0.5)),
        ("six +20 %", face_bias(0.2)),
        ("six +10 %", face_bias(0.1)),
        ("axis +20 %", axis_bias(0.2)),
        ("axis +10 %", axis_bias(0.1)),
        ("axis +5 %", axis_bias(0.05)),
        ("Wolf's white die", wolf),
    ):
        yield _decided(name, np.asarray(chances), logs, chance)


def _decided(name: str, chances: Floats, logs: int, chance: Rng) -> DecisionTimes:
    from engine.fairness._kernels import first_above

    fixed = rolls_needed(chances)
    limits = np.array([LOOK_CLOSER, ALARM])
    parts = []
    for count in _blocks(logs):
        first = np.zeros((count, 2), np.int64)
        first_above(drawn_faces(chance, chances, count, 8 * fixed), PRIORS, limits, first)
        parts.append(first)
    first = np.concatenate(parts)
    first[first == 0] = 8 * fixed
    median, alarm = np.median(first, axis=0)
    late = np.quantile(first[:, 0], 0.8)
    return DecisionTimes(name, int(median), int(late), int(alarm), fixed, logs)


@dataclass(frozen=True, slots=True)
class SimulatedPower:
    """How often a chi-square test finds a bias, reckoned and tried."""

    name: str
    rolls: int
    reckoned: float
    tried: float
    logs: int


def powers(logs: int, chance: Rng) -> Iterator[SimulatedPower]:
    """Biased dice at the number of rolls that should show them four times in five."""
    from engine.fairness.power import distance, face_power, rolls_to_see

    kinds: list[tuple[str, Callable[[float], Floats]]] = [
        ("face", face_bias),
        ("axis", axis_bias),
        ("pips", pip_bias),
    ]
    for bias in (0.05, 0.1, 0.2, 0.3, 0.5):
        for name, biased in kinds:
            chances = biased(bias)
            rolls = rolls_needed(chances)
            counts = chance.multinomial(rolls, chances, logs)
            reckoned = power(rolls, distance(chances))
            yield SimulatedPower(f"{name} +{bias:.0%}", rolls, reckoned, _found(counts), logs)
        rolls = rolls_to_see(bias)
        counts = chance.multinomial(rolls, face_bias(bias), logs)
        reckoned = face_power(rolls, bias)
        yield SimulatedPower(f"face +{bias:.0%} exactly", rolls, reckoned, _found(counts), logs)


def _found(counts: NDArray[np.int64]) -> float:
    """The share of logs whose X2 is told at 5 %."""
    return float(np.mean([chi_square(tally_of_counts(row)).p <= 0.05 for row in counts]))


def _blocks(logs: int) -> Iterator[int]:
    for start in range(0, logs, BLOCK):
        yield min(BLOCK, logs - start)


LENGTHS: Final = (60, 100, 150, 250, 400, 1_000)
"""Rolls of a die: a short match to a weekend."""


def reached(logs: int, chance: Rng) -> Iterator[ObservedRate]:
    """How often a die that is just as biased as its verdict names gets another one than a quiet."""
    for is_live in (False, True):
        for rolls in LENGTHS:
            bias = bias_that_shows(rolls, is_live=is_live)
            found = _shown(rolls, bias, logs, chance, is_live=is_live)
            when = "while they come in" if is_live else "at the end"
            what = f"a face off by {bias:.0%} shows in {rolls:,} rolls, {when}"
            yield ObservedRate("verdict", what, found, POWER, logs, is_least=True)


def _shown(rolls: int, bias: float, logs: int, chance: Rng, *, is_live: bool) -> float:
    faces = drawn_faces(chance, face_bias(bias), logs, rolls)
    # As a cup's, of which only the faces are asked.
    units = (unit_of("die", "cups", simple_log(row + 1)) for row in faces)
    return float(np.mean([sign_of(unit, is_live=is_live) is not Sign.QUIET for unit in units]))
