"""The tables of a hall as they were last heard of: what its page shows."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import median
from typing import Any, Final, Literal

from engine.message import Sentence, message_of, msg, ngettext
from tableside.errors import StoreError
from tableside.hall.matches import StoredMatches
from tableside.hall.messages import Presence, TableState, shown_state
from tableside.hall.results import results_csv
from tableside.hall.store import HallStore
from webui.contracts.archive import ArchiveError
from webui.contracts.hall import HallFigures, HallResult, TableShown
from webui.contracts.roles import Visibility
from webui.contracts.state import State, blank_state

JOIN: Final = "tableside live --hall URL --table NAME"
JOIN_NEARBY: Final = "tableside live --announce --host 0.0.0.0 --table NAME"
MOST_TABLES: Final = 2000
"""More tables than any hall has: what else arrives is not believed."""
TOO_MANY: Final = msg(
    "more than {number} names of tables have been heard: others are not shown; give each table a "
    "password at the broker, and start the hall again",
    number=MOST_TABLES,
)
SILENT_S: Final = 15.0
"""A connected table sends its state every few seconds; after this, something is wrong."""
CLOCK_OFF_S: Final = 60.0
"""The least difference between a table's clock and ours that is reported."""
LEAST_TABLES: Final = 3
"""So many tables that agree are believed rather than our own clock."""

SHARED_S: Final = 5.0
"""A table of another's name asks again and again: one that has just ended is heard only once."""
FORGET_S: Final = 30.0
"""Seconds after which a table of another's name is forgotten."""

Counted = Literal["stored", "dropped", "store_faults"]
"""What `Boards.count` counts: see `HallFigures`."""


@dataclass(slots=True)
class _Table:
    version: int = 0
    online: bool = False
    instance: str = ""
    page: str = ""
    heard: float = 0.0
    """When its state last arrived, by our monotonic clock."""
    ahead: float = 0.0
    """Seconds by which its clock is ahead of ours."""
    is_silent: bool = False
    rivals: dict[str, tuple[float, float]] = field(default_factory=dict)
    """Other tables with its name, and when each was heard first and last."""
    is_shared: bool = False
    """Whether another table that is there has its name."""
    states: dict[Visibility, State] = field(default_factory=dict)


