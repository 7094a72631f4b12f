"""Monte Carlo checks of the statistics: error rates, coverage and power on simulated dice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats, Ints, Rng
from engine.fairness.bounds import BETA_PRIORS, LEVEL, RATIO_LIMIT, posterior
from engine.fairness.compare import homogeneity, homogeneity_log_es
from engine.fairness.dependence import DEPENDENCE_E_VALUE, doubles_log_es
from engine.fairness.evalues import (
    ALARM_E_VALUE,
    DIRICHLET_PRIORS,
    LOOK_CLOSER_E_VALUE,
    evidence,
)
from engine.fairness.faces import MAX_ENUMERATED_ROLLS, chi_square, face_tests, g_test, simulated_p
from engine.fairness.findings import analyse_group, benjamini_hochberg
from engine.fairness.luck import luck_of
from engine.fairness.pairs import pair_of_table
from engine.fairness.power import (
    ALPHA,
    TARGET_POWER,
    axis_bias,
    face_bias,
    face_power,
    noncentrality_per_roll,
    pip_bias,
    power,
    rolls_needed,
    rolls_to_see,
)
from engine.fairness.reading import ConfusionMatrix, tally_misread, tally_of_counts
from engine.fairness.rolls import FACES, DiceLog, simple_log
from engine.fairness.sequence import sequence_tests
from engine.fairness.verdict import Sign, detectable_bias, sign_of

Faces = NDArray[np.int8]

BLOCK_LOGS: Final = 500
"""Number of logs drawn at once."""
SIMULATED_P_ROLLS: Final = 45
"""Number of rolls in a log whose p is simulated."""
SERIES_THROWS: Final = 360
"""Number of throws in a log whose order is tested: a long match."""
REPORT_THROWS: Final = 300
"""Number of throws in a report with two dice: a match."""
READINGS: Final = 20
"""Number of matches after each of which a report is read."""
MAX_LONG_LOGS: Final = 2_000
"""Maximum number of logs that take long."""
MISREAD_ROLLS: Final = 1_000_000
"""Number of rolls at which uncorrected misreadings of 1 % show as bias."""
WOLF_COUNTS: Final = (3246, 3449, 2897, 2841, 3635, 3932)
"""R. Wolf's white die: 20,000 rolls in the 19th century."""
FAIR: Final = np.full(FACES, 1 / FACES)
PEEKS: Final = ((0.05, 1), (0.01, 1), (0.05, 36), (0.01, 36))
"""Levels of X2, and the number of rolls between two tests."""
VERDICT_ROLLS: Final = (60, 100, 150, 250, 400, 1_000)
"""Numbers of rolls: from a short match to a weekend."""


@dataclass(frozen=True, slots=True)
class ObservedRate:
    """How often something happened in simulated logs, against its nominal rate."""

    name: str
    what: str
    found: float
    nominal: float | None
    """None if nothing is guaranteed and the figure shows why."""
    logs: int
    is_least: bool = False
    """Whether `nominal` is a lower bound, as for a coverage; otherwise it is an upper one."""

    @property
    def error(self) -> float:
        """The standard error of `found` at the nominal rate."""
        share = self.found if self.nominal is None else self.nominal
        return float(np.sqrt(share * (1 - share) / self.logs))

    @property
    def is_kept(self) -> bool:
        """Whether the bound holds within three standard errors of the simulation."""
        if self.nominal is None:
            return True
        if self.is_least:
            return self.found >= self.nominal - 3 * self.error
        return self.found <= self.nominal + 3 * self.error


@dataclass(frozen=True, slots=True)
class DecisionTimes:
    """After how many rolls the e-value of a biased die becomes significant."""

    name: str
    median: int
    late: int
    """Rolls by which 80 % of the logs have reached `LOOK_CLOSER_E_VALUE`."""
    alarm: int
    """The median number of rolls to reach `ALARM_E_VALUE`."""
    fixed: int
    """Rolls that a chi-square test needs for 80 % power, with the number fixed in advance."""
    logs: int


@dataclass(frozen=True, slots=True)
class SimulatedPower:
    """The power of a chi-square test, computed and simulated."""

    name: str
    rolls: int
    reckoned: float
    tried: float
    logs: int


