"""Which hypothesis about a turn the evidence fits best, and the event that records the play.

A hypothesis is an origin, what may have been true when the turn began, and a verdict on the play
from there. Mostly there is one origin; but the starter of a game may not be known, and a player
who is shut out may have passed without rolling. Rivals are judged alike and weighed by their
evidence.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, replace
from math import exp, log
from typing import Final

import numpy as np

from engine.dice import ALL_ROLLS
from engine.events.match import Alternative, Dice, IllegalMade, PlayMade, Uncertainty
from engine.evidence.likelihood import (
    BoardMemory,
    PositionEvidence,
    PositionView,
    Scores,
    both_moved,
)
from engine.evidence.observation import cell_counts
from engine.evidence.still_period import StillPeriod
from engine.inference.missed_turns import MissedPlay, one_missed_turn, two_missed_turns
from engine.inference.outcomes import find_outcomes
from engine.inference.verdict import (
    SURE,
    Candidate,
    Illegal,
    Played,
    Unsure,
    Verdict,
    judge,
    readings,
    weighed_by,
)
from engine.match.state import DICE_UNCERTAIN, INFERRED, PLAY_UNCERTAIN, MatchState, needs_review
from engine.play import Play
from engine.position import Position, Side
from engine.rules import Rules
from engine.rules.illegality import why_illegal
from engine.rules.legal import apply_play, is_legal, leftover_plays, legal_plays
from engine.turns.evidence import TurnEvidence
from engine.turns.opening import before_guessed_starter

ROLLER_TRUST: Final = log(20)
"""Nats by which the colour of the dice shows the starter; the play shows far more."""
LOST_TURN: Final = -8.0
"""Log-prior that the record has lost a turn and the other side is to move."""
SILENT_PASS: Final = log(0.25)
"""Prior of a shut-out player not rolling; both customs are common. Under a half,
and chosen on simulated matches, so that a roll in his own half leaves a pass beyond doubt."""
LEAST_RECORDED: Final = 1e-4
"""Alternatives below this probability are not recorded."""
SURE_DICE: Final = 0.95
"""Below this the dice of a play need review."""
CREDIBLE: Final = 0.2
"""Odds against the roll that the dice look most like, from which on the play may decide the roll:
a die that surely shows something else was misread, or the play broke a rule."""
ROLL_FITS: Final = 0.9
"""An unseen roll is recorded when it alone explains the play with this probability."""
LOST_TURNS: Final = -10.0
"""Log-prior that more turns passed unseen than can be found again."""
WRONG_RECORD: Final = -5.0
"""Log-prior that a reading which contradicts the record, and adds up, is true: so much rarer are
turns that were lost than a reading that misplaces checkers."""
RIVAL_MARGIN: Final = 8.0
"""Nats by which a rival may be less probable than the best and still be followed up."""
GAP_RELIEF: Final = 4.0
"""Nats by which lost turns are likelier where the board could not be judged for a while."""
UNLIKELY: Final = -14.0
"""Log-probability of a whole turn below which the record may have lost one before it."""
UNWITNESSED_FAULT: Final = log(0.05)
"""Handicap of a hypothesis in which a rule was broken that nothing witnesses: so much likelier than
all others it has to be before it is recorded, for review."""
TINY: Final = 1e-12
"""In place of a probability of 0."""
CERTAIN: Final = 1e-4
"""What a recorded roll leaves to the other rolls when its dice are not seen any more."""
_DICE: Final[list[Dice]] = [(roll.high, roll.low) for roll in ALL_ROLLS]


@dataclass(frozen=True, slots=True)
class TurnOrigin:
    """A position, who moves from it, and how probable that is."""

    position: Position
    side: Side
    log_weight: float = 0.0
    is_main: bool = True
    """False where the record would be wrong."""
    missed: tuple[MissedPlay, ...] = ()
    """Plays before it that are not recorded, oldest first."""
    is_found: bool = False
    """Whether the position is not the recorded one, and how it came about is not known."""


@dataclass(frozen=True, slots=True)
class TurnHypothesis:
    """A verdict on the play from an origin: the one that fits best, or a rival."""

    origin: TurnOrigin
    verdict: Verdict
    weight: float
    """The log-probability of what was observed, together with what the verdict puts first."""
    rivals: tuple[TurnHypothesis, ...] = ()
    """What else may have happened, by weight; each verdict puts another play first, or none."""
    p: float = 1.0
    """The probability of what the verdict puts first."""
    is_manual: bool = False
    """Whether the play was entered by hand."""
    deferred: float = 0.0
    """The part of `weight` that counts again when the unseen turns that it assumes are judged."""


def find_origins(state: MatchState, evidence: TurnEvidence, rules: Rules) -> tuple[TurnOrigin, ...]:
    """Every origin that the record leaves open, its own first."""
    assert state.position is not None, "no game has begun"  # noqa: S101
    if state.to_move is None:
        return tuple(_starters(state.position, evidence))
    if state.leftover:
        return tuple(_leftover_origins(state.position, state.to_move, state.leftover, rules))
    own = TurnOrigin(state.position, state.to_move)
    return (own, *_silent_pass(own, evidence, rules), *_drifted_origin(own, evidence))


def _leftover_origins(
    position: Position, side: Side, left: tuple[int, ...], rules: Rules
) -> Iterator[TurnOrigin]:
    """Each way to move what the opponent's double left, before the own roll is played."""
    plays = leftover_plays(position, side, left, rules)
    for play, after in plays:
        made = MissedPlay(side, play, after, None)
        yield TurnOrigin(after, side, -log(len(plays)), missed=(made,))


