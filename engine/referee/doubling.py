"""The doubling cube as the camera sees it: when it was turned, and what the answer was.

A cube is offered before the roll. It is between the players, or already on the doubled player's
side, at twice the value. Continued play shows that it was taken; a board set up again shows that it
was dropped. `CubeHistory` ensures that no single observation decides.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine.cube import Turned
from engine.events.match import Beavered, Doubled, DoubleDropped, DoubleTaken, Event, Raccooned
from engine.evidence.cube_track import SIDE_PLACES, CubeAtRest
from engine.evidence.observation import CubePlace
from engine.evidence.still_period import StillPeriod
from engine.inference.verdict import Played
from engine.match.fold import apply_event
from engine.match.phase import Phase
from engine.match.state import MatchState
from engine.position import Side
from engine.rules import Rules
from engine.timestamp import Timestamp
from engine.turns.evidence import TurnEvidence
from engine.turns.hypotheses import judge_turn

MAX_UNSEEN_DOUBLES: Final = 2
"""Number of unseen doubles allowed before the one that is seen."""
MIN_PLAYED_OBSERVATIONS: Final = 2
"""Number of observations that must show the doubler's play before his cube counts as taken."""


def turned_cube(
    state: MatchState, cube: CubeAtRest | None, rules: Rules, when: Timestamp
) -> Doubled | Beavered | Raccooned | None:
    """What the cube shows that is not recorded: an offer or a beaver."""
    if cube is None or not rules.has_cube or state.to_move is None:
        return None
    if state.phase is Phase.DOUBLED:
        return _turned_back(state, cube, state.to_move, when)
    return _doubled(state, cube, state.to_move, when)


def _doubled(state: MatchState, cube: CubeAtRest, side: Side, when: Timestamp) -> Doubled | None:
    """A double by `side`; one that no rule allows is void and not recorded."""
    is_offered = cube.place in (CubePlace.OFFERED, SIDE_PLACES[side.other])
    if not is_offered or not _doublers(state, cube.value, side):
        return None
    if state.cube.owner is not None and cube.place is SIDE_PLACES[state.cube.owner]:
        return None  # as recorded: one misread number is likelier than two doubles
    return Doubled(time=when.time, frame=when.frame, player=side, value=cube.value)


def _doublers(state: MatchState, value: int, last: Side) -> tuple[Side, ...]:
    """Who doubled, in order, until `last` brought it to `value`; empty if that is impossible.

    The player who takes a cube owns it, so they alternate.
    """
    counts = (n for n in range(1, MAX_UNSEEN_DOUBLES + 2) if value == state.cube.value << n)
    count = next(counts, None)
    if count is None:
        return ()
    doublers = tuple(last if (count - n) % 2 else last.other for n in range(count))
    may = not state.cube.why_not_double(doublers[0], state.doubling_context, state.cube_rules)
    return doublers if may else ()


def offered_events(
    state: MatchState, cube: CubeAtRest | None, rules: Rules, when: Timestamp
) -> Iterator[Event]:
    """What the cube shows that is not recorded, before it shows that it was taken.

    Doubles that were never seen, and must have been taken, come first: a cube at four times the
    recorded value was turned twice.
    """
    turned = turned_cube(state, cube, rules, when)
    if isinstance(turned, Doubled):
        value = state.cube.value
        for doubler in _doublers(state, turned.value, turned.player)[:-1]:
            value *= 2
            yield Doubled(time=when.time, frame=when.frame, player=doubler, value=value)
            yield DoubleTaken(time=when.time, frame=when.frame, player=doubler.other)
    if turned is not None:
        yield turned


def taken_events(
    state: MatchState, cube: CubeAtRest | None, rules: Rules, when: Timestamp
) -> Iterator[Event]:
    """The double that was taken before its doubler threw, with no observation in between.

    A cube in front of the doubler is not one: nobody doubles after the roll.
    """
    side = state.to_move
    if cube is None or side is None or cube.place is not SIDE_PLACES[side.other]:
        return
    offered = tuple(offered_events(state, cube, rules, when))
    yield from offered
    if offered:
        yield DoubleTaken(time=when.time, frame=when.frame, player=side.other)


def _turned_back(
    state: MatchState, cube: CubeAtRest, side: Side, when: Timestamp
) -> Beavered | Raccooned | None:
    """A beaver or raccoon by `side`, who was doubled."""
    offer = state.cube.offer
    if offer is None or cube.value != 2 * offer.value or cube.place is CubePlace.CENTRE:
        return None
    if state.cube.why_not_beaver(side, state.doubling_context, state.cube_rules):
        return None
    kind = Beavered if offer.turned is Turned.DOUBLE else Raccooned
    return kind(time=when.time, frame=when.frame, player=side, value=cube.value)


def taken_cube(
    state: MatchState, before: TurnEvidence, period: StillPeriod, rules: Rules
) -> DoubleTaken | None:
    """The take of the cube, shown by the doubler's roll or play: a drop would end the game.

    before: the evidence without `period`. A single die may be the cube in a hand.
    """
    if state.to_move is None:
        return None
    (evidence, is_new_throw), when = before.with_period(period), period.timestamp
    taken = DoubleTaken(time=when.time, frame=when.frame, player=state.to_move)
    thrown = () if evidence.throw is None else evidence.throw.tracks
    dice = evidence.fresh_dice(period.dice) if is_new_throw else thrown
    is_shown = len(dice) > 1 or _is_played(apply_event(state, taken), evidence, rules)
    return taken if is_shown else None


def _is_played(state: MatchState, evidence: TurnEvidence, rules: Rules) -> bool:
    """Whether the board shows a legal play by the doubler whose dice were not seen."""
    shown = evidence.before_throw
    if shown is None or shown.observation_count < MIN_PLAYED_OBSERVATIONS:
        return False
    hypothesis = judge_turn(state, evidence, rules)
    is_own = hypothesis.origin.is_recorded and isinstance(hypothesis.verdict, Played)
    return is_own and hypothesis.moves_checkers


def dropped_cube(state: MatchState, when: Timestamp) -> DoubleDropped | None:
    """The drop of the cube, shown by the board being set up again while it is offered."""
    if state.phase is not Phase.DOUBLED or state.to_move is None:
        return None
    return DoubleDropped(time=when.time, frame=when.frame, player=state.to_move)
