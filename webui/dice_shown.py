"""Findings of dice as the page and the report draw them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from engine.fairness import Comparison, Findings, Pair, Unit, Watched, more_rolls, verdict
from engine.fairness.compare import compare
from engine.fairness.told import BIASES
from engine.fairness.verdict import e_words, percent_up
from webui.dice_book import Playing
from webui.dice_plots import LINES, evidence_curve, face_bars, landing_map

STEPS: Final = (1.0, 2.0, 3.0)
"""Standard errors from which a cell is coloured a little, more, most."""
QUESTIONS: Final = {
    "faces": "Are all six faces as frequent?",
    "axes": "Are the three pairs of opposite faces as frequent?",
    "pips": "Do faces grow more frequent with their pips?",
    "1 or 6": "Is 1 as frequent as 6?",
    "2 or 5": "Is 2 as frequent as 5?",
    "3 or 4": "Is 3 as frequent as 4?",
    "roll after roll": "Does a roll depend on the one before?",
    "repeats": "Does a face come twice in a row too often, or too rarely?",
    "independence": "Does one die of a throw depend on the other?",
    "doubles": "Is one throw in six a double?",
    "sevens": "Do one in six throws show opposite faces?",
    "the same faces": "Do all of them give the same faces?",
}
"""What is asked, in words; those that are not here are told as they are."""


def dice_shown(found: Findings, *, is_live: bool = False) -> dict[str, Any]:
    """All that a template needs; without what may not be looked at while rolls come in."""
    dice = found.units["dice"]
    shown = {
        "is_live": is_live,
        "dice": [unit_shown(unit, found, "dice", is_live) for unit in dice],
        "players": [unit_shown(unit, found, "players", is_live) for unit in found.units["players"]],
        "cups": [unit_shown(unit, found, "cups", is_live) for unit in found.units["cups"]],
        "pairs": [pair_shown(pair, is_live) for pair in found.pairs],
        "curve": evidence_curve([(unit.name, unit.evidence) for unit in dice]) if dice else "",
        "curves_left_out": max(0, len(dice) - LINES),
        "comparisons": [comparison_shown(one, is_live) for one in _compared(found)],
        "maps": [
            {"name": name, "count": len(places), "map": landing_map(places)}
            for name, places in found.places.items()
        ],
        "rows": {name: getattr(found, name) for name in
                 ("rows", "void", "unread", "openings", "doubtful")},
        "family": [],
        "asked": len(found.family),
    }  # fmt: skip
    if not is_live:
        shown["family"] = [
            {
                "of": test.of,
                "question": QUESTIONS.get(test.question, test.question),
                "p": p_words(test.p),
                "q": p_words(test.q),
                "is_told": test.q <= 0.05,
            }
            for test in sorted(found.family, key=lambda test: test.p)
        ]
    return shown


def _compared(found: Findings) -> Sequence[Comparison]:
    """Those that there are; a single die is shown beside nothing."""
    if found.comparisons:
        return found.comparisons
    return [
        compare(kind, tuple(unit.name for unit in units), _told(units))
        for kind, units in found.units.items()
        if kind == "dice" and units
    ]


def _told(units: Sequence[Unit]) -> NDArray[np.int64]:
    return np.stack([unit.tally.told for unit in units])


def unit_shown(unit: Unit, found: Findings, kind: str, is_live: bool) -> dict[str, Any]:
    """One die, player or cup: a verdict, its bars and its figures."""
    family = tuple(test for test in found.family if test.of == f"{kind} {unit.name}")
    rolls, _, words = verdict(unit, family, is_live=is_live).partition(": ")
    return {
        "name": unit.name,
        "rolls": rolls,
        "verdict": words[:1].upper() + words[1:],
        "state": _state(unit),
        "is_pooled": unit.is_pooled,
        "bars": face_bars(unit),
        "e": e_words(unit.evidence.log_last),
        "largest": e_words(unit.evidence.log_largest),
        "bounds": [f"{low:.1%} to {high:.1%}".replace("%", " %") for low, high in unit.bounds],
        "counts": [f"{count:,}" for count in unit.tally.told.tolist()],
        "more": [
            {
                "bias": percent_up(bias),
                "rolls": f"{more_rolls(int(unit.tally.known), bias, is_live=is_live):,}",
            }
            for bias in BIASES
        ],
        "tests": [] if is_live else _tests(unit),
        "luck": _luck(unit),
        "follows": None
        if is_live or unit.sequence is None
        else heat(unit.sequence.table, _margins(unit.sequence.table)),
    }


def playing_shown(playing: Playing) -> dict[str, Any]:
    """A match that is being played: only what may be looked at after every roll."""
    return {
        "match": playing.match,
        "title": playing.title,
        "curve": evidence_curve(
            [(die.name, die.evidence) for die, _ in playing.dice],
            rolls="rolls of this match",
            wide=380,
        ),
        "dice": [
            {
                "name": die.name,
                "is_pooled": die.is_pooled,
                "state": _state(die),
                "rolls": f"{die.rolls:,} rolls",
                "verdict": verdict(die, is_live=True).partition(": ")[2],
                "bars": face_bars(die),
                "e": e_words(die.evidence.log_last),
                "own": e_words(own),
                "largest": e_words(die.evidence.log_largest),
            }
            for die, own in playing.dice
        ],
    }


def _state(unit: Watched) -> str:
    """`alarm`, `closer` or `quiet`, by what holds at any time."""
    largest = unit.evidence.largest
    return "alarm" if largest >= 1000 else "closer" if largest >= 20 else "quiet"


def _tests(unit: Unit) -> list[dict[str, str]]:
    tests = unit.tests
    told = [
        ("All six faces, X²", tests.chi_square),
        ("All six faces, G", tests.g),
        ("Opposite faces together", tests.axis),
        ("1 against 6", tests.within[0]),
        ("2 against 5", tests.within[1]),
        ("3 against 4", tests.within[2]),
        ("More pips, more often", tests.pip_linear),
    ]
    if unit.sequence is not None:
        told += [("Roll after roll", unit.sequence.serial), ("Repeats", unit.sequence.repeats)]
    return [
        {
            "name": name,
            "value": f"{test.value:,.2f}",
            "df": str(test.df),
            "p": p_words(test.p),
            "method": test.method,
        }
        for name, test in told
    ]


def _luck(unit: Unit) -> dict[str, str] | None:
    luck = unit.luck
    if luck is None or not luck.throws:
        return None
    off = luck.pips - luck.expected
    return {
        "pips": f"{luck.pips:,}",
        "expected": f"{luck.expected:,.0f}",
        "off": f"{off:+,.0f}",
        "doubles": f"{luck.doubles:,}",
        "expected_doubles": f"{luck.throws / 6:,.0f}",
        "z": f"{luck.z:+.1f}",
    }


def pair_shown(pair: Pair, is_live: bool) -> dict[str, Any]:
    """Two dice that are thrown together: their 36 outcomes, doubles, independence."""
    table = pair.table.astype(np.float64)
    even = np.full((6, 6), pair.throws / 36)
    if pair.is_alike:  # 6-1 and 1-6 are one outcome, drawn once
        table = np.triu(table + table.T, 1) + np.diag(np.diag(table))
        even = np.triu(2 * even, 1) + np.diag(np.diag(even))
    return {
        "name": pair.dice[0] if pair.is_alike else " and ".join(pair.dice),
        "rows": "lower" if pair.is_alike else pair.dice[0],
        "columns": "higher" if pair.is_alike else pair.dice[1],
        "is_alike": pair.is_alike,
        "throws": f"{pair.throws:,}",
        "doubles": f"{pair.doubles:,}",
        "expected": f"{pair.throws / 6:,.0f}",
        "of_margins": f"{pair.doubles_expected:,.0f}",
        "heat": heat(table, even),
        "p": None
        if is_live
        else {
            "independence": p_words(pair.independence.p),
            "doubles": p_words(pair.doubles_p),
            "margins": p_words(pair.doubles_of_margins.p),
            "sevens": p_words(pair.sevens_p),
            "outcomes": p_words(pair.outcomes.p),
        },
    }


def comparison_shown(one: Comparison, is_live: bool) -> dict[str, Any]:
    """Several dice or players: the shares of the faces of each, beside each other."""
    rolls = one.counts.sum(axis=1)
    even = np.repeat(rolls[:, None] / 6, 6, axis=1)
    cells = heat(one.counts, even)
    for row, count in zip(cells, rolls, strict=True):
        for cell in row:
            cell["text"] = f"{100 * cell['count'] / count:.1f}"
    return {
        "what": one.what,
        "p": None if is_live or len(one.names) < 2 else p_words(one.same.p),
        "e": None if len(one.names) < 2 else f"{one.e:.2g}",
        "lines": [
            {"name": name, "rolls": f"{count:,}", "cells": row}
            for name, count, row in zip(one.names, rolls.tolist(), cells, strict=True)
        ],
    }


def heat(
    seen: NDArray[np.int64] | NDArray[np.float64], expected: NDArray[np.float64]
) -> list[list[dict[str, Any]]]:
    """Each cell's count and by how many standard errors, -3 to 3, it is off what is expected."""
    off = (seen - expected) / np.sqrt(np.maximum(expected, 1e-9))
    level = np.sign(off) * sum((np.abs(off) >= step).astype(int) for step in STEPS)
    return [
        [
            {
                "count": int(seen[row, column]),
                "text": f"{int(seen[row, column]):,}" if expected[row, column] else "",
                "level": int(level[row, column]) if expected[row, column] else 0,
            }
            for column in range(seen.shape[1])
        ]
        for row in range(seen.shape[0])
    ]


def _margins(table: NDArray[np.int64]) -> NDArray[np.float64]:
    return np.outer(table.sum(axis=1), table.sum(axis=0)) / max(int(table.sum()), 1)


def p_words(p: float) -> str:
    """A p as short as it can be read."""
    if p >= 0.001:
        return f"{p:.3f}" if p < 0.1 else f"{p:.2f}"
    if p == 0:
        return "below 10⁻³⁰⁰"
    return f"{p:.0e}".replace("e-0", "e-")
