"""What rolls say about dice, as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from engine.fairness.findings import Findings
from engine.fairness.plan import Plan
from engine.fairness.report_json import findings_json
from engine.fairness.verdict import ceil_percent
from engine.message import ngettext


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
        if name != "players":
            yield f"{name} compared: p {one['p']:.3g}"
        elif one["df"]:
            yield f"players compared, given the dice: p {one['p']:.3g}"
        else:
            yield "players not compared: they rolled different dice"
    tests = report["tests"]
    asked = ngettext("{number} test", "{number} tests", tests["asked"])
    if tests["is_final"]:
        yield (
            f"{asked}; {len(tests['told'])} significant at a false discovery rate of "
            f"{100 * tests['false_discovery']:.0f} %"
        )
    else:
        yield f"{asked}; no verdict rests on a p-value, which holds for one look at a closed sample"
    for test in tests["told"]:
        yield f"  {test['of']}, {test['question']}: p {test['p']:.2g}"
    rows = report["rows"]
    dice = ngettext("{number:,} die roll", "{number:,} die rolls", rows["all"])
    yield (
        f"{dice}: {rows['void']:,} void, {rows['unread']:,} unread, {rows['doubtful']:,} doubtful, "
        f"{rows['openings']:,} from opening rolls whose ties are not recorded"
    )


def plan_lines(plan: Plan) -> Iterator[str]:
    """What a number of rolls will show, as text."""
    yield (
        f"{plan.rolls:,} rolls of a die show, with 80 % probability, in a single look at the end "
        "(--final) or whenever you look:"
    )
    yield f"  one face off by {_percent(plan.face_once)} or {_percent(plan.face_anytime)}"
    yield (
        f"  one face of one of two look-alike dice, counted together, off by "
        f"{_percent(2 * plan.face_once)} or {_percent(plan.face_of_one)}"
    )
    yield (
        f"  both faces of an axis off by {_percent(plan.axis_once)} or "
        f"{_percent(plan.axis_anytime)}: an axis that is shorter by {_range(plan.length_once)} or "
        f"{_range(plan.length_anytime)}"
    )
    yield (
        f"If all faces come up equally often, no face can then be off by more than "
        f"{_percent(plan.excluded)} (95 % confidence). Smaller biases stay undecided."
    )


def rolls_for_line(percent: float, once: int, anytime: int) -> str:
    """How many rolls show a bias of a face, as text."""
    return (
        f"A face off by {percent:g} % shows with 80 % probability in {once:,} rolls of a die, in a "
        f"single look at the end (--final), or in {anytime:,} whenever you look."
    )


def _range(both: tuple[float, float]) -> str:
    return f"{_percent(both[0])} to {_percent(both[1])}"


def _percent(share: float) -> str:
    return str(ceil_percent(share))


def _unit_lines(name: str, unit: dict[str, Any]) -> Iterator[str]:
    mark = " (two dice that look alike, counted together)" if unit["pooled"] else ""
    yield f"  {name or 'unnamed'}{mark}: {unit['verdict']}"
    counts = " ".join(f"{count:,}" for count in unit["counts"])
    yield (
        f"    1 to 6: {counts}; X2 {unit['chi2']:.3f}, p {unit['p']:.3g}; axes "
        f"{unit['axis_chi2']:.2f}, p {unit['axis_p']:.3g}; e-value {unit['e_words']}"
    )
    if unit["order"]:
        yield f"    {unit['order']}"
    luck = unit["luck"]
    if luck is not None and luck["throws"]:
        yield (
            f"    luck: {luck['pips']:,} pips, {luck['expected']:,.0f} expected "
            f"(z {luck['z']:+.2f}){'; partly the dice' if luck['partly_the_dice'] else ''}"
        )


def _pair_lines(name: str, pair: dict[str, Any]) -> Iterator[str]:
    throws = ngettext("{number:,} throw", "{number:,} throws", pair["throws"])
    doubles = ngettext("{number:,} double", "{number:,} doubles", pair["doubles"])
    yield (
        f"pair {name}: {throws}, {doubles} ({pair['throws'] / 6:,.0f} expected, "
        f"p {pair['doubles_p']:.3g}, e-value {pair['doubles_e']:.2g}); "
        f"independence of the two dice: p {pair['independence_p']:.3g}"
    )
    if pair["doubles_verdict"]:
        yield f"  {pair['doubles_verdict']}"
