"""`review.json` and the folder `review`: everything doubtful of a match, with stills and a page.

A second run replaces what the first one wrote. A file that is not in its list is not ours.
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
from tableside.review.report_html import GENERATOR, review_page
from tableside.review.review_items import ReviewItem, doubtful_things
from tableside.review.stills import StillKeeper
from webui.i18n.locale import of_system, speaking

LIST: Final = "review.json"
FOLDER: Final = "review"
PAGE: Final = "index.html"
_STILL: Final = re.compile(rf"{FOLDER}/still-\d{{6,}}\.jpg")


def write_review(
    folder: Path, events: Sequence[Event], stills: StillKeeper, language: str | None = None
) -> tuple[Path, ...]:
    """The list, and the page where there is anything on it; `StoreError` if one cannot be written.

    What an earlier run left there and nobody needs any more is gone. `language` is the page's;
    None: that of the system.
    """
    things = doubtful_things(events, stills)
    before = _listed(folder / LIST)
    names = _write_stills(folder, things, stills)
    paths = [replace_file(folder / LIST, _list_text(things, names))]
    asking = [one for one in things if one.is_open]
    if asking:
        with speaking(language or of_system(os.environ)):
            page = review_page(asking, names, _players(events))
        paths.append(replace_file(folder / FOLDER / PAGE, page))
    _tidy(folder, before - {f"{FOLDER}/{name}" for name in names.values()}, has_page=bool(asking))
    return tuple(paths)


def _write_stills(
    folder: Path, things: Sequence[ReviewItem], stills: StillKeeper
) -> dict[int, str]:
    """By frame, the names of the stills that are written."""
    names: dict[int, str] = {}
    for moment in {shot.moment.frame: shot.moment for one in things for shot in one.shots}.values():
        picture = stills.jpeg(moment)
        if picture is not None:
            name = f"still-{moment.frame:06}.jpg"
            replace_file(folder / FOLDER / name, picture)
            names[moment.frame] = name
    return names


def _list_text(things: Sequence[ReviewItem], names: dict[int, str]) -> str:
    """A JSON list, one thing a line."""
    lines = (json.dumps(_as_json(one, names), ensure_ascii=False) for one in things)
    return "[" + ",".join(f"\n{line}" for line in lines) + "\n]\n"


def _as_json(one: ReviewItem, names: dict[int, str]) -> dict[str, Any]:
    frames = [shot.moment.frame for shot in one.shots]
    event = as_json(one.event)
    return {
        "time": event["time"],
        "frame": event["frame"],
        "game": one.game,
        "turn": one.turn,
        "kind": one.kind,
        "review": one.is_open,
        "player": event.get("player"),
        "dice": event.get("dice"),
        "play": event.get("play"),
        "confidence": event.get("confidence"),
        "doubts": list(one.why),
        "alternatives": event.get("alternatives", []),
        "legal": event.get("legal"),
        "rule": one.rule,
        "position": event.get("position"),
        "stills": [f"{FOLDER}/{name}" for name in map(names.get, frames) if name],
    }


def _players(events: Sequence[Event]) -> dict[Side, str]:
    """What the sides are called."""
    start = next(
        (one for one in reversed(events) if isinstance(one, GameStart | PlayersNamed)), None
    )
    if start is None:
        return {side: side.value.capitalize() for side in Side}
    return {Side.LIGHT: start.light, Side.DARK: start.dark}


def _listed(path: Path) -> set[str]:
    """The stills that an earlier list names; none where there is no list of ours."""
    try:
        listed = json.loads(path.read_text("utf-8"))
        found = {name for one in listed for name in one["stills"]}
    except (OSError, ValueError, KeyError, TypeError):
        return set()
    return {name for name in found if isinstance(name, str) and _STILL.fullmatch(name)}


def _tidy(folder: Path, unneeded: set[str], *, has_page: bool) -> None:
    """Remove these and, where nothing is doubtful, the page of an earlier run and its folder."""
    try:
        for name in unneeded:
            (folder / name).unlink(missing_ok=True)
        page = folder / FOLDER / PAGE
        if not has_page and page.is_file() and GENERATOR.encode() in page.read_bytes():
            page.unlink()
        if (folder / FOLDER).is_dir() and not any((folder / FOLDER).iterdir()):
            (folder / FOLDER).rmdir()
    except OSError as error:
        raise StoreError(f"{folder / FOLDER} cannot be put in order: {error.strerror}") from error
