"""Commands that answer each line of their input with a JSON object."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from io import TextIOWrapper
from typing import Any, TextIO


def answer_lines(lines: Iterable[str], out: TextIO, answer: Callable[[str], dict[str, Any]]) -> int:
    """Write the answer to each line in order, skipping empty ones; 1 if one is an error, else 0."""
    if isinstance(lines, TextIOWrapper):
        lines.reconfigure(errors="replace")  # a broken byte spoils its line, not the run
    failed = False
    for line in lines:
        if line.strip():
            answered = answer(line)
            failed = failed or "error" in answered
            out.write(json.dumps(answered, ensure_ascii=False) + "\n")
    return int(failed)
