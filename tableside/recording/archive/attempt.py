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

from tableside.recording.archive.content import content_key
from tableside.recording.archive.entries import (
    ArchiveFolder,
    Entry,
    events_in,
    folder_of,
    match_figures,
)

MAX_ATTEMPTS: Final = 3
"""How often a video is begun whose process is killed before the video is taken for the cause."""


@dataclass(frozen=True, slots=True)
class Task:
    """A video to be transcribed into an archive; can be sent to another machine."""

    archive: Path
    video: Path
    options: tuple[str, ...] = ()
    retries: bool = False
    """Whether it is tried again if it was set aside."""


@dataclass(frozen=True, slots=True)
class Done:
    """A task that is done, and the entry of its video's content."""

    task: Task
    entry: Entry
    """With an empty key if the video could not be read; then it is not in the archive."""


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
            key = content_key(task.video)
        except OSError as error:
            return Done(task, Entry(key="", video=str(task.video), fault=f"{error.strerror}"))
        # A worker may have been lost after its work, before it could say so.
        known = archive.entry_of(key)
        if known is not None and (known.is_match or not task.retries):
            return Done(task, known)
        return Done(task, self._attempted(task, key, archive))

    def _attempted(self, task: Task, key: str, archive: ArchiveFolder) -> Entry:
        """The entry of a new content, put into the archive."""
        entry = Entry(key=key, video=str(task.video))
        for attempt in range(1, MAX_ATTEMPTS + 1):
            written = archive.partial(key)
            try:
                code, complaint = self._run(task, written)
                if code < 0:
                    fault = f"its process was ended by {signal.Signals(-code).name}"
                    entry = replace(entry, attempts=attempt, fault=fault)
                    continue
                figures = match_figures(events_in(written))
                entry = replace(entry, attempts=attempt, fault=complaint, **figures)
                if figures:
                    entry = replace(entry, folder=folder_of(task.video, key))
                    archive.keep(written, entry)
                break
            finally:
                shutil.rmtree(written, ignore_errors=True)
        if not entry.is_match:
            archive.set_aside(entry)
        return entry

    def stop(self) -> None:
        """End what is running; from now on, nothing is begun."""
        with self._lock:
            self._is_stopped = True
            for process in self._running:
                process.kill()

    def _run(self, task: Task, folder: Path) -> tuple[int, str]:
        """The exit code of one attempt, negative if it was killed, and its complaint, if any."""
        command = [
            sys.executable,
            "-m",
            "tableside.recording.archive.child",
            "transcribe",
            str(task.video),
        ]
        with self._lock:
            if self._is_stopped:
                raise Stopped
            process = subprocess.Popen(
                [*command, "--quiet", "--out", str(folder), *task.options],
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
