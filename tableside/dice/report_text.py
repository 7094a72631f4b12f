"""What rolls show of dice, as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from engine.fairness.findings import Findings
from engine.fairness.report_json import findings_json


def report_lines(found: Findings) -> Iterator[str]:
    """The report as text."""
    report = findings_json(found)
    for kind in ("dice", "players", "cups"):
        if report[kind]:
            yield f"{kind}:"
        for name, unit in report[kind].items():
            yield from _unit_lines(name, unit)
    for name, pair in report["pairs"].items():
        yield from _pair_lines(name, pair)
    for name, one in report["comparisons"].items():
        yield f"{name} against each other: p {one['p']:.3g}"
    tests = report["tests"]
    yield (
        f"{tests['asked']} questions were asked, {len(tests['told'])} stand out at a false "
        f"discovery rate of {100 * tests['false_discovery']:.0f} %"
    )
    for test in tests["told"]:
        yield f"  {test['of']}, {test['question']}: p {test['p']:.2g}"
    rows = report["rows"]
    yield (
        f"{rows['all']:,} rows: {rows['void']:,} void, {rows['unread']:,} not read, "
        f"{rows['openings']:,} of openings without their ties, {rows['doubtful']:,} doubtful"
    )


def _unit_lines(name: str, unit: dict[str, Any]) -> Iterator[str]:
    mark = " (two like dice, counted as one)" if unit["pooled"] else ""
    yield f"  {name or 'without a name'}{mark}: {unit['verdict']}"
    counts = " ".join(f"{count:,}" for count in unit["counts"])
    yield (
        f"    1 to 6: {counts}; X2 {unit['chi2']:.3f}, p {unit['p']:.3g}; axes "
        f"{unit['axis_chi2']:.2f}, p {unit['axis_p']:.3g}; e-value {unit['e_words']}"
    )
    luck = unit["luck"]
    if luck is not None and luck["throws"]:
        yield (
            f"    luck, which is not the dice: {luck['pips']:,} pips where "
            f"{luck['expected']:,.0f} were to be expected (z {luck['z']:+.2f})"
        )


def _pair_lines(name: str, pair: dict[str, Any]) -> Iterator[str]:
    yield (
        f"pair {name}: {pair['throws']:,} throws, {pair['doubles']:,} doubles "
        f"(one in six would be {pair['throws'] / 6:,.0f}, p {pair['doubles_p']:.3g}); "
        f"one die and the other: p {pair['independence_p']:.3g}"
    )
