"""From which position, and by whom, a turn may have been played.

Usually there is one origin, the recorded position. But the starter of a game may not be known, a
player who is shut out may have passed without rolling, and turns may have passed unseen.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass, replace
from math import log
from typing import Final, NamedTuple

import numpy as np

from engine.arrays import Floats, Ints, distinct_rows
from engine.dice import ALL_ROLLS, Roll
from engine.evidence.likelihood import (
    PositionEvidence,
    PositionView,
    board_cells,
    both_moved,
    position_of,
)
from engine.evidence.observation import CELLS, DARK_BAR, LIGHT_BAR, cell_counts
from engine.evidence.whole_board import contradicting_position
from engine.inference.outcomes import PRIOR, Outcomes, find_outcomes, search_outcomes
from engine.inference.verdict import Candidate
from engine.match.leftover import outcome_of_play
from engine.match.state import MatchState
from engine.play import Play
from engine.position import CHECKERS, Position, Side
from engine.rules import Rules
from engine.rules.legal import find_play, is_legal, list_few_leftover_plays
from engine.turns.evidence import TurnEvidence
from engine.turns.leftover import weigh_leftover
from engine.turns.throw import Throw

STARTER_COLOUR_NATS: Final = log(20)
"""Nats by which the color of the dice indicates the starter; the play says far more."""
LOST_TURN_LOG_PRIOR: Final = -8.0
"""Log-prior that the record has lost a turn and the other side is to move."""
FOUND_MOVER_LOG_PRIOR: Final = -4.0
"""The same after unread turns that led to a position found on the board: with `GAP_NATS`, nobody
knows whose turn it is."""
SILENT_PASS_LOG_PRIOR: Final = log(0.25)
"""Log-prior of a shut-out player not rolling; both customs are common. Below a half, and chosen on
simulated matches so that a roll in the player's own half leaves a pass beyond doubt."""
UNSEEN_TURNS_LOG_PRIOR: Final = -6.0
"""Log-prior that one or two turns before this one passed unseen, as behind somebody's back."""
UNSEEN_LIFT_LOG_PRIOR: Final = log(0.05)
"""Log-prior that dice were picked up and thrown again before anybody looked."""
UNKNOWN_TURNS_LOG_PRIOR: Final = -10.0
"""Log-prior that more turns passed unseen than can be reconstructed."""
WRONG_RECORD_LOG_PRIOR: Final = -5.0
"""Log-prior that a reading that contradicts the record, and adds up, is true: lost turns are that
much rarer than a reading that misplaces checkers."""
MAX_FIRST_PLAYS: Final = 40
"""Number of first plays, of two unseen ones, that are followed up."""
MAX_RISING_FIRST_PLAYS: Final = 8
"""The same where doubles rise: the answers to each take ten times as long to list. Doubles with too
many results to list are not considered among unseen plays."""
MAX_SEQUENCES: Final = 12
"""Number of sequences of unseen plays that are judged."""
MAX_LEFTOVER_UNSEEN: Final = 3
"""Number of ways to make unseen moves left over that are followed up."""
MIN_ROLL_SHARE: Final = 0.9
"""Share of a roll, among those that lead to one result, from which it is recorded."""


@dataclass(frozen=True, slots=True)
class UnseenPlay:
    """A play that nobody saw."""

    side: Side
    play: Play
    position: Position
    roll: tuple[int, int] | None = None
    """The only roll that fits; None if more than one does."""
    is_manual: bool = False
    """Whether it was entered by hand."""


@dataclass(frozen=True, slots=True)
class TurnOrigin:
    """A position, who moves from it, and how probable that is."""

    position: Position
    side: Side
    log_prior: float = 0.0
    is_recorded: bool = True
    """False if the record would be wrong."""
    unseen: tuple[UnseenPlay, ...] = ()
    """Plays before it that are not recorded, oldest first."""
    is_found: bool = False
    """Whether the position is not the recorded one, and it is not known how it came about."""
    is_misrecorded: bool = False
    """Whether it stood there instead of the recorded one when the last turn ended."""


