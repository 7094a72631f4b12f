"""The report on a match: figures of both players, errors by kind, and the worst of them."""

from __future__ import annotations

from typing import Any, Final

from typing_extensions import TypedDict

from webui.contracts.analysis import (
    DECISION_KINDS,
    AnalysisResult,
    DecisionKind,
    ErrorMark,
    JudgedDecision,
    JudgedEvent,
    PlayerFigures,
)
from webui.i18n.locale import N_, format_decimal, gettext
from webui.i18n.messages import translate
from webui.views import phrases
from webui.views.replay import ShownMatch, ShownStep

WORST: Final = 12
"""Errors that are shown with their boards."""
KINDS: Final[dict[DecisionKind, str]] = {
    "play": N_("Checker play"),
    "no_double": N_("No double"),
    "double": N_("Double"),
    "take": N_("Take"),
    "drop": N_("Drop"),
}
ACTIONS: Final = {
    "no_double": N_("No double"),
    "double_take": N_("Double, take"),
    "double_drop": N_("Double, drop"),
}
MARKS: Final[dict[ErrorMark, str]] = {
    "doubtful": N_("doubtful"),
    "bad": N_("bad"),
    "very bad": N_("very bad"),
}


class FigureRow(TypedDict):
    """One figure of both players."""

    title: str
    light: str
    dark: str


class KindRow(TypedDict):
    """One kind of decision: for light and dark, the decisions, each mark's errors, the loss."""

    title: str
    light: list[str]
    dark: list[str]


class ErrorShown(TypedDict):
    """One of the worst errors."""

    step: str
    title: str
    player: str
    side: str
    kind: str
    made: str
    best: str
    loss: str
    mark: ErrorMark
    mark_text: str
    board: dict[str, Any]
    """The board before the decision, as `_board.html` takes it."""


class ReportView(TypedDict):
    """The whole report."""

    engine: str
    figures: list[FigureRow]
    kinds: list[KindRow]
    worst: list[ErrorShown]


def report_shown(match: ShownMatch, result: AnalysisResult) -> ReportView:
    """The report on a match of which every event has been judged."""
    return ReportView(
        engine=result["engine"],
        figures=_figures(result["light"], result["dark"]),
        kinds=[
            KindRow(
                title=gettext(KINDS[kind]),
                light=_errors(result["light"], kind),
                dark=_errors(result["dark"], kind),
            )
            for kind in DECISION_KINDS
        ],
        worst=_worst(match, result["events"]),
    )


def signed(value: float, digits: int = 3) -> str:
    """An equity with its sign."""
    return f"{'−' if value < 0 else '+'}{format_decimal(abs(value), digits)}"  # noqa: RUF001


def _figures(light: PlayerFigures, dark: PlayerFigures) -> list[FigureRow]:
    rows = (
        (gettext("Performance rating (PR)"), _rating(light), _rating(dark)),
        (gettext("Decisions"), str(light["decisions"]), str(dark["decisions"])),
        (
            gettext("Equity lost, in points"),
            format_decimal(light["error"], 3),
            format_decimal(dark["error"], 3),
        ),
        (
            gettext("Error rate, in thousandths per decision (mEMG)"),
            format_decimal(light["error_rate"], 1),
            format_decimal(dark["error_rate"], 1),
        ),
        (gettext("Luck, in points"), signed(light["luck"]), signed(dark["luck"])),
    )
    return [FigureRow(title=title, light=own, dark=other) for title, own, other in rows]


def _rating(figures: PlayerFigures) -> str:
    if not figures["decisions"]:
        return "–"  # noqa: RUF001
    return f"{format_decimal(figures['rating'], 2)} · {translate(figures['level'])}"


def _errors(figures: PlayerFigures, kind: DecisionKind) -> list[str]:
    found = figures[kind]
    counts = (found["decisions"], found["doubtful"], found["bad"], found["very_bad"])
    error = format_decimal(found["error"], 3) if found["decisions"] else ""
    return [*(str(count or "") for count in counts), error]


def _worst(match: ShownMatch, events: list[JudgedEvent]) -> list[ErrorShown]:
    index = {step["id"]: number for number, step in enumerate(match["steps"])}
    errors = [
        (decision, event)
        for event in events
        for decision in event["decisions"]
        if decision["mark"] and event.get("step") in index
    ]
    errors.sort(key=lambda pair: -pair[0]["loss"])
    return [_error(match, index[event["step"]], one) for one, event in errors[:WORST]]


def _error(match: ShownMatch, index: int, decision: JudgedDecision) -> ErrorShown:
    step, kind, words = match["steps"][index], decision["kind"], MARKS[decision["mark"]]
    turn = gettext("Turn %(number)s", number=step["turn"]) if step["turn"] else ""
    game = gettext("Game %(number)s", number=step["game"])
    return ErrorShown(
        step=step["id"],
        title=" · ".join(filter(None, (game, turn))),
        player=match["entry"]["players"][decision["player"]],
        side=decision["player"],
        kind=gettext(KINDS[kind]),
        made=phrases.play(step["play"]) if kind == "play" else gettext(KINDS[kind]),
        best=_choice(decision["best"]),
        loss=signed(-decision["loss"]),
        mark=decision["mark"],
        mark_text=gettext(words),
        board=_board(match, index, step, decision),
    )


def _choice(choice: str) -> str:
    return gettext(ACTIONS[choice]) if choice in ACTIONS else phrases.play(choice)


def _board(
    match: ShownMatch, index: int, step: ShownStep, decision: JudgedDecision
) -> dict[str, Any]:
    """The board before a play, with its dice unless the decision came before them."""
    shown = dict(step["shown"])
    if step["turn"] is not None and index:
        before = match["steps"][index - 1]["shown"]
        dice = step["shown"]["dice"] if decision["kind"] == "play" else []
        shown = {**before, "dice": dice, "numbers": step["shown"]["numbers"]}
    shown["colours"] = match["shown"]["colours"]
    return {"light_home": match["light_home"], "shown": shown}
