"""From evidence and legality to a verdict with a probability.

The posterior covers the positions that a turn may have led to: every legal result of every roll
(weighted by what the dice showed), no play at all, one misplaced checker, and any other 15 checkers
a side. No prior prefers strong play: a record must not drift toward good plays.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import log
from typing import Final

import numpy as np

from engine.arrays import Floats, Ints, Mask, distinct_rows, row_hashes
from engine.dice import ALL_ROLLS, Roll
from engine.evidence.likelihood import (
    PositionEvidence,
    PositionView,
    position_of,
    with_misplaced_checker,
)
from engine.evidence.observation import CELLS, LIGHT_OFF
from engine.evidence.whole_board import most_probable
from engine.inference.outcomes import (
    MOST_LISTED,
    Outcomes,
    find_outcomes,
    find_play_cached,
    moves_between,
)
from engine.inference.unlisted import (
    MOST_TRIED,
    Fillings,
    chain_totals,
    may_result,
    own_counts,
    try_likeliest,
)
from engine.message import Sentence
from engine.play import Play
from engine.position import CHECKERS, Position, Side, SideVector
from engine.rules import Rules
from engine.rules.house import LeftoverMoves
from engine.rules.illegality import why_illegal
from engine.rules.legal import count_plays

MIN_PLAY_POSTERIOR: Final = 0.99
"""Posterior below which a play needs review."""
MISPLACED_LOG_PRIOR: Final = -11.5
"""Log-prior of one specific illegal result: about one turn in 3,000 breaks a rule with one checker,
divided among the roughly 30 likeliest results of that kind."""
MISCOUNTED_LOG_PRIOR: Final = -10.0
"""Log-prior of playing one specific other roll that shares a die with the one thrown: one turn in
2,000, divided among the ten such rolls. The results of a roll divide it as they do for a misread
roll, so only the dice decide between the two."""
UNEXPLAINED_LOG_PRIOR: Final = -20.0
"""Log-prior of the single best position that nothing explains."""
MAX_BASES: Final = 12
"""Number of legal results from which a checker may be misplaced."""
MAX_MISPLACED: Final = 40
"""Number of results with a misplaced checker that are kept."""
MIN_WITNESS_NATS: Final = 1.0
"""Nats by which a view must prefer the illegal result to count as a witness."""
MIN_ILLEGAL_POSTERIOR: Final = 0.95
"""Posterior from which an illegal result is recorded, for review, even without a witness."""
MIN_ILLEGAL_SHARE: Final = 0.6
"""Share of the illegal result, relative to the best legal one, from which a player is accused: a
misread die is about as common as a broken rule."""
MIN_RIVAL_ODDS: Final = 0.01
"""Odds against the most probable illegal result from which another one is followed as well."""
MAX_RIVALS: Final = 3
MIN_ILLEGAL_ALTERNATIVE: Final = 1e-4
"""Probability from which an illegal result is an alternative to a legal one."""
MAX_CANDIDATES: Final = 5
MIN_CANDIDATE: Final = 1e-6
"""Probability of a result that is worth listing."""
_MIN_ROW: Final = 1e-12
"""Of a result with one roll, to be looked at: comparing thousands of boards takes longest."""
MIN_KNOWN_ROLL_POSTERIOR: Final = 0.5
"""Minimum posterior of a roll for a play to be illegal with it."""

_NUMBERS: Final = [{roll.high, roll.low} for roll in ALL_ROLLS]
_SHARES_A_DIE: Final = np.array([[a != b and bool(a & b) for b in _NUMBERS] for a in _NUMBERS])
"""(21, 21) whether two different rolls have a number in common."""


_IS_DOUBLE: Final = np.array([roll.is_double for roll in ALL_ROLLS])
"""(21,)"""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One explanation of the observations."""

    position: Position
    play: Play
    roll: Roll
    """The most probable of the rolls that lead there."""
    p: float
    roll_p: float
    """The probability of `roll`, given the position."""
    legal: bool = True
    is_explained: bool = True
    """Whether it is legal, or explained by one misplaced or miscounted checker."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is concluded."""

    log_evidence: float
    """The log-probability of all observations, by which rival histories are compared."""


