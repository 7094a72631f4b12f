"""From what was seen and what is legal to a verdict with a probability.

The posterior runs over resulting positions: every legal result of every roll (weighted with
what the dice showed), nothing at all, one checker astray, and any other 15 a side. There is no
prior for strong play: a record must not drift to good plays.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.dice import ALL_ROLLS, Roll
from engine.evidence.likelihood import (
    Cells,
    PositionEvidence,
    PositionView,
    Scores,
    one_astray,
    position_of,
)
from engine.inference.outcomes import Outcomes, find_outcomes, moves_between
from engine.message import Sentence
from engine.play import Play
from engine.position import Position, Side
from engine.rules import Rules
from engine.rules.illegality import why_illegal
from engine.rules.legal import legal_plays

SURE: Final = 0.99
"""Below this a play is somebody's to review."""
ASTRAY: Final = -11.5
"""Log-prior of one certain illegal result: about one turn in 3,000 breaks a rule with one
checker, shared among the some 30 likeliest results of that kind."""
MISCOUNTED: Final = -10.0
"""Log-prior of playing one certain other roll that shares a die with the one thrown, instead of a
slip of the hand: one turn in 2,000, shared among the ten such rolls. The results of a roll share it
as they share a roll that was misread, so only the dice weigh the one against the other."""
REPAIR: Final = -20.0
"""Log-prior of the one best position that nothing explains."""
BASES: Final = 12
"""Legal results from which a checker may be astray."""
STRAYS: Final = 40
"""Results with a checker astray that are kept."""
AGREES: Final = 1.0
"""Nats by which a view must prefer the illegal result to count as a witness."""
NO_LEGAL_LEFT: Final = 0.95
"""From this probability on, what was seen is recorded for review though no rule allows it."""
ACCUSED: Final = 0.6
"""Odds of the illegal result against the best legal one, as a share, from which a player is told:
a die that is read wrongly is about as common as a rule that is broken."""
RIVAL_SLIP: Final = 0.01
"""Odds against the most probable illegal result from which another one is followed up too ..."""
RIVAL_SLIPS: Final = 3
"""... and how many are at most."""
NOTICED: Final = 1e-4
"""Probability from which on an illegal result is an alternative to a legal one."""
KNOWN_ROLL: Final = 0.5
"""A play is only illegal for a roll at least this certain."""

