"""Writes `review.json` and the folder `review`: the review items of a match, stills and a page.

A second run replaces the files of the first; files that its list does not name are left alone.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from engine import Event, GameStart, PlayersNamed, Side
from engine.events.codec import as_json
from tableside.errors import StoreError
from tableside.record.files import replace_file
from tableside.review.output_files import MATCH_FILES
from tableside.review.report_html import review_page
from tableside.review.review_items import ReviewItem, find_review_items
from tableside.review.stills import StillKeeper
from webui.i18n.locale import system_language, use_language

LIST: Final = "review.json"
FOLDER: Final = "review"
PAGE: Final = "index.html"
OUTPUT_FILES: Final = (*MATCH_FILES, LIST, f"{FOLDER}/{PAGE}")
"""What is written to a match's folder, except stills."""
_STILL: Final = re.compile(rf"{FOLDER}/still-\d{{6,}}\.jpg")


def write_review(
    folder: Path,
    events: Sequence[Event],
    stills: StillKeeper,
    language: str | None = None,
    *,
    mode: int = 0o666,
) -> tuple[Path, ...]:
    """Write the list, the stills and the page; return the paths of the list and the page.

    Outdated files of an earlier run are removed. `language` is the page's; None for the system's.
    `mode` is what others may do with the files, less the process's mask. Raises `StoreError`.
    """
    items = find_review_items(events, stills)
    before = _listed(folder / LIST)
    names = _write_stills(folder, items, stills, mode)
    paths = [replace_file(folder / LIST, _list_text(items, names), mode)]
    with use_language(language or system_language(os.environ)):
        open_items = [item for item in items if item.is_open]
        page = review_page(open_items, names, _players(events))
    paths.append(replace_file(folder / FOLDER / PAGE, page, mode))
    _remove(folder, before - {f"{FOLDER}/{name}" for name in names.values()})
    return tuple(paths)


def _write_stills(
    folder: Path, items: Sequence[ReviewItem], stills: StillKeeper, mode: int
) -> dict[int, str]:
    """Write the stills; their file names by frame."""
    names: dict[int, str] = {}
    for still in {one.still.frame: one.still for item in items for one in item.stills}.values():
        picture = stills.jpeg(still)
        if picture is not None:
            name = f"still-{still.frame:06}.jpg"
            replace_file(folder / FOLDER / name, picture, mode)
            names[still.frame] = name
    return names


def _list_text(items: Sequence[ReviewItem], names: dict[int, str]) -> str:
    """A JSON list, one item a line."""
    lines = (json.dumps(_as_json(item, names), ensure_ascii=False) for item in items)
    return "[" + ",".join(f"\n{line}" for line in lines) + "\n]\n"


def _as_json(item: ReviewItem, names: dict[int, str]) -> dict[str, Any]:
    frames = [shown.still.frame for shown in item.stills]
    event = as_json(item.event)
    return {
        "time": event["time"],
        "frame": event["frame"],
        "game": item.game,
        "turn": item.turn,
        "kind": item.kind,
        "review": item.is_open,
        "player": event.get("player"),
        "dice": event.get("dice"),
        "play": event.get("play"),
        "confidence": event.get("confidence"),
        "doubts": list(map(str, item.why)),
        "alternatives": event.get("alternatives", []),
        "legal": event.get("legal"),
        "rule": str(item.rule),
        "position": event.get("position"),
        "stills": [f"{FOLDER}/{name}" for name in map(names.get, frames) if name],
    }


def _players(events: Sequence[Event]) -> dict[Side, str]:
    """The players' names; those of the colors if the players have changed them in between."""
    start = next(
        (one for one in reversed(events) if isinstance(one, GameStart | PlayersNamed)), None
    )
    has_swapped = any(isinstance(one, GameStart) and one.swapped for one in events)
    if start is None or has_swapped:
        return {side: side.value.capitalize() for side in Side}
    return {Side.LIGHT: start.light, Side.DARK: start.dark}


def _listed(path: Path) -> set[str]:
    """The stills that an earlier list names; none if there is no valid list."""
    try:
        listed = json.loads(path.read_text("utf-8"))
        found = {name for one in listed for name in one["stills"]}
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return set()
    return {name for name in found if isinstance(name, str) and _STILL.fullmatch(name)}


def _remove(folder: Path, stills: set[str]) -> None:
    """Remove the stills of an earlier run."""
    try:
        for name in stills:
            (folder / name).unlink(missing_ok=True)
    except OSError as error:
        raise StoreError(f"cannot clean up {folder / FOLDER}: {error.strerror}") from error
