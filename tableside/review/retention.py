"""Which stills outlive a match: those of what is doubtful, and not more than there is room for.

While a match goes on every turn may become doubtful, so each keeps its stills; once nobody goes on
with it, only those are kept that the review pages show.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from engine import Event
from tableside.errors import StoreError
from tableside.review.review_items import doubtful_things
from tableside.review.stills import INDEX, StillKeeper

MOST: Final = 200
"""Stills of one match that is over: some 30 MB."""
MOST_BYTES: Final = 2_000_000_000
"""Of all stills beside a record; the oldest matches lose theirs first."""


def keep_doubtful(stills: StillKeeper, events: Sequence[Event], most: int = MOST) -> None:
    """Of a match that is over the stills of doubtful things are left, what was decided first.

    `StoreError` if the others cannot be removed.
    """
    things = doubtful_things(events, stills)
    if not any(one.shots for one in things):
        stills.remove()
        return
    decided = [one.shots[-1].moment.frame for one in things if one.shots]
    others = [shot.moment.frame for one in things for shot in one.shots[:-1]]
    stills.keep_only(set([*dict.fromkeys([*decided, *others])][:most]))


def bound_stills(record: Path, current: int, most: int = MOST_BYTES) -> None:
    """All stills beside the record take at most so many bytes, those of match `current` apart.

    `StoreError` if a folder cannot be put in order.
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
