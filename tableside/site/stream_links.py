"""The file in which the tokens of overlays are kept, as hashes; all tables of a user share it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, astuple
from pathlib import Path
from typing import Final

from calibration.files import write_whole
from tableside.console import say
from tableside.record.file_lock import exclusive_lock
from webui.http.stream_links import LinksNotKept, StreamLink, StreamLinks

LOCK_S: Final = 5.0
_Stamp = tuple[int, int, int]
NO_FILE: Final[_Stamp] = (0, 0, 0)


def kept_links(file: Path) -> StreamLinks:
    """The tokens in the file, which is written at every change.

    A line for the user says if it cannot be read; then no token is valid until it is deleted.
    """
    links = StreamLinks(LinksFile(file))
    try:
        links.listed()
    except LinksNotKept as error:
        say(str(error))
    return links


class LinksFile:
    """The `KeptLinks` in a file that other programs may change too."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._read: _Stamp | None = None
        """The stamp of the file that was read; of none before the first."""
        self._fault: LinksNotKept | None = None
        """What is wrong with that file."""

    @contextmanager
    def locked(self) -> Iterator[None]:
        """While it lasts, no other program changes the file."""
        try:
            path = self._file.with_name(self._file.name + ".lock")
            with closing(exclusive_lock(path, LOCK_S)):
                yield
        except (OSError, sqlite3.Error) as error:
            raise LinksNotKept(f"{self._file} cannot be written: {error}") from error

    def changed(self) -> list[StreamLink] | None:
        """The links in the file, if it is another than at the last call."""
        stamp = _stamp(self._file)
        if stamp == self._read and self._fault is not None:
            raise self._fault
        if stamp == self._read:
            return None
        try:
            links = [] if stamp == NO_FILE else links_from(self._file.read_text("utf-8"))
        except OSError as error:
            raise LinksNotKept(f"{self._file} cannot be read: {error.strerror}") from error
        except (ValueError, TypeError, RecursionError) as error:
            self._read = stamp
            self._fault = LinksNotKept(f"{self._file} is not a file of overlay links: delete it")
            raise self._fault from error
        self._read, self._fault = stamp, None  # taken before: what is replaced is read again
        return links

    def save(self, links: list[StreamLink]) -> None:
        """Replace the file."""
        text = json.dumps([asdict(link) for link in links], indent=1)
        try:
            write_whole(self._file, text.encode(), mode=0o600)
        except OSError as error:
            raise LinksNotKept(f"{self._file} cannot be written: {error.strerror}") from error


def links_from(text: str) -> list[StreamLink]:
    """The links in the text; raises a built-in error if there is anything else."""
    links = [StreamLink(**one) for one in json.loads(text)]
    if not all(isinstance(value, str) for link in links for value in astuple(link)):
        raise ValueError("a link has something else than texts")
    return links


def _stamp(file: Path) -> _Stamp:
    """What changes with the file, which is only ever replaced."""
    try:
        found = file.stat()
    except FileNotFoundError:
        return NO_FILE
    return found.st_ino, found.st_mtime_ns, found.st_size
