"""A recorded match, or a match file, in the formats of other programs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from engine import Event
from engine.formats.csv_text import csv_text
from engine.formats.from_events import match_from_events
from engine.formats.json_text import json_text
from engine.formats.mat.write import mat_text, xg_text
from engine.formats.model.match_file import MatchFile
from engine.formats.sgf.write import sgf_text
from engine.match.amendments import effective_events
from tableside.errors import StoreError
from tableside.record.files import load_match

if TYPE_CHECKING:
    from tableside.record.store import MatchEntry, Store

WRITERS: Final[dict[str, Callable[[MatchFile], str]]] = {
    "mat": mat_text,
    "sgf": sgf_text,
    "xg": xg_text,
    "json": json_text,
    "csv": csv_text,
}
"""Writers by the value of `--format`."""
LAST: Final = "last"


def find_match(name: str, record: Path) -> MatchFile:
    """The match that `name` names: a number in the record or `last`, else a file."""
    if is_recorded(name):
        return _recorded_match(name, record)
    return load_match(Path(name))


def _recorded_match(name: str, record: Path) -> MatchFile:
    # Imported here because files do not need SQLite.
    from tableside.record.store import Store

    if not record.exists():
        raise StoreError(f"there is no record {record}; give one with --record")
    with Store.open_read_only(record) as store:
        events = chronological(store.events(find_number(name, store)))
    return match_from_events(events)


def is_recorded(name: str) -> bool:
    """Whether `name` names a match of the record, not a file."""
    return name == LAST or name.isdecimal()


def last_played(matches: Sequence[MatchEntry]) -> int:
    """The number of the last match that was played here, else of the last; 0 if there is none."""
    played = [entry.id for entry in matches if not entry.is_added]
    return (played or [entry.id for entry in matches] or [0])[-1]


def find_number(name: str, store: Store) -> int:
    """The number of a recorded match, or of the last; raises `StoreError` if there is none."""
    matches = store.matches()
    ids = [entry.id for entry in matches]
    number = last_played(matches) if name == LAST else int(name)
    if number not in ids:
        if not ids:
            raise StoreError(f"no match is recorded in {store.path}")
        held = ", ".join(map(str, ids[-20:]))
        raise StoreError(f"{store.path} has no match {name}: it holds {held}")
    return number


def chronological(events: Iterable[Event]) -> list[Event]:
    """The events still in effect after corrections, by time: what the writers take."""
    return sorted(effective_events(events), key=lambda event: event.time)
