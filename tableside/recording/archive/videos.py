"""Which videos are to be transcribed, and with which options: folders, files, and lists of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from tableside.errors import WrongUsage
from tableside.recording.archive.video_list import (
    NO_CAPTION,
    NOTHING,
    READING,
    Caption,
    Row,
    read_rows,
)

VIDEO_SUFFIXES: Final = frozenset({
    *(".3gp", ".avi", ".m2ts", ".m4v", ".mkv", ".mov", ".mp4", ".mpeg", ".mpg", ".mts", ".ts"),
    *(".webm", ".wmv"),
})  # fmt: skip
LIST_SUFFIXES: Final = frozenset({".csv", ".txt"})


@dataclass(frozen=True, slots=True)
class Video:
    """A video, how it is to be read, and what is said of its match."""

    path: Path
    options: tuple[str, ...] = ()
    """Options of `tableside transcribe`, such as `--length 7`, as separate words."""
    caption: Caption = NO_CAPTION


def find_videos(
    sources: Sequence[Path],
    options: Mapping[str, str] = NOTHING,
    caption: Caption = NO_CAPTION,
) -> list[Video]:
    """The videos in folders, at any depth, and in lists, and those named; each path once.

    `options`, those of `READING`, and `caption` are for all of them, unless a list says otherwise.
    Raises `WrongUsage`, before any video is opened.
    """
    found: dict[Path, Video] = {}
    for source in sources:
        for path, own, said in _in(source.expanduser(), options):
            chosen = {**options, **own}
            pairs = ((f"--{name}", chosen[name]) for name in READING if name in chosen)
            words = tuple(word for pair in pairs for word in pair)
            called = Caption(**{**asdict(caption), **said.said})
            found.setdefault(path.resolve(), Video(path.resolve(), words, called))
    if not found:
        raise WrongUsage(f"there is no video in {', '.join(map(str, sources))}")
    return list(found.values())


def _in(source: Path, options: Mapping[str, str]) -> Iterator[Row]:
    if source.is_dir():
        inside = (path for path in source.rglob("*") if path.suffix.lower() in VIDEO_SUFFIXES)
        yield from (Row(path) for path in sorted(inside) if path.is_file())
    elif not source.exists():
        raise WrongUsage(f"{source} does not exist")
    elif source.suffix.lower() in LIST_SUFFIXES:
        yield from _listed(source, options)
    else:
        yield Row(source)


def _listed(source: Path, options: Mapping[str, str]) -> Iterator[Row]:
    try:
        lines = source.read_text("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise WrongUsage(f"{source} is not a list of videos: it is not UTF-8 text") from error
    if source.suffix.lower() == ".csv":
        yield from read_rows(source, lines, options)
        return
    for line in filter(None, map(str.strip, lines)):
        yield Row(source.parent / Path(line).expanduser())
