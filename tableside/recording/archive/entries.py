"""The archive's folder: a folder with files for each match, a note for each video set aside.

    ARCHIVE/matches/NAME.KEY/    what `tableside transcribe` wrote, and entry.json
    ARCHIVE/set-aside/KEY.json   why no match was made of a video
    ARCHIVE/partial/             what is being written
    ARCHIVE/segments/KEY.HOW/    segments of a long video that are still to be joined
    ARCHIVE/index.html           the report; summary.csv beside it is a table of the same

An entry is complete or not there: its folder is renamed into place when all is written.
"""

from __future__ import annotations

import json
import re
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from hashlib import blake2b
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Final

from engine import Event, GameStart, PlayMade
from engine.match.amendments import effective_events
from engine.match.fold import fold
from tableside.record.files import read_events, replace_file
from tableside.recording.archive.segment_folder import SegmentFolder
from tableside.recording.archive.video_list import begun_at
from tableside.review.report import FOLDER, LIST, PAGE
from tableside.review.review_items import count_to_review

REMAINS_AGE_S: Final = 3600
"""Seconds without a change after which something half written belongs to a run that was killed."""
ENTRY: Final = "entry.json"
JOINED: Final = "segments.json"
"""Beside a transcript: in how many segments it was read, and how many did not join."""
EVENTS: Final = "events.jsonl"
NEEDED: Final = (EVENTS, "rolls.csv", LIST, f"{FOLDER}/{PAGE}")
"""What every match has; `match.mat` and `match.sgf` exist only for games that they can express."""
_UNSAFE: Final = re.compile(r"[^\w.-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What became of one video."""

    key: str
    """Of its content, see `tableside.recording.archive.content`."""
    video: str
    """Its path when it was transcribed."""
    fault: str = ""
    """What was wrong, in one line; of a video set aside, why."""
    attempts: int = 1
    """How often it was begun; more than once if its process was killed."""
    seconds: float = 0.0
    """Of video, up to the last event."""
    light: str = ""
    dark: str = ""
    points: tuple[int, int] = (0, 0)
    """Of light and dark at the end."""
    plays: int = 0
    segments: int = 1
    """In how many segments it was read."""
    read_again: int = 0
    """Of how many of them a part was read again, because they did not join."""
    to_review: int = 0
    folder: str = ""
    """The match's folder, relative to the archive; empty if the video was set aside."""
    options: tuple[str, ...] | None = None
    """With which it was read; None if an earlier version did not note it."""
    date: str = ""
    """When it was played, if somebody said so: ISO 8601."""
    recorded: float = 0.0
    """When it was by the video itself, in seconds since 1970; 0 if that was not noted."""
    event: str = ""
    round: str = ""
    table: str = ""

    @property
    def is_match(self) -> bool:
        """Whether a match was made of it."""
        return bool(self.folder)

    @property
    def begun(self) -> float:
        """When the match was played, in seconds since 1970; 0 if that is not known."""
        return begun_at(self.date) if self.date else self.recorded

    @property
    def day(self) -> str:
        """The day of that, ISO 8601; empty if it is not known."""
        return f"{datetime.fromtimestamp(self.begun):%Y-%m-%d}" if self.begun else ""

    def is_settled(self, options: tuple[str, ...], *, retries: bool) -> bool:
        """Whether its video is not to be read with these options; `retries`: even if set aside."""
        return self.is_match or (not retries and self.options in (None, options))


class ArchiveFolder:
    """The folder of an archive."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def entries(self) -> Iterator[Entry]:
        """All that is done, matches first."""
        yield from _read_all(self.path.glob(f"matches/*/{ENTRY}"))
        yield from _read_all(self.path.glob("set-aside/*.json"))

    def entry_of(self, key: str) -> Entry | None:
        """The entry with this key, if there is one."""
        matches = self.path.glob(f"matches/*.{key}/{ENTRY}")
        aside = self.path.glob(f"set-aside/{key}.json")
        return next(_read_all(chain(matches, aside)), None)

    def remove_remains(self) -> None:
        """Remove what runs that were killed had begun, unless it was written to lately."""
        for folder in self.path.glob("partial/*"):
            with suppress(FileNotFoundError):  # its run is just finishing it
                newest = max(path.stat().st_mtime for path in (folder, *folder.rglob("*")))
                if time.time() - newest > REMAINS_AGE_S:
                    shutil.rmtree(folder, ignore_errors=True)

    def partial(self, key: str) -> Path:
        """A new folder for one attempt."""
        folder = self.path / "partial"
        folder.mkdir(parents=True, exist_ok=True)
        return Path(mkdtemp(prefix=f"{key}.", dir=folder))

    def segments(self, key: str, options: Sequence[str], seconds: float) -> SegmentFolder:
        """The segments of a video's content, of about so many seconds, read with these options."""
        words = json.dumps([*options, seconds, version("tableside")])
        how = blake2b(words.encode(), digest_size=4).hexdigest()
        return SegmentFolder(self.path / "segments" / f"{key}.{how}")

    def remove_segments(self, key: str) -> None:
        """Remove the segments of a content, which is done."""
        for folder in self.path.glob(f"segments/{key}.*"):
            shutil.rmtree(folder, ignore_errors=True)

    def keep(self, written: Path, entry: Entry) -> None:
        """Make what was `written` a match of the archive, unless another attempt was faster."""
        target = self.path / entry.folder
        replace_file(written / ENTRY, _text(entry))
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            written.rename(target)
        except OSError:
            if not (target / ENTRY).exists():
                raise
            shutil.rmtree(written)
        self._note(entry.key).unlink(missing_ok=True)  # it was set aside before

    def set_aside(self, entry: Entry) -> None:
        """Note why no match was made of a video."""
        replace_file(self._note(entry.key), _text(entry))

    def revise(self, entry: Entry) -> None:
        """Write the entry of a match anew."""
        replace_file(self.path / entry.folder / ENTRY, _text(entry))

    def remove_stale_notes(self, key_of: Callable[[Path], str], videos: Sequence[Path]) -> None:
        """Remove the notes about contents that are no more.

        key_of: the key of a file's content as it is now; empty if that is not known. videos: those
        that are there.
        """
        entries = list(self.entries())
        changed = {
            entry.key for entry in entries if key_of(Path(entry.video)) not in ("", entry.key)
        }
        read = {entry.video for entry in entries if entry.is_match and entry.key not in changed}
        for entry in entries:
            video = Path(entry.video)
            is_gone = not video.exists() and _has_disk(video, videos)
            is_other = entry.key in changed
            if not entry.is_match and (is_gone or is_other or entry.video in read):
                self._note(entry.key).unlink(missing_ok=True)

    def _note(self, key: str) -> Path:
        return self.path / "set-aside" / f"{key}.json"


def _has_disk(video: Path, others: Sequence[Path]) -> bool:
    """Whether the disk of a video that is not there is: it would have taken its folders along."""
    there = next(folder for folder in video.parents if folder.exists())
    near = (one for one in others if there.parents and one.is_relative_to(there))
    return there == video.parent or any(near)


def folder_of(video: Path, key: str) -> str:
    """The folder of a video's match, relative to the archive: its name, and its content's key."""
    return f"matches/{_UNSAFE.sub('_', video.stem)[:60]}.{key}"


def match_figures(events: Sequence[Event]) -> dict[str, Any]:
    """The fields of an `Entry` that the events of its match give."""
    if not any(isinstance(event, GameStart) for event in events):
        return {}
    current = list(effective_events(events))
    state = fold(current)
    return {
        "seconds": max(event.time for event in events),
        "light": state.light,
        "dark": state.dark,
        "points": state.score,
        "plays": sum(isinstance(event, PlayMade) for event in current),
        "to_review": count_to_review(events),
    }


def segment_figures(folder: Path) -> dict[str, Any]:
    """The fields of an `Entry` that the join of its segments gives, if it was cut."""
    path = folder / JOINED
    return dict(json.loads(path.read_text("utf-8"))) if path.exists() else {}


def events_in(folder: Path) -> tuple[Event, ...]:
    """The events that a transcription wrote there; none unless it wrote all files of a match."""
    is_whole = all((folder / name).exists() for name in NEEDED)
    return read_events(folder / EVENTS) if is_whole else ()


def _read_all(paths: Iterable[Path]) -> Iterator[Entry]:
    known = {field.name for field in fields(Entry)}
    for path in sorted(paths):
        value = json.loads(path.read_text("utf-8"))
        given = {name: value[name] for name in known if name in value}
        lists = {name: tuple(one) for name, one in given.items() if isinstance(one, list)}
        yield Entry(**{**given, **lists})


def _text(entry: Entry) -> str:
    return json.dumps(asdict(entry), indent=1) + "\n"
