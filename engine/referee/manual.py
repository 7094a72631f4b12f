"""What is told by hand: rolls and plays, the cube, a resignation, the answer to an illegal play."""

from __future__ import annotations

from collections.abc import Iterator

from engine.dice import Roll
from engine.errors import IllegalPlay, NotNow
from engine.events.clock import ClockEvent
from engine.events.cup import CupDecided, CupEvent
from engine.events.match import (
    Beavered,
    DiceRolled,
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
    Raccooned,
    Resigned,
)
from engine.events.record import BoardMoved, MatchClosed, PlayersNamed, PositionSet
from engine.match.phase import BETWEEN_GAMES, Phase
from engine.match.state import MatchState
from engine.play import Play
from engine.position import Side
from engine.referee.game_end import end_events, won
from engine.referee.hit_and_run import as_refereed
from engine.rules import Rules
from engine.rules.illegality import why_illegal
from engine.rules.legal import apply_play, is_legal, leftover_plays, legal_plays
from engine.ruleset import AcceptanceRule, IllegalPlayRule
from engine.timestamp import Timestamp
from engine.turns.opening import awaits_lots, start_event

BY_DOUBLE = frozenset({AcceptanceRule.VALID_DOUBLE, AcceptanceRule.EITHER})
BY_ROLL = frozenset({AcceptanceRule.VALID_ROLL, AcceptanceRule.EITHER})


def told_events(state: MatchState, event: Event, rules: Rules) -> Iterator[Event]:
    """`event` and what follows from it; `NotNow` or `IllegalCube` says why it cannot be."""
    match event:
        case Doubled():
            yield from _doubled(state, event, rules)
        case Beavered() | Raccooned():
            state.cube.beavered(event.player, state.doubling_context, state.cube_rules)
            yield event
        case DoubleTaken() | DoubleDropped():
            yield from _answered(state, event)
        case PlayAccepted() | PlayRejected():
            yield from _judged(state, event, rules)
        case Resigned():
            yield from _resigned(state, event)
        case BoardMoved() | PlayersNamed() | MatchClosed() | PositionSet():
            _check(state, event)
            yield event
        case CupDecided():
            check_to_play(state, event.player)
            yield event
        case CupEvent() | ClockEvent():
            yield event
        case DiceRolled() | OpeningRolled() | PlayMade() | GameStart():
            yield from _carried_on(state, event, rules)
        case _:
            raise NotNow(f"a {event.type} event is seen, not told by hand")


def _check(state: MatchState, event: Event) -> None:
    if isinstance(event, MatchClosed) and state.is_over:
        raise NotNow("the match is over already")
    if isinstance(event, PositionSet) and state.phase is Phase.WAITING:
        raise NotNow("no game has begun: its first position is set by --start")


def _carried_on(
    state: MatchState, event: DiceRolled | OpeningRolled | PlayMade | GameStart, rules: Rules
) -> Iterator[Event]:
    """The game as it goes on where it is told, not seen."""
    when = Timestamp(event.time, event.frame)
    match event:
        case GameStart():
            if state.phase not in BETWEEN_GAMES or state.is_over:
                raise NotNow("no game can begin now: one is being played, or the match is over")
            yield start_event(state, rules, state.rule_set, event.position, when)
        case PlayMade():
            yield from played_events(state, event.player, event.play, rules, when)
        case OpeningRolled():
            if state.phase is not Phase.TO_ROLL or not awaits_lots(state, rules):
                raise NotNow("nobody draws lots now: the game has begun, or has not been set up")
            yield event
        case DiceRolled():
            yield from _rolled(state, event, rules)


def _rolled(state: MatchState, event: DiceRolled, rules: Rules) -> Iterator[Event]:
    """A roll, by which an illegal play may be let stand."""
    by_roll = state.rule_set.acceptance_event in BY_ROLL
    if state.phase is Phase.DISPUTED and by_roll and state.to_move is event.player:
        when = Timestamp(event.time, event.frame)
        accepted = accepted_by(state, "roll", when)
        yield from _judged(state, accepted, rules)
        state = state.after(accepted)
        if next(end_events(state, rules, when), None) is not None:
            return
    knows_who = state.to_move is None and not awaits_lots(state, rules)
    if state.phase is not Phase.TO_ROLL or not (knows_who or state.to_move is event.player):
        raise NotNow(f"it is not {state.name(event.player)}'s turn to roll")
    if state.leftover and event.by == "hand":
        raise NotNow(f"{state.name(event.player)} first moves what the last double left to him")
    yield event


def _doubled(state: MatchState, event: Doubled, rules: Rules) -> Iterator[Event]:
    if not rules.has_cube:
        raise NotNow(f"{rules.title} is played without a cube")
    disputed = state.phase is Phase.DISPUTED and state.rule_set.acceptance_event in BY_DOUBLE
    if not (disputed or state.phase is Phase.TO_ROLL) or state.to_move is not event.player:
        raise NotNow(f"{state.name(event.player)} doubles before his own roll only")
    offered = state.cube.offered(event.player, state.doubling_context, state.cube_rules)
    if offered.offer is not None and offered.offer.value != event.value:
        raise NotNow(f"the next value of the cube is {offered.offer.value}, not {event.value}")
    if disputed:
        yield accepted_by(state, "double", Timestamp(event.time, event.frame))
    yield event


