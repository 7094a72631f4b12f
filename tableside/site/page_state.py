"""The page's state, derived from the state and events of a match."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import ceil
from typing import Final

import engine
from engine import DieSeen, Event, MatchState, Phase, PlayMade, Turn
from engine.dice_sets.colour import hex_of
from engine.events.match import Doubled, GameEnd, GameStart
from engine.events.record import PositionFound, PositionSet, Unfinished
from engine.message import Message, msg
from tableside.review.position_ids import position_ids
from tableside.review.review_items import SEEMS_ILLEGAL, WHY_VOID, open_throws, seen_confidence
from tableside.site.sheet import game_sheets
from webui.contracts import state as page

ENDS_VOID_THROW: Final = (
    *(engine.OpeningRolled, engine.DiceRolled, PlayMade, Doubled),
    *(PositionSet, PositionFound, GameStart, GameEnd, Unfinished),
)
"""Events after which a void throw is no longer shown."""
MIN_DIE_CONFIDENCE: Final = 0.5
"""Confidence from which a die's value is shown; below it, a question mark."""


def match_part(state: MatchState, events: Sequence[Event]) -> page.StatePart:
    """The part of the page's state that follows from the record and that players may see."""
    rules = state.rule_set
    # An illegal play is one that no legal play explains, so it would be known by its confidence.
    sure = rules.aids and rules.announces_to_players
    return _match_part(engine.as_known(state), events, aids=rules.aids, sure=sure)


def whole_match_part(state: MatchState, events: Sequence[Event]) -> page.StatePart:
    """The same part as the referee sees it."""
    return _match_part(state, events, aids=True, sure=True)


def _match_part(
    state: MatchState, events: Sequence[Event], *, aids: bool, sure: bool
) -> page.StatePart:
    pips, sheets = state.pips if aids else None, game_sheets(state)
    rows = sheets[-1]["rows"] if sheets else []
    if sheets:
        sheets[-1]["rows"] = []
    return {
        "players": page.Names(light=state.light, dark=state.dark),
        "variant": state.variant,
        "length": state.length,
        "score": page.Numbers(light=state.score[0], dark=state.score[1]),
        "position": None if state.position is None else page.board_of(state.position),
        "ids": position_ids(state),
        "to_move": None if state.to_move is None else state.to_move.value,
        "leftover": [] if state.to_move is None else list(state.leftover),
        "roll": _rolled(state, events),
        "void": _void_throw(events),
        "cube": cube_part(state),
        "result": _result(state, sheets),
        "call": _call(state),
        "place": page.place_of(state.place),
        "last_play": _last_play(state, sure=sure),
        "pips": None if pips is None else page.Numbers(light=pips[0], dark=pips[1]),
        "moves": rows,
        "games": sheets,
        "review": [*_turns_to_review(state, aids=aids), *_throws_to_review(events)],
    }


def dice_part(dice: Iterable[DieSeen]) -> list[page.Die]:
    """The dice on the board."""
    return [
        page.Die(
            value=die.value if die.confidence >= MIN_DIE_CONFIDENCE else None,
            player=None if die.side is None else die.side.value,
            flat=bool(die.flat >= 0.5),
            confidence=float(die.confidence),
            colour=None if die.appearance is None else hex_of(die.appearance.body),
        )
        for die in dice
    ]


def pending_part(made: PlayMade | None) -> page.Pending | None:
    """The play on the board that is not yet final."""
    if made is None:
        return None
    return page.Pending(player=made.player.value, play=made.play, dice=_faces(made))


def clock_part(state: MatchState, time: float) -> page.ClockShown | None:
    """The clock at `time` for the page, in whole seconds, so that it changes once a second."""
    if state.clock is None:
        return None
    clock = state.clock.at(time)
    return page.ClockShown(
        light=ceil(clock.light),
        dark=ceil(clock.dark),
        delay=ceil(clock.spare),
        runs=None if clock.runs is None else clock.runs.value,
    )


def phase_of(state: MatchState) -> page.Phase:
    """The page's name for the phase of the match; between games it is `playing`."""
    if state.phase is Phase.WAITING:
        return "waiting"
    return "ended" if state.phase is Phase.OVER and state.is_over else "playing"


def _rolled(state: MatchState, events: Sequence[Event]) -> page.RollShown | None:
    if state.phase is not Phase.TO_PLAY or state.roll is None or state.to_move is None:
        return None
    rolls = (event for event in reversed(events) if isinstance(event, engine.DiceRolled))
    newest = next(rolls, None)
    is_of_turn = newest is not None and newest.dice == state.roll
    confidence = newest.confidence if newest is not None and is_of_turn else 1.0
    return page.RollShown(player=state.to_move.value, dice=list(state.roll), confidence=confidence)


