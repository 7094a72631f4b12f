"""Findings about dice as the page and the report draw them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from engine.fairness.compare import GroupComparison, compare
from engine.fairness.findings import (
    FALSE_DISCOVERY_RATE,
    JUDGED_KINDS,
    Findings,
    Group,
    LiveFinding,
)
from engine.fairness.pairs import PairTests
from engine.fairness.report_json import REPORTED_BIASES
from engine.fairness.verdict import (
    Sign,
    ceil_percent,
    doubles_message,
    family_of,
    is_luck_doubtful,
    more_rolls,
    order_message,
    sign_of,
)
from webui.contracts.dice import LiveDice
from webui.i18n.locale import format_decimal, format_integer, gettext, ngettext
from webui.views import dice_phrases as words
from webui.views.dice_plots import (
    LINES,
    axis_dots,
    evidence_curve,
    face_dots,
    face_limit,
    landing_map,
)

STEPS: Final = (2.0, 3.0, 4.0)
"""Numbers of standard errors from which a cell is colored a little, more, most."""


def dice_shown(found: Findings, *, is_live: bool = False) -> dict[str, Any]:
    """Everything that a template needs; `is_live`: only what may be looked at after every roll."""
    dice = found.groups["dice"]
    shown = {
        "is_live": is_live,
        "summary": words.summary(_signs(found, is_live)),
        "dice": [unit_shown(unit, found, "dice", is_live) for unit in dice],
        "players": [
            unit_shown(unit, found, "players", is_live) for unit in found.groups["players"]
        ],
        "cups": [unit_shown(unit, found, "cups", is_live) for unit in found.groups["cups"]],
        "pairs": [pair_shown(pair, found, is_live) for pair in found.pairs],
        "curve": _curve(found) if dice else "",
        "judged_together": words.judged_together(found.judged_together),
        "curves_left_out": _left_out(len(dice) - LINES),
        "comparisons": [comparison_shown(one, is_live) for one in _compared(found)],
        "maps": [
            {
                "name": words.called(name, "dice"),
                "count": format_integer(len(places)),
                "map": landing_map(places),
            }
            for name, places in found.places.items()
        ],
        "log": words.log_lines(found),
        "family": [],
        "asked": words.asked(found.family, is_final=found.is_final),
        # Numbers used in sentences.
        "thousand": format_integer(1_000),
        "five_thousand": format_integer(5_000),
    }
    if not is_live:
        shown["family"] = [
            {
                "of": words.asked_of(test),
                "question": words.question(test),
                "p": words.p_value(test.p),
                "q": words.p_value(test.q),
                "is_finding": found.is_final and test.q <= FALSE_DISCOVERY_RATE,
            }
            for test in sorted(found.family, key=lambda test: test.p)
        ]
    return shown


def _signs(found: Findings, is_live: bool) -> list[Sign]:
    """The sign of each die and cup."""
    return [
        sign_of(unit, family_of(unit, kind, found), is_final=found.is_final and not is_live)
        for kind in JUDGED_KINDS
        for unit in found.groups[kind]
    ]


def _curve(found: Findings) -> Markup:
    curves = [(words.called(unit.name, "dice"), unit.evidence) for unit in found.groups["dice"]]
    return evidence_curve(curves, rolls=gettext("rolls"), judged_together=found.judged_together)


def _left_out(count: int) -> str:
    """A note about curves for which there is no room; empty if all are drawn."""
    if count <= 0:
        return ""
    return ngettext(
        "%(num)s die with weaker evidence is not shown.",
        "%(num)s dice with weaker evidence are not shown.",
        count,
    )


def _compared(found: Findings) -> Sequence[GroupComparison]:
    """The comparisons found; a single die is shown alone."""
    if found.comparisons:
        return found.comparisons
    return [
        compare(kind, tuple(unit.name for unit in units), _outcomes(units))
        for kind, units in found.groups.items()
        if kind == "dice" and units
    ]


def _outcomes(units: Sequence[Group]) -> NDArray[np.int64]:
    return np.stack([unit.tally.counts for unit in units])


def unit_shown(unit: Group, found: Findings, kind: str, is_live: bool) -> dict[str, Any]:
    """One die, player or cup: a verdict, its bars and its figures."""
    family = family_of(unit, kind, found)
    name, is_final = words.called(unit.name, kind), found.is_final and not is_live
    return {
        **_watched(
            unit,
            name,
            sign_of(unit, family, is_final=is_final),
            face_limit(found.groups[kind]),
        ),
        "axes": axis_dots(unit, name),
        "verdict": words.verdict(unit, family, is_final=is_final),
        "bounds": [
            gettext("%(low)s to %(high)s", low=words.share(low), high=words.share(high))
            for low, high in unit.bounds.tolist()
        ],
        "counts": [format_integer(count) for count in unit.tally.counts.tolist()],
        "order": words.finding(order_message(unit, found.dependence_limit)),
        "more": [
            {
                "bias": ceil_percent(bias),
                "rolls": format_integer(
                    more_rolls(
                        int(unit.tally.effective_rolls),
                        bias,
                        judged_together=unit.judged_together,
                        is_final=is_final,
                    )
                ),
            }
            for bias in REPORTED_BIASES
        ],
        "tests": [] if is_live else _tests(unit),
        "luck": words.luck(unit, is_doubtful=is_luck_doubtful(unit, found)),
        "follows": None
        if is_live or unit.sequence is None
        else heat(unit.sequence.table, _margins(unit.sequence.table)),
    }


def _watched(unit: LiveFinding, name: str, sign: Sign, limit: float) -> dict[str, Any]:
    """What may be shown after every roll, except the verdict; limit: of the plot of faces."""
    is_judged = not isinstance(unit, Group) or unit.is_judged
    return {
        "key": unit.name,
        "name": name,
        "rolls": words.rolls(unit.rolls),
        "state": sign.value,
        "flag": gettext(words.SIGNS[sign]) if is_judged else "",
        "is_pooled": unit.is_pooled,
        "faces": face_dots(unit, name, limit),
        "e": words.e_value(unit.evidence.log_last),
        "largest": words.e_value(unit.evidence.log_largest),
    }


def playing_shown(playing: LiveDice) -> dict[str, Any]:
    """A match in play: only what may be looked at after every roll."""
    named = [(words.called(die.name, "dice"), die, own) for die, own in playing.dice]
    limit = face_limit(die for die, _ in playing.dice)
    return {
        "match": playing.match,
        "title": words.title(playing.players),
        "curve": evidence_curve(
            [(name, die.evidence) for name, die, _ in named],
            rolls=gettext("rolls in this match"),
            judged_together=max(1, len(named)),
            wide=380,
        ),
        "dice": [
            {
                **_watched(die, name, sign_of(die), limit),
                "verdict": words.verdict(die),
                "own": words.e_value(own),
            }
            for name, die, own in named
        ],
    }


def _tests(unit: Group) -> list[dict[str, str]]:
    return [
        {
            "name": name,
            "value": format_decimal(test.value, 2),
            "df": str(test.df),
            "p": words.p_value(test.p),
            "method": gettext(words.METHODS[test.method]) if test.method in words.METHODS else "",
        }
        for name, test in words.test_names(unit)
    ]


def pair_shown(pair: PairTests, found: Findings, is_live: bool) -> dict[str, Any]:
    """Two dice thrown together: their 36 outcomes, doubles, independence."""
    table = pair.table.astype(np.float64)
    even = np.full((6, 6), pair.throws / 36)
    if pair.is_alike:  # 6-1 and 1-6 are one outcome, drawn once
        table = np.triu(table + table.T, 1) + np.diag(np.diag(table))
        even = np.triu(2 * even, 1) + np.diag(np.diag(even))
    names = [words.called(name, "dice") for name in pair.dice]
    return {
        "name": names[0] if pair.is_alike else words.both(names),
        "axes": gettext("lower number down, higher number across")
        if pair.is_alike
        else gettext("%(rows)s down, %(columns)s across", rows=names[0], columns=names[1]),
        "throws": words.throws(pair.throws),
        "doubles": words.doubles(pair),
        "finding": words.finding(doubles_message(pair, found.dependence_limit)),
        "heat": heat(table, even),
        "p": None if is_live else words.pair_ps(pair),
    }


def comparison_shown(one: GroupComparison, is_live: bool) -> dict[str, Any]:
    """Several dice or players: the shares of each one's faces, side by side."""
    rolls = one.counts.sum(axis=1)
    even = np.repeat(rolls[:, None] / 6, 6, axis=1)
    cells = heat(one.counts, even)
    for row, count in zip(cells, rolls, strict=True):
        for cell in row:
            cell["text"] = format_decimal(100 * cell["count"] / count, 1)
    return {
        "caption": ". ".join(words.comparison(one, is_live=is_live)),
        "lines": [
            {"name": words.called(name, one.what), "rolls": format_integer(count), "cells": row}
            for name, count, row in zip(one.names, rolls.tolist(), cells, strict=True)
        ],
    }


def heat(
    seen: NDArray[np.int64] | NDArray[np.float64], expected: NDArray[np.float64]
) -> list[list[dict[str, Any]]]:
    """Each cell's count, and its deviation from `expected` in standard errors, as a step -3..3."""
    off = (seen - expected) / np.sqrt(np.maximum(expected, 1e-9))
    level = np.sign(off) * sum((np.abs(off) >= step).astype(int) for step in STEPS)
    return [
        [
            {
                "count": int(seen[row, column]),
                "text": format_integer(int(seen[row, column])) if expected[row, column] else "",
                "level": int(level[row, column]) if expected[row, column] else 0,
            }
            for column in range(seen.shape[1])
        ]
        for row in range(seen.shape[0])
    ]


def _margins(table: NDArray[np.int64]) -> NDArray[np.float64]:
    return np.outer(table.sum(axis=1), table.sum(axis=0)) / max(int(table.sum()), 1)
