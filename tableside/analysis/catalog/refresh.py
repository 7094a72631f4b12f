"""Brings the catalog up to date with the record: reads the matches that have new events."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Final

from tableside.analysis.catalog.facts import match_facts
from tableside.analysis.catalog.index import CatalogIndex, Stamp
from tableside.analysis.store import AnswerStore, answers_file
from tableside.errors import TablesideError
from tableside.record.store import Store

PATIENCE_S: Final = 0.3
"""How long an answer waits for the catalog; what is missing then is read beside it."""
PAUSE_S: Final = 0.05
"""After each match that is read beside: a match in play needs the processor more."""
_LOGGER: Final = logging.getLogger(__name__)


class Refresher:
    """Follows one record; thread-safe."""

    def __init__(self, store: Store, index: CatalogIndex, find: Callable[[], str | None]) -> None:
        """find: finds the name of the engine whose answers count."""
        self._store, self._index, self._find = store, index, find
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None
        self._engine: str | None = None

    def close(self) -> None:
        """Stop reading."""
        self._stopped.set()
        if self._thread is not None:
            self._thread.join()

    def refresh(self, on_match: Callable[[int, int], object] = lambda *_: None) -> None:
        """Read all that is new.

        on_match: called with the number of matches read, and of those to read. Raises an error of
        the record or of the catalog.
        """
        with self._lock:
            for done, total in self._read():
                on_match(done, total)

    def keep_up(self) -> int:
        """Read what is new for a moment, and the rest in a thread; how many matches are missing."""
        if not self._lock.acquire(blocking=False):
            with self._answers() as answers:
                return len(self._new(answers))  # the thread is at work
        try:
            end = time.monotonic() + PATIENCE_S
            for done, total in self._read():
                if done < total and time.monotonic() > end:
                    self._start_reading()
                    return total - done
            return 0
        finally:
            self._lock.release()

    def _start_reading(self) -> None:
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._read_rest, name="catalog")
            self._thread.start()

    def _read_rest(self) -> None:
        try:
            with self._lock:
                for _ in self._read():
                    if self._stopped.wait(PAUSE_S):
                        return
        except TablesideError as error:  # the next answer meets it too, and says so
            _LOGGER.warning("the catalog is not complete: %s", error)

    def _read(self) -> Iterator[tuple[int, int]]:
        """Read one match after the other: how many of how many are done."""
        self._store.change()  # which notices another file
        self._index.follow(self._store.file)
        gone = set(self._index.stamps()) - {head.id for head in self._store.heads()}
        if gone:
            self._index.forget(sorted(gone))
        with self._answers() as answers:
            new = self._new(answers)
            for done, (match, stamp) in enumerate(new.items(), start=1):
                entry = self._store.match(match)
                if entry is not None:
                    known = answers.answers(match) if answers is not None else {}
                    facts = match_facts(entry, self._store.events(match), known)
                    self._index.keep(entry, stamp, facts)
                yield done, len(new)

    def _new(self, answers: AnswerStore | None) -> dict[int, Stamp]:
        """The matches that differ from what is in the catalog, the newest first."""
        known = self._index.stamps()
        new: dict[int, Stamp] = {}
        for head in reversed(self._store.heads()):
            before, is_judged = known.get(head.id, (None, False))
            had = 0 if before is None else before.answers
            # Answers that were given stay; only those that are missing are counted again.
            is_same = before is not None and before.events == head.events
            count = had if answers is None or (is_judged and is_same) else answers.count(head.id)
            stamp = Stamp(head.begun, head.events, head.is_closed, count)
            if stamp != before:
                new[head.id] = stamp
        return new

    @contextmanager
    def _answers(self) -> Iterator[AnswerStore | None]:
        """The answers of the analysis; None if nothing was analyzed, or no engine is installed."""
        if not answers_file(self._store.path).exists():
            yield None
            return
        if self._engine is None:
            self._engine = self._find() or ""
        if not self._engine:
            yield None
            return
        with closing(AnswerStore(self._store.path, self._engine)) as answers:
            if self._index.engine() != answers.engine:
                self._index.forget_analysis(answers.engine)
            yield answers
