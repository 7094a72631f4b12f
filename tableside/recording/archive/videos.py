"""Which videos are to be transcribed, and with which options: folders, files, and lists of them."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tableside.errors import WrongUsage

VIDEO_SUFFIXES: Final = frozenset({
    *(".3gp", ".avi", ".m2ts", ".m4v", ".mkv", ".mov", ".mp4", ".mpeg", ".mpg", ".mts", ".ts"),
    *(".webm", ".wmv"),
})  # fmt: skip
LIST_SUFFIXES: Final = frozenset({".csv", ".txt"})
COLUMNS: Final = ("light", "dark", "length", "variant", "rules", "profile")
"""Columns of a list beside `video`: the options of `tableside transcribe` with these names."""


@dataclass(frozen=True, slots=True)
class Video:
    """A video and how it is to be transcribed."""

    path: Path
    options: tuple[str, ...] = ()
    """Options of `tableside transcribe`, such as `--length 7`, as separate words."""


def find_videos(sources: Sequence[Path], options: Sequence[str] = ()) -> list[Video]:
    """The videos in folders, at any depth, and in lists, and those named; each path once.

    `options` are for all of them; those in a list come after. Raises `WrongUsage`.
    """
    found: dict[Path, Video] = {}
    for source in sources:
        for video in _in(source.expanduser()):
            path = video.path.resolve()
            found.setdefault(path, Video(path, (*options, *video.options)))
    if not found:
        raise WrongUsage(f"there is no video in {', '.join(map(str, sources))}")
    return list(found.values())


def _in(source: Path) -> Iterator[Video]:
    if source.is_dir():
        inside = (path for path in source.rglob("*") if path.suffix.lower() in VIDEO_SUFFIXES)
        yield from (Video(path) for path in sorted(inside) if path.is_file())
    elif not source.exists():
        raise WrongUsage(f"{source} does not exist")
    elif source.suffix.lower() in LIST_SUFFIXES:
        yield from _listed(source)
    else:
        yield Video(source)


def _listed(source: Path) -> Iterator[Video]:
    try:
        lines = source.read_text("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise WrongUsage(f"{source} is not a list of videos: it is not UTF-8 text") from error
    if source.suffix.lower() == ".csv":
        yield from _rows(source, lines)
        return
    for line in filter(None, map(str.strip, lines)):
        yield Video(source.parent / Path(line).expanduser())


def _rows(source: Path, lines: Iterable[str]) -> Iterator[Video]:
    rows = csv.DictReader(lines)
    columns = set(rows.fieldnames or ())
    if "video" not in columns or not columns <= {"video", *COLUMNS}:
        raise WrongUsage(
            f"the first line of {source} must name the column video, and may name "
            f"{', '.join(COLUMNS)}"
        )
    for row in rows:
        chosen = ((f"--{name}", row[name]) for name in COLUMNS if row.get(name))
        if path := row["video"]:
            options = tuple(word for pair in chosen for word in pair)
            yield Video(source.parent / Path(path).expanduser(), options)
