"""Which history the evidence fits best, and the event that records the play.

A history is what may have been true when the turn began. Mostly there is one; the starter of a
game is not known, and a player who is shut out may have passed without rolling. Rival histories
are judged alike and weighed by their evidence.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, replace
from math import exp, log
from typing import Final

import numpy as np

from engine.dice import ALL_ROLLS
from engine.events.match import Alternative, Dice, IllegalMade, PlayMade
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
from engine.turns.opening import before_guess

ROLLER_TRUST: Final = log(20)
"""Nats by which the colour of the dice tells the starter; the play tells far more."""
SLIP: Final = -8.0
"""Log-prior that the record has lost a turn and the other side is to move."""
SILENT_PASS: Final = log(0.25)
"""Prior of a shut-out player not rolling; both customs are common (issue 5 item 7). Under a half,
and chosen on simulated matches, so that a roll in his own half leaves a pass beyond doubt."""
TOLD: Final = 1e-4
"""Alternatives below this probability are not recorded."""
SURE_DICE: Final = 0.95
"""Below this the dice of a play are somebody's to review."""
CREDIBLE: Final = 0.2
"""Odds against the roll that the dice look most like, from which on the play may tell which it is:
a die that surely shows something else was misread, or the play broke a rule."""
ROLL_FITS: Final = 0.9
"""An unseen roll is told when it alone explains the play with this probability."""

LOST: Final = -10.0
"""Log-prior that more turns passed unseen than can be found again."""
STRAYED: Final = -5.0
"""Log-prior that what was read otherwise than the record has it, and adds up, is true: so much
rarer are turns that were lost than a reading that misplaces checkers."""
RIVAL: Final = 8.0
"""Nats by which a rival may be less probable than the best and still be followed up."""
UNLIKELY: Final = -14.0
"""Log-probability of a whole turn below which the record may have lost one before it."""
CHARITY: Final = log(0.05)
"""Handicap of a history in which a rule was broken that nothing witnesses: so much likelier than
all others it has to be before it is told, for review."""
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
    """False for one that says the record is wrong."""
    missed: tuple[MissedPlay, ...] = ()
    """What was played before it and told by nobody, oldest first."""
    is_found: bool = False
    """Whether the position is another than the record's, and nobody knows how it came about."""


@dataclass(frozen=True, slots=True)
class TurnHypothesis:
    """The verdict on a history: the one that fits best, or a rival."""

    history: TurnOrigin
    verdict: Verdict
    weight: float
    """The log-probability of what was seen, together with what the verdict puts first."""
    rivals: tuple[TurnHypothesis, ...] = ()
    """What else may have happened, by weight; each verdict puts another play first, or none."""
    p: float = 1.0
    """The probability of what the verdict puts first."""
    by_hand: bool = False
    """Whether somebody says so."""
    owed: float = 0.0
    """The part of `weight` that counts again when the turns are judged that it speaks of."""


def find_histories(state: MatchState, seen: TurnEvidence, rules: Rules) -> tuple[TurnOrigin, ...]:
    """Every history that the record leaves open, its own first."""
    assert state.position is not None, "no game has begun"  # noqa: S101
    if state.to_move is None:
        return tuple(_starters(state.position, seen))
    if state.leftover:
        return tuple(_passed_on(state.position, state.to_move, state.leftover, rules))
    own = TurnOrigin(state.position, state.to_move)
    return (own, *_silent_pass(own, seen, rules), *_strayed(own, seen))


def _passed_on(
    position: Position, side: Side, left: tuple[int, ...], rules: Rules
) -> Iterator[TurnOrigin]:
    """Each way to move what the opponent's double left, before the own roll is played."""
    plays = leftover_plays(position, side, left, rules)
    for play, after in plays:
        made = MissedPlay(side, play, after, None)
        yield TurnOrigin(after, side, -log(len(plays)), missed=(made,))


