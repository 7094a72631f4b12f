"""The start of a game: whose die is which in the opening roll, and who begins.

Each player rolls one die into their own half; the higher one begins, in short backgammon with both
numbers, in narde with a new roll; ties are rerolled.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from engine.events.match import (
    AsideEvent,
    DiceRolled,
    DiceVoid,
    Event,
    GameEnd,
    GameStart,
    OpeningRolled,
    PrematureRoll,
    TurnEnded,
)
from engine.events.record import Corrected
from engine.match.state import MatchState
from engine.position import Position, Side
from engine.rules import Rules
from engine.ruleset import RuleSet
from engine.timestamp import Timestamp
from engine.turns.throw import Throw, is_right_half
from engine.turns.zones import RollZone

PLAYER_THROWS: Final = DiceRolled | DiceVoid | PrematureRoll
"""Events of throws before the first play."""


def start_event(
    state: MatchState, rules: Rules, rule_set: RuleSet, position: Position, when: Timestamp
) -> GameStart:
    """The event that the next game of the match begins from `position`."""
    swapped = rules.swap_colors and state.games > 0
    light, dark = (state.dark, state.light) if swapped else (state.light, state.dark)
    starter = _starter(state, rules) if position == rules.opening() else None
    return GameStart(
        time=when.time,
        frame=when.frame,
        position=position,
        variant=rules.name,
        light=light,
        dark=dark,
        length=state.length,
        score=state.score[::-1] if swapped else state.score,
        swapped=swapped,
        starter=starter.other if swapped and starter is not None else starter,
        rule_set=rule_set,
    )


def _starter(state: MatchState, rules: Rules) -> Side | None:
    """Who begins by the last game, if the variant says so and that game was fully recorded."""
    last, first = state.last_game_event, state.first_player
    if not isinstance(last, GameEnd) or first is None or last.game not in (None, state.games):
        return None
    return rules.starter_after(last.winner, first)


def awaits_opening_roll(state: MatchState, rules: Rules) -> bool:
    """Whether the next throw may be one die from each player."""
    has_begun = state.to_move is not None or state.current_game_turns
    return not has_begun and state.position == rules.opening()


def before_guessed_starter(state: MatchState) -> MatchState | None:
    """The state before the first throw, if only its dice showed who began; otherwise None.

    In that case the play may still show that it was the other player.
    """
    found = state
    while found.to_move is not None:
        if found.previous is None or not isinstance(
            found.last_event, PLAYER_THROWS | TurnEnded | AsideEvent
        ):
            return None
        found = found.previous
    return None if found is state else found


def reassign_throws(state: MatchState, begun: MatchState, when: Timestamp) -> Iterator[Event]:
    """Events that give the throws since `begun` to the player who did not seem to begin."""
    events = []
    while state is not begun and state.previous is not None:
        events.append(state.last_event)
        state = state.previous
    yield Corrected(time=when.time, frame=when.frame, keep=begun.event_count)
    for event in reversed(events):
        if isinstance(event, PLAYER_THROWS):
            yield replace(event, player=event.player.other)
        elif event is not None:
            yield event


def opening_dice(throw: Throw, zone: RollZone) -> tuple[int, int] | None:
    """Light's die and dark's; None if it is not known whose is whose, and they differ.

    A die lies in its owner's right half; if the hands are not known, its color decides.
    """
    first, second = throw.tracks
    half = zone.right_half_of(Side.LIGHT)
    if half is not None:
        is_first_light = is_right_half(first) is half
    elif Side.LIGHT in (first.side, second.side):
        is_first_light = first.side is Side.LIGHT
    elif Side.DARK in (first.side, second.side):
        is_first_light = first.side is not Side.DARK
    elif first.value != second.value:
        return None
    else:
        is_first_light = True
    return (first.value, second.value) if is_first_light else (second.value, first.value)


def is_undecided_opening(throw: Throw, zone: RollZone) -> bool:
    """Whether it is an opening roll with nothing to show whose die is whose."""
    return throw.is_opening_roll and len(throw.tracks) == 2 and opening_dice(throw, zone) is None


def opening_roll_event(throw: Throw, zone: RollZone) -> OpeningRolled | None:
    """The opening roll on the board; None while it is open whose dice they are."""
    dice = opening_dice(throw, zone)
    return None if dice is None else _opening(throw, *dice)


def opening_roll_won_by(starter: Side, throw: Throw) -> OpeningRolled | None:
    """The opening roll once it is known who began: the higher die was the starter's."""
    high, low = throw.dice
    if high is None or low is None or high == low:
        return None
    light, dark = (high, low) if starter is Side.LIGHT else (low, high)
    return _opening(throw, light, dark)


def _opening(throw: Throw, light: int | None, dark: int | None) -> OpeningRolled:
    return OpeningRolled(
        time=throw.seconds,
        frame=throw.frame,
        light=light,
        dark=dark,
        dice_at_rest=throw.dice_at_rest,
    )
