"""Benchmarks of this program: rows of a figure and its baseline, measured in the same run.

The modules of `PROVIDERS` measure the whole program, and may import every folder but `commands`.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, Final, TextIO

from tableside.errors import BenchError

PROVIDERS: Final = (
    "tableside.bench.engine",
    "tableside.bench.dice",
    "tableside.bench.vision",
    "tableside.bench.video",
    "tableside.bench.live",
    "tableside.bench.streams",
    "tableside.bench.browser",
    "tableside.bench.referee",
)
"""Modules with `ROWS: dict[str, Measure]`, imported when needed, in the order of the table."""


@dataclass(frozen=True, slots=True)
class BenchRow:
    """One figure beside its baseline; `baseline` is None where it could not be measured."""

    value: float
    unit: str
    baseline_name: str
    """What the baseline is, or why it is missing."""
    baseline: float | None = None
    is_more_better: bool = True
    """True of rates, False of times."""

    @property
    def ratio(self) -> float | None:
        """Above 1 where the figure is better than the baseline; None without one."""
        if not self.baseline or not self.value:
            return None
        ratio = self.value / self.baseline
        return ratio if self.is_more_better else 1 / ratio

    def as_json(self) -> dict[str, Any]:
        """The row as `bench --json` prints it."""
        return {
            "value": self.value,
            "unit": self.unit,
            "baseline": self.baseline,
            "baseline_name": self.baseline_name,
            "ratio": self.ratio,
        }


Measure = Callable[[], BenchRow]
"""Measures one figure, then its baseline."""


def median_seconds(
    work: Callable[[], object],
    *,
    min_seconds: float = 0.5,
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    """The median time of one call, over five calls and `min_seconds` or more, warmed up."""
    work()
    times: list[float] = []
    while len(times) < 5 or sum(times) < min_seconds:
        start = clock()
        work()
        times.append(clock() - start)
    return median(times)


def find_rows(providers: Iterable[str] = PROVIDERS) -> dict[str, Measure]:
    """What measures each row, by the row's name."""
    rows: dict[str, Measure] = {}
    for name in providers:
        rows.update(importlib.import_module(name).ROWS)
    return rows


def measure(rows: dict[str, Measure], only: Sequence[str] = ()) -> Iterator[tuple[str, BenchRow]]:
    """Measure each row in turn; `BenchError` for an unknown name."""
    unknown = [name for name in only if name not in rows]
    if unknown:
        raise BenchError(f"no figure is called {unknown[0]!r}; there are {', '.join(rows)}")
    for name in only or rows:
        yield name, rows[name]()


def print_table(measured: Iterable[tuple[str, BenchRow]], out: TextIO) -> None:
    """Print a line for each row as it is measured."""
    print(f"{'figure':<22}{'here':>12}{'baseline':>12}{'ratio':>8}  against", file=out)
    for name, row in measured:
        print(_line(name, row), file=out, flush=True)


def _line(name: str, row: BenchRow) -> str:
    ratio = "-" if row.ratio is None else f"{row.ratio:.2f}"
    figures = f"{_short(row.value):>12}{_short(row.baseline):>12}{ratio:>8}"
    return f"{name:<22}{figures}  {row.baseline_name} ({row.unit})"


def _short(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