_SHARES_A_DIE: Final = np.array(
    [
        [one != two and bool({one.high, one.low} & {two.high, two.low}) for two in ALL_ROLLS]
        for one in ALL_ROLLS
    ]
)
"""(21, 21) whether two different rolls have a number in common."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One explanation of what was seen."""

    position: Position
    play: Play
    roll: Roll
    """The most probable of the rolls that lead there."""
    p: float
    roll_p: float
    """The probability of `roll`, given the position."""
    legal: bool = True


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is concluded."""

    evidence: float
    """The log-probability of all that was seen: it lets rival histories be compared."""


@dataclass(frozen=True, slots=True)
class NothingYet(Verdict):
    """The position is still the one before the turn."""

    p: float
    candidates: tuple[Candidate, ...] = ()
    """Plays that are not excluded."""


@dataclass(frozen=True, slots=True)
class Played(Verdict):
    """A legal play, beyond reasonable doubt."""

    best: Candidate
    alternatives: tuple[Candidate, ...] = ()


@dataclass(frozen=True, slots=True)
class Unsure(Verdict):
    """Plays, none of them certain; the most probable first.

    One that breaks a rule is only put first when no legal one is left.
    """

    candidates: tuple[Candidate, ...]
    nothing_p: float
    """The probability that nothing was played."""
    illegal_p: float
    """The probability that a rule was broken."""


@dataclass(frozen=True, slots=True)
class Illegal(Verdict):
    """No legal play, seen in two views or by two kinds of evidence."""

    best: Candidate
    alternatives: tuple[Candidate, ...]
    """Legal plays that are not excluded."""
    rule: Sentence
    """The rule that it breaks."""
    legal_plays: int
    is_slip: bool
    """Whether it is a slip of one checker, not a board that nothing explains."""
    rivals: tuple[Illegal, ...] = ()
    """Other slips that are not excluded."""


@dataclass(frozen=True, slots=True, eq=False)
class _Posterior:
    """Probabilities of all hypotheses of one judgement."""

    outcomes: Outcomes
    legal: Scores
    """(N,) one for each row of `outcomes`."""
    nothing: float
    strays: Cells
    """(M, 28) results that no play of the roll leads to."""
    illegal: Scores
    """(M,)"""
    usual: NDArray[np.bool_]
    """(M,) whether one checker is astray, and nothing else."""
    evidence: float

    @property
    def best_stray(self) -> int:
        return int(self.illegal.argmax())


def judge(
    position: Position,
    side: Side,
    sight: PositionEvidence,
    rules: Rules,
    rolls: Scores,
    nothing: float,
    *,
    by_rules: bool = False,
) -> Verdict:
    """The verdict on a turn of `side` from `position`.

    rolls: (21,) log-probabilities in the order of `ALL_ROLLS`; nothing: the log-probability,
    before the board is looked at, that no play was made; by_rules: whether no rule was broken.
    """
    posterior = _weigh(position, side, sight, rules, rolls, nothing, by_rules=by_rules)
    candidates = tuple(_candidates(posterior, position, side, rules))
    top = candidates[0].p if candidates else 0.0
    illegal = float(posterior.illegal.sum())
    if posterior.nothing >= max(top, illegal):
        return NothingYet(posterior.evidence, posterior.nothing, candidates)
    slips = tuple(_slips(posterior, position, side, rolls))
    broken = slips[0] if slips else None
    if broken is not None and illegal > top:
        roll_known = rolls.max() >= np.log(KNOWN_ROLL)
        is_sure = broken.p >= ACCUSED * (broken.p + top)
        if roll_known and is_sure and _is_witnessed(posterior, sight, rolls):
            count = len(legal_plays(position, side, broken.roll, rules))
            told = [
                Illegal(
                    posterior.evidence,
                    slip,
                    candidates,
                    why_illegal(position, side, slip.roll, slip.position, rules),
                    count,
                    # Only the first may be a board that nothing explains.
                    is_slip=slip is not broken or bool(posterior.usual[posterior.best_stray]),
                )
                for slip in slips
            ]
            return replace(told[0], rivals=tuple(told[1:]))
        if illegal > NO_LEGAL_LEFT:
            return Unsure(posterior.evidence, (*slips, *candidates), posterior.nothing, illegal)
    if broken is not None and candidates and broken.p >= NOTICED:
        candidates = (candidates[0], *_by_chance((broken, *candidates[1:])))
    if top >= SURE:
        return Played(posterior.evidence, candidates[0], candidates[1:])
    return Unsure(posterior.evidence, candidates, posterior.nothing, illegal)


def _by_chance(candidates: Iterable[Candidate]) -> Iterable[Candidate]:
    return sorted(candidates, key=lambda one: -one.p)


def weighed_by(verdict: Verdict, share: float) -> Verdict:
    """The verdict when its history is itself only `share` probable; a Played may get Unsure."""
    match verdict:
        case NothingYet(p=p):
            return replace(verdict, p=p * share)
        case Illegal(best=best):
            return replace(verdict, best=replace(best, p=best.p * share))
        case Played(best=best, alternatives=others) if best.p * share < SURE:
            return Unsure(verdict.evidence, (replace(best, p=best.p * share), *others), 0.0, 0.0)
        case Played(best=best):
            return replace(verdict, best=replace(best, p=best.p * share))
        case Unsure(candidates=candidates):
            scaled = tuple(replace(one, p=one.p * share) for one in candidates)
            return replace(verdict, candidates=scaled)
        case _:
            return verdict


def readings(verdict: Verdict) -> Iterator[tuple[Verdict, float]]:
    """What the verdict leaves open, each as a verdict that puts it first, with its probability.

    The first is the verdict itself.
    """
    evidence = verdict.evidence
    match verdict:
        case NothingYet(p=p, candidates=plays):
            yield verdict, p
            nothing = p
        case Played(best=best, alternatives=others) | Illegal(best=best, alternatives=others):
            yield verdict, best.p
            if isinstance(verdict, Illegal):
                yield from ((rival, rival.best.p) for rival in verdict.rivals)
            plays, nothing = (best, *others), 0.0
        case Unsure(candidates=plays, nothing_p=nothing):
            yield verdict, plays[0].p if plays else 0.0
            if nothing:
                yield NothingYet(evidence, nothing, plays), nothing
        case _:
            return
    start = 0 if isinstance(verdict, NothingYet) else 1
    for n, play in enumerate(plays[start:], start=start):
        rest = (*plays[:n], *plays[n + 1 :])
        yield Unsure(evidence, (play, *rest), nothing, 0.0), play.p


def _weigh(
    position: Position,
    side: Side,
    sight: PositionEvidence,
    rules: Rules,
    rolls: Scores,
    nothing: float,
    *,
    by_rules: bool,
) -> _Posterior:
    outcomes = find_outcomes(position, side, rules)
    before = outcomes.before
    fit = sight.score(outcomes.cells, before)
    legal = fit + rolls[outcomes.rolls] + outcomes.shares + np.log1p(-np.exp(nothing))
    still = nothing + float(sight.score(before[None], before)[0])
    strays, usual = np.empty((0, len(before)), np.int64), np.empty(0, np.bool_)
    if not by_rules:
        strays, usual = _illegal_results(outcomes, legal, side, sight, rolls)
    illegal = _broken_prior(outcomes, rolls, strays, usual) + sight.score(strays, before)
    every = np.concatenate([legal, illegal, [still]])
    evidence = float(np.logaddexp.reduce(every))
    chances = np.exp(every - evidence)
    n = len(legal)
    return _Posterior(
        outcomes, chances[:n], float(chances[-1]), strays, chances[n:-1], usual, evidence
    )


def _illegal_results(
    outcomes: Outcomes, legal: Scores, side: Side, sight: PositionEvidence, rolls: Scores
) -> tuple[Cells, NDArray[np.bool_]]:
    """(M, 28) results that no play of the likeliest roll leads to; which are usual slips."""
    # From what another roll leads to it is no slip but a misread die, which has its own price.
    rolled = outcomes.rolls == rolls.argmax()
    if rolls.max() < np.log(KNOWN_ROLL):
        rolled[:] = True
    own = np.where(rolled, legal, -np.inf)
    order = np.argsort(own)[::-1][:BASES]
    order = order[np.isfinite(own[order])]
    bases = np.unique(np.vstack([outcomes.cells[order], outcomes.before]), axis=0)
    strays = np.vstack([sight.most_probable[None], one_astray(bases, side, sight.main, STRAYS)])
    usual = np.arange(len(strays)) > 0
    allowed = np.vstack([outcomes.cells[rolled], outcomes.before])
    fresh = ~(strays[:, None] == allowed[None]).all(axis=2).any(axis=1)
    fresh[0] &= not (strays[1:] == strays[0]).all(axis=1).any()
    return strays[fresh], usual[fresh]


def _broken_prior(
    outcomes: Outcomes, rolls: Scores, strays: Cells, usual: NDArray[np.bool_]
) -> Scores:
    """(M,) log-priors of results that the likeliest roll does not lead to."""
    prior = np.where(usual, ASTRAY, REPAIR)
    beside = np.flatnonzero(_SHARES_A_DIE[rolls.argmax(), outcomes.rolls])
    for n, stray in enumerate(strays):
        rows = beside[(outcomes.cells[beside] == stray).all(axis=1)]
        if len(rows):
            prior[n] = MISCOUNTED + np.logaddexp.reduce(outcomes.shares[rows])
    return prior


def _slips(
    posterior: _Posterior, position: Position, side: Side, rolls: Scores
) -> Iterator[Candidate]:
    """The most probable result that breaks a rule, then others like it that are not excluded."""
    if not len(posterior.strays):
        return
    roll = int(rolls.argmax())
    best = posterior.best_stray
    likely = posterior.illegal >= max(RIVAL_SLIP * posterior.illegal[best], NOTICED)
    others = np.flatnonzero(posterior.usual & likely)
    ranked = others[np.argsort(-posterior.illegal[others])]
    for index in (best, *ranked[ranked != best][:RIVAL_SLIPS]):
        after = position_of(posterior.strays[index], position.course)
        yield Candidate(
            after,
            moves_between(position, after, side),
            ALL_ROLLS[roll],
            float(posterior.illegal[index]),
            float(np.exp(rolls[roll])),
            legal=False,
        )


def _candidates(
    posterior: _Posterior, position: Position, side: Side, rules: Rules, most: int = 5
) -> Iterator[Candidate]:
    """The legal results by probability, each with the roll that explains it best."""
    cells = posterior.outcomes.cells
    places, which = np.unique(cells, axis=0, return_inverse=True)
    chances = np.bincount(which, posterior.legal, len(places))
    for place in np.argsort(chances)[::-1][:most]:
        if chances[place] <= 1e-6:
            return
        rows = np.flatnonzero(which == place)
        row = rows[posterior.legal[rows].argmax()]
        roll = ALL_ROLLS[posterior.outcomes.rolls[row]]
        result = position_of(places[place], position.course)
        found = legal_plays(position, side, roll, rules).find(result)
        play = moves_between(position, result, side) if found is None else found.play
        share = float(posterior.legal[row] / chances[place])
        yield Candidate(result, play, roll, float(chances[place]), share)


def _is_witnessed(posterior: _Posterior, sight: PositionEvidence, rolls: Scores) -> bool:
    """Whether counts and changes both prefer the illegal result, or two views' counts alone.

    Views of one position share its glare: where pictures were compared, two of them agreeing in
    what they count is still one kind of evidence.
    """
    tables = (replace(view, change=_silent(view.change)) for view in sight.views)
    counted = sum(_prefers(posterior, view, rolls) for view in tables)
    compared = [view for view in sight.views if view.change.any()]
    if not compared:
        return counted > 1
    changes = (replace(view, table=_silent(view.table)) for view in compared)
    return counted > 0 and any(_prefers(posterior, view, rolls) for view in changes)


def _prefers(posterior: _Posterior, view: PositionView, rolls: Scores) -> bool:
    """Whether a view fits the illegal result better than any legal one."""
    stray = posterior.strays[posterior.best_stray][None]
    outcomes = posterior.outcomes
    handicap = rolls[outcomes.rolls] - rolls.max()
    best = (view.score(outcomes.cells, outcomes.before) + handicap).max()
    return bool(view.score(stray, outcomes.before)[0] - AGREES > best)


def _silent(part: NDArray[np.float64]) -> NDArray[np.float64]:
    """As if this part of a view had not been looked at."""
    return np.zeros_like(part)
