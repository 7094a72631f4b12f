"""Atomic file replacement, `events.jsonl`, and match files of other programs."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path

from calibration.files import write_whole
from engine.errors import EngineError
from engine.events.codec import as_json, from_json
from engine.events.cup import CupCommitted, CupRevealed
from engine.events.match import Event
from engine.formats.detect import MAX_FILE_BYTES, read_match
from engine.formats.model.errors import InvalidMatchFile
from engine.formats.model.match_file import MatchFile
from tableside.errors import StoreError


def events_text(events: Iterable[Event]) -> str:
    """The events as JSON Lines, without the program's secret in a cup's match that is not over."""
    lines = (
        json.dumps(as_json(event), ensure_ascii=False, allow_nan=False)
        for event in _shown(tuple(events))
    )
    return "".join(f"{line}\n" for line in lines)


def _shown(events: tuple[Event, ...]) -> Iterator[Event]:
    over = {(one.cup, one.match) for one in events if isinstance(one, CupRevealed)}
    for event in events:
        if isinstance(event, CupCommitted) and (event.cup, event.match) not in over:
            yield replace(event, program_secret="")
        else:
            yield event


def read_events(path: Path) -> tuple[Event, ...]:
    """The events of a file written with `events_text`; raises `StoreError`, naming a bad line."""
    try:
        lines = path.read_text("utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise StoreError(f"{path} is not a file of events: it is not UTF-8 text") from error
    return tuple(
        _parse_event(path, number, line) for number, line in enumerate(lines, 1) if line.strip()
    )


def _parse_event(path: Path, number: int, line: str) -> Event:
    try:
        return from_json(json.loads(line))
    except (json.JSONDecodeError, RecursionError, EngineError) as error:
        raise StoreError(f"{path}, line {number} is not an event: {error}") from error


def replace_file(path: Path, content: str | bytes, mode: int = 0o666) -> Path:
    """Replace the content of `path` atomically: a reader sees the old or the new file.

    The folder is created if necessary; raises `StoreError` if the file cannot be written.

    mode: who may do what with it, and with a new folder, less the process's mask.
    """
    try:
        # Whoever may read the file may search its folder.
        path.parent.mkdir(mode | (mode & 0o444) >> 2, parents=True, exist_ok=True)
        write_whole(path, content.encode() if isinstance(content, str) else content, mode)
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror}") from error
    return path


def aside_name(path: Path, why: str) -> Path:
    """An unused name beside `path` for what was there; `why` is a word for the name."""
    mark = time.strftime(f"{why}-%Y%m%d-%H%M%S", time.gmtime())
    names = (path.with_name(f"{path.name}.{mark}{'+' * n}") for n in count())
    return next(name for name in names if not name.exists())


def load_match(path: Path) -> MatchFile:
    """The match in a file; raises `InvalidMatchFile`, naming file and line, or `OSError`."""
    try:
        return read_match(match_content(path))
    except EngineError as error:
        raise InvalidMatchFile(f"{path}: {error}") from error


def match_content(path: Path) -> bytes:
    """The content of a match file, or enough to see that it is too long; may raise `OSError`."""
    with path.open("rb") as file:
        return file.read(MAX_FILE_BYTES + 1)