def find_origins(
    state: MatchState, evidence: TurnEvidence, shown: PositionEvidence, rules: Rules
) -> tuple[TurnOrigin, ...]:
    """Every origin consistent with the record, the record's own first.

    shown: what shows the position after the turn.
    """
    assert state.position is not None, "no game has begun"  # noqa: S101
    if state.to_move is None:
        return tuple(_starters(state.position, evidence))
    own = TurnOrigin(state.position, state.to_move, _log_thrown_by(evidence, state.to_move))
    if state.leftover:
        return tuple(_after_leftover(own, state, evidence, shown, rules))
    return (own, *_silent_pass(own, evidence, rules), *_wrong_record(own, evidence))


def find_rival_origins(
    state: MatchState,
    evidence: TurnEvidence,
    position_evidence: PositionEvidence,
    own: TurnOrigin,
    rules: Rules,
) -> Iterator[TurnOrigin]:
    """Origins if turns passed unseen before the one judged, whether or not they can be found."""
    if evidence.throw is None or evidence.first_with_dice is None:
        yield from _after_one_unseen(own, position_evidence.main, evidence, rules)
        return
    shown = evidence.view(evidence.first_with_dice, state.position_at)
    found = (
        *_after_one_unseen(own, shown, evidence, rules),
        *_after_two_unseen(own, shown, evidence, rules),
    )
    yield from found
    if rules.doubles.rolls_again:
        yield from _after_same_double(own, position_evidence.main, evidence, evidence.throw, rules)
    yield from _after_unknown_turns(own, shown, evidence, {one.position for one in found})


def lost_turn_origin(
    own: TurnOrigin, evidence: TurnEvidence, rules: Rules, *, is_found: bool
) -> TurnOrigin:
    """The origin if a turn was lost: the opponent moved instead.

    is_found: whether the position was found on the board, after unread turns.
    """
    other = own.side.other
    log_prior = FOUND_MOVER_LOG_PRIOR if is_found else LOST_TURN_LOG_PRIOR
    log_prior += _log_thrown_by(evidence, other)
    lost = (_pass(own, evidence, rules),)
    return TurnOrigin(own.position, other, log_prior, is_recorded=False, unseen=lost)


def other_starter_origin(own: TurnOrigin, evidence: TurnEvidence) -> TurnOrigin:
    """The origin if the game was begun by the player who did not seem to throw."""
    other = own.side.other
    colour = STARTER_COLOUR_NATS if _thrower(evidence) is own.side else 0.0
    return TurnOrigin(own.position, other, _log_thrown_by(evidence, other) - colour)


def _starters(position: Position, evidence: TurnEvidence) -> Iterator[TurnOrigin]:
    for side in Side:
        colour = STARTER_COLOUR_NATS if side is _thrower(evidence) else 0.0
        yield TurnOrigin(position, side, colour + _log_thrown_by(evidence, side))


def _thrower(evidence: TurnEvidence) -> Side | None:
    return evidence.throw.roller if evidence.throw else None


def _log_thrown_by(evidence: TurnEvidence, side: Side) -> float:
    """The log-probability that dice thrown by `side` lie in this half; 0 if halves tell nothing.

    It counts for every origin, the record's own too: histories in which others threw are compared.
    """
    odds = 1.0 if evidence.throw is None else evidence.throw.odds_of(side, evidence.zone)
    return 0.0 if odds == 1.0 else log(odds / (1 + odds))


def _after_leftover(
    own: TurnOrigin,
    state: MatchState,
    evidence: TurnEvidence,
    shown: PositionEvidence,
    rules: Rules,
) -> Iterator[TurnOrigin]:
    """Ways to move what the opponent's double left, before the own roll is played."""
    periods = [evidence.before_throw, evidence.first_with_dice]
    views = [] if evidence.ahead is None else [evidence.ahead]
    views += [evidence.view(one, state.position_at) for one in periods if one is not None]
    ways = weigh_leftover(state, own.side, views, shown, rules)
    for (play, after), log_p in ways:
        is_owed = own.side is state.first_player and rules.owes_last_throw(after, own.side)
        roller = own.side.other if is_owed else own.side
        log_prior = log_p + _log_thrown_by(evidence, roller)
        yield TurnOrigin(after, roller, log_prior, unseen=(UnseenPlay(own.side, play, after),))
    if not ways:
        yield own