def lost_turn_origin(origin: TurnOrigin, evidence: TurnEvidence) -> TurnOrigin:
    """The origin if a turn was lost: the opponent moved instead."""
    weight = LOST_TURN + _log_odds_of(evidence, origin.side.other)
    missed = (_pass(origin),)
    return TurnOrigin(origin.position, origin.side.other, weight, is_main=False, missed=missed)


def _pass(origin: TurnOrigin) -> MissedPlay:
    return MissedPlay(origin.side, Play(()), origin.position, None)


def _log_odds_of(evidence: TurnEvidence, side: Side) -> float:
    """The log odds that `side` threw and not the other player, by where the dice lie."""
    return 0.0 if evidence.throw is None else log(evidence.throw.odds_of(side, evidence.zone))


def _starters(position: Position, evidence: TurnEvidence) -> Iterator[TurnOrigin]:
    roller = evidence.throw.roller if evidence.throw else None
    for side in Side:
        pair = ROLLER_TRUST if side is roller else 0.0
        yield TurnOrigin(
            position, side, pair + _log_odds_of(evidence, side) / 2
        )  # the rest to the other


def _other_starter(own: TurnOrigin, evidence: TurnEvidence) -> TurnOrigin:
    """The origin if the game was begun by the player who did not seem to throw."""
    other = own.side.other
    roller = evidence.throw.roller if evidence.throw else None
    weight = _log_odds_of(evidence, other) - (ROLLER_TRUST if roller is own.side else 0.0)
    return TurnOrigin(own.position, other, weight)


def _silent_pass(own: TurnOrigin, evidence: TurnEvidence, rules: Rules) -> Iterator[TurnOrigin]:
    if find_outcomes(own.position, own.side, rules).is_shut_out:
        weight = SILENT_PASS + _log_odds_of(evidence, own.side.other)
        yield TurnOrigin(own.position, own.side.other, weight, missed=(_pass(own),))


def _drifted_origin(own: TurnOrigin, evidence: TurnEvidence) -> Iterator[TurnOrigin]:
    """The record went wrong at some time; what was read when the last turn ended is true."""
    found = None if evidence.memory is None else evidence.memory.stray_position(own.position.course)
    if found is not None and found != own.position:
        yield TurnOrigin(found, own.side, WRONG_RECORD, is_main=False, is_found=True)