class Boards:
    """A `webui.contracts.hall.Hall`, filled by the messages of tables."""

    def __init__(
        self,
        store: HallStore,
        clock: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
        *,
        is_nearby: bool = False,
    ) -> None:
        """is_nearby: whether the tables are found on the network, and send no matches."""
        self.join_command = JOIN_NEARBY if is_nearby else JOIN
        """The command with which a table takes part."""
        self.keeps_matches = not is_nearby
        """Whether what is played at the tables is kept."""
        self._store, self._clock, self._monotonic = store, clock, monotonic
        self.matches = StoredMatches(store)
        """What was played at the tables."""
        self._changed = threading.Condition()
        self._tables: dict[str, _Table] = {}
        self._troubles: dict[str, Sentence] = {}
        self._behind = 0.0
        """Seconds by which our own clock is behind, as all tables say."""
        self._counts: Counter[Counted] = Counter()
        self.count_waiting: Callable[[], int] = lambda: 0
        """How many events wait for the store."""
        # As a table's: versions do not repeat when the hall is started again.
        self._version = int(clock() * 1000)

    def meet(self, name: str, presence: Presence, *, is_kept: bool) -> None:
        """A table connected or left; `is_kept`: the broker kept the message for us."""
        with self._changed:
            table = self._table(name)
            if table is None:
                return
            is_other = table.instance not in ("", presence["instance"])
            if is_other and not presence["online"]:
                if not is_kept:  # it asks for the name, or it is the last will of one
                    now = self._monotonic()
                    table.rivals[presence["instance"]] = (
                        table.rivals.get(presence["instance"], (now,))[0],
                        now,
                    )
                return
            table.rivals.pop(presence["instance"], None)
            table.online, table.page = presence["online"], presence["page"]
            table.instance = presence["instance"]
            if presence["online"]:
                self._hear(table, presence["sent"], is_kept=is_kept)
            self._touch(table)

    def show(self, name: str, visibility: Visibility, sent: TableState, *, is_kept: bool) -> bool:
        """A table told its state; False if there are too many tables to show it.

        Raises `InvalidMessage` if it is none.
        """
        state = shown_state(sent["state"])
        with self._changed:
            table = self._table(name)
            if table is None:
                return False
            was = table.ahead, table.is_silent
            self._hear(table, sent["sent"], is_kept=is_kept)
            is_new = table.states.get(visibility) != state
            table.states[visibility] = state
            if is_new or was != (table.ahead, table.is_silent):
                self._touch(table)
            return True

    def hear(self, name: str) -> None:
        """A table told that nothing has changed."""
        with self._changed:
            if (table := self._table(name)) is not None:
                was_silent = table.is_silent
                self._hear(table, self._clock(), is_kept=False)
                if was_silent:
                    self._touch(table)

    def look(self) -> None:
        """Notice the tables that have fallen silent, or are two; to be called once a second."""
        with self._changed:
            self._look_at_clock()
            now = self._monotonic()
            for table in self._tables.values():
                table.rivals = {
                    one: heard for one, heard in table.rivals.items() if now - heard[1] < FORGET_S
                }
                is_silent = table.online and now - table.heard > SILENT_S
                is_shared = any(last - first > SHARED_S for first, last in table.rivals.values())
                if (is_silent, is_shared) != (table.is_silent, table.is_shared):
                    table.is_silent, table.is_shared = is_silent, is_shared
                    self._touch(table)

    def _look_at_clock(self) -> None:
        """If all clocks differ from ours alike, it is ours that is wrong."""
        ahead = [table.ahead for table in self._tables.values() if table.online]
        is_ours = len(ahead) >= LEAST_TABLES and max(ahead) - min(ahead) <= CLOCK_OFF_S
        behind = median(ahead) if is_ours else 0.0
        if behind != self._behind:
            self._behind = behind
            for table in self._tables.values():
                self._touch(table)
            self._troubles["clock"] = _own_clock(behind)

    def _ahead(self, table: _Table) -> float:
        """By how much the table's clock is wrong, as far as is known."""
        ahead = table.ahead - self._behind
        return ahead if abs(ahead) > CLOCK_OFF_S else 0.0

    def set_trouble(self, kind: str, trouble: Sentence) -> None:
        """What is wrong with the hall itself; empty if that is over."""
        with self._changed:
            if self._troubles.get(kind, "") != trouble:
                self._troubles[kind] = trouble
                self._version += 1
                self._changed.notify_all()

    def count(self, what: Counted, number: int = 1) -> None:
        """Count what happens, for `figures`."""
        with self._changed:
            self._counts[what] += number

    def figures(self) -> HallFigures:
        """How the hall does now."""
        undelivered = unindexed = None
        try:
            undelivered = self._store.undelivered()
            unindexed = len(self._store.unindexed())
        except StoreError:  # then they are not known; what writes to the store says why
            pass
        with self._changed:
            tables = list(self._tables.values())
            return HallFigures(
                tables=len(tables),
                online=sum(table.online for table in tables),
                silent=sum(table.is_silent for table in tables),
                clocks_off=sum(self._ahead(table) != 0 for table in tables),
                has_broker=not self._troubles.get("broker"),
                has_store=undelivered is not None and not self._troubles.get("store"),
                stored=self._counts["stored"],
                dropped=self._counts["dropped"],
                store_faults=self._counts["store_faults"],
                waiting=self.count_waiting(),
                undelivered=undelivered,
                unindexed=unindexed,
            )

    def names(self) -> list[str]:
        """The names of all tables."""
        with self._changed:
            return list(self._tables)

    def tables(self, visibility: Visibility, after: int = -1) -> list[TableShown]:
        """The tables that changed since the version `after`."""
        now = self._monotonic()
        with self._changed:
            return [
                TableShown(
                    name=name,
                    version=table.version,
                    online=table.online,
                    page=table.page,
                    troubles=_troubles(table, self._ahead(table)),
                    age=round(now - table.heard, 1),
                    state=table.states.get(visibility) or blank_state(),
                )
                for name, table in self._tables.items()
                if table.version > after
            ]

    def newer(self, after: int, timeout: float) -> int:
        """The newest version, once it is above `after` or the time has passed."""
        with self._changed:
            self._changed.wait_for(lambda: self._version > after, timeout)
            return self._version

    def troubles(self) -> list[Sentence]:
        """What is wrong with the hall itself."""
        with self._changed:
            return [trouble for trouble in self._troubles.values() if trouble]

    def results(self) -> list[HallResult]:
        """Every match, the newest first; raises `ArchiveError` while the store cannot be read."""
        try:
            return self._store.results()
        except StoreError as error:
            raise ArchiveError(message_of(error)) from error

    def results_csv(self) -> str:
        """The same as a table with its header."""
        return results_csv(self.results())

    def _table(self, name: str) -> _Table | None:
        if name not in self._tables and len(self._tables) >= MOST_TABLES:
            self.set_trouble("tables", TOO_MANY)
            return None
        return self._tables.setdefault(name, _Table())

    def _hear(self, table: _Table, sent: float, *, is_kept: bool) -> None:
        table.heard, table.is_silent = self._monotonic(), False
        if not is_kept:  # a kept message is as old as it likes
            ahead = sent - self._clock()
            table.ahead = 60.0 * round(ahead / 60) if abs(ahead) > CLOCK_OFF_S else 0.0

    def _touch(self, table: _Table) -> None:
        self._version += 1
        table.version = self._version
        self._changed.notify_all()


def _own_clock(behind: float) -> Sentence:
    minutes = round(abs(behind) / 60)
    if behind > 0:
        return ngettext(
            "the clock of the hall's computer is {number} minute slow: all tables say so",
            "the clock of the hall's computer is {number} minutes slow: all tables say so",
            minutes,
        )
    if behind < 0:
        return ngettext(
            "the clock of the hall's computer is {number} minute fast: all tables say so",
            "the clock of the hall's computer is {number} minutes fast: all tables say so",
            minutes,
        )
    return ""


def _troubles(table: _Table, ahead: float) -> list[Sentence]:
    found: list[Any] = []
    if table.is_silent:
        found.append(msg("nothing has been heard of this table for a while"))
    if table.is_shared:
        found.append(msg("another table is connected under this name too: give it another --table"))
    minutes = round(abs(ahead) / 60)
    if ahead > 0:
        found.append(
            ngettext(
                "its clock is {number} minute fast", "its clock is {number} minutes fast", minutes
            )
        )
    elif ahead < 0:
        found.append(
            ngettext(
                "its clock is {number} minute slow", "its clock is {number} minutes slow", minutes
            )
        )
    return found
