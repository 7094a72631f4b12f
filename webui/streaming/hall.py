"""The tables of a hall as server-sent events: each change carries only the tables that changed."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Final

from webui.contracts.hall import Hall, TableShown
from webui.contracts.roles import Visibility
from webui.i18n.locale import use_language
from webui.i18n.messages import MessageJSON
from webui.streaming.sse import HEARTBEAT, RETRY_MS, SLICE, Gone
from webui.views.hall import Tile, order, tile
from webui.views.phrases import sentence

PAUSE: Final = 0.05
"""Seconds between two events: what changes meanwhile goes into one."""
MOST_KEPT: Final = 4096


class TileKeeper:
    """The newest tiles, each made once for all readers of a visibility and language."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str, str], tuple[int, Tile]] = {}

    def tile(self, table: TableShown, visibility: Visibility, language: str) -> Tile:
        """The tile of a table."""
        key = table["name"], visibility.value, language
        version, kept = self._kept.get(key, (None, None))
        if kept is None or version != table["version"]:
            kept = tile(table)
            if len(self._kept) >= MOST_KEPT:
                self._kept.clear()
            self._kept[key] = table["version"], kept
        return {**kept, "age": table["age"]}


def hall_events(
    hall: Hall, keeper: TileKeeper, gone: Gone, visibility: Visibility, language: str
) -> Iterator[bytes]:
    """Yield all tables, then those that changed, whenever some have."""
    yield f"retry: {RETRY_MS}\n\n".encode()
    seen, quiet = -1, 0.0
    while not gone():
        newest = hall.newer(seen, SLICE)
        quiet += SLICE
        if newest > seen:
            yield _event(hall, keeper, seen, newest, visibility, language)
            seen, quiet = newest, 0.0
            time.sleep(PAUSE)
        elif quiet >= HEARTBEAT:
            quiet = 0.0
            yield b": heartbeat\nevent: beat\ndata: 1\n\n"


def _event(
    hall: Hall,
    keeper: TileKeeper,
    seen: int,
    newest: int,
    visibility: Visibility,
    language: str,
) -> bytes:
    tables = hall.tables(visibility)
    with use_language(language):
        changed = [one for one in tables if one["version"] > seen]
        body = {
            "tiles": [keeper.tile(one, visibility, language) for one in changed],
            "order": order(tables),
            "troubles": [sentence(one) for one in hall.troubles()],
        }
        text = json.dumps(
            body, ensure_ascii=False, separators=(",", ":"), default=MessageJSON.default
        )
    return f"id: {newest}\nevent: state\ndata: {text}\n\n".encode()