def _missed_turn_origins(
    state: MatchState,
    evidence: TurnEvidence,
    position_evidence: PositionEvidence,
    own: TurnOrigin,
    rules: Rules,
) -> Iterator[TurnOrigin]:
    """Origins if turns passed unseen before the one that is judged."""
    if evidence.throw is None or evidence.first_with_dice is None:
        shown = None
        ways = list(one_missed_turn(own.position, own.side, position_evidence.main, rules))
    else:
        shown = evidence.view(evidence.first_with_dice, state.position_at)
        ways = [
            *one_missed_turn(own.position, own.side, shown, rules),
            *two_missed_turns(own.position, own.side, shown, rules),
        ]
    for way in ways:
        last = way.plays[-1]
        weight = way.log_weight + _log_odds_of(evidence, last.side.other)
        yield TurnOrigin(last.position, last.side.other, weight, is_main=False, missed=way.plays)
    if shown is not None:
        reached = {way.plays[-1].position for way in ways}
        yield from _lost_turns_origins(own, shown, evidence, reached)


def _lost_turns_origins(
    own: TurnOrigin, shown: PositionView, evidence: TurnEvidence, reached: Container[Position]
) -> Iterator[TurnOrigin]:
    """Origins if more turns were lost than can be found: what is shown stands."""
    found = BoardMemory.of(shown.table, cell_counts(own.position)).stray_position(
        own.position.course
    )
    if found is None or found in reached or not both_moved(own.position, found):
        return
    for side in Side:
        weight = LOST_TURNS + _log_odds_of(evidence, side) / 2
        yield TurnOrigin(found, side, weight, is_main=False, is_found=True)


def weigh_origins(
    evidence: TurnEvidence,
    position_evidence: PositionEvidence,
    origins: tuple[TurnOrigin, ...],
    rules: Rules,
    rolls: Scores,
    following: StillPeriod | None = None,
) -> TurnHypothesis:
    """The hypothesis that explains best what was observed.

    rolls: (21,) log-probabilities of the roll; following: the first view of the next throw,
    as evidence of who threw next.
    """
    verdicts = []
    for origin in origins:
        nothing = evidence.void_prior(origin.side, following)
        shown = (
            position_evidence.settled_at(cell_counts(origin.position))
            if origin.is_found
            else position_evidence
        )
        args = (origin.position, origin.side, shown, rules, rolls, nothing)
        # Across a gap nobody is accused: turns may have been lost in it.
        by_rules = not origin.is_main or evidence.may_miss_turns
        verdicts.append(judge(*args, by_rules=by_rules))
    relief = GAP_RELIEF if evidence.may_miss_turns else 0.0
    weights = np.array(
        [
            origin.log_weight + (0.0 if origin.is_main else relief) + verdict.evidence
            for origin, verdict in zip(origins, verdicts, strict=True)
        ]
    )
    total = float(np.logaddexp.reduce(weights))
    read = [
        [_hypothesis_of(origin, one, float(weight), p, total) for one, p in readings(verdict)]
        for origin, verdict, weight in zip(origins, verdicts, weights, strict=True)
    ]
    # Each verdict puts first what may be recorded: one observation does not make a play illegal.
    best = max((first for first, *_ in read), key=lambda one: one.weight)
    return _with_rivals(best, (one for each in read for one in each if one is not best))


def _with_rivals(best: TurnHypothesis, others: Iterable[TurnHypothesis]) -> TurnHypothesis:
    rivals = [replace(one, rivals=()) for one in others if one.weight > best.weight - RIVAL_MARGIN]
    rivals.sort(key=lambda one: -one.weight)
    return replace(best, rivals=tuple(rivals))


def _hypothesis_of(
    origin: TurnOrigin, verdict: Verdict, weight: float, p: float, total: float
) -> TurnHypothesis:
    """weight, total: log-probabilities of what was observed, by this origin and by all of them."""
    share, best = exp(weight - total), best_candidate(verdict)
    if isinstance(verdict, Unsure) and best is not None and not best.legal:
        weight += UNWITNESSED_FAULT
    return TurnHypothesis(
        origin, weighed_by(verdict, share), weight + log(max(p, TINY)), p=p * share
    )