def _pass(own: TurnOrigin, evidence: TurnEvidence, rules: Rules) -> UnseenPlay:
    """The turn in which nothing was seen to move; with its roll, if that was entered and fits."""
    dice = evidence.corrected_rolls.get(0)
    fits = dice and is_legal(own.position, own.side, Roll(*dice), own.position, rules)
    return UnseenPlay(own.side, Play(()), own.position, dice if fits else None)


def _silent_pass(own: TurnOrigin, evidence: TurnEvidence, rules: Rules) -> Iterator[TurnOrigin]:
    if find_outcomes(own.position, own.side, rules).is_shut_out:
        other = own.side.other
        log_prior = SILENT_PASS_LOG_PRIOR + _log_thrown_by(evidence, other)
        unseen = (_pass(own, evidence, rules),)
        yield TurnOrigin(own.position, other, log_prior, unseen=unseen)


def _wrong_record(own: TurnOrigin, evidence: TurnEvidence) -> Iterator[TurnOrigin]:
    """The origin if the record is wrong: the reading when the last turn ended is true."""
    found = None if evidence.memory is None else evidence.memory.contradiction
    if found is not None and found != own.position:
        yield TurnOrigin(
            found,
            own.side,
            WRONG_RECORD_LOG_PRIOR + own.log_prior,
            is_recorded=False,
            is_found=True,
            is_misrecorded=True,
        )


def _after_unknown_turns(
    own: TurnOrigin, shown: PositionView, evidence: TurnEvidence, reached: Container[Position]
) -> Iterator[TurnOrigin]:
    """Origins if more turns were lost than can be found: what is shown is the position."""
    found = contradicting_position(shown.table, own.position)
    if found is None or found in reached or not both_moved(own.position, found):
        return
    for side in Side:
        log_prior = UNKNOWN_TURNS_LOG_PRIOR + _log_thrown_by(evidence, side)
        yield TurnOrigin(found, side, log_prior, is_recorded=False, is_found=True)


def _after_one_unseen(
    own: TurnOrigin, shown: PositionView, evidence: TurnEvidence, rules: Rules
) -> Iterator[TurnOrigin]:
    """Origins after one play by the side to move; `shown` may show the opponent's answer too."""
    results = _Results.of(search_outcomes(own.position, own.side, rules), _unseen(evidence, 0))
    for n in _most_promising(results, own.side, shown)[:MAX_SEQUENCES]:
        log_prior = float(results.log_priors[n])
        for way in _ways_on(results, n, own.position, own.side, shown, rules):
            yield _after(evidence, way.plays, log_prior + way.log_share, way.mover)


def _after_same_double(
    own: TurnOrigin, shown: PositionView, evidence: TurnEvidence, throw: Throw, rules: Rules
) -> Iterator[TurnOrigin]:
    """Origins if the player rolled this double, played it and rolled it again.

    Dice that were not seen to be picked up, and show the same not far away, may pass for pushed.
    """
    results = _Results.of(search_outcomes(own.position, own.side, rules), throw.rolls())
    for n in _most_promising(results, own.side, shown)[:MAX_SEQUENCES]:
        again = UNSEEN_LIFT_LOG_PRIOR + float(PRIOR[results.rolls[n]])
        for way in _ways_on(results, n, own.position, own.side, shown, rules):
            if way.mover is own.side:
                log_prior = own.log_prior + float(results.log_priors[n]) + way.log_share + again
                yield TurnOrigin(
                    way.position, own.side, log_prior, is_recorded=False, unseen=way.plays
                )


