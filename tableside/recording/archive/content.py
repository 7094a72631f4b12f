"""What is in a video, as a short key: the same for every copy, whatever its name."""

from __future__ import annotations

import json
import time
from hashlib import blake2b
from pathlib import Path
from typing import Final

from tableside.record.files import replace_file
from vision.sources.mp4_header import creation_time

KEY_BYTES: Final = 12
"""Among a million different videos two have the same key with a probability of 1e-17."""
CHUNK: Final = 1 << 22
"""Bytes read at once."""
FROM_1904_TO_1970_S: Final = 2_082_844_800
"""MP4 counts from 1904."""


def content_key(video: Path) -> str:
    """The key of a file; raises `OSError` if it cannot be read."""
    digest = blake2b(digest_size=KEY_BYTES)
    with video.open("rb") as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def recorded_at(video: Path) -> float:
    """When a video was recorded, in seconds since 1970: what it says itself, or else its date.

    Raises `OSError` if it cannot be read.
    """
    changed = video.stat().st_mtime
    created = creation_time(video)
    seconds = 0.0 if created is None else created - FROM_1904_TO_1970_S
    return seconds if 0 < seconds <= time.time() else changed  # a clock that was never set


class KnownKeys:
    """Keys kept from run to run: a file is read again only if its size or its date has changed."""

    def __init__(self, path: Path) -> None:
        """`path`: where they are kept; one that cannot be read is made anew."""
        self._path = path
        try:
            self._known: dict[str, list[object]] = dict(json.loads(path.read_text("utf-8")))
        except (OSError, ValueError, TypeError, RecursionError):
            self._known = {}

    def of(self, video: Path) -> str:
        """The key of a file; empty if it is not known."""
        known = self._known.get(str(video))
        is_known = isinstance(known, list) and known[1:] == _stamp(video)
        return str(known[0]) if known and is_known else ""

    def note(self, video: Path, key: str) -> None:
        """Take a file's key, as the file is now, for `save`."""
        self._known[str(video)] = [key, *_stamp(video)]

    def save(self) -> None:
        """Keep what was noted; raises `StoreError`."""
        replace_file(self._path, json.dumps(self._known, indent=0))


def _stamp(video: Path) -> list[object]:
    try:
        status = video.stat()
    except OSError:
        return []
    return [status.st_size, status.st_mtime_ns]
