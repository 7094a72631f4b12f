"""What is said to whoever started the program."""

from __future__ import annotations

import sys


def say(line: str) -> None:
    """A line on stderr."""
    print(f"tableside: {line}", file=sys.stderr, flush=True)
