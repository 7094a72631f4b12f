"""Sums of judged events: what each player lost, by kind of decision, and won by the dice."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from engine.message import Sentence, msg
from engine.position import Side
from webui.contracts.analysis import (
    DECISION_KINDS,
    AnalysisResult,
    ErrorFigures,
    JudgedDecision,
    JudgedEvent,
    PlayerFigures,
)

RATING_FACTOR: Final = 500
"""eXtreme Gammon's: its PR is 500 times the equity lost per decision."""
LEVELS: Final = (
    (2.5, msg("World champion")),
    (5.0, msg("World class")),
    (7.5, msg("Expert")),
    (12.5, msg("Advanced")),
    (17.5, msg("Intermediate")),
    (22.5, msg("Casual player")),
    (30.0, msg("Beginner")),
)
"""eXtreme Gammon's words for a PR below each figure."""
LAST_LEVEL: Final = msg("Distracted")
_DIGITS: Final = 4


def summed(engine: str, events: Sequence[JudgedEvent]) -> AnalysisResult:
    """The result of a match, or of as much of it as has been judged."""
    light, dark = (player_figures(events, side) for side in Side)
    return AnalysisResult(engine=engine, light=light, dark=dark, events=list(events))


def player_figures(events: Iterable[JudgedEvent], side: Side) -> PlayerFigures:
    """The figures of one side's player."""
    events = list(events)
    mine = [
        decision
        for event in events
        for decision in event["decisions"]
        if decision["player"] == side.value and decision["counts"]
    ]
    luck = sum(event["luck"] or 0.0 for event in events if event["player"] == side.value)
    return figures_of(mine, luck)


def figures_of(decisions: Sequence[JudgedDecision], luck: float) -> PlayerFigures:
    """The figures of the decisions that count."""
    error = sum(decision["loss"] for decision in decisions)
    mean = error / len(decisions) if decisions else 0.0
    rating = RATING_FACTOR * mean
    play, no_double, double, take, drop = (
        _errors([one for one in decisions if one["kind"] == kind]) for kind in DECISION_KINDS
    )
    return PlayerFigures(
        decisions=len(decisions),
        error=round(error, _DIGITS),
        error_rate=round(1000 * mean, 2),
        rating=round(rating, 2),
        level=level(rating) if decisions else "",
        luck=round(luck, _DIGITS),
        play=play,
        no_double=no_double,
        double=double,
        take=take,
        drop=drop,
    )


def level(rating: float) -> Sentence:
    """A performance rating in words."""
    return next((words for below, words in LEVELS if rating < below), LAST_LEVEL)


def _errors(decisions: Sequence[JudgedDecision]) -> ErrorFigures:
    marks = [decision["mark"] for decision in decisions]
    return ErrorFigures(
        decisions=len(decisions),
        error=round(sum(decision["loss"] for decision in decisions), _DIGITS),
        doubtful=marks.count("doubtful"),
        bad=marks.count("bad"),
        very_bad=marks.count("very bad"),
    )
