"""What is fed with broken input, and what must come of it."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

MOST_SECONDS = 2.0
"""Processor time for one input."""


class Target(NamedTuple):
    """A parser or a command, and what it is fed."""

    make: Callable[[random.Random], Any]
    """Broken input."""
    parse: Callable[[Any], object]
    errors: tuple[type[Exception], ...] = ()
    """Its own errors, which are no fault."""


def put(path: Path, content: bytes) -> None:
    """Write a new file in place of the old: one that is overwritten is flushed to the disk."""
    path.unlink(missing_ok=True)
    path.write_bytes(content)


class Survived(NamedTuple):
    """What came of many inputs."""

    read: int
    """How many were read; the others were refused by one of the target's own errors."""
    slowest: float
    """The longest processor time for one, in seconds."""


def feed(target: Target, rounds: int, seed: int) -> Survived:
    """Feed a target; raises `AssertionError`, with the input, if it fails or takes too long."""
    chance, read, slowest = random.Random(seed), 0, 0.0
    for number in range(rounds):
        given = target.make(chance)
        begun = time.process_time()
        try:
            target.parse(given)
        except target.errors:
            pass
        except Exception as error:
            raise AssertionError(f"{given!r:.2000}") from error
        else:
            read += 1
        # The first may have to compile or to load something.
        seconds = time.process_time() - begun if number else 0.0
        slowest = max(slowest, seconds)
        assert seconds < MOST_SECONDS, f"{seconds:.1f} s for {given!r:.2000}"
    return Survived(read, slowest)
