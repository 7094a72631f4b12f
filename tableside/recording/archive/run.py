"""Transcribes what an archive does not have yet, and says how far it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from engine.message import ngettext
from tableside.console import number_of_plays, video_progress
from tableside.printable import printable
from tableside.recording.archive.attempt import Done, Task
from tableside.recording.archive.content import KnownKeys, content_key
from tableside.recording.archive.entries import ArchiveFolder, Entry
from tableside.recording.archive.report import write_report
from tableside.recording.archive.segment_folder import SEGMENT_S
from tableside.recording.archive.videos import Video

CONTENT_KEYS: Final = "content-keys.json"
Pool = Callable[[Sequence[Task]], Iterator[Done]]
"""Does the tasks, and yields them as they are done."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What there is after a run, and what it did."""

    entries: tuple[Entry, ...]
    """All of the archive."""
    done: int
    """Videos that this run transcribed, set aside, or knew by their content."""
    unreadable: tuple[str, ...]
    """Videos that could not be read, with the reason."""
    ignored: tuple[str, ...] = ()
    """Videos that were read with other options than now, or have changed, with what to do."""


def transcribe_new(
    folder: Path,
    videos: Sequence[Video],
    pool: Pool,
    *,
    retries: bool = False,
    segment_seconds: float = SEGMENT_S,
) -> Outcome:
    """Transcribe the videos whose content the archive does not have, each content once.

    retries: try again what was set aside; segment_seconds: see `Task`. Raises `StoreError` if the
    archive cannot be written.
    """
    archive, keys = ArchiveFolder(folder), KnownKeys(folder / CONTENT_KEYS)
    archive.remove_remains()
    known = {entry.key: entry for entry in archive.entries()}
    wanted = list(_without_copies(videos, keys))
    tasks = [
        Task(folder.resolve(), one.path, one.options, one.caption, retries, segment_seconds)
        for one in wanted
        if (found := known.get(keys.of(one.path))) is None
        or not found.is_settled(one.options, retries=retries)
    ]
    unreadable = []
    try:
        with _progress([task.video for task in tasks]) as show:
            for done in pool(tasks):
                show(done)
                if done.entry is None:
                    continue
                if done.entry.key:
                    keys.note(done.task.video, done.entry.key)
                else:
                    unreadable.append(f"{done.task.video}: {done.entry.fault}")
    finally:
        keys.save()
    ignored = tuple(_revise(archive, wanted, keys))
    archive.remove_stale_notes(keys.of, [video.path for video in wanted if video.path.exists()])
    entries = tuple(archive.entries())
    write_report(folder, entries)
    return Outcome(entries, len(tasks) - len(unreadable), tuple(unreadable), ignored)


def _revise(archive: ArchiveFolder, videos: Sequence[Video], keys: KnownKeys) -> Iterator[str]:
    """Take over what is now said of matches that are read, and tell what somebody must decide."""
    matches = {entry.key: entry for entry in archive.entries() if entry.is_match}
    for video in videos:
        entry = matches.get(keys.of(video.path))
        if entry is None:
            continue
        revised = replace(entry, **video.caption.said)
        if revised != entry:
            archive.revise(revised)
        if entry.options not in (None, video.options):
            yield (
                f"{video.path}: it was read {_with(entry.options)}, not {_with(video.options)}; "
                f"to read it anew, remove {archive.path / entry.folder} and run this again"
            )
    there = {str(video.path): keys.of(video.path) for video in videos}
    for key, entry in matches.items():
        if there.get(entry.video, "") not in ("", key):
            yield (
                f"{entry.video}: it has changed since it was read; if it was half a copy then, "
                f"remove the match of that, {archive.path / entry.folder}"
            )


def _with(options: Sequence[str] | None) -> str:
    return f"with {' '.join(options)}" if options else "without options"


def _without_copies(videos: Sequence[Video], keys: KnownKeys) -> Iterator[Video]:
    """The first of each content. Only files of one size can be copies, and are read to tell."""
    by_size: dict[int, list[Video]] = {}
    for video in videos:
        by_size.setdefault(_size(video.path), []).append(video)
    for alike in by_size.values():
        seen = set()
        for video in alike:
            if len(alike) > 1 and not keys.of(video.path):
                with suppress(OSError):  # its task will say so
                    keys.note(video.path, content_key(video.path))
            key = keys.of(video.path)
            if not key or key not in seen:
                yield video
            seen.add(key)


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


@contextmanager
def _progress(videos: Sequence[Path]) -> Iterator[Callable[[Done], None]]:
    """Tells each task as it is done, and shows the time left, by the size of the videos."""
    sizes = {path: float(_size(path)) for path in videos}
    with video_progress(sum(sizes.values())) as advance:

        def show(done: Done) -> None:
            if done.segments:
                sizes[done.task.video] /= done.segments  # they are done one by one
            else:
                advance(sizes[done.task.video], told(done))

        yield show


def told(done: Done) -> str:
    """What became of a task, in one line."""
    name, entry = done.task.video.name, done.entry
    if entry is None:
        outcome = "is read" if done.is_read else "will be read when they are joined"
        return f"{name}: segment {done.task.segment} {outcome}"
    if not entry.key:
        return f"{name}: {entry.fault}"
    if entry.video != str(done.task.video):
        return f"{name}: the same as {entry.video}"
    if not entry.is_match:
        return f"{name}: set aside: {entry.fault}"
    doubts = ngettext("{number} item to review", "{number} items to review", entry.to_review)
    fault = f"; {entry.fault}" if entry.fault else ""
    again = f", {entry.read_again} of them partly read again" if entry.read_again else ""
    parts = f"; joined from {entry.segments} segments{again}" if entry.segments > 1 else ""
    return f"{name}: {number_of_plays(entry.plays)}, {doubts}{parts}{fault}"


def table_of(entries: Sequence[Entry]) -> str:
    """The entries as a table for the terminal, a line each."""
    rows: list[tuple[str, ...]] = [("video", "players", "score", "plays", "review", "note")]
    for one in sorted(entries, key=lambda entry: (not entry.is_match, entry.video)):
        points = f"{one.points[0]}-{one.points[1]}" if one.is_match else ""
        players = f"{one.light} - {one.dark}" if one.is_match else "set aside"
        figures = (points, str(one.plays), str(one.to_review)) if one.is_match else ("", "", "")
        row = (Path(one.video).name, players, *figures, one.fault)
        rows.append(tuple(map(printable, row)))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)
    return "\n".join(lines)
