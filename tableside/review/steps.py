"""A recorded match as the review pages show it: its steps, review items and stills."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from engine import (
    DiceRolled,
    DiceVoid,
    Event,
    GameEnd,
    IllegalMade,
    MatchState,
    OpeningRolled,
    Phase,
    PlayMade,
    PrematureRoll,
    Side,
    Turn,
)
from engine.events.cup import CupDecided
from engine.message import Sentence, msg
from tableside.review.position_ids import position_ids
from tableside.review.review_items import (
    NO_PLAY_EXPLAINS,
    WHY_VOID,
    ItemStill,
    ReviewItem,
    seen_confidence,
)
from tableside.review.stills import StillKeeper
from webui.contracts.archive import (
    CubeShown,
    MatchStep,
    ReviewItemShown,
    StepKind,
    StillLabel,
    StillShown,
)
from webui.contracts.state import Die, Numbers, PlayOption, board_of

TOO_EARLY: Final = msg("rolled before the opponent's turn had ended")
STEP_KINDS: Final[dict[str, StepKind]] = {
    "game_start": "start", "opening": "opening", "roll": "roll", "reroll": "void",
    "premature": "void", "play": "play", "illegal": "illegal", "rejected": "rejected",
    "take_back": "taken_back", "double": "double", "beaver": "beaver", "raccoon": "raccoon",
    "take": "take", "drop": "drop", "resign": "resign", "position_set": "set",
    "unfinished": "broken_off", "resumed": "resumed", "game_end": "end", "draw": "end",
    "match_end": "match_end", "cup_decided": "cup_decided",
}  # fmt: skip
"""By event type; events of other types have no step."""


@dataclass(slots=True)
class MatchSteps:
    """The steps of a match, and the step of each event."""

    steps: list[MatchStep] = field(default_factory=list)
    ids: dict[int, str] = field(default_factory=dict)
    """The step ids by the `id()` of an event; one without its own step has the previous one."""

    def of(self, event: Event) -> str:
        """The id of an event's step; empty before the first."""
        return self.ids.get(id(event), "")


def match_steps(
    effective: Sequence[Event],
    states: Sequence[MatchState],
    turns: Sequence[Turn],
    *,
    aids: bool,
    tells: bool,
) -> MatchSteps:
    """The steps of a match's effective events.

    states: the match after each. turns: those the reader may see, one for each play.
    aids: whether pip counts and confidences are shown. tells: whether hints at an illegal play are
    allowed, such as how sure a play is.
    """
    found = MatchSteps()
    for number, (event, state) in enumerate(zip(effective, states, strict=True), start=1):
        if _has_step(event, state, is_last=number == len(effective)):
            turn = turns[len(state.turns) - 1] if isinstance(event, PlayMade) else None
            sure = aids and (tells or turn is None)
            found.steps.append(_step(len(found.steps), event, turn, state, aids=aids, sure=sure))
        if found.steps:
            found.ids[id(event)] = found.steps[-1]["id"]
    return found


def _has_step(event: Event, state: MatchState, *, is_last: bool) -> bool:
    match event:
        case DiceRolled():  # earlier rolls are shown with their play
            return is_last and state.phase is Phase.TO_PLAY
        case PrematureRoll():
            return not event.stands
        case _:
            return event.type in STEP_KINDS


def _step(
    index: int, event: Event, turn: Turn | None, state: MatchState, *, aids: bool, sure: bool
) -> MatchStep:
    """The step of an event; `turn`: the turn of a play, as far as the reader may see it.

    sure: whether its confidence is shown.
    """
    shown = event if turn is None else turn.event
    player = getattr(shown, "player", getattr(shown, "winner", None))
    pips = state.pips if aids else None
    return {
        "id": f"step-{index}" if turn is None else f"turn-{len(state.turns)}",
        "kind": STEP_KINDS[shown.type],
        "game": state.games,
        "turn": None if turn is None else len(state.turns),
        "player": None if player is None else player.value,
        "dice": _dice(shown),
        "play": getattr(shown, "play", ""),
        "note": _note(shown),
        "points": getattr(shown, "points", getattr(shown, "value", 0)),
        "time": event.time,
        "confidence": seen_confidence(shown) if sure else None,
        "review": getattr(shown, "review", False),
        "is_rejected": turn is not None and turn.rejected,
        "is_crawford": state.is_crawford,
        "position": None if state.position is None else board_of(state.position),
        "cube": _cube(state),
        "score": Numbers(light=state.score[0], dark=state.score[1]),
        "pips": None if pips is None else Numbers(light=pips[0], dark=pips[1]),
        "ids": position_ids(state),
    }


def _cube(state: MatchState) -> CubeShown | None:
    if not state.rules.has_cube:
        return None
    cube = state.cube
    return CubeShown(
        value=cube.value,
        owner=None if cube.owner is None else cube.owner.value,
        offered=None if cube.offer is None else cube.offer.value,
    )


def _dice(event: Event) -> list[Die]:
    if isinstance(event, OpeningRolled):
        return [_die(Side.LIGHT, event.light), _die(Side.DARK, event.dark)]
    if not isinstance(event, DiceRolled | DiceVoid | PrematureRoll | PlayMade | CupDecided):
        return []
    is_flat = not (isinstance(event, DiceVoid) and event.reason == "cocked")
    return [_die(event.player, value, is_flat=is_flat) for value in event.dice or ()]


def _die(player: Side, value: int | None, *, is_flat: bool = True) -> Die:
    return Die(value=value, player=player.value, flat=is_flat, confidence=1.0, colour=None)


def _note(event: Event) -> Sentence:
    match event:
        case IllegalMade():
            return event.broken_rule
        case DiceVoid():
            return WHY_VOID.get(event.reason, event.reason)
        case PrematureRoll():
            return TOO_EARLY
        case GameEnd():
            return event.result
        case CupDecided():
            return event.source
        case _:
            return ""


def visible_items(items: Sequence[ReviewItem], visible: MatchState) -> list[ReviewItem]:
    """The items that players may see; `visible`: the match as far as they may see it."""
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

    aids: whether confidences and alternatives are shown. tells: whether hints at an illegal play
    are allowed.
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
        "confidence": seen_confidence(made) if made is not None and aids else None,
        "time": item.event.time,
        "why": [why for why in item.why if tells or why != NO_PLAY_EXPLAINS],
        "rule": item.rule,
        "alternatives": [
            PlayOption(play=other.play, confidence=other.confidence) for other in others
        ],
        "stills": [still_shown(still, stills) for still in item.stills],
        "clip": item.event.frame if stills.has_clip(item.event) else None,
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
