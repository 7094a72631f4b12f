"""Removes matches for good that were deleted some time ago, with all that was kept of them."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from tableside.analysis.store import forget_answers
from tableside.errors import NoAnalysis, StoreError
from tableside.paths import board_profile
from tableside.record.recorder import WriterLock, is_claimed
from tableside.record.store import KEPT_S, MatchEntry, Store
from tableside.review.stills import StillKeeper, stills_folder

_LOGGER: Final = logging.getLogger(__name__)


def purge_deleted(store: Store, clock: Callable[[], float] = time.time) -> None:
    """Remove the matches that were deleted long enough ago; what fails is tried again next time."""
    for entry in store.all_matches():
        is_due = _is_due(entry, clock())
        if not (is_due or entry.is_purged):
            continue
        try:
            if is_due:
                store.purge_match(entry.id)
            # Afterwards, so that a match that can be restored has its pictures.
            StillKeeper(stills_folder(store.path, entry.id)).remove()
            board_profile(store.path, entry.id).unlink(missing_ok=True)
            forget_answers(store.path, entry.id)
        except (OSError, NoAnalysis, StoreError) as error:
            _LOGGER.warning("match %s was not removed yet: %s", entry.id, error)


def purge_unless_recorded(record: Path) -> None:
    """The same for a record that no program is writing to, and that has something to remove."""
    if not record.exists():
        return
    try:
        with Store.open_read_only(record) as store:
            is_due = any(_is_due(entry, time.time()) for entry in store.all_matches())
        if is_due and not is_claimed(record):
            with ExitStack() as held:
                held.callback(WriterLock(record).release)
                purge_deleted(held.enter_context(Store.open(record)))
    except StoreError as error:  # whoever reads the record is told
        _LOGGER.info("nothing was removed from %s: %s", record, error)


def _is_due(entry: MatchEntry, now: float) -> bool:
    return entry.deleted_at is not None and now >= entry.deleted_at + KEPT_S
