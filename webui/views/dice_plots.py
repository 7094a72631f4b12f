"""Drawings of dice as SVG: shares of faces, evidence over time, where dice came to rest.

Colors are classes in dice.css, so that one drawing works on dark and on light backgrounds; nothing
is distinguished by color alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import ceil, floor, log10
from typing import Final

import numpy as np
from markupsafe import Markup, escape
from numpy.typing import NDArray

from engine.fairness.evalues import ALARM_E_VALUE, LOOK_CLOSER_E_VALUE, EValue
from engine.fairness.findings import Group, LiveFinding
from webui.i18n.locale import N_, format_decimal, format_integer, gettext
from webui.views import dice_phrases as words

LINES: Final = 6
"""Curves in one drawing; more could not be told apart by color and dash."""
EVEN: Final = 1 / 6
BINS: Final = 26
"""Bins across the field and a little beyond."""
BEYOND: Final = 0.15
"""How far beyond the field the landing map extends, in field widths."""


def face_bars(unit: LiveFinding, name: str) -> Markup:
    """The share of each face, with its confidence interval and the bounds that hold at any time."""
    top = max(0.3, float(min(unit.bounds.max(), 0.62)) * 1.06)
    base, tall = 178.0, 160.0

    def y(share: float) -> float:
        return round(base - tall * min(share, top) / top, 1)

    parts = [
        f'<line class="d-even" x1="34" x2="352" y1="{y(EVEN)}" y2="{y(EVEN)}"/>',
        f'<text class="d-note" x="30" y="{y(EVEN) + 4}" text-anchor="end">1/6</text>',
    ]
    for face in range(6):
        x = 60 + face * 53
        share = float(unit.tally.shares[face]) if unit.rolls else 0.0
        low, high = (float(one) for one in unit.bounds[face])
        parts.append(
            f'<rect class="d-bar" x="{x - 15}" y="{y(share)}" width="30" '
            f'height="{round(base - y(share), 1)}" rx="2"/>'
            f'<path class="d-bounds" d="M{x} {y(low)}V{y(high)}'
            f'M{x - 8} {y(low)}h16M{x - 8} {y(high)}h16"/>'
        )
        if isinstance(unit, Group) and unit.rolls:
            inner = unit.posterior[face]
            parts.append(
                f'<path class="d-interval" d="M{x} {y(float(inner[0]))}V{y(float(inner[2]))}"/>'
            )
        parts.append(
            f'<rect class="d-face" x="{x - 11}" y="184" width="22" height="22" rx="5"/>'
            f'<text class="d-pip" x="{x}" y="200" text-anchor="middle">{face + 1}</text>'
            f'<text class="d-value" x="{x}" y="222" text-anchor="middle">'
            f"{words.share(share)}</text>"
        )
    return _svg(360, 228, _faces_label(unit, name), "".join(parts))


def evidence_curve(
    curves: Sequence[tuple[str, EValue]], *, rolls: str, judged_together: int, wide: int = 530
) -> Markup:
    """E-values as rolls accumulate, on a logarithmic scale, with lines where a sign begins.

    That is at 20 and 1,000 for one die, and at as many times that as are `judged_together`.
    """
    shown = sorted(curves, key=lambda one: -one[1].log_largest)[:LINES]
    shown = [one for one in curves if one in shown]
    paths = [one.log_path / np.log(10) for _, one in shown]
    low = floor(min([-2.0, *(float(path.min()) for path in paths if len(path))]))
    low = max(low, -8)
    high = (
        ceil(
            max([3.5 + log10(judged_together), *(float(path.max()) for path in paths if len(path))])
        )
        + 0
    )
    most = max([1, *(int(one.rolls[-1]) for _, one in shown if len(one.rolls))])
    left, right, top, base = 58.0, wide - 22.0, 14.0, 236.0

    def x(roll: float) -> float:
        return round(left + (right - left) * roll / most, 1)

    def y(power: float) -> float:
        return round(base - (base - top) * (min(max(power, low), high) - low) / (high - low), 1)

    parts = [_scale(low, high, y, left, right), _roll_scale(most, x, base, rolls, right)]
    limits = (
        (LOOK_CLOSER_E_VALUE, N_("%(e)s: look closer")),
        (ALARM_E_VALUE, N_("%(e)s: alarm")),
    )
    for limit, text in limits:
        meaning = gettext(text, e=format_integer(int(limit) * judged_together))
        at = y(float(np.log10(limit * judged_together)))
        parts.append(
            f'<line class="d-limit" x1="{left}" x2="{right}" y1="{at}" y2="{at}"/>'
            f'<text class="d-note" x="{left + 6}" y="{at - 4}">{escape(meaning)}</text>'
        )
    for number, ((_, evidence), path) in enumerate(zip(shown, paths, strict=True)):
        points = [f"{x(0)} {y(0)}"]
        points += [
            f"{x(int(roll))} {y(float(power))}"
            for roll, power in zip(evidence.rolls, path, strict=True)
        ]
        parts.append(f'<path class="d-line d-{number}" d="M{"L".join(points)}"/>')
    parts.append(_legend([name for name, _ in shown], 284, 2 if wide > 500 else 1))
    height = 284 + 20 * ceil(len(shown) / (2 if wide > 500 else 1))
    return _svg(wide, height, _evidence_label(shown), "".join(parts))


def _scale(low: int, high: int, y: object, left: float, right: float) -> str:
    assert callable(y)  # noqa: S101
    step = max(1, ceil((high - low) / 7))
    powers = [power for power in range(low, high + 1) if power % step == 0]
    return "".join(
        f'<line class="d-grid" x1="{left}" x2="{right}" y1="{y(power)}" y2="{y(power)}"/>'
        f'<text class="d-note" x="{left - 6}" y="{y(power) + 4}" text-anchor="end">'
        f"{_power(power)}</text>"
        for power in powers
    )


def _power(power: int) -> str:
    if -2 <= power <= 4:
        return format_decimal(10.0**power, -power) if power < 0 else format_integer(10**power)
    return f'10<tspan dy="-5" font-size="9">{power}</tspan>'


def _roll_scale(most: int, x: object, base: float, rolls: str, right: float) -> str:
    assert callable(x)  # noqa: S101
    step = _round_step(most / 4)
    note = '<text class="d-note"'
    marks = "".join(
        f'{note} x="{x(roll)}" y="{base + 16}" text-anchor="middle">{format_integer(roll)}</text>'
        for roll in range(0, most + 1, step)
    )
    return f'{marks}{note} x="{right}" y="{base + 32}" text-anchor="end">{escape(rolls)}</text>'


def _round_step(least: float) -> int:
    size = 10 ** max(0, floor(np.log10(max(least, 1))))
    return int(next(size * one for one in (1, 2, 5, 10) if size * one >= least))


def _legend(names: Iterable[str], top: float, columns: int) -> str:
    parts = []
    for number, name in enumerate(names):
        x, y = 58 + 240 * (number % columns), top + 20 * (number // columns)
        short = name if len(name) < 28 else f"{name[:26]}…"
        parts.append(
            f'<path class="d-line d-{number}" d="M{x} {y - 4}h26"/>'
            f'<text class="d-name" x="{x + 33}" y="{y}">{escape(short)}</text>'
        )
    return "".join(parts)


def landing_map(places: NDArray[np.float32]) -> Markup:
    """Where dice came to rest, in the field and a little beyond; places: (N, 2) field."""
    edges = np.linspace(-BEYOND, 1 + BEYOND, BINS + 1)
    counts, _, _ = np.histogram2d(places[:, 0], places[:, 1], (edges, edges))
    most = max(float(counts.max()), 1.0)
    size, left, top = 16.0, 8.0, 8.0
    cells = []
    for column, row in zip(*np.nonzero(counts), strict=True):
        share = float(counts[column, row]) / most
        x, y = left + size * column, top + size * (BINS - 1 - row)
        cells.append(
            f'<rect class="d-heat" x="{x:.1f}" y="{y:.1f}" width="{size}" height="{size}" '
            f'fill-opacity="{0.12 + 0.88 * share:.2f}"/>'
        )
    across = size * BINS
    rim = across * BEYOND / (1 + 2 * BEYOND)
    field = across - 2 * rim
    board = (
        f'<rect class="d-board" x="{left + rim:.1f}" y="{top + rim:.1f}" width="{field:.1f}" '
        f'height="{field:.1f}" rx="3"/>'
        f'<path class="d-board" d="M{left + across / 2:.1f} {top + rim:.1f}v{field:.1f}"/>'
    )
    inside = ((places >= 0) & (places <= 1)).all(axis=1).mean() if len(places) else 0.0
    label = _map_label(len(places), float(inside))
    return _svg(int(across + 16), int(across + 16), label, f"{''.join(cells)}{board}")


def _svg(wide: int, tall: int, label: str, inside: str) -> Markup:
    return Markup(  # noqa: S704 (all text inside was escaped)
        f'<svg class="dice-plot" viewBox="0 0 {wide} {tall}" role="img" '
        f'aria-label="{escape(label)}">{inside}</svg>'
    )


def _faces_label(unit: LiveFinding, name: str) -> str:
    """A description of the face bars for screen readers."""
    counts = enumerate(unit.tally.counts.tolist(), start=1)
    listed = "; ".join(f"{face}: {format_integer(count)}" for face, count in counts)
    return gettext("How often each face came up. %(name)s: %(counts)s", name=name, counts=listed)


def _evidence_label(curves: Iterable[tuple[str, EValue]]) -> str:
    """A description of the e-value curves for screen readers."""
    last_values = (
        gettext("%(name)s: %(e)s", name=name, e=words.e_value(one.log_last))
        for name, one in curves
        if len(one.rolls)
    )
    return gettext(
        "Evidence against unbiased dice over time, e-values: %(e)s", e="; ".join(last_values)
    )


def _map_label(count: int, inside: float) -> str:
    """A description of the landing map for screen readers."""
    return gettext(
        "Where the dice came to rest, %(count)s in all; on the field: %(inside)s. The more dice "
        "in a square, the darker it is",
        count=format_integer(count),
        inside=words.share(inside, 0),
    )
