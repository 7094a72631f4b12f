"""Benchmarks of this program: each figure beside a baseline from the same run.

`tableside.bench.benchmarks` lists them. They measure the whole program and may import every folder
except `commands`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import Any, Final, Generic, TextIO, TypeVar

import cv2

from tableside.errors import BenchError

SECONDS_IN_UNIT: Final = {"s": 1.0, "ms": 1e-3}
Subject = TypeVar("Subject")


@dataclass(frozen=True, slots=True)
class BenchRow:
    """One figure beside its baseline; `baseline` is None if it could not be measured."""

    value: float
    unit: str
    baseline_name: str
    """What the baseline is, or why it is missing."""
    baseline: float | None = None
    is_more_better: bool = True
    """True for rates, False for times."""

    @property
    def ratio(self) -> float | None:
        """Above 1 if the figure is better than the baseline; None without a baseline."""
        if not self.baseline or not self.value:
            return None
        ratio = self.value / self.baseline
        return ratio if self.is_more_better else 1 / ratio

    def as_json(self) -> dict[str, Any]:
        """The row as `bench --json` prints it."""
        names = ("value", "unit", "baseline", "baseline_name", "ratio")
        return {name: getattr(self, name) for name in names}


Measure = Callable[[], BenchRow]
"""Measures one figure, then its baseline."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeedBenchmark(Generic[Subject]):
    """Compares the CPU time of work on a subject with that of a baseline, on one core."""

    unit: str
    """A unit of time, or a rate such as `lists/s`."""
    set_up: Callable[[], Subject]
    work: Callable[[Subject], object]
    baseline: Callable[[Subject], object]
    baseline_name: str
    count: int = 1
    """How many items one call of `work` or `baseline` processes."""
    reset: Callable[[Subject], object] | None = None
    """Called before each call of `work`; not measured."""

    def __call__(self) -> BenchRow:
        """Measure the work, then the baseline."""
        subject = self.set_up()
        reset = None if self.reset is None else partial(self.reset, subject)
        with opencv_on_one_core():
            value = self._figure(median_seconds(partial(self.work, subject), reset=reset))
            try:
                baseline = self._figure(median_seconds(partial(self.baseline, subject)))
            except ImportError as error:
                missing = f"{error.name} is not installed: pip install tableside[bench]"
                return BenchRow(value, self.unit, missing)
        return BenchRow(value, self.unit, self.baseline_name, baseline, self._is_rate)

    @property
    def _is_rate(self) -> bool:
        return self.unit not in SECONDS_IN_UNIT

    def _figure(self, seconds: float) -> float:
        each = seconds / self.count
        return 1 / each if self._is_rate else each / SECONDS_IN_UNIT[self.unit]


def against_budget(values: Sequence[float], unit: str, note: str, budget: float) -> BenchRow:
    """The median of the measured values, with the required value as the baseline."""
    return BenchRow(median(values), unit, f"target{note}", budget, is_more_better=False)


def median_seconds(
    work: Callable[[], object],
    *,
    reset: Callable[[], object] | None = None,
    min_seconds: float = 0.5,
    clock: Callable[[], float] = time.process_time,
) -> float:
    """The median time of one call, in seconds, over at least five calls and `min_seconds`.

    The first call only warms up. reset: called before each call of `work`, not timed.
    """

    def seconds() -> float:
        if reset is not None:
            reset()
        start = clock()
        work()
        return clock() - start

    seconds()
    times: list[float] = []
    total = 0.0
    while len(times) < 5 or total < min_seconds:
        times.append(seconds())
        total += times[-1]
    return median(times)


@contextmanager
def opencv_on_one_core() -> Iterator[None]:
    """Limit OpenCV to one thread within the block."""
    threads = cv2.getNumThreads()
    cv2.setNumThreads(1)
    try:
        yield
    finally:
        cv2.setNumThreads(threads)


def measure(
    benchmarks: Mapping[str, Measure], only: Sequence[str] = ()
) -> Iterator[tuple[str, BenchRow]]:
    """Measure each row in turn; raises `BenchError` for an unknown name."""
    unknown = [name for name in only if name not in benchmarks]
    if unknown:
        raise BenchError(f"there is no figure {unknown[0]!r}; known: {', '.join(benchmarks)}")
    for name in only or benchmarks:
        yield name, benchmarks[name]()


def print_table(measured: Iterable[tuple[str, BenchRow]], out: TextIO) -> None:
    """Print a line for each row as it is measured."""
    print(f"{'figure':<22}{'here':>12}{'baseline':>12}{'ratio':>8}  against", file=out)
    for name, row in measured:
        ratio = "-" if row.ratio is None else f"{row.ratio:.2f}"
        figures = f"{_short(row.value):>12}{_short(row.baseline):>12}{ratio:>8}"
        print(f"{name:<22}{figures}  {row.baseline_name} ({row.unit})", file=out, flush=True)


def _short(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
