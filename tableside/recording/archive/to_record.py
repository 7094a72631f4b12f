"""Matches of an archive of videos become matches of a record, with their stills."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import cv2

from calibration.files import write_whole
from engine import Event, fold
from engine.events.record import MatchPlaced, PlayersNamed
from engine.match.amendments import effective_events
from engine.message import Sentence, msg
from tableside.paths import own_folder
from tableside.record.store import Store
from tableside.recording.archive.content import recorded_at
from tableside.recording.archive.entries import ENTRY, EVENTS, ArchiveFolder, Entry, events_in
from tableside.review.report import LIST
from tableside.review.stills import INDEX, StoredStill, index_lines, stills_folder


class Gathered(NamedTuple):
    """What became of one match of an archive."""

    entry: Entry
    match: int | None
    """Its number in the record; None if it was not added."""
    fault: Sentence = ""


def is_archive(folder: Path) -> bool:
    """Whether a folder is one that `tableside archive` wrote."""
    return next(folder.glob(f"matches/*/{ENTRY}"), None) is not None


def add_archive(store: Store, folder: Path) -> Iterator[Gathered]:
    """Add the matches that the record does not have yet, as they are added.

    Raises `StoreError` or `OSError` if a file cannot be read or written.
    """
    for entry in ArchiveFolder(folder).entries():
        if entry.is_match:
            yield _add(store, folder / entry.folder, entry)


def _add(store: Store, folder: Path, entry: Entry) -> Gathered:
    events = events_in(folder)
    if not events:
        return Gathered(entry, None, msg("its files are not complete"))
    if same := store.matches_with(events):
        is_there = msg("match {number} is the same, play by play", number=same[0])
        return Gathered(entry, None, is_there)
    begun = entry.begun or _recorded(folder, entry)
    number = store.add_finished_match([*events, *_said(entry, events)], begun, entry.video)
    items = json.loads((folder / LIST).read_text("utf-8"))
    _copy_stills(folder, items, stills_folder(store.path, number))
    return Gathered(entry, number)


def _recorded(folder: Path, entry: Entry) -> float:
    """When a match of an earlier version's archive was played, as far as that is still known."""
    video = Path(entry.video)
    return recorded_at(video) if video.exists() else (folder / EVENTS).stat().st_mtime


def _said(entry: Entry, events: Sequence[Event]) -> Iterator[Event]:
    """Events for what was said of a match and is not in its own."""
    state, last = fold(effective_events(events)), events[-1]
    named = PlayersNamed(time=last.time, frame=last.frame, light=entry.light, dark=entry.dark)
    if (named.light, named.dark) != (state.light, state.dark):
        yield named
    if entry.event or entry.round or entry.table:
        yield MatchPlaced(
            time=last.time,
            frame=last.frame,
            event=entry.event,
            round=entry.round,
            table=entry.table,
        )


def _copy_stills(folder: Path, items: Sequence[dict[str, Any]], target: Path) -> None:
    """Keep the pictures of review items as a match that is recorded does, without labels."""
    times = {name: float(item["time"]) for item in items for name in item["stills"]}
    lines = []
    for name, seconds in sorted(times.items()):
        source = folder / name
        picture = cv2.imread(str(source))
        if picture is None:  # somebody removed it from the archive
            continue
        frame = int(source.stem.rpartition("-")[2])
        height, width = picture.shape[:2]
        own_folder(target)
        write_whole(target / f"{frame:06}.jpg", source.read_bytes(), mode=0o600)
        still = StoredStill(frame, frame, seconds, (), (width, height), ())
        lines.append(f"{index_lines(still)}\n")
    if lines:
        write_whole(target / INDEX, "".join(lines).encode(), mode=0o600)