def slipped(history: TurnOrigin, seen: TurnEvidence) -> TurnOrigin:
    """The history in which a turn was lost: the opponent moved instead."""
    weight = SLIP + _odds_of(seen, history.side.other)
    missed = (_pass(history),)
    return TurnOrigin(history.position, history.side.other, weight, is_main=False, missed=missed)


def _pass(history: TurnOrigin) -> MissedPlay:
    return MissedPlay(history.side, Play(()), history.position, None)


def _odds_of(seen: TurnEvidence, side: Side) -> float:
    """The log odds that `side` threw and not the other player, by where the dice lie."""
    return 0.0 if seen.throw is None else log(seen.throw.odds_of(side, seen.ground))


def _starters(position: Position, seen: TurnEvidence) -> Iterator[TurnOrigin]:
    roller = seen.throw.roller if seen.throw else None
    for side in Side:
        pair = ROLLER_TRUST if side is roller else 0.0
        yield TurnOrigin(position, side, pair + _odds_of(seen, side) / 2)  # the rest to the other


def _other_starter(own: TurnOrigin, seen: TurnEvidence) -> TurnOrigin:
    """The history in which the game was begun by the player who did not seem to throw."""
    other = own.side.other
    roller = seen.throw.roller if seen.throw else None
    weight = _odds_of(seen, other) - (ROLLER_TRUST if roller is own.side else 0.0)
    return TurnOrigin(own.position, other, weight)


def _silent_pass(own: TurnOrigin, seen: TurnEvidence, rules: Rules) -> Iterator[TurnOrigin]:
    if find_outcomes(own.position, own.side, rules).is_shut_out:
        weight = SILENT_PASS + _odds_of(seen, own.side.other)
        yield TurnOrigin(own.position, own.side.other, weight, missed=(_pass(own),))


def _strayed(own: TurnOrigin, seen: TurnEvidence) -> Iterator[TurnOrigin]:
    """The record went astray at some time; what was read when the last turn ended is true."""
    found = None if seen.memory is None else seen.memory.stray_position(own.position.course)
    if found is not None and found != own.position:
        yield TurnOrigin(found, own.side, STRAYED, is_main=False, is_found=True)


def _unseen(
    state: MatchState, seen: TurnEvidence, sight: PositionEvidence, own: TurnOrigin, rules: Rules
) -> Iterator[TurnOrigin]:
    """Histories in which turns passed unseen before the one that is judged."""
    if seen.throw is None or seen.shown is None:
        shown = None
        ways = list(one_missed_turn(own.position, own.side, sight.main, rules))
    else:
        shown = seen.view(seen.shown, state.position_at)
        ways = [
            *one_missed_turn(own.position, own.side, shown, rules),
            *two_missed_turns(own.position, own.side, shown, rules),
        ]
    for way in ways:
        last = way.plays[-1]
        weight = way.log_weight + _odds_of(seen, last.side.other)
        yield TurnOrigin(last.position, last.side.other, weight, is_main=False, missed=way.plays)
    if shown is not None:
        reached = {way.plays[-1].position for way in ways}
        yield from _lost(own, shown, seen, reached)


def _lost(
    own: TurnOrigin, shown: PositionView, seen: TurnEvidence, reached: Container[Position]
) -> Iterator[TurnOrigin]:
    """Those in which more turns were lost than can be found: what is shown stands."""
    found = BoardMemory.of(shown.table, cell_counts(own.position)).stray_position(
        own.position.course
    )
    if found is None or found in reached or not both_moved(own.position, found):
        return
    for side in Side:
        weight = LOST + _odds_of(seen, side) / 2
        yield TurnOrigin(found, side, weight, is_main=False, is_found=True)


