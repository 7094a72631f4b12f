"""A recorded match as the review pages show it: its steps, review items and stills."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from typing_extensions import TypedDict

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
from engine.match.fold import apply_event
from engine.message import Sentence, msg
from tableside.review.review_items import NO_PLAY_EXPLAINS, WHY_VOID, ItemStill, ReviewItem
from tableside.review.stills import StillKeeper
from webui.contracts.archive import (
    CubeShown,
    MatchStep,
    ReviewItemShown,
    StepKind,
    StillLabel,
    StillShown,
)
from webui.contracts.state import Die, Numbers, PlayOption, SideName, board_of

TOO_EARLY: Final = msg("thrown before the opponent's turn had ended")
CUBE_KINDS: Final[dict[type[Event], StepKind]] = {
    Doubled: "double",
    Beavered: "beaver",
    Raccooned: "raccoon",
    DoubleTaken: "take",
    DoubleDropped: "drop",
}


class _Details(TypedDict, total=False):
    """The fields of a `MatchStep` that its event determines."""

    kind: StepKind
    turn: int | None
    player: SideName | None
    dice: list[Die]
    play: str
    note: Sentence
    points: int
    confidence: float | None
    review: bool
    is_rejected: bool


@dataclass(slots=True)
class MatchSteps:
    """The steps of a match, and the step of each event."""

    steps: list[MatchStep] = field(default_factory=list)
    ids: dict[int, str] = field(default_factory=dict)
    """By `id()` of an event; one without a step of its own has the step before it."""

    def of(self, event: Event) -> str:
        """The id of the step of an event; empty before the first."""
        return self.ids.get(id(event), "")


def match_steps(
    effective: Sequence[Event], blank: MatchState, turns: Sequence[Turn], *, aids: bool
) -> MatchSteps:
    """The steps of a match's effective events.

    blank: the match before its first event. turns: as the reader may see them, one for each play.
    aids: whether pip counts and confidences are shown.
    """
    found = MatchSteps()
    state = blank
    for number, event in enumerate(effective, start=1):
        state = apply_event(state, event)
        is_last = number == len(effective)
        details = _details(event, state, turns, is_last=is_last)
        if details is not None:
            found.steps.append(_step(len(found.steps), event, state, details, aids=aids))
        if found.steps:
            found.ids[id(event)] = found.steps[-1]["id"]
    return found


def _step(
    index: int, event: Event, state: MatchState, details: _Details, *, aids: bool
) -> MatchStep:
    turn = details.get("turn")
    pips = state.pips if aids else None
    blank: MatchStep = {
        "id": f"step-{index}" if turn is None else f"turn-{turn}",
        "kind": "start",
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
    step: MatchStep = {**blank, **details}
    if not aids:
        step["confidence"] = None
    return step


def _cube(state: MatchState) -> CubeShown:
    cube = state.cube
    return CubeShown(
        value=cube.value,
        owner=None if cube.owner is None else cube.owner.value,
        offered=None if cube.offer is None else cube.offer.value,
    )


def _details(
    event: Event, state: MatchState, turns: Sequence[Turn], *, is_last: bool
) -> _Details | None:
    """What the event determines of its step; None if it has no step of its own."""
    match event:
        case PlayMade():
            return _play(len(state.turns), turns[len(state.turns) - 1])
        case OpeningRolled() | DiceRolled() | DiceVoid() | PrematureRoll():
            return _throw(event, state, is_last=is_last)
        case Doubled() | Beavered() | Raccooned():
            kind = CUBE_KINDS[type(event)]
            return {"kind": kind, "player": event.player.value, "points": event.value}
        case DoubleTaken() | DoubleDropped():
            return {"kind": CUBE_KINDS[type(event)], "player": event.player.value}
        case GameEnd() | GameDrawn() | MatchEnd() | Resigned():
            return _end(event)
        case _:
            return _manual(event)


def _play(number: int, turn: Turn) -> _Details:
    made = turn.event
    return {
        "kind": "play" if made.legal else "illegal",
        "turn": number,
        "player": made.player.value,
        "dice": [] if made.dice is None else list(_dice(made.player, made.dice)),
        "play": made.play,
        "note": made.broken_rule if isinstance(made, IllegalMade) else "",
        "confidence": made.confidence,
        "review": made.review,
        "is_rejected": turn.rejected,
    }


def _throw(
    event: OpeningRolled | DiceRolled | DiceVoid | PrematureRoll,
    state: MatchState,
    *,
    is_last: bool,
) -> _Details | None:
    match event:
        case OpeningRolled():
            dice = [_die(Side.LIGHT, event.light), _die(Side.DARK, event.dark)]
            return {"kind": "opening", "dice": dice}
        case DiceRolled():  # earlier ones are shown with their play
            if not is_last or state.phase is not Phase.TO_PLAY:
                return None
            thrown = _thrown("roll", event.player, event.dice)
            return {**thrown, "confidence": event.confidence}
        case DiceVoid():
            why = WHY_VOID.get(event.reason, event.reason)
            is_flat = event.reason != "cocked"
            return {**_thrown("void", event.player, event.dice, is_flat=is_flat), "note": why}
        case PrematureRoll():
            if event.stands:
                return None
            return {**_thrown("void", event.player, event.dice), "note": TOO_EARLY}


def _thrown(kind: StepKind, player: Side, dice: Dice, *, is_flat: bool = True) -> _Details:
    shown = list(_dice(player, dice, is_flat=is_flat))
    return {"kind": kind, "player": player.value, "dice": shown}


def _dice(player: Side, dice: Dice, *, is_flat: bool = True) -> Iterator[Die]:
    return (_die(player, value, is_flat=is_flat) for value in dice)


def _die(player: Side, value: int | None, *, is_flat: bool = True) -> Die:
    return Die(value=value, player=player.value, flat=is_flat, confidence=1.0, colour=None)


def _end(event: GameEnd | GameDrawn | MatchEnd | Resigned) -> _Details:
    match event:
        case GameEnd():
            return {
                "kind": "end",
                "player": event.winner.value,
                "points": event.points,
                "note": event.result,
            }
        case GameDrawn():
            return {"kind": "end", "points": event.points}
        case MatchEnd():
            return {"kind": "match_end", "player": event.winner.value}
        case Resigned():
            return {"kind": "resign", "player": event.player.value, "points": event.points}


def _manual(event: Event) -> _Details | None:
    match event:
        case GameStart():
            return {"kind": "start"}
        case PlayRejected() | TakenBack():
            kind: StepKind = "rejected" if isinstance(event, PlayRejected) else "taken_back"
            return {"kind": kind, "player": event.player.value}
        case CupDecided():
            return {**_thrown("cup_decided", event.player, event.dice), "note": event.source}
        case PositionSet() | Unfinished():
            return {"kind": "set" if isinstance(event, PositionSet) else "broken_off"}
        case Resumed():
            return {"kind": "resumed", "player": event.player.value}
        case _:
            return None


def visible_items(items: Sequence[ReviewItem], visible: MatchState) -> list[ReviewItem]:
    """The items that players may see; `visible`: the match as they may see it."""
    return [
        item
        for item in items
        if not isinstance(item.event, IllegalMade) or not _turn(item, visible).event.legal
    ]


def _turn(item: ReviewItem, match: MatchState) -> Turn:
    assert item.turn is not None, "a play has a turn"  # noqa: S101
    return match.turns[item.turn - 1]


def item_shown(
    item: ReviewItem, steps: MatchSteps, stills: StillKeeper, *, aids: bool, tells: bool
) -> ReviewItemShown:
    """The item as the pages show it.

    aids: whether confidences and alternatives are shown. tells: whether anything may hint at an
    illegal play.
    """
    made = item.event if isinstance(item.event, PlayMade) else None
    others = made.alternatives if made is not None and aids else ()
    return {
        "step": steps.of(item.event),
        "kind": item.kind,  # type: ignore[typeddict-item]
        "review": item.is_open,
        "game": item.game,
        "turn": item.turn if made is not None else None,
        "player": None if item.player is None else item.player.value,
        "dice": None if item.dice is None else list(item.dice),
        "play": "" if made is None else made.play,
        "confidence": made.confidence if made is not None and aids else None,
        "time": item.event.time,
        "why": [why for why in item.why if tells or why != NO_PLAY_EXPLAINS],
        "rule": item.rule,
        "alternatives": [
            PlayOption(play=other.play, confidence=other.confidence) for other in others
        ],
        "stills": [still_shown(still, stills) for still in item.stills],
    }


def still_shown(shown: ItemStill, stills: StillKeeper) -> StillShown:
    """The still as the pages show it."""
    still = shown.still
    width, height = still.size
    return StillShown(
        frame=still.frame,
        shows=shown.shows,
        time=still.seconds,
        width=width,
        height=height,
        is_kept=stills.has(still),
        marks=[
            StillLabel(x=m.x, y=m.y, kind=m.kind, text=m.text, sure=m.sure) for m in still.marks
        ],
    )
