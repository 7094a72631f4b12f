"""What is doubtful of a match, as the review pages tell it."""

from __future__ import annotations

from collections.abc import Sequence

from engine import IllegalMade, MatchState, PlayMade, Turn
from tableside.review.review_items import NO_PLAY_EXPLAINS, ItemStill, ReviewItem
from tableside.review.steps import MatchSteps
from tableside.review.stills import StillKeeper
from webui.contracts import archive as pages
from webui.contracts.state import PlayOption


def may_be_told(things: Sequence[ReviewItem], known: MatchState) -> list[ReviewItem]:
    """Those that the players may know of: `known` is the match as they may see it."""
    return [
        one
        for one in things
        if not isinstance(one.event, IllegalMade) or not _turn(one, known).event.legal
    ]


def _turn(one: ReviewItem, known: MatchState) -> Turn:
    assert one.turn is not None, "a play has a turn"  # noqa: S101
    return known.turns[one.turn - 1]


def doubtful_told(
    one: ReviewItem, steps: MatchSteps, stills: StillKeeper, *, aids: bool, tells: bool
) -> pages.ReviewItemShown:
    """One thing to look at.

    aids: whether it is told how sure a play is and what else it may have been. tells: whether
    anything may hint at an illegal play.
    """
    made = one.event if isinstance(one.event, PlayMade) else None
    others = made.alternatives if made is not None and aids else ()
    return {
        "step": steps.of(one.event),
        "kind": one.kind,  # type: ignore[typeddict-item]
        "review": one.is_open,
        "game": one.game,
        "turn": one.turn if made is not None else None,
        "player": None if one.player is None else one.player.value,
        "dice": None if one.dice is None else list(one.dice),
        "play": "" if made is None else made.play,
        "confidence": made.confidence if made is not None and aids else None,
        "time": one.event.time,
        "why": [why for why in one.why if tells or why != NO_PLAY_EXPLAINS],
        "rule": one.rule,
        "alternatives": [
            PlayOption(play=other.play, confidence=other.confidence) for other in others
        ],
        "stills": [still_told(shot, stills) for shot in one.shots],
    }


def still_told(shot: ItemStill, stills: StillKeeper) -> pages.StillShown:
    """A still as the pages are told it."""
    moment = shot.moment
    width, height = moment.size
    return pages.StillShown(
        frame=moment.frame,
        shows=shot.shows,
        time=moment.seconds,
        width=width,
        height=height,
        is_kept=stills.has(moment),
        marks=[
            pages.StillLabel(x=m.x, y=m.y, kind=m.kind, text=m.text, sure=m.sure)
            for m in moment.marks
        ],
    )
