"""Removes matches for good that were deleted some time ago, with all that was kept of them."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Final

from tableside.analysis.store import forget_answers
from tableside.errors import NoAnalysis, StoreError
from tableside.paths import board_profile
from tableside.record.store import KEPT_S, Store
from tableside.review.stills import StillKeeper, stills_folder

_LOGGER: Final = logging.getLogger(__name__)


def purge_deleted(store: Store, clock: Callable[[], float] = time.time) -> None:
    """Remove the matches that were deleted long enough ago; what fails is tried again next time."""
    for entry in store.all_matches():
        if entry.deleted_at is None or clock() < entry.deleted_at + KEPT_S:
            continue
        try:
            StillKeeper(stills_folder(store.path, entry.id)).remove()
            board_profile(store.path, entry.id).unlink(missing_ok=True)
            forget_answers(store.path, entry.id)
            store.purge_match(entry.id)
        except (OSError, NoAnalysis, StoreError) as error:
            _LOGGER.warning("match %s was not removed yet: %s", entry.id, error)