def _after_two_unseen(
    own: TurnOrigin, shown: PositionView, evidence: TurnEvidence, rules: Rules
) -> Iterator[TurnOrigin]:
    """Origins after a play by each side that together lead to what `shown` shows."""
    before = cell_counts(own.position)
    first = _Results.of(search_outcomes(own.position, own.side, rules), _unseen(evidence, 0))
    found = []
    for n in _most_promising(first, own.side, shown)[: _most_first_plays(rules)]:
        for way in _ways_on(first, n, own.position, own.side, shown, rules):
            rolls = _unseen(evidence, len(way.plays))
            second = _Results.of(search_outcomes(way.position, way.mover, rules), rolls)
            log_priors = first.log_priors[n] + way.log_share + second.log_priors
            scores = log_priors + shown.score(second.cells, before)
            best = int(scores.argmax())
            found.append((float(scores[best]), float(log_priors[best]), way, best, second))
    found.sort(key=lambda one: -one[0])
    for _, log_prior, way, best, second in found[:MAX_SEQUENCES]:
        for on in _ways_on(second, best, way.position, way.mover, shown, rules):
            yield _after(evidence, way.plays + on.plays, log_prior + on.log_share, on.mover)


def _unseen(evidence: TurnEvidence, number: int) -> Floats:
    """(21,) log-probabilities of the roll after so many unseen plays: any, unless corrected."""
    return Throw((), 0.0, 0, known_roll=evidence.corrected_rolls.get(number)).rolls()


def answered_plays(
    own: TurnOrigin,
    shown: PositionView,
    rolls: Floats,
    rules: Rules,
    glimpses: tuple[PositionView, ...] = (),
) -> tuple[tuple[float, Candidate], ...]:
    """The plays of a turn, if the opponent has answered each by the time of `shown`.

    Each comes with its log-probability together with the observations; its candidate has no `p`.
    rolls: (21,) log-probabilities of the turn's roll; glimpses: views before the answer.
    """
    side, before = own.side, cell_counts(own.position)
    first = _Results.of(search_outcomes(own.position, side, rules), rolls)
    found = []
    for n in _most_promising(first, side, shown)[: _most_first_plays(rules)]:
        ways = list(_ways_on(first, n, own.position, side, shown, rules))
        if not ways:
            continue
        answered = np.logaddexp.reduce([_answered_score(one, shown, before, rules) for one in ways])
        seen = sum(float(v.glimpse_score(first.cells[n][None], before)[0]) for v in glimpses)
        log_p = float(answered) + float(first.log_priors[n]) + seen
        made, roll, roll_p = ways[0].plays[0], ALL_ROLLS[first.rolls[n]], float(first.shares[n])
        found.append((log_p, Candidate(made.position, made.play, roll, 0.0, roll_p)))
    return tuple(sorted(found, key=lambda one: -one[0]))


def _answered_score(way: _WayOn, shown: PositionView, before: Ints, rules: Rules) -> float:
    """The log-probability of `way` and of `shown`, whatever was played next."""
    answers = _Results.of(search_outcomes(way.position, way.mover, rules))
    scores = answers.log_priors + shown.score(answers.cells, before) - shown.max_score
    return way.log_share + float(np.logaddexp.reduce(scores))


def _most_first_plays(rules: Rules) -> int:
    return MAX_RISING_FIRST_PLAYS if rules.doubles.rising else MAX_FIRST_PLAYS


class _WayOn(NamedTuple):
    """How a game may have gone on with an unseen play, up to the next roll."""

    plays: tuple[UnseenPlay, ...]
    """That play, and the moves that it left to the opponent."""
    mover: Side
    """Who rolls next."""
    log_share: float
    """The log-probability of this way, given the play."""

    @property
    def position(self) -> Position:
        """The board at that roll."""
        return self.plays[-1].position


def _ways_on(
    results: _Results, n: int, before: Position, side: Side, shown: PositionView, rules: Rules
) -> Iterator[_WayOn]:
    """The ways on after the n-th result of an unseen turn of `side`.

    Only after its likeliest roll may the player roll again, or the opponent have moves to make.
    """
    made, roll = results.play(n, before, side, rules), results.roll(n)
    share, dice = float(results.shares[n]), (roll.high, roll.low)
    left, again = outcome_of_play(before, side, dice, made.position, rules)
    rolled = replace(made, roll=dice)
    if again:
        yield _WayOn((rolled,), side, log(share))
    for moved, log_p in _leftover_unseen(made.position, side.other, left, shown, rules):
        yield _WayOn((rolled, moved), side.other, log(share) + log_p)
    if not (again or left):
        yield _WayOn((made,), side.other, 0.0)
    elif share < 1:
        yield _WayOn((made,), side.other, log(1 - share))


