"""All that a log of dice tells: per die, player, cup and session, per pair, and among them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats
from engine.fairness.bounds import confidence_sequence, notable_chance, posterior
from engine.fairness.compare import GroupComparison, compare, grouped
from engine.fairness.evalues import EValue, bayes_factor, evidence
from engine.fairness.faces import FaceTests, face_tests
from engine.fairness.family import RATE, benjamini_hochberg, e_benjamini_hochberg
from engine.fairness.luck import PlayerLuck, luck_of
from engine.fairness.pairs import PairTests, find_pairs
from engine.fairness.reading import ConfusionMatrix, FaceTally, tally
from engine.fairness.rolls import OPENING, UNREAD, DiceLog, Labels
from engine.fairness.sequence import SerialTests, sequence_tests
from engine.fairness.unread import could_explain

MANY: Final = 8
"""Names from which on one sorting of the rows is less work than looking for each."""
KINDS: Final = ("dice", "players", "cups", "sessions")
"""What a log is split by."""


@dataclass(frozen=True, slots=True, eq=False)
class LiveFinding:
    """What may be told of rolls at any time, while they come in."""

    name: str
    is_pooled: bool
    """Whether two dice that nobody can tell apart are counted as one."""
    tally: FaceTally
    evidence: EValue
    bounds: Floats
    """(6, 2) that hold whenever one looks."""

    @property
    def rolls(self) -> int:
        """Dice that count and were read."""
        return self.tally.count


@dataclass(frozen=True, slots=True, eq=False)
class Group(LiveFinding):
    """What the rolls of one die, or player, cup or session tell at the end."""

    tests: FaceTests
    posterior: Floats
    """(6, 3) low, mean, high; holds for one look at the end."""
    notable: Floats
    """(6,) the probability of each face to be off by more than 5 %."""
    bayes_factor: float
    """log10, Dirichlet(1) against even faces."""
    sequence: SerialTests | None = None
    luck: PlayerLuck | None = None
    unread: int = 0
    """Dice of throws that count that could not be read."""

    @property
    def is_explained(self) -> bool:
        """Whether those alone may be why the faces are odd."""
        return could_explain(self.tally.told, self.unread)


@dataclass(frozen=True, slots=True)
class FamilyTest:
    """One of all the tests of a report."""

    of: str
    """`dice red`, `pair red/white` ..."""
    question: str
    p: float
    q: float
    """The rate of false discoveries if all tests with a p as small are told."""


@dataclass(frozen=True, slots=True, eq=False)
class Findings:
    """Everything that is known of a log."""

    units: dict[str, tuple[Group, ...]]
    """By `KINDS`; a kind with one name only, such as no cups at all, may be empty."""
    pairs: tuple[PairTests, ...]
    comparisons: tuple[GroupComparison, ...]
    family: tuple[FamilyTest, ...]
    e_discoveries: tuple[str, ...]
    """Dice whose e-values are discoveries among all dice, whenever one looks."""
    rows: int
    unread: int
    void: int
    openings: int
    """Dice of openings that a source tells without its ties: they are kept and not counted."""
    doubtful: int
    """Usable readings that are not sure."""
    places: dict[str, NDArray[np.float32]] = field(default_factory=dict)
    """By die, (N, 2) where it lay in field coordinates."""


def find_all(log: DiceLog, misreading: ConfusionMatrix | None = None) -> Findings:
    """What the whole log tells; misreading: the known mistakes of whoever read the dice."""
    usable = log.usable()
    unread = log.at(log.counted & (log.value == UNREAD))
    units = {kind: tuple(_units(usable, unread, kind, misreading)) for kind in KINDS}
    pairs = tuple(find_pairs(usable))
    comparisons = tuple(_comparisons(log, usable))
    return Findings(
        units=units,
        pairs=pairs,
        comparisons=comparisons,
        family=tuple(_family(units, pairs, comparisons)),
        e_discoveries=_e_discoveries(units["dice"]),
        rows=len(log),
        unread=int((log.value == UNREAD).sum()),
        void=len(log.void()),
        openings=int((~log.counted & log.reason.is_any((OPENING,))).sum()),
        doubtful=int((usable.confidence < 1).sum()),
        places=_places(usable),
    )


def labels_of(log: DiceLog, kind: str) -> Labels:
    """The column of a log that a kind of `KINDS` splits it by."""
    columns = {"dice": log.die, "players": log.player, "cups": log.cup, "sessions": log.session}
    return columns[kind]


def _units(
    log: DiceLog, unread: DiceLog, kind: str, misreading: ConfusionMatrix | None
) -> Iterator[Group]:
    pooled = log.pooled if kind == "dice" else frozenset()
    lost = labels_of(unread, kind)
    for name, own in _split(log, labels_of(log, kind)):
        if len(own) and (name or kind == "dice"):
            missing = int(lost.is_any((name,)).sum())
            yield unit_of(name, kind, own, misreading, is_pooled=name in pooled, unread=missing)


def _split(log: DiceLog, labels: Labels) -> Iterator[tuple[str, DiceLog]]:
    """The rows of each name, in their order."""
    if len(labels.names) == 1:
        yield labels.names[0], log
        return
    if len(labels.names) < MANY:
        for code, name in enumerate(labels.names):
            yield name, log.at(np.flatnonzero(labels.codes == code))
        return
    order = np.argsort(labels.codes, kind="stable")
    ends = np.searchsorted(labels.codes[order], np.arange(len(labels.names) + 1))
    for code, name in enumerate(labels.names):
        yield name, log.at(order[ends[code] : ends[code + 1]])


def unit_of(
    name: str,
    kind: str,
    log: DiceLog,
    misreading: ConfusionMatrix | None = None,
    *,
    is_pooled: bool = False,
    unread: int = 0,
) -> Group:
    """What usable rolls of one kind tell; the order of rolls is tested for dice and players."""
    counted = tally(log, misreading)
    return Group(
        name=name,
        is_pooled=is_pooled,
        tally=counted,
        tests=face_tests(counted),
        evidence=evidence(log, misreading),
        posterior=posterior(counted),
        bounds=confidence_sequence(counted),
        notable=notable_chance(counted),
        bayes_factor=bayes_factor(counted.told),
        sequence=sequence_tests(log) if kind in ("dice", "players") else None,
        luck=luck_of(log) if kind == "players" else None,
        unread=unread,
    )


def _comparisons(log: DiceLog, usable: DiceLog) -> Iterator[GroupComparison]:
    for kind in KINDS:
        labels = labels_of(usable, kind)
        counts = grouped(labels.codes, usable.faces, len(labels.names))
        compared = compare(kind, labels.names, counts)
        if len(compared.names) > 1:
            yield compared
    void = log.void()
    if len(void) and len(usable):
        counts = np.stack((usable.counts(), void.counts()))
        yield compare("throws", ("counted", "void"), counts)


def _family(
    units: dict[str, tuple[Group, ...]],
    pairs: tuple[PairTests, ...],
    compared: tuple[GroupComparison, ...],
) -> list[FamilyTest]:
    """Every question that is asked once; G answers the same as X2, and luck is not the dice."""
    asked = [
        (f"{kind} {unit.name}", question, p)
        for kind in ("dice", "players", "cups")
        for unit in units[kind]
        for question, p in _unit_questions(unit, is_die=kind == "dice")
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


def _unit_questions(unit: Group, *, is_die: bool) -> Iterator[tuple[str, float]]:
    tests = unit.tests
    yield "faces", tests.chi_square.p
    if is_die:
        yield "axes", tests.axis.p
        yield "pips", tests.pip_linear.p
        for name, test in zip(("1 or 6", "2 or 5", "3 or 4"), tests.within, strict=True):
            yield name, test.p
    if unit.sequence is not None:
        yield "roll after roll", unit.sequence.serial.p
        yield "repeats", unit.sequence.repeats.p


def _e_discoveries(dice: tuple[Group, ...]) -> tuple[str, ...]:
    # The e-values of now: the largest so far are none.
    found = e_benjamini_hochberg([unit.evidence.last for unit in dice], RATE)
    return tuple(unit.name for unit, is_found in zip(dice, found, strict=True) if is_found)


def _places(log: DiceLog) -> dict[str, NDArray[np.float32]]:
    if log.place is None:
        return {}
    known = np.isfinite(log.place).all(axis=1)
    return {
        name: log.place[known & (log.die.codes == code)]
        for code, name in enumerate(log.die.names)
        if bool((known & (log.die.codes == code)).any())
    }
