"""Which stills and clips are kept after a match: those of its review items, within a size limit.

During a match any turn may become a review item, so each keeps its stills; afterwards only those
that the review pages show are kept.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from engine import Event
from tableside.errors import StoreError
from tableside.review.review_items import find_review_items
from tableside.review.stills import INDEX, StillKeeper

MAX_STILLS: Final = 200
"""Stills of a finished match: some 30 MB."""
MAX_STILL_BYTES: Final = 2_000_000_000
"""Limit for all stills and clips of a record; the oldest matches lose theirs first."""


def prune_stills(stills: StillKeeper, events: Sequence[Event], most: int = MAX_STILLS) -> None:
    """Remove a finished match's stills and clips except those of review items, at most `most`.

    The last still of each item, on which it was decided, has priority; the keeper is closed. Raises
    `StoreError`.
    """
    stills.close()
    items = find_review_items(events, stills)
    if not any(item.stills or stills.has_clip(item.event) for item in items):
        stills.remove()
        return
    decided = [item.stills[-1].still.frame for item in items if item.stills]
    others = [shown.still.frame for item in items for shown in item.stills[:-1]]
    moments = {item.event.frame for item in items}
    stills.keep_only(set([*dict.fromkeys([*decided, *others])][:most]), moments)


def limit_all_stills(record: Path, current: int, most: int = MAX_STILL_BYTES) -> None:
    """Remove the oldest matches' stills and clips beyond a total of `most` bytes.

    Those of `current` stay. Raises `StoreError`.
    """
    named = re.compile(rf"{re.escape(record.stem)}\.stills-(\d+)")
    found = ((named.fullmatch(path.name), path) for path in record.parent.iterdir())
    folders = sorted((int(name[1]), path) for name, path in found if name)
    room = most
    for number, folder in reversed(folders):
        room -= _size(folder)
        if room < 0 and number != current:
            StillKeeper(folder).remove()


def _size(folder: Path) -> int:
    try:
        return sum(p.stat().st_size for p in folder.iterdir() if p.name != INDEX)
    except OSError as error:
        raise StoreError(f"{folder} cannot be read: {error.strerror}") from error
