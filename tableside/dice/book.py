"""Dice statistics for the pages, from a record that may be written at the same time."""

from __future__ import annotations

import io
import threading
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Final

from engine.dice_sets.edits import DiceEdit, DiceNames, edits_in_effect
from engine.dice_sets.identities import DieIdentities
from engine.errors import EngineError
from engine.fairness.evalues import EProcess
from engine.fairness.findings import Findings, analyse_log
from engine.fairness.live import LiveStatistics
from engine.fairness.rolls import DiceLog, join_logs
from engine.message import Sentence, message_of, msg
from engine.position import Side
from tableside.dice.identity import IdentifiedRows, identify_dice, rename_dice
from tableside.dice.plain_rolls import is_plain, read_plain
from tableside.dice.rolls_csv import write_rows
from tableside.dice.rows import final_names, log_from_rows, rows_from_events
from tableside.dice.sources import edit_dice_names, session_name
from tableside.errors import BadDice, StoreError
from tableside.record.export import chronological
from tableside.record.store import MatchEntry, Store
from webui.contracts.archive import ArchiveError, NotInRecord
from webui.contracts.dice import DiceReport, LiveDice, UnreadableRolls

MAX_PASTED_ROLLS: Final = 1_000_000


@contextmanager
def archive_errors() -> Iterator[None]:
    """Turn errors of the record into those of the archive."""
    try:
        yield
    except (StoreError, EngineError) as error:
        raise ArchiveError(message_of(error)) from error


@dataclass(slots=True)
class _Ended:
    """The statistics of finished matches."""

    matches: tuple[tuple[int, str], ...] = ()
    """Their numbers and marks."""
    findings: Findings | None = None
    processes: dict[str, EProcess] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class _LoggedMatch:
    """The dice of one match."""

    read: tuple[int, int]
    """The record's file and the number of events of the match when they were read."""
    before: DieIdentities
    """The dice of earlier matches."""
    after: DieIdentities
    log: DiceLog
    mark: str
    """Changes with every die of it, and with nothing else that is recorded."""
    players: tuple[str, str]


