"""Lines for the user on stderr, and the progress of a long command."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, TextIO

from engine.message import ngettext
from tableside.printable import printable

if TYPE_CHECKING:  # loads OpenCV
    from vision.sources.frame import FrameSource

LINE_INTERVAL_S: Final = 10.0
"""Seconds between two lines if there is no terminal to draw on."""
MIN_SHARE_FOR_ESTIMATE: Final = 0.02
"""Fraction of the video below which the remaining time is not estimated."""


Progress = Callable[[int, float, int], None]
"""Takes the frames read, the seconds of video they span and the plays recorded, and shows them."""
_LOGGER: Final = logging.getLogger(__name__)
"""Its level determines which lines are printed: `--quiet` sets it to `ERROR`."""


def say(line: str, level: int = logging.WARNING) -> None:
    """Print a line for the user on stderr, unless lines of this level are suppressed."""
    if _LOGGER.isEnabledFor(level):
        print(f"tableside: {printable(line)}", file=sys.stderr, flush=True)


def number_of_plays(number: int) -> str:
    """`1 play`, `2 plays`."""
    return str(ngettext("{number} play", "{number} plays", number))


@contextmanager
def progress_of(source: FrameSource, stream: TextIO) -> Iterator[Progress]:
    """Show on `stream` how far `source` is, how fast, and the remaining time."""
    if not _LOGGER.isEnabledFor(logging.WARNING):
        yield lambda _frames, _seconds, _plays: None
        return
    if not stream.isatty():
        yield Lines(printable(str(source.name)), source.frames, stream)
        return
    with _bar(stream, "{task.fields[rate]} real time", "{task.fields[plays]}") as bar:
        task = bar.add_task(printable(str(source.name)), total=source.frames, rate="", plays="")
        began = time.monotonic()

        def show(frames: int, seconds: float, plays: int) -> None:
            rate = seconds / max(time.monotonic() - began, 1e-3)
            bar.update(task, completed=frames, rate=f"{rate:.1f}x", plays=number_of_plays(plays))

        yield show


def _bar(stream: TextIO, *figures: str) -> Any:
    """A progress bar with these `figures` of a task beside it."""
    from rich import progress
    from rich.console import Console

    return progress.Progress(
        progress.TextColumn("{task.description}", markup=False),
        progress.BarColumn(),
        progress.TaskProgressColumn(),
        *map(progress.TextColumn, figures),
        progress.TextColumn("left"),
        progress.TimeRemainingColumn(),
        console=Console(file=stream),
    )


class Lines:
    """A plain line every `LINE_INTERVAL_S`, for files and pipes."""

    def __init__(
        self,
        name: str,
        frames: int | None,
        stream: TextIO,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._name, self._frames = name, frames
        self._stream, self._clock = stream, clock
        self._began = self._printed = clock()

    def __call__(self, frames: int, seconds: float, plays: int) -> None:
        """Print a line if the last one is old enough."""
        now = self._clock()
        if now - self._printed < LINE_INTERVAL_S:
            return
        self._printed = now
        spent = now - self._began
        parts = [f"{seconds:.0f} s of video", f"{seconds / spent:.1f}x real time"]
        parts.append(number_of_plays(plays))
        share = min(1.0, frames / self._frames) if self._frames else 0.0
        if share > MIN_SHARE_FOR_ESTIMATE:
            parts = [f"{100 * share:.0f} %", *parts, f"{spent * (1 / share - 1):.0f} s left"]
        print(f"{self._name}: {', '.join(parts)}", file=self._stream, flush=True)


@contextmanager
def video_progress(total: float) -> Iterator[Callable[[float, str], None]]:
    """Show on stderr how much of `total` bytes of video is done; takes bytes and a line."""
    if not sys.stderr.isatty() or not _LOGGER.isEnabledFor(logging.WARNING):
        began, done = time.monotonic(), 0.0

        def tell(size: float, line: str) -> None:
            nonlocal done
            done += size
            left = (time.monotonic() - began) * (total / done - 1) / 60 if done else 0.0
            say(f"{line}; about {left:.0f} min left" if left >= 1 else line)

        yield tell
        return
    with _bar(sys.stderr) as bar:
        task = bar.add_task("", total=total)

        def show(size: float, line: str) -> None:
            bar.console.print(printable(line), markup=False, highlight=False)
            bar.advance(task, size)

        yield show