@dataclass(frozen=True, slots=True)
class NothingYet(Verdict):
    """The position is still the one before the turn."""

    p: float
    candidates: tuple[Candidate, ...] = ()
    """Plays that are not ruled out."""


@dataclass(frozen=True, slots=True)
class Played(Verdict):
    """A legal play, beyond reasonable doubt."""

    best: Candidate
    alternatives: tuple[Candidate, ...] = ()


@dataclass(frozen=True, slots=True)
class Unsure(Verdict):
    """Plays of which none is certain, most probable first.

    A play that breaks a rule comes first only if no legal play is left.
    """

    candidates: tuple[Candidate, ...]
    nothing_p: float
    """The probability that nothing was played."""
    illegal_p: float
    """The probability that a rule was broken."""


@dataclass(frozen=True, slots=True)
class Illegal(Verdict):
    """No legal play, by two kinds of evidence: what was counted and what has changed."""

    best: Candidate
    alternatives: tuple[Candidate, ...]
    """Legal plays that are not ruled out."""
    rule: Sentence
    """The rule that was broken."""
    legal_plays: int
    rivals: tuple[Illegal, ...] = ()
    """Other illegal results that are not ruled out."""


def best_candidate(verdict: Verdict) -> Candidate | None:
    """The play that the verdict puts first; None if nothing was played."""
    match verdict:
        case Played(best=best) | Illegal(best=best):
            return best
        case Unsure(candidates=(first, *_)):
            return first
        case _:
            return None


def alternatives_to_best(verdict: Verdict) -> tuple[Candidate, ...]:
    """The other plays that the verdict leaves possible; none if nothing was played."""
    match verdict:
        case Illegal(alternatives=others, rivals=rivals):
            return (*(rival.best for rival in rivals), *others)
        case Played(alternatives=others) | Unsure(candidates=(_, *others)):
            return tuple(others)
        case _:
            return ()


def scaled_by(verdict: Verdict, share: float) -> Verdict:
    """The verdict if its history has probability `share`; a `Played` may become `Unsure`."""
    match verdict:
        case NothingYet(p=p):
            return replace(verdict, p=p * share)
        case Played(best=best, alternatives=others) if best.p * share < MIN_PLAY_POSTERIOR:
            scaled = replace(best, p=best.p * share)
            return Unsure(verdict.log_evidence, (scaled, *others), 0.0, 0.0)
        case Played(best=best) | Illegal(best=best):
            return replace(verdict, best=replace(best, p=best.p * share))
        case Unsure(candidates=candidates):
            each = tuple(replace(one, p=one.p * share) for one in candidates)
            return replace(verdict, candidates=each)
        case _:
            return verdict


def interpretations(verdict: Verdict) -> Iterator[tuple[Verdict, float]]:
    """What the verdict leaves possible, each as a verdict that puts it first, with its probability.

    The first is the verdict itself.
    """
    log_evidence, nothing_p = verdict.log_evidence, 0.0
    match verdict:
        case NothingYet(p=p, candidates=plays):
            yield verdict, p
            nothing_p = p
        case Played(best=best, alternatives=others) | Illegal(best=best, alternatives=others):
            yield verdict, best.p
            if isinstance(verdict, Illegal):
                yield from ((rival, rival.best.p) for rival in verdict.rivals)
            plays = (best, *others)
        case Unsure(candidates=plays, nothing_p=nothing_p):
            yield verdict, plays[0].p if plays else 0.0
            if nothing_p:
                yield NothingYet(log_evidence, nothing_p, plays), nothing_p
        case _:
            return
    start = 0 if isinstance(verdict, NothingYet) else 1
    for n, play in enumerate(plays[start:], start=start):
        rest = (*plays[:n], *plays[n + 1 :])
        yield Unsure(log_evidence, (play, *rest), nothing_p, 0.0), play.p


