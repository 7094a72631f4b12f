"""A match step by step, as the review pages replay it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from engine import (
    Beavered,
    DiceRolled,
    DiceVoid,
    Doubled,
    DoubleDropped,
    DoubleTaken,
    Event,
    GameDrawn,
    GameEnd,
    GameStart,
    IllegalMade,
    MatchEnd,
    MatchState,
    OpeningRolled,
    Phase,
    PlayMade,
    PrematureRoll,
    Raccooned,
    Resigned,
    Resumed,
    Side,
    TakenBack,
    Turn,
    Unfinished,
)
from engine.events.cup import CupDecided
from engine.events.match import Dice, PlayRejected
from engine.events.record import PositionSet
from tableside.review.review_items import WHY_VOID
from webui.contracts.archive import CubeShown, MatchStep
from webui.contracts.state import Die, Numbers, board_of

TOO_EARLY: Final = "thrown before the opponent's turn had ended"


@dataclass(slots=True)
class MatchSteps:
    """The steps of a match, and to which of them each event belongs."""

    steps: list[MatchStep] = field(default_factory=list)
    ids: dict[int, str] = field(default_factory=dict)
    """By `id()` of an event; one without a step of its own has the one before it."""

    def of(self, event: Event) -> str:
        """The id of the step of an event; empty before the first."""
        return self.ids.get(id(event), "")


def match_steps(
    standing: Sequence[Event], blank: MatchState, turns: Sequence[Turn], *, aids: bool
) -> MatchSteps:
    """Every step of the events that stand.

    blank: the match before its first event. turns: as they may be told, one for each play.
    aids: whether pips and probabilities may be seen.
    """
    found = MatchSteps()
    state = blank
    for number, event in enumerate(standing, start=1):
        state = state.after(event)
        is_last = number == len(standing)
        told = _told(event, state, turns, is_last=is_last)
        if told is not None:
            found.steps.append(_step(len(found.steps), event, state, told, aids=aids))
        if found.steps:
            found.ids[id(event)] = found.steps[-1]["id"]
    return found


def _step(
    index: int, event: Event, state: MatchState, told: dict[str, Any], *, aids: bool
) -> MatchStep:
    turn = told.get("turn")
    pips = state.pips if aids else None
    plain: dict[str, Any] = {
        "id": f"step-{index}" if turn is None else f"turn-{turn}",
        "game": state.games,
        "turn": None,
        "player": None,
        "dice": [],
        "play": "",
        "note": "",
        "points": 0,
        "time": event.time,
        "confidence": None,
        "review": False,
        "is_rejected": False,
        "is_crawford": state.is_crawford,
        "position": None if state.position is None else board_of(state.position),
        "cube": _cube(state),
        "score": Numbers(light=state.score[0], dark=state.score[1]),
        "pips": None if pips is None else Numbers(light=pips[0], dark=pips[1]),
    }
    unseen = {} if aids else {"confidence": None}
    step: MatchStep = {**plain, **told, **unseen}  # type: ignore[typeddict-item]
    return step


def _cube(state: MatchState) -> CubeShown:
    cube = state.cube
    return CubeShown(
        value=cube.value,
        owner=None if cube.owner is None else cube.owner.value,
        offered=None if cube.offer is None else cube.offer.value,
    )


def _told(
    event: Event, state: MatchState, turns: Sequence[Turn], *, is_last: bool
) -> dict[str, Any] | None:
    """What is told of an event; None for one that is no step."""
    match event:
        case PlayMade():
            return _play(len(state.turns), turns[len(state.turns) - 1])
        case OpeningRolled() | DiceRolled() | DiceVoid() | PrematureRoll():
            return _throw(event, state, is_last=is_last)
        case Doubled() | Beavered() | Raccooned():
            return {"kind": event.type, "player": event.player.value, "points": event.value}
        case DoubleTaken() | DoubleDropped():
            return {"kind": event.type, "player": event.player.value}
        case GameEnd() | GameDrawn() | MatchEnd() | Resigned():
            return _end(event)
        case _:
            return _said(event)


def _play(number: int, turn: Turn) -> dict[str, Any]:
    made = turn.event
    return {
        "kind": "play" if made.legal else "illegal",
        "turn": number,
        "player": made.player.value,
        "dice": [] if made.dice is None else list(_dice(made.player, made.dice)),
        "play": made.play,
        "note": made.rule if isinstance(made, IllegalMade) else "",
        "confidence": made.confidence,
        "review": made.review,
        "is_rejected": turn.rejected,
    }


def _throw(
    event: OpeningRolled | DiceRolled | DiceVoid | PrematureRoll,
    state: MatchState,
    *,
    is_last: bool,
) -> dict[str, Any] | None:
    match event:
        case OpeningRolled():
            dice = [_die(Side.LIGHT, event.light), _die(Side.DARK, event.dark)]
            return {"kind": "opening", "dice": dice}
        case DiceRolled():  # of others the play tells
            if not is_last or state.phase is not Phase.TO_PLAY:
                return None
            return _thrown("roll", event.player, event.dice, confidence=event.confidence)
        case DiceVoid():
            why = WHY_VOID.get(event.reason, event.reason)
            is_flat = event.reason != "cocked"
            return _thrown("void", event.player, event.dice, note=why, is_flat=is_flat)
        case PrematureRoll():
            if event.stands:
                return None
            return _thrown("void", event.player, event.dice, note=TOO_EARLY)


def _thrown(
    kind: str, player: Side, dice: Dice, *, is_flat: bool = True, **more: Any
) -> dict[str, Any]:
    shown = list(_dice(player, dice, is_flat=is_flat))
    return {"kind": kind, "player": player.value, "dice": shown, **more}


def _dice(player: Side, dice: Dice, *, is_flat: bool = True) -> Iterator[Die]:
    return (_die(player, value, is_flat=is_flat) for value in dice)


def _die(player: Side, value: int | None, *, is_flat: bool = True) -> Die:
    return Die(value=value, player=player.value, flat=is_flat, confidence=1.0, colour=None)


def _end(event: GameEnd | GameDrawn | MatchEnd | Resigned) -> dict[str, Any]:
    match event:
        case GameEnd():
            note, winner = event.result, event.winner.value
            return {"kind": "end", "player": winner, "points": event.points, "note": note}
        case GameDrawn():
            return {"kind": "end", "points": event.points}
        case MatchEnd():
            return {"kind": "match_end", "player": event.winner.value}
        case Resigned():
            return {"kind": "resign", "player": event.player.value, "points": event.points}


def _said(event: Event) -> dict[str, Any] | None:
    match event:
        case GameStart():
            return {"kind": "start"}
        case PlayRejected() | TakenBack():
            kind = "rejected" if isinstance(event, PlayRejected) else "taken_back"
            return {"kind": kind, "player": event.player.value}
        case CupDecided():
            return _thrown(event.type, event.player, event.dice, note=event.source)
        case PositionSet() | Unfinished():
            return {"kind": "set" if isinstance(event, PositionSet) else "broken_off"}
        case Resumed():
            return {"kind": "resumed", "player": event.player.value}
        case _:
            return None
