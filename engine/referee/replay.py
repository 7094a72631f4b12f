"""A match whose observations and manual entries are kept, so that it can be judged again."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Protocol

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
    """What was entered by hand, among the observations; `number` counts these from 0."""

    number: int
    value: ManualCommand
    when: Timestamp

    @property
    def frame(self) -> int:
        """The frame of the source that it belongs to."""
        return self.when.frame


Entry = Observation | Motion | ManualEntry
ReplaySteps = Generator[None, None, list[Event]]
"""A replay takes a while: each step takes in one entry, the end returns the events."""


class ObservationLog(Protocol):
    """Where observations and manual entries are kept, in their order."""

    def append(self, entry: Entry, /) -> None:
        """Keep one more."""

    def since(self, frame: int) -> Iterable[Entry]:
        """All from that frame on, as it is now: what is kept later is not among them."""

    def manual_entries(self) -> Iterable[ManualEntry]:
        """Everything that was entered by hand."""


class InMemoryLog(list[Entry]):
    """A log that is gone with its process."""

    def since(self, frame: int) -> list[Entry]:
        """All from that frame on."""
        return [entry for entry in self if entry.frame >= frame]

    def manual_entries(self) -> list[ManualEntry]:
        """Everything that was entered by hand."""
        return [entry for entry in self if isinstance(entry, ManualEntry)]


class ReplayableMatch:
    """Observations and manual entries in, events out; `correct` and `undo` judge a game again.

    A correction changes no event: it is one more entry, and `HistorySearch` runs anew over all
    entries since the start of the game that it is about, with every correction in effect.
    """

    def __init__(
        self, referee_at: Callable[[MatchState | None], Referee], log: ObservationLog | None = None
    ) -> None:
        """`referee_at`: a referee that goes on from a state, or begins if that is None."""
        self._referee_at = referee_at
        self._log = InMemoryLog() if log is None else log
        self._entered = list(self._log.manual_entries())
        self._was_moving = False
        self._waiting: deque[Entry] | None = None
        """What comes in during a replay; None while there is none."""
        referee = self._new_referee(None)
        self._rules, self._is_manual = referee.rules, referee.is_manual
        self._search = HistorySearch(referee)

    @property
    def state(self) -> MatchState:
        """The fold of all events so far."""
        return self._search.state

    def observe(self, seen: Observation | Motion) -> list[Event]:
        """Take in an observation, or that a hand is over the board; return what became certain."""
        is_moving = isinstance(seen, Motion)
        if not (is_moving and self._was_moving):  # motion is reported with every frame
            self._log.append(seen)
        self._was_moving = is_moving
        if self._waiting is not None:
            self._waiting.append(seen)
            return []
        return self._search.observe(seen)

    def enter(self, event: Event) -> list[Event]:
        """Take in an event that was entered by hand, see `Referee.enter`; it raises as that does.

        During a replay it waits for its turn, and is void where it does not fit then.
        """
        when = Timestamp(event.time, event.frame)
        if self._waiting is not None:
            self._waiting.append(self._keep(event, when))
            return []
        events = self._search.enter(event)
        self._keep(event, when)
        return events

    def pending_play(self) -> PlayMade | None:
        """The play that lies there and is not final yet, see `Referee.pending_play`."""
        return self._search.pending_play()

    def finish(self, time: float, frame: int) -> list[Event]:
        """The video is over: record the last play if it was seen whole."""
        return self._search.finish(time, frame)

    def correct(self, correction: Correction, when: Timestamp) -> ReplaySteps:
        """Judge the game of that turn again, and all after it, knowing the correction.

        What is observed between two steps is judged at the end. `EngineError` says why it cannot
        be; then nothing has changed.
        """
        check_correction(self.state, correction, self._rules)
        entry = ManualEntry(len(self._entered), correction, when)
        return (yield from self._replay(entry, correction, when))

    def undo(self, when: Timestamp) -> ReplaySteps:
        """Take the last correction back, see `correct`; `NotNow` if there is none."""
        last = self._last_correction()
        return (yield from self._replay(last, CorrectionUndone(last.number), when))

    @property
    def can_undo(self) -> bool:
        """Whether there is a correction to take back."""
        try:
            self._last_correction()
        except NotNow:
            return False
        return True

    def _last_correction(self) -> ManualEntry:
        values = tuple(entry.value for entry in self._entered)
        return self._entered[last_correction(values, self._first_open())]

    def _first_open(self) -> int:
        """The first manual entry since the newest turn; 0 where turns are entered by hand too."""
        if self._is_manual or not self.state.turns:
            return 0
        newest = self.state.turns[-1].event.frame
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
        self._waiting = deque()
        try:
            for entry in chain(recorded, _drain(self._waiting)):
                if not isinstance(entry, ManualEntry):
                    search.observe(entry)
                elif isinstance(entry.value, Event) and self._in_effect()[entry.number]:
                    try_enter(search, entry.value)  # void where it does not fit any more
                yield
        finally:
            self._waiting = None
        before, self._search = self.state, search
        return rewrite(before, search.state, start, when, value.message)

    def _start_of(self, entry: ManualEntry) -> MatchState:
        """The state at the start of the game that an entry is about; `NotNow` if it is unknown."""
        turns = self.state.turns
        game = None
        if isinstance(entry.value, PlayChosen | RollFixed) and turns:
            game = turns[min(entry.value.turn, len(turns)) - 1].game
        state: MatchState | None = self.state
        while state is not None:
            if isinstance(start := state.last_event, GameStart) and (
                start.frame <= entry.frame if game is None else state.games == game
            ):
                return state
            state = state.previous
        raise NotNow(
            msg("the start of that game is not in the record, so the game cannot be judged again")
        )


def _drain(queue: deque[Entry]) -> Iterator[Entry]:
    while queue:
        yield queue.popleft()