def _void_throw(events: Sequence[Event]) -> page.VoidThrow | None:
    """The newest throw if it is void; both players see the dice, so nothing about it is hidden."""
    for event in reversed(events):
        if isinstance(event, engine.DiceVoid):
            return _void_part(event, event.reason)
        if isinstance(event, engine.PrematureRoll) and not event.stands:
            return _void_part(event, "premature")
        if isinstance(event, ENDS_VOID_THROW):
            return None
    return None


def _void_part(event: engine.DiceVoid | engine.PrematureRoll, reason: str) -> page.VoidThrow:
    return page.VoidThrow(
        player=event.player.value,
        dice=list(event.dice),
        reason=reason,
        note=WHY_VOID.get(reason, reason),
    )


def cube_part(state: MatchState) -> page.CubeState | None:
    """The cube for the page and the desk; None if the game has no cube."""
    if not state.games or not state.rules.has_cube:
        return None
    owner, offer = state.cube.owner, state.cube.offer
    return page.CubeState(
        value=state.cube.value,
        owner=None if owner is None else owner.value,
        offered=None if offer is None else offer.value,
        by=None if offer is None else offer.by.value,
        crawford=state.is_crawford,
    )


def _call(state: MatchState) -> page.CallShown | None:
    call = state.call
    if call is None:
        return None
    return page.CallShown(
        player=None if call.player is None else call.player.value, contests=state.call_contests
    )


def _result(state: MatchState, sheets: Sequence[page.GameSheet]) -> page.ResultShown | None:
    """How the newest game ended, until another begins or the match is ended by hand."""
    is_stopped = state.was_closed and state.winner is None
    return sheets[-1]["result"] if sheets and state.phase is Phase.OVER and not is_stopped else None


def _last_play(state: MatchState, *, sure: bool) -> page.LastPlay | None:
    numbered = _numbered(state)
    played = [(n, t.event) for n, t in numbered if not t.rejected and t.game == state.games]
    if not played:
        return None
    number, made = played[-1]
    return page.LastPlay(
        id=str(number),
        player=made.player.value,
        play=made.play,
        dice=_faces(made),
        confidence=seen_confidence(made) if sure else None,
        review=made.review,
        legal=made.legal,
        rule=made.broken_rule if isinstance(made, engine.IllegalMade) else "",
        accepted=made.legal or state.phase is not Phase.DISPUTED,
    )


def _numbered(state: MatchState) -> list[tuple[int, Turn]]:
    """Every turn with its number in the match, which is its id on the page."""
    return list(enumerate(state.turns, start=1))


def _faces(made: PlayMade) -> page.DiceFaces | None:
    return None if made.dice is None else list(made.dice)


def _turns_to_review(state: MatchState, *, aids: bool) -> list[page.ReviewEntry]:
    return [
        _turn_to_review(number, turn.event, with_options=aids)
        for number, turn in _numbered(state)
        if turn.needs_review
    ]


def _turn_to_review(number: int, made: PlayMade, *, with_options: bool) -> page.ReviewEntry:
    rule = made.broken_rule if isinstance(made, engine.IllegalMade) else None
    return page.ReviewEntry(
        id=str(number),
        time=made.time,
        player=made.player.value,
        dice=_faces(made),
        play=made.play,
        alternatives=[
            page.PlayOption(play=other.play, confidence=other.confidence)
            for other in made.alternatives
            if with_options
        ],
        kind="doubt" if rule is None else "illegal",
        note=_why_uncertain(made) if rule is None else rule,
    )


def _why_uncertain(made: PlayMade) -> Message:
    if not made.legal:
        return SEEMS_ILLEGAL
    if made.dice is None:
        return msg("no dice were seen for this turn")
    if None in made.dice:
        return msg("a die could not be read")
    if made.alternatives:
        return msg("the pictures allow more than one play")
    return msg("the pictures are not conclusive")


def _throws_to_review(events: Sequence[Event]) -> list[page.ReviewEntry]:
    """The doubtful void throws; their numbers count no events that may be hidden."""
    still_open = {id(void) for void in open_throws(events)}
    voids = (event for event in events if isinstance(event, engine.DiceVoid))
    return [
        page.ReviewEntry(
            id=f"throw-{number}",
            time=event.time,
            player=event.player.value,
            dice=list(event.dice),
            play="",
            alternatives=[],
            kind="reroll",
            note=WHY_VOID.get(event.reason, event.reason),
        )
        for number, event in enumerate(voids)
        if id(event) in still_open
    ]
