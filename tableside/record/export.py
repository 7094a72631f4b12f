"""A recorded match, or a match file, in the formats of other programs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from engine import Event
from engine.formats import (
    MatchFile,
    csv_text,
    json_text,
    mat_text,
    match_from_events,
    sgf_text,
    xg_text,
)
from engine.match.amendments import effective_events
from tableside.errors import StoreError
from tableside.record.match_files import load_match

WRITERS: Final[dict[str, Callable[[MatchFile], str]]] = {
    "mat": mat_text,
    "sgf": sgf_text,
    "xg": xg_text,
    "json": json_text,
    "csv": csv_text,
}
"""Every format by the word that the command line has for it."""
LAST: Final = "last"


def find_match(named: str, record: Path) -> MatchFile:
    """The match of this number, or the last one, of the record; or else of this file."""
    if named == LAST or named.isdecimal():
        return _recorded(named, record)
    return load_match(Path(named))


def _recorded(named: str, record: Path) -> MatchFile:
    # Imported here: SQLite is not needed for files.
    from tableside.record.store import Store

    if not record.exists():
        raise StoreError(f"there is no record {record}; name one with --record")
    with Store.open(record) as store:
        ids = [entry.id for entry in store.matches()]
        number = ids[-1] if named == LAST and ids else int(named) if named != LAST else 0
        if number not in ids:
            held = f"it holds {', '.join(map(str, ids[-20:]))}" if ids else "it is empty"
            raise StoreError(f"{record} holds no match {named}: {held}")
        events = in_order(store.events(number))
    return match_from_events(events)


def in_order(events: Iterable[Event]) -> list[Event]:
    """The events that stand, as they happened: what the writers take."""
    return sorted(effective_events(events), key=lambda event: event.time)
