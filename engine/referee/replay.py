"""A match whose observations and manual entries are kept, so that it can be judged again."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Final, Protocol

from engine.errors import NotNow
from engine.events.match import Event, GameStart, PlayMade
from engine.evidence.observation import Observation
from engine.evidence.still_period import Motion
from engine.match.amendments import rewrite
from engine.match.corrections import (
    Correction,
    CorrectionUndone,
    ManualCommand,
    PlayChosen,
    RollFixed,
    check_correction,
    corrections_of,
    in_effect,
    last_correction,
)
from engine.match.state import MatchState
from engine.message import msg
from engine.referee.history_search import HistorySearch, try_enter
from engine.referee.referee import Referee
from engine.timestamp import Timestamp


@dataclass(frozen=True, slots=True)
class ManualEntry:
    """A manual entry among the observations; `number` counts these from 0."""

    number: int
    value: ManualCommand
    when: Timestamp

    @property
    def frame(self) -> int:
        """The frame of the source to which it belongs."""
        return self.when.frame


NO_START: Final = msg(
    "the start of that game is not in the record, so the game cannot be judged again"
)


Entry = Observation | Motion | ManualEntry
ReplaySteps = Generator[None, None, list[Event]]
"""Replaying takes a while: each step processes one entry, and the end returns the events."""


class ObservationLog(Protocol):
    """Stores observations and manual entries, in order."""

    def append(self, entry: Entry, /) -> None:
        """Add an entry."""

    def since(self, frame: int) -> Iterable[Entry]:
        """All entries from that frame on, as of now: those added later are not included."""

    def manual_entries(self) -> Iterable[ManualEntry]:
        """Everything entered by hand."""


class InMemoryLog(list[Entry]):
    """A log that is lost with its process."""

    def since(self, frame: int) -> list[Entry]:
        """All entries from that frame on."""
        return [entry for entry in self if entry.frame >= frame]

    def manual_entries(self) -> list[ManualEntry]:
        """Everything entered by hand."""
        return [entry for entry in self if isinstance(entry, ManualEntry)]


class ReplayableMatch:
    """Turns observations and manual entries into events; `correct` and `undo` judge a game again.

    A correction changes no event: it is one more entry, and `HistorySearch` runs again over all
    entries since the start of its game, with every correction in effect.
    """

    def __init__(
        self, referee_at: Callable[[MatchState | None], Referee], log: ObservationLog | None = None
    ) -> None:
        """`referee_at`: gives a referee that continues from a state, or begins if it is None."""
        self._referee_at = referee_at
        self._log = InMemoryLog() if log is None else log
        self._entered = list(self._log.manual_entries())
        self._was_moving = False
        self._finished: Timestamp | None = None
        self._waiting: deque[Entry] | None = None
        """Entries that arrive during a replay; None if there is none."""
        referee = self._new_referee(None)
        self._rules, self._is_manual = referee.rules, referee.is_manual
        self._search = HistorySearch(referee)

    @property
    def state(self) -> MatchState:
        """The fold of all events so far."""
        return self._search.state

    @property
    def lacks_cube(self) -> bool:
        """Whether the cube may be turned, but is not seen; see `Referee.lacks_cube`."""
        return self._search.lacks_cube

    def observe(self, seen: Observation | Motion) -> list[Event]:
        """Process an observation or motion over the board; return what became certain."""
        is_moving = isinstance(seen, Motion)
        if not (is_moving and self._was_moving):  # motion is reported with every frame
            self._log.append(seen)
        self._was_moving, self._finished = is_moving, None
        if self._waiting is not None:
            self._waiting.append(seen)
            return []
        return self._search.observe(seen)

    def enter(self, event: Event) -> list[Event]:
        """Process a manual entry; see `Referee.enter`, also for the errors raised.

        During a replay it waits, and is dropped if it no longer fits afterward.
        """
        when = Timestamp(event.time, event.frame)
        if self._waiting is not None:
            self._waiting.append(self._keep(event, when))
            return []
        events = self._search.enter(event)
        self._keep(event, when)
        return events

    def pending_play(self) -> PlayMade | None:
        """The play on the board that is not final yet; see `Referee.pending_play`."""
        return self._search.pending_play()

    def finish(self, time: float, frame: int) -> list[Event]:
        """Record the last play of a finished video, if it was seen completely."""
        self._finished = Timestamp(time, frame)
        return self._search.finish(time, frame)

    def correct(self, correction: Correction, when: Timestamp) -> ReplaySteps:
        """Judge the game of that turn and everything after it again, knowing the correction.

        What is observed between two steps is judged at the end. Raises `EngineError` if the
        correction is impossible; then nothing has changed.
        """
        check_correction(self.state, correction, self._rules)
        entry = ManualEntry(len(self._entered), correction, when)
        return (yield from self._replay(entry, correction, when))

    def undo(self, when: Timestamp) -> ReplaySteps:
        """Undo the last correction, see `correct`; raises `NotNow` if there is none."""
        last = self._last_correction()
        return (yield from self._replay(last, CorrectionUndone(last.number), when))

    @property
    def can_undo(self) -> bool:
        """Whether there is a correction to undo."""
        try:
            self._last_correction()
        except NotNow:
            return False
        return True

    def _last_correction(self) -> ManualEntry:
        values = tuple(entry.value for entry in self._entered)
        is_first_game = self.state.games < 2
        number = last_correction(values, self._first_open(), is_first_game=is_first_game)
        return self._entered[number]

    def _first_open(self) -> int:
        """The first manual entry since the newest turn; 0 if turns are entered by hand too.

        The board is soon set up for the next game, which does not close the result of the last.
        """
        if self._is_manual:
            return 0
        newest = max((turn.event.frame for turn in self.state.turns[-1:]), default=0)
        since = (entry.number for entry in self._entered if entry.frame >= newest)
        return next(since, len(self._entered))

    def _keep(self, value: ManualCommand, when: Timestamp) -> ManualEntry:
        entry = ManualEntry(len(self._entered), value, when)
        self._entered.append(entry)
        self._log.append(entry)
        return entry

    def _in_effect(self) -> tuple[bool, ...]:
        return in_effect(tuple(entry.value for entry in self._entered))

    def _new_referee(self, state: MatchState | None) -> Referee:
        referee = self._referee_at(state)
        pairs = zip(self._entered, self._in_effect(), strict=True)
        values = (entry.value for entry, is_in_effect in pairs if is_in_effect)
        referee.set_corrections(corrections_of(values))
        return referee

    def _replay(
        self, about: ManualEntry, value: Correction | CorrectionUndone, when: Timestamp
    ) -> ReplaySteps:
        """Keep `value`, and judge everything again from the start of the game it is `about`."""
        start = self._start_of(about)
        assert start.last_event is not None  # noqa: S101 (a game started with an event)
        self._keep(value, when)
        search = HistorySearch(self._new_referee(start))
        recorded = self._log.since(start.last_event.frame)
        began_with = self._entry_of(start.last_event)
        self._waiting = deque()
        try:
            for entry in chain(recorded, _drain(self._waiting)):
                if not isinstance(entry, ManualEntry):
                    search.observe(entry)
                elif (
                    entry.number > began_with  # others of its frame came before the game
                    and isinstance(entry.value, Event)
                    and self._in_effect()[entry.number]
                ):
                    try_enter(search, entry.value)  # dropped if it no longer fits
                yield
            if self._finished is not None:
                search.finish(self._finished.time, self._finished.frame)
        finally:
            self._waiting = None
        before, self._search = self.state, search
        return rewrite(before, search.state, start, when, value.message)

    def _entry_of(self, start: Event) -> int:
        """The number of the manual entry that began a game; -1 if none did."""
        alike = (
            entry.number
            for entry in reversed(self._entered)
            if isinstance(entry.value, GameStart) and entry.frame == start.frame
        )
        return next(alike, -1)

    def _start_of(self, entry: ManualEntry) -> MatchState:
        """The state at the start of an entry's game; raises `NotNow` if it is unknown.

        The start of a game belongs to the game before.
        """
        turns = self.state.turns
        found: MatchState | None
        if isinstance(entry.value, PlayChosen | RollFixed) and turns:
            game = turns[min(entry.value.turn, len(turns)) - 1].game
            found = _last_start(self.state, lambda at: at.games == game)
        else:
            found = _last_start(self.state, lambda at: _frame(at) <= entry.frame)
            if found is not None and isinstance(entry.value, GameStart):
                found = _last_start(found.previous)
        if found is None:
            raise NotNow(NO_START)
        return found


def _last_start(
    state: MatchState | None, is_meant: Callable[[MatchState], bool] = lambda _: True
) -> MatchState | None:
    """The last state in which a game has just begun, and that is meant; None if there is none."""
    while state is not None:
        if isinstance(state.last_event, GameStart) and is_meant(state):
            return state
        state = state.previous
    return None


def _frame(state: MatchState) -> int:
    """The frame of the event that led to a state; 0 before the first."""
    return 0 if state.last_event is None else state.last_event.frame


def _drain(queue: deque[Entry]) -> Iterator[Entry]:
    while queue:
        yield queue.popleft()