def judge(
    position: Position,
    side: Side,
    evidence: PositionEvidence,
    rules: Rules,
    rolls: Floats,
    nothing: float,
    *,
    only_legal: bool = False,
    most_tried: int = MOST_TRIED,
) -> Verdict:
    """The verdict on a turn of `side` from `position`.

    rolls: (21,) log-probabilities, in `ALL_ROLLS` order; nothing: the log-prior that no play was
    made; only_legal: whether it is known that no rule was broken; most_tried: results to try of
    doubles that have too many to list.
    """
    turn = _JudgedTurn(position, side, rules, rolls, find_outcomes(position, side, rules))
    if turn.outcomes.unlisted:
        turn = _with_unlisted(turn, evidence, nothing, most_tried)
    posterior = _posterior(turn, evidence, nothing, only_legal=only_legal)
    log_evidence, nothing_p = posterior.log_evidence, posterior.nothing
    candidates = tuple(_legal_candidates(turn, posterior))
    first = next((one.position for one in candidates), None)
    best_p = sum(one.p for one in candidates if one.position == first)
    illegal_p = float(posterior.illegal.sum())
    if nothing_p >= max(best_p, illegal_p, posterior.rest):
        return NothingYet(log_evidence, nothing_p, candidates)
    illegal = tuple(_illegal_candidates(turn, posterior))
    if illegal and illegal_p > best_p:
        legal_p = best_p + posterior.rest
        is_likelier = illegal[0].p >= MIN_ILLEGAL_SHARE * (illegal[0].p + legal_p)
        if turn.is_roll_known and is_likelier and _is_witnessed(turn, posterior, evidence):
            return _illegal_verdict(turn, posterior, illegal, candidates)
        if illegal_p > MIN_ILLEGAL_POSTERIOR:
            return Unsure(log_evidence, (*illegal, *candidates), nothing_p, illegal_p)
    if illegal and candidates and illegal[0].p >= MIN_ILLEGAL_ALTERNATIVE:
        others = sorted((illegal[0], *candidates[1:]), key=lambda one: -one.p)
        candidates = (candidates[0], *others)
    if candidates and candidates[0].p >= MIN_PLAY_POSTERIOR:
        return Played(log_evidence, candidates[0], candidates[1:])
    if not candidates and not illegal:
        return NothingYet(log_evidence, nothing_p)
    return Unsure(log_evidence, candidates or illegal, nothing_p, illegal_p)


@dataclass(frozen=True, slots=True, eq=False)
class _JudgedTurn:
    """What is known about a turn before its result is observed."""

    position: Position
    side: Side
    rules: Rules
    rolls: Floats
    """(21,) log-probabilities."""
    outcomes: Outcomes
    log_rest: float = -np.inf
    """The log-probability of legal results that were neither listed nor found, at most."""
    refused: frozenset[tuple[int, SideVector]] = frozenset()
    """Doubles that were not listed, and boards of the mover to which they do not lead."""

    @property
    def likeliest_roll(self) -> int:
        return int(self.rolls.argmax())

    @property
    def is_roll_known(self) -> bool:
        return bool(self.rolls.max() >= np.log(MIN_KNOWN_ROLL_POSTERIOR))


@dataclass(frozen=True, slots=True, eq=False)
class _Posterior:
    """Probabilities of all hypotheses in one judgment."""

    legal: Floats
    """(N,) one for each row of the turn's outcomes."""
    nothing: float
    illegal_cells: Ints
    """(M, 28) results to which no play of the roll leads."""
    illegal: Floats
    """(M,) their probabilities."""
    is_explained: Mask
    """(M,) whether exactly one checker is misplaced or miscounted."""
    log_evidence: float
    rest: float = 0.0
    """The probability of legal results that were neither listed nor found, at most."""

    @property
    def best_illegal(self) -> int:
        return int(self.illegal.argmax())