class RecordDice:
    """The `DiceBook` of a process; thread-safe."""

    def __init__(self, store: Store) -> None:
        """`store` is only read from."""
        self._store = store
        self._lock = threading.Lock()
        self._known: dict[int, _LoggedMatch] = {}
        self._running: dict[int, LiveStatistics] = {}
        self._ended = _Ended()
        self._edits: tuple[DiceEdit, ...] = ()

    def pasted(self, text: str) -> Findings:
        """See `DiceBook`."""
        lines = [line for line in text.splitlines() if line.strip()]
        if not lines or not is_plain(lines[0]):
            raise UnreadableRolls(msg("give faces from 1 to 6, or lines of face and count"))
        try:
            log, _ = read_plain(Path("-"), text, MAX_PASTED_ROLLS)
        except BadDice as error:
            raise UnreadableRolls(str(error).removeprefix("-, ")) from error
        return analyse_log(log)

    def edit_names(self, edit: DiceEdit) -> None:
        """Store the edit in the record; see `DiceBook`."""
        try:
            edit_dice_names(self._store.path, edit)
        except StoreError as error:
            raise ArchiveError(message_of(error)) from error

    def last_edit(self) -> Sentence:
        """The newest edit in effect; empty if there is none."""
        edits = edits_in_effect(self._read_edits())
        return edits[-1].sentence if edits else ""

    def version(self, *, with_open: bool, without: Collection[int] = ()) -> str:
        """The version of the report on all matches; may raise `ArchiveError`."""
        entries = self._entries(with_open, without)
        with self._lock:
            self._update()
            return self._version(entries)

    def report(
        self, match: int | None = None, *, with_open: bool, without: Collection[int] = ()
    ) -> DiceReport:
        """The report on one match or all; raises `NotInRecord`, or `ArchiveError` if unreadable."""
        entries = self._entries()
        if match is not None:
            entries = tuple(entry for entry in entries if entry.id == match)
            if not entries:
                raise NotInRecord(msg("there is no match {number} in the record", number=match))
        first = entries[0] if match is not None else None
        entries = _included(entries, with_open, without)
        with self._lock:
            self._update(match)
            ended = tuple(entry for entry in entries if not entry.is_open)
            findings = self._findings(ended) if match is None else self._findings_of(ended)
            playing = tuple(self._playing(entry) for entry in entries if entry.is_open)
            version = self._version(entries)
            players = None if first is None else self._known[first.id].players
        shown = tuple(one for one in playing if one.dice)
        return DiceReport(version, players, findings, shown)

    def rolls_csv(self, *, with_open: bool, without: Collection[int] = ()) -> Iterator[str]:
        """Every die as CSV, a match at a time; raises `ArchiveError` if unreadable."""
        entries = self._entries(with_open, without)
        with self._lock:
            self._update(max((entry.id for entry in entries), default=0))
        for number, entry in enumerate(entries):
            text = io.StringIO()
            rows, _ = self._rows(entry, self._known[entry.id].before)
            write_rows(rows, text)
            yield text.getvalue() if number == 0 else text.getvalue().partition("\n")[2]

    def _read_edits(self) -> tuple[DiceEdit, ...]:
        with archive_errors():
            return self._store.dice_edits()

    def _entries(
        self, with_open: bool = True, without: Collection[int] = ()
    ) -> tuple[MatchEntry, ...]:
        with archive_errors():
            return _included(self._store.matches(), with_open, without)

    def _version(self, entries: tuple[MatchEntry, ...]) -> str:
        """A mark of the dice of these matches, of which are over, and of the edits."""
        dice = [(entry.id, entry.is_open, self._known[entry.id].mark) for entry in entries]
        return _mark((dice, self._edits))

    def _findings(self, ended: tuple[MatchEntry, ...]) -> Findings | None:
        """The findings on all finished matches, recomputed when another one ends."""
        numbers = tuple((entry.id, self._known[entry.id].mark) for entry in ended)
        if self._ended.matches != numbers:
            log = join_logs([self._log(entry) for entry in ended])
            self._ended = _Ended(numbers, _found(log), _processes(log.usable()))
            self._running.clear()  # they start from other dice now
        return self._ended.findings

    def _findings_of(self, ended: tuple[MatchEntry, ...]) -> Findings | None:
        return _found(join_logs([self._log(entry) for entry in ended]))

    def _playing(self, entry: MatchEntry) -> LiveDice:
        running = self._running.setdefault(entry.id, LiveStatistics(self._ended.processes))
        running.follow(self._log(entry).usable())
        dice = tuple((die, own.log_e) for die, own in running.dice())
        return LiveDice(entry.id, self._known[entry.id].players, dice)

    def _log(self, entry: MatchEntry) -> DiceLog:
        return self._known[entry.id].log

    def _update(self, last: int | None = None) -> None:
        """Read the dice of all matches up to `last`.

        A match is read again if it has new events, or if the dice known before it have changed.
        """
        before, edits = DieIdentities(), self._read_edits()
        if edits != self._edits:
            self._edits, self._known, self._ended = edits, {}, _Ended()
            self._running.clear()
        for entry in self._entries():
            if last is not None and entry.id > last:
                break
            known = self._known.get(entry.id)
            if known is None or known.read != (entry.file, entry.events) or known.before != before:
                rows, after = self._rows(entry, before)
                with archive_errors():
                    names = final_names(self._store.events(entry.id))
                known = self._known[entry.id] = _LoggedMatch(
                    (entry.file, entry.events),
                    before,
                    after,
                    log_from_rows(rows),
                    _mark(rows),
                    (names[Side.LIGHT], names[Side.DARK]),
                )
            before = known.after

    def _rows(self, entry: MatchEntry, before: DieIdentities) -> IdentifiedRows:
        with archive_errors():
            events = chronological(self._store.events(entry.id))
        rows, after = identify_dice(list(rows_from_events(events, session_name(entry))), before)
        return rename_dice(rows, DiceNames.after(self._edits)), after


def _included(
    entries: Iterable[MatchEntry], with_open: bool, without: Collection[int]
) -> tuple[MatchEntry, ...]:
    return tuple(
        entry for entry in entries if (with_open or not entry.is_open) and entry.id not in without
    )


def _found(log: DiceLog) -> Findings | None:
    return analyse_log(log) if len(log.usable()) else None


def _processes(usable: DiceLog) -> dict[str, EProcess]:
    """The e-process of each die, by its name."""
    return {
        name: EProcess.after(usable.at(usable.die.codes == code))
        for code, name in enumerate(usable.die.names)
    }


def _mark(shown: object) -> str:
    return blake2b(repr(shown).encode(), digest_size=12).hexdigest()
