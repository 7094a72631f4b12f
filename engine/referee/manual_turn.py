"""A turn that is told, not seen: its play, and whether a rule allows it."""

from __future__ import annotations

from collections.abc import Iterator

from engine.dice import Roll
from engine.errors import IllegalPlay, NotNow
from engine.events.match import Event, IllegalMade, PlayMade
from engine.match.phase import Phase
from engine.match.state import MatchState
from engine.play import Play
from engine.position import Side
from engine.referee.game_end import end_events
from engine.referee.hit_and_run import as_refereed
from engine.rules import Rules
from engine.rules.illegality import why_illegal
from engine.rules.legal import apply_play, is_legal, left_plays, legal_plays
from engine.timestamp import Timestamp


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
    if state.left and state.to_move is player:
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
    found = left_plays(before, player, state.left, rules).find(
        apply_play(before, player, moves, rules)
    )
    if found is None:
        numbers = ", ".join(str(number) for number in state.left)
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
    if roll is None or state.left or state.position is None or state.to_move is None:
        return False
    return legal_plays(state.position, state.to_move, roll, rules).is_pass
