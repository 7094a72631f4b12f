"""Videos that a phone sends in parts: each goes on where it stopped, also after a restart."""

from __future__ import annotations

import hashlib
import re
import shutil
import threading
from pathlib import Path
from typing import Final

from engine.message import join, msg
from tableside.paths import own_folder
from webui.contracts.phone import VideoFile, VideoRefused
from webui.contracts.setup import PhoneVideo

SUFFIXES: Final = (".mp4", ".mov", ".m4v", ".mkv", ".webm", ".avi", ".3gp", ".ts")
MOST_NAME_BYTES: Final = 120
"""Bytes of a name that are kept; file systems take 255 with what is added."""
LONGEST_SUFFIX: Final = 8
SPARE_BYTES: Final = 2_000_000_000
"""What stays free on the disk: the record comes first."""
_PART: Final = re.compile(r"(?P<name>.+)\.(?P<size>\d+)\.part")


class VideoInbox:
    """The folder of the videos; a part file's name says how large the whole will be."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()

    def received(self, video: VideoFile) -> int:
        """How many bytes of the video are here."""
        with self._lock:
            return self._received(video)

    def append(self, video: VideoFile, start: int, part: bytes) -> int:
        """Append a part; how many bytes are here then. Raises `VideoRefused`."""
        with self._lock:
            here = self._received(video)
            if start != here or start + len(part) > video.size:
                raise VideoRefused(msg("the video goes on at byte {here}", here=here), here)
            if here == video.size:  # complete, and never begun anew
                return here
            path = self._part(video)
            try:
                self._check(video, here)
                path.touch(0o600)
                with path.open("ab") as file:
                    file.write(part)
                if here + len(part) == video.size:
                    path.replace(self._whole(video))
            except OSError as error:
                reason = msg("the video cannot be kept: {error}", error=str(error.strerror))
                raise VideoRefused(reason, self._received(video)) from error
            return here + len(part)

    def videos(self) -> list[PhoneVideo]:
        """Those that are complete, and those that are not, by their names."""
        with self._lock:
            paths = sorted(self._folder.iterdir()) if self._folder.is_dir() else []
            return [_shown(path) for path in paths if path.is_file()]

    def _received(self, video: VideoFile) -> int:
        for path in (self._whole(video), self._part(video)):
            if path.is_file():
                return path.stat().st_size
        return 0

    def _check(self, video: VideoFile, here: int) -> None:
        if self._whole(video).suffix not in SUFFIXES:
            other = msg("{name} is not a video", name=video.name)
            raise VideoRefused(join((other, msg("choose an MP4 or MOV file"))), here)
        own_folder(self._folder)
        if shutil.disk_usage(self._folder).free - (video.size - here) < SPARE_BYTES:
            full = msg("the disk of the computer is too full for this video")
            raise VideoRefused(join((full, msg("free some space there"))), here)

    def _whole(self, video: VideoFile) -> Path:
        """Where it is kept: its plain name, made unique by what identifies the file."""
        given = Path(video.name)
        plain = re.sub(r"[^\w.-]+", "_", given.stem).strip("._").encode()[:MOST_NAME_BYTES]
        stem = plain.decode(errors="ignore") or "video"
        key = f"{video.name}/{video.size}/{video.modified}".encode()
        digest = hashlib.sha256(key).hexdigest()[:8]
        return self._folder / f"{stem}-{digest}{given.suffix.lower()[:LONGEST_SUFFIX]}"

    def _part(self, video: VideoFile) -> Path:
        whole = self._whole(video)
        return whole.with_name(f"{whole.name}.{video.size}.part")


def _shown(path: Path) -> PhoneVideo:
    received = path.stat().st_size
    if (part := _PART.fullmatch(path.name)) is None:
        return PhoneVideo(name=path.name, address=str(path), received=received, size=received)
    return PhoneVideo(name=part["name"], address="", received=received, size=int(part["size"]))