def _with_unlisted(
    turn: _JudgedTurn, evidence: PositionEvidence, nothing: float, most_tried: int
) -> _JudgedTurn:
    """The turn with the likeliest results of the doubles that have too many to list."""
    outcomes, before, share = turn.outcomes, turn.outcomes.before, -log(MOST_LISTED)
    has_moved = float(np.log1p(-np.exp(nothing)))
    fit = evidence.score(outcomes.cells, before, outcomes.rolls)
    listed = fit + turn.rolls[outcomes.rolls] + outcomes.shares
    unmoved = nothing + float(evidence.score(before[None], before)[0])
    known = float(np.logaddexp.reduce([*(listed + has_moved), unmoved]))
    tried = try_likeliest(
        Fillings.of(turn.position, turn.side, evidence.main),
        turn.position, turn.side, turn.rules,
        {roll: float(turn.rolls[roll]) + share + has_moved for roll in outcomes.unlisted},
        known,
        most_tried,
    )  # fmt: skip
    found = replace(
        outcomes,
        cells=np.vstack([outcomes.cells, tried.cells]),
        rolls=np.concatenate([outcomes.rolls, tried.rolls]),
        shares=np.concatenate([outcomes.shares, np.full(len(tried.rolls), share)]),
    )
    return replace(turn, outcomes=found, log_rest=tried.log_rest, refused=tried.refused)


def _posterior(
    turn: _JudgedTurn, evidence: PositionEvidence, nothing: float, *, only_legal: bool
) -> _Posterior:
    outcomes, before = turn.outcomes, turn.outcomes.before
    fit = evidence.score(outcomes.cells, before, outcomes.rolls)
    legal = fit + turn.rolls[outcomes.rolls] + outcomes.shares + np.log1p(-np.exp(nothing))
    unmoved = nothing + float(evidence.score(before[None], before)[0])
    cells, is_explained = np.empty((0, len(before)), np.int64), np.empty(0, np.bool_)
    if not only_legal:
        cells, is_explained = _illegal_results(turn, legal, evidence)
    prior = _illegal_log_priors(turn, cells, is_explained)
    is_explained = prior != UNEXPLAINED_LOG_PRIOR
    illegal = prior + evidence.score(cells, before)
    joint = np.concatenate([legal, illegal, [unmoved]])
    log_evidence = float(np.logaddexp.reduce(joint))
    total = np.logaddexp(log_evidence, turn.log_rest)
    p, n, rest = np.exp(joint - total), len(legal), float(np.exp(turn.log_rest - total))
    return _Posterior(p[:n], float(p[-1]), cells, p[n:-1], is_explained, log_evidence, rest)


def _illegal_results(
    turn: _JudgedTurn, legal: Floats, evidence: PositionEvidence
) -> tuple[Ints, Mask]:
    """(M, 28) results that no play of the likeliest roll gives; whether one checker did it."""
    outcomes = turn.outcomes
    # A result of another roll is not a misplaced checker but a misread die, with its own prior.
    is_of_roll = outcomes.rolls == turn.likeliest_roll
    if not turn.is_roll_known:
        is_of_roll[:] = True
    fits = np.where(is_of_roll, legal, -np.inf)
    order = np.argsort(fits)[::-1][:MAX_BASES]
    order = order[np.isfinite(fits[order])]
    bases, _ = distinct_rows(np.vstack([outcomes.cells[order], outcomes.before]))
    misplaced = with_misplaced_checker(bases, turn.side, evidence.main, MAX_MISPLACED)
    whole = most_probable(evidence.main.table, turn.position)
    cells = np.vstack([whole[None], misplaced])
    # Whoever hits moves a checker of his own.
    own, unmoved = own_counts(cells, turn.position, turn.side), turn.position.of(turn.side)
    is_own_moved = (own != unmoved).any(axis=1)
    is_explained = (np.arange(len(cells)) > 0) & is_own_moved
    allowed = np.vstack([outcomes.cells[is_of_roll], outcomes.before])
    is_illegal = ~np.isin(row_hashes(cells), row_hashes(allowed))
    is_illegal &= ~_may_be_unlisted(turn, cells)
    is_illegal[0] &= not (cells[1:] == cells[0]).all(axis=1).any()
    return cells[is_illegal], is_explained[is_illegal]


