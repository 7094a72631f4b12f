"""Manual entries: rolls and plays, the cube, a resignation, the answer to an illegal play.

They are checked only against the state of the match, never against observations.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from engine.dice import Roll
from engine.errors import NotNow, TooManyPlays
from engine.events.cup import CupDecided, CupEvent
from engine.events.match import (
    AcceptedBy,
    AsideEvent,
    Beavered,
    DiceRolled,
    DiceVoid,
    Doubled,
    DoubleDropped,
    DoubleTaken,
    Event,
    GameStart,
    IllegalMade,
    OpeningRolled,
    PlayAccepted,
    PlayMade,
    PlayRejected,
    PlaySource,
    Raccooned,
    Resigned,
)
from engine.events.record import BoardMoved, MatchClosed, PositionSet, RefereeCame, Unseen
from engine.match.fold import apply_event
from engine.match.leftover import refuse_leftover_play
from engine.match.phase import BETWEEN_GAMES, Phase
from engine.match.state import MatchState
from engine.message import msg
from engine.play import Play
from engine.position import Side
from engine.referee.game_end import end_events, win_events
from engine.referee.hit_and_run import as_refereed
from engine.rules import Rules
from engine.rules.illegality import why_illegal
from engine.rules.legal import apply_play, can_move, count_plays, find_leftover_play, find_play
from engine.ruleset import AcceptanceRule, IllegalPlayRule
from engine.timestamp import Timestamp
from engine.turns.opening import awaits_opening_roll, start_event

ACCEPTED_BY_DOUBLE = frozenset({AcceptanceRule.VALID_DOUBLE, AcceptanceRule.EITHER})
ACCEPTED_BY_ROLL = frozenset({AcceptanceRule.VALID_ROLL, AcceptanceRule.EITHER})


def manual_events(state: MatchState, event: Event, rules: Rules) -> Iterator[Event]:
    """`event` and what follows from it; raises `NotNow` or `IllegalCube` if it is impossible."""
    when = Timestamp(event.time, event.frame)
    match event:
        case Doubled():
            yield from _double(state, event, rules)
        case DoubleTaken() | DoubleDropped():
            yield from _answer_cube(state, event)
        case PlayAccepted() | PlayRejected():
            yield from _answer_dispute(state, event, rules)
        case Resigned():
            yield from _resign(state, event)
        case PlayMade():
            yield from manual_play_events(state, event.player, event.play, rules, when)
        case DiceRolled():
            yield from _roll(state, event, rules)
        case GameStart():
            if state.phase not in BETWEEN_GAMES or state.is_over:
                raise NotNow(
                    msg("no game can start now: one is being played, or the match is over")
                )
            begun = start_event(state, rules, state.rule_set, event.position, when)
            yield replace(begun, is_joined=event.is_joined)
        case _:
            _check(state, event, rules)
            yield event


def _check(state: MatchState, event: Event, rules: Rules) -> None:
    """Check an entry from which nothing else follows."""
    match event:
        case Beavered() | Raccooned():
            state.cube.beavered(event.player, state.doubling_context, state.cube_rules)
        case CupDecided():
            check_to_play(state, event.player)
        case OpeningRolled() | DiceVoid():
            _check_throw(state, event, rules)
        case MatchClosed() if state.is_over:
            raise NotNow(msg("the match is already over"))
        case PositionSet() if state.phase is Phase.WAITING:
            raise NotNow(msg("no game has started: its first position is set with --start"))
        case RefereeCame() if state.call is None:
            raise NotNow(msg("nobody has called the referee"))
        case BoardMoved() | MatchClosed() | PositionSet():
            pass
        case CupEvent() | AsideEvent() | Unseen():
            pass
        case _:
            raise NotNow(
                msg("a {type} event is seen by the camera, not entered by hand", type=event.type)
            )


def _check_throw(state: MatchState, event: OpeningRolled | DiceVoid, rules: Rules) -> None:
    is_awaited = state.phase is Phase.TO_ROLL
    if isinstance(event, DiceVoid):
        if not is_awaited or state.to_move is not event.player:
            raise NotNow(msg("no throw of this player is awaited"))
    elif not is_awaited or not awaits_opening_roll(state, rules):
        raise NotNow(
            msg("there is no opening roll now: the game has begun, or has not been set up")
        )


def _roll(state: MatchState, event: DiceRolled, rules: Rules) -> Iterator[Event]:
    """A roll, which may let an illegal play stand."""
    by_roll = state.rule_set.acceptance_event in ACCEPTED_BY_ROLL
    if state.phase is Phase.DISPUTED and by_roll and state.to_move is event.player:
        when = Timestamp(event.time, event.frame)
        accepted = accepted_by(state, "roll", when)
        yield from _answer_dispute(state, accepted, rules)
        state = apply_event(state, accepted)
        if next(end_events(state, rules, when), None) is not None:
            return
    knows_who = state.to_move is None and not awaits_opening_roll(state, rules)
    if state.phase is not Phase.TO_ROLL or not (knows_who or state.to_move is event.player):
        raise NotNow(msg("it is not {player}'s turn to roll", player=state.name(event.player)))
    if state.leftover and event.by == "hand":
        player = state.name(event.player)
        raise NotNow(
            msg("{player} must first play the moves left over from the last double", player=player)
        )
    yield event


def _double(state: MatchState, event: Doubled, rules: Rules) -> Iterator[Event]:
    if not rules.has_cube:
        raise NotNow(msg("{title} is played without a cube", title=msg(rules.title)))
    by_double = state.rule_set.acceptance_event in ACCEPTED_BY_DOUBLE
    accepts = state.phase is Phase.DISPUTED and by_double
    if not (accepts or state.phase is Phase.TO_ROLL) or state.to_move is not event.player:
        player = state.name(event.player)
        raise NotNow(msg("{player} may double only before rolling", player=player))
    offer = state.cube.offered(event.player, state.doubling_context, state.cube_rules).offer
    if offer is not None and offer.value != event.value:
        next_, value = offer.value, event.value
        raise NotNow(
            msg("the next value of the cube is {offer}, not {event}", offer=next_, event=value)
        )
    if accepts:
        yield accepted_by(state, "double", Timestamp(event.time, event.frame))
    yield event


def accepted_by(state: MatchState, by: AcceptedBy, when: Timestamp) -> PlayAccepted:
    """The event that the opponent lets the last play stand."""
    player = state.turns[-1].event.player.other
    return PlayAccepted(time=when.time, frame=when.frame, player=player, by=by)


def _answer_cube(state: MatchState, event: DoubleTaken | DoubleDropped) -> Iterator[Event]:
    if state.phase is not Phase.DOUBLED or state.to_move is not event.player:
        raise NotNow(msg("{player} has no double to answer", player=state.name(event.player)))
    yield event
    if isinstance(event, DoubleDropped):
        winner, points = state.cube.dropped()
        when = Timestamp(event.time, event.frame)
        yield from win_events(apply_event(state, event), winner, points, "drop", when)


def _answer_dispute(
    state: MatchState, event: PlayAccepted | PlayRejected, rules: Rules
) -> Iterator[Event]:
    if state.phase is not Phase.DISPUTED or state.to_move is not event.player:
        player = state.name(event.player)
        raise NotNow(msg("{player} has no illegal play to answer", player=player))
    must_correct = state.rule_set.illegal_play is IllegalPlayRule.MUST_CORRECT
    if isinstance(event, PlayAccepted) and must_correct:
        raise NotNow(msg("these rules require an illegal play to be replayed"))
    yield event
    if isinstance(event, PlayAccepted):
        yield from end_events(apply_event(state, event), rules, Timestamp(event.time, event.frame))


def _resign(state: MatchState, event: Resigned) -> Iterator[Event]:
    """Resign the game that `event` names, else the first unfinished one, else the one in play."""
    game = event.game or next(iter(state.unresolved_games), state.games)
    is_played = game == state.games and state.phase not in (Phase.WAITING, Phase.OVER)
    if game not in state.unresolved_games and not is_played:
        raise NotNow(msg("there is no game {game} to resign", game=game))
    if event.points < 1:
        raise NotNow(msg("a game is worth at least one point, not {points}", points=event.points))
    yield event
    when = Timestamp(event.time, event.frame)
    earlier = None if game == state.games else game
    yield from win_events(
        apply_event(state, event), event.player.other, event.points, "resign", when, earlier
    )


def roll_to_play(state: MatchState) -> Roll | None:
    """The roll that awaits its play; None if there is none or a die was not read."""
    high, low = state.roll or (None, None)
    if state.phase is not Phase.TO_PLAY or high is None or low is None:
        return None
    return Roll(high, low)


def check_to_play(state: MatchState, player: Side) -> Roll:
    """The roll that `player` must play; raises `NotNow` if there is none."""
    roll = roll_to_play(state)
    if roll is None or state.to_move is not player:
        raise NotNow(
            msg("{player} has nothing to play yet: enter the roll first", player=state.name(player))
        )
    return roll


def manual_play(
    state: MatchState,
    player: Side,
    play: str,
    rules: Rules,
    when: Timestamp,
    by: PlaySource = "hand",
) -> PlayMade:
    """The play of `player` and the position after it, or the rule that it breaks.

    A play of a chain of doubles that has too many ways to search is marked for review.

    Raises `NotNow` if there is no roll to play; `InvalidNotation` or `IllegalPlay` if it is
    impossible.
    """
    before, moves = state.position, Play.parse(play)
    assert before is not None, "no game has begun"  # noqa: S101
    plays_leftover = bool(state.leftover) and state.to_move is player
    roll = None if plays_leftover else check_to_play(state, player)
    after = apply_play(before, player, moves, rules)
    found, is_proved = None, True
    try:
        if roll is None:
            found = find_leftover_play(before, player, state.leftover, after, rules)
        else:
            found = find_play(before, player, roll, after, rules)
    except TooManyPlays:
        is_proved = False
    made = PlayMade(
        time=when.time,
        frame=when.frame,
        player=player,
        dice=None if roll is None else (roll.high, roll.low),
        play=str(moves if found is None else found.play),
        position=after,
        review=not is_proved,
        by=by,
    )
    if not is_proved:
        return made
    if roll is None:
        if found is None:
            refuse_leftover_play(moves, state.leftover)
        return made
    if found is None:
        count = count_plays(before, player, roll, rules)
        return IllegalMade.of(made, why_illegal(before, player, roll, after, rules, moves), count)
    return as_refereed(made, before, rules, state.rule_set)


def manual_play_events(
    state: MatchState,
    player: Side,
    play: str,
    rules: Rules,
    when: Timestamp,
    by: PlaySource = "hand",
) -> Iterator[Event]:
    """An entered play, as in `manual_play`, and the end of the game if it ends it."""
    made = manual_play(state, player, play, rules, when, by)
    yield made
    if not isinstance(made, IllegalMade):
        yield from end_events(apply_event(state, made), rules, when)


def is_forced_pass(state: MatchState, rules: Rules) -> bool:
    """Whether the roll that awaits its play allows no move."""
    roll = roll_to_play(state)
    if roll is None or state.leftover or state.position is None or state.to_move is None:
        return False
    return not can_move(state.position, state.to_move, roll, rules)
