"""The files that a match leaves behind: `match.mat` and `.sgf`, `events.jsonl`, `rolls.csv`."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from engine.errors import EngineError
from engine.events.codec import as_json, from_json
from engine.events.match import Event
from engine.formats import mat_text, match_from_events, sgf_text
from engine.match.amendments import standing_events
from engine.position import Course
from engine.rules import find_rules
from tableside.errors import StoreError


def write_record_files(folder: Path, events: Sequence[Event]) -> tuple[Path, ...]:
    """The paths written; each file is whole, the new one or else the old one.

    What was corrected since is in none of them.

    `StoreError` if the folder or a file cannot be written.
    """
    in_order = sorted(standing_events(events), key=lambda event: event.time)
    match = match_from_events(in_order)
    texts = {
        "match.mat": mat_text(match),
        "events.jsonl": events_text(in_order),
        "rolls.csv": rolls_text(in_order),
    }
    if match.games and find_rules(match.variant).course is Course.OPPOSED:
        texts["match.sgf"] = sgf_text(match)
    return tuple(replace_file(folder / name, text) for name, text in texts.items())


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


def rolls_text(events: Iterable[Event]) -> str:
    """One die a line, void throws with the reason; a die that could not be read has no line.

    `die` names it by its colour where that tells, else by who threw it. Two like dice have one
    name: an event holds the larger number first, so that first and second would look loaded.
    """
    # Imported here: whoever only records needs no statistics.
    from engine.dice_sets.identities import Identities
    from tableside.dice_csv import write_rows
    from tableside.dice_identity import identified
    from tableside.dice_rows import rows_of

    text = io.StringIO()
    rows, _ = identified(list(rows_of(events)), Identities())
    write_rows((row for row in rows if row.value), text)
    return text.getvalue()


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