def likelier_of(one: TurnHypothesis, other: TurnHypothesis) -> TurnHypothesis:
    """The likelier of two hypotheses of which one is true; the other one is among its rivals."""
    every = [one, *one.rivals, other, *other.rivals]
    weights = np.array([each.weight for each in every])
    shares = np.exp(weights - np.logaddexp.reduce(weights))
    fair = [
        replace(each, p=float(p), verdict=weighed_by(each.verdict, float(p) / max(each.p, TINY)))
        for each, p in zip(every, shares, strict=True)
    ]
    best = max((fair[0], fair[1 + len(one.rivals)]), key=lambda each: each.weight)
    return _with_rivals(best, (each for each in fair if each is not best))


def may_lack_turns(hypothesis: TurnHypothesis) -> bool:
    """Whether turns may have been lost before the one that is judged."""
    return hypothesis.weight < UNLIKELY


def judge_turn(
    state: MatchState,
    evidence: TurnEvidence,
    rules: Rules,
    arrival: StillPeriod | None = None,
    following: StillPeriod | None = None,
) -> TurnHypothesis:
    """The hypothesis on the turn in progress; lost turns are considered only where it is in doubt.

    arrival: the first view of the next throw, as evidence of the position.
    """
    origins, rolls = find_origins(state, evidence, rules), known_rolls(state, evidence)
    position_evidence = evidence.position_evidence(arrival, state.position_at)
    hypothesis = weigh_origins(evidence, position_evidence, origins, rules, rolls, following)
    # Where the roll was entered or reported, so was its player: no turn was lost in between.
    is_reported = evidence.throw is None and evidence.known_roll is not None
    is_doubtful = may_lack_turns(hypothesis) or evidence.may_miss_turns
    if state.to_move is not None and is_doubtful and not is_reported:
        own = origins[0]
        is_guess = before_guessed_starter(state) is not None
        other = _other_starter(own, evidence) if is_guess else lost_turn_origin(own, evidence)
        rivals = (
            *origins,
            other,
            *_missed_turn_origins(state, evidence, position_evidence, own, rules),
        )
        hypothesis = weigh_origins(evidence, position_evidence, rivals, rules, rolls, following)
    return hypothesis


def entered_hypothesis(
    state: MatchState, evidence: TurnEvidence, play: Play, rules: Rules
) -> TurnHypothesis:
    """The hypothesis that `play` was played, as entered by hand, with the roll that was seen.

    `IllegalPlay` if no such move can be made from the position that stands.
    """
    assert state.position is not None, "no game has begun"  # noqa: S101
    roller = evidence.throw.roller if evidence.throw else None
    origin = TurnOrigin(state.position, state.to_move or roller or Side.LIGHT)
    before, side = origin.position, origin.side
    after = apply_play(before, side, play, rules)
    rolls = known_rolls(state, evidence)
    fits = [n for n, roll in enumerate(ALL_ROLLS) if is_legal(before, side, roll, after, rules)]
    number = int(rolls.argmax())
    if fits and evidence.throw is None and state.roll is None:
        number = max(fits, key=lambda n: float(rolls[n]))
    roll = ALL_ROLLS[number]
    best = Candidate(after, play, roll, 1.0, 1.0, legal=number in fits)
    verdict: Verdict = Played(0.0, best)
    if number not in fits:
        rule = why_illegal(before, side, roll, after, rules)
        count = len(legal_plays(before, side, roll, rules))
        verdict = Illegal(0.0, best, (), rule, count, is_slip=True)
    return TurnHypothesis(origin, verdict, 0.0, is_manual=True)