def _may_be_unlisted(turn: _JudgedTurn, cells: Ints) -> Mask:
    """(M,) whether (M, 28) `cells` may be results of a double that was not listed."""
    may = np.zeros(len(cells), np.bool_)
    for roll in turn.outcomes.unlisted:
        if turn.is_roll_known and roll != turn.likeliest_roll:
            continue
        fits = may_result(cells, turn.position, turn.side, roll, turn.rules)
        own = own_counts(cells[fits], turn.position, turn.side)
        fits[fits] = [(roll, tuple(one)) not in turn.refused for one in own.tolist()]
        may |= fits
    return may


def _illegal_log_priors(turn: _JudgedTurn, cells: Ints, is_explained: Mask) -> Floats:
    """(M,) log-priors of results to which the likeliest roll does not lead."""
    outcomes = turn.outcomes
    prior = np.where(is_explained, MISPLACED_LOG_PRIOR, UNEXPLAINED_LOG_PRIOR)
    similar = np.flatnonzero(_SHARES_A_DIE[turn.likeliest_roll, outcomes.rolls])
    is_result = row_hashes(cells)[:, None] == row_hashes(outcomes.cells[similar])
    for n in np.flatnonzero(is_result.any(axis=1)):
        shares = outcomes.shares[similar[is_result[n]]]
        prior[n] = MISCOUNTED_LOG_PRIOR + np.logaddexp.reduce(shares)
    return prior


def _illegal_candidates(turn: _JudgedTurn, posterior: _Posterior) -> Iterator[Candidate]:
    """The most probable illegal result, then others by one checker that are not ruled out."""
    p = posterior.illegal
    if not len(p):
        return
    best, roll = posterior.best_illegal, turn.likeliest_roll
    is_likely = p >= max(MIN_RIVAL_ODDS * p[best], MIN_ILLEGAL_ALTERNATIVE)
    others = np.flatnonzero(posterior.is_explained & is_likely)
    ranked = others[np.argsort(-p[others])]
    for index in (best, *ranked[ranked != best][:MAX_RIVALS]):
        after = position_of(posterior.illegal_cells[index], turn.position.course)
        play = moves_between(turn.position, after, turn.side)
        roll_p = float(np.exp(turn.rolls[roll]))
        yield Candidate(
            after,
            play,
            ALL_ROLLS[roll],
            float(p[index]),
            roll_p,
            legal=False,
            is_explained=bool(posterior.is_explained[index]),
        )


def _illegal_verdict(
    turn: _JudgedTurn,
    posterior: _Posterior,
    illegal: tuple[Candidate, ...],
    candidates: tuple[Candidate, ...],
) -> Illegal:
    position, side, rules = turn.position, turn.side, turn.rules
    count = count_plays(position, side, illegal[0].roll, rules)
    first, *rivals = (
        Illegal(posterior.log_evidence, one, candidates, rule, count)
        for one in illegal
        for rule in (why_illegal(position, side, one.roll, one.position, rules, one.play),)
    )
    return replace(first, rivals=tuple(rivals))


