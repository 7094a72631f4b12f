"""Transcribes what an archive does not have yet, and says how far it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from engine.message import ngettext
from tableside.console import number_of_plays, video_progress
from tableside.recording.archive.attempt import Task
from tableside.recording.archive.content import ContentKeys
from tableside.recording.archive.entries import ArchiveFolder, Entry
from tableside.recording.archive.report import write_report
from tableside.recording.archive.videos import Video

CONTENT_KEYS: Final = "content-keys.json"
Pool = Callable[[Sequence[Task]], Iterator[Entry]]
"""Does the tasks, and yields their entries as they are done."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What there is after a run, and what it did."""

    entries: tuple[Entry, ...]
    """All of the archive."""
    begun: int
    """Videos that this run transcribed or set aside."""
    unreadable: tuple[str, ...]
    """Videos that could not be opened, with the reason."""


def transcribe_new(
    folder: Path, videos: Sequence[Video], pool: Pool, *, retries: bool = False
) -> Outcome:
    """Transcribe the videos whose content the archive does not have, each content once.

    retries: try again what was set aside. Raises `StoreError` if the archive cannot be written.
    """
    archive = ArchiveFolder(folder)
    tasks, unreadable = _new_tasks(archive, videos, retries=retries)
    with _progress([task.video for task in tasks]) as show:
        for entry in pool(tasks):
            show(entry)
    entries = tuple(archive.entries())
    write_report(folder, entries)
    return Outcome(entries, len(tasks), unreadable)


def _new_tasks(
    archive: ArchiveFolder, videos: Sequence[Video], *, retries: bool
) -> tuple[list[Task], tuple[str, ...]]:
    known = {entry.key: entry for entry in archive.entries()}
    keys = ContentKeys(archive.path / CONTENT_KEYS)
    tasks: dict[str, Task] = {}
    unreadable: list[str] = []
    for video in videos:
        try:
            key = keys.of(video.path)
        except OSError as error:
            unreadable.append(f"{video.path}: {error.strerror}")
            continue
        done = known.get(key)
        if done is not None and not done.is_match and retries:
            archive.take_back(key)
            done = None
        if done is None:
            tasks.setdefault(key, Task(archive.path.resolve(), key, video.path, video.options))
    keys.save()
    return list(tasks.values()), tuple(unreadable)


@contextmanager
def _progress(videos: Sequence[Path]) -> Iterator[Callable[[Entry], None]]:
    """Tells each entry as it is done, and shows the time left, by the length of the videos."""
    lengths = {str(path): _seconds(path) for path in videos}
    with video_progress(sum(lengths.values())) as advance:

        def show(entry: Entry) -> None:
            advance(lengths.get(entry.video, 0.0), told(entry))

        yield show


def told(entry: Entry) -> str:
    """An entry in one line."""
    name = Path(entry.video).name
    if not entry.is_match:
        return f"{name}: set aside: {entry.fault}"
    doubts = ngettext("{number} item to review", "{number} items to review", entry.to_review)
    fault = f"; {entry.fault}" if entry.fault else ""
    return f"{name}: {number_of_plays(entry.plays)}, {doubts}{fault}"


def table_of(entries: Sequence[Entry]) -> str:
    """The entries as a table for the terminal, a line each."""
    rows = [("video", "players", "score", "plays", "review", "note")]
    for one in sorted(entries, key=lambda entry: (not entry.is_match, entry.video)):
        points = f"{one.points[0]}-{one.points[1]}" if one.is_match else ""
        players = f"{one.light} - {one.dark}" if one.is_match else "set aside"
        figures = (points, str(one.plays), str(one.to_review)) if one.is_match else ("", "", "")
        rows.append((Path(one.video).name, players, *figures, one.fault))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)
    return "\n".join(lines)


def _seconds(path: Path) -> float:
    """The length of a video by its header; 0 if it cannot be opened."""
    from vision.errors import VisionError
    from vision.sources.files import VideoFile

    try:
        video = VideoFile(path)
    except VisionError:
        return 0.0
    video.close()
    return video.seconds
