"""All tests of a log of dice: per die, player, cup and session, per pair, and between groups."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats
from engine.fairness.bounds import confidence_sequence, notable_chance, posterior
from engine.fairness.compare import GroupComparison, compare, counts_by_group
from engine.fairness.evalues import EValue, bayes_factor, evidence
from engine.fairness.faces import FaceTests, face_tests
from engine.fairness.luck import PlayerLuck, luck_of
from engine.fairness.pairs import PairTests, find_pairs
from engine.fairness.reading import ConfusionMatrix, FaceTally, could_unread_explain, tally
from engine.fairness.rolls import OPENING, UNREAD_FACE, DiceLog, Labels
from engine.fairness.sequence import SerialTests, sequence_tests

MIN_SORTED_NAMES: Final = 8
"""Number of names from which sorting the rows once is faster than searching them for each name."""
KINDS: Final = ("dice", "players", "cups", "sessions")
"""What a log is grouped by."""
FALSE_DISCOVERY_RATE: Final = 0.05
"""Expected fraction of false discoveries among the tests reported."""


@dataclass(frozen=True, slots=True, eq=False)
class LiveFinding:
    """The anytime-valid findings about rolls, which may be shown while they accumulate."""

    name: str
    is_pooled: bool
    """Whether two dice that cannot be told apart are counted as one."""
    tally: FaceTally
    evidence: EValue
    bounds: Floats
    """(6, 2) bounds of a confidence sequence."""

    @property
    def rolls(self) -> int:
        """Readings from throws that count."""
        return self.tally.count


@dataclass(frozen=True, slots=True, eq=False)
class Group(LiveFinding):
    """All findings about the rolls of one die, player, cup or session, once complete."""

    tests: FaceTests
    posterior: Floats
    """(6, 3) lower bound, mean and upper bound of a credible interval."""
    notable: Floats
    """(6,) the probability that each face is biased by more than 5 %."""
    bayes_factor: float
    """log10 of the Bayes factor of Dirichlet(1) against a fair die."""
    sequence: SerialTests | None = None
    luck: PlayerLuck | None = None
    unread: int = 0
    """Unread dice in throws that count."""

    @property
    def is_explained(self) -> bool:
        """Whether the unread dice alone could explain the faces."""
        return could_unread_explain(self.tally.counts, self.unread)


@dataclass(frozen=True, slots=True)
class FamilyTest:
    """One of the tests among which false discoveries are controlled."""

    of: str
    """`dice red`, `pair red/white` ..."""
    question: str
    p: float
    q: float
    """The false discovery rate if all tests with a p at most this large are reported."""


@dataclass(frozen=True, slots=True, eq=False)
class Findings:
    """All findings of a log."""

    groups: dict[str, tuple[Group, ...]]
    """By `KINDS`; a kind without names, such as cups if none is used, is empty."""
    pairs: tuple[PairTests, ...]
    comparisons: tuple[GroupComparison, ...]
    family: tuple[FamilyTest, ...]
    e_discoveries: tuple[str, ...]
    """Dice whose e-values are discoveries among all dice, valid at any time."""
    rows: int
    unread: int
    void: int
    openings: int
    """Dice of openings in a source without ties; they are not counted."""
    doubtful: int
    """Usable readings that are uncertain."""
    places: dict[str, NDArray[np.float32]] = field(default_factory=dict)
    """(N, 2) field coordinates where each die lay, by die."""


def analyse_log(log: DiceLog, confusion: ConfusionMatrix | None = None) -> Findings:
    """All findings about a log; confusion: the known errors of its reader."""
    usable = log.usable()
    unread = log.at(log.counted & (log.value == UNREAD_FACE))
    groups = {kind: tuple(_groups(usable, unread, kind, confusion)) for kind in KINDS}
    pairs = tuple(find_pairs(usable))
    comparisons = tuple(_comparisons(log, usable))
    return Findings(
        groups=groups,
        pairs=pairs,
        comparisons=comparisons,
        family=tuple(_family(groups, pairs, comparisons)),
        e_discoveries=_e_discoveries(groups["dice"]),
        rows=len(log),
        unread=int((log.value == UNREAD_FACE).sum()),
        void=len(log.void()),
        openings=int((~log.counted & log.reason.is_any((OPENING,))).sum()),
        doubtful=int((usable.confidence < 1).sum()),
        places=_places(usable),
    )


def _labels(log: DiceLog, kind: str) -> Labels:
    columns = {"dice": log.die, "players": log.player, "cups": log.cup, "sessions": log.session}
    return columns[kind]


def _groups(
    log: DiceLog, unread: DiceLog, kind: str, confusion: ConfusionMatrix | None
) -> Iterator[Group]:
    pooled = log.pooled if kind == "dice" else frozenset()
    lost = _labels(unread, kind)
    for name, own in _split(log, _labels(log, kind)):
        if len(own) and (name or kind == "dice"):
            missing = int(lost.is_any((name,)).sum())
            yield analyse_group(
                name, kind, own, confusion, is_pooled=name in pooled, unread=missing
            )


def _split(log: DiceLog, labels: Labels) -> Iterator[tuple[str, DiceLog]]:
    if len(labels.names) == 1:
        yield labels.names[0], log
        return
    if len(labels.names) < MIN_SORTED_NAMES:
        for code, name in enumerate(labels.names):
            yield name, log.at(np.flatnonzero(labels.codes == code))
        return
    order = np.argsort(labels.codes, kind="stable")
    ends = np.searchsorted(labels.codes[order], np.arange(len(labels.names) + 1))
    for code, name in enumerate(labels.names):
        yield name, log.at(order[ends[code] : ends[code + 1]])


def analyse_group(
    name: str,
    kind: str,
    log: DiceLog,
    confusion: ConfusionMatrix | None = None,
    *,
    is_pooled: bool = False,
    unread: int = 0,
) -> Group:
    """The findings about usable rolls; serial dependence is tested for dice and players."""
    counted = tally(log, confusion)
    return Group(
        name=name,
        is_pooled=is_pooled,
        tally=counted,
        tests=face_tests(counted),
        evidence=evidence(log, confusion),
        posterior=posterior(counted),
        bounds=confidence_sequence(counted),
        notable=notable_chance(counted),
        bayes_factor=bayes_factor(counted.counts),
        sequence=sequence_tests(log) if kind in ("dice", "players") else None,
        luck=luck_of(log) if kind == "players" else None,
        unread=unread,
    )


def _comparisons(log: DiceLog, usable: DiceLog) -> Iterator[GroupComparison]:
    for kind in KINDS:
        labels = _labels(usable, kind)
        counts = counts_by_group(labels.codes, usable.faces, len(labels.names))
        compared = compare(kind, labels.names, counts)
        if len(compared.names) > 1:
            yield compared
    void = log.void()
    if len(void) and len(usable):
        counts = np.stack((usable.counts(), void.counts()))
        yield compare("throws", ("counted", "void"), counts)


def _family(
    groups: dict[str, tuple[Group, ...]],
    pairs: tuple[PairTests, ...],
    compared: tuple[GroupComparison, ...],
) -> list[FamilyTest]:
    """Every question once: without G, which asks the same as X2, and luck, which is not dice."""
    asked = [
        (f"{kind} {group.name}", question, p)
        for kind in ("dice", "players", "cups")
        for group in groups[kind]
        for question, p in _questions(group, is_die=kind == "dice")
    ]
    for pair in pairs:
        name = f"pair {'/'.join(pair.dice)}"
        asked += [
            (name, "independence", pair.independence.p),
            (name, "doubles", pair.doubles_p),
            (name, "sevens", pair.sevens_p),
        ]
    asked += [(one.what, "the same faces", one.same.p) for one in compared]
    qs = benjamini_hochberg([p for *_, p in asked])
    return [FamilyTest(*one, q) for one, q in zip(asked, qs, strict=True)]


def _questions(group: Group, *, is_die: bool) -> Iterator[tuple[str, float]]:
    tests = group.tests
    yield "faces", tests.chi_square.p
    if is_die:
        yield "axes", tests.axis.p
        yield "pips", tests.pip_linear.p
        for name, test in zip(("1 or 6", "2 or 5", "3 or 4"), tests.within, strict=True):
            yield name, test.p
    if group.sequence is not None:
        yield "roll after roll", group.sequence.serial.p
        yield "repeats", group.sequence.repeats.p


def benjamini_hochberg(ps: Sequence[float]) -> list[float]:
    """The false discovery rate for each p, if every p up to it is reported."""
    from scipy.stats import false_discovery_control

    return [float(q) for q in false_discovery_control(list(ps))] if ps else []


def _e_discoveries(dice: tuple[Group, ...]) -> tuple[str, ...]:
    # The current e-values: the largest so far is not an e-value.
    found = e_benjamini_hochberg([die.evidence.last for die in dice])
    return tuple(die.name for die, is_found in zip(dice, found, strict=True) if is_found)


def e_benjamini_hochberg(es: Sequence[float], rate: float = FALSE_DISCOVERY_RATE) -> list[bool]:
    """Which e-values are discoveries at that rate, under any dependence (Wang, Ramdas 2022)."""
    values = np.asarray(es, np.float64)
    order = np.argsort(-values, kind="stable")
    enough = values[order] >= len(values) / (rate * np.arange(1, len(values) + 1))
    count = int(np.flatnonzero(enough)[-1]) + 1 if enough.any() else 0
    found = np.zeros(len(values), np.bool_)
    found[order[:count]] = True
    return [bool(one) for one in found]


def _places(log: DiceLog) -> dict[str, NDArray[np.float32]]:
    if log.place is None:
        return {}
    known = np.isfinite(log.place).all(axis=1)
    return {
        name: log.place[known & (log.die.codes == code)]
        for code, name in enumerate(log.die.names)
        if bool((known & (log.die.codes == code)).any())
    }