def _legal_candidates(turn: _JudgedTurn, posterior: _Posterior) -> Iterator[Candidate]:
    """The legal results by probability, each with the roll that best explains it.

    Where a double leaves moves over or gives another roll, a result of a double is another one than
    the same result of another roll, unless the game is over.
    """
    likely = np.flatnonzero(posterior.legal > _MIN_ROW)
    if not len(likely):
        return
    cells, rolls = turn.outcomes.cells[likely], turn.outcomes.rolls[likely]
    legal, doubles = posterior.legal[likely], turn.rules.doubles
    matters = doubles.rolls_again or doubles.passing is not LeftoverMoves.NOTHING
    own = cells * (1 if turn.side is Side.LIGHT else -1)
    is_over = (own[:, :LIGHT_OFF] <= 0).all(axis=1)  # then no double matters any more
    kinds = _IS_DOUBLE[rolls] & matters & ~is_over
    results, index = distinct_rows(np.c_[cells, kinds])
    p = np.bincount(index, legal, len(results))
    for n in np.argsort(p)[::-1][:MAX_CANDIDATES]:
        if p[n] <= MIN_CANDIDATE:
            return
        rows = np.flatnonzero(index == n)
        row = rows[legal[rows].argmax()]
        roll = ALL_ROLLS[rolls[row]]
        after = position_of(results[n, :CELLS], turn.position.course)
        found = find_play_cached(turn.position, turn.side, roll, after, turn.rules)
        play = moves_between(turn.position, after, turn.side) if found is None else found.play
        of_position = p[(results[:, :CELLS] == results[n, :CELLS]).all(axis=1)].sum()
        roll_p = float(legal[row] / of_position)
        yield Candidate(after, play, roll, float(p[n]), roll_p)


def _is_witnessed(turn: _JudgedTurn, posterior: _Posterior, evidence: PositionEvidence) -> bool:
    """Whether counts and changes of places both prefer the illegal result.

    Views of one position share its glare and any error of the board's pose: that two of them agree
    in what they count is one kind of evidence. Where no pictures were compared, there is no other.
    In a deep shadow both kinds may fail at one place, so that the counts must also be those of the
    illegal result, not merely closer to it.
    """
    if all(_contradicts(turn, posterior, view) for view in evidence.views):
        return False
    counts = (replace(view, change=np.zeros_like(view.change)) for view in evidence.views)
    changes = (replace(view, table=np.zeros_like(view.table)) for view in evidence.views)
    ahead = np.vstack([turn.outcomes.before, *(one.followed for one in evidence.ahead)])
    return all(
        any(_prefers_illegal(turn, posterior, view, ahead) for view in kind)
        for kind in (counts, changes)
    )


def _contradicts(turn: _JudgedTurn, posterior: _Posterior, view: PositionView) -> bool:
    """Whether `view` reads otherwise where the illegal result differs from the best legal one."""
    illegal = posterior.illegal_cells[posterior.best_illegal]
    differs = np.flatnonzero(illegal != turn.outcomes.cells[posterior.legal.argmax()])
    read, table = illegal[differs] + CHECKERS, view.table[differs]
    return bool((table[np.arange(len(differs)), read] < table.max(axis=1) - MIN_WITNESS_NATS).any())


def _prefers_illegal(
    turn: _JudgedTurn, posterior: _Posterior, view: PositionView, others: Ints
) -> bool:
    """Whether `view` prefers the illegal result to every legal one, and to these (N, 28) cells."""
    outcomes, illegal = turn.outcomes, posterior.illegal_cells[posterior.best_illegal]
    handicap = turn.rolls[outcomes.rolls] - turn.rolls.max()
    before = outcomes.before
    witnessed = float(view.score(illegal[None], before)[0]) - MIN_WITNESS_NATS
    best = (view.score(outcomes.cells, before) + handicap).max()
    # A board with nothing moved may be closer to one misplaced checker than to any play.
    best = max(best, view.score(others, before).max())
    return bool(witnessed > best and witnessed > _max_unlisted(turn, view))


def _max_unlisted(turn: _JudgedTurn, view: PositionView) -> float:
    """The score by `view` that no result of a double that was not listed exceeds."""
    if not turn.outcomes.unlisted:
        return -np.inf
    fillings, best = Fillings.of(turn.position, turn.side, view), turn.rolls.max()
    return view.max_score + max(
        fillings.max_score(chain_totals(ALL_ROLLS[roll].high, turn.rules))
        + float(turn.rolls[roll] - best)
        for roll in turn.outcomes.unlisted
    )
