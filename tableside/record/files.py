"""Files on the disk: `events.jsonl`, and any file replaced whole or not at all."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path

from engine.errors import EngineError
from engine.events.codec import as_json, from_json
from engine.events.match import Event
from tableside.errors import StoreError


def events_text(events: Iterable[Event]) -> str:
    """One JSON object a line."""
    lines = (json.dumps(as_json(event), ensure_ascii=False, allow_nan=False) for event in events)
    return "".join(f"{line}\n" for line in lines)


def read_events(path: Path) -> tuple[Event, ...]:
    """The events that `events_text` wrote; `StoreError` names the line that is none."""
    try:
        lines = path.read_text("utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise StoreError(f"{path} is no file of events: it is not UTF-8 text") from error
    return tuple(
        _event_of(path, number, line) for number, line in enumerate(lines, 1) if line.strip()
    )


def _event_of(path: Path, number: int, line: str) -> Event:
    try:
        return from_json(json.loads(line))
    except (json.JSONDecodeError, RecursionError, EngineError) as error:
        raise StoreError(f"{path}, line {number} is no event: {error}") from error


def replace_file(path: Path, content: str | bytes) -> Path:
    """`path` with this in it, on the disk; a reader sees the old or the new, never a part."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, content.encode() if isinstance(content, str) else content)
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror}") from error
    return path


def write_whole(path: Path, content: bytes) -> None:
    """As `replace_file`, in a folder that is there; `OSError` if it cannot be."""
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with beside.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
