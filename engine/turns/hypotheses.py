"""The hypothesis about a turn that the evidence supports best, and the event for its play.

A hypothesis is an origin (`engine/turns/origins.py`) and a verdict on the play from it. Rivals are
judged in the same way and weighed by the probability of their evidence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import exp, log
from typing import Final

import numpy as np

from engine.arrays import Floats
from engine.dice import ALL_ROLLS
from engine.events.match import (
    Alternative,
    Dice,
    GameStart,
    IllegalMade,
    PlayMade,
    Uncertainty,
)
from engine.events.record import PositionFound, PositionSet
from engine.evidence.likelihood import (
    Ahead,
    PositionEvidence,
    PositionView,
    has_moved,
)
from engine.evidence.observation import cell_counts
from engine.evidence.still_period import StillPeriod
from engine.inference.outcomes import PRIOR
from engine.inference.unlisted import MOST_TRIED
from engine.inference.verdict import (
    MIN_ILLEGAL_SHARE,
    MIN_KNOWN_ROLL_POSTERIOR,
    MIN_PLAY_POSTERIOR,
    Candidate,
    Illegal,
    Played,
    Unsure,
    Verdict,
    alternatives_to_best,
    best_candidate,
    interpretations,
    judge,
    scaled_by,
)
from engine.match.state import (
    DICE_UNCERTAIN,
    INFERRED,
    PLAY_UNCERTAIN,
    POSITION_UNCERTAIN,
    RECORD_UNCERTAIN,
    MatchState,
    needs_review,
)
from engine.play import Play
from engine.position import Side
from engine.rules import Rules
from engine.rules.house import LeftoverMoves
from engine.rules.illegality import why_illegal
from engine.rules.legal import apply_play, count_plays, is_legal
from engine.timestamp import Timestamp
from engine.turns.bearing_out import is_borne_out
from engine.turns.evidence import TurnEvidence
from engine.turns.leftover import find_ahead
from engine.turns.opening import before_guessed_starter
from engine.turns.origins import (
    UNSEEN_TURNS_LOG_PRIOR,
    TurnOrigin,
    answered_plays,
    find_origins,
    find_rival_origins,
    lost_turn_origin,
    other_starter_origin,
)

MIN_RECORDED_ALTERNATIVE: Final = 1e-4
"""Probability below which alternatives are not recorded."""
MIN_DICE_POSTERIOR: Final = 0.95
"""Posterior below which the dice of a play need review."""
MIN_INFERRED_ODDS: Final = 0.2
"""Odds against the roll that the dice look most like, from which the play may decide the roll: a
die that certainly shows something else was misread, or the play broke a rule."""
MIN_UNSEEN_ROLL_POSTERIOR: Final = 0.9
"""Posterior from which an unseen roll is recorded, if it alone explains the play."""
MAX_RIVAL_MARGIN: Final = 8.0
"""Nats by which a rival may be less probable than the best and still be followed."""
GAP_NATS: Final = 4.0
"""Nats by which lost turns are likelier if the board could not be judged for a while."""
MOST_TRIED_ELSEWHERE: Final = 24
"""Results of long doubles to try from all origins but the turn's own: each takes some milliseconds,
and where the board was lost there are dozens of origins."""
MIN_TURN_LOG_WEIGHT: Final = -14.0
"""Log-probability of a whole turn below which the record may have lost an earlier turn."""
UNWITNESSED_LOG_PRIOR: Final = log(0.05)
"""Handicap of a hypothesis in which a rule was broken without a witness: it must be this much
likelier than all others to be recorded, for review."""
MIN_P: Final = 1e-12
"""Stands in for a probability of 0."""
RECORDED_ROLL_DOUBT: Final = 1e-4
"""Probability that a recorded roll leaves to other rolls once its dice are no longer seen."""
MISSED_REROLL: Final = 0.05
"""Probability that the dice were thrown again while the board could not be judged."""
MIN_AHEAD_ROLL_P: Final = 0.01
"""Probability of a double from which moves that it left over are looked for on the board."""
MIN_MISREAD_P: Final = 1e-6
"""The same where nothing else explains the board: a die that looks certain may be misread."""
RollsFrom = Callable[[TurnOrigin], Floats]
"""(21,) log-probabilities of the roll that was played from an origin."""
_DICE: Final[list[Dice]] = [(roll.high, roll.low) for roll in ALL_ROLLS]


@dataclass(frozen=True, slots=True)
class TurnHypothesis:
    """A verdict on the play from an origin: the best-fitting one, or a rival."""

    origin: TurnOrigin
    verdict: Verdict
    weight: float
    """The log-probability of the observations together with what the verdict puts first."""
    rivals: tuple[TurnHypothesis, ...] = ()
    """What else may have happened, by weight; each verdict puts another play first, or none."""
    p: float = 1.0
    """The probability of what the verdict puts first."""
    is_manual: bool = False
    """Whether the play was entered by hand."""
    follows_gap: bool = False
    """Whether turns may have passed before it while the board could not be judged."""
    ends_in_sight: bool = True
    """Whether the board was seen between the end of the turn and the next throw."""
    deferred: float = 0.0
    """The part of `weight` that counts again when the unseen turns that it assumes are judged."""

    @property
    def best(self) -> Candidate | None:
        """The play that its verdict puts first; None if nothing was played."""
        return best_candidate(self.verdict)

    @property
    def best_p(self) -> float:
        """The probability of that play; 0 if there is none."""
        return 0.0 if self.best is None else self.best.p

    @property
    def explained_p(self) -> float:
        """The probability of that play; 0 if there is none that one player can have made."""
        return 0.0 if self.is_unexplained else self.best_p

    @property
    def is_decided(self) -> bool:
        """Whether it can be recorded immediately, without another observation."""
        return isinstance(self.verdict, Played | Illegal)

    @property
    def is_unexplained(self) -> bool:
        """Whether the board shows neither a legal play nor anything that one player can have done.

        Then turns passed unread. For a broken rule, the roll must be known, no turn may have been
        lost before, and anything that takes more than one slip to explain must be seen at the end
        of the turn, with no checker of the opponent moved.
        """
        best = self.best
        if best is None or best.legal or self.is_manual:
            return False
        if best.roll_p < MIN_KNOWN_ROLL_POSTERIOR or self.follows_gap:
            return True
        before, other = self.origin.position, self.origin.side.other
        is_own = self.ends_in_sight and not has_moved(before, best.position, other)
        return not best.is_explained and not is_own

    @property
    def moves_checkers(self) -> bool:
        """Whether its play moves a checker."""
        return self.best is not None and bool(self.best.play.moves)

    @property
    def may_lack_turns(self) -> bool:
        """Whether turns may have been lost before the one judged."""
        return self.weight < MIN_TURN_LOG_WEIGHT


def weigh_origins(
    evidence: TurnEvidence,
    position_evidence: PositionEvidence,
    origins: tuple[TurnOrigin, ...],
    rules: Rules,
    rolls_from: RollsFrom,
    following: StillPeriod | None = None,
) -> TurnHypothesis:
    """The hypothesis that best explains the observations.

    following: the first view of the next throw, as evidence of who threw next.
    """
    verdicts, weights = [], []
    for origin in origins:
        shown = position_evidence
        if origin.is_misrecorded:
            shown = shown.settled_at(cell_counts(origin.position))
        nothing = evidence.void_log_prior(origin.side, following)
        args = (origin.position, origin.side, shown, rules, rolls_from(origin), nothing)
        most = MOST_TRIED if origin is origins[0] else max(1, MOST_TRIED_ELSEWHERE // len(origins))
        verdict = judge(*args, only_legal=not origin.is_recorded, most_tried=most)
        gap_nats = GAP_NATS if evidence.may_miss_turns and not origin.is_recorded else 0.0
        verdicts.append(verdict)
        weights.append(origin.log_prior + gap_nats + verdict.log_evidence)
    total = float(np.logaddexp.reduce(weights))
    gap, is_seen = evidence.may_miss_turns, evidence.after_lift is not None or evidence.is_ended
    read = [
        [
            replace(
                _hypothesis_of(origin, one, weight, p, total),
                follows_gap=gap,
                ends_in_sight=is_seen,
            )
            for one, p in interpretations(verdict)
        ]
        for origin, verdict, weight in zip(origins, verdicts, weights, strict=True)
    ]
    # Each verdict puts first what may be recorded: one observation does not make a play illegal.
    best = _most_defensible([first for first, *_ in read])
    return _with_rivals(best, (one for each in read for one in each if one is not best))


def _most_defensible(every: Sequence[TurnHypothesis]) -> TurnHypothesis:
    """The likeliest; one in which a rule is broken only if that is likelier from all origins."""
    best = max(every, key=lambda one: one.weight)
    innocent = [one for one in every if not isinstance(one.verdict, Illegal)]
    if not isinstance(best.verdict, Illegal) or not innocent:
        return best
    illegal_p = sum(one.p for one in every if isinstance(one.verdict, Illegal))
    legal_p = sum(one.p for one in innocent)
    if illegal_p >= MIN_ILLEGAL_SHARE * (illegal_p + legal_p):
        return best
    return max(innocent, key=lambda one: one.weight)


def _with_rivals(best: TurnHypothesis, others: Iterable[TurnHypothesis]) -> TurnHypothesis:
    least = best.weight - MAX_RIVAL_MARGIN
    rivals = [replace(one, rivals=()) for one in others if one.weight > least]
    return replace(best, rivals=tuple(sorted(rivals, key=lambda one: -one.weight)))


def _hypothesis_of(
    origin: TurnOrigin, verdict: Verdict, weight: float, p: float, total: float
) -> TurnHypothesis:
    """weight, total: log-probabilities of the observations, for this origin and for all of them."""
    share, best = exp(weight - total), best_candidate(verdict)
    if isinstance(verdict, Unsure) and best is not None and not best.legal:
        weight += UNWITNESSED_LOG_PRIOR
    weight += log(max(p, MIN_P))
    return TurnHypothesis(origin, scaled_by(verdict, share), weight, p=p * share)


def likelier_of(one: TurnHypothesis, other: TurnHypothesis) -> TurnHypothesis:
    """The likelier of two hypotheses, one of which is true; the other is among its rivals."""
    every = [one, *one.rivals, other, *other.rivals]
    weights = np.array([each.weight for each in every])
    shares = np.exp(weights - np.logaddexp.reduce(weights)).tolist()
    normalised = [
        replace(each, p=p, verdict=scaled_by(each.verdict, p / max(each.p, MIN_P)))
        for each, p in zip(every, shares, strict=True)
    ]
    best = max(normalised[0], normalised[1 + len(one.rivals)], key=lambda each: each.weight)
    return _with_rivals(best, (each for each in normalised if each is not best))


def judge_turn(
    state: MatchState,
    evidence: TurnEvidence,
    rules: Rules,
    arrival: StillPeriod | None = None,
    following: StillPeriod | None = None,
) -> TurnHypothesis:
    """The hypothesis about the turn in progress; lost turns are considered only if it is in doubt.

    arrival: the first view of the next throw, as evidence of the position; following: the same, as
    evidence of who threw next.
    """
    position_evidence = evidence.position_evidence(arrival, state.position_at)
    origins = find_origins(state, evidence, position_evidence, rules)
    rolls_from = _rolls_from(state, evidence)
    own, may_show_more = origins[0], evidence.after_lift is not None or arrival is not None
    if may_show_more:
        ahead = _find_ahead(state, position_evidence.main, rolls_from(own), rules)
        position_evidence = replace(position_evidence, ahead=tuple(ahead))
    hypothesis = weigh_origins(evidence, position_evidence, origins, rules, rolls_from, following)
    # If the roll was entered or reported, so was its player: no turn was lost in between.
    is_reported = evidence.throw is None and evidence.is_roll_reported
    may_be_two_turns = rules.doubles.rolls_again and isinstance(hypothesis.verdict, Illegal)
    is_doubtful = hypothesis.may_lack_turns or evidence.may_miss_turns or may_be_two_turns
    if state.to_move is None or not is_doubtful or is_reported:
        return hypothesis
    if may_show_more:
        ahead = _find_ahead(state, position_evidence.main, rolls_from(own), rules, MIN_MISREAD_P)
        position_evidence = replace(position_evidence, ahead=tuple(ahead))
    if before_guessed_starter(state) is not None:
        other = other_starter_origin(own, evidence)
    else:
        other = lost_turn_origin(own, evidence, rules, is_found=_follows_found(state))
    more = find_rival_origins(state, evidence, position_evidence, own, rules)
    rivals = (*origins, other, *more)
    return weigh_origins(evidence, position_evidence, rivals, rules, rolls_from, following)


def _follows_found(state: MatchState) -> bool:
    """Whether nothing has been played since unread turns led to a position found on the board."""
    at: MatchState | None = state
    while at is not None and not isinstance(at.last_event, PlayMade | GameStart | PositionSet):
        if isinstance(at.last_event, PositionFound):
            return True
        at = at.previous
    return False


def judge_from(
    origin: TurnOrigin,
    state: MatchState,
    evidence: TurnEvidence,
    rules: Rules,
    arrival: StillPeriod | None = None,
) -> TurnHypothesis:
    """The hypothesis about the turn in progress if it began there; see `judge_turn`."""
    shown = evidence.position_evidence(arrival, state.position_at)
    return weigh_origins(evidence, shown, (origin,), rules, _rolls_from(state, evidence))


def _find_ahead(
    state: MatchState,
    shown: PositionView,
    rolls: Floats,
    rules: Rules,
    least_p: float = MIN_AHEAD_ROLL_P,
) -> Iterator[Ahead]:
    """What may have followed a double at once: the moves that it left to the opponent.

    least_p: the probability from which a double is considered.
    """
    if rules.doubles.passing is LeftoverMoves.NOTHING or state.leftover:
        return
    if state.position is None or state.to_move is None:
        return
    for roll, log_p in zip(ALL_ROLLS, rolls.tolist(), strict=True):
        if roll.is_double and log_p >= log(least_p):
            yield from find_ahead(state.position, state.to_move, roll, shown, rules)


def judge_answered(
    state: MatchState, evidence: TurnEvidence, rules: Rules, arrival: StillPeriod
) -> TurnHypothesis | None:
    """The hypothesis about a turn whose end nobody saw, if `arrival` also shows the answer to it.

    None if there is no such turn.
    """
    if state.to_move is None or state.leftover or evidence.after_lift is not None:
        return None
    shown = evidence.position_evidence(arrival, state.position_at)
    own = find_origins(state, evidence, shown, rules)[0]
    rolls = known_rolls(state, evidence)
    found = answered_plays(own, shown.main, rolls, rules, shown.new_in_glimpses)
    if not found:
        return None
    log_p = np.array([each for each, _ in found])
    total = float(np.logaddexp.reduce(log_p))
    candidates = tuple(
        replace(one, p=p) for p, (_, one) in zip(np.exp(log_p - total).tolist(), found, strict=True)
    )
    weight = UNSEEN_TURNS_LOG_PRIOR + GAP_NATS + own.log_prior + total
    verdict: Verdict = Unsure(weight, candidates, 0.0, 0.0)
    if candidates[0].p >= MIN_PLAY_POSTERIOR:
        verdict = Played(weight, candidates[0], candidates[1:])
    hypothesis = _hypothesis_of(own, verdict, weight, candidates[0].p, weight)
    return replace(hypothesis, follows_gap=True, ends_in_sight=False)


def manual_hypothesis(
    state: MatchState,
    evidence: TurnEvidence,
    play: Play,
    rules: Rules,
    origin: TurnOrigin | None = None,
) -> TurnHypothesis:
    """The hypothesis that `play`, entered by hand, was played with the roll that was seen.

    If none was seen, it is recorded only if no other fits.

    origin: where it began, if that is not the recorded position.

    Raises `IllegalPlay` if no such move is possible from there.
    """
    if origin is None:
        assert state.position is not None, "no game has begun"  # noqa: S101
        roller = evidence.throw.roller if evidence.throw else None
        origin = TurnOrigin(state.position, state.to_move or roller or Side.LIGHT)
    before, side = origin.position, origin.side
    after = apply_play(before, side, play, rules)
    evidence = evidence.after_plays(len(origin.unseen))
    rolls = known_rolls(state, evidence)
    fits = [n for n, roll in enumerate(ALL_ROLLS) if is_legal(before, side, roll, after, rules)]
    number, roll_p = int(rolls.argmax()), 1.0
    if fits and evidence.throw is None and state.roll is None:
        number = max(fits, key=lambda n: float(rolls[n]))
        roll_p = exp(float(rolls[number] - np.logaddexp.reduce(rolls[fits])))
    roll = ALL_ROLLS[number]
    best = Candidate(after, play, roll, 1.0, roll_p, legal=number in fits)
    verdict: Verdict = Played(0.0, best)
    if not best.legal:
        rule = why_illegal(before, side, roll, after, rules)
        count = count_plays(before, side, roll, rules)
        verdict = Illegal(0.0, best, (), rule, count)
    return TurnHypothesis(origin, verdict, 0.0, is_manual=True)


def _rolls_from(state: MatchState, evidence: TurnEvidence) -> RollsFrom:
    """The rolls as known; by the number of unseen plays, if one of them was corrected by hand."""
    if evidence.corrected_rolls:
        return lambda origin: known_rolls(state, evidence.after_plays(len(origin.unseen)))
    rolls = known_rolls(state, evidence)
    return lambda _: rolls


def known_rolls(state: MatchState, evidence: TurnEvidence) -> Floats:
    """(21,) log-probabilities from the dice on the board, else from the recorded roll."""
    rolls, recorded = evidence.rolls(), state.roll
    if evidence.known_roll is not None:  # no die could have been misread
        return rolls
    if evidence.throw is None and recorded is not None and None not in recorded:
        rolls[:] = log(RECORDED_ROLL_DOUBT / len(ALL_ROLLS))
        rolls[_DICE.index(recorded)] = log(1 - RECORDED_ROLL_DOUBT)
    if evidence.has_gap:
        rolls = np.logaddexp(rolls + log(1 - MISSED_REROLL), PRIOR + log(MISSED_REROLL))
    return rolls


def play_event(
    state: MatchState, hypothesis: TurnHypothesis, evidence: TurnEvidence, when: Timestamp
) -> PlayMade:
    """The event that records the play of a hypothesis; it must have one."""
    verdict, best = hypothesis.verdict, hypothesis.best
    assert best is not None, "nothing was played"  # noqa: S101
    evidence = evidence.after_plays(len(hypothesis.origin.unseen))
    dice, dice_doubt = _dice(best, evidence, known_rolls(state, evidence))
    doubts: dict[Uncertainty, bool] = {
        PLAY_UNCERTAIN: best.p < MIN_PLAY_POSTERIOR or _rests_on_doubtful_roll(state),
        DICE_UNCERTAIN: dice_doubt == DICE_UNCERTAIN,
        INFERRED: dice_doubt == INFERRED,
        RECORD_UNCERTAIN: not hypothesis.origin.is_recorded,
        POSITION_UNCERTAIN: not is_borne_out(state, evidence, best.position),
        "illegal": not best.is_explained,
        "unseen": evidence.has_gap,
    }
    is_manual, play = hypothesis.is_manual, str(best.play)
    uncertainties = () if is_manual else tuple(name for name, holds in doubts.items() if holds)
    alternatives = (
        Alternative(play=str(other.play), confidence=other.p)
        for other in alternatives_to_best(verdict)
        if other.p >= MIN_RECORDED_ALTERNATIVE and str(other.play) != play
    )
    made = PlayMade(
        time=when.time,
        frame=when.frame,
        player=hypothesis.origin.side,
        dice=dice,
        play=play,
        position=best.position,
        legal=best.legal,
        confidence=best.p,
        review=needs_review(uncertainties),
        alternatives=tuple(alternatives),
        uncertainties=uncertainties,
        by="hand" if is_manual else "sight",
    )
    if isinstance(verdict, Illegal):
        return IllegalMade.of(made, verdict.rule, verdict.legal_plays)
    return made


def _rests_on_doubtful_roll(state: MatchState) -> bool:
    """Whether a double in the last turn would have left moves over, or given another roll.

    If it is in doubt whether it was one, so is what this turn began with, or whose it was.
    """
    doubles = state.rules.doubles
    matters = doubles.rolls_again or doubles.passing is not LeftoverMoves.NOTHING
    last = state.current_game_turns[-1:] if matters else ()
    return any(DICE_UNCERTAIN in turn.event.uncertainties for turn in last)


def _dice(best: Candidate, evidence: TurnEvidence, rolls: Floats) -> tuple[Dice | None, str | None]:
    """The dice to record, and which `PlayMade` uncertainty they leave, if any."""
    dice = (best.roll.high, best.roll.low)
    log_p = float(rolls[ALL_ROLLS.index(best.roll)])
    is_likely = log_p >= log(0.5) and best.roll_p >= MIN_DICE_POSTERIOR
    if evidence.throw is None:
        is_unique = best.roll_p >= MIN_UNSEEN_ROLL_POSTERIOR
        return dice if is_unique else None, None if is_likely else DICE_UNCERTAIN
    if is_likely and len(evidence.throw.tracks) == 2:
        return dice, None
    # Given the position: a doubt about that is one of the play, and ends with it.
    is_forced = best.roll_p >= MIN_PLAY_POSTERIOR
    is_plausible = log_p >= float(rolls.max()) + log(MIN_INFERRED_ODDS)
    is_inferred = is_forced and is_plausible and bool(evidence.throw.tracks)
    return dice, INFERRED if is_inferred else DICE_UNCERTAIN