def known_rolls(state: MatchState, evidence: TurnEvidence) -> Scores:
    """(21,) log-probabilities by the dice that lie there, else by the recorded roll."""
    rolls, known = evidence.rolls(), state.roll
    is_reported = evidence.known_roll is not None  # then there is no die that may have been misread
    if evidence.throw is None and not is_reported and known is not None and None not in known:
        rolls[:] = log(CERTAIN / len(ALL_ROLLS))
        rolls[_DICE.index(known)] = log(1 - CERTAIN)
    return rolls


def best_candidate(verdict: Verdict) -> Candidate | None:
    """The play that the verdict puts first; None where nothing was played."""
    match verdict:
        case Played(best=best) | Illegal(best=best):
            return best
        case Unsure(candidates=candidates) if candidates:
            return candidates[0]
        case _:
            return None


def best_probability(verdict: Verdict) -> float:
    """The probability of the play that the verdict puts first; 0 where there is none."""
    best = best_candidate(verdict)
    return 0.0 if best is None else best.p


def is_decided(verdict: Verdict) -> bool:
    """Whether it can be recorded at once, without another observation."""
    return isinstance(verdict, Played | Illegal)


def play_event(
    hypothesis: TurnHypothesis, evidence: TurnEvidence, rolls: Scores, time: float, frame: int
) -> PlayMade:
    """The event that records the play of a hypothesis; there must be one."""
    best = best_candidate(hypothesis.verdict)
    assert best is not None, "nothing was played"  # noqa: S101
    dice, dice_doubt = _dice(best, evidence, rolls)
    is_odd = isinstance(hypothesis.verdict, Illegal) and not hypothesis.verdict.is_slip
    uncertain: dict[Uncertainty, bool] = {
        PLAY_UNCERTAIN: best.p < SURE,
        DICE_UNCERTAIN: dice_doubt == DICE_UNCERTAIN,
        INFERRED: dice_doubt == INFERRED,
        "record": not hypothesis.origin.is_main,
        "illegal": is_odd,
        "unseen": evidence.has_gap,
    }
    uncertainties = tuple(
        name for name, holds in uncertain.items() if holds and not hypothesis.is_manual
    )
    made = PlayMade(
        time=time,
        frame=frame,
        player=hypothesis.origin.side,
        dice=dice,
        play=str(best.play),
        position=best.position,
        legal=best.legal,
        confidence=best.p,
        review=needs_review(uncertainties),
        alternatives=tuple(_alternatives(hypothesis.verdict, str(best.play))),
        uncertainties=uncertainties,
        by="hand" if hypothesis.is_manual else "sight",
    )
    if isinstance(hypothesis.verdict, Illegal):
        return IllegalMade.of(made, hypothesis.verdict.rule, hypothesis.verdict.legal_plays)
    return made


def _alternatives(verdict: Verdict, play: str) -> Iterator[Alternative]:
    match verdict:
        case Illegal(alternatives=others, rivals=rivals):
            kept = (*(rival.best for rival in rivals), *others)
        case Played(alternatives=others):
            kept = others
        case Unsure(candidates=candidates):
            kept = candidates[1:]
        case _:
            kept = ()
    for other in kept:
        if other.p >= LEAST_RECORDED and str(other.play) != play:
            yield Alternative(play=str(other.play), confidence=other.p)


def _dice(best: Candidate, evidence: TurnEvidence, rolls: Scores) -> tuple[Dice | None, str | None]:
    """The dice to record, and which of the doubts of `PlayMade` they leave, if any."""
    dice = (best.roll.high, best.roll.low)
    log_p = float(rolls[ALL_ROLLS.index(best.roll)])
    likely = log_p >= log(0.5) and best.roll_p >= SURE_DICE
    if evidence.throw is None:
        return (dice if best.roll_p >= ROLL_FITS else None), None if likely else DICE_UNCERTAIN
    if likely and len(evidence.throw.tracks) == 2:
        return dice, None
    is_forced = min(best.p, best.roll_p) >= SURE and log_p >= float(rolls.max()) + log(CREDIBLE)
    return dice, INFERRED if is_forced and evidence.throw.tracks else DICE_UNCERTAIN
