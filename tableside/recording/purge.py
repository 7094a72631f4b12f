"""Removes matches for good that were deleted some time ago, with all that was kept of them.

The machine's clock may be wrong by decades, and nothing that was removed comes back. So the time
since a deletion is not what the clock says, but what was seen to pass: each start that finds the
match deleted is noted, and the time between two of these starts counts up to `MOST_S`, except the
longest, which may be one jump of the clock. Starts from the future are forgotten: the clock was
wrong then. A match is removed once `KEPT_S` have passed in this way, which takes a table that is
used every week six weeks, and one that is used every month four months.

The deletion counts as the first start, unless its time cannot be right: it is in the future, or
before the match. Without the notes, the time begins anew.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from calibration.files import write_whole
from tableside.analysis.store import forget_answers
from tableside.errors import NoAnalysis, StoreError
from tableside.paths import board_profile
from tableside.record.recorder import WriterLock, is_claimed
from tableside.record.store import KEPT_S, MatchEntry, Store
from tableside.review.stills import StillKeeper, stills_folder

DAY_S: Final = 86400.0
"""Seconds between two starts that are noted."""
MOST_S: Final = 10 * DAY_S
"""Most seconds that count between two starts."""
_LOGGER: Final = logging.getLogger(__name__)


def purge_deleted(store: Store, clock: Callable[[], float] = time.time) -> None:
    """Note which matches are deleted, and remove those that were for long enough.

    What fails is tried again next time.
    """
    entries, notes = store.all_matches(), _Starts(store.path)
    notes.add(entries, clock())
    for entry in entries:
        is_due = entry.deleted_at is not None and notes.passed(entry) >= KEPT_S
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


def purge_unless_recorded(record: Path, clock: Callable[[], float] = time.time) -> None:
    """The same for a record that no program is writing to."""
    if not record.exists():
        return
    try:
        with Store.open_read_only(record) as store:
            has_any = bool(store.deleted())
        if has_any and not is_claimed(record):
            with ExitStack() as held:
                held.callback(WriterLock(record).release)
                purge_deleted(held.enter_context(Store.open(record)), clock)
    except StoreError as error:  # whoever reads the record is told
        _LOGGER.info("nothing was removed from %s: %s", record, error)


class _Starts:
    """When deleted matches were found deleted, in a file beside the record."""

    def __init__(self, record: Path) -> None:
        self._path = record.with_name(f"{record.name}.deleted")
        self._known: dict[int, tuple[float, list[float]]] = {}
        """By match, when it was deleted and the starts since, oldest first."""

    def add(self, entries: tuple[MatchEntry, ...], now: float) -> None:
        """Note a start at which these are the matches; if that fails, the next one is noted."""
        before = self._read()
        self._known = {}
        for entry in entries:
            at = entry.deleted_at
            if at is None:
                continue
            known, starts = before.get(entry.id, (None, []))
            if known != at:  # it was restored in between
                starts = [at] if at >= entry.begun else []
            starts = [start for start in starts if start <= now]
            if not starts or now - starts[-1] >= DAY_S:
                starts.append(now)
            self._known[entry.id] = at, starts
        if self._known != before:
            try:
                write_whole(self._path, json.dumps(self._known).encode(), mode=0o600)
            except OSError as error:
                _LOGGER.warning("%s cannot be written: %s", self._path, error)

    def passed(self, entry: MatchEntry) -> float:
        """Seconds that were seen to pass since a match was deleted."""
        _, starts = self._known[entry.id]
        steps = sorted(min(later - start, MOST_S) for start, later in pairwise(starts))
        return sum(steps[:-1])

    def _read(self) -> dict[int, tuple[float, list[float]]]:
        try:
            found: dict[str, Any] = json.loads(self._path.read_text("utf-8"))
            return {
                int(match): (float(at), sorted(map(float, starts)))
                for match, (at, starts) in found.items()
            }
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, TypeError, AttributeError, RecursionError) as error:
            _LOGGER.warning("%s cannot be read, and is begun anew: %s", self._path, error)
            return {}
