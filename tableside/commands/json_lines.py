"""Commands that answer each line of their input with a JSON object."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from io import TextIOWrapper
from typing import Any, TextIO

from engine.errors import EngineError


def parse_object(line: str, shape: str, invalid: type[EngineError]) -> dict[str, Any]:
    """The JSON object in a line; raises `invalid`, which shows `shape`, if there is none."""
    try:
        request = json.loads(line)
    except RecursionError as error:
        raise invalid("not JSON: brackets are nested too deep") from error
    except ValueError as error:
        raise invalid(f"not JSON: {error}") from error
    if not isinstance(request, dict):
        raise invalid(f"each line must be an object such as {shape}")
    return request


def answer_lines(lines: Iterable[str], out: TextIO, answer: Callable[[str], dict[str, Any]]) -> int:
    """Write the answer to each line in order, skip empty ones; return 1 if any is an error."""
    if isinstance(lines, TextIOWrapper):
        lines.reconfigure(errors="replace")  # an invalid byte spoils its line, not the run
    failed = False
    for line in lines:
        if line.strip():
            answered = answer(line)
            failed = failed or "error" in answered
            out.write(json.dumps(answered, ensure_ascii=False) + "\n")
    return int(failed)