def accepted_by(state: MatchState, by: str, when: Timestamp) -> PlayAccepted:
    """The opponent has let the last play stand."""
    player = state.turns[-1].event.player.other
    return PlayAccepted(time=when.time, frame=when.frame, player=player, by=by)


def _answered(state: MatchState, event: DoubleTaken | DoubleDropped) -> Iterator[Event]:
    if state.phase is not Phase.DOUBLED or state.to_move is not event.player:
        raise NotNow(f"no cube waits for {state.name(event.player)}'s answer")
    yield event
    if isinstance(event, DoubleDropped):
        winner, points = state.cube.dropped()
        when = Timestamp(event.time, event.frame)
        yield from won(state.after(event), winner, points, "drop", when)


def _judged(state: MatchState, event: PlayAccepted | PlayRejected, rules: Rules) -> Iterator[Event]:
    if state.phase is not Phase.DISPUTED or state.to_move is not event.player:
        raise NotNow(f"no illegal play waits for {state.name(event.player)}'s answer")
    must_correct = state.rule_set.illegal_play is IllegalPlayRule.MUST_CORRECT
    if isinstance(event, PlayAccepted) and must_correct:
        raise NotNow("by these rules an illegal play has to be played again")
    yield event
    if isinstance(event, PlayAccepted):
        yield from end_events(state.after(event), rules, Timestamp(event.time, event.frame))


def _resigned(state: MatchState, event: Resigned) -> Iterator[Event]:
    """The game that `event` names, else the one broken off first, else the one in play."""
    game = event.game or next(iter(state.unresolved_games), state.games)
    is_played = game == state.games and state.phase not in (Phase.WAITING, Phase.OVER)
    if game not in state.unresolved_games and not is_played:
        raise NotNow(f"there is no game {game} to resign")
    if event.points < 1:
        raise NotNow(f"a game is lost by a point at least, not {event.points}")
    yield event
    when = Timestamp(event.time, event.frame)
    told = None if game == state.games else game
    yield from won(state.after(event), event.player.other, event.points, "resign", when, told)


def roll_to_play(state: MatchState) -> Roll | None:
    """The roll that waits to be played; None while none does, or where a die was not read."""
    high, low = state.roll or (None, None)
    if state.phase is not Phase.TO_PLAY or high is None or low is None:
        return None
    return Roll(high, low)


def check_to_play(state: MatchState, player: Side) -> Roll:
    """The roll that `player` is to play; `NotNow` if there is none."""
    roll = roll_to_play(state)
    if roll is None or state.to_move is not player:
        raise NotNow(f"{state.name(player)} has nothing to play: his roll is told first")
    return roll


def told_play(
    state: MatchState, player: Side, play: str, rules: Rules, when: Timestamp, by: str = "hand"
) -> PlayMade:
    """What `player` has played of his roll, or the rule that it breaks, with what stands then.

    `NotNow` if he has no roll to play; `InvalidNotation` or `IllegalPlay` if it cannot be made.
    """
    before = state.position
    assert before is not None, "no game has begun"  # noqa: S101
    moves = Play.parse(play)
    if state.leftover and state.to_move is player:
        return _left_play(state, player, moves, rules, when, by)
    roll = check_to_play(state, player)
    after = apply_play(before, player, moves, rules)
    is_allowed = is_legal(before, player, roll, after, rules)
    plays = legal_plays(before, player, roll, rules)
    found = plays.find(after) if is_allowed else None
    made = PlayMade(
        time=when.time,
        frame=when.frame,
        player=player,
        dice=(roll.high, roll.low),
        play=str(moves if found is None else found.play),
        position=after,
        by=by,
    )
    if not is_allowed:
        return IllegalMade.of(made, why_illegal(before, player, roll, after, rules), len(plays))
    return as_refereed(made, before, rules, state.rule_set)


def _left_play(
    state: MatchState, player: Side, moves: Play, rules: Rules, when: Timestamp, by: str
) -> PlayMade:
    """What the opponent's double left, as `player` has moved it."""
    before = state.position
    assert before is not None, "no game has begun"  # noqa: S101
    found = leftover_plays(before, player, state.leftover, rules).find(
        apply_play(before, player, moves, rules)
    )
    if found is None:
        numbers = ", ".join(str(number) for number in state.leftover)
        raise IllegalPlay(f"{moves} is not what was left: as many of {numbers} as can be moved")
    return PlayMade(
        time=when.time,
        frame=when.frame,
        player=player,
        dice=None,
        play=str(found.play),
        position=found.position,
        by=by,
    )


def played_events(
    state: MatchState, player: Side, play: str, rules: Rules, when: Timestamp, by: str = "hand"
) -> Iterator[Event]:
    """A play that is told, as `told_play`, and the end of the game where it is one."""
    made = told_play(state, player, play, rules, when, by)
    yield made
    if not isinstance(made, IllegalMade):
        yield from end_events(state.after(made), rules, when)


def is_forced_pass(state: MatchState, rules: Rules) -> bool:
    """Whether the roll that waits to be played leaves nothing to move."""
    roll = roll_to_play(state)
    if roll is None or state.leftover or state.position is None or state.to_move is None:
        return False
    return legal_plays(state.position, state.to_move, roll, rules).is_pass