def _leftover_unseen(
    position: Position, side: Side, left: tuple[int, ...], shown: PositionView, rules: Rules
) -> Iterator[tuple[UnseenPlay, float]]:
    """The ways to make moves left over that `shown` fits best, with their log-probabilities.

    Those with too many ways to list are not considered among unseen plays.
    """
    ways = list_few_leftover_plays(position, side, left, rules) if left else None
    if ways is None:
        return
    cells = board_cells(ways.results, side, position.course)
    scores = shown.score(cells, cell_counts(position))
    for n in np.argsort(-scores, kind="stable")[:MAX_LEFTOVER_UNSEEN].tolist():
        play, after = ways[n]
        yield UnseenPlay(side, play, after), -log(len(ways))


def _after(
    evidence: TurnEvidence, plays: tuple[UnseenPlay, ...], log_prior: float, mover: Side
) -> TurnOrigin:
    log_prior = UNSEEN_TURNS_LOG_PRIOR + log_prior + _log_thrown_by(evidence, mover)
    return TurnOrigin(plays[-1].position, mover, log_prior, is_recorded=False, unseen=plays)


@dataclass(frozen=True, slots=True, eq=False)
class _Results:
    """The distinct results of one turn."""

    cells: Ints
    """(N, 28) cells."""
    log_priors: Floats
    """(N,)"""
    rolls: Ints
    """(N,) the likeliest roll, an index into `ALL_ROLLS`."""
    shares: Floats
    """(N,) its share among all rolls that lead there."""

    @classmethod
    def of(cls, outcomes: Outcomes, rolls: Floats = PRIOR) -> _Results:
        """The results of `outcomes`; rolls: (21,) log-probabilities."""
        cells, index = distinct_rows(outcomes.cells)
        p = np.exp(rolls[outcomes.rolls] + outcomes.shares)
        sums = np.bincount(index, p, len(cells))
        order = np.argsort(p, kind="stable")
        best = np.zeros(len(cells), np.int64)
        best[index[order]] = order  # of equal results the last stays: the likeliest
        return cls(cells, np.log(sums), outcomes.rolls[best], p[best] / sums)

    def roll(self, n: int) -> Roll:
        """The likeliest roll that leads to the n-th result."""
        return ALL_ROLLS[int(self.rolls[n])]

    def play(self, n: int, before: Position, side: Side, rules: Rules) -> UnseenPlay:
        """The play that leads to the n-th result."""
        after, roll = position_of(self.cells[n], before.course), self.roll(n)
        found = find_play(before, side, roll, after, rules)
        assert found is not None, "a result of this roll"  # noqa: S101
        is_only = self.shares[n] > MIN_ROLL_SHARE
        return UnseenPlay(side, found.play, after, (roll.high, roll.low) if is_only else None)


def _most_promising(results: _Results, side: Side, shown: PositionView) -> list[int]:
    """The results, ordered by how well `side`'s checkers can fit at best, whatever followed.

    A blot of `side` may have been hit, in which case its bar holds more.
    """
    sign, bar = (1, LIGHT_BAR) if side is Side.LIGHT else (-1, DARK_BAR)
    own = np.clip(results.cells * sign, 0, CHECKERS)
    table = shown.table if sign > 0 else shown.table[:, ::-1]
    best = table[:, CHECKERS:].copy()
    best[:, 0] = table[:, : CHECKERS + 1].max(axis=1)
    best[:, 1] = np.maximum(best[:, 1], best[:, 0])
    best[bar] = np.maximum.accumulate(table[bar, CHECKERS:][::-1])[::-1]
    bounds = best[np.arange(CELLS), own].sum(axis=1) + results.log_priors
    return np.argsort(-bounds).tolist()  # type: ignore[no-any-return]
