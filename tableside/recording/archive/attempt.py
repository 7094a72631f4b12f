"""Transcribes videos, each in a process of its own, and puts the results into the archive."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from tableside.recording.archive.content import content_key, recorded_at
from tableside.recording.archive.entries import (
    ArchiveFolder,
    Entry,
    events_in,
    folder_of,
    match_figures,
    segment_figures,
)
from tableside.recording.archive.segment_folder import SEGMENT_S, SegmentFolder
from tableside.recording.archive.video_list import NO_CAPTION, Caption

MAX_ATTEMPTS: Final = 3
"""How often a video is begun whose process is killed before the video is taken for the cause."""
WRONG_USAGE: Final = 2
"""The exit code of a command with wrong options."""
JOIN: Final = 0
"""Instead of a segment's number: join them all."""


@dataclass(frozen=True, slots=True)
class Task:
    """A video to be transcribed into an archive; can be sent to another machine."""

    archive: Path
    video: Path
    options: tuple[str, ...] = ()
    """How it is read."""
    caption: Caption = NO_CAPTION
    retries: bool = False
    """Whether it is tried again if it was set aside."""
    segment_seconds: float = SEGMENT_S
    """About how long the segments of a long video are; 0 to read each video in one go."""
    segment: int | None = None
    """The number of the segment that is to be read, from 2 on; `JOIN` to join them all; None for a
    video that may have to be cut."""
    key: str = ""
    """Of its content; empty if that has not been read."""


@dataclass(frozen=True, slots=True)
class Done:
    """A task that is done, and the entry of its video's content."""

    task: Task
    entry: Entry | None
    """With an empty key if the video could not be read; then it is not in the archive. None if the
    video is not done yet."""
    segments: int = 0
    """Into how many segments the video was cut, if it just was."""
    is_read: bool = True
    """Whether the segment could be read; otherwise it will be when they are joined."""


class Stopped(Exception):
    """Raised for what was not finished when the work was stopped."""


class Transcriber:
    """Transcribes videos, from several threads if need be, until it is stopped."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[str]] = set()
        self._is_stopped = False

    def transcribe(self, task: Task) -> Done:
        """Transcribe a task's video, unless the archive has its content.

        Raises `Stopped` if it is stopped meanwhile, and `OSError` or `StoreError` if the archive
        cannot be written.
        """
        archive = ArchiveFolder(task.archive)
        try:
            key = task.key or content_key(task.video)
        except OSError as error:
            return Done(task, Entry(key="", video=str(task.video), fault=f"{error.strerror}"))
        # A worker may have been lost after its work, before it could say so.
        known = archive.entry_of(key)
        if known is not None and known.is_settled(task.options, retries=task.retries):
            return Done(task, known)
        task = replace(task, key=key)
        segments = archive.segments(key, task.options, task.segment_seconds)
        if task.segment:
            self._read_segment(task, task.segment, archive, segments)
            return Done(task, None, is_read=segments.segment(task.segment).exists())
        entry = None
        if task.segment == JOIN or not (task.segment_seconds and segments.number):
            entry = self._attempted(task, archive, segments)
        return Done(task, entry, segments.number if entry is None else 0)

    def _read_segment(
        self, task: Task, number: int, archive: ArchiveFolder, segments: SegmentFolder
    ) -> None:
        """Read a segment, unless it is there; if it cannot be read, it will be when they join."""
        for _ in range(MAX_ATTEMPTS):
            if segments.segment(number).exists():
                return
            written = archive.partial(task.key)
            try:
                code, _ = self._run(task, written, segments)
                if code == 0:
                    segments.keep(written, number)
                if code >= 0:
                    return
            finally:
                shutil.rmtree(written, ignore_errors=True)

    def _attempted(
        self, task: Task, archive: ArchiveFolder, segments: SegmentFolder
    ) -> Entry | None:
        """The entry of a new content, put into the archive; None if its video was cut first.

        Its key is empty if its options are wrong here: that is not the video's fault.
        """
        key, entry = task.key, _blank(task)
        for attempt in range(1, MAX_ATTEMPTS + 1):
            written = archive.partial(key)
            try:
                code, complaint = self._run(task, written, segments)
                if code < 0:
                    fault = f"its process was ended by {signal.Signals(-code).name}"
                    entry = replace(entry, attempts=attempt, fault=fault)
                    continue
                if code == WRONG_USAGE:
                    return replace(entry, key="", fault=complaint)
                if task.segment is None and task.segment_seconds and segments.number:
                    return None
                figures = match_figures(events_in(written)) | segment_figures(written)
                said = task.caption.said
                entry = replace(entry, attempts=attempt, fault=complaint, **figures | said)
                if "plays" in figures:
                    entry = replace(entry, folder=folder_of(task.video, key))
                    archive.keep(written, entry)
                break
            finally:
                shutil.rmtree(written, ignore_errors=True)
        if not entry.is_match:
            # A worker that was thought to be lost may have finished meanwhile.
            known = archive.entry_of(key)
            if known is not None and known.is_match:
                return known
            archive.set_aside(entry)
        archive.remove_segments(key)
        return entry

    def stop(self) -> None:
        """End what is running; from now on, nothing is begun."""
        with self._lock:
            self._is_stopped = True
            for process in self._running:
                process.kill()

    def _run(self, task: Task, folder: Path, segments: SegmentFolder) -> tuple[int, str]:
        """The exit code of one attempt, negative if it was killed, and its complaint, if any."""
        child = (sys.executable, "-m", "tableside.recording.archive.child")
        said = task.caption.said
        names = (f"--{side}={said[side]}" for side in ("light", "dark") if side in said)
        options = (*task.options, *names)
        words = ("transcribe", str(task.video), "--quiet", "--out", str(folder), *options)
        with self._lock:
            if self._is_stopped:
                raise Stopped
            process = subprocess.Popen(
                [*child, *words, *_segment_words(task, segments)],
                stdin=subprocess.PIPE,  # held open: see `tableside.recording.archive.child`
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                start_new_session=True,  # Ctrl+C is for this process, which stops the others
            )
            self._running.add(process)
        with process:
            assert process.stderr is not None  # noqa: S101
            complaints = process.stderr.read().splitlines()
            code = process.wait()
        with self._lock:
            self._running.discard(process)
            if self._is_stopped:
                raise Stopped
        if code and not complaints:
            return code, f"its process ended with code {code}, without a word"
        return code, complaints[-1].removeprefix("tableside: ") if code else ""


def _blank(task: Task) -> Entry:
    """The entry of a task's video before it is read."""
    recorded = recorded_at(task.video) if task.video.exists() else 0.0
    return Entry(
        key=task.key,
        video=str(task.video),
        options=task.options,
        recorded=recorded,
        **task.caption.said,
    )


def _segment_words(task: Task, segments: SegmentFolder) -> tuple[str, ...]:
    """What tells `tableside transcribe` about segments."""
    if not task.segment_seconds:
        return ()
    words = ("--segments", str(segments.path), "--segment-seconds", f"{task.segment_seconds}")
    return words if task.segment is None else (*words, "--segment", f"{task.segment}")