def rule_on(
    seen: TurnEvidence,
    sight: PositionEvidence,
    histories: tuple[TurnOrigin, ...],
    rules: Rules,
    rolls: Scores,
    following: StillPeriod | None = None,
) -> TurnHypothesis:
    """The verdict on the history that explains what was seen best.

    rolls: (21,) log-probabilities of the roll; following: the first look at the next throw, as
    evidence of who threw next.
    """
    verdicts = []
    for history in histories:
        nothing = seen.void_prior(history.side, following)
        shown = sight.settled_at(cell_counts(history.position)) if history.is_found else sight
        args = (history.position, history.side, shown, rules, rolls, nothing)
        verdicts.append(judge(*args, by_rules=not history.is_main))
    weights = np.array(
        [h.log_weight + v.evidence for h, v in zip(histories, verdicts, strict=True)]
    )
    total = float(np.logaddexp.reduce(weights))
    read = [
        [_ruling(history, one, float(weight), p, total) for one, p in readings(verdict)]
        for history, verdict, weight in zip(histories, verdicts, weights, strict=True)
    ]
    # Each verdict puts first what may be told of it: a rule is not broken on one glance.
    best = max((first for first, *_ in read), key=lambda one: one.weight)
    return _with_rivals(best, (one for each in read for one in each if one is not best))


def _with_rivals(best: TurnHypothesis, others: Iterable[TurnHypothesis]) -> TurnHypothesis:
    rivals = [replace(one, rivals=()) for one in others if one.weight > best.weight - RIVAL]
    rivals.sort(key=lambda one: -one.weight)
    return replace(best, rivals=tuple(rivals))


def _ruling(
    history: TurnOrigin, verdict: Verdict, weight: float, p: float, total: float
) -> TurnHypothesis:
    """weight, total: log-probabilities of what was seen, by this history and by all of them."""
    share, best = exp(weight - total), best_candidate(verdict)
    if isinstance(verdict, Unsure) and best is not None and not best.legal:
        weight += CHARITY
    return TurnHypothesis(
        history, weighed_by(verdict, share), weight + log(max(p, TINY)), p=p * share
    )


def either(one: TurnHypothesis, other: TurnHypothesis) -> TurnHypothesis:
    """The likelier of two rulings of which one is true; what the other says are its rivals."""
    every = [one, *one.rivals, other, *other.rivals]
    weights = np.array([each.weight for each in every])
    shares = np.exp(weights - np.logaddexp.reduce(weights))
    fair = [
        replace(each, p=float(p), verdict=weighed_by(each.verdict, float(p) / max(each.p, TINY)))
        for each, p in zip(every, shares, strict=True)
    ]
    best = max((fair[0], fair[1 + len(one.rivals)]), key=lambda each: each.weight)
    return _with_rivals(best, (each for each in fair if each is not best))


def is_doubtful(ruling: TurnHypothesis) -> bool:
    """Whether turns may have been lost before the one that is ruled on."""
    return ruling.weight < UNLIKELY


def rule_turn(
    state: MatchState,
    seen: TurnEvidence,
    rules: Rules,
    arrival: StillPeriod | None = None,
    following: StillPeriod | None = None,
) -> TurnHypothesis:
    """The ruling on the turn in progress; that the record lost a turn is weighed where in doubt.

    arrival: the first look at the next throw, as evidence of the position.
    """
    histories, rolls = find_histories(state, seen, rules), known_rolls(state, seen)
    sight = seen.sight(arrival, state.position_at)
    ruling = rule_on(seen, sight, histories, rules, rolls, following)
    # Who rolled just now is told where the roll was: no turn was lost in between.
    is_told = seen.throw is None and seen.told_roll is not None
    if state.to_move is not None and is_doubtful(ruling) and not is_told:
        own = histories[0]
        is_guess = before_guess(state) is not None
        other = _other_starter(own, seen) if is_guess else slipped(own, seen)
        rivals = (*histories, other, *_unseen(state, seen, sight, own, rules))
        ruling = rule_on(seen, sight, rivals, rules, rolls, following)
    return ruling


