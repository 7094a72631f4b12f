"""All tests of a log of dice: per die, player, cup and session, per pair, and between groups."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats, Ints
from engine.fairness.bounds import confidence_sequence, notable_chance, posterior
from engine.fairness.compare import (
    GroupComparison,
    SameDice,
    compare,
    counts_by_group,
    same_dice,
)
from engine.fairness.dependence import DEPENDENCE_E_VALUE
from engine.fairness.evalues import EValue, bayes_factor, evidence
from engine.fairness.faces import FaceTests, face_tests
from engine.fairness.look_alikes import Suspects, suspects
from engine.fairness.luck import PlayerLuck, luck_of
from engine.fairness.pairs import PairTests, find_pairs
from engine.fairness.reading import ConfusionMatrix, FaceTally, could_unread_explain, tally
from engine.fairness.rolls import OPENING, UNREAD_FACE, DiceLog, Labels
from engine.fairness.sequence import SerialTests, sequence_tests

MIN_SORTED_NAMES: Final = 8
"""Number of names from which sorting the rows once is faster than searching them for each name."""
KINDS: Final = ("dice", "players", "cups", "sessions")
"""What a log is grouped by."""
JUDGED_KINDS: Final = ("dice", "cups")
"""Those that get a sign. No verdict is passed on a person, and sessions are parts of the dice's."""
FALSE_DISCOVERY_RATE: Final = 0.05
"""Expected fraction of false discoveries among the tests reported."""


@dataclass(frozen=True, slots=True, eq=False)
class LiveFinding:
    """The anytime-valid findings about rolls, which may be shown while they accumulate."""

    name: str
    is_pooled: bool
    """Whether two dice that cannot be told apart are counted as one."""
    judged_together: int
    """Number of dice and cups that are judged together with this one, which it is one of."""
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
    is_judged: bool = True
    """Whether it gets a sign: dice and cups do; players and sessions do not."""
    same_dice: SameDice | None = None
    """Of a player: how all players' rolls of this player's dice compare."""
    dice: tuple[str, ...] = ()
    """The dice that a player rolled."""
    suspects: Suspects | None = None
    """Of a pooled pair: which of the two dice its throws would be explained by."""

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
    is_final: bool = False
    """Whether the sample was declared closed before it was looked at."""
    judged_together: int = 1
    """Number of dice and cups that are judged together; at least 1."""

    @property
    def dependence_limit(self) -> float:
        """The e-value from which dependence is reported, of dice in order and of pairs."""
        return DEPENDENCE_E_VALUE * max(1, len(self.pairs) + len(self.groups["dice"]))


def analyse_log(
    log: DiceLog, confusion: ConfusionMatrix | None = None, *, is_final: bool = False
) -> Findings:
    """All findings about a log; confusion: the known errors of its reader.

    is_final: whether the sample was declared closed before anybody looked at it, so that verdicts
    may rest on p-values too.
    """
    usable = log.usable()
    unread = log.at(log.counted & (log.value == UNREAD_FACE))
    judged_together = max(1, sum(len(_names(usable, kind)) for kind in JUDGED_KINDS))
    groups = {
        kind: tuple(_groups(usable, unread, kind, confusion, judged_together)) for kind in KINDS
    }
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
        is_final=is_final,
        judged_together=judged_together,
    )


def _labels(log: DiceLog, kind: str) -> Labels:
    columns = {"dice": log.die, "players": log.player, "cups": log.cup, "sessions": log.session}
    return columns[kind]


def _names(log: DiceLog, kind: str) -> list[str]:
    """The names with rolls; only dice may have none."""
    labels = _labels(log, kind)
    names = (labels.names[code] for code in np.unique(labels.codes))
    return [name for name in names if name or kind == "dice"]


def _groups(
    log: DiceLog,
    unread: DiceLog,
    kind: str,
    confusion: ConfusionMatrix | None,
    judged_together: int,
) -> Iterator[Group]:
    pooled = log.pooled if kind == "dice" else frozenset()
    lost, known = _labels(unread, kind), set(_names(log, kind))
    tables = _counts_by_die_and_player(log) if kind == "players" else None
    for code, (name, own) in enumerate(_split(log, _labels(log, kind))):
        if name in known:
            missing = int(lost.is_any((name,)).sum())
            found = analyse_group(
                name,
                kind,
                own,
                confusion,
                is_pooled=name in pooled,
                unread=missing,
                judged_together=judged_together,
            )
            if tables is not None:
                rolled = np.flatnonzero(tables[:, code].any(axis=1))
                dice = tuple(log.die.names[die] for die in rolled)
                found = replace(found, same_dice=same_dice(tables[rolled]), dice=dice)
            yield found


def _counts_by_die_and_player(log: DiceLog) -> Ints:
    """(D, P, 6) how often each face of each die was rolled by each player."""
    dice, players = log.die, log.player
    both = dice.codes.astype(np.int64) * len(players.names) + players.codes
    counts = counts_by_group(both, log.faces, len(dice.names) * len(players.names))
    return counts.reshape(len(dice.names), len(players.names), -1)


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
    judged_together: int = 1,
) -> Group:
    """The findings about usable rolls; serial dependence is tested for dice and players."""
    counted = tally(log, confusion)
    return Group(
        name=name,
        is_pooled=is_pooled,
        judged_together=judged_together,
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
        is_judged=kind in JUDGED_KINDS,
        suspects=suspects(log) if is_pooled and len(log) else None,
    )


def _comparisons(log: DiceLog, usable: DiceLog) -> Iterator[GroupComparison]:
    for kind in KINDS:
        labels = _labels(usable, kind)
        counts = counts_by_group(labels.codes, usable.faces, len(labels.names))
        compared = compare(kind, labels.names, counts)
        if len(compared.names) < 2:
            continue
        if kind == "players":
            given = same_dice(_counts_by_die_and_player(usable))
            compared = replace(compared, same=given.same, e=given.e)
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
    """Every question once: without G, which asks the same as X2, luck, and single players."""
    asked = [
        (f"{kind} {group.name}", question, p)
        for kind in JUDGED_KINDS
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