def draw_faces(rng: Rng, chances: Floats, logs: int, rolls: int) -> Faces:
    """(logs, rolls) faces 0..5."""
    steps = np.cumsum(chances)[:-1]
    return np.searchsorted(steps, rng.random((logs, rolls)), side="right").astype(np.int8)


def simulate(logs: int, rolls: int, rng: Rng) -> Iterator[ObservedRate]:
    """Every false alarm rate and coverage with fair dice, with `rolls` rolls per log."""
    yield from anytime_rates(logs, rolls, rng)
    yield from final_rates(logs, rolls, rng)
    yield from series_rates(max(logs // 10, 50), rng)
    yield from misread_rates(max(logs // 2, 50), rng)
    yield from report_rates(logs, rng)


def _rejections(
    name: str, what: str, ps: Iterable[float], nominal: float | None = ALPHA
) -> ObservedRate:
    """How often p is at most 5 %."""
    found = np.array(list(ps)) <= ALPHA
    return ObservedRate(name, what, float(found.mean()), nominal, len(found))


def anytime_rates(logs: int, rolls: int, rng: Rng) -> Iterator[ObservedRate]:
    """Rates for what is valid after every roll, and for X2 if tested repeatedly."""
    from scipy.stats import chi2

    from engine.fairness._kernels import first_above, misses, peeked_chi_square

    alarms, missed = np.zeros(2), 0
    peeked = np.zeros(len(PEEKS))
    for count in _blocks(logs):
        faces = draw_faces(rng, FAIR, count, rolls)
        first = np.zeros((count, 2), np.int64)
        first_above(faces, DIRICHLET_PRIORS, _E_LIMITS, first)
        alarms += (first > 0).sum(axis=0)
        missed_at = np.zeros(count, np.int64)
        misses(faces, FAIR, BETA_PRIORS, 5.0, RATIO_LIMIT, missed_at)
        missed += int((missed_at > 0).sum())
        for n, (alpha, every) in enumerate(PEEKS):
            peeked[n] += peeked_chi_square(faces, float(chi2.isf(alpha, 5)), every, 30)
    for limit, found in zip(_E_LIMITS, alarms, strict=True):
        name, nominal = f"e >= {limit:.0f}", float(1 / limit)
        yield ObservedRate(name, "e-value, at any roll", float(found) / logs, nominal, logs)
    kept = 1 - missed / logs
    yield ObservedRate("bounds", "all six hold at every roll", kept, LEVEL, logs, is_least=True)
    for found, (alpha, every) in zip(peeked, PEEKS, strict=True):
        when = "every roll" if every == 1 else f"every {every} rolls"
        name = f"X2 peeked, p <= {alpha}"
        yield ObservedRate(name, f"looked at after {when}", float(found) / logs, None, logs)


def report_rates(logs: int, rng: Rng) -> Iterator[ObservedRate]:
    """How often reports on two unbiased dice and two players have a sign, or tell of dependence."""
    nominal = 1 / LOOK_CLOSER_E_VALUE
    for readings in (1, READINGS):
        signs, told = _false_signs(logs, readings, rng)
        what = f"{readings} readings, one after each {REPORT_THROWS} throws"
        any_sign = float((signs | told).mean())
        yield ObservedRate("any sign", f"on two dice, in {what}", any_sign, nominal, logs)
    what = f"of order, doubles or players, in {what}"
    yield ObservedRate("dependence", what, float(told.mean()), 1 / DEPENDENCE_E_VALUE, logs)
    pairs = (look_alike_log(rng, (FAIR, FAIR), REPORT_THROWS) for _ in range(logs))
    found = np.mean([evidence(log).largest >= LOOK_CLOSER_E_VALUE for log in pairs])
    what = f"on two dice that look alike, {REPORT_THROWS} throws, ever"
    yield ObservedRate("any sign", what, float(found), nominal, logs)


def _false_signs(logs: int, readings: int, rng: Rng) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """(logs,) each: whether a die ever has a sign, and whether a reading tells of dependence."""
    from engine.fairness._kernels import first_above

    signs, told = [], []
    for count in _blocks(logs):
        faces = draw_faces(rng, FAIR, 2 * count, readings * REPORT_THROWS)
        first = np.zeros((2 * count, 2), np.int64)
        first_above(faces, DIRICHLET_PRIORS, 2 * _E_LIMITS, first)
        signs.append((first[:, 0].reshape(count, 2) > 0).any(axis=1))
        told.append(_tell_of_dependence(faces.reshape(count, 2, -1)))
    return np.concatenate(signs), np.concatenate(told)


def _tell_of_dependence(faces: Faces) -> NDArray[np.bool_]:
    """(logs,) whether a report on (logs, 2, throws) faces, read after each match, tells of it.

    Two players throw by turns.
    """
    logs, dice, throws = faces.shape
    limit = np.log(3 * DEPENDENCE_E_VALUE)  # two dice in order, and their doubles
    moves = faces[..., :-1].astype(np.int64) * FACES + faces[..., 1:]
    order = homogeneity_log_es(
        _readings(moves, np.arange(1, throws), FACES**2).reshape(logs, dice, -1, FACES, FACES)
    )
    is_double = (faces[:, 0] == faces[:, 1]).reshape(logs, -1, REPORT_THROWS)
    doubles = is_double.sum(axis=2).cumsum(axis=1)
    ends = np.arange(1, doubles.shape[1] + 1) * REPORT_THROWS
    by_player = faces + FACES * (np.arange(throws) % 2)
    tables = _readings(by_player, np.arange(throws), 2 * FACES)
    players = homogeneity_log_es(tables.reshape(logs, dice, -1, 2, FACES)).sum(axis=1)
    told: NDArray[np.bool_] = (
        (order >= limit).any(axis=(1, 2))
        | (doubles_log_es(doubles, ends) >= limit).any(axis=1)
        | (players >= np.log(DEPENDENCE_E_VALUE)).any(axis=1)
    )
    return told


def _readings(cells: NDArray[np.integer], throw: Ints, kinds: int) -> Ints:
    """(logs, dice, readings, kinds) how often each of (logs, dice, N) cells occurred by then.

    throw: (N,) the throw that completes each cell.
    """
    logs, dice, _ = cells.shape
    reading = throw // REPORT_THROWS
    readings = int(reading[-1]) + 1
    which = np.arange(logs * dice).reshape(logs, dice, 1) * readings + reading
    counts = np.bincount((which * kinds + cells).ravel(), minlength=logs * dice * readings * kinds)
    return counts.reshape(logs, dice, readings, kinds).cumsum(axis=2)


_E_LIMITS: Final = np.array([LOOK_CLOSER_E_VALUE, ALARM_E_VALUE])


def final_rates(logs: int, rolls: int, rng: Rng) -> Iterator[ObservedRate]:
    """Rates of the tests of faces at the end of a log."""
    counts = rng.multinomial(rolls, FAIR, logs)
    tests = [face_tests(tally_of_counts(row)) for row in counts[: min(logs, 2_000)]]
    named = {
        "X2": [test.chi_square.p for test in tests],
        "G": [test.g.p for test in tests],
        "axes": [test.axis.p for test in tests],
        "1 or 6": [test.within[0].p for test in tests],
        "pips": [test.pip_linear.p for test in tests],
    }
    for name, ps in named.items():
        yield _rejections(name, "p <= 0.05 at the end", ps)
    for name, few in (("X2, listed", MAX_ENUMERATED_ROLLS), ("X2, drawn", SIMULATED_P_ROLLS)):
        drawn = rng.multinomial(few, FAIR, min(logs, 500))
        ps = [face_tests(tally_of_counts(row)).chi_square.p for row in drawn]
        yield _rejections(name, f"p <= 0.05 of {few} rolls", ps)
    covered = np.mean([
        ((bound[:, 0] <= 1 / FACES) & (bound[:, 2] >= 1 / FACES)).mean()
        for bound in (posterior(tally_of_counts(row)) for row in counts[:500])
    ])  # fmt: skip
    many = 6 * min(logs, 500)
    yield ObservedRate("intervals", "hold a face each", float(covered), LEVEL, many, is_least=True)


def simulated_ps(
    logs: int, rng: Rng, *, rolls: int = SIMULATED_P_ROLLS, draws: int = 5_000
) -> Floats:
    """(logs,) simulated p-values for fair dice with random tie-breaking, which are uniform."""
    counts = rng.multinomial(rolls, FAIR, logs)
    ties, seeds = rng.random(logs), rng.integers(0, 2**31, logs)
    ps = [
        simulated_p(row, draws=draws, seed=int(seed), tie=float(tie))
        for row, seed, tie in zip(counts, seeds, ties, strict=True)
    ]
    return np.array(ps)


def series_rates(logs: int, rng: Rng) -> Iterator[ObservedRate]:
    """Rates for the tests of order, pairs, groups and luck, and for all of them together."""
    families = [_series_ps(rng) for _ in range(logs)]
    for name in families[0]:
        what = f"p <= 0.05 of {SERIES_THROWS} throws"
        yield _rejections(name, what, (family[name] for family in families))
    least = (min(benjamini_hochberg(list(family.values()))) for family in families)
    yield _rejections("false discovery", "any of these eight found", least)


def _series_ps(rng: Rng) -> dict[str, float]:
    """The p-value of every such test for one log of fair dice."""
    values = rng.integers(1, 7, (SERIES_THROWS, 2)).astype(np.int8)
    sequence = sequence_tests(simple_log(values[:, 0]))
    cells = (values[:, 0] - 1) * FACES + values[:, 1] - 1
    table = np.bincount(cells, minlength=36).reshape(6, 6)
    pair, alike = pair_of_table(("a", "b"), table), pair_of_table(("a", "a"), table)
    thrown = simple_log(values.ravel(), throw=np.repeat(np.arange(SERIES_THROWS), 2))
    return {
        "roll after roll": sequence.serial.p,
        "repeats": sequence.repeats.p,
        "one die, the other": pair.independence.p,
        "two like dice": alike.independence.p,
        "doubles": pair.doubles_p,
        "doubles of margins": pair.doubles_of_margins.p,
        "four players": homogeneity(rng.multinomial(SERIES_THROWS, FAIR, 4)).p,
        "luck": luck_of(thrown).p,
    }


def sixes_as_fives(rate: float) -> ConfusionMatrix:
    """A reader that reads this fraction of sixes as fives, and makes no other errors."""
    matrix = np.eye(FACES)
    matrix[5, 4], matrix[5, 5] = rate, 1 - rate
    return ConfusionMatrix(matrix)


def misread_rates(logs: int, rng: Rng) -> Iterator[ObservedRate]:
    """Rates for fair dice and a reader that errs, without and with its confusion matrix."""
    reader = sixes_as_fives(0.01)
    counts = rng.multinomial(MISREAD_ROLLS, reader.fair_marginal, logs)
    what = f"p <= 0.05 of {MISREAD_ROLLS:,} rolls, 1 % of 6 read as 5"
    corrected = [tally_misread(row, reader) for row in counts]
    plain = [chi_square(tally_of_counts(row)).p for row in counts]
    yield _rejections("X2, misread", what, plain, None)
    yield _rejections("X2, allowed for", what, (chi_square(one).p for one in corrected))
    yield _rejections("G, allowed for", what, (g_test(one).p for one in corrected))
    few, rolls = max(logs // 20, 10), 20_000
    plain_alarms, alarms = 0, 0
    bad = sixes_as_fives(0.1)
    for _ in range(few):
        log = simple_log(draw_faces(rng, bad.fair_marginal, 1, rolls)[0] + 1)
        plain_alarms += evidence(log).largest >= LOOK_CLOSER_E_VALUE
        alarms += evidence(log, bad).largest >= LOOK_CLOSER_E_VALUE
    what = f"{rolls:,} rolls, 10 % of 6 read as 5"
    yield ObservedRate("e >= 20, misread", what, plain_alarms / few, None, few)
    yield ObservedRate("e >= 20, allowed for", what, alarms / few, 1 / LOOK_CLOSER_E_VALUE, few)


def decisions(logs: int, rng: Rng) -> Iterator[DecisionTimes]:
    """The decision times for biased dice, beside a test at a fixed number of rolls."""
    for name, chances in (
        ("six +50 %", face_bias(0.5)),
        ("six +20 %", face_bias(0.2)),
        ("six +10 %", face_bias(0.1)),
        ("axis +20 %", axis_bias(0.2)),
        ("axis +10 %", axis_bias(0.1)),
        ("axis +5 %", axis_bias(0.05)),
        ("Wolf's white die", np.array(WOLF_COUNTS) / sum(WOLF_COUNTS)),
    ):
        yield _decision_times(name, chances, logs, rng)


def _decision_times(name: str, chances: Floats, logs: int, rng: Rng) -> DecisionTimes:
    from engine.fairness._kernels import first_above

    fixed = rolls_needed(chances)
    first = np.zeros((logs, 2), np.int64)
    for start in range(0, logs, BLOCK_LOGS):
        block = first[start : start + BLOCK_LOGS]
        faces = draw_faces(rng, chances, len(block), 8 * fixed)
        first_above(faces, DIRICHLET_PRIORS, _E_LIMITS, block)
    first[first == 0] = 8 * fixed
    median, alarm = np.median(first, axis=0)
    late = np.quantile(first[:, 0], 0.8)
    return DecisionTimes(name, int(median), int(late), int(alarm), fixed, logs)


def powers(logs: int, rng: Rng) -> Iterator[SimulatedPower]:
    """The power against biased dice at the number of rolls computed for 80 %."""

    def tried(chances: Floats, rolls: int) -> float:
        drawn = rng.multinomial(rolls, chances, logs)
        return float(np.mean([chi_square(tally_of_counts(row)).p <= ALPHA for row in drawn]))

    for bias in (0.05, 0.1, 0.2, 0.3, 0.5):
        for name, biased in (("face", face_bias), ("axis", axis_bias), ("pips", pip_bias)):
            chances = biased(bias)
            rolls = rolls_needed(chances)
            expected = power(rolls, noncentrality_per_roll(chances))
            found = tried(chances, rolls)
            yield SimulatedPower(f"{name} +{bias:.0%}", rolls, expected, found, logs)
        rolls = rolls_to_see(bias)
        expected, found = face_power(rolls, bias), tried(face_bias(bias), rolls)
        yield SimulatedPower(f"face +{bias:.0%} exactly", rolls, expected, found, logs)


def _blocks(logs: int) -> Iterator[int]:
    for start in range(0, logs, BLOCK_LOGS):
        yield min(BLOCK_LOGS, logs - start)


def look_alike_log(rng: Rng, dice: tuple[Floats, Floats], throws: int) -> DiceLog:
    """Throws of two dice that cannot be told apart, the larger face first."""
    faces = np.stack([draw_faces(rng, chances, 1, throws)[0] for chances in dice])
    return simple_log(
        np.sort(faces, axis=0)[::-1].T.ravel() + 1, throw=np.repeat(np.arange(throws), 2)
    )


def look_alike_powers(logs: int, rng: Rng) -> Iterator[ObservedRate]:
    """How often two look-alike dice with the biases that their verdict names are not `QUIET`."""
    for rolls in (120, 400, 1_000):
        bias = detectable_bias(rolls)
        pairs = {
            "both dice": (face_bias(bias), face_bias(bias)),
            "one of two": (face_bias(2 * bias), FAIR),
        }
        for name, dice in pairs.items():
            signs = [
                sign_of(analyse_group("pair", "cups", look_alike_log(rng, dice, rolls // 2)))
                for _ in range(logs)
            ]
            found = float(np.mean([sign is not Sign.QUIET for sign in signs]))
            what = f"off by {bias if name == 'both dice' else 2 * bias:.0%} in {rolls:,} rolls"
            yield ObservedRate(name, what, found, TARGET_POWER, logs, is_least=True)


def verdict_powers(logs: int, rng: Rng) -> Iterator[ObservedRate]:
    """How often a die with the bias that its verdict names is not `QUIET`."""
    for is_final in (True, False):
        for rolls in VERDICT_ROLLS:
            bias = detectable_bias(rolls, is_final=is_final)
            faces = draw_faces(rng, face_bias(bias), logs, rolls)
            # As the kind `cups`, which is tested for its faces only.
            groups = (analyse_group("die", "cups", simple_log(row + 1)) for row in faces)
            signs = [sign_of(group, is_final=is_final) for group in groups]
            found = float(np.mean([sign is not Sign.QUIET for sign in signs]))
            when = "asked once" if is_final else "whenever asked"
            what = f"a face off by {bias:.0%} shows in {rolls:,} rolls, {when}"
            yield ObservedRate("verdict", what, found, TARGET_POWER, logs, is_least=True)