def ordered_ruling(
    state: MatchState, seen: TurnEvidence, play: Play, rules: Rules
) -> TurnHypothesis:
    """The ruling that somebody told: this was played, with the roll that was seen.

    `IllegalPlay` if no such move can be made from the position that stands.
    """
    assert state.position is not None, "no game has begun"  # noqa: S101
    roller = seen.throw.roller if seen.throw else None
    history = TurnOrigin(state.position, state.to_move or roller or Side.LIGHT)
    before, side = history.position, history.side
    after = apply_play(before, side, play, rules)
    rolls = known_rolls(state, seen)
    fits = [n for n, roll in enumerate(ALL_ROLLS) if is_legal(before, side, roll, after, rules)]
    number = int(rolls.argmax())
    if fits and seen.throw is None and state.roll is None:
        number = max(fits, key=lambda n: float(rolls[n]))
    roll = ALL_ROLLS[number]
    best = Candidate(after, play, roll, 1.0, 1.0, legal=number in fits)
    verdict: Verdict = Played(0.0, best)
    if number not in fits:
        rule = why_illegal(before, side, roll, after, rules)
        count = len(legal_plays(before, side, roll, rules))
        verdict = Illegal(0.0, best, (), rule, count, is_slip=True)
    return TurnHypothesis(history, verdict, 0.0, by_hand=True)


def known_rolls(state: MatchState, seen: TurnEvidence) -> Scores:
    """(21,) what the dice show, or what the record says of dice that are gone."""
    rolls, known = seen.rolls(), state.roll
    is_told = seen.told_roll is not None  # then there is no die that may have been misread
    if seen.throw is None and not is_told and known is not None and None not in known:
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


def told_p(verdict: Verdict) -> float:
    """The probability of the play that the verdict puts first; 0 where there is none."""
    best = best_candidate(verdict)
    return 0.0 if best is None else best.p


def is_settled(verdict: Verdict) -> bool:
    """Whether it can be recorded at once, without another look."""
    return isinstance(verdict, Played | Illegal)


def made_event(
    ruling: TurnHypothesis, seen: TurnEvidence, rolls: Scores, time: float, frame: int
) -> PlayMade:
    """The event that records the ruling's play; there must be one."""
    best = best_candidate(ruling.verdict)
    assert best is not None, "nothing was played"  # noqa: S101
    dice, dice_doubt = _dice(best, seen, rolls)
    is_odd = isinstance(ruling.verdict, Illegal) and not ruling.verdict.is_slip
    doubted = {
        PLAY_UNCERTAIN: best.p < SURE,
        DICE_UNCERTAIN: dice_doubt == DICE_UNCERTAIN,
        INFERRED: dice_doubt == INFERRED,
        "record": not ruling.history.is_main,
        "illegal": is_odd,
    }
    doubts = tuple(name for name, holds in doubted.items() if holds and not ruling.by_hand)
    made = PlayMade(
        time=time,
        frame=frame,
        player=ruling.history.side,
        dice=dice,
        play=str(best.play),
        position=best.position,
        legal=best.legal,
        confidence=best.p,
        review=needs_review(doubts),
        alternatives=tuple(_alternatives(ruling.verdict, str(best.play))),
        doubts=doubts,
        by="hand" if ruling.by_hand else "sight",
    )
    if isinstance(ruling.verdict, Illegal):
        return IllegalMade.of(made, ruling.verdict.rule, ruling.verdict.legal_plays)
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
        if other.p >= TOLD and str(other.play) != play:
            yield Alternative(play=str(other.play), confidence=other.p)


def _dice(best: Candidate, seen: TurnEvidence, rolls: Scores) -> tuple[Dice | None, str | None]:
    """The dice to record, and which of the doubts of `PlayMade` they leave, if any."""
    dice = (best.roll.high, best.roll.low)
    looks = float(rolls[ALL_ROLLS.index(best.roll)])
    likely = looks >= log(0.5) and best.roll_p >= SURE_DICE
    if seen.throw is None:
        return (dice if best.roll_p >= ROLL_FITS else None), None if likely else DICE_UNCERTAIN
    if likely and len(seen.throw.tracks) == 2:
        return dice, None
    is_forced = min(best.p, best.roll_p) >= SURE and looks >= float(rolls.max()) + log(CREDIBLE)
    return dice, INFERRED if is_forced and seen.throw.tracks else DICE_UNCERTAIN
