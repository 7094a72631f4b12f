"""Drawings of dice as SVG: faces and axes, evidence over time, where dice came to rest.

Colors are classes in dice.css, so that one drawing works on dark and on light backgrounds; nothing
is distinguished by color alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import Final

import numpy as np
from markupsafe import Markup, escape
from numpy.typing import NDArray

from engine.fairness.cause import cause_of
from engine.fairness.evalues import ALARM_E_VALUE, LOOK_CLOSER_E_VALUE, EValue
from engine.fairness.faces import AXES
from engine.fairness.findings import Group, LiveFinding
from webui.i18n.locale import N_, format_decimal, format_integer, gettext
from webui.views import dice_phrases as words

LINES: Final = 6
"""Curves in one drawing; more could not be told apart by color and dash."""
EVEN: Final = 1 / 6
NOTABLE_ERRORS: Final = 2.0
"""Number of standard errors from which something is colored."""
MAX_OFF: Final = 2.5
"""The deviation at which plots end, in units of what is expected; a few rolls allow any."""
GRID_STEPS: Final = (0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
"""Distances of grid lines, as deviations."""
BINS: Final = 26
"""Bins across the field and a little beyond."""
BEYOND: Final = 0.15
"""How far beyond the field the landing map extends, in field widths."""


@dataclass(frozen=True, slots=True)
class Dot:
    """One point of a dot plot; all numbers are deviations relative to what is expected."""

    name: str
    value: str
    off: float
    bounds: tuple[float, float]
    """Those that hold at any time."""
    interval: tuple[float, float] | None = None
    """That of a single look at the end."""
    is_notable: bool = False
    """Whether it is off by `NOTABLE_ERRORS` standard errors."""


def face_limit(units: Iterable[LiveFinding]) -> float:
    """The deviation at the edge of the plots of these dice, so that they can be compared."""
    farthest = [float(np.abs(unit.bounds / EVEN - 1).max()) for unit in units if unit.rolls]
    return min(max([0.1, *farthest]) * 1.05, MAX_OFF)


def face_dots(unit: LiveFinding, name: str, limit: float) -> Markup:
    """How far each face is off one sixth, with its intervals; limit: from `face_limit`."""
    sigma = np.sqrt((1 / EVEN - 1) / max(unit.tally.effective_rolls, 1))
    dots = []
    for face in range(len(unit.bounds)):
        share = float(unit.tally.shares[face]) if unit.rolls else EVEN
        low, high = (float(one) / EVEN - 1 for one in unit.bounds[face])
        inner = None
        if isinstance(unit, Group) and unit.rolls:
            inner = (unit.posterior[face, 0] / EVEN - 1, unit.posterior[face, 2] / EVEN - 1)
        off = share / EVEN - 1
        is_notable = abs(off) >= NOTABLE_ERRORS * sigma
        dots.append(Dot(f"{face + 1}", words.share(share), off, (low, high), inner, is_notable))
    return _dot_plot(dots, limit, "1/6", _faces_label(unit, name))


def axis_dots(unit: LiveFinding, name: str) -> Markup:
    """How far the pairs of opposite faces are off a third, and each higher face off half a pair."""
    cause, rolls = cause_of(unit.tally), max(unit.tally.effective_rolls, 1)
    dots = []
    for axis, (low, high) in enumerate(AXES):
        off = float(3 * cause.axes[axis] - 1)
        bounds = (3 * cause.axes_bounds[axis, 0] - 1, 3 * cause.axes_bounds[axis, 1] - 1)
        is_notable = abs(off) >= NOTABLE_ERRORS * np.sqrt(2 / rolls)
        share = words.share(float(cause.axes[axis]))
        dots.append(Dot(f"{low + 1}+{high + 1}", share, off, bounds, None, is_notable))
    for axis, (low, high) in enumerate(AXES):
        off = float(2 * cause.heads[axis] - 1)
        bounds = (2 * cause.heads_bounds[axis, 0] - 1, 2 * cause.heads_bounds[axis, 1] - 1)
        in_axis = max(rolls * float(cause.axes[axis]), 1)
        is_notable = abs(off) >= NOTABLE_ERRORS / np.sqrt(in_axis)
        share = words.share(float(cause.heads[axis]))
        dots.append(Dot(f"{high + 1}:{low + 1}", share, off, bounds, None, is_notable))
    farthest = max(abs(end) for dot in dots for end in dot.bounds)
    limit = min(max(0.1, farthest) * 1.05, MAX_OFF)
    listed = "; ".join(f"{dot.name} {dot.value}" for dot in dots)
    label = gettext("Opposite faces of %(name)s: %(shares)s", name=name, shares=listed)
    return _dot_plot(dots, limit, "0", label)


def _dot_plot(dots: Sequence[Dot], limit: float, expected: str, label: str) -> Markup:
    """Dots around a line, each with its intervals, name and value."""
    middle, half = 92.0, 80.0

    def y(off: float) -> float:
        return round(middle - half * min(max(off, -limit), limit) / limit, 1)

    base = y(-1.0)  # nothing comes up less often than never
    parts = [
        f'<line class="d-even" x1="54" x2="356" y1="{middle}" y2="{middle}"/>',
        f'<text class="d-note" x="50" y="{middle + 4}" text-anchor="end">{expected}</text>',
    ]
    step = _grid_step(limit)
    for number in range(1, floor(limit / step + 1e-9) + 1):
        for off, sign in ((step * number, "+"), (-step * number, "\N{MINUS SIGN}")):
            if off < -1:
                continue
            parts.append(
                f'<line class="d-grid" x1="54" x2="356" y1="{y(off)}" y2="{y(off)}"/>'
                f'<text class="d-note" x="50" y="{y(off) + 4}" text-anchor="end">'
                f"{sign}{words.share(abs(off), 0)}</text>"
            )
    for number, dot in enumerate(dots):
        x = 82 + number * 50
        low, high = dot.bounds
        parts.append(
            f'<path class="d-bounds" d="M{x} {y(low)}V{y(high)}'
            f'M{x - 8} {y(low)}h16M{x - 8} {y(high)}h16"/>'
        )
        if dot.interval is not None:
            inner = (float(one) for one in dot.interval)
            parts.append(f'<path class="d-interval" d="M{x} {y(next(inner))}V{y(next(inner))}"/>')
        notable = f" d-{'often' if dot.off > 0 else 'rare'}" if dot.is_notable else ""
        parts.append(
            f'<circle class="d-dot{notable}" cx="{x}" cy="{y(dot.off)}" r="7"/>'
            f'<text class="d-pip" x="{x}" y="{base + 26}" text-anchor="middle">'
            f"{escape(dot.name)}</text>"
            f'<text class="d-value" x="{x}" y="{base + 46}" text-anchor="middle">'
            f"{escape(dot.value)}</text>"
        )
    return _svg(360, base + 54, label, "".join(parts))


def _grid_step(limit: float) -> float:
    """The distance of grid lines: a round one, with one to three of them up to the limit."""
    return next(step for step in GRID_STEPS if limit / step < 4)


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


def _svg(wide: int, tall: float, label: str, inside: str) -> Markup:
    return Markup(  # noqa: S704 (all text inside was escaped)
        f'<svg class="dice-plot" viewBox="0 0 {wide} {tall}" role="img" '
        f'aria-label="{escape(label)}">{inside}</svg>'
    )


def _faces_label(unit: LiveFinding, name: str) -> str:
    """A description of the plot of faces for screen readers."""
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
